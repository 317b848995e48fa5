// Access records as rows that a person understands.
// @ts-check
import { copyButton, denialFacts, icon, ruleText, time } from './parts.js';
import { h } from './view.js';
import { clockTime, dayOf, exactTime, operationOf, outcomeOf, reasonOf, stateOf } from './words.js';

/** @typedef {Console.Copies & {open: string | null}} State what shows records; `open` is the id of the open one */

const eventWords = {
  LOCKED: 'Locked', UNLOCKED: 'Unlocked', UNLATCHED: 'Unlatched', JAMMED: 'Jammed', TAMPER: 'Tampering reported', OFFLINE: 'Went offline',
  ONLINE: 'Came online', BATTERY_LOW: 'Battery low', DOOR_OPENED: 'Door opened', DOOR_CLOSED: 'Door closed', DOOR_FORCED: 'Door forced open',
  ATTEMPT_FAILED: 'Failed attempt at the lock', KEYPAD_LOCKOUT: 'Keypad locked out', CREDENTIAL_CHANGED: 'Credential changed at the lock',
  COMMAND_DELIVERED_LATE: 'Confirmation came after the deadline', SIGNED_IN: 'Signed in', SIGNED_OUT: 'Signed out',
  SIGN_IN_FAILED: 'Sign-in failed', REFRESH_REUSED: 'A used refresh token was sent again', START: 'Gateway started', STOP: 'Gateway stopped',
  CLOCK_STEP: 'Clock stepped', CHECKPOINT: 'Checkpoint signed', CHECKPOINT_MISMATCH: 'Signed records were changed', KEY_ROTATED: 'Signing key replaced', RECOVERED: 'Store recovered',
  DENIALS_SUPPRESSED: 'Further denials not recorded one by one', EXPORT: 'Log exported', ERASURE: 'Personal data erased', RETENTION_CUT: 'Old records removed',
};
const badEvents = new Set(['JAMMED', 'TAMPER', 'DOOR_FORCED', 'ATTEMPT_FAILED', 'KEYPAD_LOCKOUT', 'SIGN_IN_FAILED', 'REFRESH_REUSED', 'OFFLINE', 'CHECKPOINT_MISMATCH']);
/**
 * How a lock was operated at the lock.
 *
 * @type {Record<string, string>}
 */
export const methodWords = {
  MANUAL: 'by hand', KEYPAD: 'by keypad', KEY: 'by key', BUTTON: 'by button', AUTO: 'by itself', RFID: 'by card', FINGERPRINT: 'by fingerprint',
  FOB: 'by fob', APP: 'by app', SCHEDULE: 'by schedule', REMOTE: 'by remote',
};
const actionWords = {
  CREATE: 'Created', UPDATE: 'Changed', DELETE: 'Deleted', ASSIGN: 'Gave', REMOVE: 'Removed', GRANT: 'Granted', REVOKE: 'Revoked', MOVE: 'Moved',
  DISABLE: 'Disabled', ENABLE: 'Enabled',
};

/** @param {API.AccessRecord} record */
export const actorOf = (record) =>
  (record.actor || record.actorName || '').trim() || /** @type {Record<string, string>} */ ({ DEVICE: 'The lock', GATEWAY: 'The gateway', OUTSIDE: 'Someone without access', GUEST_LINK: 'Guest link', API_KEY: 'API key' })[record.actorKind || ''] || '';

/**
 * The words for a record: what happened, the tone, the icon.
 *
 * @param {API.AccessRecord} record @returns {{title: string, text: string, tone: string, icon: Console.Icon}}
 */
export function describe(record) {
  const operation = operationOf(record.operation);
  switch (record.kind) {
    case 'COMMAND_INTENT': return { title: `${operation.verb} requested`, text: 'Allowed', tone: 'idle', icon: 'tick' };
    case 'COMMAND_OUTCOME': {
      const isGood = record.outcome === 'CONFIRMED';
      const text = outcomeOf({ state: record.outcome, operation: record.operation, outcomeDetail: record.outcomeDetail });
      return {
        title: isGood ? operation.done : `${operation.verb} failed`,
        text: isGood ? ((record.latencyMs ?? 0) >= 50 ? `Confirmed in ${((record.latencyMs ?? 0) / 1000).toFixed(1)} s` : 'Confirmed') : text,
        tone: isGood ? (record.operation === 'LOCK' ? 'ok' : 'warn') : 'bad',
        icon: isGood ? (record.operation === 'LOCK' ? 'locked' : record.operation === 'UNLATCH' ? 'open' : record.operation === 'UNLOCK' ? 'unlocked' : 'tick') : 'alert',
      };
    }
    case 'DENIAL': return { title: `${operation.verb} denied`, text: reasonOf(record.reason), tone: 'bad', icon: 'close' };
    case 'DEVICE_EVENT': {
      const state = stateOf(record.event);
      const isState = ['LOCKED', 'UNLOCKED', 'UNLATCHED', 'JAMMED'].includes(record.event || '');
      return {
        title: wordOf(eventWords, record.event), text: record.method ? wordOf(methodWords, record.method, '') : '',
        tone: badEvents.has(record.event || '') ? 'bad' : isState ? state.tone : record.event === 'BATTERY_LOW' ? 'warn' : 'idle',
        icon: isState ? state.icon : record.event === 'BATTERY_LOW' ? 'battery' : record.event === 'OFFLINE' ? 'offline' : badEvents.has(record.event || '') ? 'alert' : 'info',
      };
    }
    case 'ADMIN_CHANGE':
      return { title: `${wordOf(actionWords, record.action)} ${plain(record.targetType)}`, text: '', tone: 'idle', icon: 'account' };
    default:
      if (record.event === 'EXPORT' && record.details?.what === 'backup') {
        return record.details.failure
          ? { title: 'Backup failed', text: plain(record.details.failure), tone: 'bad', icon: 'alert' }
          : { title: 'Backup begun', text: '', tone: 'idle', icon: 'info' };
      }
      return { title: wordOf(eventWords, record.event), text: '', tone: badEvents.has(record.event || '') ? 'bad' : 'idle', icon: 'info' };
  }
}

/** @param {Record<string, string>} words @param {string | null | undefined} code @param {string} [other] */
const wordOf = (words, code, other) => words[code || ''] || (other === undefined ? plain(code) : other);
/** @param {string | null | undefined} code `GuestAccess` and `GUEST_ACCESS` as `guest access` */
const plain = (code) => (code || '').replace(/([a-z])([A-Z])/g, '$1 $2').replace(/_/g, ' ').toLowerCase();

/**
 * The rows of records, newest first, under a heading for each day. A row opens to show everything that the reader may see.
 *
 * @param {Console.Context} context @param {State} state @param {API.AccessRecord[]} records
 * @param {{showsDoor: boolean}} options
 */
export function timeline(context, state, records, { showsDoor }) {
  /** @type {Map<string, API.AccessRecord[]>} */
  const days = new Map();
  for (const record of merged(records)) {
    const day = dayOf(new Date(record.at));
    days.set(day, [...(days.get(day) || []), record]);
  }
  return h('div.timeline', null, [...days].map(([day, members]) => h(
    'section', { key: day }, h('h3.day', null, day[0].toUpperCase() + day.slice(1)),
    h('ol', null, members.map((record) => row(context, state, record, showsDoor))))));
}

/**
 * The records with one row for each command: its outcome, with the rule and the reason of its request.
 *
 * @param {API.AccessRecord[]} records
 */
export function merged(records) {
  const requests = new Map(records.filter((one) => one.kind === 'COMMAND_INTENT' && one.commandId).map((one) => [one.commandId, one]));
  const ended = new Set(records.filter((one) => one.kind === 'COMMAND_OUTCOME').map((one) => one.commandId));
  return records.filter((one) => one.kind !== 'COMMAND_INTENT' || !ended.has(one.commandId)).map((one) => {
    const request = one.kind === 'COMMAND_OUTCOME' ? requests.get(one.commandId) : null;
    if (!request) return one;
    const { rule, statedReason, override } = request;
    return { ...one, rule: one.rule || rule, statedReason: one.statedReason || statedReason, override: one.override || override };
  });
}

/** @param {Console.Context} context @param {State} state @param {API.AccessRecord} record @param {boolean} showsDoor */
function row(context, state, record, showsDoor) {
  const { title, text, tone, icon: name } = describe(record);
  const isOpen = state.open === record.id;
  const actor = actorOf(record);
  return h(
    'li.record', { key: record.id, class: isOpen ? 'open' : '' },
    h('button.record-row', {
      type: 'button', 'aria-expanded': String(isOpen), 'data-record': record.id,
      onclick: () => { state.open = isOpen ? null : record.id; context.redraw(); },
    },
      h('span.dot-icon', { class: tone }, icon(name)),
      h('span.record-text', null,
        h('span.record-title', null, h('strong', null, title), showsDoor && record.deviceName ? ` ${record.deviceName}` : ''),
        h('span.record-sub', null, [actor, text].filter(Boolean).join(' · '))),
      h('span.record-side', null, record.kind === 'DENIAL' && h('span.whyword', null, 'Why?'), time(record.at, clockTime(record.at)))),
    isOpen && facts(context, state, record));
}

/**
 * The address of a record in the log.
 *
 * @param {string} id
 */
export const recordAddress = (id) => `#/log?record=${encodeURIComponent(id)}`;

/** @param {Console.Context} context @param {State} state @param {API.AccessRecord} record */
function facts(context, state, record) {
  /** @type {[string, Console.Child][]} */
  const rows = [
    ['Time', exactTime(record.at)], ['Who', actorOf(record)], ['Door', record.deviceName], ['Rule', record.rule ? ruleText(record.rule) : null],
    ['Stated reason', record.statedReason], ['Override', record.override?.reason], ['From', sourceWords[/** @type {'API'} */ (record.source)] || record.source],
    ['Address', record.clientAddress], ['State before', record.stateBefore && stateOf(record.stateBefore).word],
    ['State after', record.stateAfter && stateOf(record.stateAfter).word], ['Record', record.seq === undefined ? null : `${record.seq} of log ${record.logId}`],
    ['Request', record.requestId],
  ];
  return h(
    'div.record-facts', null,
    record.kind === 'DENIAL' && denialFacts({ reason: record.reason, rule: null, missing: record.details?.missing }),
    h('dl', null, rows.filter(([, value]) => value !== null && value !== undefined && value !== '').map(([term, value]) =>
      h('div', { key: term }, h('dt', null, term), h('dd', null, value)))),
    copyButton(context, state, {
      id: `copy-${record.id}`, label: 'Copy the link to this record',
      text: () => location.href.split('#')[0] + recordAddress(record.id),
    }));
}

const sourceWords = { API: 'The API', CONSOLE: 'The console', CLI: 'The command line', GUEST_LINK: 'A guest link', DEVICE: 'The lock', GATEWAY: 'The gateway' };
