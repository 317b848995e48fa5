// The choice of doors: one in a list, or several with check boxes. Where there are more doors than fit, the gateway searches them by name,
// page by page.
// @ts-check
import { call } from './api.js';
import { button, field, select } from './parts.js';
import { h } from './view.js';
import { counted, sentenceOf } from './words.js';

const pageSize = 200;

export class DoorPicker {
  /**
   * @param {any} context
   * @param {{filter?: Record<string, string>, accepts?: (device: any) => boolean, onread?: () => void}} [options] `filter` for the list of the
   *   API; `accepts` for the doors that can be chosen; `onread` is called when the first doors are there
   */
  constructor(context, options = {}) {
    this.context = context;
    this.options = { filter: {}, accepts: () => true, onread: () => {}, ...options };
    /** The doors that were found. @type {any[]} */
    this.doors = [];
    /** The doors that are chosen, also those that the search does not find. @type {Map<string, any>} */
    this.chosen = new Map();
    this.q = '';
    this.page = 0;
    this.pages = 0;
    /** How many doors the search finds, and how many there are. */
    this.found = 0;
    this.total = 0;
    /** @type {any} */
    this.error = null;
    this.isRead = false;
    this.reads = 0;
    /** @type {any} */
    this.typing = null;
  }

  /** Reads the first page of the search, or the next one. @param {number} [page] */
  async read(page = 1) {
    const number = ++this.reads;
    const { context, q, options: { filter, accepts, onread } } = this;
    try {
      const { devices, pagination } = await call('GET', '/devices', { query: { page, limit: pageSize, sortBy: 'name', q: q.trim(), ...filter } });
      if (number !== this.reads) return;
      const doors = devices.filter(accepts);
      const isFirst = !this.isRead;
      Object.assign(this, {
        doors: page === 1 ? doors : [...this.doors, ...doors], page, pages: pagination.totalPages, found: pagination.totalItems, error: null, isRead: true,
        total: q.trim() ? this.total : pagination.totalItems,
      });
      if (isFirst) onread();
      else if (q.trim() || page > 1) context.announce(page === 1 ? `${counted(this.found, 'door')} found` : `${counted(this.doors.length, 'door')} shown`);
    } catch (error) {
      if (number !== this.reads) return;
      this.error = error;
      context.announce(sentenceOf(error));
    }
    context.redraw();
  }

  /** Searches when the person has stopped typing. @param {string} q */
  search(q) {
    this.q = q;
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.read(), 250);
  }

  /** Ends the searching; what comes later is left alone. */
  end() {
    clearTimeout(this.typing);
    this.reads++;
  }

  /** Chooses a door, and no other one, by its id; none by an empty one. @param {string} id @returns {any} the door */
  choose(id) {
    const door = this.shown().find((one) => one.id === id) || null;
    this.chosen = new Map(door ? [[id, door]] : []);
    return door;
  }

  /** Chooses a door besides the others, or takes it out. @param {any} door */
  toggle(door) {
    if (!this.chosen.delete(door.id)) this.chosen.set(door.id, door);
  }

  /** The chosen doors that the search does not find, and those that it finds. @returns {any[]} */
  shown() {
    const found = new Set(this.doors.map(({ id }) => id));
    return [...[...this.chosen.values()].filter(({ id }) => !found.has(id)), ...this.doors];
  }
}

/** @param {any} door */
const placeOf = (door) => door.unitName || door.propertyName;

/** The name of a door, with its place where another one has the same name or `isLong` asks for it. @param {any} door @param {any[]} doors @param {boolean} isLong */
function textOf(door, doors, isLong) {
  const isUnique = !isLong && doors.every((one) => one === door || one.name !== door.name);
  return isUnique ? door.name : [door.name, placeOf(door)].filter(Boolean).join(' – ');
}

/** The field that searches, where there are more doors than are shown. @param {DoorPicker} picker @param {string} id */
const searchField = (picker, id) => (picker.total > pageSize || picker.q) && field('Find a door', {
  id: `${id}-search`, type: 'search', value: picker.q, placeholder: 'Search by name', autocomplete: 'off',
  oninput: (/** @type {any} */ event) => picker.search(event.target.value),
  // Enter searches at once; it does not send the form around the field.
  onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === 'Enter') { event.preventDefault(); clearTimeout(picker.typing); picker.read(); } },
}, { error: picker.error ? sentenceOf(picker.error) : null });

/** How much of what was found is shown. @param {DoorPicker} picker @param {string} id */
const rest = (picker, id) => picker.isRead && [
  picker.found === 0 && picker.q.trim() !== '' && h('p.hint', { key: 'none' }, 'No door has this name.'),
  picker.page < picker.pages && h('div.picker-rest', { key: 'rest' },
    h('p.hint', null, `${picker.doors.length.toLocaleString('en-GB')} of ${counted(picker.found, 'door')} can be chosen: search for others.`),
    button('Show more doors', { id: `${id}-more`, onclick: () => picker.read(picker.page + 1) })),
];

/**
 * A list in which one door is chosen.
 *
 * @param {DoorPicker} picker @param {{id: string, onchange: (door: any) => void, none?: string, isLong?: boolean}} options `none` is the text for no door
 */
export function doorSelect(picker, { id, onchange, none, isLong = false }) {
  const doors = picker.shown();
  if (doors.length === 0 && !picker.q) return null;
  const [chosen] = picker.chosen.keys();
  /** @type {[string, string][]} */
  const options = doors.map((one) => [one.id, textOf(one, doors, isLong)]);
  return h('div.picker', { key: id },
    searchField(picker, id),
    select('Door', { id, value: chosen || '', onchange: (value) => onchange(picker.choose(value)) }, none === undefined ? options : [['', none], ...options]),
    rest(picker, id));
}

/**
 * Check boxes with which doors are chosen.
 *
 * @param {any} context @param {DoorPicker} picker @param {string} id
 */
export function doorChecks(context, picker, id) {
  const doors = picker.shown();
  return h('fieldset.picker', { key: id }, h('legend', null, 'Doors'),
    searchField(picker, id),
    !picker.isRead && !picker.error && h('p.hint', { role: 'status' }, 'The doors are being read.'),
    picker.isRead && doors.length === 0 && !picker.q && h('p.hint', { key: 'empty' }, 'You can let guests in at no door here.'),
    h('div.choices', { tabindex: '0', role: 'group', 'aria-label': 'Doors' }, doors.map((one) => h(
      'label.check', { key: one.id, for: `door-${one.id}` },
      h('input', { id: `door-${one.id}`, type: 'checkbox', checked: picker.chosen.has(one.id), onchange: () => { picker.toggle(one); context.redraw(); } }),
      h('span', null, [one.name, one.unitName].filter(Boolean).join(' – '))))),
    rest(picker, id));
}
