// A property: its doors, and its lockdown with the progress of each door.
// @ts-check
import { call } from './api.js';
import { address, marks } from './doors.js';
import { button, dialog, failure, field, icon, notice, time } from './parts.js';
import { h } from './view.js';
import { counted, outcomeOf, reasonOf, sentenceOf, stateOf } from './words.js';

const maxDoors = 1000;
const pageSize = 200;
/** How often the doors are read while a lockdown is under way. */
const watchEvery = 1000;

const page = {
  /** @param {any} context @param {string[]} path */
  start(context, [id]) {
    const state = {
      id, status: 'loading', error: null, property: null, devices: new Map(), results: null, readAt: null, asks: null, busy: null, problem: null,
      isEnded: false,
    };
    context.need([{ type: 'property', query: '' }, { type: 'device', query: '' }]);
    page.refresh(context, state);
    return state;
  },
  /** @param {any} state */
  end(state) { state.isEnded = true; },
  /** @param {any} state */
  title: (state) => state?.property?.name || 'Property',

  /** @param {any} context @param {any} state */
  async refresh(context, state) {
    try {
      const [{ property }, devices] = await Promise.all([call('GET', `/properties/${encodeURIComponent(state.id)}`), readDoors(state.id)]);
      if (state.isEnded) return;
      Object.assign(state, { status: 'loaded', error: null, property, devices, readAt: new Date().toISOString() });
    } catch (error) {
      if (state.isEnded) return;
      if (state.status === 'loaded') state.problem = sentenceOf(error);
      else Object.assign(state, { status: 'failed', error });
    }
    context.redraw();
  },

  /** @param {any} context @param {any} state @param {string} event @param {any} data */
  live(context, state, event, data) {
    if (event === 'poll') { page.refresh(context, state); return; }
    if (state.status !== 'loaded' || event !== 'change') return;
    if (data.type === 'property' && data.object.id === state.id) state.property = data.object;
    else if (data.type === 'device' && state.devices.has(data.object.id)) state.devices.set(data.object.id, data.object);
    else return;
    context.redraw();
  },

  /** @param {any} context @param {any} state */
  view(context, state) {
    return h(
      'div', { key: 'property' },
      h('a.back', { href: '#/doors' }, icon('back'), 'Doors'),
      state.status === 'failed' ? [h('h1', { tabindex: '-1' }, 'Property'), failure(state.error, () => { state.status = 'loading'; context.redraw(); page.refresh(context, state); })]
        : state.property ? content(context, state)
          : [h('h1', { tabindex: '-1' }, 'Property'), h('div.skeletons', { 'aria-busy': 'true' }, h('p.hidden', null, 'Loading'), h('div.skeleton'), h('div.skeleton'))],
      state.asks && startDialog(context, state));
  },
};
export default page;

/** @param {string} propertyId */
async function readDoors(propertyId) {
  const devices = new Map();
  for (let number = 1; number <= maxDoors / pageSize; number++) {
    const data = await call('GET', '/devices', { query: { propertyId, page: number, limit: pageSize, sortBy: 'name' } });
    for (const device of data.devices) devices.set(device.id, device);
    if (number >= data.pagination.totalPages) break;
  }
  return devices;
}

/** @param {any} context @param {any} state */
function content(context, state) {
  const { property } = state;
  const place = property.address ? [property.address.street, property.address.postalCode, property.address.city].filter(Boolean).join(', ') : '';
  return [
    h('h1', { tabindex: '-1' }, property.name),
    h('p.subtitle', null, [place, property.defaultTimeZone].filter(Boolean).join(' · ')),
    lockdownCard(context, state),
    h('h2.section-title', null, counted(state.devices.size, 'door')),
    state.devices.size === 0 ? h('div.empty', null, icon('doors'), h('p', null, 'No door of this property has been shared with you.'))
      : h('ul.rows', null, [...state.devices.values()].map((device) => row(state, device))),
  ];
}

/** @param {any} context @param {any} state */
function lockdownCard(context, state) {
  const { property, busy } = state;
  const { active, since, reason } = property.lockdown;
  const mayLockDown = context.ability.can('lockdown', 'Property', property);
  if (!active && !mayLockDown) return null;
  const locked = [...state.devices.values()].filter((one) => one.state === 'LOCKED').length;
  return h(
    'section.panel-card.lockdown', { class: active ? 'active' : '', 'aria-label': 'Lockdown' },
    h('h2', null, active ? 'Locked down' : 'Lockdown'),
    active
      ? h('p', null, 'Doors can be locked, but not opened remotely.', since ? [' Since ', time(since)] : '', reason ? ` · ${reason}` : '')
      : h('p', null, 'A lockdown locks every door of the property, and keeps them from being opened remotely until it is lifted. From inside, doors open as always.'),
    state.problem && notice('bad', state.problem),
    busy && h('p.progress-line', { role: 'status' }, h('span.spinner', { 'aria-hidden': 'true' }), `${busy}: ${locked} of ${counted(state.devices.size, 'door')} locked`),
    mayLockDown && h('div.buttons', null,
      !active && button('Start a lockdown', { id: 'start', kind: 'danger', busy: busy !== null, onclick: () => { state.asks = { error: null }; context.redraw(); } }),
      active && button('Lock again', { id: 'again', busy: busy !== null, onclick: () => lockDown(context, state, null) }),
      active && button('Lift the lockdown', { id: 'lift', kind: 'primary', busy: busy !== null, onclick: () => lift(context, state) })),
    state.results && summary(state));
}

/** @param {any} state */
function summary(state) {
  const bad = [...state.results.values()].filter((one) => !isConfirmed(one)).length;
  return bad === 0 ? notice('ok', `All ${counted(state.results.size, 'door')} confirmed that they are locked.`)
    : notice('bad', `${bad} of ${counted(state.results.size, 'door')} did not confirm: see below, and check them.`);
}

/** @param {any} result */
const isConfirmed = (result) => result.command?.state === 'CONFIRMED';

/** @param {any} state @param {any} device */
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

/** Starts the lockdown, or locks again the doors that are not locked, and watches the doors meanwhile. @param {any} context @param {any} state @param {string | null} reason */
async function lockDown(context, state, reason) {
  if (state.busy) return;
  Object.assign(state, { busy: 'Locking', problem: null, results: null, asks: null });
  context.redraw();
  const watch = setInterval(async () => {
    const devices = await readDoors(state.id).catch(() => null);
    if (devices && state.busy && !state.isEnded) { state.devices = devices; context.redraw(); }
  }, watchEvery);
  try {
    const data = await call('POST', `/properties/${encodeURIComponent(state.id)}/lockdown`, { body: reason ? { reason } : {} });
    Object.assign(state, { property: data.property, results: new Map(data.results.map((/** @type {any} */ one) => [one.deviceId, one])) });
    context.announce('The lockdown is in force');
  } catch (error) {
    state.problem = sentenceOf(error);
    context.announce(state.problem);
  }
  clearInterval(watch);
  state.busy = null;
  page.refresh(context, state);
}

/** @param {any} context @param {any} state */
async function lift(context, state) {
  if (state.busy) return;
  Object.assign(state, { busy: 'Lifting', problem: null, results: null });
  context.redraw();
  try {
    state.property = (await call('DELETE', `/properties/${encodeURIComponent(state.id)}/lockdown`)).property;
    context.announce('The lockdown is lifted. No door has moved');
  } catch (error) {
    state.problem = sentenceOf(error);
  }
  state.busy = null;
  page.refresh(context, state);
}

/** @param {any} context @param {any} state */
function startDialog(context, state) {
  const { property, asks } = state;
  const close = () => { state.asks = null; context.redraw(); };
  return dialog({ title: `Lock down ${property.name}`, onclose: close }, h(
    'form', {
      onsubmit: (/** @type {any} */ event) => {
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
    h('p', null, `Every door of this property is locked now, and nobody but the owner and the admins of the portfolio can open one remotely.`),
    field('Reason (recorded)', { id: 'lockdown-reason', name: 'reason', maxlength: 500, autocomplete: 'off' }),
    field(`Type the name of the property: ${property.name}`, { id: 'lockdown-name', name: 'typed', autocomplete: 'off', required: true }, { error: asks.error }),
    h('div.buttons', null, button('Lock down', { id: 'confirm', type: 'submit', kind: 'danger', onclick: () => {} }), button('Cancel', { id: 'cancel', onclick: close }))));
}
