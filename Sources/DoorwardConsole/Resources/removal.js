// Removals: the page first asks the gateway what would end, shows it, and lets the person confirm.
// @ts-check
import { call } from './api.js';
import { button, dialog, field, notice } from './parts.js';
import { h } from './view.js';
import { counted, sentenceOf } from './words.js';

/**
 * The words for the types of a preview, and for several.
 *
 * @type {Record<string, [string, string]>}
 */
const types = {
  UserRoleAssociation: ['role', 'roles'], RoleAssociation: ['role', 'roles'], GuestAccess: ['guest access', 'guest accesses'], APIKey: ['API key', 'API keys'], Invitation: ['invitation', 'invitations'],
  Session: ['session', 'sessions'], GuestLink: ['guest link', 'guest links'], LockDevice: ['door', 'doors'], Device: ['door', 'doors'], Unit: ['unit', 'units'],
  Property: ['property', 'properties'], Portfolio: ['portfolio', 'portfolios'], User: ['user', 'users'],
};

/**
 * What ends, by type: `2 roles`, `1 guest access`.
 *
 * @param {{type: string}[]} targets
 */
export function countedTypes(targets) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { type } of targets) counts.set(type, (counts.get(type) || 0) + 1);
  return [...counts].map(([type, count]) => {
    const [one, many] = types[type] || [type, `${type}s`];
    return `${count} ${count === 1 ? one : many}`;
  });
}

/**
 * @typedef {{title: string, path: string, verb: string, text?: string, typed?: string, query?: import('./api.js').Query, done: () => void}} Question
 *   `typed` is a name to type, for a removal that deletes more than one thing
 * @typedef {Question & Console.Work & {preview: API.RemovalPreview | null, mistake: string | null}} Removal
 * @typedef {{removal: Removal | null}} State a page with removals; `removal` is the open question
 */

/**
 * Asks whether to remove something, with a preview.
 *
 * @param {Console.Context} context @param {State} state @param {Question} question
 */
export async function askRemoval(context, state, question) {
  /** @type {Removal} */
  const removal = { ...question, preview: null, error: null, mistake: null, isBusy: false };
  state.removal = removal;
  context.redraw();
  try {
    removal.preview = (await call('DELETE', question.path, { query: { ...question.query, dryRun: true } })).preview;
  } catch (error) {
    removal.error = error;
  }
  context.redraw();
}

/** @param {Console.Context} context @param {State} state */
async function remove(context, state) {
  const { removal } = state;
  if (!removal || removal.isBusy || !removal.preview) return;
  Object.assign(removal, { isBusy: true, error: null });
  context.redraw();
  try {
    await call('DELETE', removal.path, { query: removal.query });
    state.removal = null;
    removal.done();
  } catch (error) {
    Object.assign(removal, { isBusy: false, error });
    context.announce(sentenceOf(error));
  }
  context.redraw();
}

/** @param {Console.Context} context @param {State} state */
export function removalDialog(context, state) {
  const { removal } = state;
  if (!removal) return null;
  const { title, text, verb, typed, preview, error, mistake, isBusy } = removal;
  const close = () => { state.removal = null; context.redraw(); };
  return dialog({ title, onclose: close }, h(
    'form', {
      novalidate: true, onsubmit: (event) => {
        event.preventDefault();
        if (typed && String(new FormData(event.target).get('typed')).trim() !== typed) {
          removal.mistake = 'This is not the name.';
          context.announce(removal.mistake);
          context.redraw();
          return;
        }
        remove(context, state);
      },
    },
    error && notice('bad', sentenceOf(error)),
    text && h('p', null, text),
    !preview && !error && h('p', { role: 'status' }, h('span.spinner', { 'aria-hidden': 'true' }), 'Reading what this ends.'),
    preview && effects(preview),
    preview && typed && field(`Type the name: ${typed}`, { id: 'removal-name', name: 'typed', autocomplete: 'off' }, { error: mistake }),
    h('div.buttons.dialog-buttons', null,
      preview && button(verb, { id: 'confirm', type: 'submit', kind: 'danger', busy: isBusy, onclick: () => {} }),
      button('Cancel', { id: 'cancel', onclick: close }))));
}

/** @param {API.RemovalPreview} preview */
function effects({ removed, ended }) {
  if (removed.length + ended.length === 0) return h('p.effects', null, 'Nothing else ends with it.');
  return h('div.effects', null,
    removed.length > 0 && h('div', { key: 'removed' }, h('p.strong', null, 'Deleted:'),
      h('ul.plain', null, removed.slice(0, 20).map((one) => h('li', { key: one.id }, one.name.trim(), ` (${(types[one.type] || [one.type])[0]})`)),
        removed.length > 20 && h('li', { key: 'more' }, `and ${counted(removed.length - 20, 'more thing')}`))),
    ended.length > 0 && h('div', { key: 'ended' }, h('p.strong', null, 'Ends at once:'),
      h('ul.plain', null, countedTypes(ended).map((text) => h('li', { key: text }, text)))));
}
