// Guests: who has been let in, new guest accesses with their resolved times, links with a QR code, and their end.
// @ts-check
import { call } from './api.js';
import { LiveObjects } from './live.js';
import { DoorPicker, doorChecks } from './picker.js';
import { readAll } from './scopes.js';
import { button, dialog, field, icon, keepsAfter, notice, pager, select, time, whenLoaded } from './parts.js';
import { h, isSafeAddress } from './view.js';
import { counted, nameOf, operationOf, sentenceOf } from './words.js';

/**
 * @typedef {Console.State & {
 *   list: Console.LiveObjects<API.GuestAccess>, doors: Map<string, API.Device>, zones: Map<string, Zone>, hasPlaces: boolean, pagination: API.Pagination | null, show: string,
 *   number: number, q: string, typing?: number, reads: number, form: Form | null, opened: Opened | null, asks: Asks | null}} State
 * @typedef {{access: API.GuestAccess, error: Console.Caught | null}} Asks
 * @typedef {API.Property & {zone: string | null}} Zone
 * @typedef {Console.Work & {propertyId: string, places: [string, string][], picker: DoorPicker, kind: string, label: string, email: string, operations: Set<string>, from: string,
 *   until: string, hasHours: boolean, days: Set<string>, start: string, end: string, uses: string}} Form
 * @typedef {Console.Work & {access: API.GuestAccess, intervals: Console.Interval[] | null, devices?: {name: string}[], link: Link | null, isNew: boolean}} Opened
 * @typedef {Console.GuestLink & {isCopied?: boolean}} Link
 */

const days = [['MON', 'Mon'], ['TUE', 'Tue'], ['WED', 'Wed'], ['THU', 'Thu'], ['FRI', 'Fri'], ['SAT', 'Sat'], ['SUN', 'Sun']];
const operations = ['UNLOCK', 'LOCK', 'UNLATCH'];
/** The maximum number of doors of accesses that are read one by one, for their names. */
const maxNamedDoors = 50;
const names = {
  label: 'The name', guestEmail: 'The email address', deviceIds: 'The list of doors', validFrom: 'The start', validUntil: 'The end',
  operations: 'The list of operations', schedule: 'The hours', maxUses: 'The number of uses', timeZone: 'The time zone',
};

/** @type {Console.Page<State>} */
const page = {
  start(context) {
    /** @type {State} */
    const state = {
      status: 'loading', error: null, pagination: null, show: 'active', number: 1, q: '', readAt: '', isEnded: false,
      // The page shows only some of the accesses that the stream sends.
      list: new LiveObjects({ type: 'guestAccess', query: '' }, ({ id }) => state.list.objects.has(id)),
      doors: new Map(), zones: new Map(), hasPlaces: false, form: null, opened: null, asks: null, reads: 0,
    };
    context.need([state.list.need]);
    page.refresh(context, state);
    return state;
  },
  end(state) { state.isEnded = true; state.opened = null; },

  async refresh(context, state) {
    const number = ++state.reads;
    try {
      const active = state.show === 'active' ? true : null;
      await state.list.read(async () => {
        const [{ guestAccesses, pagination }] = await Promise.all([
          call('GET', '/guest-access', { query: { page: state.number, limit: 30, sortBy: '-createdAt', q: state.q.trim(), active } }), loadPlaces(state),
        ]);
        if (state.isEnded || number !== state.reads) return null;
        await loadDoors(state, guestAccesses);
        state.pagination = pagination;
        return guestAccesses;
      });
      if (state.isEnded || number !== state.reads) return;
      Object.assign(state, { status: 'loaded', error: null, readAt: new Date().toISOString() });
    } catch (error) {
      if (state.isEnded || number !== state.reads) return;
      if (keepsAfter(context, state, error)) context.note(`The guests could not be refreshed. ${sentenceOf(error)}`, 'bad');
    }
    context.redraw();
  },

  live(context, state, event, data) {
    const isChanged = state.list.take(event, data);
    if (state.status !== 'loaded') return;
    const isGone = (/** @type {Opened | Asks | null} */ one) => one && event === 'removed' && state.list.isNamed(data) && one.access.id === data.id;
    if (isGone(state.opened)) state.opened = null;
    if (isGone(state.asks)) state.asks = null;
    if (isChanged) context.redraw();
    // The gateway decides which accesses are on this page.
    if (event === 'poll' || (data.type === 'guestAccess' && event !== 'snapshot')) page.refresh(context, state);
  },

  permissionsChanged(context, state, hasBegun) {
    if (!hasBegun) return;
    state.hasPlaces = false;
    page.refresh(context, state);
  },

  view(context, state) {
    return h(
      'div', { key: 'guests' },
      h('div.page-head', null, h('h1', { tabindex: '-1' }, 'Guests'),
        state.status === 'loaded' && context.ability.can('GRANT_ACCESS', 'LockDevice') && button('Let a guest in', { id: 'new', kind: 'primary', icon: 'guests', onclick: () => openForm(context, state) })),
      whenLoaded(state, () => { state.status = 'loading'; context.redraw(); page.refresh(context, state); }, () => [
        h('div.filters', { key: 'filters' },
          h('div.search', null, icon('search'), h('input', {
            id: 'guest-search', type: 'search', 'aria-label': 'Search guests', placeholder: 'Search by name', value: state.q, autocomplete: 'off',
            oninput: (event) => { Object.assign(state, { q: event.target.value, number: 1 }); clearTimeout(state.typing); state.typing = setTimeout(() => page.refresh(context, state), 250); },
          })),
          h('select', { id: 'guest-show', 'aria-label': 'Which', value: state.show, onchange: (event) => { Object.assign(state, { show: event.target.value, number: 1 }); page.refresh(context, state); } },
            h('option', { value: 'active' }, 'Active and scheduled'), h('option', { value: 'all' }, 'All, also ended'))),
        state.list.objects.size === 0 ? empty(context, state)
          : h('ul.rows', { key: 'rows' }, [...state.list.objects.values()].map((access) => row(context, state, access))),
        state.pagination && pager(state.pagination, (number) => { state.number = number; page.refresh(context, state); }),
      ]),
      state.form && formDialog(context, state),
      state.opened && openedDialog(context, state),
      state.asks && askDialog(context, state));
  },
};
export default page;

/**
 * The first doors, and the properties with their time zones, once.
 *
 * @param {State} state
 */
async function loadPlaces(state) {
  if (state.hasPlaces) return;
  const [{ devices }, properties] = await Promise.all([call('GET', '/devices', { query: { limit: 200, sortBy: 'name' } }), readAll('/properties', 'properties')]);
  state.doors = new Map(devices.map((one) => [one.id, one]));
  state.zones = new Map(properties.map((one) => [one.id, { ...one, zone: one.defaultTimeZone }]));
  state.hasPlaces = true;
}

/**
 * Reads the doors of accesses that are not known yet.
 *
 * @param {State} state @param {API.GuestAccess[]} accesses
 */
async function loadDoors(state, accesses) {
  const ids = [...new Set(accesses.flatMap(({ deviceIds }) => deviceIds))].filter((id) => !state.doors.has(id)).slice(0, maxNamedDoors);
  await Promise.all(ids.map(async (id) => {
    // A door without a name is counted.
    const data = await call('GET', `/devices/${encodeURIComponent(id)}`, { isQuiet: true }).catch(() => null);
    if (data) state.doors.set(id, data.device);
  }));
}

/**
 * Whether the person may let guests in at a door.
 *
 * @param {Console.Context} context
 */
const isGrantable = (context) => (/** @type {Partial<API.Device>} */ device) => context.ability.can('GRANT_ACCESS', 'LockDevice', device);

/**
 * The properties with doors at which the person may let guests in, by id, with their names.
 *
 * @param {Console.Context} context @param {State} state @returns {[string, string][]}
 */
function grantablePlaces(context, state) {
  const own = [...state.zones.values()].filter(({ id, portfolioId }) => isGrantable(context)({ propertyId: id, portfolioId })).map(({ id, name }) => /** @type {[string, string]} */ ([id, name]));
  // Tenants may let guests in at their own doors only.
  const others = [...state.doors.values()].filter(isGrantable(context))
    .map((one) => /** @type {[string, string]} */ ([one.propertyId, one.propertyName || state.zones.get(one.propertyId || '')?.name || '']));
  return [...new Map([...own, ...others])].sort((a, b) => a[1].localeCompare(b[1]));
}

/** @param {Console.Context} context @param {State} state @param {string} propertyId */
function pickerOf(context, state, propertyId) {
  const picker = new DoorPicker(context, {
    filter: { propertyId }, accepts: isGrantable(context),
    onread: () => { if (picker.items.length === 1) picker.choose(picker.items[0].id); },
  });
  picker.read();
  return picker;
}

/** @param {Console.Context} context @param {State} state */
const empty = (context, state) => h(
  'div.empty', { key: 'empty' }, icon('guests'), h('h2', null, state.q ? 'No guest matches' : 'No guests'),
  h('p', null, state.q ? 'Ended accesses are shown with “All, also ended”.' : 'Let a guest in for some hours or days: by a link for their phone, or with their account.'));

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

/** @param {Console.Context} context @param {State} state @param {API.GuestAccess} access */
function row(context, state, access) {
  const { word, tone, isOver } = standing(access);
  const doors = access.deviceIds.map((id) => state.doors.get(id)?.name).filter(Boolean);
  return h(
    'li.row.guest', { key: access.id },
    h('span.record-text', null,
      h('span.record-title', null, h('strong', null, titleOf(access)), ' ', h('span.pill', { class: tone }, word)),
      h('span.record-sub', null, doors.join(', ') || counted(access.deviceIds.length, 'door')),
      h('span.record-sub', null, time(access.validFrom), ' – ', time(access.validUntil), access.schedule ? ', at certain hours' : '',
        access.maxUses === null ? '' : `, ${access.usesLeft} of ${counted(access.maxUses, 'use')} left`)),
    h('span.buttons', null,
      button('Details', { id: `open-${access.id}`, name: `Details of ${titleOf(access)}`, onclick: () => openAccess(context, state, access) }),
      !isOver && button('Revoke', { id: `revoke-${access.id}`, kind: 'danger', name: `Revoke ${titleOf(access)}`, onclick: () => { state.asks = { access, error: null }; context.redraw(); } })));
}

// Create.

/**
 * `2026-11-25T14:30`, on the clock of a time zone.
 *
 * @param {Date} at @param {string | null} timeZone
 */
export function localText(at, timeZone) {
  const parts = Object.fromEntries(new Intl.DateTimeFormat('en-GB', {
    timeZone: timeZone || undefined, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23',
  }).formatToParts(at).map(({ type, value }) => [type, value]));
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}`;
}

/** @param {Console.Context} context @param {State} state */
function openForm(context, state) {
  const places = grantablePlaces(context, state);
  // Preselect the property of one of the first doors: most people have one property, or begin with these.
  const propertyId = [...state.doors.values()].find(isGrantable(context))?.propertyId || places[0]?.[0] || '';
  const zone = state.zones.get(propertyId)?.zone || null;
  const now = new Date();
  state.form = {
    propertyId, kind: 'link', label: '', email: '', places, picker: pickerOf(context, state, propertyId), operations: new Set(['UNLOCK', 'LOCK']),
    from: localText(now, zone), until: localText(new Date(now.getTime() + 86400000), zone), hasHours: false, days: new Set(days.slice(0, 5).map(([id]) => id)),
    start: '09:00', end: '17:00', uses: '', isBusy: false, error: null,
  };
  context.redraw();
}

/** @param {Console.Context} context @param {State} state */
function formDialog(context, state) {
  const form = /** @type {Form} */ (state.form);
  const close = () => { state.form = null; context.redraw(); };
  const set = (/** @type {'label' | 'email' | 'from' | 'until' | 'start' | 'end' | 'uses'} */ name) => (/** @type {Console.Input} */ event) => { form[name] = event.target.value; };
  const toggle = (/** @type {Set<string>} */ chosen, /** @type {string} */ id) => () => { if (!chosen.delete(id)) chosen.add(id); context.redraw(); };
  const { picker, places } = form;
  const zone = state.zones.get(form.propertyId)?.zone;
  const offered = operations.filter((one) => picker.shown().some((door) => door.capabilities.includes(one)));
  const check = (/** @type {string} */ id, /** @type {boolean} */ checked, /** @type {() => void} */ onchange, /** @type {string} */ label) =>
    h('label.check', { key: id, for: id }, h('input', { id, type: 'checkbox', checked, onchange }), h('span', null, label));
  return dialog({ title: 'Let a guest in', onclose: close }, h(
    'form', { novalidate: true, onsubmit: (event) => { event.preventDefault(); grant(context, state); } },
    form.error && notice('bad', form.error.text || sentenceOf(form.error, names)),
    h('fieldset', null, h('legend', null, 'How'),
      h('div.choices.flat', null, [['link', 'A link for their phone'], ['account', 'Their account here']].map(([id, title]) => h(
        'label.check', { key: id, for: `how-${id}` }, h('input', { id: `how-${id}`, name: 'how', type: 'radio', checked: form.kind === id, onchange: () => { form.kind = id; context.redraw(); } }), title)))),
    form.kind === 'link'
      ? field('Name of the guest', { id: 'label', value: form.label, oninput: set('label'), maxlength: 200, autocomplete: 'off' })
      : field('Email address of the account', { id: 'guest-email', type: 'email', value: form.email, oninput: set('email'), autocomplete: 'off' }),
    places.length > 1 && select('Property', {
      id: 'guest-property', value: form.propertyId,
      onchange: (propertyId) => { picker.end(); Object.assign(form, { propertyId, picker: pickerOf(context, state, propertyId) }); context.redraw(); },
    }, places),
    doorChecks(context, picker, 'guest-doors'),
    h('fieldset', null, h('legend', null, 'The guest may'), h('div.choices.flat', null,
      offered.map((one) => check(`may-${one}`, form.operations.has(one), toggle(form.operations, one), operationOf(one).verb)))),
    h('div.form-row', null,
      field('From', { id: 'valid-from', type: 'datetime-local', value: form.from, oninput: set('from') }),
      field('Until', { id: 'valid-until', type: 'datetime-local', value: form.until, oninput: set('until') })),
    h('p.hint', null, zone ? `Local times of the property (${zone}).` : 'On the clock of this browser.'),
    check('has-hours', form.hasHours, () => { form.hasHours = !form.hasHours; context.redraw(); }, 'Only at certain hours'),
    form.hasHours && h('fieldset', { key: 'hours' }, h('legend', null, 'Days and hours'),
      h('div.days', null, days.map(([id, title]) => check(`day-${id}`, form.days.has(id), toggle(form.days, id), title))),
      h('div.form-row', null, field('From', { id: 'hours-from', type: 'time', value: form.start, oninput: set('start') }), field('Until', { id: 'hours-until', type: 'time', value: form.end, oninput: set('end') }))),
    field('Number of uses (empty: no limit)', { id: 'uses', type: 'number', min: 1, max: 1000000, value: form.uses, oninput: set('uses') }),
    h('div.buttons', null, button(form.isBusy ? 'Letting in' : 'Let in', { id: 'grant', type: 'submit', kind: 'primary', busy: form.isBusy, onclick: () => {} }), button('Cancel', { id: 'cancel', onclick: close }))));
}

/** @param {Console.Context} context @param {State} state */
async function grant(context, state) {
  const form = /** @type {Form} */ (state.form);
  if (form.isBusy) return;
  const missing = form.kind === 'link' && !form.label.trim() ? 'The name of the guest is missing.' : form.kind === 'account' && !form.email.trim() ? 'The email address is missing.'
    : form.picker.chosen.size === 0 ? 'Choose at least one door.' : form.operations.size === 0 ? 'Choose what the guest may do.'
      : !form.from || !form.until ? 'The start or the end is missing.' : form.hasHours && form.days.size === 0 ? 'Choose at least one day.' : null;
  if (missing) {
    form.error = { text: missing };
    context.announce(missing);
    context.redraw();
    return;
  }
  Object.assign(form, { isBusy: true, error: null });
  context.redraw();
  const zone = state.zones.get(form.propertyId)?.zone;
  const instant = (/** @type {string} */ text) => (zone ? text : new Date(text).toISOString());
  try {
    const { guestAccess } = await call('POST', '/guest-access', {
      body: {
        ...(form.kind === 'link' ? { label: form.label.trim() } : { guestEmail: form.email.trim() }),
        deviceIds: [...form.picker.chosen.keys()], operations: operations.filter((one) => form.operations.has(one)),
        ...(zone ? { timeZone: zone } : {}), validFrom: instant(form.from), validUntil: instant(form.until),
        ...(form.hasHours ? { schedule: { periods: [{ days: [...form.days], from: form.start, until: form.end }] } } : {}),
        ...(form.uses ? { maxUses: Number(form.uses) } : {}),
      },
    });
    state.form = null;
    context.announce('The guest has been let in');
    await openAccess(context, state, guestAccess, form.kind === 'link');
    page.refresh(context, state);
  } catch (error) {
    const { status, code } = error;
    form.error = status === 404 && form.kind === 'account' ? { text: 'No account has this email address.' } : code ? error : { text: sentenceOf(error) };
    context.announce(form.error?.text || sentenceOf(form.error, names));
  }
  form.isBusy = false;
  context.redraw();
}

// One access: its times as resolved, its next intervals, its link.

/** @param {Console.Context} context @param {State} state @param {API.GuestAccess} access @param {boolean} [makesLink] */
async function openAccess(context, state, access, makesLink = false) {
  /** @type {Opened} */
  const opened = { access, intervals: null, link: null, error: null, isBusy: false, isNew: makesLink };
  state.opened = opened;
  context.redraw();
  try {
    const data = await call('GET', `/guest-access/${encodeURIComponent(access.id)}`, { query: { preview: 3, deviceNames: true } });
    Object.assign(opened, { access: data.guestAccess, intervals: data.intervals, devices: data.devices });
    if (makesLink) await makeLink(context, state, opened);
  } catch (error) {
    opened.error = error;
  }
  context.redraw();
}

/** @param {Console.Context} context @param {State} state @param {Opened} opened */
async function makeLink(context, state, opened) {
  Object.assign(opened, { isBusy: true, error: null });
  context.redraw();
  try {
    opened.link = (await call('POST', `/guest-access/${encodeURIComponent(opened.access.id)}/link`, {})).link;
    context.announce('The link is shown');
  } catch (error) {
    opened.error = error;
  }
  opened.isBusy = false;
  context.redraw();
}

/**
 * The instant in the property's zone and in UTC.
 *
 * @param {string} instant @param {string | null | undefined} zone
 */
export function resolved(instant, zone) {
  const at = new Date(instant);
  const options = /** @type {const} */ ({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', timeZoneName: 'short' });
  const local = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone || undefined }).format(at);
  return `${local} (${instant.slice(11, 16)} UTC)`;
}

const changes = {
  gap: 'This local time does not exist on that day, as the clock goes forward: it was moved by the missing hour.',
  overlap: 'This local time exists twice on that day, as the clock goes back: it is the first one.',
};

/** @param {Console.Context} context @param {State} state */
function openedDialog(context, state) {
  const opened = /** @type {Opened} */ (state.opened);
  const { access } = opened;
  const close = () => { state.opened = null; context.redraw(); };
  const zone = access.resolution?.timeZone || state.zones.get(access.propertyId)?.zone;
  const { word, tone, isOver } = standing(access);
  const doors = opened.devices || access.deviceIds.flatMap((id) => state.doors.get(id) || []);
  const note = (/** @type {'validFrom' | 'validUntil'} */ name) => changes[/** @type {'gap'} */ (access.resolution?.[name])];
  /** @type {[string, Console.Child][]} */
  const rows = [
    ['State', h('span.pill', { class: tone }, word)], ['Doors', doors.map((one) => one.name).join(', ')],
    ['The guest may', access.operations.map((one) => operationOf(one).verb.toLowerCase()).join(', ')],
    ['Begins', [resolved(access.validFrom, zone), note('validFrom') && h('span.hint', null, ' ', note('validFrom'))]],
    ['Ends', [resolved(access.validUntil, zone), note('validUntil') && h('span.hint', null, ' ', note('validUntil'))]],
    ['Uses', access.maxUses === null ? null : `${access.usesLeft} of ${access.maxUses} left`],
    ['Open next', access.schedule && opened.intervals?.length ? h('ul', null, opened.intervals.map((one) => h('li', { key: one.from }, resolved(one.from, zone), ' – ', resolved(one.until, zone)))) : null],
    ['Revoked', access.revokedAt ? time(access.revokedAt) : null],
  ];
  return dialog({ title: titleOf(access), onclose: close },
    opened.error && notice('bad', sentenceOf(opened.error)),
    h('dl.details', null, rows.filter(([, value]) => value).map(([term, value]) => h('div', { key: term }, h('dt', null, term), h('dd', null, value)))),
    opened.link && linkView(context, opened.link),
    h('div.buttons.dialog-buttons', null,
      !isOver && !opened.link && button('Create a link', { id: 'make-link', kind: 'primary', busy: opened.isBusy, onclick: () => makeLink(context, state, opened) }),
      button('Done', { id: 'done', onclick: close })),
    !isOver && !opened.link && h('p.hint.after', null, 'A new link replaces an earlier one, which stops working.'));
}

/** @param {Console.Context} context @param {Link} link */
function linkView(context, link) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link.url);
      context.announce('The link is copied');
      link.isCopied = true;
    } catch {
      const input = /** @type {HTMLInputElement | null} */ (document.getElementById('link'));
      input?.select();
    }
    context.redraw();
  };
  return h(
    'section.link-view', { 'aria-label': 'The link' },
    h('p', null, 'Send this link to the guest, or let them scan the code. It is shown only now.'),
    link.warning && notice('warn', link.warning),
    link.qr && h('img.qr', { src: `data:image/svg+xml,${encodeURIComponent(link.qr)}`, alt: 'QR code of the guest link', width: 200, height: 200 }),
    h('div.copy', null, h('input', { id: 'link', readonly: true, value: link.url, 'aria-label': 'Guest link' }), button(link.isCopied ? 'Copied' : 'Copy', { id: 'copy', icon: link.isCopied ? 'tick' : undefined, onclick: copy })),
    isSafeAddress(link.url) && h('p.small', null, h('a', { href: link.url, target: '_blank', rel: 'noopener noreferrer' }, 'See the page of the guest'), ' (in a new tab)'));
}

// Revoke.

/** @param {Console.Context} context @param {State} state */
function askDialog(context, state) {
  const asks = /** @type {Asks} */ (state.asks);
  const { access, error } = asks;
  const close = () => { state.asks = null; context.redraw(); };
  const revoke = async () => {
    try {
      await call('DELETE', `/guest-access/${encodeURIComponent(access.id)}`);
      // The question may have been closed in the meantime, and another one opened.
      if (state.asks === asks) state.asks = null;
      context.note(`${titleOf(access)}: the access is revoked. Queued commands are denied.`);
      page.refresh(context, state);
    } catch (failed) {
      if (state.asks === asks) asks.error = failed;
      else context.note(sentenceOf(failed), 'bad');
    }
    context.redraw();
  };
  return dialog({ title: `Revoke the access of ${titleOf(access)}`, onclose: close },
    error && notice('bad', sentenceOf(error)),
    h('p', null, 'It ends at once, with its link. Commands that wait are not sent.'),
    h('div.buttons.dialog-buttons', null, button('Revoke', { id: 'confirm', kind: 'danger', onclick: revoke }), button('Cancel', { id: 'cancel', onclick: close })));
}
