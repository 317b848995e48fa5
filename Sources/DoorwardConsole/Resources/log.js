// Log: access records with filters, which are in the address, and who opened a door last.
// @ts-check
import { call } from './api.js';
import { chartsView, readCharts } from './log-charts.js';
import { filtersOf, fitting, filtersView, queryOf, remember, searched, searchHint } from './log-filters.js';
import { openingView, refreshOpening } from './opening.js';
import { button, icon, isOutOfReach, keepsAfter, whenLoaded } from './parts.js';
import { DoorPicker, PersonPicker } from './picker.js';
import { merged, timeline } from './records.js';
import { readAll } from './scopes.js';
import { h } from './view.js';
import { counted, sentenceOf } from './words.js';

/**
 * @typedef {Console.State & import('./records.js').State & import('./opening.js').Holder & {
 *   records: API.AccessRecord[], cursor: string | null, query?: import('./api.js').Query, filter: Filter,
 *   picker: DoorPicker, people: PersonPicker, properties: API.Property[],
 *   charts: import('./log-charts.js').Charts | null, newer: number, reads: number, isReading?: boolean, timer?: number,
 *   exporting: import('./log-export.js').Export | null, exports?: typeof import('./log-export.js'),
 *   one: One | null}} State
 *   `exports` is the module of the export, which is loaded when it is needed
 * @typedef {import('./records.js').State & Console.Resource & {id: string, record: API.AccessRecord | null}} One the
 *   record that the address names
 * @typedef {import('./log-filters.js').Filter} Filter
 */

const pageSize = 50;
/** How many records a page has while they are searched for a text. */
const searchSize = 500;

/** @type {Console.Page<State>} */
const page = {
  start(context, path, query) {
    /** @type {State} */
    const state = {
      status: 'loading', error: null, records: [], cursor: null, open: null, filter: filtersOf(query),
      picker: new DoorPicker(context), people: new PersonPicker(context), properties: [], charts: null, readAt: '',
      isEnded: false, newer: 0, reads: 0, exporting: null, one: null, opening: null, openingOf: '',
    };
    state.picker.options.filter = { propertyId: state.filter.propertyId };
    const id = query.get('record');
    if (id) readOne(context, state, id);
    context.need([{ type: 'accessRecord', query: '' }]);
    page.refresh(context, state);
    chooseLinked(context, state);
    readChoices(context, state);
    return state;
  },
  end(state) {
    state.isEnded = true;
    state.picker.end();
    state.people.end();
    state.exporting?.cancel.abort();
    clearTimeout(state.timer);
  },

  async refresh(context, state) {
    const number = ++state.reads;
    try {
      const query = { ...queryOf(state.filter), limit: pageSizeOf(state) };
      const [data, charts] = await Promise.all([
        call('GET', '/access-records', { query }), readCharts(query, state.filter.span === '1'),
      ]);
      if (state.isEnded || number !== state.reads) return;
      Object.assign(state, {
        status: 'loaded', error: null, query, records: data.accessRecords, cursor: data.nextCursor, charts, newer: 0,
        readAt: new Date().toISOString(),
      });
      if (state.filter.deviceId) refreshOpening(context, state, state.filter.deviceId, state.records[0]?.id);
    } catch (error) {
      if (state.isEnded || number !== state.reads) return;
      if (keepsAfter(context, state, error)) {
        context.note(`The log could not be refreshed. ${sentenceOf(error)}`, 'bad');
      }
    }
    context.redraw();
  },

  live(context, state, event, data) {
    // New records do not move the list while a person reads it: they are only announced, unless the list is at its top
    // and no record is open.
    const isNew = event === 'poll' || (event === 'change' && data.type === 'accessRecord');
    if (!isNew || state.status !== 'loaded' || state.records.length > pageSizeOf(state)) return;
    if (event === 'poll' || (scrollY < 200 && !state.open)) {
      if (scrollY < 200 && !state.open) soon(context, state);
      return;
    }
    state.newer++;
    context.redraw();
  },

  permissionsChanged(context, state, hasBegun) {
    if (!hasBegun) return;
    readChoices(context, state);
    page.refresh(context, state);
  },

  view(context, state) {
    const mayExport = ['Portfolio', 'Property', 'Gateway']
      .some((type) => context.ability.can('accessLog.export', type));
    const door = state.picker.chosen.get(state.filter.deviceId);
    const isSearched = state.filter.text.trim() !== '';
    return h(
      'div', { key: 'log' },
      h('div.page-head', null, h('h1', { tabindex: '-1' }, 'Log'),
        mayExport && button('Export', { id: 'export', onclick: () => openExport(context, state) })),
      state.one && oneView(context, state, state.one),
      filtersView(context, state, (values) => change(context, state, values)),
      whenLoaded(state, () => { state.status = 'loading'; context.redraw(); page.refresh(context, state); }, () => [
        door && openingView(state.opening, door.name),
        chartsView(state.charts),
        state.newer > 0 && h('div.center', { key: 'newer' }, button(`Show ${counted(state.newer, 'new record')}`, {
          id: 'newer', kind: 'primary', onclick: () => page.refresh(context, state),
        })),
        listView(context, state),
        state.cursor && button('Show earlier records', {
          id: 'earlier', kind: 'wide', busy: state.isReading, onclick: () => more(context, state),
        }),
      ]),
      state.exporting && state.exports?.exportDialog(context, state, { query: queryOf(state.filter), isSearched }));
  },
};
export default page;

/** @param {State} state */
const pageSizeOf = (state) => (state.filter.text.trim() ? searchSize : pageSize);

/** @param {Console.Context} context @param {State} state */
function listView(context, state) {
  const rows = merged(state.records);
  const shown = searched(rows, state.filter.text);
  return [
    searchHint(state.filter, shown.length, rows.length, state.cursor !== null),
    shown.length === 0
      ? h('div.empty', { key: 'empty' }, icon('log'), h('h2', null, 'No records'), h('p', null, state.filter.text.trim()
        ? 'No record that is shown here has this text in a stated reason.'
        : 'Nothing matches these filters in this time.'))
      : h('div', { key: 'records' }, timeline(context, state, shown, { showsDoor: true })),
  ];
}

/** @param {Console.Context} context @param {State} state */
async function openExport(context, state) {
  try {
    state.exports = await import('./log-export.js');
  } catch {
    context.note('This part of the page could not be loaded. Load the page again.', 'bad');
    return;
  }
  if (!state.isEnded) state.exports.openExport(context, state, state.filter.propertyId);
}

/**
 * The filters are changed, and are in the address.
 *
 * @param {Console.Context} context @param {State} state @param {Partial<Filter>} values
 */
function change(context, state, values) {
  const { filter } = state;
  const size = pageSizeOf(state);
  fitting(Object.assign(filter, values));
  state.one = null;
  if (values.propertyId !== undefined) {
    // The doors of the property; a door of another one is not chosen any more.
    const door = state.picker.chosen.get(filter.deviceId);
    if (values.propertyId && door?.propertyId !== values.propertyId) {
      filter.deviceId = '';
      state.picker.choose('');
    }
    state.picker.options.filter = { propertyId: filter.propertyId };
    state.picker.read();
  }
  if (!filter.deviceId) Object.assign(state, { opening: null, openingOf: '' });
  remember(filter);
  Object.assign(state, { open: null, isReading: false });
  // A text is searched for among the records that are here.
  const isLocal = Object.keys(values).every((name) => name === 'text') && size === pageSizeOf(state);
  if (!isLocal) page.refresh(context, state);
  context.redraw();
}

/**
 * What can be chosen in the filters: the doors, the properties, and the people that the person may list.
 *
 * @param {Console.Context} context @param {State} state
 */
async function readChoices(context, state) {
  state.picker.read();
  const mayList = ['Portfolio', 'Property', 'Unit'].some((type) => context.ability.can('people.list', type));
  if (mayList || context.user.isSuperAdmin) state.people.read();
  try {
    const properties = await readAll('/properties', 'properties');
    if (state.isEnded) return;
    state.properties = properties;
    context.redraw();
  } catch {
    // Without its list, the filter is left out.
  }
}

/** @param {Console.Context} context @param {State} state @param {string} id */
async function readOne(context, state, id) {
  /** @type {One} */
  const one = { id, status: 'loading', error: null, record: null, open: id };
  state.one = one;
  try {
    const { accessRecord } = await call('GET', `/access-records/${encodeURIComponent(id)}`, { isQuiet: true });
    Object.assign(one, { status: 'loaded', record: accessRecord });
  } catch (error) {
    Object.assign(one, { status: 'failed', error });
  }
  context.redraw();
}

/**
 * The record that the address names, open, above the log.
 *
 * @param {Console.Context} context @param {State} state @param {One} one
 */
function oneView(context, state, one) {
  const close = () => { state.one = null; remember(state.filter); context.redraw(); };
  return h('section.panel-card.one', { key: 'one' },
    h('div.page-head', null, h('h2', null, 'The record of this link'),
      button('Close', { id: 'close-record', onclick: close })),
    whenLoaded(one, () => readOne(context, state, one.id), () =>
      timeline(context, one, one.record ? [one.record] : [], { showsDoor: true })));
}

/**
 * Many records that arrive together cause only one read.
 *
 * @param {Console.Context} context @param {State} state
 */
function soon(context, state) {
  if (state.timer) return;
  state.timer = setTimeout(() => { state.timer = undefined; if (!state.isEnded) page.refresh(context, state); }, 700);
}

/** @param {Console.Context} context @param {State} state */
async function more(context, state) {
  if (state.isReading) return;
  state.isReading = true;
  context.redraw();
  try {
    // The cursor is valid only with the filters of the first page.
    const query = { ...state.query, limit: pageSizeOf(state), cursor: state.cursor };
    const data = await call('GET', '/access-records', { query });
    Object.assign(state, { records: [...state.records, ...data.accessRecords], cursor: data.nextCursor });
  } catch (error) {
    context.note(sentenceOf(error), 'bad');
  }
  state.isReading = false;
  context.redraw();
}

/**
 * Selects the door and the person that the address names; what is not visible is ignored.
 *
 * @param {Console.Context} context @param {State} state
 */
async function chooseLinked(context, state) {
  const { filter } = state;
  /** @param {'deviceId' | 'userId'} name @param {(id: string) => Promise<void>} read */
  const choose = async (name, read) => {
    const id = filter[name];
    if (!id) return;
    try {
      await read(id);
    } catch (error) {
      if (!isOutOfReach(error) || state.isEnded || filter[name] !== id) return;
      filter[name] = '';
      page.refresh(context, state);
    }
    context.redraw();
  };
  const device = async (/** @type {string} */ id) => {
    const data = await call('GET', `/devices/${encodeURIComponent(id)}`, { isQuiet: true });
    if (filter.deviceId === id) state.picker.chosen.set(id, data.device);
  };
  const user = async (/** @type {string} */ id) => {
    if (id === context.user.id) { state.people.chosen.set(id, context.user); return; }
    const data = await call('GET', `/users/${encodeURIComponent(id)}`, { isQuiet: true });
    if (filter.userId === id) state.people.chosen.set(id, data.user);
  };
  await Promise.all([choose('deviceId', device), choose('userId', user)]);
}
