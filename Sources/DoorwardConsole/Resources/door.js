// One door: its state, what the person may do, its history, and who can open it.
// @ts-check
import { call, queryText } from './api.js';
import { marks, movements } from './doors.js';
import { LiveObjects } from './live.js';
import { openingView, refreshOpening } from './opening.js';
import { button, denialFacts, dialog, field, icon, keepsAfter, notice, ofObject, pager, ruleText, select, time, whenLoaded } from './parts.js';
import { timeline } from './records.js';
import { h } from './view.js';
import { ago, isShown, operationOf, operations, qualityOf, stateOf } from './words.js';

/**
 * @typedef {Console.State & import('./opening.js').Holder & {
 *   id: string, own: Console.LiveObjects<API.Device, Console.Need | null>, device: API.Device | null, decisions: API.Decision[], tab: string | null, why: string | null, problem?: Console.Caught | null,
 *   override: {operation: string, error: Console.Caught | null} | null, history: History, who: Who | null,
 *   settings: Settings | null, dialog: Dialog | null, test: import('./door-test.js').Test | null}} State
 *   `dialog` is shown in front of the page
 * @typedef {State & {device: API.Device}} Shown the state where the door is known
 * @typedef {import('./records.js').State & Console.Resource & {records: API.AccessRecord[], cursor: string | null}} History
 * @typedef {Console.Resource & {operation: string, at: string, page: number, data?: Entries}} Who
 * @typedef {Pick<Console.Answer, 'entries' | 'pagination'>} Entries who can do an operation
 * @typedef {Console.Work & {saved: string | null, view: ((context: Console.Context, state: Shown) => Console.Child) | null}} Settings
 *   `view` is loaded with the tab
 * @typedef {(context: Console.Context, state: Shown) => Console.Child} Dialog
 */

const tabs = [['history', 'History'], ['who', 'Who can open it'], ['settings', 'Settings']];

/** @type {Console.Page<State>} */
const page = {
  start(context, [id]) {
    /** @type {State} */
    const state = {
      id, status: 'loading', error: null, device: null, decisions: [], readAt: '', tab: null, why: null, isEnded: false, override: null,
      history: { status: 'loading', records: [], cursor: null, open: null }, who: null, settings: null, dialog: null, test: null,
      opening: null, openingOf: '',
      // The query contains the unit or property of the door, which is not known yet.
      own: new LiveObjects(null, (object) => object.id === id),
    };
    page.refresh(context, state);
    return state;
  },

  end(state) { Object.assign(state, { isEnded: true, dialog: null }); },
  title: (state) => state?.device?.name || 'Door',

  async refresh(context, state) {
    try {
      const path = `/devices/${encodeURIComponent(state.id)}`;
      const [, { permissions }] = await Promise.all([state.own.read(async () => [(await call('GET', path)).device]), call('GET', path + '/permissions')]);
      if (state.isEnded) return;
      const device = state.own.objects.get(state.id);
      // It went away during the read.
      if (!device) { page.refresh(context, state); return; }
      // The stream has no filter for one door, so the doors of its unit come, too.
      const [place, id] = device.unitId ? ['unitId', device.unitId] : ['propertyId', device.propertyId];
      state.own.need = { type: 'device', query: queryText({ [place]: id }).slice(1) };
      context.need([state.own.need]);
      const before = state.device;
      if (before && before.state !== device.state && !context.commands.isRunning(device.id)) context.announce(stateOf(device.state).word);
      Object.assign(state, { status: 'loaded', error: null, device, decisions: permissions, readAt: new Date().toISOString(), problem: null });
      if (state.tab === null) choose(context, /** @type {Shown} */ (state), visibleTabs(context, /** @type {Shown} */ (state))[0]?.[0] || 'none');
      else if (state.tab === 'history') readHistory(context, state, false);
      if (decisionOn(/** @type {Shown} */ (state), 'VIEW_ACCESS_HISTORY').allowed) {
        refreshOpening(context, state, device.id, `${device.state} ${device.stateAt} ${context.commands.of(device.id)?.phase}`);
      } else Object.assign(state, { opening: null, openingOf: '' });
    } catch (error) {
      if (state.isEnded) return;
      if (keepsAfter(context, state, error)) state.problem = error;
    }
    context.redraw();
  },

  live(context, state, event, data) {
    if (event === 'poll') { page.refresh(context, state); return; }
    // The person's permissions may have changed with the door, and a door that has left its unit or property may be in another one.
    if (state.own.take(event, data) && state.status === 'loaded') page.refresh(context, state);
  },

  permissionsChanged(context, state) { page.refresh(context, state); },
  commandEnded(context, state, deviceId) { if (deviceId === state.id) page.refresh(context, state); },

  key(context, state, event) {
    if (event.key === 'w') {
      const denied = state.decisions.find((one) => movements.includes(one.operation) && isShown(one) && !one.allowed);
      if (denied) { state.why = denied.operation; context.redraw(); }
    } else if (event.key === 'u') document.getElementById('do-UNLOCK')?.focus();
    else if (event.key === 'l') document.getElementById('do-LOCK')?.focus();
  },

  view(context, state) {
    return h(
      'div', { key: 'door' },
      h('a.back', { href: '#/doors' }, icon('back'), 'Doors'),
      ofObject(page, context, state, 'Door', state.device, () => content(context, /** @type {Shown} */ (state))));
  },
};
export default page;

/** @param {Shown} state @param {string} operation */
const decisionOn = (state, operation) => state.decisions.find((one) => one.operation === operation) || /** @type {API.Decision} */ ({ allowed: false, reason: null });

/** @param {Console.Context} context @param {Shown} state */
function content(context, state) {
  const { device } = state;
  const { word, tone, icon: name } = stateOf(device.state);
  return [
    h('div.page-head', null, h('h1', { tabindex: '-1' }, device.name),
      context.ability.can('VIEW_STATUS', 'LockDevice', device)
        && h('a.button', { href: `#/check?door=${encodeURIComponent(device.id)}` },
          icon('check'), h('span', null, 'Check access'))),
    h('p.subtitle', null, placeLink(context, 'properties', 'Property', { id: device.propertyId, portfolioId: device.portfolioId }, device.propertyName), device.unitName && ' › ',
      placeLink(context, 'units', 'Unit', { id: device.unitId, propertyId: device.propertyId, portfolioId: device.portfolioId }, device.unitName)),
    state.problem && notice('bad', 'The door could not be refreshed; shown as of ', time(state.readAt), '.'),
    h('section.hero', { 'aria-label': 'State', class: tone },
      h('div.hero-state', null,
        h('span.tile.large', { class: tone }, icon(name)),
        h('div', null, h('p.hero-word', { class: tone }, word),
          h('p.age', null, qualityOf(device.stateQuality), device.stateAt ? [', ', time(device.stateAt, ago(device.stateAt))] : ''), marks(device))),
      actions(context, state)),
    openingView(state.opening, device.name),
    state.override && overrideDialog(context, state),
    tabBar(context, state),
    state.tab === 'history' && history(context, state),
    state.tab === 'who' && whoCan(context, state),
    state.tab === 'settings' && panel('settings', state.settings?.view ? state.settings.view(context, state) : h('p.hint', null, 'Loading')),
    facts(device), state.dialog && state.dialog(context, state),
  ];
}

/**
 * The name of a place, as a link for those who have its page.
 *
 * @param {Console.Context} context @param {string} page @param {string} type @param {{id?: string | null, propertyId?: string | null, portfolioId?: string | null}} place @param {string | null} name
 */
const placeLink = (context, page, type, place, name) =>
  name && (context.ability.can(`${type.toLowerCase()}.read`, type, place) ? h('a', { href: `#/${page}/${encodeURIComponent(place.id || '')}` }, name) : name);

/** @param {Console.Context} context @param {Shown} state */
function actions(context, state) {
  const { device } = state;
  const shown = movements.map((one) => decisionOn(state, one)).filter((one) => isShown(one) && one.operation);
  const progress = context.commands.of(device.id);
  const isRunning = context.commands.isRunning(device.id);
  const main = device.state === 'LOCKED' ? 'UNLOCK' : 'LOCK';
  if (shown.length === 0) return h('div.hero-actions', null, h('p.hint', null, 'You can see this door, but not operate it.'));
  return h(
    'div.hero-actions', null,
    h('div.buttons', null, shown.map((decision) => {
      const { operation, allowed } = decision;
      return button(operationOf(operation).verb, {
        id: `do-${operation}`, kind: 'large ' + (operation === main && allowed ? 'primary' : ''),
        icon: operation === 'LOCK' ? 'locked' : operation === 'UNLOCK' ? 'unlocked' : 'open',
        busy: isRunning && progress?.operation === operation, disabled: !allowed || (isRunning && progress?.operation !== operation),
        expanded: allowed ? undefined : state.why === operation,
        onclick: () => {
          if (!allowed) { state.why = state.why === operation ? null : operation; context.redraw(); } else if (!isRunning) context.commands.start(device, operation);
        },
      });
    })),
    denials(context, state, shown.filter((one) => !one.allowed)),
    // A command of the test is told there.
    progress && !state.test?.isRunning && !state.test?.results.includes(progress) && progressPanel(context, state, progress, isRunning),
    testPart(context, state, isRunning));
}

/**
 * The button that tests the door, for those who may unlock and lock it, and what the last test has found.
 *
 * @param {Console.Context} context @param {Shown} state @param {boolean} isRunning
 */
function testPart(context, state, isRunning) {
  const decisions = ['UNLOCK', 'LOCK'].map((one) => decisionOn(state, one));
  const isOffered = decisions.every((one) => one.operation && isShown(one));
  const denied = decisions.find((one) => !one.allowed);
  const ask = () => {
    if (denied) { state.why = denied.operation; context.redraw(); return; }
    if (isRunning) return;
    withPart(context, () => import('./door-test.js'), (part) => { state.dialog = part.askDialog; });
  };
  return [
    state.test && state.test.view(context, state),
    isOffered && !state.test && h('div.buttons', { key: 'test' },
      button('Test', { id: 'test', icon: 'refresh', disabled: denied !== undefined || isRunning, onclick: ask })),
  ];
}

/**
 * The operations that are not available now, one explanation for each reason.
 *
 * @param {Console.Context} context @param {Shown} state @param {API.Decision[]} denied
 */
function denials(context, state, denied) {
  /** @type {Map<string | null, API.Decision[]>} */
  const byReason = new Map();
  for (const decision of denied) byReason.set(decision.reason, [...(byReason.get(decision.reason) || []), decision]);
  return [...byReason].map(([reason, members]) => {
    const isOpen = members.some((one) => one.operation === state.why);
    const names = members.map((one) => operationOf(one.operation).verb);
    return h(
      'div.unavailable', { key: reason },
      h('p.hint', null, `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} not available now. `,
        h('button.link', { type: 'button', 'aria-expanded': String(isOpen), onclick: () => { state.why = isOpen ? null : members[0].operation; context.redraw(); } }, 'Why?')),
      isOpen && h('div.why', null, denialFacts(members[0]),
        members.filter((one) => canOverride(context, state, one)).length > 0 && h('div.buttons', null, members.map(({ operation }) => button(
          `Override the lockdown and ${operationOf(operation).verb.toLowerCase()}`,
          { id: `override-${operation}`, kind: 'danger', onclick: () => { state.override = { operation, error: null }; context.redraw(); } })))));
  });
}

const steps = [['asking', 'Asked'], ['waiting', 'Allowed'], ['sent', 'Sent'], ['done', 'Confirmed']];

/** @param {Console.Context} context @param {Shown} state @param {import('./commands.js').Progress} progress @param {boolean} isRunning */
function progressPanel(context, state, progress, isRunning) {
  const tone = isRunning ? 'busy' : progress.phase === 'done' ? 'ok' : 'bad';
  const reached = steps.findIndex(([phase]) => phase === progress.phase);
  return h(
    'div.progress-panel', { class: tone, key: 'progress' },
    reached >= 0 && h('ol.steps', { 'aria-hidden': 'true' }, steps.map(([phase, title], index) =>
      h('li', { key: phase, class: index < reached || progress.phase === 'done' ? 'past' : index === reached ? 'now' : '' }, h('span.step-dot'), title))),
    h('p', null, isRunning ? h('span.spinner', { 'aria-hidden': 'true' }) : icon(progress.phase === 'done' ? 'tick' : 'alert'), h('span', null, progress.text)),
    progress.phase === 'denied' && progress.error && h('div.why', null, denialFacts(progress.error.details?.reason ? progress.error.details : { reason: progress.error.code })),
    !isRunning && h('div.buttons', null,
      progress.phase === 'unsure' && button('Ask again', { id: 'again', kind: 'primary', onclick: () => context.commands.repeat(state.device) }),
      progress.phase === 'done' && progress.operation !== 'LOCK' && decisionOn(state, 'LOCK').allowed
        && button('Lock again', { id: 'lock-again', kind: 'primary', icon: 'locked', onclick: () => context.commands.start(state.device, 'LOCK') }),
      button('Dismiss', { id: 'dismiss', kind: 'quiet', onclick: () => context.commands.dismiss(state.id) })));
}

/**
 * Whether a lockdown can be overridden: by an owner or an admin of the portfolio.
 *
 * @param {Console.Context} context @param {Shown} state @param {API.Decision} decision
 */
function canOverride(context, state, decision) {
  if (decision.reason !== 'lockdown_active') return false;
  return (context.user.roleAssociations || []).some((one) =>
    ['OWNER', 'PORTFOLIO_ADMIN'].includes(one.roleWithinEntity) && one.associatedEntityId === state.device.portfolioId);
}

/** @param {Console.Context} context @param {Shown} state */
function overrideDialog(context, state) {
  const { operation } = /** @type {{operation: string}} */ (state.override);
  const close = () => { state.override = null; context.redraw(); };
  return dialog(
    { title: `Override the lockdown and ${operationOf(operation).verb.toLowerCase()}`, onclose: close },
    h('form', {
      onsubmit: (event) => {
        event.preventDefault();
        const reason = new FormData(event.target).get('reason');
        close();
        context.commands.start(state.device, operation, { override: { reason } });
      },
    },
      h('p', null, 'The command and your reason are recorded as a break-glass access.'),
      field('Reason', { id: 'override-reason', name: 'reason', required: true, maxlength: 500, autocomplete: 'off' }),
      h('div.buttons', null, button(operationOf(operation).verb, { type: 'submit', kind: 'danger', onclick: () => {} }), button('Cancel', { onclick: close }))));
}

// Tabs.

/** @param {Console.Context} context @param {Shown} state */
function visibleTabs(context, state) {
  const history = decisionOn(state, 'VIEW_ACCESS_HISTORY').allowed;
  const canChange = decisionOn(state, 'CHANGE_SETTINGS').allowed || context.ability.can('device.change', 'LockDevice', state.device);
  return tabs.filter(([id]) => (id === 'settings' ? canChange : history));
}

/** @param {Console.Context} context @param {Shown} state @param {string} tab */
function choose(context, state, tab) {
  state.tab = tab;
  if (tab === 'history') readHistory(context, state, false);
  if (tab === 'who' && !state.who) {
    state.who = { operation: 'UNLOCK', at: '', page: 1, status: 'loading' };
    readWho(context, state);
  }
  if (tab === 'settings') {
    const own = { error: null, saved: null, isBusy: false, view: state.settings?.view || null };
    state.settings = own;
    if (!own.view) withPart(context, () => import('./door-settings.js'), (part) => { own.view = part.settings; });
  }
  context.redraw();
}

/** @param {Console.Context} context @param {Shown} state */
function tabBar(context, state) {
  const shown = visibleTabs(context, state);
  if (shown.length === 0) return null;
  return h('div.tabs', { role: 'tablist', 'aria-label': 'About this door' }, shown.map(([id, title]) => h(
    'button.tab', {
      key: id, id: `tab-${id}`, type: 'button', role: 'tab', 'aria-selected': String(state.tab === id), 'aria-controls': state.tab === id ? `panel-${id}` : null,
      tabindex: state.tab === id ? '0' : '-1', onclick: () => choose(context, state, id),
      onkeydown: (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = shown[(shown.findIndex(([one]) => one === id) + step + shown.length) % shown.length][0];
        choose(context, state, next);
        document.getElementById(`tab-${next}`)?.focus();
      },
    }, title)));
}

/**
 * Loads a part of the page that is not needed before.
 *
 * @template Part
 * @param {Console.Context} context @param {() => Promise<Part>} load @param {(part: Part) => void} use
 */
export async function withPart(context, load, use) {
  let part;
  try {
    part = await load();
  } catch {
    context.note('This part of the page could not be loaded. Check the network, and load the page again.', 'bad');
    return;
  }
  use(part);
  context.redraw();
}

/** @param {string} id @param {Console.Child[]} children */
const panel = (id, ...children) => h('section.panel', { key: id, id: `panel-${id}`, role: 'tabpanel', 'aria-labelledby': `tab-${id}` }, ...children);

/** @param {Console.Context} context @param {State} state @param {boolean} isMore */
async function readHistory(context, state, isMore) {
  const own = state.history;
  try {
    const query = { limit: 30, cursor: isMore ? own.cursor : null };
    const data = await call('GET', `/devices/${encodeURIComponent(state.id)}/access-records`, { query });
    if (state.isEnded) return;
    if (isMore) own.records = [...own.records, ...data.accessRecords];
    else {
      // Keep what was read further down.
      const known = new Set(data.accessRecords.map((one) => one.id));
      const joins = own.records.some((one) => known.has(one.id));
      own.records = joins ? [...data.accessRecords, ...own.records.filter((one) => !known.has(one.id))] : data.accessRecords;
      if (joins && own.records.length > data.accessRecords.length) data.nextCursor = own.cursor;
    }
    Object.assign(own, { status: 'loaded', cursor: data.nextCursor });
  } catch (error) {
    if (own.status !== 'loaded') Object.assign(own, { status: 'failed', error });
  }
  context.redraw();
}

/** @param {Console.Context} context @param {Shown} state */
function history(context, state) {
  const own = state.history;
  return panel('history', whenLoaded(own, () => readHistory(context, state, false), () => (own.records.length === 0
    ? h('div.empty', null, icon('log'), h('h2', null, 'Nothing has happened yet'), h('p', null, 'Commands, denials and reports of the lock appear here.'))
    : [timeline(context, own, own.records, { showsDoor: false }), own.cursor && button('Show earlier records', { id: 'earlier', kind: 'wide', onclick: () => readHistory(context, state, true) })])));
}

/** @param {Console.Context} context @param {Shown} state */
async function readWho(context, state) {
  const own = /** @type {Who} */ (state.who);
  Object.assign(own, { status: 'loading', error: null });
  context.redraw();
  try {
    const at = own.at ? new Date(own.at).toISOString() : null;
    own.data = await call('GET', `/devices/${encodeURIComponent(state.id)}/who-can`, { query: { operation: own.operation, at, page: own.page, limit: 50 } });
    own.status = 'loaded';
  } catch (error) {
    Object.assign(own, { status: 'failed', error });
  }
  context.redraw();
}

/** @param {Console.Context} context @param {Shown} state */
function whoCan(context, state) {
  const own = /** @type {Who} */ (state.who);
  const change = (/** @type {Partial<Who>} */ values) => { Object.assign(own, { page: 1, ...values }); readWho(context, state); };
  return panel('who',
    h('div.form-row', null,
      select('Operation', { id: 'who-operation', value: own.operation, onchange: (operation) => change({ operation }) },
        movements.filter((one) => state.device.capabilities.includes(one)).map((one) => [one, operations[/** @type {'LOCK'} */ (one)].verb])),
      field('At (empty: now)', { id: 'who-at', type: 'datetime-local', value: own.at, onchange: (event) => change({ at: event.target.value }) })),
    whenLoaded(own, () => readWho(context, state), () => entriesView(/** @type {Entries} */ (own.data), own.at, (number) => change({ page: number }))));
}

/**
 * Who can do an operation, with the rule and the end of the right.
 *
 * @param {Entries} data @param {string} at @param {(page: number) => void} go
 */
export function entriesView(data, at, go) {
  if (data.entries.length === 0) return h('div.empty', null, icon('check'), h('h2', null, at ? 'No one can then' : 'No one can now'));
  return [
    h('p.hint', null, at ? `By the current rules, at ${new Date(at).toLocaleString('en-GB')}:` : 'At this moment:'),
    h('ul.rows', null, data.entries.map((entry, index) => h(
      'li.row', { key: (entry.principal.id || entry.principal.name || '') + index },
      h('span.dot-icon.idle', null, icon(entry.principal.kind === 'USER' ? 'account' : entry.principal.kind === 'GUEST_LINK' ? 'guests' : 'check')),
      h('span.record-text', null,
        h('strong', null, entry.principal.name?.trim() || { USER: 'A person', GUEST_LINK: 'A guest link', API_KEY: 'An API key' }[/** @type {'USER'} */ (entry.principal.kind)]),
        h('span.record-sub', null, ruleText(entry.rule))),
      h('span.record-side', null, entry.until ? ['until ', time(entry.until)] : 'no end')))),
    pager(data.pagination, go),
  ];
}

/** @param {API.Device} device */
function facts(device) {
  /** @type {[string, Console.Child][]} */
  const rows = [
    ['Battery', device.batteryLevel === null || device.batteryLevel === undefined ? null : `${device.batteryLevel} %`],
    ['Door', { OPEN: 'Open', CLOSED: 'Closed' }[/** @type {'OPEN'} */ (device.doorState)]],
    ['Connection', device.isOnline === true ? 'Online' : device.isOnline === false ? 'Offline' : null],
    ['Last report', device.lastSeen ? time(device.lastSeen) : null],
    ['Model', [device.manufacturer, device.model].filter(Boolean).join(' ')], ['Firmware', device.firmwareVersion], ['Adapter', device.adapter],
    ['Faults', (device.faults || []).join(', ')], ['Notes', device.notes],
  ];
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== '');
  return shown.length > 0 && h('section.facts', { key: 'facts' }, h('h2', null, 'About the lock'),
    h('dl', null, shown.map(([term, value]) => h('div', { key: term }, h('dt', null, term), h('dd', null, value)))));
}
