// Log: access records with filters, charts with their tables, and exports.
// @ts-check
import { call, queryText, save } from './api.js';
import { button, dialog, field, icon, isOutOfReach, keepsAfter, notice, select, whenLoaded } from './parts.js';
import { DoorPicker, pickerSelect } from './picker.js';
import { timeline } from './records.js';
import { h } from './view.js';
import { counted, reasonOf, sentenceOf } from './words.js';

/**
 * @typedef {Console.State & import('./records.js').State & {
 *   records: API.AccessRecord[], cursor: string | null, query?: import('./api.js').Query, filter: Filter, picker: DoorPicker, charts: Charts | null, newer: number, reads: number,
 *   isReading?: boolean, timer?: number, exporting: Export | null, one: One | null}} State
 * @typedef {import('./records.js').State & Console.Resource & {id: string, record: API.AccessRecord | null}} One the
 *   record that the address names
 * @typedef {{kind: string, deviceId: string, outcome: string, span: string, from: string, until: string}} Filter
 * @typedef {{isDay: boolean, buckets: Bucket[], reasons: Record<string, number>}} Charts
 * @typedef {Console.Bucket & {reasons: Record<string, number>}} Bucket its denials are counted together, and by their reasons
 * @typedef {Console.Work & {places: [string, string][] | null, place: string}} Export
 */

/** @type {[string, string][]} */
const kinds = [
  ['', 'Everything'], ['COMMAND_OUTCOME', 'Commands and their outcome'], ['DENIAL', 'Denials'], ['DEVICE_EVENT', 'Reports of locks'],
  ['COMMAND_INTENT', 'Requests'], ['ADMIN_CHANGE', 'Changes of rights'], ['SESSION', 'Sign-ins'], ['GATEWAY', 'The gateway'],
];
/** @type {[string, string][]} */
const outcomes = [['', 'Any'], ['CONFIRMED', 'Confirmed'], ['FAILED', 'Failed'], ['TIMED_OUT', 'No confirmation'], ['UNKNOWN', 'Not known'], ['DENIED', 'Denied before sending']];
/** @type {[string, string][]} */
const spans = [['1', 'Last 24 hours'], ['7', 'Last 7 days'], ['30', 'Last 30 days'], ['', 'All of the log'], ['own', 'From … until …']];
const pageSize = 50;
/** @type {(keyof Filter)[]} */
const filterNames = ['kind', 'deviceId', 'outcome', 'span', 'from', 'until'];

/** @type {Console.Page<State>} */
const page = {
  start(context, path, query) {
    const filter = { kind: '', deviceId: '', outcome: '', span: '7', from: '', until: '' };
    for (const name of filterNames) if (query.has(name)) filter[name] = query.get(name) || '';
    /** @type {State} */
    const state = {
      status: 'loading', error: null, records: [], cursor: null, open: null, filter, picker: new DoorPicker(context), charts: null, readAt: '', isEnded: false,
      newer: 0, reads: 0, exporting: null, one: null,
    };
    const id = query.get('record');
    if (id) readOne(context, state, id);
    context.need([{ type: 'accessRecord', query: '' }]);
    page.refresh(context, state);
    chooseDoor(context, state);
    state.picker.read();
    return state;
  },
  end(state) { state.isEnded = true; state.picker.end(); clearTimeout(state.timer); },

  async refresh(context, state) {
    const number = ++state.reads;
    try {
      const query = { ...queryOf(state.filter), limit: pageSize };
      const [data, charts] = await Promise.all([
        call('GET', '/access-records', { query }), readCharts(state.filter),
      ]);
      if (state.isEnded || number !== state.reads) return;
      Object.assign(state, { status: 'loaded', error: null, query, records: data.accessRecords, cursor: data.nextCursor, charts, newer: 0, readAt: new Date().toISOString() });
    } catch (error) {
      if (state.isEnded || number !== state.reads) return;
      if (keepsAfter(context, state, error)) context.note(`The log could not be refreshed. ${sentenceOf(error)}`, 'bad');
    }
    context.redraw();
  },

  live(context, state, event, data) {
    // New records do not move the list while a person reads it: they are only announced, unless the list is at its top and no record is
    // open.
    const isNew = event === 'poll' || (event === 'change' && data.type === 'accessRecord');
    if (!isNew || state.status !== 'loaded' || state.records.length > pageSize) return;
    if (event === 'poll' || (scrollY < 200 && !state.open)) {
      if (scrollY < 200 && !state.open) soon(context, state);
      return;
    }
    state.newer++;
    context.redraw();
  },

  permissionsChanged(context, state, hasBegun) {
    if (!hasBegun) return;
    state.picker.read();
    page.refresh(context, state);
  },

  view(context, state) {
    const mayExport = ['Portfolio', 'Property', 'Gateway'].some((type) => context.ability.can('accessLog.export', type));
    return h(
      'div', { key: 'log' },
      h('div.page-head', null, h('h1', { tabindex: '-1' }, 'Log'), mayExport && button('Export', { id: 'export', onclick: () => openExport(context, state) })),
      state.one && oneView(context, state, state.one),
      filters(context, state),
      whenLoaded(state, () => { state.status = 'loading'; context.redraw(); page.refresh(context, state); }, () => [
        charts(state),
        state.newer > 0 && h('div.center', { key: 'newer' }, button(`Show ${counted(state.newer, 'new record')}`, { id: 'newer', kind: 'primary', onclick: () => page.refresh(context, state) })),
        state.records.length === 0
          ? h('div.empty', { key: 'empty' }, icon('log'), h('h2', null, 'No records'), h('p', null, 'Nothing matches these filters in this time.'))
          : h('div', { key: 'records' }, timeline(context, state, state.records, { showsDoor: true })),
        state.cursor && button('Show earlier records', { id: 'earlier', kind: 'wide', busy: state.isReading, onclick: () => more(context, state) }),
      ]),
      state.exporting && exportDialog(context, state));
  },
};
export default page;

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
  const close = () => { state.one = null; history.replaceState(null, '', '#/log'); context.redraw(); };
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

/**
 * The filters of the API.
 *
 * @param {Filter} filter
 */
function queryOf(filter) {
  const { kind, deviceId, outcome, span } = filter;
  let { from, until } = filter;
  if (span && span !== 'own') [from, until] = [new Date(Date.now() - Number(span) * 86400000).toISOString(), ''];
  else if (span === 'own') [from, until] = [from && new Date(from).toISOString(), until && new Date(until).toISOString()];
  else [from, until] = ['', ''];
  return { kind, deviceId, outcome, from, until };
}

/** @param {Console.Context} context @param {State} state */
async function more(context, state) {
  if (state.isReading) return;
  state.isReading = true;
  context.redraw();
  try {
    // The cursor is valid only with the filters of the first page.
    const data = await call('GET', '/access-records', { query: { ...state.query, cursor: state.cursor } });
    Object.assign(state, { records: [...state.records, ...data.accessRecords], cursor: data.nextCursor });
  } catch (error) {
    context.note(sentenceOf(error), 'bad');
  }
  state.isReading = false;
  context.redraw();
}

/**
 * Selects the door that the address names; a door that is not visible is ignored.
 *
 * @param {Console.Context} context @param {State} state
 */
async function chooseDoor(context, state) {
  const id = state.filter.deviceId;
  if (!id) return;
  try {
    const { device } = await call('GET', `/devices/${encodeURIComponent(id)}`, { isQuiet: true });
    if (state.filter.deviceId === id) state.picker.chosen.set(id, device);
  } catch (error) {
    if (!isOutOfReach(error) || state.isEnded) return;
    state.filter.deviceId = '';
    page.refresh(context, state);
  }
  context.redraw();
}

/** @param {Console.Context} context @param {State} state */
function filters(context, state) {
  const { filter } = state;
  const change = (/** @type {Partial<Filter>} */ values) => {
    Object.assign(filter, values);
    state.one = null;
    if (values.kind !== undefined && values.kind !== 'COMMAND_OUTCOME') filter.outcome = '';
    const query = new URLSearchParams(filterNames.map((name) => [name, filter[name]]).filter(([name, value]) => value && !(name === 'span' && value === '7')));
    if (!filter.span) query.set('span', '');
    history.replaceState(null, '', '#/log' + (String(query) && '?' + query));
    Object.assign(state, { open: null, isReading: false });
    page.refresh(context, state);
    context.redraw();
  };
  return h(
    'div.form-row.log-filters', { key: 'filters', role: 'group', 'aria-label': 'Filters' },
    select('What', { id: 'log-kind', value: filter.kind, onchange: (kind) => change({ kind }) }, kinds),
    filter.kind === 'COMMAND_OUTCOME' && select('Outcome', { id: 'log-outcome', value: filter.outcome, onchange: (outcome) => change({ outcome }) }, outcomes),
    pickerSelect(state.picker, { id: 'log-door', none: 'All doors', onchange: (door) => change({ deviceId: door?.id || '' }) }),
    select('When', { id: 'log-span', value: filter.span, onchange: (span) => change({ span }) }, spans),
    filter.span === 'own' && field('From', { id: 'log-from', type: 'datetime-local', value: filter.from, onchange: (event) => change({ from: event.target.value }) }),
    filter.span === 'own' && field('Until', { id: 'log-until', type: 'datetime-local', value: filter.until, onchange: (event) => change({ until: event.target.value }) }));
}

// Charts: drawn as SVG, in the colours of the page. Each has its table.

/** The parts of a bar, from the bottom. */
const series = [
  { id: 'confirmed', title: 'Confirmed', of: (/** @type {Record<string, number>} */ counts) => counts.CONFIRMED || 0 },
  { id: 'denied', title: 'Denied', of: (/** @type {Record<string, number>} */ counts) => counts.denied || 0 },
  { id: 'failed', title: 'Failed', of: (/** @type {Record<string, number>} */ counts) => (counts.FAILED || 0) + (counts.TIMED_OUT || 0) + (counts.UNKNOWN || 0) },
];

/** @param {Filter} filter */
async function readCharts(filter) {
  const isDay = filter.span === '1';
  const own = queryOf(filter);
  const until = filter.span === 'own' && own.until ? new Date(own.until) : new Date(Date.now() + 1000);
  let from = own.from ? new Date(own.from) : new Date(until.getTime() - 30 * 86400000);
  // At most about a year in days.
  if (until.getTime() - from.getTime() > 366 * 86400000) from = new Date(until.getTime() - 366 * 86400000);
  if (from >= until) return null;
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const query = { deviceId: filter.deviceId, from: from.toISOString(), until: until.toISOString(), by: isDay ? 'hour' : 'day', timeZone };
  const [done, denied] = await Promise.all([
    call('GET', '/access-records/summary', { query: { ...query, kind: 'COMMAND_OUTCOME', groupBy: 'outcome' } }),
    call('GET', '/access-records/summary', { query: { ...query, kind: 'DENIAL', groupBy: 'reason' } }),
  ]);
  const buckets = done.buckets.map((bucket, index) => {
    const reasons = denied.buckets[index]?.counts || {};
    return { ...bucket, counts: { ...bucket.counts, denied: sum(Object.values(reasons)) }, reasons };
  });
  /** @type {Record<string, number>} */
  const reasons = {};
  for (const bucket of buckets) for (const [reason, count] of Object.entries(bucket.reasons)) reasons[reason] = (reasons[reason] || 0) + Number(count);
  return { isDay, buckets, reasons };
}

/** @param {number[]} numbers @returns {number} */
const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);

const dayLabel = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const hourLabel = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** @param {State} state */
function charts(state) {
  if (!state.charts || state.charts.buckets.length === 0) return null;
  const { buckets, isDay, reasons } = state.charts;
  const total = sum(buckets.map((bucket) => sum(series.map((one) => one.of(bucket.counts)))));
  if (total === 0) return null;
  const label = (/** @type {Bucket} */ bucket) => (isDay ? hourLabel : dayLabel).format(new Date(bucket.from));
  const rows = Object.entries(reasons).sort((a, b) => b[1] - a[1]);
  return h(
    'div.charts', { key: 'charts' },
    h('figure.panel-card', { key: 'attempts' },
      h('figcaption', null, h('h2', null, isDay ? 'Attempts by hour' : 'Attempts by day'),
        h('ul.legend', null, series.map((one) => h('li', { key: one.id }, h('span.swatch', { class: one.id, 'aria-hidden': 'true' }), `${one.title} ${sum(buckets.map((bucket) => one.of(bucket.counts)))}`)))),
      bars(buckets, label),
      h('details', null, h('summary', null, 'As a table'), h('div.table-frame', { tabindex: '0', role: 'region', 'aria-label': 'Attempts' }, h(
        'table.table', null,
        h('thead', null, h('tr', null, h('th', { scope: 'col' }, isDay ? 'Hour' : 'Day'), series.map((one) => h('th.number', { key: one.id, scope: 'col' }, one.title)))),
        h('tbody', null, buckets.map((bucket) => h(
          'tr', { key: bucket.from }, h('th', { scope: 'row' }, label(bucket)), series.map((one) => h('td.number', { key: one.id }, one.of(bucket.counts))))))))),
    ),
    rows.length > 0 && h('figure.panel-card', { key: 'reasons' },
      h('figcaption', null, h('h2', null, 'Why requests were denied')),
      h('table.table.reasons', null,
        h('thead.hidden', null, h('tr', null, ['Reason', 'Share', 'Denials'].map((title) => h('th', { key: title, scope: 'col' }, title)))),
        h('tbody', null, rows.map(([reason, count]) => h(
          'tr', { key: reason }, h('th', { scope: 'row' }, reasonOf(reason)),
          h('td', null, h('svg', { viewBox: '0 0 100 10', class: 'share', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, h('rect', { class: 'bar denied', x: 0, y: 0, width: (100 * count) / rows[0][1], height: 10 }))),
          h('td.number', null, count)))))));
}

/**
 * Stacked bars.
 *
 * @param {Bucket[]} buckets @param {(bucket: Bucket) => string} label
 */
function bars(buckets, label) {
  const [width, height] = [600, 160];
  const highest = Math.max(1, ...buckets.map((bucket) => sum(series.map((one) => one.of(bucket.counts)))));
  const step = width / buckets.length;
  const gap = Math.min(4, step * 0.2);
  const every = Math.ceil(buckets.length / 6);
  return h(
    'div.chart', null,
    h('svg', { viewBox: `0 0 ${width} ${height}`, class: 'bars', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      [0.25, 0.5, 0.75, 1].map((part) => h('line', { key: part, class: 'grid', x1: 0, x2: width, y1: height - part * (height - 8), y2: height - part * (height - 8) })),
      buckets.map((bucket, index) => {
        let top = height;
        return h('g', { key: bucket.from }, series.map((one) => {
          const size = (one.of(bucket.counts) / highest) * (height - 8);
          top -= size;
          return size > 0 && h('rect', { key: one.id, class: 'bar ' + one.id, x: index * step + gap / 2, y: top, width: step - gap, height: size });
        }), h('title', null, `${label(bucket)}: ${series.map((one) => `${one.of(bucket.counts)} ${one.title.toLowerCase()}`).join(', ')}`));
      })),
    h('div.axis', { 'aria-hidden': 'true' }, buckets.map((bucket, index) => h('span', { key: bucket.from }, (buckets.length - 1 - index) % every === 0 && label(bucket)))),
    h('p.hint.highest', { 'aria-hidden': 'true' }, `Highest: ${highest}`));
}

// Export.

/** @param {Console.Context} context @param {State} state */
async function openExport(context, state) {
  state.exporting = { places: null, place: '', error: null, isBusy: false };
  context.redraw();
  try {
    const query = { limit: 200, sortBy: 'name' };
    const [{ portfolios }, { properties }] = await Promise.all([call('GET', '/portfolios', { query }), call('GET', '/properties', { query })]);
    const places = [
      ...portfolios.filter((one) => context.ability.can('accessLog.export', 'Portfolio', one)).map((one) => [`portfolioId=${one.id}`, one.name]),
      ...properties.filter((one) => context.ability.can('accessLog.export', 'Property', one)).map((one) => [`propertyId=${one.id}`, `Only ${one.name}`]),
    ];
    if (state.exporting) Object.assign(state.exporting, { places, place: places[0]?.[0] || '' });
  } catch (error) {
    if (state.exporting) state.exporting.error = error;
  }
  context.redraw();
}

/** @param {Console.Context} context @param {State} state */
function exportDialog(context, state) {
  const own = /** @type {Export} */ (state.exporting);
  const close = () => { state.exporting = null; context.redraw(); };
  const download = (/** @type {string} */ format) => async () => {
    if (own.isBusy) return;
    Object.assign(own, { isBusy: true, error: null });
    context.redraw();
    try {
      const [name, id] = own.place.split('=');
      await save(`/access-records/export${queryText({ ...queryOf(state.filter), [name]: id, format })}`, `doorward-log.${format}`, 'The export was refused.');
      context.note('The export is saved. It is recorded in the log.');
      close();
    } catch (error) {
      own.error = error;
    }
    own.isBusy = false;
    context.redraw();
  };
  return dialog({ title: 'Export', onclose: close },
    h('p', null, 'The records that match the filters of this page. The export itself is recorded in the log.'),
    own.error && notice('bad', sentenceOf(own.error)),
    own.places && own.places.length === 0 && notice('info', 'None of your roles may export a log here.'),
    own.places && own.places.length > 0 && h('div', { key: 'form' },
      select('Of', { id: 'export-place', value: own.place, onchange: (place) => { own.place = place; context.redraw(); } }, own.places),
      h('div.buttons', null,
        button('CSV', { id: 'export-csv', kind: 'primary', busy: own.isBusy, onclick: download('csv') }),
        button('NDJSON with proofs', { id: 'export-ndjson', busy: own.isBusy, onclick: download('ndjson') })),
      h('p.hint.after', null, 'The NDJSON file is verified offline by ', h('code', null, 'doorward audit verify'), '.')));
}
