// The filters of the log: in the address, as the gateway has them, and the text, for which only the page can search.
// @ts-check
import { field, notice, select } from './parts.js';
import { pickerSelect } from './picker.js';
import { h } from './view.js';
import { counted, denialReasons, reasonOf } from './words.js';

/**
 * @typedef {{kind: string, propertyId: string, deviceId: string, userId: string, outcome: string, reason: string,
 *   span: string, from: string, until: string, text: string}} Filter
 * @typedef {{filter: Filter, picker: import('./picker.js').DoorPicker, people: import('./picker.js').PersonPicker,
 *   properties: API.Property[]}} State a page with these filters
 */

/** @type {[string, string][]} */
const kinds = [
  ['', 'Everything'], ['COMMAND_OUTCOME', 'Commands and their outcome'], ['DENIAL', 'Denials'],
  ['DEVICE_EVENT', 'Reports of locks'], ['COMMAND_INTENT', 'Requests'], ['ADMIN_CHANGE', 'Changes of rights'],
  ['SESSION', 'Sign-ins'], ['GATEWAY', 'The gateway'],
];
/** @type {[string, string][]} */
const outcomes = [
  ['', 'Any'], ['CONFIRMED', 'Confirmed'], ['FAILED', 'Failed'], ['TIMED_OUT', 'No confirmation'],
  ['UNKNOWN', 'Not known'], ['DENIED', 'Denied before sending']];
/** @type {[string, string][]} */
const spans = [
  ['1', 'Last 24 hours'], ['7', 'Last 7 days'], ['30', 'Last 30 days'], ['', 'All of the log'],
  ['own', 'From … until …']];
/** @type {Filter} */
const usual = {
  kind: '', propertyId: '', deviceId: '', userId: '', outcome: '', reason: '', span: '7', from: '', until: '', text: '',
};
const names = /** @type {(keyof Filter)[]} */ (Object.keys(usual));

/** @type {Record<string, string[]>} */
const known = {
  kind: kinds.map(([id]) => id), outcome: outcomes.map(([id]) => id), span: spans.map(([id]) => id),
  reason: denialReasons,
};

/**
 * The filters that an address names. Values that there are not are left out, and so is what the page would not show.
 *
 * @param {URLSearchParams} query @returns {Filter}
 */
export function filtersOf(query) {
  const filter = { ...usual };
  for (const name of names) {
    const value = query.get(name);
    if (value !== null && (!known[name] || known[name].includes(value))) filter[name] = value;
  }
  if (!filter.kind) filter.kind = filter.reason ? 'DENIAL' : filter.outcome ? 'COMMAND_OUTCOME' : '';
  return fitting(filter);
}

/**
 * The filters without those that do not go with the kind of records.
 *
 * @param {Filter} filter
 */
export const fitting = (filter) => Object.assign(filter, {
  outcome: filter.kind === 'COMMAND_OUTCOME' ? filter.outcome : '',
  reason: filter.kind === 'DENIAL' ? filter.reason : '',
});

/**
 * The address of the log with filters, to pass on.
 *
 * @param {Filter} filter
 */
export function addressOf(filter) {
  const changed = names.filter((name) => filter[name] !== usual[name]);
  const query = new URLSearchParams(changed.map((name) => [name, filter[name]]));
  return '#/log' + (String(query) && `?${query}`);
}

/** @param {Filter} filter */
export const remember = (filter) => history.replaceState(null, '', addressOf(filter));

/**
 * The filters of the API.
 *
 * @param {Filter} filter
 */
export function queryOf(filter) {
  const { kind, propertyId, deviceId, userId, outcome, reason, span } = filter;
  let [from, until] = ['', ''];
  if (span === 'own') [from, until] = [instantOf(filter.from), instantOf(filter.until)];
  else if (span) from = new Date(Date.now() - Number(span) * 86400000).toISOString();
  return { kind, propertyId, deviceId, userId, outcome, reason, from, until };
}

/** @param {string} text of a field, or of an address */
function instantOf(text) {
  const at = new Date(text);
  return text && !Number.isNaN(at.getTime()) ? at.toISOString() : '';
}

// The text. The API has no filter for it.

/** @param {string} text */
const plain = (text) => text.normalize('NFKC').toLocaleLowerCase('en').replace(/\s+/g, ' ').trim();

/**
 * The records whose stated reason has a text, or whose reason of an override.
 *
 * @param {API.AccessRecord[]} records @param {string} text
 */
export function searched(records, text) {
  const wanted = plain(text);
  if (!wanted) return records;
  return records.filter((one) =>
    [one.statedReason, one.override?.reason].some((reason) => reason && plain(reason).includes(wanted)));
}

/**
 * What the search has looked at.
 *
 * @param {Filter} filter @param {number} found @param {number} total @param {boolean} hasMore
 */
export function searchHint(filter, found, total, hasMore) {
  if (!filter.text.trim()) return null;
  const rest = hasMore ? ' “Show earlier records” searches further.' : ' These are all records of the other filters.';
  // An outcome has the stated reason of its request, which is a record of its own.
  const alone = filter.kind === 'COMMAND_OUTCOME'
    ? ' The stated reason of a command is in the record of its request: choose “Everything” or “Requests”.' : '';
  return h('div', { key: 'search-hint', id: 'search-hint', role: 'status' }, notice('info',
    `${counted(found, 'record')} with this text among the ${counted(total, 'record that is shown', 'records that are shown')}. `
    + `The gateway has no search in stated reasons.${rest}${alone}`));
}

// The view.

/**
 * @param {Console.Context} context @param {State} state @param {(values: Partial<Filter>) => void} change
 */
export function filtersView(context, state, change) {
  const { filter, properties } = state;
  /** @param {keyof Filter} name @param {string} title @param {[string, string][]} options */
  const one = (name, title, options) =>
    select(title, { id: `log-${name}`, value: filter[name], onchange: (value) => change({ [name]: value }) }, options);
  const day = (/** @type {'from' | 'until'} */ name, /** @type {string} */ title) => field(title, {
    id: `log-${name}`, type: 'datetime-local', value: filter[name],
    onchange: (event) => change({ [name]: event.target.value }),
  });
  return h(
    'div.form-row.log-filters', { key: 'filters', role: 'group', 'aria-label': 'Filters' },
    one('kind', 'What', kinds),
    filter.kind === 'COMMAND_OUTCOME' && one('outcome', 'Outcome', outcomes),
    filter.kind === 'DENIAL' && one('reason', 'Reason', [
      ['', 'Any'], ...denialReasons.map((code) => /** @type {[string, string]} */ ([code, reasonOf(code)]))]),
    (properties.length > 1 || filter.propertyId) && one('propertyId', 'Property', [
      ['', 'All properties'], ...properties.map(({ id, name }) => /** @type {[string, string]} */ ([id, name])),
      ...unlisted(filter.propertyId, properties)]),
    pickerSelect(state.picker, {
      id: 'log-door', none: 'All doors', onchange: (door) => change({ deviceId: door?.id || '' }),
    }),
    pickerSelect(state.people, {
      id: 'log-person', none: 'Everybody', onchange: (person) => change({ userId: person?.id || '' }),
    }),
    one('span', 'When', spans),
    filter.span === 'own' && day('from', 'From'), filter.span === 'own' && day('until', 'Until'),
    field('Stated reason', {
      id: 'log-text', type: 'search', value: filter.text, placeholder: 'Text of a reason',
      autocomplete: 'off', maxlength: 200, oninput: (event) => change({ text: event.target.value }),
    }));
}

/**
 * A property of the address that is not in the list, so that the filter that is in force is shown.
 *
 * @param {string} id @param {API.Property[]} properties @returns {[string, string][]}
 */
const unlisted = (id, properties) => (id && properties.every((one) => one.id !== id) ? [[id, 'Another property']] : []);
