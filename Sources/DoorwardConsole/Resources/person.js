// One person: roles with their removal, guest accesses and, for super admins, the account.
// @ts-check
import { call } from './api.js';
import { standing } from './guest-times.js';
import { userMarks } from './people.js';
import { button, completeAddress, copyable, icon, keepsAfter, notice, ofObject, time } from './parts.js';
import { askRemoval, removalDialog } from './removal.js';
import { Scopes, canRemove, entityAddress, entityPath, entityTypes } from './scopes.js';
import { h } from './view.js';
import { nameOf, roleOf, sentenceOf } from './words.js';

/**
 * @typedef {Console.State & import('./removal.js').State & {
 *   id: string, user: API.User | null, scopes: Scopes, reset: Reset | null, problem: string | null, isBusy: boolean}} State
 * @typedef {State & {user: API.User}} Shown
 * @typedef {Console.Secret & {expiresAt: string}} Reset the link that sets a new password
 */

/** @type {Console.Page<State>} */
const page = {
  start(context, [id]) {
    /** @type {State} */
    const state = { id, status: 'loading', error: null, user: null, scopes: new Scopes([[], [], []]), reset: null, removal: null, problem: null, isBusy: false, isEnded: false, readAt: '' };
    context.need([{ type: 'accessRecord', query: 'kind=ADMIN_CHANGE' }]);
    page.refresh(context, state);
    return state;
  },
  end(state) { Object.assign(state, { isEnded: true, reset: null }); },
  title: (state) => (state?.user ? nameOf(state.user) : 'Person'),

  async refresh(context, state) {
    try {
      const [{ user }, scopes] = await Promise.all([call('GET', `/users/${encodeURIComponent(state.id)}`), Scopes.read()]);
      if (state.isEnded) return;
      Object.assign(state, { status: 'loaded', error: null, user, scopes, readAt: new Date().toISOString() });
    } catch (error) {
      if (state.isEnded) return;
      if (keepsAfter(context, state, error)) state.problem = sentenceOf(error);
    }
    context.redraw();
  },

  live(context, state, event, data) {
    if (event === 'poll' || (event === 'change' && data.type === 'accessRecord')) page.refresh(context, state);
  },
  permissionsChanged(context, state) { page.refresh(context, state); },

  view(context, state) {
    return h(
      'div', { key: 'person' },
      h('a.back', { href: '#/people' }, icon('back'), 'People'),
      ofObject(page, context, state, 'Person', state.user, () => content(context, /** @type {Shown} */ (state))),
      removalDialog(context, state));
  },
};
export default page;

/** @param {Console.Context} context @param {Shown} state */
function content(context, state) {
  const { user } = state;
  return [
    h('div.page-head', null, h('h1', { tabindex: '-1' }, nameOf(user)),
      user.id !== context.user.id && context.ability.can('GRANT_ACCESS', 'LockDevice')
        && h('a.button', { href: `#/check?person=${encodeURIComponent(user.id)}` },
          icon('check'), h('span', null, 'Check access'))),
    h('p.subtitle', null, user.email, ' ', userMarks(user)),
    state.problem && notice('bad', state.problem),
    roles(context, state), guestAccesses(state), account(context, state),
  ];
}

/**
 * The roles, grouped by entity, because a removal removes all of a person's roles on an entity.
 *
 * @param {API.User} user
 */
export function rolesByEntity(user) {
  /** @type {Map<string, {type: string, id: string, roles: string[]}>} */
  const groups = new Map();
  for (const one of user.roleAssociations || []) {
    const key = `${one.associatedEntityType} ${one.associatedEntityId}`;
    const group = groups.get(key) || { type: one.associatedEntityType, id: one.associatedEntityId, roles: /** @type {string[]} */ ([]) };
    group.roles.push(one.roleWithinEntity);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** @param {Console.Context} context @param {Shown} state */
function roles(context, state) {
  const { user, scopes } = state;
  const groups = rolesByEntity(user);
  return h(
    'section.panel-card', { key: 'roles' }, h('h2', null, 'Roles'),
    groups.length === 0 ? h('p.hint', null, 'No role that you can see.')
      : h('ul.rows', null, groups.map(({ type, id, roles: held }) => {
        const entity = scopes.find(type, id);
        const text = held.map(roleOf).join(' and ');
        const place = scopes.nameOf(type, id);
        return h(
          'li.row', { key: type + id },
          h('span.record-text', null, h('strong', null, text), h('span.record-sub', null, entityTypes[type]?.word || type, ' ', entity ? h('a', { href: entityAddress(type, id) }, place) : place)),
          entity && canRemove(context.ability, type, entity, held) && button('Remove', {
            id: `remove-${id}`, kind: 'danger', name: `Remove ${text}, ${place}`,
            onclick: () => askRemoval(context, state, {
              title: `Remove ${held.length === 1 ? 'a role' : 'the roles'} of ${nameOf(user)}`, path: `${entityPath(type, id)}/${entityTypes[type].holders}/${encodeURIComponent(user.id)}`, verb: 'Remove',
              text: `${text}, ${place}. Queued commands that need it are denied.`,
              done: () => { context.note(`${nameOf(user)}: ${text}, ${place} is removed.`); page.refresh(context, state); },
            }),
          }));
      })));
}

/** @param {Shown} state */
function guestAccesses({ user }) {
  const accesses = (user.guestAccesses || []).filter((one) => !standing(one).isOver);
  return accesses.length > 0 && h(
    'section.panel-card', { key: 'guest' }, h('h2', null, 'Guest accesses'),
    h('ul.rows', null, accesses.map((one) => h('li.row', { key: one.id },
      h('span.record-text', null, h('strong', null, one.label || 'Guest access'), h('span.record-sub', null, time(one.validFrom), ' – ', time(one.validUntil))),
      h('span.pill', { class: standing(one).tone }, standing(one).word)))));
}

/**
 * What super admins may do with the account.
 *
 * @param {Console.Context} context @param {Shown} state
 */
function account(context, state) {
  const { user } = state;
  const isOwn = user.id === context.user.id;
  const mayDisable = context.ability.can('users.disable', 'Gateway') && !isOwn;
  const mayDelete = context.ability.can('users.delete', 'Gateway') && !isOwn;
  if (!mayDisable && !mayDelete) return null;
  const act = async (/** @type {() => Promise<void>} */ work) => {
    if (state.isBusy) return;
    Object.assign(state, { isBusy: true, problem: null });
    context.redraw();
    try {
      await work();
    } catch (error) {
      state.problem = sentenceOf(error);
      context.announce(state.problem);
    }
    state.isBusy = false;
    context.redraw();
  };
  const path = `/users/${encodeURIComponent(user.id)}`;
  const switchTo = (/** @type {boolean} */ isEnabled) => act(async () => {
    state.user = (await call('PUT', path, { body: { isEnabled } })).user;
    context.note(isEnabled ? `${nameOf(user)} can sign in again.` : `${nameOf(user)} is disabled: the sessions have ended, and every right is suspended.`);
  });
  const offer = () => act(async () => {
    const { reset } = await call('POST', path + '/password-reset', {});
    state.reset = { label: 'Link that sets a new password', value: completeAddress(reset.url), expiresAt: reset.expiresAt };
    context.announce('The link is shown');
  });
  return h(
    'section.panel-card', { key: 'account' }, h('h2', null, 'Account'),
    state.reset && h('div.link-view', { key: 'reset' }, h('p', null, `Send this link to ${nameOf(user)}. It is shown only now. It works once, until `, time(state.reset.expiresAt), '.'), copyable(context, state.reset)),
    h('div.buttons', null,
      mayDisable && button('Create a password link', { id: 'password-link', icon: 'key', busy: state.isBusy, onclick: offer }),
      mayDisable && button(user.isEnabled ? 'Disable' : 'Enable', { id: 'switch', kind: user.isEnabled ? 'danger' : '', busy: state.isBusy, onclick: () => switchTo(!user.isEnabled) }),
      mayDelete && button('Delete', {
        id: 'delete', kind: 'danger', onclick: () => askRemoval(context, state, {
          title: `Delete ${nameOf(user)}`, path, verb: 'Delete', typed: nameOf(user), text: 'The account is deleted with everything that depends on it. Records in the log stay.',
          done: () => context.goWith('#/people', `${nameOf(user)} is deleted.`),
        }),
      })));
}

