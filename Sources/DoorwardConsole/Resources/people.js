// People: the users whose roles the person may see, and what is done for all of them.
// @ts-check
import { call } from './api.js';
import {
  choices, invitationDialog, issued, issuedDialog, made, names, openInvitation, pending, readInvitations,
} from './invite.js';
import { button, dialog, field, icon, keepsAfter, notice, pager, time, whenLoaded } from './parts.js';
import { removalDialog } from './removal.js';
import { Scopes } from './scopes.js';
import { h } from './view.js';
import { counted, nameOf, roleOf, sentenceOf } from './words.js';

/**
 * @typedef {Console.State & import('./invite.js').Inviting & import('./removal.js').State & {
 *   users: API.User[], pagination: API.Pagination | null, number: number, q: string, typing?: number, reads: number,
 *   problem?: Console.Caught | null, invitations: import('./invite.js').Pending[], newUser: NewUser | null,
 *   importing: Import | null, exporting: import('./people-export.js').Exporting | null, tools: Tools}} State
 * @typedef {import('./people-import.js').Import} Import
 * @typedef {{import?: typeof import('./people-import.js'), export?: typeof import('./people-export.js')}} Tools the
 *   modules that are loaded when they are needed
 * @typedef {Console.Work & {issued: import('./invite.js').Issued | null}} NewUser
 */

/** @type {Console.Page<State>} */
const page = {
  start(context, _, query) {
    /** @type {State} */
    const state = {
      status: 'loading', error: null, users: [], pagination: null, number: 1, q: query?.get('q') || '', readAt: '',
      isEnded: false, reads: 0, scopes: new Scopes([[], [], []]), invitations: [], form: null, newUser: null,
      removal: null, importing: null, exporting: null, tools: {},
    };
    context.need([{ type: 'accessRecord', query: 'kind=ADMIN_CHANGE' }]);
    page.refresh(context, state);
    return state;
  },
  end(state) {
    Object.assign(state, { isEnded: true, form: null, newUser: null, exporting: null });
    state.tools.import?.leaveImport(state.importing);
    clearTimeout(state.typing);
  },

  async refresh(context, state) {
    const number = ++state.reads;
    try {
      const [{ users, pagination }, scopes] = await Promise.all([
        call('GET', '/users', { query: { page: state.number, limit: 30, sortBy: 'name', q: state.q.trim() } }),
        Scopes.read(),
      ]);
      if (state.isEnded || number !== state.reads) return;
      const readAt = new Date().toISOString();
      Object.assign(state, { status: 'loaded', error: null, problem: null, users, pagination, scopes, readAt });
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
    // Each invitation of an import is a record; the page reads again when the import is closed.
    if (state.importing) return;
    if (event === 'poll') page.refresh(context, state);
    else if (event === 'change' && data.type === 'accessRecord') page.refresh(context, state);
  },
  permissionsChanged(context, state) { page.refresh(context, state); },

  view(context, state) {
    const { tools } = state;
    if (state.importing && tools.import) {
      return h('div', { key: 'people-import' }, tools.import.importView(context, state));
    }
    return h(
      'div', { key: 'people' },
      h('div.page-head', null, h('h1', { tabindex: '-1' }, 'People'),
        state.status === 'loaded' && actions(context, state)),
      whenLoaded(state, () => { state.status = 'loading'; context.redraw(); page.refresh(context, state); }, () => [
        state.problem && notice('bad', 'The people could not be refreshed; shown as of ', time(state.readAt), '.'),
        keptImport(context, state),
        search(context, state), list(context, state),
        state.pagination && pager(state.pagination, (number) => {
          state.number = number;
          page.refresh(context, state);
        }),
        pending(context, state, () => page.refresh(context, state)),
      ]),
      state.form && invitationDialog(context, state), state.newUser && newUserDialog(context, state),
      state.exporting && tools.export?.exportDialog(context, state), removalDialog(context, state));
  },
};
export default page;

/** @param {Console.Context} context @param {State} state */
const mayInvite = (context, state) => choices(context, state.scopes).length > 0;

/** @param {Console.Context} context @param {State} state */
const actions = (context, state) => h('div.buttons', null,
  state.users.length > 0 && button('Save as CSV', {
    id: 'export-people', onclick: () => load(context, state, 'export'),
  }),
  mayInvite(context, state) && button('Invite by a file', {
    id: 'import', onclick: () => load(context, state, 'import'),
  }),
  context.ability.can('users.create', 'Gateway') && button('Create a user', {
    id: 'new-user', onclick: () => { state.newUser = { error: null, isBusy: false, issued: null }; context.redraw(); },
  }),
  mayInvite(context, state) && button('Invite', {
    id: 'invite', kind: 'primary', icon: 'guests',
    onclick: () => openInvitation(context, state, () => page.refresh(context, state)),
  }));

/**
 * Opens the import or the export, whose module is loaded when it is needed first.
 *
 * @param {Console.Context} context @param {State} state @param {'import' | 'export'} tool
 */
async function load(context, state, tool) {
  try {
    if (tool === 'import') {
      const module = (state.tools.import = await import('./people-import.js'));
      if (!state.isEnded) module.openImport(context, state, () => page.refresh(context, state));
    } else {
      const module = (state.tools.export = await import('./people-export.js'));
      if (!state.isEnded) module.openExport(context, state);
    }
  } catch {
    context.note('This part of the page could not be loaded. Load the page again.', 'bad');
  }
}

/**
 * An import that a page has left is offered again until the sign-out.
 *
 * @param {Console.Context} context @param {State} state
 */
function keptImport(context, state) {
  const kept = /** @type {Import | undefined} */ (context.memory.get('import'));
  if (!kept || !mayInvite(context, state)) return null;
  const drop = () => { context.memory.delete('import'); context.redraw(); };
  return h('div', { key: 'kept' }, notice('info',
    h('p', null, `The file with ${counted(kept.lines.length, 'line')} is kept, with what has become of them. `,
      'Nothing is being sent.'),
    h('div.buttons', null,
      button('Continue', { id: 'continue-import', onclick: () => load(context, state, 'import') }),
      kept.isSaved && button('Discard', { id: 'discard-import', onclick: drop }))));
}

/** @param {Console.Context} context @param {State} state */
const search = (context, state) => h('div.filters', { key: 'filters' }, h('div.search', null, icon('search'), h(
  'input', {
  id: 'people-search', type: 'search', 'aria-label': 'Search people', placeholder: 'Search by name', value: state.q,
  autocomplete: 'off',
  oninput: (event) => {
    Object.assign(state, { q: event.target.value, number: 1 });
    clearTimeout(state.typing);
    state.typing = setTimeout(() => page.refresh(context, state), 250);
  },
})));

/** @param {Console.Context} context @param {State} state */
function list(context, state) {
  if (state.users.length > 0) return h('ul.rows', { key: 'rows' }, state.users.map((user) => row(state, user)));
  const text = state.q ? 'The search looks for first and last names.' : mayInvite(context, state)
    ? 'Invite someone: they choose their own password, and their role begins when they accept.'
    : 'People with a role appear here.';
  return h('div.empty', { key: 'empty' }, icon('people'), h('h2', null, state.q ? 'No one matches' : 'No people yet'),
    h('p', null, text));
}

/**
 * The roles of a user in words, those on one entity together.
 *
 * @param {Scopes} scopes @param {API.User} user
 */
export function rolesText(scopes, user) {
  return (user.roleAssociations || []).map((one) =>
    `${roleOf(one.roleWithinEntity)}, ${scopes.nameOf(one.associatedEntityType, one.associatedEntityId)}`);
}

/** @param {API.User} user */
export const userMarks = (user) => [
  user.isSuperAdmin && h('span.pill.busy', { key: 'super' }, 'Super admin'),
  user.isEnabled === false && h('span.pill.bad', { key: 'off' }, 'Disabled'),
];

/** @param {State} state @param {API.User} user */
function row(state, user) {
  const roles = rolesText(state.scopes, user);
  return h(
    'li.row', { key: user.id },
    h('span.initials', { 'aria-hidden': 'true' },
      (user.firstName || '?').slice(0, 1) + (user.lastName || '').slice(0, 1)),
    h('span.record-text', null,
      h('span.record-title', null,
        h('a', { href: `#/people/${encodeURIComponent(user.id)}` }, nameOf(user)), ' ', userMarks(user)),
      h('span.record-sub', null, user.email),
      h('span.record-sub', null, roles.slice(0, 3).join(' · '),
        roles.length > 3 ? ` · ${roles.length - 3} more` : '')));
}

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
    field('Email address', {
      id: 'user-email', name: 'email', type: 'email', required: true, autocomplete: 'off', maxlength: 254,
    }),
    h('div.form-row', null,
      field('First name', { id: 'user-first', name: 'firstName', required: true, autocomplete: 'off', maxlength: 200 }),
      field('Last name', { id: 'user-last', name: 'lastName', autocomplete: 'off', maxlength: 200 })),
    h('p.hint', null, 'You get a link with which this person chooses a password.'),
    h('div.buttons.dialog-buttons', null,
      button(newUser.isBusy ? 'Creating' : 'Create', {
        id: 'confirm', type: 'submit', kind: 'primary', busy: newUser.isBusy, onclick: () => {},
      }),
      button('Cancel', { id: 'cancel', onclick: close }))));
}
