// The charts of the log: drawn as SVG, in the colours of the page. Each has its table.
// @ts-check
import { call } from './api.js';
import { h } from './view.js';
import { reasonOf } from './words.js';

/**
 * @typedef {{isDay: boolean, buckets: Bucket[], reasons: Record<string, number>}} Charts
 * @typedef {Console.Bucket & {reasons: Record<string, number>}} Bucket its denials are counted together, and by their
 *   reasons
 */

/** The parts of a bar, from the bottom. */
const series = [
  { id: 'confirmed', title: 'Confirmed', of: (/** @type {Record<string, number>} */ counts) => counts.CONFIRMED || 0 },
  { id: 'denied', title: 'Denied', of: (/** @type {Record<string, number>} */ counts) => counts.denied || 0 },
  {
    id: 'failed', title: 'Failed', of: (/** @type {Record<string, number>} */ counts) =>
      (counts.FAILED || 0) + (counts.TIMED_OUT || 0) + (counts.UNKNOWN || 0),
  },
];

/**
 * The counts for a time and for the place and the person of the filters, whatever kind of records is chosen.
 *
 * @param {import('./api.js').Query} own the filters of the API @param {boolean} isDay whether it is one day
 * @returns {Promise<Charts | null>}
 */
export async function readCharts(own, isDay) {
  const until = own.until ? new Date(String(own.until)) : new Date(Date.now() + 1000);
  let from = own.from ? new Date(String(own.from)) : new Date(until.getTime() - 30 * 86400000);
  // At most about a year in days.
  if (until.getTime() - from.getTime() > 366 * 86400000) from = new Date(until.getTime() - 366 * 86400000);
  if (from >= until) return null;
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { deviceId, propertyId, userId } = own;
  const period = { from: from.toISOString(), until: until.toISOString(), by: isDay ? 'hour' : 'day', timeZone };
  const query = { deviceId, propertyId, userId, ...period };
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
  for (const bucket of buckets) {
    for (const [reason, count] of Object.entries(bucket.reasons)) {
      reasons[reason] = (reasons[reason] || 0) + Number(count);
    }
  }
  return { isDay, buckets, reasons };
}

/** @param {number[]} numbers @returns {number} */
const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);

const dayLabel = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const hourLabel = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** @param {Charts | null} charts */
export function chartsView(charts) {
  if (!charts || charts.buckets.length === 0) return null;
  const { buckets, isDay, reasons } = charts;
  const total = sum(buckets.map((bucket) => sum(series.map((one) => one.of(bucket.counts)))));
  if (total === 0) return null;
  const label = (/** @type {Bucket} */ bucket) => (isDay ? hourLabel : dayLabel).format(new Date(bucket.from));
  const rows = Object.entries(reasons).sort((a, b) => b[1] - a[1]);
  return h(
    'div.charts', { key: 'charts' },
    h('figure.panel-card', { key: 'attempts' },
      h('figcaption', null, h('h2', null, isDay ? 'Attempts by hour' : 'Attempts by day'),
        h('ul.legend', null, series.map((one) => h('li', { key: one.id },
          h('span.swatch', { class: one.id, 'aria-hidden': 'true' }),
          `${one.title} ${sum(buckets.map((bucket) => one.of(bucket.counts)))}`)))),
      bars(buckets, label),
      h('details', null, h('summary', null, 'As a table'), h(
        'div.table-frame', { tabindex: '0', role: 'region', 'aria-label': 'Attempts' }, h(
        'table.table', null,
        h('thead', null, h('tr', null, h('th', { scope: 'col' }, isDay ? 'Hour' : 'Day'),
          series.map((one) => h('th.number', { key: one.id, scope: 'col' }, one.title)))),
        h('tbody', null, buckets.map((bucket) => h(
          'tr', { key: bucket.from }, h('th', { scope: 'row' }, label(bucket)),
          series.map((one) => h('td.number', { key: one.id }, one.of(bucket.counts))))))))),
    ),
    rows.length > 0 && h('figure.panel-card', { key: 'reasons' },
      h('figcaption', null, h('h2', null, 'Why requests were denied')),
      h('table.table.reasons', null,
        h('thead.hidden', null, h('tr', null, ['Reason', 'Share', 'Denials'].map((title) =>
          h('th', { key: title, scope: 'col' }, title)))),
        h('tbody', null, rows.map(([reason, count]) => h(
          'tr', { key: reason }, h('th', { scope: 'row' }, reasonOf(reason)),
          h('td', null, h(
            'svg', { viewBox: '0 0 100 10', class: 'share', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
            h('rect', { class: 'bar denied', x: 0, y: 0, width: (100 * count) / rows[0][1], height: 10 }))),
          h('td.number', null, count)))))));
}

/** @param {Bucket} bucket */
const textOf = (bucket) => series.map((one) => `${one.of(bucket.counts)} ${one.title.toLowerCase()}`).join(', ');

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
      [0.25, 0.5, 0.75, 1].map((part) => {
        const y = height - part * (height - 8);
        return h('line', { key: part, class: 'grid', x1: 0, x2: width, y1: y, y2: y });
      }),
      buckets.map((bucket, index) => {
        let top = height;
        return h('g', { key: bucket.from }, series.map((one) => {
          const size = (one.of(bucket.counts) / highest) * (height - 8);
          top -= size;
          const place = { x: index * step + gap / 2, y: top, width: step - gap, height: size };
          return size > 0 && h('rect', { key: one.id, class: 'bar ' + one.id, ...place });
        }), h('title', null, `${label(bucket)}: ${textOf(bucket)}`));
      })),
    h('div.axis', { 'aria-hidden': 'true' }, buckets.map((bucket, index) =>
      h('span', { key: bucket.from }, (buckets.length - 1 - index) % every === 0 && label(bucket)))),
    h('p.hint.highest', { 'aria-hidden': 'true' }, `Highest: ${highest}`));
}
