// A property: its doors, its people, its fields, and its lockdown with the progress of each door.
// @ts-check
import { call, queryText } from './api.js';
import { address, marks } from './doors.js';
import { LiveObjects } from './live.js';
import { button, dialog, field, icon, keepsAfter, notice, ofObject, time } from './parts.js';
import { invitationDialog, openInvitation } from './invite.js';
import { openProperty, propertyDialog } from './property-form.js';
import { askRemoval, removalDialog } from './removal.js';
import { Scopes, canRemove, readAll, rolesToGive } from './scopes.js';
import { h } from './view.js';
import { counted, nameOf, outcomeOf, reasonOf, roleOf, sentenceOf, stateOf } from './words.js';

const maxDoors = 1000;
const pageSize = 200;
/** How often the doors are read while a lockdown is in progress. */
const watchEvery = 1000;

/**
 * @typedef {Console.State & import('./removal.js').State & import('./property-form.js').State & {
 *   staff: API.User[] | null, scopes: Scopes, form: import('./invite.js').Form | null,
 *   id: string, property: API.Property | null, own: Console.LiveObjects<API.Property>, doors: Console.LiveObjects<API.Device>, units: Console.LiveObjects<API.Unit>,
 *   results: Map<string, Console.Result> | null, asks: {error: string | null} | null, adds: Console.Work<string> | null, busy: string | null, problem: string | null}} State
 *   `results` are those of the lockdown, by door
 * @typedef {State & {property: API.Property}} Shown
 */

/** @type {Console.Page<State>} */
const page = {
  start(context, [id]) {
    const query = `propertyId=${encodeURIComponent(id)}`;
    /** @type {State} */
    const state = {
      id, status: 'loading', error: null, results: null, readAt: '', asks: null, busy: null, problem: null, isEnded: false, adds: null,
      staff: null, scopes: new Scopes([[], [], []]), form: null, removal: null, propertyEdit: null,
      // The query of properties has the portfolio, which is not known yet.
      property: null, own: new LiveObjects({ type: 'property', query: '' }, (object) => object.id === id),
      doors: new LiveObjects({ type: 'device', query }, ({ propertyId }) => propertyId === id), units: new LiveObjects({ type: 'unit', query }, ({ propertyId }) => propertyId === id),
    };
    context.need([state.doors.need, state.units.need]);
    page.refresh(context, state);
    return state;
  },
  end(state) { Object.assign(state, { isEnded: true, form: null }); },
  title: (state) => state?.property?.name || 'Property',

  async refresh(context, state) {
    try {
      const path = `/properties/${encodeURIComponent(state.id)}`;
      await Promise.all([
        state.own.read(async () => [(await call('GET', path)).property]), state.doors.read(() => readDoors(state.id)),
        state.units.read(() => readAll(path + '/units', 'units')),
      ]);
      if (state.isEnded) return;
      const property = state.own.objects.get(state.id);
      // It went away during the read.
      if (!property) { page.refresh(context, state); return; }
      // The rights to the people of a property depend on its portfolio.
      const mayRead = context.ability.can('people.read', 'Property', property);
      const staff = mayRead ? await readAll(path + '/managers', 'users') : null;
      if (state.isEnded) return;
      const scopes = new Scopes([[], [property], []]);
      Object.assign(state, { status: 'loaded', error: null, property, staff, scopes, readAt: new Date().toISOString() });
      state.own.need.query = queryText({ portfolioId: property.portfolioId }).slice(1);
      context.need([state.doors.need, state.units.need, state.own.need]);
    } catch (error) {
      if (state.isEnded) return;
      if (keepsAfter(context, state, error)) state.problem = sentenceOf(error);
    }
    context.redraw();
  },

  live(context, state, event, data) {
    if (event === 'poll') { page.refresh(context, state); return; }
    const isChanged = [state.own, state.doors, state.units].map((objects) => objects.take(event, data)).includes(true);
    if (!isChanged || state.status !== 'loaded') return;
    if (!state.own.objects.has(state.id)) { context.lost(); return; }
    state.property = state.own.objects.get(state.id) || null;
    context.redraw();
  },
  permissionsChanged(context, state) { page.refresh(context, state); },

  view(context, state) {
    return h(
      'div', { key: 'property' },
      h('a.back', { href: '#/doors' }, icon('back'), 'Doors'),
      ofObject(page, context, state, 'Property', state.property, () => content(context, /** @type {Shown} */ (state))),
      state.asks && startDialog(context, /** @type {Shown} */ (state)), state.adds && addUnitDialog(context, state),
      state.propertyEdit && propertyDialog(context, state), state.form && invitationDialog(context, state), removalDialog(context, state));
  },
};
export default page;

/** @param {string} propertyId */
async function readDoors(propertyId) {
  const devices = [];
  for (let number = 1; number <= maxDoors / pageSize; number++) {
    const data = await call('GET', '/devices', { query: { propertyId, page: number, limit: pageSize, sortBy: 'name' } });
    devices.push(...data.devices);
    if (number >= data.pagination.totalPages) break;
  }
  return devices;
}

/** @param {Console.Context} context @param {Shown} state */
function content(context, state) {
  const { property } = state;
  const { street, postalCode, city, state: region, country } = property.address || {};
  const place = [street, [postalCode, city].filter(Boolean).join(' '), region, country].filter(Boolean).join(', ');
  return [
    h('div.page-head', null,
      h('div', null, h('h1', { tabindex: '-1' }, property.name), h('p.subtitle', null, [place, property.defaultTimeZone].filter(Boolean).join(' · '))),
      ownButtons(context, state)),
    lockdownCard(context, state),
    h('h2.section-title', null, counted(state.doors.objects.size, 'door')),
    state.doors.objects.size === 0 ? h('div.empty', null, icon('doors'), h('p', null, 'No door of this property has been shared with you.'))
      : h('ul.rows', null, [...state.doors.objects.values()].map((device) => row(state, device))),
    units(context, state), people(context, state),
  ];
}

/** @param {Console.Context} context @param {Shown} state */
function ownButtons(context, state) {
  const { property } = state;
  const { ability } = context;
  const changed = (/** @type {API.Property} */ one) => { take(state, one); context.note(`${one.name} is saved.`); };
  return h('div.buttons', null,
    ability.can('property.change', 'Property', property)
      && button('Change', { id: 'change', onclick: () => openProperty(context, state, property, changed) }),
    ability.can('property.delete', 'Property', property) && button('Delete', {
      id: 'delete', kind: 'danger', onclick: () => askRemoval(context, state, {
        title: `Delete ${property.name}`, path: `/properties/${encodeURIComponent(property.id)}`, query: { cascade: true }, verb: 'Delete', typed: property.name,
        text: 'The property is deleted with its units. Its doors belong to no property then; records stay in the log.',
        done: () => context.goWith(property.portfolioId ? `#/portfolios/${encodeURIComponent(property.portfolioId)}` : '#/doors', `${property.name} is deleted.`),
      }),
    }));
}

/** @param {Console.Context} context @param {Shown} state */
function people(context, state) {
  const { property, staff } = state;
  if (!staff) return null;
  const mayInvite = rolesToGive(context.ability, 'PROPERTY', property).length > 0;
  const again = () => page.refresh(context, state);
  const rolesOf = (/** @type {API.User} */ user) =>
    (user.roleAssociations || []).filter((one) => one.associatedEntityId === property.id).map((one) => one.roleWithinEntity);
  return h('section.panel-card', { key: 'people' },
    h('div.page-head', null, h('h2', null, 'Managers and staff'),
      mayInvite && button('Invite', { id: 'invite', icon: 'guests', onclick: () => openInvitation(context, state, again, { type: 'PROPERTY', id: property.id }) })),
    staff.length === 0 ? h('p.hint', null, 'No one has a role on this property itself.')
      : h('ul.rows', null, staff.map((user) => h('li.row', { key: user.id },
        h('span.record-text', null, h('a', { href: `#/people/${encodeURIComponent(user.id)}` }, nameOf(user)), h('span.record-sub', null, rolesOf(user).map(roleOf).join(', '))),
        canRemove(context.ability, 'PROPERTY', property, rolesOf(user)) && button('Remove', {
          id: `remove-${user.id}`, kind: 'danger', name: `Remove ${nameOf(user)}`,
          onclick: () => askRemoval(context, state, {
            title: `Remove ${nameOf(user)}`, path: `/properties/${encodeURIComponent(property.id)}/managers/${encodeURIComponent(user.id)}`, verb: 'Remove',
            text: `${nameOf(user)} has no role on ${property.name} any more.`,
            done: () => { context.note(`${nameOf(user)} is removed from ${property.name}.`); again(); },
          }),
        })))));
}

/** @param {Console.Context} context @param {Shown} state */
function units(context, state) {
  const mayCreate = context.ability.can('unit.create', 'Property', state.property);
  if (state.units.objects.size === 0 && !mayCreate) return null;
  const doors = (/** @type {string} */ id) => [...state.doors.objects.values()].filter((one) => one.unitId === id).length;
  return h('section.section', { key: 'units' },
    h('div.page-head', null, h('h2', null, state.units.objects.size === 0 ? 'No units' : counted(state.units.objects.size, 'unit')),
      mayCreate && button('Add a unit', { id: 'add-unit', onclick: () => { state.adds = { error: null, isBusy: false }; context.redraw(); } })),
    state.units.objects.size > 0 && h('ul.rows', { key: 'rows' }, [...state.units.objects.values()].map((unit) => h('li', { key: unit.id },
      h('a.row', { href: `#/units/${encodeURIComponent(unit.id)}` }, h('span.dot-icon', null, icon('unit')), h('span.record-text', null, h('strong', null, unit.name), h('span.record-sub', null,
        [counted(doors(unit.id), 'door'), unit.tenantUserIds && counted(unit.tenantUserIds.length, 'tenant')].filter(Boolean).join(', '))))))));
}

/** @param {Console.Context} context @param {State} state */
function addUnitDialog(context, state) {
  const adds = /** @type {Console.Work<string>} */ (state.adds);
  const close = () => { state.adds = null; context.redraw(); };
  const add = async (/** @type {Console.Submit} */ event) => {
    event.preventDefault();
    if (adds.isBusy) return;
    Object.assign(adds, { isBusy: true, error: null });
    const name = String(new FormData(event.target).get('name'));
    context.redraw();
    try {
      await call('POST', '/units', { body: { propertyId: state.id, name } });
      state.adds = null;
      context.note(`${name} is added.`);
      page.refresh(context, state);
    } catch (error) {
      Object.assign(adds, { isBusy: false, error: sentenceOf(error, { name: 'The name' }) });
      context.announce(adds.error || '');
    }
    context.redraw();
  };
  return dialog({ title: 'Add a unit', onclose: close }, h('form', { onsubmit: add },
    adds.error && notice('bad', adds.error),
    field('Name', { id: 'unit-name', name: 'name', required: true, maxlength: 200, autocomplete: 'off' }),
    h('div.buttons.dialog-buttons', null, button('Add', { id: 'confirm', type: 'submit', kind: 'primary', busy: adds.isBusy, onclick: () => {} }), button('Cancel', { id: 'cancel', onclick: close }))));
}

/** @param {Console.Context} context @param {Shown} state */
function lockdownCard(context, state) {
  const { property, busy } = state;
  const { active, since, reason } = property.lockdown;
  const mayLockDown = context.ability.can('lockdown', 'Property', property);
  if (!active && !mayLockDown) return null;
  const locked = [...state.doors.objects.values()].filter((one) => one.state === 'LOCKED').length;
  return h(
    'section.panel-card.lockdown', { class: active ? 'active' : '', 'aria-label': 'Lockdown' },
    h('h2', null, active ? 'Locked down' : 'Lockdown'),
    active
      ? h('p', null, 'Doors can be locked, but not opened remotely.', since ? [' Since ', time(since)] : '', reason ? ` · ${reason}` : '')
      : h('p', null, 'A lockdown locks every door of the property, and keeps them from being opened remotely until it is lifted. From inside, doors open as always.'),
    state.problem && notice('bad', state.problem),
    busy && h('p.progress-line', { role: 'status' }, h('span.spinner', { 'aria-hidden': 'true' }), `${busy}: ${locked} of ${counted(state.doors.objects.size, 'door')} locked`),
    mayLockDown && h('div.buttons', null,
      !active && button('Start a lockdown', { id: 'start', kind: 'danger', busy: busy !== null, onclick: () => { state.asks = { error: null }; context.redraw(); } }),
      active && button('Lock again', { id: 'again', busy: busy !== null, onclick: () => lockDown(context, state, null) }),
      active && button('Lift the lockdown', { id: 'lift', kind: 'primary', busy: busy !== null, onclick: () => lift(context, state) })),
    state.results && summary(state.results));
}

/** @param {Map<string, Console.Result>} results */
function summary(results) {
  const bad = [...results.values()].filter((one) => !isConfirmed(one)).length;
  return bad === 0 ? notice('ok', `All ${counted(results.size, 'door')} confirmed that they are locked.`)
    : notice('bad', `${bad} of ${counted(results.size, 'door')} did not confirm: see below, and check them.`);
}

/** @param {Console.Result} result */
const isConfirmed = (result) => result.command?.state === 'CONFIRMED';

/** @param {Shown} state @param {API.Device} device */
function row(state, device) {
  const { word, tone, icon: name } = stateOf(device.state);
  const result = state.results?.get(device.id);
  const text = !result ? device.unitName || '' : result.command ? outcomeOf(result.command) : reasonOf(result.decision?.reason) || 'Nothing was sent.';
  return h(
    'li.row', { key: device.id, class: result && !isConfirmed(result) ? 'attention' : '' },
    h('span.dot-icon', { class: tone }, icon(name)),
    h('span.record-text', null, h('a', { href: address(device) }, device.name), h('span.record-sub', null, text)),
    h('span.record-side', null, marks(device), h('span.pill', { class: tone }, icon(name), word)));
}

/**
 * Applies the property that a response contains.
 *
 * @param {Shown} state @param {API.Property} property
 */
function take(state, property) {
  state.own.put(state.id, property);
  state.property = property;
}

/**
 * Starts the lockdown, or locks again the doors that are not locked, and watches the doors in the meantime.
 *
 * @param {Console.Context} context @param {Shown} state @param {string | null} reason
 */
async function lockDown(context, state, reason) {
  if (state.busy) return;
  Object.assign(state, { busy: 'Locking', problem: null, results: null, asks: null });
  context.redraw();
  const watch = setInterval(async () => {
    await state.doors.read(() => readDoors(state.id)).catch(() => {});
    if (state.busy && !state.isEnded) context.redraw();
  }, watchEvery);
  try {
    const data = await call('POST', `/properties/${encodeURIComponent(state.id)}/lockdown`, { body: reason ? { reason } : {} });
    take(state, data.property);
    Object.assign(state, { results: new Map(data.results.map((one) => [one.deviceId, one])) });
    context.announce('The lockdown is in force');
  } catch (error) {
    state.problem = sentenceOf(error);
    context.announce(state.problem);
  }
  clearInterval(watch);
  state.busy = null;
  page.refresh(context, state);
}

/** @param {Console.Context} context @param {Shown} state */
async function lift(context, state) {
  if (state.busy) return;
  Object.assign(state, { busy: 'Lifting', problem: null, results: null });
  context.redraw();
  try {
    take(state, (await call('DELETE', `/properties/${encodeURIComponent(state.id)}/lockdown`)).property);
    context.announce('The lockdown is lifted. No door has moved');
  } catch (error) {
    state.problem = sentenceOf(error);
  }
  state.busy = null;
  page.refresh(context, state);
}

/** @param {Console.Context} context @param {Shown} state */
function startDialog(context, state) {
  const { property } = state;
  const asks = /** @type {{error: string | null}} */ (state.asks);
  const close = () => { state.asks = null; context.redraw(); };
  return dialog({ title: `Lock down ${property.name}`, onclose: close }, h(
    'form', {
      onsubmit: (event) => {
        event.preventDefault();
        const values = new FormData(event.target);
        if (String(values.get('typed')).trim() !== property.name) {
          asks.error = 'This is not the name of the property.';
          context.announce(asks.error);
          context.redraw();
          return;
        }
        lockDown(context, state, String(values.get('reason')).trim() || null);
      },
    },
    h('p', null, `Every door of this property is locked now, and only the owner and the admins of the portfolio can open one remotely.`),
    field('Reason (recorded)', { id: 'lockdown-reason', name: 'reason', maxlength: 500, autocomplete: 'off' }),
    field(`Type the name of the property: ${property.name}`, { id: 'lockdown-name', name: 'typed', autocomplete: 'off', required: true }, { error: asks.error }),
    h('div.buttons', null, button('Lock down', { id: 'confirm', type: 'submit', kind: 'danger', onclick: () => {} }), button('Cancel', { id: 'cancel', onclick: close }))));
}
