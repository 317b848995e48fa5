// The log as a file: CSV, or NDJSON with proofs. It says how much has arrived, and whether that is all.
// @ts-check
import { call, queryText } from './api.js';
import { Broken, download, isDirect, sizeText } from './download.js';
import { button, dialog, notice, select } from './parts.js';
import { h } from './view.js';
import { counted, sentenceOf } from './words.js';

/**
 * @typedef {Console.Work & {places: [string, string][] | null, place: string, format: string, cancel: AbortController,
 *   progress: import('./download.js').Progress | null, ended: string | null}} Export
 * @typedef {Console.State & {exporting: Export | null}} State a page with an export
 * @typedef {{query: import('./api.js').Query, isSearched: boolean}} Selection the filters of the API, and whether the
 *   page shows fewer records than these
 */

/**
 * @param {Console.Context} context @param {State} state @param {string} propertyId of the filter, or empty
 */
export async function openExport(context, state, propertyId) {
  /** @type {Export} */
  const own = {
    places: null, place: '', format: '', cancel: new AbortController(), progress: null, ended: null,
    error: null, isBusy: false,
  };
  state.exporting = own;
  context.redraw();
  try {
    const query = { limit: 200, sortBy: 'name' };
    const [{ portfolios }, { properties }] = await Promise.all([
      call('GET', '/portfolios', { query }), call('GET', '/properties', { query })]);
    const chosen = properties.find(({ id }) => id === propertyId);
    const around = portfolios.filter((one) => !propertyId || one.id === chosen?.portfolioId);
    const within = properties.filter((one) => !propertyId || one === chosen);
    const places = [
      ...around.filter((one) => context.ability.can('accessLog.export', 'Portfolio', one))
        .map((one) => [`portfolioId=${one.id}`, one.name]),
      ...within.filter((one) => context.ability.can('accessLog.export', 'Property', one))
        .map((one) => [`propertyId=${one.id}`, `Only ${one.name}`]),
    ];
    Object.assign(own, { places, place: places[0]?.[0] || '' });
  } catch (error) {
    own.error = error;
  }
  context.redraw();
}

/**
 * @param {Console.Context} context @param {State} state @param {Export} own @param {Selection} selection
 * @param {string} format
 */
async function save(context, state, own, { query }, format) {
  if (own.isBusy) return;
  Object.assign(own, { isBusy: true, error: null, ended: null, format, progress: null, cancel: new AbortController() });
  context.redraw();
  const [name, id] = own.place.split('=');
  const path = `/access-records/export${queryText({ ...query, [name]: id, format })}`;
  try {
    const saved = await download(path, `doorward-log.${format}`, {
      signal: own.cancel.signal, refusal: 'The export was refused.',
      onprogress: (progress) => { own.progress = progress; context.redraw(); },
    });
    if (saved && !state.isEnded) {
      context.note(`The export is saved: ${amount(format, saved)}. It is recorded in the log.`);
      if (state.exporting === own) state.exporting = null;
    }
  } catch (error) {
    if (error instanceof Broken) own.ended = endText(error, format);
    else own.error = error;
    if (!state.isEnded) context.announce(own.ended || sentenceOf(own.error));
  }
  own.isBusy = false;
  context.redraw();
}

/**
 * How much has arrived.
 *
 * @param {string} format @param {import('./download.js').Progress} progress
 */
export function amount(format, { bytes, lines }) {
  // The first line names the columns. The lines of the other format are also proofs.
  return format === 'csv' ? `${counted(Math.max(0, lines - 1), 'record')}, ${sizeText(bytes)}` : sizeText(bytes);
}

/**
 * Why a file is not there.
 *
 * @param {Broken} broken @param {string} format
 */
export function endText({ isCancelled, progress }, format) {
  const what = isCancelled ? 'The export was cancelled' : 'The export ended before its end';
  const after = progress.bytes > 0 ? ` after ${amount(format, progress)}` : '';
  return `${what}${after}. The file would be incomplete, so nothing is saved. `
    + 'The log may have a record of this export.';
}

/** @param {Console.Context} context @param {State} state @param {Selection} selection */
export function exportDialog(context, state, selection) {
  const own = /** @type {Export} */ (state.exporting);
  const close = () => { own.cancel.abort(); state.exporting = null; context.redraw(); };
  return dialog({ title: 'Export', onclose: close },
    h('p', null, 'The records that match the filters of this page. The export itself is recorded in the log.'),
    selection.isSearched && notice('info',
      'The gateway does not search in stated reasons, so the file also has the records without the text that you '
      + 'search for.'),
    own.error && notice('bad', sentenceOf(own.error)),
    h('div', { role: 'status' }, own.ended && notice('bad', own.ended)),
    own.places && own.places.length === 0 && notice('info', 'None of your roles may export a log here.'),
    own.places && own.places.length > 0 && choice(context, state, own, selection));
}

/** @param {Console.Context} context @param {State} state @param {Export} own @param {Selection} selection */
function choice(context, state, own, selection) {
  const one = (/** @type {string} */ format, /** @type {string} */ title, kind = '') => button(title, {
    id: `export-${format}`, kind, busy: own.isBusy, onclick: () => save(context, state, own, selection, format),
  });
  return h('div', { key: 'form' },
    select('Of', {
      id: 'export-place', value: own.place, onchange: (place) => { own.place = place; context.redraw(); },
    }, own.places || []),
    own.isBusy && h('div', { key: 'progress', id: 'export-progress' },
      h('p', null, own.progress ? `${amount(own.format, own.progress)} so far.` : 'Waiting for the gateway.'),
      h('progress', { 'aria-label': 'Export' })),
    h('div.buttons', null,
      one('csv', 'CSV', 'primary'), one('ndjson', 'NDJSON with proofs'),
      own.isBusy && button('Cancel the export', { id: 'cancel-export', onclick: () => own.cancel.abort() })),
    h('p.hint.after', null, 'The NDJSON file is verified offline by ', h('code', null, 'doorward audit verify'), '.',
      !isDirect() && ' This browser keeps the file until it has arrived completely.'));
}
