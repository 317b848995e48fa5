// Portfolios, properties and units: reading them, and the roles that can be given on each.
// @ts-check
import { call } from './api.js';

const pageSize = 200;
/** The maximum number of entities of a type that are read for a selection. */
const maxEntities = 1000;

/** @typedef {API.Portfolio | API.Property | API.Unit} Entity */

/**
 * The types of entities that people have roles on: the list of the API, the list of the holders below an entity, the type in the
 * rules, and the word.
 *
 * @type {Record<string, {list: string, field: 'portfolios' | 'properties' | 'units', holders: string, subject: string, word: 'Portfolio' | 'Property' | 'Unit'}>}
 */
export const entityTypes = {
  PORTFOLIO: { list: '/portfolios', field: 'portfolios', holders: 'admins', subject: 'Portfolio', word: 'Portfolio' },
  PROPERTY: { list: '/properties', field: 'properties', holders: 'managers', subject: 'Property', word: 'Property' },
  UNIT: { list: '/units', field: 'units', holders: 'tenants', subject: 'Unit', word: 'Unit' },
};

/** The roles, each with the type it is given on and the permission to give it. */
export const roleRules = [
  { type: 'PORTFOLIO', role: 'OWNER', permission: 'portfolio.admins.assign' },
  { type: 'PORTFOLIO', role: 'PORTFOLIO_ADMIN', permission: 'portfolio.admins.assign' },
  { type: 'PORTFOLIO', role: 'AUDITOR', permission: 'portfolio.auditors.assign' },
  { type: 'PROPERTY', role: 'PROPERTY_MANAGER', permission: 'property.managers.assign' },
  { type: 'PROPERTY', role: 'MAINTENANCE', permission: 'property.staff.assign' },
  { type: 'PROPERTY', role: 'AUDITOR', permission: 'property.staff.assign' },
  { type: 'UNIT', role: 'TENANT', permission: 'unit.tenants.assign' },
];

/**
 * The roles that the person may give on an entity.
 *
 * @param {Console.Ability} ability @param {string} type @param {object | null} entity @returns {string[]}
 */
export const rolesToGive = (ability, type, entity) =>
  roleRules.filter((one) => one.type === type && ability.can(one.permission, entityTypes[type].subject, entity)).map(({ role }) => role);

/**
 * Whether the person may remove these roles.
 *
 * @param {Console.Ability} ability @param {string} type @param {object} entity @param {string[]} roles
 */
export const canRemove = (ability, type, entity, roles) => {
  const given = rolesToGive(ability, type, entity);
  return roles.every((role) => given.includes(role));
};

/** @param {string} type @param {string} id */
export const entityPath = (type, id) => `${entityTypes[type].list}/${encodeURIComponent(id)}`;
/**
 * The page of an entity.
 *
 * @param {string} type @param {string} id
 */
export const entityAddress = (type, id) => `#${entityPath(type, id)}`;

/**
 * All entities of a list, up to a limit.
 *
 * @template {keyof Console.Lists} Field
 * @param {string} path @param {Field} field @param {import('./api.js').Query} [filter] @param {number} [most]
 * @returns {Promise<Console.Lists[Field]>}
 */
export async function readAll(path, field, filter = {}, most = maxEntities) {
  /** @type {unknown[]} */
  const found = [];
  for (let page = 1; page <= most / pageSize; page++) {
    const data = await call('GET', path, { query: { page, limit: pageSize, sortBy: 'name', ...filter } });
    found.push(...data[field]);
    if (page >= data.pagination.totalPages) break;
  }
  return /** @type {Console.Lists[Field]} */ (found);
}

/** The portfolios, properties and units that the person sees, by type and id. */
export class Scopes {
  /** @param {Entity[][]} lists of portfolios, properties and units */
  constructor([portfolios, properties, units]) {
    /** @type {Record<string, Map<string, Entity>>} */
    this.byType = { PORTFOLIO: byID(portfolios), PROPERTY: byID(properties), UNIT: byID(units) };
  }

  /** @param {number} [most] how many of each type are read */
  static async read(most) {
    const lists = Object.values(entityTypes).map(({ list, field }) => readAll(list, field, {}, most));
    return new Scopes(await Promise.all(lists));
  }

  /** @param {string} type @param {string | null | undefined} id */
  find(type, id) { return this.byType[type]?.get(id || '') || null; }

  /**
   * The name with that of the place around it: `Flat 1A, Quay 1`.
   *
   * @param {string} type @param {string} id
   */
  nameOf(type, id) {
    const entity = this.find(type, id);
    if (!entity) return `A ${entityTypes[type]?.word.toLowerCase() || 'place'}`;
    const around = type === 'UNIT' ? this.find('PROPERTY', /** @type {API.Unit} */ (entity).propertyId) : null;
    return [entity.name, around?.name].filter(Boolean).join(', ');
  }

  /**
   * The entities of a type on which the person may give a role.
   *
   * @param {Console.Ability} ability @param {string} type
   */
  open(ability, type) { return [...this.byType[type].values()].filter((entity) => rolesToGive(ability, type, entity).length > 0); }
}

/** @param {Entity[]} list @returns {Map<string, Entity>} */
const byID = (list) => new Map(list.map((one) => [one.id, one]));
