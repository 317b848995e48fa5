// Moving a door to another property or unit: what ends with it is shown before.
// @ts-check
import page from './door.js';
import { beginEdit, editDialog, saveEdit } from './edits.js';
import { titleOf } from './guest-times.js';
import { select } from './parts.js';
import { readAll } from './scopes.js';
import { h } from './view.js';
import { counted, sentenceOf } from './words.js';

/**
 * @typedef {import('./door.js').Shown} Shown
 * @typedef {{edit: import('./edits.js').Edit, properties: API.Property[], units: API.Unit[],
 *   accesses: API.GuestAccess[], sharing: API.Unit[]}} Move
 *   `units` are those of all properties to which the door may be moved; `sharing` those that use it as a shared door
 */

/**
 * A place as one text.
 *
 * @param {{propertyId?: string | null, unitId?: string | null}} of
 */
export const placeOf = ({ propertyId, unitId }) => `${propertyId || ''}/${unitId || ''}`;

/** @param {string} place */
const idsOf = (place) => {
  const [propertyId, unitId] = place.split('/');
  return { propertyId, unitId: unitId || null };
};

/**
 * What ends when a door leaves its place, in sentences. The gateway ends it at once.
 *
 * @param {{accesses: API.GuestAccess[], sharing: {name: string}[], isOtherPortfolio: boolean,
 *   unitName: string | null}} of
 */
export function endings({ accesses, sharing, isOtherPortfolio, unitName }) {
  const [ending, losing] = [accesses.filter((one) => one.deviceIds.length === 1),
    accesses.filter((one) => one.deviceIds.length > 1)];
  const listed = (/** @type {API.GuestAccess[]} */ list) =>
    list.slice(0, 10).map(titleOf).join(', ') + (list.length > 10 ? ` and ${list.length - 10} more` : '');
  const several = (/** @type {API.GuestAccess[]} */ list) => counted(list.length, 'guest access', 'guest accesses');
  return /** @type {string[]} */ ([
    ending.length > 0 && `${several(ending)} to this door only, revoked: ${listed(ending)}.`,
    losing.length > 0 && `${several(losing)} to other doors, too, without this one: ${listed(losing)}.`,
    unitName && `The access of the tenants of ${unitName}.`,
    sharing.length > 0 && `The use as a shared door by ${sharing.map(({ name }) => name).join(', ')}.`,
    isOtherPortfolio
      && 'The notes, which stay with the portfolio. Its earlier records stay in the log of that portfolio.',
  ].filter((one) => typeof one === 'string'));
}

/** @param {Console.Context} context @param {Shown} state */
export async function openMove(context, state) {
  const { device } = state;
  const { ability } = context;
  try {
    const byDoor = { deviceId: device.id, active: true, sortBy: 'validUntil' };
    const [properties, units, accesses] = await Promise.all([
      readAll('/properties', 'properties'), readAll('/units', 'units'),
      readAll('/guest-access', 'guestAccesses', byDoor),
    ]);
    const open = {
      properties: properties
        .filter((one) => one.id === device.propertyId || ability.can('device.move', 'Property', one)),
      units: units.filter((one) => one.id === device.unitId || ability.can('device.move', 'Unit', one)),
      accesses, sharing: units.filter(({ commonAreaAccessIds }) => commonAreaAccessIds?.includes(device.id)),
    };
    const edit = await beginEdit({
      path: `/devices/${encodeURIComponent(device.id)}`,
      titles: { place: 'Place', propertyId: 'Property', unitId: 'Unit' },
      read: (answer) => ({ place: placeOf(answer.device) }), body: ({ place }) => idsOf(place),
      text: (_, place) => nameOf(open, place),
    });
    const move = { edit, ...open };
    state.dialog = () => moveDialog(context, state, move);
  } catch (error) {
    context.note(sentenceOf(error), 'bad');
  }
  context.redraw();
}

/** @param {Pick<Move, 'properties' | 'units'>} of @param {string} place */
function nameOf({ properties, units }, place) {
  const { propertyId, unitId } = idsOf(place);
  const [property, unit] = [properties.find(({ id }) => id === propertyId), units.find(({ id }) => id === unitId)];
  return property ? [property.name, unit?.name].filter(Boolean).join(' › ') : 'none';
}

/** @param {Console.Context} context @param {Shown} state @param {Move} move */
function moveDialog(context, state, move) {
  const { edit, properties, units, accesses, sharing } = move;
  const close = () => { state.dialog = null; context.redraw(); };
  const choose = (/** @type {{propertyId: string, unitId: string | null}} */ place) => {
    edit.values.place = placeOf(place);
    context.redraw();
  };
  const save = async () => {
    const answer = await saveEdit(context, edit);
    if (!answer) return;
    const place = nameOf(move, edit.values.place);
    close();
    context.note(`${answer.device.name} is moved: ${place}.`);
    state.own.put(state.id, answer.device);
    page.refresh(context, state);
  };
  const { propertyId, unitId } = idsOf(edit.values.place);
  const [before, after] = [edit.initial.place, edit.values.place].map((place) =>
    properties.find(({ id }) => id === idsOf(place).propertyId));
  const { unitId: leaves } = idsOf(edit.initial.place);
  const ends = endings({
    accesses, sharing, isOtherPortfolio: before?.portfolioId !== after?.portfolioId,
    unitName: leaves && leaves !== unitId ? units.find(({ id }) => id === leaves)?.name || null : null,
  });
  const inProperty = units.filter((one) => one.propertyId === propertyId);
  const isMoved = edit.values.place !== edit.initial.place;
  return editDialog(context, edit, { title: `Move ${state.device.name}`, close, save, verb: 'Move' },
    select('Property', {
      id: 'move-property', value: propertyId, onchange: (id) => choose({ propertyId: id, unitId: null }),
    }, properties.map(({ id, name }) => [id, name])),
    select('Unit', {
      id: 'move-unit', value: unitId || '', onchange: (id) => choose({ propertyId, unitId: id || null }),
    }, [['', 'None: a shared door'],
      .../** @type {[string, string][]} */ (inProperty.map(({ id, name }) => [id, name]))]),
    isMoved && (ends.length === 0 ? h('p.effects', { key: 'none' }, 'Nothing ends with it.')
      : h('div.effects', { key: 'ends' }, h('p.strong', null, 'Ends at once:'),
        h('ul.plain', null, ends.map((text) => h('li', { key: text }, text))))),
    isMoved && h('p.hint', { key: 'stays' },
      'The lock, its settings and its code stay as they are. People have access by their roles at the new place.'));
}
