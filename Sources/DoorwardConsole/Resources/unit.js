// A unit: its doors, its tenants and its guests.
// @ts-check
import { call } from './api.js';
import { address, marks } from './doors.js';
import { standing, titleOf } from './guest-times.js';
import { invitationDialog, openInvitation } from './invite.js';
import { LiveObjects } from './live.js';
import { button, icon, keepsAfter, notice, ofObject, time } from './parts.js';
import { askRemoval, removalDialog } from './removal.js';
import { Scopes, canRemove, readAll, rolesToGive } from './scopes.js';
import { openUnit, unitDialog } from './unit-form.js';
import { h } from './view.js';
import { counted, nameOf, sentenceOf, stateOf } from './words.js';

/**
 * @typedef {Console.State & import('./removal.js').State & {
 *   id: string, own: Console.LiveObjects<API.Unit>, unit: API.Unit | null, property: API.Property | null, doors: Console.LiveObjects<API.Device>, tenants: API.User[] | null,
 *   guests: API.GuestAccess[] | null, scopes: Scopes | null, form: import('./invite.js').Form | null, unitEdit: import('./unit-form.js').UnitEdit | null, problem: string | null}} State
 * @typedef {State & {unit: API.Unit, property: API.Property, scopes: Scopes}} Shown
 */

/** The maximum number of doors whose guests are read. */
const maxGuestDoors = 20;

/** @param {Record<string, string>} filter @returns {Promise<API.GuestAccess[]>} */
const readGuests = async (filter) => (await call('GET', '/guest-access', { query: { ...filter, active: true, limit: 100 } })).guestAccesses;

/** @type {Console.Page<State>} */
const page = {
  start(context, [id]) {
    /** @type {State} */
    const state = {
      id, status: 'loading', error: null, property: null, tenants: null, guests: null, scopes: null, form: null, removal: null, unitEdit: null,
      problem: null, isEnded: false, readAt: '',
      // The query of units has the property, which is not known yet.
      unit: null, own: new LiveObjects({ type: 'unit', query: '' }, (object) => object.id === id),
      doors: new LiveObjects({ type: 'device', query: `unitId=${encodeURIComponent(id)}` }, (object) => object.unitId === id),
    };
    context.need([state.doors.need]);
    page.refresh(context, state);
    return state;
  },
  end(state) { Object.assign(state, { isEnded: true, form: null }); },
  title: (state) => state?.unit?.name || 'Unit',

  async refresh(context, state) {
    try {
      const path = `/units/${encodeURIComponent(state.id)}`;
      await state.own.read(async () => [(await call('GET', path)).unit]);
      const unit = state.own.objects.get(state.id);
      if (state.isEnded) return;
      // It went away during the read.
      if (!unit) { page.refresh(context, state); return; }
      const { ability } = context;
      const [{ property }, , tenants, guests] = await Promise.all([
        call('GET', `/properties/${encodeURIComponent(unit.propertyId)}`), state.doors.read(() => readAll(path + '/devices', 'devices')),
        ability.can('people.read', 'Unit', unit) ? readAll(path + '/tenants', 'users') : null,
        ability.can('guestAccess.grant', 'Unit', unit) ? readGuests({ unitId: unit.id }) : null,
      ]);
      // A guest of the property can have a door of the unit, too.
      const ids = [...state.doors.objects.keys()];
      const others = guests && await Promise.all(ids.slice(0, maxGuestDoors).map((deviceId) => readGuests({ deviceId })));
      if (state.isEnded) return;
      // Apply what has changed since the unit was read: its name, and, if its doors have changed, their guests.
      if (state.own.objects.get(state.id)?.propertyId !== unit.propertyId || !isSameDoors(state, ids)) { page.refresh(context, state); return; }
      const scopes = new Scopes([[], [property], [unit]]);
      Object.assign(state, { status: 'loaded', error: null, problem: null, unit: state.own.objects.get(state.id), property, tenants, guests: others && [...new Map([guests, ...others].flat().map((one) => [one.id, one])).values()], scopes, readAt: new Date().toISOString() });
      state.own.need.query = `propertyId=${encodeURIComponent(unit.propertyId)}`;
      context.need([state.doors.need, state.own.need]);
    } catch (error) {
      if (state.isEnded) return;
      if (keepsAfter(context, state, error)) state.problem = sentenceOf(error);
    }
    context.redraw();
  },

  live(context, state, event, data) {
    if (event === 'poll') { page.refresh(context, state); return; }
    const ids = [...state.doors.objects.keys()];
    const [isOther, hasOther] = [state.own, state.doors].map((objects) => objects.take(event, data));
    if (state.status !== 'loaded') return;
    if (isOther || !isSameDoors(state, ids)) page.refresh(context, state);
    else if (hasOther) context.redraw();
  },
  permissionsChanged(context, state) { page.refresh(context, state); },

  view(context, state) {
    return h(
      'div', { key: 'unit' },
      h('a.back', { href: state.property ? `#/properties/${encodeURIComponent(state.property.id)}` : '#/doors' }, icon('back'), state.property?.name || 'Doors'),
      ofObject(page, context, state, 'Unit', state.unit, () => content(context, /** @type {Shown} */ (state))),
      state.form && invitationDialog(context, /** @type {Shown} */ (state)), state.unitEdit && unitDialog(context, state), removalDialog(context, state));
  },
};
export default page;

/** @param {Pick<State, 'doors'>} state @param {string[]} ids */
const isSameDoors = (state, ids) => ids.length === state.doors.objects.size && ids.every((id) => state.doors.objects.has(id));

/** @param {Console.Context} context @param {Shown} state */
function content(context, state) {
  const { unit, property } = state;
  const devices = [...state.doors.objects.values()];
  const { ability } = context;
  const mayChange = ability.can('unit.change', 'Unit', unit);
  const mayDelete = ability.can('unit.delete', 'Unit', unit);
  return [
    h('div.page-head', null, h('div', null, h('h1', { tabindex: '-1' }, unit.name), h('p.subtitle', null, property.name)),
      h('div.buttons', null,
        mayChange && button('Change', { id: 'change', onclick: () => openUnit(context, state, unit, (one) => changed(state, one)) }),
        mayDelete && button('Delete', {
          id: 'delete', kind: 'danger', onclick: () => askRemoval(context, state, {
            title: `Delete ${unit.name}`, path: `/units/${encodeURIComponent(unit.id)}`, query: { cascade: true }, verb: 'Delete', typed: unit.name,
            text: 'The unit is deleted with everything in it. Its doors are detached.',
            done: () => context.goWith(`#/properties/${encodeURIComponent(property.id)}`, `${unit.name} is deleted.`),
          }),
        }))),
    state.problem && notice('bad', state.problem),
    h('h2.section-title', null, counted(devices.length, 'door')),
    devices.length === 0 ? h('p.hint', { key: 'no-doors' }, 'This unit has no door of its own.')
      : h('ul.rows', { key: 'doors' }, devices.map((device) => {
        const { word, tone, icon: name } = stateOf(device.state);
        return h('li.row', { key: device.id }, h('span.dot-icon', { class: tone }, icon(name)),
          h('span.record-text', null, h('a', { href: address(device) }, device.name)),
          h('span.record-side', null, marks(device), h('span.pill', { class: tone }, icon(name), word)));
      })),
    tenants(context, state), guests(state),
  ];
}

/** @param {State} state @param {API.Unit} unit */
function changed(state, unit) {
  state.own.put(unit.id, unit);
  state.unit = unit;
}

/** @param {Console.Context} context @param {Shown} state */
function tenants(context, state) {
  const { unit, tenants: users } = state;
  if (!users) return null;
  const mayInvite = rolesToGive(context.ability, 'UNIT', unit).length > 0;
  return h(
    'section.panel-card', { key: 'tenants' },
    h('div.page-head', null, h('h2', null, 'Tenants'), mayInvite && button('Invite a tenant', { id: 'invite', icon: 'guests', onclick: () => openInvitation(context, state, () => {}, { type: 'UNIT', id: unit.id }) })),
    users.length === 0 ? h('p.hint', null, 'No tenant yet.')
      : h('ul.rows', null, users.map((user) => h(
        'li.row', { key: user.id },
        h('span.record-text', null, h('a', { href: `#/people/${encodeURIComponent(user.id)}` }, nameOf(user)), h('span.record-sub', null, user.email)),
        canRemove(context.ability, 'UNIT', unit, ['TENANT']) && button('Remove', {
          id: `remove-${user.id}`, kind: 'danger', name: `Remove ${nameOf(user)}`,
          onclick: () => askRemoval(context, state, {
            title: `Remove ${nameOf(user)}`, path: `/units/${encodeURIComponent(unit.id)}/tenants/${encodeURIComponent(user.id)}`, verb: 'Remove',
            text: `${nameOf(user)} is not a tenant of ${unit.name} any more. Guest accesses that depend on it end.`,
            done: () => { context.note(`${nameOf(user)} is removed from ${unit.name}.`); page.refresh(context, state); },
          }),
        })))));
}

/** @param {Shown} state */
function guests({ guests: accesses }) {
  return accesses && h(
    'section.panel-card', { key: 'guests' },
    h('div.page-head', null, h('h2', null, 'Guests'), h('a', { href: '#/guests' }, 'All guests')),
    accesses.length === 0 ? h('p.hint', null, 'No guest at the moment.')
      : h('ul.rows', null, accesses.map((one) => h(
        'li.row', { key: one.id },
        h('span.record-text', null, h('a', { href: `#/guests?access=${encodeURIComponent(one.id)}` }, titleOf(one)),
          h('span.record-sub', null, time(one.validFrom), ' – ', time(one.validUntil))),
        h('span.pill', { class: standing(one).tone }, standing(one).word)))));
}
