// What needs someone: doors with a low battery, offline or unlocked for long, jammed, and guest accesses that end soon.
// @ts-check
import { call } from './api.js';
import { LiveObjects } from './live.js';
import { icon } from './parts.js';
import { h } from './view.js';
import { counted } from './words.js';

const hour = 3600000;
const week = 7 * 24 * hour;
/** How many accesses are read: those that end first. */
const maxAccesses = 200;

/**
 * @typedef {{accesses: Console.LiveObjects<API.GuestAccess>, isReading: boolean}} Ending
 * @typedef {{id: string, text: string, tone: string, icon: Console.Icon, href: string, show: string | null}} Item
 *   `show` is the filter of the doors; null for a link to another page
 */

/** Whether an instant is longer ago than an hour. */
const isLongAgo = (/** @type {string | null | undefined} */ instant, /** @type {number} */ now) =>
  Boolean(instant) && now - new Date(/** @type {string} */ (instant)).getTime() >= hour;

/**
 * The filters of doors that need someone, besides those of the counters. What a person does not see of a door is
 * absent, and does not count.
 *
 * @type {{id: string, title: string, tone: string, icon: Console.Icon,
 *   has: (device: API.Device, now?: number) => boolean}[]}
 */
export const filters = [
  {
    id: 'offline-long', title: 'Offline for an hour', tone: 'bad', icon: 'offline',
    has: ({ isOnline, lastSeen }, now = Date.now()) => isOnline === false && isLongAgo(lastSeen, now),
  },
  {
    id: 'open-long', title: 'Unlocked for an hour', tone: 'warn', icon: 'unlocked',
    has: ({ state, stateAt }, now = Date.now()) =>
      ['UNLOCKED', 'UNLATCHED'].includes(state || '') && isLongAgo(stateAt, now),
  },
];

/**
 * Whether an access ends within a week.
 *
 * @param {API.GuestAccess} access @param {number} [now]
 */
export function endsSoon({ revokedAt, validUntil }, now = Date.now()) {
  const left = new Date(validUntil).getTime() - now;
  return revokedAt === null && left > 0 && left <= week;
}

/** @returns {Ending} */
export const newEnding = () => ({
  accesses: new LiveObjects({ type: 'guestAccess', query: 'active=true' }, (_, isNamed) => isNamed), isReading: false,
});

/**
 * Reads the accesses that end first. A failure leaves them out: the doors do not depend on them.
 *
 * @param {Ending} ending
 */
export async function readEnding(ending) {
  if (ending.isReading) return;
  ending.isReading = true;
  const query = { active: true, sortBy: 'validUntil', limit: maxAccesses };
  try {
    await ending.accesses.read(async () =>
      (await call('GET', '/guest-access', { query, isQuiet: true })).guestAccesses);
  } catch {
    // They are read again with the doors.
  }
  ending.isReading = false;
}

/**
 * What is to be done, in the order of its urgency; only what there is.
 *
 * @param {API.Device[]} devices @param {API.GuestAccess[]} accesses @param {number} [now] @returns {Item[]}
 */
export function itemsOf(devices, accesses, now = Date.now()) {
  const doors = (/** @type {(device: API.Device) => boolean} */ has) => devices.filter(has).length;
  const [offline, open] = filters.map(({ has }) => doors((device) => has(device, now)));
  const ending = accesses.filter((one) => endsSoon(one, now)).length;
  /** @type {[number, Omit<Item, 'text' | 'href'>, string][]} */
  const all = [
    [doors(({ state }) => state === 'JAMMED'), { id: 'jammed', tone: 'bad', icon: 'alert', show: 'jammed' }, 'jammed'],
    [offline, { id: 'offline-long', tone: 'bad', icon: 'offline', show: 'offline-long' }, 'offline for an hour'],
    [open, { id: 'open-long', tone: 'warn', icon: 'unlocked', show: 'open-long' }, 'unlocked for an hour'],
    [doors(({ batteryLow }) => batteryLow === true), { id: 'battery', tone: 'warn', icon: 'battery', show: 'battery' },
      'with a low battery'],
    [ending, { id: 'ending', tone: 'idle', icon: 'guests', show: null }, 'this week'],
  ];
  return all.filter(([count]) => count > 0).map(([count, item, words]) => ({
    ...item, href: item.show ? `#/doors?show=${item.show}` : '#/guests?show=ending',
    text: item.show ? `${counted(count, 'door')} ${words}`
      : `${counted(count, 'access', 'accesses')} ${count === 1 ? 'ends' : 'end'} ${words}`,
  }));
}

/**
 * The list, above the doors. A filter of this page keeps its place and property.
 *
 * @param {Item[]} items @param {string} current @param {(show: string) => void} choose
 */
export function todoView(items, current, choose) {
  return items.length > 0 && h('section.todo', { key: 'todo', 'aria-labelledby': 'todo-title' },
    h('h2', { id: 'todo-title' }, 'To do'),
    h('ul', null, items.map(({ id, text, tone, icon: name, href, show }) => h('li', { key: id },
      h('a', {
        id: `todo-${id}`, href, class: tone, 'aria-current': show === current ? 'true' : null,
        onclick: (event) => {
          // A link that is opened elsewhere, or that leads to another page, is one.
          if (!show || event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          choose(show);
        },
      }, icon(name), h('span', null, text))))));
}
