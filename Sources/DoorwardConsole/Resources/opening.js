// Who has opened a door last: a sentence from the records of its commands and of the reports of its lock.
// @ts-check
import { call } from './api.js';
import { icon, time } from './parts.js';
import { actorOf, methodWords, recordAddress } from './records.js';
import { h } from './view.js';
import { exactTime, operationOf } from './words.js';

/**
 * @typedef {{record: API.AccessRecord | null, earlier: API.AccessRecord | null, isLate: boolean, isCertain: boolean}}
 *   Opening `record` is the newest opening; `earlier` the last one that is confirmed, if the newest is not; `isLate`
 *   whether the lock confirmed it after the deadline; `isCertain` whether no record was left unread that could be newer
 * @typedef {{opening: Opening | null, openingOf: string}} Holder what keeps it, and for which door and state
 */

/** How many pages of each kind are read. */
const maxPages = 3;
const sources = {
  API: 'through the API', CONSOLE: 'from the console', CLI: 'from the command line', GUEST_LINK: 'by a guest link',
};

/** @param {API.AccessRecord} record */
const isConfirmed = ({ kind, outcome }) => kind === 'DEVICE_EVENT' || outcome === 'CONFIRMED';
/** @param {API.AccessRecord} record */
const isUnsure = ({ outcome }) => outcome === 'TIMED_OUT' || outcome === 'UNKNOWN';
/** @param {API.AccessRecord} record */
const isReport = ({ event }) => event === 'UNLOCKED' || event === 'UNLATCHED';

/**
 * The newest opening among the records of commands that open, and of reports.
 *
 * @param {API.AccessRecord[]} records
 */
export function openingAmong(records) {
  const sorted = [...records].sort((a, b) => b.at.localeCompare(a.at));
  const late = new Set(sorted.filter(({ event }) => event === 'COMMAND_DELIVERED_LATE')
    .map(({ commandId }) => commandId));
  const openings = sorted.filter((one) =>
    (one.kind === 'COMMAND_OUTCOME' && (isConfirmed(one) || isUnsure(one))) || isReport(one));
  const record = openings[0] || null;
  const isLate = !!record && isUnsure(record) && late.has(record.commandId);
  const earlier = record && isUnsure(record) && !isLate ? openings.find(isConfirmed) || null : null;
  return { record, earlier, isLate };
}

/**
 * The newest records of a kind, until one of them is wanted.
 *
 * @param {string} deviceId @param {import('./api.js').Query} query
 * @param {(record: API.AccessRecord) => boolean} isWanted
 */
async function newest(deviceId, query, isWanted) {
  /** @type {API.AccessRecord[]} */
  const records = [];
  /** @type {string | null} */
  let cursor = null;
  for (let page = 0; page < maxPages; page++) {
    const path = `/devices/${encodeURIComponent(deviceId)}/access-records`;
    /** @type {Console.Answer} */
    const data = await call('GET', path, { query: { ...query, limit: 50, cursor }, isQuiet: true });
    records.push(...data.accessRecords);
    cursor = data.nextCursor;
    if (!cursor || data.accessRecords.some(isWanted)) break;
  }
  return { records, isAll: !cursor };
}

/** @param {string} deviceId @returns {Promise<Opening>} */
export async function readOpening(deviceId) {
  const command = (/** @type {string} */ operation) =>
    newest(deviceId, { kind: 'COMMAND_OUTCOME', operation }, isConfirmed);
  const lists = await Promise.all([
    command('UNLOCK'), command('UNLATCH'), newest(deviceId, { kind: 'DEVICE_EVENT' }, isReport)]);
  const found = openingAmong(lists.flatMap(({ records }) => records));
  // What was not read is older than what was read of the same kind.
  const isCertain = lists.every(({ records, isAll }) => {
    const last = records.at(-1);
    return isAll || (!!last && !!found.record && last.at <= found.record.at);
  });
  return { ...found, isCertain };
}

/**
 * The sentence about an opening, before its time and after it.
 *
 * @param {API.AccessRecord} record @param {string} door @param {boolean} isLate @returns {[string, string]}
 */
function partsOf(record, door, isLate) {
  const { kind, operation, event, method } = record;
  if (kind === 'DEVICE_EVENT') {
    const done = event === 'UNLATCHED' ? 'unlatched' : 'unlocked';
    const how = method && method !== 'UNKNOWN' ? ` ${methodWords[method] || ''}`.trimEnd() : '';
    const name = (record.actor || record.actorName || '').trim();
    const who = method === 'AUTO' ? 'The lock' : name || 'Someone';
    return [`${who} ${done} ${door} at the lock${how}, `, '. The lock reported it.'];
  }
  const words = operationOf(operation);
  const who = actorOf(record) || 'Someone';
  const source = sources[/** @type {'API'} */ (record.source)];
  const how = source ? ` ${source}` : '';
  if (record.outcome === 'CONFIRMED' || isLate) {
    const end = isLate ? '. The lock confirmed it late.' : '. The lock confirmed it.';
    return [`${who} ${words.done.toLowerCase()} ${door}${how}, `, end];
  }
  return [`${who} asked to ${words.verb.toLowerCase()} ${door}${how}, `,
    '. The lock did not confirm it: it is not known whether the door was open.'];
}

/**
 * An opening as a sentence.
 *
 * @param {API.AccessRecord} record @param {string} door @param {boolean} [isLate]
 */
export const openingText = (record, door, isLate = false) =>
  partsOf(record, door, isLate).join(exactTime(record.at));

/**
 * Reads who has opened a door last, unless it is known for this state of it.
 *
 * @param {Console.Context} context @param {Holder & {isEnded: boolean}} holder @param {string} deviceId
 * @param {string} [key] what changes with the door
 */
export async function refreshOpening(context, holder, deviceId, key = '') {
  const own = `${deviceId} ${key}`;
  if (holder.openingOf === own) return;
  if (!holder.openingOf.startsWith(`${deviceId} `)) holder.opening = null;
  holder.openingOf = own;
  try {
    const opening = await readOpening(deviceId);
    if (holder.isEnded || holder.openingOf !== own) return;
    holder.opening = opening;
  } catch {
    // The page says by itself what could not be read; the sentence is left out, and read again with the page.
    if (holder.openingOf === own) Object.assign(holder, { opening: null, openingOf: '' });
  }
  context.redraw();
}

/**
 * @param {Opening | null} opening @param {string} door its name
 */
export function openingView(opening, door) {
  if (!opening) return null;
  const { record, earlier, isLate, isCertain } = opening;
  const sentence = (/** @type {API.AccessRecord} */ one, /** @type {boolean} */ late) => {
    const [before, after] = partsOf(one, door, late);
    return [before, time(one.at), after, ' ', h('a', { href: recordAddress(one.id) }, 'See the record')];
  };
  return h('p.opening', { key: 'opening', id: 'last-opening' }, icon('open'), h('span', null,
    record ? sentence(record, isLate) : isCertain ? `As far as the log goes back, nobody has opened ${door}.`
      : `Nobody has opened ${door} in the newest records; older ones were not read.`,
    earlier && ['. Before that: ', sentence(earlier, false), '.'],
    record && !isCertain && ' Some reports of the lock were not read: it may have been opened since.'));
}
