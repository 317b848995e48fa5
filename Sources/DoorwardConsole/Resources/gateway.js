// The gateway: adapters with their connections, clock, logs and backup. For super admins.
// @ts-check
import { call } from './api.js';
import { button, dialog, field, icon, notice, time, whenLoaded } from './parts.js';
import { h } from './view.js';
import { counted, exactTime, sentenceOf } from './words.js';

/**
 * @typedef {Console.State & {
 *   adapters: API.Adapter[], clock: API.Clock | null, logs: API.AuditedLog[], isReady: boolean | null, backup: API.Backup | null, notes: {clock?: Console.Note, backup?: Console.Note | null},
 *   busy: string | null, asks: Console.Work<string> | null, problem?: Console.Caught | null, timer?: number}} State
 */

/** @type {Record<string, {word: string, tone: string, icon: Console.Icon}>} */
const healthWords = {
  ok: { word: 'Works', tone: 'ok', icon: 'tick' }, degraded: { word: 'Works in part', tone: 'warn', icon: 'alert' }, down: { word: 'Does not work', tone: 'bad', icon: 'alert' },
};
const clockReasons = {
  below_mark: 'It shows a time before one that the gateway has recorded.', stepped_forward: 'It has stepped forward by more than is allowed.', agreeing: 'It agrees with its time server again; the gateway waits for a while.',
};
/** How often the state is read while the page is visible. */
const readEvery = 15000;

/** @type {Console.Page<State>} */
const page = {
  start(context) {
    /** @type {State} */
    const state = { status: 'loading', error: null, adapters: [], clock: null, logs: [], isReady: null, backup: null, notes: {}, busy: null, asks: null, isEnded: false, readAt: '' };
    context.need([]);
    page.refresh(context, state);
    state.timer = setInterval(() => { if (document.visibilityState === 'visible') page.refresh(context, state); }, readEvery);
    return state;
  },
  end(state) { state.isEnded = true; clearInterval(state.timer); },

  async refresh(context, state) {
    try {
      const [{ adapters }, { clock }, { logs }, isReady] = await Promise.all([call('GET', '/adapters'), call('GET', '/clock'), call('GET', '/audit/logs'), readiness()]);
      if (state.isEnded) return;
      Object.assign(state, { status: 'loaded', error: null, problem: null, adapters, clock, logs, isReady, readAt: new Date().toISOString() });
    } catch (error) {
      if (state.isEnded) return;
      if (state.status === 'loaded') state.problem = error;
      else Object.assign(state, { status: 'failed', error });
    }
    context.redraw();
  },

  view(context, state) {
    return h(
      'div', { key: 'gateway' },
      h('div.page-head', null, h('h1', { tabindex: '-1' }, 'Gateway'), state.status === 'loaded' && readyPill(state.isReady)),
      whenLoaded(state, () => { state.status = 'loading'; context.redraw(); page.refresh(context, state); }, () => [
        state.problem && notice('bad', 'The state could not be refreshed; shown as of ', time(state.readAt), '.'),
        adapters(state), clock(context, state), backup(context, state), logs(state), more(context), state.asks && clockDialog(context, state),
      ]));
  },
};
export default page;

/** Whether the gateway can carry out commands; null if this is not known. */
async function readiness() {
  try {
    const response = await fetch('/readyz', { cache: 'no-store', redirect: 'error' });
    return response.ok;
  } catch {
    return null;
  }
}

/** @param {boolean | null} isReady */
const readyPill = (isReady) => h('span.pill', { class: isReady ? 'ok' : 'bad' }, icon(isReady ? 'tick' : 'alert'), isReady ? 'Ready for commands' : isReady === null ? 'Not reachable' : 'Not ready: it sends no commands');

/** @param {string} health */
const healthPill = (health) => {
  const { word, tone, icon: name } = healthWords[health] || { word: health, tone: 'idle', icon: 'unknown' };
  return h('span.pill', { class: tone }, icon(name), word);
};

/** @param {State} state */
function adapters(state) {
  return h('section.panel-card', { key: 'adapters' }, h('h2', null, 'Adapters'),
    state.adapters.length === 0 ? h('p.hint', null, 'The configuration has no adapter.')
      : h('ul.rows', null, state.adapters.flatMap((one) => [
        h('li.row.guest', { key: one.kind },
          h('span.record-text', null, h('strong', null, one.kind), h('span.record-sub', null, `${counted(one.deviceCount, 'door')}, ${one.onlineCount} online`), one.problem && h('span.record-sub', null, one.problem)), healthPill(one.health)),
        ...one.transports.map((transport) => h('li.row.guest', { key: `${one.kind} ${transport.name} ${transport.portfolioId}` },
          h('span.record-text', null, h('span', null, 'Connection ', h('strong', null, transport.name)),
            h('span.record-sub', null, transport.portfolioId ? h('a', { href: `#/portfolios/${encodeURIComponent(transport.portfolioId)}` }, 'of one portfolio') : 'for all portfolios'), transport.problem && h('span.record-sub', null, transport.problem)), healthPill(transport.health))),
      ])),
    h('p.hint.after', null, 'Adapters and brokers are in the configuration file. ', h('code', null, 'doorward config check'), ' tests a change of it.'));
}

/** @param {Console.Context} context @param {State} state */
function clock(context, state) {
  const own = /** @type {API.Clock} */ (state.clock);
  /** @type {[string, Console.Child][]} */
  const rows = [
    ['The gateway’s time', exactTime(own.at)], ['Synchronised', own.isSynchronised ? 'Yes' : 'Not reported by the system'], ['Latest recorded time', exactTime(own.mark)],
    ['Largest step that is accepted', counted(own.maxStepSeconds, 'second')],
    ['Last step', own.lastStep && `${(own.lastStep.stepMs / 1000).toLocaleString('en-GB')} s, from ${exactTime(own.lastStep.before)}`],
  ];
  return h('section.panel-card', { key: 'clock' },
    h('div.page-head', null, h('h2', null, 'Clock'), h('span.pill', { class: own.isTrusted ? 'ok' : 'bad' }, icon(own.isTrusted ? 'tick' : 'alert'), own.isTrusted ? 'Trusted' : 'Not trusted')),
    state.notes.clock && notice(state.notes.clock.tone, state.notes.clock.text),
    !own.isTrusted && notice('bad', `Access with a time limit is suspended. ${clockReasons[/** @type {'agreeing'} */ (own.reason)] || ''}`),
    h('dl.details', null, rows.filter(([, value]) => value).map(([term, value]) => h('div', { key: term }, h('dt', null, term), h('dd', null, value)))),
    !own.isTrusted && h('div.buttons.after', null, button('Accept this time', { id: 'accept-clock', kind: 'primary', onclick: () => { state.asks = { error: null, isBusy: false }; context.redraw(); } })));
}

/** @param {Console.Context} context @param {State} state */
function clockDialog(context, state) {
  const asks = /** @type {Console.Work<string>} */ (state.asks);
  const own = /** @type {API.Clock} */ (state.clock);
  const close = () => { state.asks = null; context.redraw(); };
  const accept = async (/** @type {Console.Submit} */ event) => {
    event.preventDefault();
    if (asks.isBusy) return;
    Object.assign(asks, { isBusy: true, error: null });
    context.redraw();
    try {
      state.clock = (await call('POST', '/clock/accept', { body: own.reason === 'below_mark' ? { lowerMark: true } : {} })).clock;
      state.asks = null;
      state.notes.clock = { tone: 'ok', text: 'The time is accepted.' };
      context.announce(state.notes.clock.text);
    } catch (error) {
      Object.assign(asks, { isBusy: false, error: sentenceOf(error) });
      context.announce(asks.error || '');
    }
    context.redraw();
  };
  return dialog({ title: 'Accept the time of the gateway', onclose: close }, h('form', { onsubmit: accept },
    asks.error && notice('bad', asks.error),
    h('p', null, 'The gateway’s clock shows ', h('strong', null, exactTime(own.at)), '. Compare it with another clock. Guest accesses are decided by it from now on.'),
    own.reason === 'below_mark' && h('p', null, 'The gateway has recorded a later time, which was wrong then. Accesses that have ended since may be open again.'),
    h('div.buttons.dialog-buttons', null, button('This time is right', { id: 'confirm', type: 'submit', kind: 'danger', busy: asks.isBusy, onclick: () => {} }), button('Cancel', { id: 'cancel', onclick: close }))));
}

/** @param {Console.Context} context @param {State} state */
function backup(context, state) {
  const own = state.backup;
  const copy = async (/** @type {Console.Submit} */ event) => {
    event.preventDefault();
    if (state.busy) return;
    Object.assign(state, { busy: 'backup' });
    state.notes.backup = null;
    const file = String(new FormData(event.target).get('file')).trim();
    context.redraw();
    try {
      state.backup = (await call('POST', '/store/backup', { body: { file }, within: 3600000 })).backup;
      context.announce('The backup is written');
    } catch (error) {
      state.notes.backup = { tone: 'bad', text: sentenceOf(error, { file: 'The file' }) };
      context.announce(state.notes.backup.text);
    }
    state.busy = null;
    context.redraw();
  };
  return h('section.panel-card', { key: 'backup' }, h('h2', null, 'Backup'), state.notes.backup && notice(state.notes.backup.tone, state.notes.backup.text),
    own && notice('ok', `${own.file}: ${(own.bytes / 1e6).toLocaleString('en-GB', { maximumFractionDigits: 1 })} MB, ${counted(own.logs.length, 'log')}, `, time(own.at)),
    h('form', { onsubmit: copy },
      field('File on the gateway’s machine', { id: 'backup-file', name: 'file', required: true, autocomplete: 'off', spellcheck: 'false', placeholder: '/var/backups/doorward/doorward.db' }, { hint: 'A file that does not exist yet. The gateway works on meanwhile. It keeps no list of backups.' }),
      button(state.busy === 'backup' ? 'Writing' : 'Write a backup', { id: 'write-backup', type: 'submit', busy: state.busy === 'backup', onclick: () => {} })));
}

/** @param {State} state */
const logs = (state) => h('section.panel-card', { key: 'logs' }, h('h2', null, 'Logs'),
  h('ul.rows', null, state.logs.map((one) => h('li.row.guest', { key: one.id },
    h('span.record-text', null, h('strong', null, one.portfolioId ? 'Log of a portfolio' : 'Log of the gateway'), h('span.record-sub', null, one.origin),
      h('span.record-sub', null, one.lastCheckpointAt ? ['Signed ', time(one.lastCheckpointAt)] : 'Not signed yet')),
    h('span.record-side', null, counted(one.size, 'record'))))));

/** @param {Console.Context} context */
const more = (context) => h('section.panel-card', { key: 'more' }, h('h2', null, 'Users and portfolios'),
  h('p', null, context.ability.can('users.create', 'Gateway') && h('a', { href: '#/people' }, 'Users'), ' · ', h('a', { href: '#/portfolios' }, 'Portfolios'), ' · ', h('a', { href: '#/log' }, 'Log of the gateway')));
