// Changes of a property, a unit or a portfolio: what was typed, what others have changed meanwhile, and saving it over
// nothing that they have changed.
// @ts-check
import { call, readIfChanged } from './api.js';
import { button, dialog, notice } from './parts.js';
import { h } from './view.js';
import { sentenceOf } from './words.js';

/**
 * @typedef {Record<string, string>} Values what a form says of an object, each field as a text
 * @typedef {{name: string, before: string, now: string, typed: string | null}} Difference what another person has
 *   changed; `typed` is what was typed in its place
 * @typedef {{path: string, read: (answer: Console.Answer) => Values, body: (values: Values, names: string[]) => object,
 *   titles: Record<string, string>, text?: (name: string, value: string) => string}} Kind
 *   `read` takes the values from an answer; `titles` names the fields, in their order; `text` shows a value
 * @typedef {Console.Work & {kind: Kind, etag: string | null, initial: Values, values: Values,
 *   others: Difference[] | null, isSame: boolean}} Edit
 *   `initial` is what the form began with; `others` what others have changed meanwhile
 */

/**
 * The fields that differ.
 *
 * @param {Values} a @param {Values} b
 */
export const changedNames = (a, b) => Object.keys(a).filter((name) => a[name].trim() !== (b[name] ?? '').trim());

/**
 * Brings what was typed over a newer version: fields that were typed keep their values, the others get the new ones.
 *
 * @param {Values} before what the form began with @param {Values} typed @param {Values} now the newer version
 */
export const merge = (before, typed, now) =>
  ({ ...now, ...Object.fromEntries(changedNames(before, typed).map((name) => [name, typed[name]])) });

/**
 * What others have changed, in words.
 *
 * @param {Values} before @param {Values} typed @param {Values} now
 * @param {(name: string, value: string) => string} [text] @returns {Difference[]}
 */
export function differences(before, typed, now, text = (_, value) => value || 'none') {
  const own = changedNames(before, typed);
  return changedNames(before, now).map((name) => ({
    name, before: text(name, before[name]), now: text(name, now[name]),
    typed: own.includes(name) && typed[name].trim() !== now[name].trim() ? text(name, typed[name]) : null,
  }));
}

/** @param {Kind} kind */
async function readVersion(kind) {
  const { data, etag } = /** @type {import('./api.js').Version} */ (await readIfChanged(kind.path, null));
  return { values: kind.read(data), etag };
}

/**
 * Begins a change with the current version of the object.
 *
 * @param {Kind} kind @returns {Promise<Edit>}
 */
export async function beginEdit(kind) {
  const { values, etag } = await readVersion(kind);
  return {
    kind, etag, initial: values, values: { ...values }, others: null, isSame: false, isBusy: false, error: null,
  };
}

/**
 * Sends what was changed, on the condition that the version is still the current one.
 *
 * @param {Console.Context} context @param {Edit} edit @returns {Promise<Console.Answer | null>} null if it is not saved
 */
export async function saveEdit(context, edit) {
  const { kind } = edit;
  if (edit.isBusy) return null;
  const names = changedNames(edit.initial, edit.values);
  if (names.length === 0) {
    edit.error = { text: 'Nothing has been changed.' };
    context.announce('Nothing has been changed.');
    context.redraw();
    return null;
  }
  Object.assign(edit, { isBusy: true, error: null });
  context.redraw();
  let answer = null;
  try {
    const headers = /** @type {Record<string, string>} */ (edit.etag ? { 'If-Match': edit.etag } : {});
    answer = await call('PUT', kind.path, { body: kind.body(edit.values, names), headers });
    context.announce('Saved');
  } catch (error) {
    if (error.status === 412) await compare(context, edit);
    else edit.error = explained(error, kind.titles);
    if (edit.error) context.announce(edit.error.text || '');
  }
  edit.isBusy = false;
  context.redraw();
  return answer;
}

/**
 * An error with its sentence; after a request without an answer it says that what was typed is kept.
 *
 * @param {Console.Caught} error @param {Record<string, string>} titles @returns {Console.Caught}
 */
export function explained(error, titles) {
  const quoted = Object.entries(titles).map(([id, title]) => [id, `“${title}”`]);
  const sentence = sentenceOf(error, Object.fromEntries(quoted));
  const kept = error.status === 0 ? ' What you have typed is kept, and is sent again only when you save again.' : '';
  return { status: error.status, code: error.code, text: sentence + kept };
}

/**
 * Reads the version that others have made, and brings what was typed over it.
 *
 * @param {Console.Context} context @param {Edit} edit
 */
async function compare(context, edit) {
  try {
    const { values: now, etag } = await readVersion(edit.kind);
    const { initial, values: typed } = edit;
    const values = merge(initial, typed, now);
    const others = differences(initial, typed, now, edit.kind.text);
    Object.assign(edit, { etag, initial: now, values, others, isSame: changedNames(now, values).length === 0 });
    context.announce(edit.isSame ? 'It is saved already' : 'Changed meanwhile');
  } catch (error) {
    edit.error = { text: `Someone else has changed this meanwhile. ${sentenceOf(error)} What you have typed is kept.` };
  }
}

/** @param {Edit} edit */
function meanwhile({ others, isSame, kind }) {
  if (!others) return null;
  const next = isSame ? 'It is now as you have typed it: nothing is left to save.'
    : 'What you have typed is kept: save again to put it over the new version.';
  const what = others.length > 0 ? 'Changed meanwhile. ' : 'There is a newer version. ';
  return notice(isSame ? 'info' : 'warn', h('p', null, what, next),
    others.length > 0 && h('dl.differences', null, others.map(({ name, before, now, typed }) => h(
      'div', { key: name }, h('dt', null, kind.titles[name]),
      h('dd', null, `It was: ${before}. It is now: ${now}.`, typed !== null && ` You typed: ${typed}.`)))));
}

/**
 * The dialog of a change.
 *
 * @param {Console.Context} context @param {Edit} edit
 * @param {{title: string, close: () => void, save: () => void, verb?: string, kind?: string}} options
 * @param {Console.Child[]} fields
 */
export function editDialog(context, edit, { title, close, save, verb = 'Save', kind = 'primary' }, ...fields) {
  const inSight = (/** @type {Element} */ el) => el.scrollIntoView({ block: 'nearest' });
  return dialog({ title, onclose: close }, h(
    'form', { novalidate: true, onsubmit: (event) => { event.preventDefault(); save(); } },
    h('div', { role: 'status' },
      edit.others && h('div', { key: `others-${edit.etag}`, created: inSight }, meanwhile(edit))),
    edit.error && h('div', { key: 'error', created: inSight },
      notice('bad', edit.error.text || sentenceOf(edit.error))),
    ...fields,
    h('div.buttons.dialog-buttons', null,
      button(edit.isBusy ? 'Saving' : edit.others || edit.error?.status === 0 ? `${verb} again` : verb, {
        id: 'save', type: 'submit', kind, busy: edit.isBusy, onclick: () => {},
      }),
      button('Cancel', { id: 'cancel', onclick: close }))));
}

/**
 * The properties of a field of a change.
 *
 * @param {{values: Values}} edit @param {string} name
 * @returns {{value: string, autocomplete: string, maxlength: number, oninput: (event: Console.Input) => void}}
 */
export const typedIn = (edit, name) => ({
  value: edit.values[name], autocomplete: 'off', maxlength: 200,
  oninput: (event) => { edit.values[name] = event.target.value; },
});
