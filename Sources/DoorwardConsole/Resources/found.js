// Found locks: what adapters have found, and attaching one to a property or a unit.
// @ts-check
import { call } from './api.js';
import { button, dialog, field, icon, keepsAfter, notice, pager, select, time, whenLoaded } from './parts.js';
import { readAll } from './scopes.js';
import { h } from './view.js';
import { ago, sentenceOf } from './words.js';

/**
 * @typedef {Console.State & {
 *   found: API.DiscoveredDevice[], pagination: API.Pagination | null, number: number, q: string, typing?: number, timer?: number, properties: API.Property[], reads: number,
 *   problem?: Console.Caught | null, form: Form | null}} State
 * @typedef {Console.Work & {lock: API.DiscoveredDevice, name: string, propertyId: string, unitId: string, units: API.Unit[], key: string}} Form
 */

const names = { name: 'The name', propertyId: 'The property', unitId: 'The unit', address: 'The address', adapter: 'The adapter' };

/** @type {Console.Page<State>} */
const page = {
  start(context) {
    /** @type {State} */
    const state = { status: 'loading', error: null, found: [], pagination: null, number: 1, q: '', properties: [], form: null, reads: 0, isEnded: false, readAt: '' };
    page.refresh(context, state);
    // Adapters can find locks at any time, and the stream has no type for found locks.
    state.timer = setInterval(() => { if (document.visibilityState === 'visible' && !state.form) page.refresh(context, state); }, 15000);
    return state;
  },
  end(state) { state.isEnded = true; clearTimeout(state.typing); clearInterval(state.timer); },

  async refresh(context, state) {
    const number = ++state.reads;
    try {
      const [{ discoveredDevices, pagination }, properties] = await Promise.all([
        call('GET', '/devices/discovered', { query: { page: state.number, limit: 30, sortBy: '-lastSeenAt', q: state.q.trim() } }), readAll('/properties', 'properties'),
      ]);
      if (state.isEnded || number !== state.reads) return;
      Object.assign(state, {
        status: 'loaded', error: null, problem: null, found: discoveredDevices, pagination, readAt: new Date().toISOString(),
        properties: properties.filter((one) => context.ability.can('device.attach', 'Property', one)),
      });
    } catch (error) {
      if (state.isEnded || number !== state.reads) return;
      if (keepsAfter(context, state, error)) state.problem = error;
    }
    context.redraw();
  },

  live(context, state, event) { if (event === 'poll' && !state.form) page.refresh(context, state); },

  view(context, state) {
    return h(
      'div', { key: 'found' },
      h('div.page-head', null, h('h1', { tabindex: '-1' }, 'Found locks')),
      whenLoaded(state, () => { state.status = 'loading'; context.redraw(); page.refresh(context, state); }, () => [
        state.problem && notice('bad', 'The found locks could not be refreshed; shown as of ', time(state.readAt), '.'),
        (state.found.length > 0 || state.q) && h('div.filters', { key: 'filters' }, h('div.search', null, icon('search'), h('input', {
          id: 'found-search', type: 'search', 'aria-label': 'Search found locks', placeholder: 'Search by name', value: state.q, autocomplete: 'off',
          oninput: (event) => { Object.assign(state, { q: event.target.value, number: 1 }); clearTimeout(state.typing); state.typing = setTimeout(() => page.refresh(context, state), 250); },
        }))),
        state.found.length === 0 ? h('div.empty', { key: 'empty' }, icon('found'), h('h2', null, state.q ? 'No lock matches' : 'No found locks'),
          h('p', null, 'A lock that announces itself over MQTT appears here by itself, until it is attached. Others are attached with ', h('code', null, 'doorward attach'), '.'))
          : h('ul.rows', { key: 'rows' }, state.found.map((one) => row(context, state, one))),
        state.pagination && pager(state.pagination, (number) => { state.number = number; page.refresh(context, state); }),
      ]),
      state.form && attachDialog(context, state));
  },
};
export default page;

/** @param {API.DiscoveredDevice} one */
const nameOfFound = (one) => one.name || [one.manufacturer, one.model].filter(Boolean).join(' ') || 'A lock without a name';

/** @param {Console.Context} context @param {State} state @param {API.DiscoveredDevice} one */
function row(context, state, one) {
  return h(
    'li.row.guest', { key: one.id },
    h('span.dot-icon', null, icon('found')),
    h('span.record-text', null, h('strong', null, nameOfFound(one)),
      h('span.record-sub', null, [[one.manufacturer, one.model].filter(Boolean).join(' '), one.adapter].filter(Boolean).join(' · '), ' · seen ', time(one.lastSeenAt, ago(one.lastSeenAt))),
      one.problem && h('span.record-sub', null, icon('alert'), ' ', one.problem)),
    state.properties.length > 0 && button('Attach', { id: `attach-${one.id}`, kind: 'primary', name: `Attach ${nameOfFound(one)}`, onclick: () => openForm(context, state, one) }));
}

/** @param {Console.Context} context @param {State} state @param {API.DiscoveredDevice} lock */
async function openForm(context, state, lock) {
  state.form = { lock, name: lock.name || '', propertyId: state.properties[0].id, unitId: '', units: [], isBusy: false, error: null, key: crypto.randomUUID?.() || String(Math.random()) };
  context.redraw();
  await readUnits(context, state);
}

/** @param {Console.Context} context @param {State} state */
async function readUnits(context, state) {
  const form = /** @type {Form} */ (state.form);
  const { propertyId } = form;
  try {
    const units = await readAll(`/properties/${encodeURIComponent(propertyId)}/units`, 'units');
    if (form.propertyId === propertyId) form.units = units.filter((unit) => context.ability.can('device.attach', 'Unit', unit));
  } catch {
    form.units = [];
  }
  context.redraw();
}

/** @param {Console.Context} context @param {State} state */
function attachDialog(context, state) {
  const form = /** @type {Form} */ (state.form);
  const close = () => { state.form = null; context.redraw(); };
  const attach = async (/** @type {Console.Submit} */ event) => {
    event.preventDefault();
    if (form.isBusy) return;
    Object.assign(form, { isBusy: true, error: null });
    context.redraw();
    try {
      const { device } = await call('POST', '/devices', {
        headers: { 'Idempotency-Key': form.key },
        body: {
          name: form.name.trim(), adapter: form.lock.adapter, address: form.lock.address, propertyId: form.propertyId, ...(form.unitId ? { unitId: form.unitId } : {}),
          ...(form.lock.manufacturer ? { manufacturer: form.lock.manufacturer } : {}), ...(form.lock.model ? { model: form.lock.model } : {}),
        },
      });
      state.form = null;
      context.go(`#/doors/${encodeURIComponent(device.id)}`);
      context.announce(`${device.name} is attached. Try it`);
    } catch (error) {
      // Another attempt is another request.
      if (error.status > 0) form.key = crypto.randomUUID?.() || String(Math.random());
      Object.assign(form, { isBusy: false, error });
      context.announce(sentenceOf(error, names));
    }
    context.redraw();
  };
  return dialog({ title: `Attach ${nameOfFound(form.lock)}`, onclose: close }, h(
    'form', { onsubmit: attach },
    form.error && notice('bad', sentenceOf(form.error, names)),
    form.lock.problem && notice('warn', form.lock.problem),
    field('Name', { id: 'lock-name', value: form.name, required: true, maxlength: 200, autocomplete: 'off', oninput: (event) => { form.name = event.target.value; } }),
    select('Property', { id: 'lock-property', value: form.propertyId, onchange: (propertyId) => { Object.assign(form, { propertyId, unitId: '', units: [] }); readUnits(context, state); } },
      state.properties.map((property) => [property.id, property.name])),
    select('Unit', { id: 'lock-unit', value: form.unitId, onchange: (unitId) => { form.unitId = unitId; context.redraw(); } },
      [['', 'None: a shared door'], .../** @type {[string, string][]} */ (form.units.map((unit) => [unit.id, unit.name]))]),
    h('details', null, h('summary', null, 'Its address'), h('dl.details', null, Object.entries(form.lock.address).map(([key, value]) => h('div', { key }, h('dt', null, key), h('dd', null, typeof value === 'string' ? value : JSON.stringify(value)))))),
    h('div.buttons.dialog-buttons', null, button(form.isBusy ? 'Attaching' : 'Attach', { id: 'confirm', type: 'submit', kind: 'primary', busy: form.isBusy, onclick: () => {} }), button('Cancel', { id: 'cancel', onclick: close }))));
}
