// The people as a file for spreadsheets: one line for each role, with the columns that the import reads.
// @ts-check
import { call } from './api.js';
import { giveTable } from './csv.js';
import { button, dialog, notice } from './parts.js';
import { h } from './view.js';
import { counted, roleOf, sentenceOf } from './words.js';

/**
 * @typedef {Console.Work & {q: string, read: number, total: number}} Exporting
 * @typedef {Console.State & {q: string, scopes: import('./scopes.js').Scopes, exporting: Exporting | null}} State
 */

const pageSize = 200;

/**
 * The lines for users: one for each of their roles; one without a role for those who have none that the person sees.
 *
 * @param {API.User[]} users @param {import('./scopes.js').Scopes} scopes
 */
export function rowsOf(users, scopes) {
  return users.flatMap((user) => {
    const own = [user.email || '', user.firstName || '', user.lastName || ''];
    const end = [user.isEnabled === false ? 'disabled' : ''];
    const roles = user.roleAssociations || [];
    if (roles.length === 0) return [[...own, '', '', '', ...end]];
    return roles.map(({ roleWithinEntity: role, associatedEntityType: type, associatedEntityId: id }) =>
      [...own, roleOf(role), scopes.nameOf(type, id), id, ...end]);
  });
}

export const head = ['email', 'firstName', 'lastName', 'role', 'place', 'placeId', 'state'];

/** @param {Console.Context} context @param {State} state */
export function openExport(context, state) {
  state.exporting = { q: state.q.trim(), read: 0, total: 0, isBusy: false, error: null };
  context.redraw();
}

/** @param {Console.Context} context @param {State} state @param {Exporting} own */
async function save(context, state, own) {
  if (own.isBusy) return;
  Object.assign(own, { isBusy: true, error: null, read: 0, total: 0 });
  context.redraw();
  /** @type {string[][]} */
  const rows = [];
  try {
    for (let page = 1, pages = 1; page <= pages; page++) {
      const query = { page, limit: pageSize, sortBy: 'name', q: own.q };
      const { users, pagination } = await call('GET', '/users', { query });
      if (state.exporting !== own || state.isEnded) return;
      rows.push(...rowsOf(users, state.scopes));
      pages = pagination.totalPages;
      Object.assign(own, { read: own.read + users.length, total: pagination.totalItems });
      context.redraw();
    }
    giveTable([head, ...rows], 'doorward-people.csv');
    context.note(`The file with ${counted(own.read, 'person', 'people')} is saved.`);
    state.exporting = null;
  } catch (error) {
    const text = `${sentenceOf(error)} The file would be incomplete, so nothing is saved.`;
    Object.assign(own, { error: { ...error, text }, isBusy: false });
    context.announce(text);
  }
  context.redraw();
}

/** @param {Console.Context} context @param {State} state */
export function exportDialog(context, state) {
  const own = /** @type {Exporting} */ (state.exporting);
  const close = () => { state.exporting = null; context.redraw(); };
  return dialog({ title: 'Save the people as CSV', onclose: close },
    h('p', null, own.q ? `The people whose names match “${own.q}”` : 'All people that you can see',
      ', one line for each role, for spreadsheets. The import reads the same columns.'),
    own.error && notice('bad', own.error.text || sentenceOf(own.error)),
    own.isBusy && h('p', { role: 'status' }, h('span.spinner', { 'aria-hidden': 'true' }),
      own.total ? `${own.read.toLocaleString('en-GB')} of ${counted(own.total, 'person', 'people')} read.`
        : 'Reading.'),
    h('div.buttons.dialog-buttons', null,
      button('Save', {
        id: 'save-people', kind: 'primary', busy: own.isBusy, onclick: () => save(context, state, own),
      }),
      button('Cancel', { id: 'cancel', onclick: close })));
}
