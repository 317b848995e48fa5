// What the signed-in person may do, by the CASL rules of GET /users/me/permissions. It decides only what is shown: the gateway
// decides every request itself.
// @ts-check

/**
 * @typedef {{action: string[], subject: string[], conditions?: Conditions, fields?: string[], inverted?: boolean, reason?: string}} Rule
 * @typedef {Record<string, any>} Conditions a value for each field, or operators of MongoDB
 * @typedef {[action: string, subject: string, conditions?: Conditions | 0, inverted?: boolean | 0 | 1, fields?: string | 0, reason?: string]} Packed
 */

export class Ability {
  /** @param {Rule[] | null} rules null before they are known: nothing is allowed then. */
  constructor(rules) {
    this.isKnown = rules !== null;
    this.rules = rules || [];
  }

  /**
   * Whether an action is allowed on an object or, without one, on at least one object of the type.
   *
   * @param {string} action @param {string} subject @param {object | null} [object] @param {string} [field]
   */
  can(action, subject, object, field) {
    const rule = this.deciding(action, subject, object, field);
    return rule !== null && !rule.inverted;
  }

  /**
   * Why an action is forbidden on an object that a rule allows it on: the code of the reason; null if it is allowed, or if no
   * rule allows it.
   *
   * @param {string} action @param {string} subject @param {object} object
   */
  reason(action, subject, object) {
    const rule = this.deciding(action, subject, object);
    return rule && rule.inverted && this.holds(action, subject, object) ? rule.reason || null : null;
  }

  /**
   * Whether a rule allows the action on the object, whatever forbids it at the moment.
   *
   * @param {string} action @param {string} subject @param {object} object
   */
  holds(action, subject, object) {
    return this.rules.some((rule) => !rule.inverted && applies(rule, action, subject, object, undefined));
  }

  /**
   * The rule that decides: the last one that applies; null if there is none.
   *
   * @param {string} action @param {string} subject @param {object | null} [object] @param {string} [field]
   * @returns {Rule | null}
   */
  deciding(action, subject, object, field) {
    for (let index = this.rules.length - 1; index >= 0; index--) {
      if (applies(this.rules[index], action, subject, object, field)) return this.rules[index];
    }
    return null;
  }
}

/** @param {Rule} rule @param {string} action @param {string} subject @param {object | null | undefined} object @param {string | undefined} field */
function applies(rule, action, subject, object, field) {
  if (!rule.action.includes(action) && !rule.action.includes('manage')) return false;
  if (!rule.subject.includes(subject) && !rule.subject.includes('all')) return false;
  const hasFields = rule.fields && rule.fields.length;
  if (hasFields && (field === undefined ? rule.inverted : !rule.fields?.includes(field))) return false;
  if (!rule.conditions) return true;
  // Without an object, the question is about the type: a rule with conditions may permit some of its objects, and does not forbid all of
  // them.
  if (!object) return !rule.inverted;
  return Object.entries(rule.conditions).every(([name, wanted]) => matches(/** @type {Record<string, unknown>} */ (object)[name], wanted));
}

/** @param {unknown} value @param {unknown} wanted a value, or operators of MongoDB: `$in`, `$nin`, `$eq`, `$ne` */
function matches(value, wanted) {
  const values = Array.isArray(value) ? value : [value];
  if (wanted === null || typeof wanted !== 'object') return values.includes(wanted);
  return Object.entries(wanted).every(([operator, operand]) => {
    switch (operator) {
      case '$in': return operand.some((/** @type {unknown} */ one) => values.includes(one));
      case '$nin': return !operand.some((/** @type {unknown} */ one) => values.includes(one));
      case '$eq': return values.includes(operand);
      case '$ne': return !values.includes(operand);
      // An unknown operator: a rule with it neither permits nor forbids. The gateway decides.
      default: return false;
    }
  });
}

/**
 * Unpacks rules, as CASL's `unpackRules` reads it.
 *
 * @param {Packed[]} packed @returns {Rule[]}
 */
export function unpackRules(packed) {
  return packed.map(([action, subject, conditions, inverted, fields, reason]) => {
    /** @type {Rule} */
    const rule = { action: action.split(','), subject: subject.split(',') };
    if (conditions) rule.conditions = conditions;
    if (inverted) rule.inverted = true;
    if (fields) rule.fields = fields.split(',');
    if (reason) rule.reason = reason;
    return rule;
  });
}

// The pages of the console and what each requires. It decides only what is linked; the gateway decides every request.
/**
 * @typedef {{id: string, title: string, short?: string, path: string, icon: Console.Icon, requires: [string, string][], inBar: boolean, meaning: string}} Place
 */

/**
 * `requires` lists actions and subjects of which any one is enough; an empty list means that a sign-in is enough.
 *
 * @type {Place[]}
 */
export const places = [
  { id: 'doors', title: 'Doors', path: '#/doors', icon: 'doors', requires: [], inBar: true, meaning: 'the doors that the person may see' },
  {
    id: 'guests', title: 'Guests', path: '#/guests', icon: 'guests', requires: [['GRANT_ACCESS', 'LockDevice']], inBar: true,
    meaning: 'guest accesses: create, change, link, revoke',
  },
  {
    id: 'log', title: 'Log', path: '#/log', icon: 'log',
    requires: [['VIEW_ACCESS_HISTORY', 'LockDevice'], ['gatewayLog.read', 'Gateway']], inBar: true, meaning: 'access records and charts',
  },
  {
    id: 'check', title: 'Access check', short: 'Check', path: '#/check', icon: 'check', requires: [['VIEW_STATUS', 'LockDevice']], inBar: true,
    meaning: 'who can open a door, and whether a person can, at any time from now on',
  },
  {
    id: 'people', title: 'People', path: '#/people', icon: 'people',
    requires: [['people.list', 'Portfolio'], ['people.list', 'Property'], ['people.list', 'Unit']], inBar: true,
    meaning: 'users and their roles: invite, change, remove',
  },
  {
    id: 'portfolios', title: 'Portfolio', path: '#/portfolios', icon: 'portfolio', requires: [['portfolio.read', 'Portfolio']], inBar: true,
    meaning: 'properties, subscription with its usage, retention of the log, compliance report',
  },
  {
    id: 'found', title: 'Found locks', path: '#/found', icon: 'found', requires: [['device.attach', 'Property']], inBar: true,
    meaning: 'locks that adapters have found, to attach them',
  },
  {
    id: 'gateway', title: 'Gateway', path: '#/gateway', icon: 'gateway', requires: [['adapters.manage', 'Gateway']], inBar: true,
    meaning: 'adapters and brokers, clock, logs, backup',
  },
  {
    id: 'properties', title: 'Property', path: '#/properties/ID', icon: 'doors', requires: [['property.read', 'Property']], inBar: false,
    meaning: 'one property: its doors, its units and its lockdown',
  },
  {
    id: 'units', title: 'Unit', path: '#/units/ID', icon: 'unit', requires: [['unit.read', 'Unit']], inBar: false,
    meaning: 'one unit: its doors, tenants and guests',
  },
  { id: 'account', title: 'My account', path: '#/account', icon: 'account', requires: [], inBar: false, meaning: 'own names, password, sessions, API keys, defaults' },
  { id: 'more', title: 'More', path: '#/more', icon: 'more', requires: [], inBar: false, meaning: 'on a phone, the pages that are not in the bar' },
];

/** @param {Place} place @param {Ability} ability */
export const isOpen = (place, ability) =>
  place.requires.length === 0 || place.requires.some(([action, subject]) => ability.can(action, subject));
