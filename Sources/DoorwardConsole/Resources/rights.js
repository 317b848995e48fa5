// What a change of the permissions means for a page that is open: rights that have ended, and rights that have begun.
// @ts-check
import { isOpen, places } from './ability.js';

/**
 * The types of objects that can be read, the widest first: singular and plural.
 *
 * @type {Record<string, [string, string]>}
 */
const things = { Portfolio: ['a portfolio', 'portfolios'], Property: ['a property', 'properties'], Unit: ['a unit', 'units'], LockDevice: ['a door', 'doors'] };

/** The message if it is not known which right has ended, or whether an object was deleted. */
export const isGone = 'What this page has shown is gone, or your access to it has ended.';

/**
 * The rights that rules give, even if they are forbidden now: each is an action, a type, and one value of its conditions.
 *
 * @param {Console.Ability} ability
 */
function heldBy({ rules }) {
  /** @type {Map<string, {action: string, subject: string}>} */
  const held = new Map();
  for (const { action: actions, subject: subjects, conditions, inverted } of rules) {
    if (inverted) continue;
    for (const action of actions) {
      for (const subject of subjects) for (const place of valuesOf(conditions)) held.set(`${action} ${subject} ${place}`, { action, subject });
    }
  }
  return held;
}

/**
 * A rule for several places is one right for each.
 *
 * @param {import('./ability.js').Conditions} [conditions]
 */
function valuesOf(conditions) {
  const entries = Object.entries(conditions || {});
  const list = entries.length === 1 && entries[0][1]?.$in;
  return Array.isArray(list) ? list.map((one) => JSON.stringify([[entries[0][0], one]])) : [JSON.stringify(entries)];
}

/**
 * Compares what a person was allowed with what the person is allowed now.
 *
 * @param {Console.Ability} before @param {Console.Ability} after
 * @returns {{ended: string | null, hasBegun: boolean}} `ended` is a sentence about the rights that have ended. It says of what kind they
 *   were, and names nothing that was lost
 */
export function changeOfRights(before, after) {
  const [old, now] = [heldBy(before), heldBy(after)];
  const lost = [...old].filter(([right]) => !now.has(right)).map(([, one]) => one);
  const hasBegun = [...now.keys()].some((right) => !old.has(right));
  if (lost.length === 0) return { ended: null, hasBegun };
  const closed = places.filter((place) => place.inBar && isOpen(place, before) && !isOpen(place, after)).map(({ title }) => title);
  const pages = closed.length > 0 ? ` Not open to you any more: ${closed.join(', ')}.` : '';
  // If one role replaces another, no access to the place has ended.
  if (hasBegun) return { ended: `Your rights have changed. This page shows your current rights.${pages}`, hasBegun };
  const unseen = lost.filter(({ action }) => action === 'read').map(({ subject }) => subject);
  const widest = Object.keys(things).find((subject) => unseen.includes(subject));
  if (!widest) return { ended: `Some of your rights have ended. This page shows what you can still see.${pages}`, hasBegun };
  const count = unseen.filter((subject) => subject === widest).length;
  return { ended: `Your access to ${count === 1 ? things[widest][0] : `${count} ${things[widest][1]}`} has ended. Nothing of it is shown any more.${pages}`, hasBegun };
}
