// The words for the codes of the API, and times.
// @ts-check

/**
 * States of a lock: the word, the tone of its colour, and the icon. Only `LOCKED` is secure.
 *
 * @type {Record<string, {word: string, tone: string, icon: Console.Icon}>}
 */
export const states = {
  LOCKED: { word: 'Locked', tone: 'ok', icon: 'locked' },
  UNLOCKED: { word: 'Unlocked', tone: 'warn', icon: 'unlocked' },
  LOCKING: { word: 'Locking', tone: 'busy', icon: 'locked' },
  UNLOCKING: { word: 'Unlocking', tone: 'busy', icon: 'unlocked' },
  UNLATCHED: { word: 'Unlatched', tone: 'warn', icon: 'open' },
  JAMMED: { word: 'Jammed', tone: 'bad', icon: 'alert' },
  UNKNOWN: { word: 'State unknown', tone: 'idle', icon: 'unknown' },
};
/** @param {string | null | undefined} state */
export const stateOf = (state) => states[state || 'UNKNOWN'] || states.UNKNOWN;

/** How a state is known. */
const qualities = {
  CONFIRMED: 'reported by the lock', RETAINED: 'as last published, may be old', ASSUMED: 'assumed, not reported',
  STALE: 'out of date',
};
/** @param {string | undefined} quality */
export const qualityOf = (quality) => qualities[/** @type {keyof qualities} */ (quality)] || 'not reported';

export const operations = {
  LOCK: { verb: 'Lock', done: 'Locked', doing: 'Locking' },
  UNLOCK: { verb: 'Unlock', done: 'Unlocked', doing: 'Unlocking' },
  UNLATCH: { verb: 'Unlatch', done: 'Unlatched', doing: 'Unlatching' },
  VIEW_STATUS: { verb: 'See the state', done: 'Seen', doing: 'Reading' },
  CHANGE_SETTINGS: { verb: 'Change settings', done: 'Settings changed', doing: 'Changing settings' },
  VIEW_ACCESS_HISTORY: { verb: 'See the history', done: 'Seen', doing: 'Reading' },
  GRANT_ACCESS: { verb: 'Let guests in', done: 'Granted', doing: 'Granting' },
  LOCKDOWN: { verb: 'Start a lockdown', done: 'Locked down', doing: 'Locking down' },
};
/** @param {string | null | undefined} operation */
export const operationOf = (operation) =>
  operations[/** @type {keyof operations} */ (operation)] || { verb: operation || '', done: operation || '', doing: operation || '' };

const roles = {
  SUPER_ADMIN: 'Super admin', OWNER: 'Owner', PORTFOLIO_ADMIN: 'Portfolio admin', PROPERTY_MANAGER: 'Property manager',
  MAINTENANCE: 'Maintenance', AUDITOR: 'Auditor', TENANT: 'Tenant', GUEST: 'Guest',
};
/** @param {string | null | undefined} role */
export const roleOf = (role) => roles[/** @type {keyof roles} */ (role)] || role || '';

/** Why a request is denied: a sentence, and who can change it. */
const reasons = {
  user_unknown: ['The account does not exist.', 'A super admin'],
  user_disabled: ['The account is disabled.', 'A super admin'],
  device_unknown: ['The lock does not exist any more.', ''],
  device_unassigned: ['The lock belongs to no property.', 'A super admin'],
  no_association: ['There is no role or guest access for this lock.', 'A manager of the property, or a tenant of the unit for guests'],
  role_insufficient: ['The role does not include this.', 'A manager of the property, or the owner'],
  operation_not_granted: ['The guest access does not include this.', 'The person who granted the access'],
  guest_access_revoked: ['The guest access has been revoked.', 'The person who granted the access'],
  grantor_lost_access: ['The person who granted the access has lost it.', 'A manager of the property'],
  guest_window_not_started: ['The guest access has not begun.', 'The person who granted the access'],
  guest_window_ended: ['The guest access has ended.', 'The person who granted the access'],
  guest_uses_exhausted: ['The guest access has no uses left.', 'The person who granted the access'],
  outside_schedule: ['The guest access is not open at this time.', 'The person who granted the access'],
  clock_untrusted: ['The gateway does not trust its clock, so access with a time limit is suspended.', 'A super admin, who checks the clock'],
  feature_unavailable: ['The subscription does not include this.', 'The owner of the portfolio, or a super admin'],
  capability_missing: ['The lock cannot do this.', ''],
  remote_operation_disabled: ['Remote operation of this lock is switched off.', 'A manager of the property'],
  lockdown_active: ['The property is locked down: doors can be locked, but not opened.', 'The owner or a portfolio admin, who can override it; a manager, who can lift it'],
  forbidden: ['This does not exist, or you have no access to it.', ''],
};
/** The codes of the reasons that a record can have. */
export const denialReasons = Object.keys(reasons).filter((code) => code !== 'forbidden');
/** @param {string | null | undefined} reason @returns {string} */
export const reasonOf = (reason) => reasons[/** @type {keyof reasons} */ (reason)]?.[0] || reason || '';
/** @param {string | null | undefined} reason @returns {string} */
export const whoCanChange = (reason) => reasons[/** @type {keyof reasons} */ (reason)]?.[1] || '';

/** Reasons for which an operation is hidden: the person does not hold it, or the lock does not have it. */
const hiding = new Set([
  'no_association', 'role_insufficient', 'operation_not_granted', 'capability_missing', 'user_unknown', 'device_unknown',
]);
/**
 * Whether an operation is shown: allowed, or held and denied only now.
 *
 * @param {{allowed: boolean, reason?: string | null}} decision
 */
export const isShown = (decision) => decision.allowed || !hiding.has(decision.reason || '');

/** The causes of outcomes other than `CONFIRMED`. */
const causes = {
  jammed: 'The lock reports a jam. Check the door, then try again.',
  device_offline: 'The lock is offline. Nothing was sent.',
  deadline_passed: 'The command waited too long behind others. Nothing was sent.',
  shutting_down: 'The gateway is stopping. Nothing was sent.',
  busy: 'The lock is busy. Try again.',
  not_authorised: 'The lock refused the gateway.',
  invalid_code: 'The lock refused the code that the gateway sent.',
  low_power: 'The lock refused: its battery is too low.',
  not_calibrated: 'The lock refused: it is not calibrated.',
  unsupported: 'The lock does not support this.',
  transport: 'The lock could not be reached.',
  other: 'The lock refused without a known cause.',
};

/** @param {{state: string | null, operation: string | null, outcomeDetail?: string | null, changed?: boolean | null}} command a command that has ended */
export function outcomeOf(command) {
  const operation = operationOf(command.operation);
  switch (command.state) {
    case 'CONFIRMED':
      return command.changed === false ? `${operation.done} already; the lock confirmed it.` : `${operation.done}. The lock confirmed it.`;
    case 'DENIED': return 'Not sent: ' + reasonOf(command.outcomeDetail);
    case 'TIMED_OUT': return 'The lock did not confirm in time. The door may have moved: check it.';
    case 'UNKNOWN': return 'The outcome is not known. Check the door.';
    default: return causes[/** @type {keyof causes} */ (command.outcomeDetail)] || 'The lock did not do it.';
  }
}

/** @param {string | undefined} code @param {number | null} [retryAfter] */
export function refusalOf(code, retryAfter) {
  switch (code) {
    case 'rate_limited': return `Too many attempts. Try again ${retryAfter ? `in ${retryAfter} s` : 'later'}.`;
    case 'device_busy': return 'Too many commands are waiting for this lock. Try again in a moment.';
    case 'unavailable': return 'The gateway cannot write to its log at the moment, so it sends no commands.';
    case 'shutting_down': return 'The gateway is stopping. Nothing was sent.';
    default: return null;
  }
}

/** Problems of a field in an answer with status 400. */
const problems = {
  required: 'is missing', blank: 'is missing', empty: 'is empty', too_short: 'is too short', too_long: 'is too long',
  too_common: 'is too common', in_the_past: 'is in the past', end_not_after_start: 'must be after the start',
  window_too_long: 'is too long: at most five years', missing_zone: 'needs a time zone', unknown_zone: 'is no known time zone',
  bad_time: 'is not a valid time', not_grantable: 'cannot be granted', control_character: 'contains a character that is not allowed',
  unknown: 'is not known', not_an_email: 'is no email address',
  other_portfolio: 'is in another portfolio than the connection of the lock', not_in_property: 'is in another property',
  not_common_area: 'has a door that belongs to a unit',
};
/**
 * A sentence for an error of the API.
 *
 * @param {Console.Caught | null | undefined} error @param {Record<string, string>} [names] the names of fields on the page
 * @returns {string}
 */
export function sentenceOf(error, names = {}) {
  const fields = error?.details?.fields;
  if (error?.code === 'invalid_request' && Array.isArray(fields) && fields.length) {
    return fields.map((one) => {
      const name = names[one.field] || names[String(one.field).split(/[.[]/)[0]] || one.field;
      return `${name} ${problems[/** @type {keyof problems} */ (one.problem)] || 'is not valid (' + one.problem + ')'}.`;
    }).join(' ');
  }
  if (error?.code === 'limit_reached') {
    const { limit, count } = error.details || {};
    return `The subscription's limit is reached${limit === undefined ? '' : ` (${count ?? limit} of ${limit})`}.`;
  }
  if (error?.code === 'feature_unavailable') {
    const module = modules.find(([id]) => id === error.details?.module);
    return `The subscription does not include ${module ? module[1].toLowerCase() : 'this'}. ${reasons.feature_unavailable[1]} can change it.`;
  }
  return refusalOf(error?.code, error?.retryAfter) || reasons[/** @type {keyof reasons} */ (error?.code)]?.[0] || error?.message || 'This did not work.';
}

/**
 * The modules of a subscription.
 *
 * @type {[keyof API.Subscription['modules'], string][]}
 */
export const modules = [
  ['guestAccess', 'Guest access'], ['recurringSchedules', 'Recurring hours'], ['guestLinks', 'Guest links'],
  ['bulkOperations', 'Bulk operations'], ['accessLogExport', 'Export of the log'], ['complianceReport', 'Compliance report'],
];

// Times, on the clock of this browser.

const dayFormat = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
const dateFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const timeFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const exactFormat = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit',
  timeZoneName: 'short',
});

/** @param {string} instant */
export const exactTime = (instant) => exactFormat.format(new Date(instant));
/** @param {string} instant */
export const clockTime = (instant) => timeFormat.format(new Date(instant));

/**
 * A day and a time: `today 14:02`, `Mon 3 Mar 14:02`, `3 Mar 2027 14:02`.
 *
 * @param {string} instant @param {Date} [now]
 */
export function dayTime(instant, now = new Date()) {
  const at = new Date(instant);
  return `${dayOf(at, now)} ${timeFormat.format(at)}`;
}

/** @param {Date} at @param {Date} now */
export function dayOf(at, now = new Date()) {
  const days = Math.round((startOfDay(at) - startOfDay(now)) / 86400000);
  if (days === 0) return 'today';
  if (days === -1) return 'yesterday';
  if (days === 1) return 'tomorrow';
  return at.getFullYear() === now.getFullYear() ? dayFormat.format(at) : dateFormat.format(at);
}

/** @param {Date} at */
const startOfDay = (at) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

/**
 * How long ago an instant was: `just now`, `5 min ago`, `3 h ago`, then the day.
 *
 * @param {string} instant @param {Date} [now]
 */
export function ago(instant, now = new Date()) {
  const seconds = Math.round((now.getTime() - new Date(instant).getTime()) / 1000);
  if (seconds < 45) return 'just now';
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 12 * 3600) return `${Math.round(seconds / 3600)} h ago`;
  return dayTime(instant, now);
}

const numberFormat = new Intl.NumberFormat('en-GB');

/** @param {number} count @param {string} thing */
export const counted = (count, thing, things = `${thing}s`) => `${numberFormat.format(count)} ${count === 1 ? thing : things}`;

/**
 * The name of a person, whose last name can be empty: a user, or the guest of an access.
 *
 * @param {{name?: string, firstName?: string, lastName?: string, email?: string}} user
 */
export const nameOf = (user) => (user.name || [user.firstName, user.lastName].filter(Boolean).join(' ')).trim() || user.email || 'A user';
