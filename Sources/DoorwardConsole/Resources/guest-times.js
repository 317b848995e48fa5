// The times of a guest access in words, and local times on the clock of a zone, whose instants the gateway works out.
// @ts-check
import { nameOf, operationOf } from './words.js';

/**
 * @typedef {'none' | 'gap' | 'overlap'} Change what a change of the clock does to a local time
 * @typedef {NonNullable<API.GuestAccess['schedule']>} Schedule
 */

/** @param {API.GuestAccess} access @param {Date} [now] */
export function standing(access, now = new Date()) {
  if (access.revokedAt) return { word: 'Revoked', tone: 'idle', isOver: true };
  if (new Date(access.validUntil) <= now) return { word: 'Ended', tone: 'idle', isOver: true };
  if (access.maxUses !== null && access.usesLeft === 0) return { word: 'No uses left', tone: 'idle', isOver: false };
  if (new Date(access.validFrom) > now) return { word: 'Scheduled', tone: 'busy', isOver: false };
  return { word: 'Active', tone: 'ok', isOver: false };
}

/**
 * The person whom an access lets in: the label of the access, or the name of the account.
 *
 * @param {API.GuestAccess} access
 */
export const titleOf = (access) => access.label || (access.guest ? nameOf(access.guest) : 'A guest');

/** The operations that guests are given, in the order in which they are told. */
export const operations = ['UNLOCK', 'LOCK', 'UNLATCH'];

/**
 * What an access allows, in words.
 *
 * @param {string[]} allowed
 */
export const verbsOf = (allowed) => [...operations.filter((one) => allowed.includes(one)),
  ...allowed.filter((one) => !operations.includes(one))]
  .map((one) => operationOf(one).verb.toLowerCase());

// Local times.

/** @type {Map<string, Intl.DateTimeFormat>} */
const clocks = new Map();

/**
 * Year, month, day, hour and minute on the clock of a time zone; null is the one of this browser.
 *
 * @param {number} at @param {string | null | undefined} timeZone
 */
function partsOf(at, timeZone) {
  let clock = clocks.get(timeZone || '');
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-GB', {
      timeZone: timeZone || undefined, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit',
      minute: '2-digit', hourCycle: 'h23',
    });
    clocks.set(timeZone || '', clock);
  }
  return Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, value]));
}

/**
 * `2026-11-25T14:30`, on the clock of a time zone.
 *
 * @param {Date} at @param {string | null | undefined} timeZone
 */
export function localText(at, timeZone) {
  const parts = partsOf(at.getTime(), timeZone);
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}`;
}

/**
 * A local time in words, which is no instant yet.
 *
 * @param {string} text `2026-11-25T14:30`
 */
export function localWords(text) {
  const at = new Date(`${text}Z`);
  return Number.isNaN(at.getTime()) ? 'none' : new Intl.DateTimeFormat('en-GB', {
    weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit',
    timeZone: 'UTC',
  }).format(at);
}

/**
 * The instant of a local time on the clock of this browser, for a property without a zone.
 *
 * @param {string} text @returns {string} the text itself if it is no time
 */
export function instantHere(text) {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
}

/**
 * The instant in a time zone and in UTC.
 *
 * @param {string} instant @param {string | null | undefined} zone
 */
export function resolved(instant, zone) {
  const options = /** @type {const} */ ({
    weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit',
    timeZoneName: 'short',
  });
  const local = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone || undefined }).format(new Date(instant));
  return `${local} (${instant.slice(11, 16)} UTC)`;
}

const changes = {
  gap: 'This local time does not exist on that day, as the clock goes forward: it is the moment of the change.',
  overlap: 'This local time exists twice on that day, as the clock goes back: it is the first one.',
  none: '',
};
/** @param {Change | undefined} change */
export const noteOfChange = (change) => changes[change || 'none'] || '';

/**
 * The end of an access that is extended: an hour is an hour; a day and a week end at the same time of the day.
 *
 * @param {string} validUntil @param {'hour' | 'day' | 'week'} step @param {string | null | undefined} zone
 * @returns {{instant: string} | {text: string}} an instant, or a local time for the gateway to resolve
 */
export function later(validUntil, step, zone) {
  const end = new Date(validUntil);
  if (step === 'hour') return { instant: new Date(end.getTime() + 3600000).toISOString() };
  const day = new Date(`${localText(end, zone)}Z`);
  day.setUTCDate(day.getUTCDate() + (step === 'day' ? 1 : 7));
  return { text: day.toISOString().slice(0, 16) };
}

// Hours.

/** @type {[string, string][]} */
export const days = [['MON', 'Mon'], ['TUE', 'Tue'], ['WED', 'Wed'], ['THU', 'Thu'], ['FRI', 'Fri'], ['SAT', 'Sat'],
  ['SUN', 'Sun']];

/**
 * `Mon–Fri`, `Sat, Sun`; three or more days in a row are one range.
 *
 * @param {string[]} chosen
 */
function daysText(chosen) {
  /** @type {number[][]} */
  const runs = [];
  days.forEach(([id], index) => {
    if (!chosen.includes(id)) return;
    const last = runs.at(-1);
    if (last && last[last.length - 1] === index - 1) last.push(index);
    else runs.push([index]);
  });
  const word = (/** @type {number} */ index) => days[index][1];
  const text = (/** @type {number[]} */ run) =>
    run.length > 2 ? `${word(run[0])}–${word(run[run.length - 1])}` : run.map(word).join(', ');
  return runs.map(text).join(', ');
}

const dateFormat = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC',
});

/** @param {{from: string, until: string}[]} periods */
const periodsText = (periods) => periods.map(({ from, until }) => `${from}–${until}`).join(' and ');

/**
 * The hours of an access, one line for each group of days and for each special day.
 *
 * @param {Schedule | null} schedule @returns {string[]} none if it has no hours
 */
export function hoursText(schedule) {
  if (!schedule) return [];
  /** @type {Map<string, {from: string, until: string}[]>} */
  const groups = new Map();
  for (const { days: of, from, until } of schedule.periods) {
    const text = daysText(of);
    groups.set(text, [...(groups.get(text) || []), { from, until }]);
  }
  const special = (schedule.specialDays || []).map(({ date, periods }) => {
    return `${dateFormat.format(new Date(`${date}T00:00Z`))}: ${periods.length ? periodsText(periods) : 'closed'}`;
  });
  return [...[...groups].map(([text, periods]) => `${text}: ${periodsText(periods)}`), ...special];
}
