// The lines of a file of people: what each of them asks for, or what is wrong with it. Nothing is sent here.
// @ts-check
import { isFormula, parse, textOf, unguarded } from './csv.js';
import { entityTypes, roleRules, rolesToGive } from './scopes.js';
import { counted, roleOf } from './words.js';

/**
 * @typedef {{type: string, id: string, role: string}} Offer
 * @typedef {{line: number, email: string, role: string, place: string, placeId: string, mistake: string | null,
 *   offer: Offer | null, problem: string | null, text: string,
 *   phase: 'waiting' | 'sending' | 'done' | 'failed' | 'unsure',
 *   outcome: string, link: string, expiresAt: string, key: string}} Line
 *   `mistake` is one of the file, `problem` why the line cannot be sent, `text` what it does; `key` is that of its
 *   request
 */

/** How many people a file can have, and how many bytes. */
export const [maxLines, maxBytes] = [10000, 8 * 1024 * 1024];
const maxEmail = 254;

/** The names that a column may have, in the first line of a file. */
const columns = {
  email: ['email', 'e mail', 'email address', 'e mail address', 'mail', 'address'], role: ['role'],
  place: ['place', 'place name', 'property', 'unit', 'portfolio'], placeId: ['placeid', 'place id', 'id'],
};
const names = /** @type {(keyof typeof columns)[]} */ (Object.keys(columns));

/** @param {string} text a code, or a word: `PROPERTY_MANAGER` and `Property manager` are the same */
const plain = (text) => text.normalize('NFC').trim().toLowerCase().replace(/[\s_-]+/g, ' ');

/**
 * A text that is not longer than a line.
 *
 * @param {string} text
 */
export const shortened = (text) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

/**
 * The lines of a file; `problem` says why there are none.
 *
 * @param {Uint8Array} bytes @returns {{lines: Line[], problem: string | null}}
 */
export function readLines(bytes) {
  const none = (/** @type {string} */ problem) => ({ lines: [], problem });
  if (bytes.length > maxBytes) return none('The file is larger than 8 MB.');
  const text = textOf(bytes);
  if (text === null) return none('The file is no text in UTF-8. Save it as “CSV UTF-8”, then choose it again.');
  const { rows } = parse(text);
  if (rows.length === 0) return none('The file is empty.');
  const head = headOf(rows[0].cells);
  const hasHead = head.email >= 0;
  if (!hasHead && !rows[0].cells[0].includes('@') && !rows[0].problem) {
    return none('The first line names no column “email”. The columns are email, role and place.');
  }
  const people = hasHead ? rows.slice(1) : rows;
  if (people.length === 0) return none('The file has a first line with the names of the columns, and nobody after it.');
  if (people.length > maxLines) {
    return none(`The file has ${counted(people.length, 'line')}. `
      + `At most ${counted(maxLines, 'person', 'people')} can be invited with one file.`);
  }
  const at = hasHead ? head : { email: 0, role: 1, place: 2, placeId: -1 };
  const width = hasHead ? rows[0].cells.length : 3;
  return { lines: people.map((row) => lineOf(row, at, width)), problem: null };
}

/**
 * Where the columns are; -1 for one that is absent.
 *
 * @param {string[]} cells
 */
function headOf(cells) {
  const found = cells.map(plain);
  const entries = names.map((name) => [name, found.findIndex((one) => columns[name].includes(one))]);
  return /** @type {Record<keyof typeof columns, number>} */ (Object.fromEntries(entries));
}

/**
 * @param {import('./csv.js').Row} row @param {Record<keyof typeof columns, number>} at @param {number} width
 * @returns {Line}
 */
function lineOf({ line, cells, problem }, at, width) {
  const cell = (/** @type {keyof typeof columns} */ name) => unguarded((cells[at[name]] || '').trim());
  const extra = cells.slice(width).some((one) => one.trim() !== '');
  const mistake = problem || (extra
    ? `It has ${cells.length} cells in the place of ${width}. A place with commas in its name needs quotes.` : null);
  return {
    line, email: cell('email'), role: cell('role'), place: cell('place'), placeId: cell('placeId'), mistake,
    offer: null, problem: mistake, text: '', phase: 'waiting', outcome: '', link: '', expiresAt: '', key: '',
  };
}

/**
 * What each line does, or what is wrong with it, by what the person sees and may do now. Lines that have been sent stay
 * as they are.
 *
 * @param {Line[]} lines @param {import('./scopes.js').Scopes} scopes @param {Console.Ability} ability
 * @param {{email: string, role: string | null, place?: Console.Place | null}[]} [pending] the pending invitations
 */
export function judge(lines, scopes, ability, pending = []) {
  const index = indexOf(scopes);
  const keyOf = (/** @type {string} */ email, /** @type {Offer} */ { role, type, id }) =>
    JSON.stringify([email.toLowerCase(), role, type, id]);
  const asked = new Set(pending.flatMap(({ email, role, place }) =>
    (role && place ? keyOf(email, { ...place, role }) : [])));
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (const line of lines) {
    // What was sent is told by what the file says, if its place is not visible any more.
    const isUnseen = line.offer && !scopes.find(line.offer.type, line.offer.id);
    if (isUnseen) line.text = `${line.role}, ${line.place || line.placeId}.`;
    const found = line.mistake ? { problem: line.mistake, offer: null } : offerOf(line, index, scopes, ability);
    if (found.offer) {
      const key = keyOf(line.email, found.offer);
      const first = seen.get(key);
      if (first === undefined) seen.set(key, line.line);
      if (line.phase === 'done' || line.phase === 'failed') continue;
      const name = scopes.nameOf(found.offer.type, found.offer.id);
      const again = asked.has(key) ? ' The invitation that is pending ends.' : '';
      Object.assign(line, {
        offer: found.offer, text: `${roleOf(found.offer.role)}, ${name}.${again}`,
        problem: first === undefined ? null : `It is the same as line ${first}.`,
      });
    } else if (line.phase !== 'done' && line.phase !== 'failed') {
      Object.assign(line, { offer: null, text: '', problem: found.problem });
    }
  }
}

/** @typedef {{byID: Map<string, Console.Place>, byName: Map<string, Console.Place[]>}} Index */

/** @param {import('./scopes.js').Scopes} scopes @returns {Index} */
function indexOf(scopes) {
  /** @type {Index} */
  const index = { byID: new Map(), byName: new Map() };
  for (const [type, entities] of Object.entries(scopes.byType)) {
    for (const { id, name } of entities.values()) {
      const place = { type, id };
      index.byID.set(id.toLowerCase(), place);
      for (const text of new Set([plain(name), plain(scopes.nameOf(type, id))])) {
        index.byName.set(text, [...(index.byName.get(text) || []), place]);
      }
    }
  }
  return index;
}

/**
 * @param {Line} line @param {Index} index @param {import('./scopes.js').Scopes} scopes @param {Console.Ability} ability
 * @returns {{problem: string, offer: null} | {problem: null, offer: Offer}}
 */
function offerOf(line, index, scopes, ability) {
  const wrong = (/** @type {string} */ problem) => ({ problem, offer: null });
  const email = emailProblem(line.email);
  if (email) return wrong(email);
  if (!line.role) return wrong('The role is missing.');
  const rules = roleRules.filter(({ role }) => plain(role) === plain(line.role));
  if (rules.length === 0) return wrong(`“${shortened(line.role)}” is no role that can be given.`);
  const [{ role }] = rules;
  if (!line.place && !line.placeId) return wrong('The place is missing.');
  const named = shortened(line.placeId || line.place);
  const byID = index.byID.get((line.placeId || line.place).toLowerCase());
  const found = byID ? [byID] : line.placeId ? [] : index.byName.get(plain(line.place)) || [];
  if (found.length === 0) return wrong(`No place that you can see is “${named}”.`);
  const fitting = found.filter(({ type }) => rules.some((rule) => rule.type === type));
  const kinds = rules.map(({ type }) => entityTypes[type].word.toLowerCase()).join(' or a ');
  if (fitting.length === 0) {
    const kind = entityTypes[found[0].type].word.toLowerCase();
    return wrong(`${roleOf(role)} is a role at a ${kinds}, and “${named}” is a ${kind}.`);
  }
  if (fitting.length > 1) {
    return wrong(`${fitting.length} places are called “${named}”: add the place around it, or use the id.`);
  }
  const [{ type, id }] = fitting;
  if (!rolesToGive(ability, type, scopes.find(type, id)).includes(role)) {
    return wrong(`You may not give the role ${roleOf(role)} at “${named}”.`);
  }
  return { problem: null, offer: { type, id, role } };
}

/** @param {string} email */
function emailProblem(email) {
  if (!email) return 'The email address is missing.';
  if (isFormula(email)) return `“${shortened(email)}” begins like a formula, and is not taken for an email address.`;
  if (new TextEncoder().encode(email).length > maxEmail) return 'The email address is too long.';
  const isEmail = /^[^@\s\p{C}]+@[^@\s\p{C}]+$/u.test(email);
  return isEmail ? null : `“${shortened(email)}” is no email address.`;
}
