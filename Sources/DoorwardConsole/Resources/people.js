// People: the users whose roles the person may see, invitations, and the dialog that invites.
// @ts-check
import { call } from './api.js';
import { button, completeAddress, copyable, dialog, field, icon, keepsAfter, notice, pager, select, time, whenLoaded } from './parts.js';
import { askRemoval, removalDialog } from './removal.js';
import { Scopes, entityPath, entityTypes, rolesToGive } from './scopes.js';
import { h } from './view.js';
import { nameOf, roleOf, sentenceOf } from './words.js';

/**
 * @typedef {Console.State & Inviting & import('./removal.js').State & {
 *   users: API.User[], pagination: API.Pagination | null, number: number, q: string, typing?: number, reads: number, problem?: Console.Caught | null, invitations: Pending[],
 *   newUser: NewUser | null}} State
 * @typedef {{scopes: Scopes, form: Form | null}} Inviting a page on which someone can be invited
 * @typedef {Console.Work & {type: string, entityId: string, role: string, email: string, issued: Issued | null, invited: () => void}} Form
 * @typedef {Console.Work & {issued: Issued | null}} NewUser
 * @typedef {Console.Secret & {email: string, offer: string, expiresAt: string}} Issued the link of an invitation
 * @typedef {API.Invitation & {place?: Console.Place | null}} Pending
 */

const names = { email: 'The email address', role: 'The role', firstName: 'The first name', lastName: 'The last name' };
/** The time for which an invitation can be accepted. */
const lifetime = 7 * 86400000;
const maxInvitations = 50;

/** @type {Console.Page<State>} */
const page = {
  start(context, _, query) {
    /** @type {State} */
    const state = {
      status: 'loading', error: null, users: [], pagination: null, number: 1, q: query?.get('q') || '', readAt: '', isEnded: false, reads: 0,
      scopes: new Scopes([[], [], []]), invitations: [], form: null, newUser: null, removal: null,
    };
    context.need([{ type: 'accessRecord', query: 'kind=ADMIN_CHANGE' }]);
    page.refresh(context, state);
    return state;
  },
  end(state) { Object.assign(state, { isEnded: true, form: null, newUser: null }); clearTimeout(state.typing); },

  async refresh(context, state) {
    const number = ++state.reads;
    try {
      const [{ users, pagination }, scopes] = await Promise.all([
        call('GET', '/users', { query: { page: state.number, limit: 30, sortBy: 'name', q: state.q.trim() } }), Scopes.read(),
      ]);
      if (state.isEnded || number !== state.reads) return;
      Object.assign(state, { status: 'loaded', error: null, problem: null, users, pagination, scopes, readAt: new Date().toISOString() });
      context.redraw();
      const invitations = await readInvitations(context);
      if (!state.isEnded && number === state.reads) state.invitations = invitations;
    } catch (error) {
      if (state.isEnded || number !== state.reads) return;
      if (keepsAfter(context, state, error)) state.problem = error;
    }
    context.redraw();
  },

  live(context, state, event, data) {
    if (event === 'poll') page.refresh(context, state);
    else if (event === 'change' && data.type === 'accessRecord') page.refresh(context, state);
  },
  permissionsChanged(context, state) { page.refresh(context, state); },

  view(context, state) {
    const mayInvite = choices(context, state.scopes).length > 0;
    return h(
      'div', { key: 'people' },
      h('div.page-head', null, h('h1', { tabindex: '-1' }, 'People'), state.status === 'loaded' && h('div.buttons', null,
        context.ability.can('users.create', 'Gateway') && button('Create a user', { id: 'new-user', onclick: () => { state.newUser = { error: null, isBusy: false, issued: null }; context.redraw(); } }),
        mayInvite && button('Invite', { id: 'invite', kind: 'primary', icon: 'guests', onclick: () => openInvitation(context, state, () => page.refresh(context, state)) }))),
      whenLoaded(state, () => { state.status = 'loading'; context.redraw(); page.refresh(context, state); }, () => [
        state.problem && notice('bad', 'The people could not be refreshed; shown as of ', time(state.readAt), '.'),
        h('div.filters', { key: 'filters' }, h('div.search', null, icon('search'), h('input', {
          id: 'people-search', type: 'search', 'aria-label': 'Search people', placeholder: 'Search by name', value: state.q, autocomplete: 'off',
          oninput: (event) => { Object.assign(state, { q: event.target.value, number: 1 }); clearTimeout(state.typing); state.typing = setTimeout(() => page.refresh(context, state), 250); },
        }))),
        state.users.length === 0 ? h('div.empty', { key: 'empty' }, icon('people'), h('h2', null, state.q ? 'No one matches' : 'No people yet'),
          h('p', null, state.q ? 'The search looks for first and last names.' : mayInvite ? 'Invite someone: they choose their own password, and their role begins when they accept.' : 'People with a role appear here.'))
          : h('ul.rows', { key: 'rows' }, state.users.map((user) => row(state, user))),
        state.pagination && pager(state.pagination, (number) => { state.number = number; page.refresh(context, state); }),
        pending(context, state),
      ]),
      state.form && invitationDialog(context, state), state.newUser && newUserDialog(context, state), removalDialog(context, state));
  },
};
export default page;

/**
 * The roles of a user in words, those on one entity together.
 *
 * @param {Scopes} scopes @param {API.User} user
 */
export function rolesText(scopes, user) {
  return (user.roleAssociations || []).map((one) => `${roleOf(one.roleWithinEntity)}, ${scopes.nameOf(one.associatedEntityType, one.associatedEntityId)}`);
}

/** @param {API.User} user */
export const userMarks = (user) => [
  user.isSuperAdmin && h('span.pill.busy', { key: 'super' }, 'Super admin'), user.isEnabled === false && h('span.pill.bad', { key: 'off' }, 'Disabled'),
];

/** @param {State} state @param {API.User} user */
function row(state, user) {
  const roles = rolesText(state.scopes, user);
  return h(
    'li.row', { key: user.id },
    h('span.initials', { 'aria-hidden': 'true' }, (user.firstName || '?').slice(0, 1) + (user.lastName || '').slice(0, 1)),
    h('span.record-text', null,
      h('span.record-title', null, h('a', { href: `#/people/${encodeURIComponent(user.id)}` }, nameOf(user)), ' ', userMarks(user)),
      h('span.record-sub', null, user.email),
      h('span.record-sub', null, roles.slice(0, 3).join(' · '), roles.length > 3 ? ` · ${roles.length - 3} more` : '')));
}

// Invitations.

/**
 * The pending invitations that the person may withdraw. Their ids and places are in the records of the last seven days, for
 * as long as an invitation can be accepted, and in the memory of this page for those who may not read the log. The API's list of pending
 * invitations does not name the places.
 *
 * @param {Console.Context} context
 */
async function readInvitations(context) {
  const from = new Date(Date.now() - lifetime).toISOString();
  /** @type {API.AccessRecord[]} */
  let records = [];
  try {
    records = (await call('GET', '/access-records', { query: { kind: 'ADMIN_CHANGE', from, limit: 500 }, isQuiet: true })).accessRecords;
  } catch {
    // Those who may not read the log see the invitations that they have made on this page.
  }
  const invitations = records.filter((one) => one.targetType === 'Invitation' && one.targetId);
  const ended = new Set(invitations.filter(({ action }) => action === 'DELETE').map(({ targetId }) => targetId));
  const known = new Map([...made(context), ...invitations.filter((one) => one.action === 'CREATE').map((one) => /** @type {const} */ ([one.targetId || '', placeOf(one)]))]);
  const ids = [...known.keys()].filter((id) => !ended.has(id)).slice(0, maxInvitations);
  const found = await Promise.all(ids.map(async (id) => {
    try {
      const { invitation } = await call('GET', `/invitations/${encodeURIComponent(id)}`, { isQuiet: true });
      return { ...invitation, place: known.get(id) };
    } catch {
      return null;
    }
  }));
  return found.flatMap((one) => one || []);
}

/**
 * The invitations made on this page, until the sign-out.
 *
 * @param {Console.Context} context @returns {Map<string, Console.Place | null>}
 */
function made(context) {
  if (!context.memory.has('invitations')) context.memory.set('invitations', new Map());
  return /** @type {Map<string, Console.Place | null>} */ (context.memory.get('invitations'));
}

/** @param {API.AccessRecord} record */
const placeOf = ({ portfolioId, propertyId, unitId }) =>
  unitId ? { type: 'UNIT', id: unitId } : propertyId ? { type: 'PROPERTY', id: propertyId } : portfolioId ? { type: 'PORTFOLIO', id: portfolioId } : null;

/** @param {Console.Context} context @param {State} state */
function pending(context, state) {
  if (state.invitations.length === 0) return null;
  return h('section.section', { key: 'invitations' }, h('h2.section-title', null, 'Pending invitations'),
    h('ul.rows', null, state.invitations.map((one) => h(
      'li.row', { key: one.id },
      h('span.dot-icon', null, icon('guests')),
      h('span.record-text', null, h('strong', null, one.email),
        h('span.record-sub', null, [one.role ? roleOf(one.role) : 'First password', one.place && state.scopes.nameOf(one.place.type, one.place.id)].filter(Boolean).join(', '), ' · until ', time(one.expiresAt))),
      button('Withdraw', {
        id: `withdraw-${one.id}`, kind: 'danger', name: `Withdraw the invitation of ${one.email}`,
        onclick: () => askRemoval(context, state, {
          title: 'Withdraw the invitation', path: `/invitations/${encodeURIComponent(one.id)}`, verb: 'Withdraw', text: `The link that ${one.email} has received stops working.`,
          done: () => { context.note('The invitation is withdrawn.'); page.refresh(context, state); },
        }),
      })))));
}

/**
 * The types of entities on which the person may give a role.
 *
 * @param {Console.Context} context @param {Scopes} scopes
 */
const choices = (context, scopes) => Object.keys(entityTypes).filter((type) => scopes.open(context.ability, type).length > 0);

/**
 * Opens the dialog, perhaps for one entity.
 *
 * @param {Console.Context} context @param {Inviting} state @param {() => void} invited is called when someone has been invited @param {Console.Place} [place]
 */
export function openInvitation(context, state, invited, place) {
  const types = choices(context, state.scopes);
  const type = place?.type || types[types.length - 1];
  state.form = { type, entityId: place?.id || state.scopes.open(context.ability, type)[0]?.id || '', role: '', email: '', isBusy: false, error: null, issued: null, invited };
  keepRole(context, state);
  context.redraw();
}

/**
 * Keeps the selected role among those that the person may give on the selected entity.
 *
 * @param {Console.Context} context @param {Inviting} state
 */
function keepRole(context, state) {
  const form = /** @type {Form} */ (state.form);
  const roles = rolesToGive(context.ability, form.type, state.scopes.find(form.type, form.entityId));
  if (!roles.includes(form.role)) form.role = roles[roles.length - 1] || '';
}

/** @param {Console.Context} context @param {Inviting} state */
export function invitationDialog(context, state) {
  const { scopes } = state;
  const form = /** @type {Form} */ (state.form);
  const close = () => { state.form = null; context.redraw(); };
  if (form.issued) return issuedDialog(context, form.issued, close);
  const change = (/** @type {Partial<Form>} */ values) => { Object.assign(form, values); keepRole(context, state); context.redraw(); };
  const roles = rolesToGive(context.ability, form.type, scopes.find(form.type, form.entityId));
  return dialog({ title: 'Invite', onclose: close }, h(
    'form', { novalidate: true, onsubmit: (event) => { event.preventDefault(); invite(context, state); } },
    form.error && notice('bad', form.error.text || sentenceOf(form.error, names)),
    field('Email address', { id: 'invite-email', type: 'email', value: form.email, oninput: (event) => { form.email = event.target.value; }, autocomplete: 'off', maxlength: 254 }),
    h('div.form-row', null,
      select('For a', { id: 'invite-type', value: form.type, onchange: (type) => change({ type, entityId: scopes.open(context.ability, type)[0]?.id || '' }) },
        choices(context, scopes).map((type) => [type, entityTypes[type].word])),
      select('Which', { id: 'invite-entity', value: form.entityId, onchange: (entityId) => change({ entityId }) },
        scopes.open(context.ability, form.type).map((one) => [one.id, scopes.nameOf(form.type, one.id)]))),
    select('Role', { id: 'invite-role', value: form.role, onchange: (role) => change({ role }) }, roles.map((role) => [role, roleOf(role)])),
    h('p.hint', null, 'You get a link to send. The role begins when the person has accepted.'),
    h('div.buttons.dialog-buttons', null,
      button(form.isBusy ? 'Inviting' : 'Invite', { id: 'confirm', type: 'submit', kind: 'primary', busy: form.isBusy, onclick: () => {} }), button('Cancel', { id: 'cancel', onclick: close }))));
}

/** @param {Console.Context} context @param {Inviting} state */
async function invite(context, state) {
  const form = /** @type {Form} */ (state.form);
  if (form.isBusy) return;
  Object.assign(form, { isBusy: true, error: form.email.trim() ? null : { text: 'The email address is missing.' } });
  try {
    if (!form.error) {
      const path = `${entityPath(form.type, form.entityId)}/${entityTypes[form.type].holders}`;
      const { invitation } = await call('POST', path, { body: { email: form.email.trim(), role: form.role } });
      form.issued = issued(invitation, `${roleOf(form.role)}, ${state.scopes.nameOf(form.type, form.entityId)}`);
      made(context).set(invitation.id, { type: form.type, id: form.entityId });
      form.invited();
    }
  } catch (error) {
    form.error = error;
  }
  context.announce(form.error ? form.error.text || sentenceOf(form.error, names) : 'The link is shown');
  form.isBusy = false;
  context.redraw();
}

/** @param {API.Invitation} invitation @param {string} offer */
const issued = (invitation, offer) => ({ email: invitation.email, offer, expiresAt: invitation.expiresAt, label: 'Link of the invitation', value: completeAddress(invitation.url || '') });

/** @param {Console.Context} context @param {Issued} link @param {() => void} close */
const issuedDialog = (context, link, close) => dialog({ title: 'The invitation', onclose: close },
  h('p', null, 'Send this link to ', h('strong', null, link.email), `. It is shown only now. It works once, until `, time(link.expiresAt), '.'),
  h('p.hint', null, link.offer), copyable(context, link),
  h('div.buttons.dialog-buttons', null, button('Done', { id: 'done', kind: 'primary', onclick: close })));

// A new user, for super admins.

/** @param {Console.Context} context @param {State} state */
function newUserDialog(context, state) {
  const newUser = /** @type {NewUser} */ (state.newUser);
  const close = () => { state.newUser = null; context.redraw(); };
  if (newUser.issued) return issuedDialog(context, newUser.issued, close);
  const create = async (/** @type {Console.Submit} */ event) => {
    event.preventDefault();
    if (newUser.isBusy) return;
    const values = Object.fromEntries(new FormData(event.target));
    Object.assign(newUser, { isBusy: true, error: null });
    context.redraw();
    try {
      const { invitation } = await call('POST', '/users', { body: values });
      newUser.issued = issued(invitation, 'An account without a role yet');
      made(context).set(invitation.id, null);
      page.refresh(context, state);
    } catch (error) {
      newUser.error = error;
      context.announce(sentenceOf(error, names));
    }
    newUser.isBusy = false;
    context.redraw();
  };
  return dialog({ title: 'Create a user', onclose: close }, h(
    'form', { onsubmit: create },
    newUser.error && notice('bad', sentenceOf(newUser.error, names)),
    field('Email address', { id: 'user-email', name: 'email', type: 'email', required: true, autocomplete: 'off', maxlength: 254 }),
    h('div.form-row', null,
      field('First name', { id: 'user-first', name: 'firstName', required: true, autocomplete: 'off', maxlength: 200 }),
      field('Last name', { id: 'user-last', name: 'lastName', autocomplete: 'off', maxlength: 200 })),
    h('p.hint', null, 'You get a link with which this person chooses a password.'),
    h('div.buttons.dialog-buttons', null, button(newUser.isBusy ? 'Creating' : 'Create', { id: 'confirm', type: 'submit', kind: 'primary', busy: newUser.isBusy, onclick: () => {} }), button('Cancel', { id: 'cancel', onclick: close }))));
}
