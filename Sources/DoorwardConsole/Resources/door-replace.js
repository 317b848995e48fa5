// Another lock behind a door: its address is found by an adapter, or typed. The history of the door stays.
// @ts-check
import { call } from './api.js';
import page from './door.js';
import { beginEdit, editDialog, saveEdit } from './edits.js';
import { field, select } from './parts.js';
import { readAll } from './scopes.js';
import { h } from './view.js';
import { sentenceOf } from './words.js';

/**
 * @typedef {import('./door.js').Shown} Shown
 * @typedef {import('./edits.js').Values} Values
 * @typedef {{field: string, type: string, meaning?: string}} Key a key of an address, as the adapter describes it
 * @typedef {{edit: import('./edits.js').Edit, keys: Key[], found: API.DiscoveredDevice[], chosen: string,
 *   used: Set<string>, typed: string, mistake: string | null}} Replacement
 *   `chosen` is the id of a found lock, or empty for a typed address; `used` are the values that come first; `typed` is
 *   the name as a confirmation
 */

/** The names of the values that are not keys of the address. */
const own = ['manufacturer', 'model'];
const titles = { manufacturer: 'Manufacturer', model: 'Model' };

/**
 * An address as texts, by key.
 *
 * @param {Record<string, unknown>} address @returns {Values}
 */
export const textsOf = (address) => Object.fromEntries(Object.entries(address)
  .map(([key, value]) => [`address.${key}`, typeof value === 'string' ? value : JSON.stringify(value)]));

/**
 * The address of texts. A text is what the adapter says that the key takes; of a key that it does not describe, a text
 * unless the earlier address had another type there.
 *
 * @param {Values} values @param {Key[]} keys @param {Record<string, unknown>} earlier
 */
export function addressOf(values, keys, earlier) {
  const parse = (/** @type {string} */ key, /** @type {string} */ text) => {
    const type = keys.find((one) => one.field === key)?.type || (key in earlier ? typeof earlier[key] : 'string');
    if (type === 'string') return text;
    // What cannot be read is sent as it is: the gateway says what is wrong with it.
    try { return JSON.parse(text); } catch { return text; }
  };
  return Object.fromEntries(Object.entries(values)
    .filter(([name, text]) => name.startsWith('address.') && text.trim() !== '')
    .map(([name, text]) => [name.slice('address.'.length), parse(name.slice('address.'.length), text.trim())]));
}

/** @param {Console.Context} context @param {Shown} state */
export async function openReplace(context, state) {
  const { device } = state;
  const earlier = device.address || {};
  try {
    const [{ adapters }, found] = await Promise.all([
      call('GET', '/adapters'), readAll('/devices/discovered', 'discoveredDevices', { sortBy: null }),
    ]);
    const adapter = /** @type {{address?: Key[]} | undefined} */ (adapters.find(({ kind }) => kind === device.adapter));
    const keys = adapter?.address || [];
    const empty = Object.fromEntries(keys.map((one) => [`address.${one.field}`, '']));
    const edit = await beginEdit({
      path: `/devices/${encodeURIComponent(device.id)}`,
      titles: {
        ...titles, address: 'Address', ...titlesOf([...keys.map((one) => one.field), ...Object.keys(earlier)]),
      },
      read: (answer) => ({
        manufacturer: answer.device.manufacturer || '', model: answer.device.model || '', ...empty,
        ...textsOf(answer.device.address || {}),
      }),
      body: (values) => ({
        address: addressOf(values, keys, earlier), manufacturer: values.manufacturer.trim() || null,
        model: values.model.trim() || null,
      }),
    });
    const replacement = {
      edit, keys, found: found.filter((one) => one.adapter === device.adapter && !one.problem), chosen: '',
      used: usedIn(edit.values), typed: '', mistake: null,
    };
    state.dialog = () => replaceDialog(context, state, replacement);
  } catch (error) {
    context.note(sentenceOf(error), 'bad');
  }
  context.redraw();
}

/** @param {Values} values */
const usedIn = (values) => new Set(Object.keys(values).filter((name) => values[name] !== ''));

/** @param {string[]} keys */
const titlesOf = (keys) => Object.fromEntries(keys.map((key) => [`address.${key}`, key]));

/**
 * Fills in what is known of a found lock; without one, the address as it is.
 *
 * @param {Replacement} replacement @param {string} id
 */
export function choose(replacement, id) {
  const { edit, found } = replacement;
  const lock = found.find((one) => one.id === id);
  const none = Object.fromEntries(Object.keys(edit.initial).map((name) => [name, '']));
  replacement.chosen = id;
  edit.values = lock ? {
    ...none, ...textsOf(lock.address), manufacturer: lock.manufacturer || '', model: lock.model || '',
  } : { ...edit.initial };
  replacement.used = usedIn(edit.values);
}

/** @param {API.DiscoveredDevice} lock */
const nameOfFound = ({ name, manufacturer, model }) =>
  [name, [manufacturer, model].filter(Boolean).join(' ')].filter(Boolean).join(', ') || 'A lock without a name';

/** @param {Console.Context} context @param {Shown} state @param {Replacement} replacement */
function replaceDialog(context, state, replacement) {
  const { device } = state;
  const { edit, keys, found, chosen, used: first, mistake } = replacement;
  const close = () => { state.dialog = null; context.redraw(); };
  const save = async () => {
    replacement.mistake = replacement.typed.trim() === device.name ? null : 'This is not the name.';
    if (replacement.mistake) {
      context.announce(replacement.mistake);
      context.redraw();
      return;
    }
    const answer = await saveEdit(context, edit);
    if (!answer) return;
    close();
    context.note(`${answer.device.name} has another lock. Try it.`);
    state.own.put(state.id, answer.device);
    page.refresh(context, state);
  };
  /** @param {string} name @param {string} title */
  const one = (name, title, hint = '') => field(title, {
    id: `replace-${name}`, value: edit.values[name] ?? '', autocomplete: 'off', maxlength: 1000,
    oninput: (event) => { edit.values[name] = event.target.value; },
  }, { hint });
  const key = (/** @type {string} */ name) => one(name, name.slice('address.'.length), meaning(name));
  // The keys that the lock has come first; the others of the adapter are rarely needed.
  const meaning = (/** @type {string} */ name) => keys.find((of) => `address.${of.field}` === name)?.meaning || '';
  const names = Object.keys(edit.values).filter((name) => !own.includes(name));
  const [used, others] = [names.filter((name) => first.has(name)), names.filter((name) => !first.has(name))];
  return editDialog(context, edit, {
    title: `Replace the lock of ${device.name}`, close, save, verb: 'Replace the lock', kind: 'danger',
  },
    h('p', { key: 'text' }, 'The name, the place, the guest accesses and the history of the door stay. '
      + 'The settings and the code of the earlier lock are forgotten, and the gateway does not send it anything more.'),
    found.length > 0 && select('The new lock', {
      id: 'replace-found', value: chosen, onchange: (id) => { choose(replacement, id); context.redraw(); },
    }, [['', 'At a typed address'],
      .../** @type {[string, string][]} */ (found.map((lock) => [lock.id, nameOfFound(lock)]))]),
    h('fieldset', { key: 'address' }, h('legend', null, `Address (${device.adapter})`), used.map(key)),
    others.length > 0 && h('details', { key: 'others' }, h('summary', null, 'Other keys'), others.map(key)),
    h('div.form-row', { key: 'make' }, own.map((name) => one(name, titles[/** @type {'model'} */ (name)]))),
    field(`Type the name of the door: ${device.name}`, {
      id: 'replace-typed', value: replacement.typed, autocomplete: 'off',
      oninput: (event) => { replacement.typed = event.target.value; },
    }, { error: mistake }));
}
