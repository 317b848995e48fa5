// Changes of a guest access: what was typed, what differs, and saving it over nothing that others have changed.
// @ts-check
import { call, readIfChanged } from './api.js';
import { hoursOf, scheduleOf } from './guest-hours.js';
import { hoursText, instantHere, localText, localWords, verbsOf } from './guest-times.js';
import { h } from './view.js';

/**
 * @typedef {{label: string, deviceIds: string[], operations: string[], from: string, until: string, uses: string,
 *   schedule: import('./guest-times.js').Schedule | null}} Values what a form says of an access
 * @typedef {keyof Values} Name
 * @typedef {{access: API.GuestAccess, etag: string | null}} Version
 * @typedef {{name: Name, before: string, now: string, typed: string | null}} Difference what another person has
 *   changed; `typed` is what was typed in its place
 */

/** @type {Record<Name, string>} */
const titles = {
  label: 'Name', deviceIds: 'Doors', operations: 'The guest may', from: 'From', until: 'Until', uses: 'Number of uses',
  schedule: 'Hours',
};

/** @param {string} id */
export const accessPath = (id) => `/guest-access/${encodeURIComponent(id)}`;

/**
 * The zone on whose clock the times of an access are shown and typed; null for the clock of this browser.
 *
 * @param {API.GuestAccess} access @param {Map<string, {zone: string | null}>} zones
 */
export const zoneOf = (access, zones) => access.resolution?.timeZone || zones.get(access.propertyId)?.zone || null;

/**
 * An access as a form has it.
 *
 * @param {API.GuestAccess} access @param {string | null} zone @returns {Values}
 */
export const valuesOf = (access, zone) => ({
  label: access.label || '', deviceIds: [...access.deviceIds].sort(), operations: [...access.operations].sort(),
  from: localText(new Date(access.validFrom), zone), until: localText(new Date(access.validUntil), zone),
  uses: access.maxUses === null ? '' : String(access.maxUses), schedule: scheduleOf(hoursOf(access.schedule)),
});

/**
 * The fields that differ.
 *
 * @param {Values} a @param {Values} b
 */
export const changedNames = (a, b) =>
  /** @type {Name[]} */ (Object.keys(titles)).filter((name) => JSON.stringify(a[name]) !== JSON.stringify(b[name]));

/**
 * The body of a request that sets these fields.
 *
 * @param {Values} values @param {Name[]} names @param {string | null} zone
 */
export function bodyOf(values, names, zone) {
  const instant = (/** @type {string} */ text) => (zone ? text : instantHere(text));
  /** @type {Record<string, unknown>} */
  const body = {};
  for (const name of names) {
    if (name === 'label') body.label = values.label.trim() || null;
    else if (name === 'from') body.validFrom = instant(values.from);
    else if (name === 'until') body.validUntil = instant(values.until);
    else if (name === 'uses') body.maxUses = values.uses ? Number(values.uses) : null;
    else body[name] = values[name];
  }
  if (zone && (names.includes('from') || names.includes('until'))) body.timeZone = zone;
  return body;
}

/**
 * Brings what was typed over a newer version of the access: fields that were typed keep their values, the others get
 * the new ones.
 *
 * @param {Values} before what the form began with @param {Values} typed @param {Values} now the newer version
 * @returns {{values: Values, names: Name[]}} with the fields that others have changed
 */
export function merge(before, typed, now) {
  const own = changedNames(before, typed);
  const values = { ...now };
  for (const name of own) Object.assign(values, { [name]: typed[name] });
  return { values, names: changedNames(before, now) };
}

/**
 * What others have changed, in words.
 *
 * @param {Values} before @param {Values} typed @param {Values} now
 * @param {{doorName: (id: string) => string}} options @returns {Difference[]}
 */
export function differences(before, typed, now, { doorName }) {
  const own = changedNames(before, typed);
  const text = (/** @type {Values} */ values, /** @type {Name} */ name) => {
    switch (name) {
      case 'deviceIds': return values.deviceIds.map(doorName).join(', ') || 'none';
      case 'operations': return verbsOf(values.operations).join(', ') || 'nothing';
      case 'schedule': return hoursText(values.schedule).join('; ') || 'at all hours';
      case 'uses': return values.uses || 'no limit';
      case 'label': return values.label || 'none';
      default: return localWords(values[name]);
    }
  };
  return changedNames(before, now).map((name) => ({
    name, before: text(before, name), now: text(now, name),
    typed: own.includes(name) && changedNames(now, typed).includes(name) ? text(typed, name) : null,
  }));
}

/** @param {Difference[]} found */
export const differencesView = (found) => h('dl.differences', null, found.map(({ name, before, now, typed }) => h(
  'div', { key: name }, h('dt', null, titles[name]),
  h('dd', null, `It was: ${before}. It is now: ${now}.`, typed !== null && ` You typed: ${typed}.`))));

/**
 * The current version of an access.
 *
 * @param {string} id @returns {Promise<Version>}
 */
export async function readVersion(id) {
  const { data, etag } = /** @type {import('./api.js').Version} */ (await readIfChanged(accessPath(id), null));
  return { access: data.guestAccess, etag };
}

/**
 * The request of a change, on the condition that the version is still the current one.
 *
 * @param {Version} version @param {Record<string, unknown>} body @returns {import('./guest-preview.js').Request}
 */
export const changeOf = ({ access, etag }, body) =>
  ({ method: 'PUT', path: accessPath(access.id), body, headers: etag ? { 'If-Match': etag } : {} });

/**
 * @param {import('./guest-preview.js').Request} request
 * @returns {Promise<{access: API.GuestAccess, warning: string | null}>}
 */
export async function send({ method, path, body, headers }) {
  const data = await call(method, path, { body, headers });
  return { access: data.guestAccess, warning: data.warning ?? null };
}

/**
 * Whether it is not known if a request was carried out.
 *
 * @param {Console.Caught | null} error
 */
export const isUnsure = (error) => error?.status === 0;
