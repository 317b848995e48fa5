// What a change of a property's time zone does to its guest accesses: the hours without a zone of their own move.
// @ts-check
import { days, hoursText, localText, resolved, titleOf } from './guest-times.js';
import { notice } from './parts.js';
import { readAll } from './scopes.js';
import { h } from './view.js';
import { counted } from './words.js';

/**
 * @typedef {{from: Date, until: Date}} Interval
 * @typedef {{access: API.GuestAccess, before: Interval | null, after: Interval | null, moves: boolean}} Move
 *   the next time at which an access is open, on the one clock and on the other one; `moves` is whether they differ
 * @typedef {Console.Resource & {zone: string, moves: Move[], others: number}} Effects
 *   `others` counts the accesses that no change of the zone can move
 */

/** How many days ahead the next opening is searched. */
const daysAhead = 400;

/** @param {string} date @param {number} count */
function later(date, count) {
  const day = new Date(`${date}T00:00Z`);
  day.setUTCDate(day.getUTCDate() + count);
  return day.toISOString().slice(0, 10);
}

/** @param {string} date */
const weekday = (date) => days[(new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7][0];

/** @type {Map<string, Intl.DateTimeFormat>} */
const clocks = new Map();

/**
 * What the clock of a time zone shows at an instant, as milliseconds of UTC.
 *
 * @param {number} at @param {string} timeZone
 */
function wall(at, timeZone) {
  let clock = clocks.get(timeZone);
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-GB', {
      timeZone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
      hourCycle: 'h23',
    });
    clocks.set(timeZone, clock);
  }
  const parts = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
}

const hour = 3600000;

/**
 * The instant of a local time by the rules of the gateway: where the clock goes forward over it, the moment of the
 * change; where the clock shows it twice, the first one.
 *
 * @param {string} text `2026-11-25T14:30` @param {string} timeZone
 */
function resolve(text, timeZone) {
  const wanted = new Date(`${text}Z`).getTime();
  const near = [-26, -13, 0, 13, 26].map((hours) => wanted + hours * hour);
  const offsets = new Set(near.map((at) => wall(at, timeZone) - at));
  const found = [...offsets].map((offset) => wanted - offset).filter((at) => wall(at, timeZone) === wanted);
  if (found.length > 0) return new Date(Math.min(...found));
  // The first instant at which the clock shows this time or a later one.
  let [before, after] = [wanted - Math.max(...offsets) - 1, wanted - Math.min(...offsets)];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (wall(middle, timeZone) >= wanted) after = middle;
    else before = middle;
  }
  return new Date(after);
}

/**
 * The hours that begin on a date, by the rules of the gateway: `specialDayCut` decides about hours over midnight.
 *
 * @param {import('./guest-times.js').Schedule} schedule @param {string} date @param {string} zone @returns {Interval[]}
 */
function hoursFrom(schedule, date, zone) {
  const instant = (/** @type {string} */ day, /** @type {string} */ time) => {
    const text = time === '24:00' ? `${later(day, 1)}T00:00` : `${day}T${time}`;
    return resolve(text, zone);
  };
  const special = (/** @type {string} */ day) => (schedule.specialDays || []).find((one) => one.date === day) || null;
  const next = later(date, 1);
  const isCut = schedule.specialDayCut !== 'start';
  const interval = (/** @type {{from: string, until: string}} */ { from, until }) =>
    ({ from: instant(date, from), until: instant(until <= from ? next : date, until) });
  const midnight = instant(next, '00:00');
  const cut = (/** @type {Interval} */ one) =>
    (isCut && special(next) && one.until > midnight ? { ...one, until: midnight } : one);
  const own = special(date);
  const day = /** @type {'MON'} */ (weekday(date));
  const ordinary = schedule.periods.filter((one) => one.days.includes(day)).map(interval);
  if (!own) return ordinary.map(cut);
  // Of hours that would have begun on a special day, those after midnight are of the next day.
  const rest = isCut && !special(next) ? ordinary.map((one) => ({ ...one, from: midnight })) : [];
  return [...own.periods.map(interval).map(cut), ...rest];
}

/**
 * The next time at which an access is open, or the current one.
 *
 * @param {API.GuestAccess} access with hours @param {string | null} zone of the property @param {Date} [now]
 * @returns {Interval | null} null if it is never open again
 */
export function nextOpen(access, zone, now = new Date()) {
  const { schedule } = access;
  const clock = schedule?.timeZone || zone;
  if (!schedule || !clock) return null;
  const [begin, end] = [new Date(access.validFrom), new Date(access.validUntil)];
  const first = begin > now ? begin : now;
  const date = later(localText(first, clock).slice(0, 10), -1);
  /** @type {Interval[]} */
  let open = [];
  for (let day = 0; day <= daysAhead; day++) {
    const found = hoursFrom(schedule, later(date, day), clock)
      .map(({ from, until }) => ({ from: from < begin ? begin : from, until: until > end ? end : until }))
      .filter(({ from, until }) => from < until);
    open = joined([...open, ...found]).filter(({ until }) => until > now);
    // Hours of the next day can continue the last ones.
    if (open.length > 0 && day > 1 && !found.some(({ until }) => until.getTime() === open[0].until.getTime())) break;
  }
  return open[0] || null;
}

/**
 * Adjacent and overlapping intervals as one.
 *
 * @param {Interval[]} list @returns {Interval[]}
 */
function joined(list) {
  /** @type {Interval[]} */
  const found = [];
  for (const one of [...list].sort((a, b) => a.from.getTime() - b.from.getTime())) {
    const last = found.at(-1);
    if (last && one.from <= last.until) last.until = one.until > last.until ? one.until : last.until;
    else found.push({ ...one });
  }
  return found;
}

/**
 * The accesses whose hours are on the clock of the property, with their next opening on both clocks.
 *
 * @param {API.GuestAccess[]} accesses @param {string | null} before @param {string | null} after @param {Date} [now]
 * @returns {Move[]}
 */
export function movesOf(accesses, before, after, now = new Date()) {
  return accesses.filter(({ schedule }) => schedule && !schedule.timeZone).map((access) => {
    const [one, other] = [before, after].map((zone) => nextOpen(access, zone, now));
    const text = (/** @type {Interval | null} */ of) => of && `${of.from.toISOString()} ${of.until.toISOString()}`;
    return { access, before: one, after: other, moves: text(one) !== text(other) };
  });
}

/**
 * Reads what a change of the zone of a property does.
 *
 * @param {string} propertyId @param {string} before @param {string} zone empty for none @returns {Promise<Effects>}
 */
export async function readEffects(propertyId, before, zone) {
  const accesses = await readAll('/guest-access', 'guestAccesses', { propertyId, active: true, sortBy: 'validFrom' });
  const moves = movesOf(accesses, before || null, zone || null);
  return { status: 'loaded', zone, moves, others: accesses.length - moves.length };
}

/** @param {Interval | null} interval @param {string | null} zone */
const intervalText = (interval, zone) => {
  if (!zone) return 'never, as its hours have no clock';
  const text = (/** @type {Date} */ at) => resolved(at.toISOString(), zone);
  return interval ? `${text(interval.from)} until ${text(interval.until)}` : 'not again before its end';
};

/**
 * What changes with the zone, before it is saved.
 *
 * @param {Effects} effects @param {string} before empty for none
 */
export function effectsView({ zone, moves, others }, before) {
  const shown = moves.slice(0, 20);
  return h('div.zone-effects', { id: 'zone-effects', key: 'effects' },
    moves.length === 0 ? notice('info', 'No guest access has hours on the clock of the property, so none moves.')
      : notice('warn', h('p', null,
        `The hours of ${counted(moves.length, 'guest access', 'guest accesses')} are on the clock of the property, `,
        zone ? `and are read on that of ${zone} from the moment of saving, also for commands that wait.`
          : 'and are open at no time when it has no zone.')),
    shown.length > 0 && h('ul.rows', null, shown.map(({ access, before: one, after: other, moves: isMoved }) => h(
      'li.row', { key: access.id },
      h('span.record-text', null, h('strong', null, titleOf(access)),
        h('span.record-sub', null, hoursText(access.schedule).join('; ')),
        h('span.record-sub', null, `Open next: ${intervalText(one, before || null)}.`),
        h('span.record-sub', null,
          isMoved ? `Then: ${intervalText(other, zone || null)}.` : 'The next time does not move.'))))),
    moves.length > shown.length
      && h('p.hint', null, `And ${counted(moves.length - shown.length, 'more access', 'more accesses')}.`),
    h('p.hint', null, 'The start and the end of each access are stored as instants, and do not move.',
      others > 0 && ` ${counted(others, 'other access', 'other accesses')} without hours, or with hours on a clock `
        + 'of their own, stay as they are.'));
}
