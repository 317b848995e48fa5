// The fields of a property: its name, its address and its time zone, to create and to change it.
// @ts-check
import { call } from './api.js';
import { newKey } from './commands.js';
import { beginEdit, changedNames, editDialog, explained, saveEdit, typedIn } from './edits.js';
import { button, field, notice, select } from './parts.js';
import { h } from './view.js';
import { sentenceOf } from './words.js';
import { effectsView, readEffects } from './zone-change.js';

/**
 * @typedef {import('./edits.js').Values} Values
 * @typedef {{edit: import('./edits.js').Edit, propertyId: string, effects: import('./zone-change.js').Effects | null,
 *   done: (property: API.Property) => void, close: () => void}} PropertyEdit
 * @typedef {{propertyEdit: PropertyEdit | null}} State a page that changes a property
 * @typedef {'street' | 'postalCode' | 'city' | 'state' | 'country'} Part
 */

/** @type {[Part, string][]} */
const parts = [['street', 'Street and number'], ['postalCode', 'Postal code'], ['city', 'City'],
  ['state', 'State or region'], ['country', 'Country']];

/** @type {Record<string, string>} */
const titles = { name: 'Name', ...Object.fromEntries(parts), zone: 'Time zone' };
/** The names of the fields in an error of the API. */
const errorTitles = {
  ...titles, defaultTimeZone: 'Time zone', ...Object.fromEntries(parts.map(([id, title]) => [`address.${id}`, title])),
};

/** @param {API.Property} property @returns {Values} */
export const valuesOf = (property) => ({
  name: property.name, ...Object.fromEntries(parts.map(([id]) => [id, property.address?.[id] || ''])),
  zone: property.defaultTimeZone || '',
});

/**
 * The address as the API takes it: whole, and null if nothing is in it.
 *
 * @param {Values} values
 */
function addressOf(values) {
  const found = Object.fromEntries(parts.map(([id]) => [id, values[id].trim() || null]));
  return Object.values(found).some((one) => one !== null) ? found : null;
}

/**
 * The body of a request that sets these fields.
 *
 * @param {Values} values @param {string[]} names
 */
export function bodyOf(values, names) {
  /** @type {Record<string, unknown>} */
  const body = {};
  if (names.includes('name')) body.name = values.name.trim();
  if (names.includes('zone')) body.defaultTimeZone = values.zone || null;
  if (parts.some(([id]) => names.includes(id))) body.address = addressOf(values);
  return body;
}

/**
 * The time zones that this browser knows, with UTC, and others that are given.
 *
 * @param {string[]} first
 */
function zones(first) {
  const { supportedValuesOf } = /** @type {{supportedValuesOf?: (key: string) => string[]}} */ (Intl);
  const known = supportedValuesOf?.('timeZone') || [];
  return [...new Set([...first.filter(Boolean), 'UTC', ...known])];
}

/**
 * The fields of an address.
 *
 * @param {string} prefix of their ids @param {(name: string) => Console.Props} typed
 */
const addressFields = (prefix, typed) => h('div.form-row', { key: 'address' },
  parts.map(([id, title]) => field(title, { id: `${prefix}-${id}`, ...typed(id) })));

// Changing.

/**
 * @param {Console.Context} context @param {State} state @param {API.Property} property
 * @param {(property: API.Property) => void} done
 */
export async function openProperty(context, state, property, done) {
  const path = `/properties/${encodeURIComponent(property.id)}`;
  try {
    const edit = await beginEdit({
      path, titles: errorTitles, read: (answer) => valuesOf(answer.property), body: bodyOf,
    });
    const close = () => { state.propertyEdit = null; context.redraw(); };
    state.propertyEdit = { edit, propertyId: property.id, effects: null, done, close };
  } catch (error) {
    context.note(sentenceOf(error), 'bad');
  }
  context.redraw();
}

/**
 * Reads what the chosen time zone changes.
 *
 * @param {Console.Context} context @param {PropertyEdit} own
 */
async function showEffects(context, own) {
  const { edit } = own;
  const { zone } = edit.values;
  if (zone === edit.initial.zone) {
    own.effects = null;
    context.redraw();
    return;
  }
  own.effects = { status: 'loading', zone, moves: [], others: 0 };
  context.redraw();
  /** @type {import('./zone-change.js').Effects} */
  let found;
  try {
    found = await readEffects(own.propertyId, edit.initial.zone, zone);
  } catch (error) {
    found = { status: 'failed', error, zone, moves: [], others: 0 };
  }
  // Another zone may have been chosen meanwhile.
  if (own.effects?.zone === zone) own.effects = found;
  if (found.status === 'loaded') context.announce(`${found.moves.length} guest accesses have hours that this changes`);
  context.redraw();
}

/** @param {Console.Context} context @param {PropertyEdit} own */
async function save(context, own) {
  const { edit } = own;
  const { zone } = edit.values;
  // A zone is not saved before what it changes has been shown.
  if (zone !== edit.initial.zone && !(own.effects?.status === 'loaded' && own.effects.zone === zone)) {
    if (own.effects?.status !== 'loading') await showEffects(context, own);
    edit.error = { text: 'See first what the time zone changes, at the end of this form.' };
    context.announce(edit.error.text || '');
    context.redraw();
    return;
  }
  const answer = await saveEdit(context, edit);
  if (answer) {
    own.close();
    own.done(answer.property);
  } else if (edit.others) await showEffects(context, own);
}

/** @param {Console.Context} context @param {State} state */
export function propertyDialog(context, state) {
  const own = /** @type {PropertyEdit} */ (state.propertyEdit);
  const { edit, effects } = own;
  const { zone } = edit.values;
  const title = `Change ${edit.initial.name}`;
  return editDialog(context, edit, { title, close: own.close, save: () => save(context, own) },
    field('Name', { id: 'property-name', required: true, ...typedIn(edit, 'name') }),
    addressFields('property', (name) => typedIn(edit, name)),
    select('Time zone', {
      id: 'property-zone', value: zone,
      onchange: (value) => { edit.values.zone = value; showEffects(context, own); },
    }, [['', 'None'],
      .../** @type {[string, string][]} */ (zones([edit.initial.zone, zone]).map((one) => [one, one]))]),
    effects?.status === 'loading' && h('p', { key: 'reading', role: 'status' },
      h('span.spinner', { 'aria-hidden': 'true' }), 'Reading what this changes.'),
    effects?.status === 'failed' && notice('bad',
      `What the time zone changes could not be read. ${sentenceOf(effects.error)}`,
      button('Try again', { id: 'effects-again', onclick: () => showEffects(context, own) })),
    effects?.status === 'loaded' && effectsView(effects, edit.initial.zone));
}

// Creating.

/**
 * @typedef {Console.Work & {values: Values, initial: Values, portfolioId: string,
 *   request: {text: string, key: string} | null, done: (property: API.Property) => void,
 *   close: () => void}} NewProperty
 */

/**
 * @param {string} portfolioId @param {(property: API.Property) => void} done @param {() => void} close
 * @returns {NewProperty}
 */
export function newProperty(portfolioId, done, close) {
  const none = Object.fromEntries(Object.keys(titles).map((name) => [name, '']));
  const values = { ...none, zone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC' };
  return { values, initial: none, portfolioId, request: null, isBusy: false, error: null, done, close };
}

/** @param {Console.Context} context @param {NewProperty} own */
async function create(context, own) {
  if (own.isBusy) return;
  Object.assign(own, { isBusy: true, error: null });
  context.redraw();
  try {
    const names = ['name', ...changedNames(own.initial, own.values)];
    const body = { portfolioId: own.portfolioId, ...bodyOf(own.values, names) };
    const text = JSON.stringify(body);
    // The same request has the same key, so that it is carried out once, however often it is sent.
    if (own.request?.text !== text) own.request = { text, key: newKey() };
    const { property } = await call('POST', '/properties', { body, headers: { 'Idempotency-Key': own.request.key } });
    own.close();
    own.done(property);
  } catch (error) {
    own.error = explained(error, errorTitles);
    context.announce(own.error.text || '');
  }
  own.isBusy = false;
  context.redraw();
}

/** @param {Console.Context} context @param {NewProperty} own */
export function newPropertyForm(context, own) {
  const typed = (/** @type {string} */ name) => typedIn(own, name);
  return h('form', { novalidate: true, onsubmit: (event) => { event.preventDefault(); create(context, own); } },
    own.error && notice('bad', own.error.text || sentenceOf(own.error)),
    field('Name', { id: 'new-name', required: true, ...typed('name') }),
    addressFields('new', typed),
    select('Time zone', { id: 'new-zone', value: own.values.zone, onchange: (zone) => { own.values.zone = zone; } },
      zones([own.values.zone]).map((one) => [one, one])),
    h('div.buttons.dialog-buttons', null,
      button('Create', { id: 'confirm', type: 'submit', kind: 'primary', busy: own.isBusy, onclick: () => {} }),
      button('Cancel', { id: 'cancel', onclick: own.close })));
}
