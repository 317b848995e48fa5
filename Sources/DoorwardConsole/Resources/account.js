// My account: names, password, recovery codes, sessions, API keys, keys of the keyboard.
// @ts-check
import { call, setCurrentUser } from './api.js';
import { leaveSession } from './app.js';
import { button, copyable, dialog, field, notice, select, time, whenLoaded } from './parts.js';
import { askRemoval, removalDialog } from './removal.js';
import { Scopes, entityTypes } from './scopes.js';
import { h } from './view.js';
import { roleOf, sentenceOf } from './words.js';

/**
 * @typedef {Console.State & import('./removal.js').State & {
 *   user?: API.User, sessions: Session[], keys: API.APIKey[] | null, scopes: Scopes, codes: string[] | null, newKey: NewKey | null, busy: string | null,
 *   notes: Record<string, Console.Note>}} State with a note for each form
 * @typedef {State & {user: API.User}} Shown
 * @typedef {Console.Answer['sessions'][number]} Session
 * @typedef {Console.Work<string> & {types: string[], type: string, entityId: string, role: string, days: string, secret: Console.Secret | null}} NewKey
 */

const names = { firstName: 'The first name', lastName: 'The last name', currentPassword: 'The current password', newPassword: 'The new password' };

/** @type {Console.Page<State>} */
const page = {
  start(context) {
    /** @type {State} */
    const state = {
      status: 'loading', error: null, sessions: [], keys: [], codes: null, newKey: null, removal: null, scopes: new Scopes([[], [], []]), isEnded: false, readAt: '', busy: null, notes: {},
    };
    page.refresh(context, state);
    return state;
  },

  end(state) { Object.assign(state, { isEnded: true, codes: null, newKey: null }); },

  async refresh(context, state) {
    try {
      const mayHaveKeys = ['Portfolio', 'Property', 'Unit'].some((type) => context.ability.can('apiKeys.manage', type));
      const [{ user }, { sessions }, scopes, keys] = await Promise.all([
        call('GET', '/users/me'), call('GET', '/users/me/sessions'), Scopes.read(), mayHaveKeys ? call('GET', '/api-keys', { query: { limit: 200 } }) : null,
      ]);
      if (state.isEnded) return;
      setCurrentUser(user);
      Object.assign(state, { status: 'loaded', user, sessions, scopes, keys: keys?.apiKeys || null, readAt: new Date().toISOString() });
    } catch (error) {
      if (state.status !== 'loaded') Object.assign(state, { status: 'failed', error });
    }
    context.redraw();
  },

  view(context, state) {
    const shown = /** @type {Shown} */ (state);
    return h(
      'div', { key: 'account' },
      h('div.page-head', null, h('h1', { tabindex: '-1' }, 'My account'), button('Sign out', { id: 'sign-out', onclick: leaveSession })),
      whenLoaded(state, () => { state.status = 'loading'; context.redraw(); page.refresh(context, state); }, () => [
        person(context, shown), defaults(context, shown), password(context, shown), recovery(context, shown), sessions(context, state), apiKeys(context, state), keyboard(context),
        state.newKey && newKeyDialog(context, state), removalDialog(context, state),
      ]));
  },
};
export default page;

/** @param {Console.Context} context @param {State} state @param {string} name @param {(values: Record<string, string>) => Promise<string>} act */
const submit = (context, state, name, act) => async (/** @type {Console.Submit} */ event) => {
  event.preventDefault();
  if (state.busy) return;
  Object.assign(state, { busy: name, notes: {} });
  context.redraw();
  try {
    state.notes[name] = { tone: 'ok', text: await act(/** @type {Record<string, string>} */ (Object.fromEntries(new FormData(event.target)))) };
    if (name === 'password' || name === 'recovery') event.target.reset();
  } catch (error) {
    const { status, isMismatch, message } = error;
    const isWrong = (name === 'password' || name === 'recovery') && status === 401;
    state.notes[name] = { tone: 'bad', text: isMismatch ? message : isWrong ? 'The current password is wrong.' : sentenceOf(error, names) };
  }
  context.announce(state.notes[name].text);
  state.busy = null;
  context.redraw();
};

/** @param {State} state @param {string} name */
const noteOf = (state, name) => state.notes[name] && notice(state.notes[name].tone, state.notes[name].text);

/** @param {Console.Context} context @param {Shown} state */
function person(context, state) {
  const { user } = state;
  return h(
    'form.card-form', {
      key: 'person', onsubmit: submit(context, state, 'person', async ({ firstName, lastName }) => {
        const answer = await call('PUT', '/users/me', { body: { firstName, lastName } });
        state.user = answer.user;
        setCurrentUser(answer.user);
        return 'Saved.';
      }),
    },
    h('h2', null, 'Who you are'), noteOf(state, 'person'),
    h('p.hint', null, user.email, (user.roleAssociations || []).length > 0 ? ` · ${[...new Set((user.roleAssociations || []).map((one) => roleOf(one.roleWithinEntity)))].join(', ')}` : user.isSuperAdmin ? ' · Super admin' : ''),
    h('div.form-row', null,
      field('First name', { id: 'firstName', name: 'firstName', value: user.firstName, required: true, maxlength: 200, autocomplete: 'given-name' }),
      field('Last name', { id: 'lastName', name: 'lastName', value: user.lastName, maxlength: 200, autocomplete: 'family-name' })),
    button('Save', { type: 'submit', kind: 'primary', busy: state.busy === 'person', onclick: () => {} }));
}

/** @param {Console.Context} context @param {Shown} state */
function password(context, state) {
  return h(
    'form.card-form', {
      key: 'password', onsubmit: submit(context, state, 'password', async ({ currentPassword, newPassword, repeated }) => {
        if (newPassword !== repeated) throw Object.assign(new Error('The two passwords differ.'), { isMismatch: true });
        await call('POST', '/users/me/password', { body: { currentPassword, newPassword }, isProof: true });
        page.refresh(context, state);
        return 'The password is changed. Your other sessions have ended.';
      }),
    },
    h('h2', null, 'Password'), noteOf(state, 'password'),
    h('input.hidden', { key: 'user', type: 'text', name: 'username', autocomplete: 'username', value: state.user.email, readonly: true, tabindex: '-1', 'aria-hidden': 'true' }),
    field('Current password', { id: 'currentPassword', name: 'currentPassword', type: 'password', autocomplete: 'current-password', required: true }),
    h('div.form-row', null,
      field('New password', { id: 'newPassword', name: 'newPassword', type: 'password', autocomplete: 'new-password', required: true }, { hint: 'At least 15 characters.' }),
      field('The new password again', { id: 'repeated', name: 'repeated', type: 'password', autocomplete: 'new-password', required: true })),
    button('Change the password', { type: 'submit', kind: 'primary', busy: state.busy === 'password', onclick: () => {} }));
}

/** @param {Console.Context} context @param {Shown} state */
function recovery(context, state) {
  if (state.codes) {
    return h(
      'section.panel-card', { key: 'recovery' }, h('h2', null, 'Recovery codes'),
      notice('warn', 'These eight codes are shown only now. Write them down: each sets a new password once.'),
      h('ul.codes', null, state.codes.map((code) => h('li', { key: code }, h('code', null, code)))),
      button('I have written them down', { id: 'done', onclick: () => { Object.assign(state, { codes: null, notes: {} }); context.redraw(); } }));
  }
  return h(
    'form.card-form', {
      key: 'recovery-form', onsubmit: submit(context, state, 'recovery', async ({ currentPassword }) => {
        state.codes = (await call('POST', '/users/me/recovery-codes', { body: { currentPassword }, isProof: true })).recoveryCodes;
        return 'New recovery codes are shown.';
      }),
    },
    h('h2', null, 'Recovery codes'), noteOf(state, 'recovery'),
    h('p.hint', null, 'With a recovery code you set a new password when you have forgotten it. New codes replace the earlier ones.'),
    field('Current password', { id: 'codesPassword', name: 'currentPassword', type: 'password', autocomplete: 'current-password', required: true }),
    button('Create recovery codes', { id: 'codes', type: 'submit', busy: state.busy === 'recovery', onclick: () => {} }));
}

/** @param {Console.Context} context @param {State} state */
function sessions(context, state) {
  const end = (/** @type {Session} */ session) => async () => {
    try {
      await call('DELETE', `/users/me/sessions/${encodeURIComponent(session.id)}`);
      context.note('The session has ended.');
    } catch (error) {
      context.note(sentenceOf(error), 'bad');
    }
    page.refresh(context, state);
  };
  return h(
    'section.panel-card', { key: 'sessions' }, h('h2', null, 'Sessions'),
    h('ul.rows', null, state.sessions.map((session) => h(
      'li.row', { key: session.id },
      h('span.record-text', null, h('strong', null, session.isCurrent ? 'This session' : 'Another session'),
        h('span.record-sub', null, 'since ', time(session.createdAt), ', at most until ', time(session.expiresAt))),
      !session.isCurrent && button('End', { id: `end-${session.id}`, name: 'End this session', onclick: end(session) })))));
}

/**
 * The places that the person's clients open first.
 *
 * @param {Console.Context} context @param {Shown} state
 */
function defaults(context, state) {
  const { user, scopes } = state;
  const shown = Object.entries(entityTypes).filter(([type]) => scopes.byType[type].size > 1 || user[fieldOf(type)]);
  if (shown.length === 0) return null;
  return h(
    'form.card-form', {
      key: 'defaults', onsubmit: submit(context, state, 'defaults', async (values) => {
        const body = Object.fromEntries(shown.map(([type]) => [fieldOf(type), values[fieldOf(type)] || null]));
        const answer = await call('PUT', '/users/me', { body });
        state.user = answer.user;
        setCurrentUser(answer.user);
        return 'Saved.';
      }),
    },
    h('h2', null, 'Opened first'), noteOf(state, 'defaults'),
    h('p.hint', null, 'The page Doors begins with this property. Apps can begin with the other choices.'),
    h('div.form-row', null, shown.map(([type, { word }]) => select(word, { id: fieldOf(type), name: fieldOf(type), value: user[fieldOf(type)] || '', onchange: () => {} },
      [['', 'None'], .../** @type {[string, string][]} */ ([...scopes.byType[type].keys()].map((id) => [id, scopes.nameOf(type, id)]))]))),
    button('Save the choices', { id: 'save-defaults', type: 'submit', kind: 'primary', busy: state.busy === 'defaults', onclick: () => {} }));
}

/** @param {string} type */
const fieldOf = (type) => /** @type {const} */ (`default${entityTypes[type].word}Id`);

/**
 * The roles that a key can have on each type of entity.
 *
 * @type {Record<string, string[]>}
 */
const keyRoles = { PORTFOLIO: ['PORTFOLIO_ADMIN', 'AUDITOR', 'OWNER'], PROPERTY: ['MAINTENANCE', 'AUDITOR', 'PROPERTY_MANAGER'], UNIT: ['TENANT'] };

/**
 * The entities on which the person may have keys.
 *
 * @param {Console.Context} context @param {State} state @param {string} type
 */
const keyPlaces = (context, state, type) => [...state.scopes.byType[type].values()].filter((one) => context.ability.can('apiKeys.manage', entityTypes[type].subject, one));

/** @param {Console.Context} context @param {State} state */
function apiKeys(context, state) {
  if (!state.keys) return null;
  const types = Object.keys(entityTypes).filter((type) => keyPlaces(context, state, type).length > 0);
  return h(
    'section.panel-card', { key: 'keys' },
    h('div.page-head', null, h('h2', null, 'API keys'), types.length > 0 && button('Create an API key', {
      id: 'new-key', icon: 'key', onclick: () => {
        const type = types[types.length > 1 ? 1 : 0];
        state.newKey = { types, type, entityId: keyPlaces(context, state, type)[0].id, role: keyRoles[type][0], days: '90', error: null, isBusy: false, secret: null };
        context.redraw();
      },
    })),
    state.keys.length === 0 ? h('p.hint', null, 'A key lets a program act with a part of your rights. You have none.')
      : h('ul.rows', null, state.keys.map((key) => h(
        'li.row', { key: key.id },
        h('span.record-text', null, h('strong', null, key.name), h('span.record-sub', null, `${roleOf(key.role)}, ${state.scopes.nameOf(key.entityType, key.entityId)}, until `, time(key.expiresAt))),
        button('Remove', {
          id: `remove-${key.id}`, kind: 'danger', name: `Remove ${key.name}`,
          onclick: () => askRemoval(context, state, {
            title: 'Remove the API key', path: `/api-keys/${encodeURIComponent(key.id)}`, verb: 'Remove', text: `Programs that use ${key.name} stop working at once.`,
            done: () => { context.note(`The API key ${key.name} is removed.`); page.refresh(context, state); },
          }),
        })))));
}

/** @param {Console.Context} context @param {State} state */
function newKeyDialog(context, state) {
  const newKey = /** @type {NewKey} */ (state.newKey);
  const close = () => { state.newKey = null; context.redraw(); };
  if (newKey.secret) {
    return dialog({ title: 'The API key', onclose: close },
      h('p', null, 'Copy the key into the program that uses it. It is shown only now.'), copyable(context, newKey.secret),
      h('div.buttons.dialog-buttons', null, button('Done', { id: 'done', kind: 'primary', onclick: close })));
  }
  const create = async (/** @type {Console.Submit} */ event) => {
    event.preventDefault();
    if (newKey.isBusy) return;
    Object.assign(newKey, { isBusy: true, error: null });
    const name = String(new FormData(event.target).get('name'));
    context.redraw();
    try {
      const expiresAt = new Date(Date.now() + Number(newKey.days) * 86400000).toISOString();
      const { secret } = await call('POST', '/api-keys', { body: { name, entityType: newKey.type, entityId: newKey.entityId, role: newKey.role, expiresAt } });
      newKey.secret = { label: 'The API key', value: secret };
      context.announce('The key is shown');
      page.refresh(context, state);
    } catch (error) {
      newKey.error = sentenceOf(error, { name: 'The name', role: 'The role', expiresAt: 'The end' });
      context.announce(newKey.error);
    }
    newKey.isBusy = false;
    context.redraw();
  };
  const change = (/** @type {Partial<NewKey>} */ values) => { Object.assign(newKey, values); context.redraw(); };
  return dialog({ title: 'Create an API key', onclose: close }, h(
    'form', { onsubmit: create },
    newKey.error && notice('bad', newKey.error),
    field('Name', { id: 'key-name', name: 'name', required: true, maxlength: 200, autocomplete: 'off' }, { hint: 'Such as the program that uses it.' }),
    h('div.form-row', null,
      select('For a', { id: 'key-type', value: newKey.type, onchange: (type) => change({ type, entityId: keyPlaces(context, state, type)[0].id, role: keyRoles[type][0] }) },
        newKey.types.map((type) => [type, entityTypes[type].word])),
      select('Which', { id: 'key-entity', value: newKey.entityId, onchange: (entityId) => change({ entityId }) },
        keyPlaces(context, state, newKey.type).map((one) => [one.id, state.scopes.nameOf(newKey.type, one.id)]))),
    h('div.form-row', null,
      select('Role', { id: 'key-role', value: newKey.role, onchange: (role) => change({ role }) }, keyRoles[newKey.type].map((role) => [role, roleOf(role)])),
      select('Valid for', { id: 'key-days', value: newKey.days, onchange: (days) => change({ days }) }, [['30', '30 days'], ['90', '90 days'], ['365', 'One year']])),
    h('p.hint', null, 'The key never has more rights than you have, and ends with them.'),
    h('div.buttons.dialog-buttons', null, button(newKey.isBusy ? 'Creating' : 'Create', { id: 'confirm', type: 'submit', kind: 'primary', busy: newKey.isBusy, onclick: () => {} }), button('Cancel', { id: 'cancel', onclick: close }))));
}

/** @param {Console.Context} context */
function keyboard(context) {
  const isOn = localStorage.getItem('doorward-keys') !== 'off';
  return h(
    'section.panel-card', { key: 'keyboard' }, h('h2', null, 'Keyboard'),
    h('label.check', { for: 'keys' }, h('input', {
      id: 'keys', type: 'checkbox', checked: isOn,
      onchange: (event) => { localStorage.setItem('doorward-keys', event.target.checked ? 'on' : 'off'); context.redraw(); },
    }), 'Single-letter keys'),
    h('dl.details', null, [
      ['/', 'search'], ['g d, g g, g l, g c, g p, g a', 'doors, guests, log, check, people, account'], ['j, k', 'next and previous door'], ['u', 'to the button Unlock'],
      ['l', 'lock'], ['w', 'why a button is not available'], ['r', 'read again'],
    ].map(([key, meaning]) => h('div', { key }, h('dt', null, h('kbd', null, key)), h('dd', null, meaning)))));
}
