// Where guests are let in: the doors and properties of the page Guests, and what may be done with an access there.
// @ts-check
import { call } from './api.js';
import { DoorPicker } from './picker.js';
import { readAll } from './scopes.js';

/**
 * @typedef {API.Property & {zone: string | null}} Zone
 * @typedef {{doors: Map<string, API.Device>, zones: Map<string, Zone>, hasPlaces: boolean}} Places
 */

/** The maximum number of doors of accesses that are read one by one, for their names. */
const maxNamedDoors = 50;

/**
 * The first doors, and the properties with their time zones, once.
 *
 * @param {Places} places
 */
export async function loadPlaces(places) {
  if (places.hasPlaces) return;
  const query = { limit: 200, sortBy: 'name' };
  const [{ devices }, properties] = await Promise.all([
    call('GET', '/devices', { query }), readAll('/properties', 'properties'),
  ]);
  places.doors = new Map(devices.map((one) => [one.id, one]));
  places.zones = new Map(properties.map((one) => [one.id, { ...one, zone: one.defaultTimeZone }]));
  places.hasPlaces = true;
}

/**
 * Reads the doors of accesses that are not known yet.
 *
 * @param {Places} places @param {{deviceIds: string[]}[]} accesses
 */
export async function loadDoors(places, accesses) {
  const ids = [...new Set(accesses.flatMap(({ deviceIds }) => deviceIds))].filter((id) => !places.doors.has(id));
  await Promise.all(ids.slice(0, maxNamedDoors).map(async (id) => {
    // A door without a name is counted.
    const data = await call('GET', `/devices/${encodeURIComponent(id)}`, { isQuiet: true }).catch(() => null);
    if (data) places.doors.set(id, data.device);
  }));
}

/**
 * Whether the person may let guests in at a door.
 *
 * @param {Console.Context} context
 */
export const isGrantable = (context) => (/** @type {Partial<API.Device>} */ device) =>
  context.ability.can('GRANT_ACCESS', 'LockDevice', device);

/**
 * Whether the person may change, link or revoke an access: where they hold this, or because they have granted it.
 *
 * @param {Console.Context} context @param {Places} places @param {API.GuestAccess} access @param {string} action
 */
export function mayManage(context, { zones }, access, action) {
  const { propertyId, unitId, grantedByUserId } = access;
  const portfolioId = zones.get(propertyId)?.portfolioId;
  return grantedByUserId === context.user.id || context.ability.can(action, 'Property', { id: propertyId, portfolioId })
    || (unitId !== null && context.ability.can(action, 'Unit', { id: unitId, propertyId, portfolioId }));
}

/**
 * Whether the person may make an access wider, which is to grant it: not if they may let nobody in at one of its doors.
 *
 * @param {Console.Context} context @param {Places} places @param {API.GuestAccess} access
 */
export const mayWiden = (context, places, access) => mayManage(context, places, access, 'guestAccess.change')
  && access.deviceIds.flatMap((id) => places.doors.get(id) || []).every(isGrantable(context));

/**
 * Whether the person may let somebody in at one of the doors of a past access.
 *
 * @param {Console.Context} context @param {Places} places @param {API.GuestAccess} access
 */
export const mayRepeat = (context, places, access) => access.deviceIds.flatMap((id) => places.doors.get(id) || [])
  .some(isGrantable(context));

/**
 * The properties with doors at which the person may let guests in, by id, with their names.
 *
 * @param {Console.Context} context @param {Places} places @returns {[string, string][]}
 */
export function grantablePlaces(context, { doors, zones }) {
  const isOpen = isGrantable(context);
  const named = (/** @type {string} */ id, /** @type {string} */ name) => /** @type {[string, string]} */ ([id, name]);
  const own = [...zones.values()].filter(({ id, portfolioId }) => isOpen({ propertyId: id, portfolioId }));
  // Tenants may let guests in at their own doors only.
  const others = [...doors.values()].filter(isOpen)
    .map((one) => named(one.propertyId || '', one.propertyName || zones.get(one.propertyId || '')?.name || ''));
  const all = new Map([...own.map(({ id, name }) => named(id, name)), ...others]);
  return [...all].sort((a, b) => a[1].localeCompare(b[1]));
}

/**
 * The choice of the doors of a property.
 *
 * @param {Console.Context} context @param {string} propertyId
 * @param {API.Device[]} [chosen] also doors at which the person may let nobody in: an access can have them already
 */
export function pickerOf(context, propertyId, chosen = []) {
  const ids = new Set(chosen.map(({ id }) => id));
  const isOpen = isGrantable(context);
  const picker = new DoorPicker(context, {
    filter: { propertyId }, accepts: (device) => ids.has(device.id) || isOpen(device),
    onread: () => { if (picker.items.length === 1 && picker.chosen.size === 0) picker.choose(picker.items[0].id); },
  });
  picker.chosen = new Map(chosen.map((one) => [one.id, one]));
  picker.read();
  return picker;
}
