// The choice of doors, one in a list or several with check boxes, and of one person in a list. If there are too many for one list, the
// gateway searches them by name, page by page.
// @ts-check
import { call } from './api.js';
import { button, field, select } from './parts.js';
import { h } from './view.js';
import { counted, nameOf, sentenceOf } from './words.js';

const pageSize = 200;

/**
 * A kind of items: the API's list, its nouns, and the label of an item, by its name alone or with further data.
 *
 * @template Item
 * @typedef {{list: 'devices' | 'users', noun: string, nouns: string, label: string, name: (item: Item) => string, more: (item: Item) => string | null | undefined}} Kind
 */

/** @type {Kind<API.Device>} */
const door = {
  list: 'devices', noun: 'door', nouns: 'doors', label: 'Door', name: ({ name }) => name, more: ({ unitName, propertyName }) => unitName || propertyName,
};
/** @type {Kind<API.User>} */
const person = { list: 'users', noun: 'person', nouns: 'people', label: 'Person', name: nameOf, more: ({ email }) => email };

/**
 * `filter` for the list of the API; `accepts` for the items that can be chosen; `onread` is called when the first items are there.
 *
 * @template Item
 * @typedef {{filter?: Record<string, string>, accepts?: (item: Item) => boolean, onread?: () => void}} Options
 */

/** @template {Console.Named} Item */
class Picker {
  /** @param {Kind<Item>} kind @param {Console.Context} context @param {Options<Item>} [options] */
  constructor(kind, context, options = {}) {
    this.kind = kind;
    this.context = context;
    this.options = { filter: {}, accepts: () => true, onread: () => {}, ...options };
    /**
     * The items that were found.
     *
     * @type {Item[]}
     */
    this.items = [];
    /**
     * The items that are chosen, also those that the search does not find.
     *
     * @type {Map<string, Item>}
     */
    this.chosen = new Map();
    this.q = '';
    this.page = 0;
    this.pages = 0;
    /** How many items the search finds, and how many there are. */
    this.found = 0;
    this.total = 0;
    /** @type {Console.Caught | null} */
    this.error = null;
    this.isRead = false;
    this.reads = 0;
    /** @type {number | undefined} */
    this.typing = undefined;
  }

  /**
   * A number of items as text.
   *
   * @param {number} count
   */
  counted(count) { return counted(count, this.kind.noun, this.kind.nouns); }

  /**
   * Reads the first page of the search, or the next one.
   *
   * @param {number} [page]
   */
  async read(page = 1) {
    const number = ++this.reads;
    const { context, q, kind: { list }, options: { filter, accepts, onread } } = this;
    try {
      const { [list]: all, pagination } = await call('GET', `/${list}`, { query: { page, limit: pageSize, sortBy: 'name', q: q.trim(), ...filter } });
      if (number !== this.reads) return;
      const items = /** @type {Item[]} */ (/** @type {Console.Named[]} */ (all)).filter(accepts);
      const isFirst = !this.isRead;
      Object.assign(this, {
        items: page === 1 ? items : [...this.items, ...items], page, pages: pagination.totalPages, found: pagination.totalItems, error: null, isRead: true,
        total: q.trim() ? this.total : pagination.totalItems,
      });
      if (isFirst) onread();
      else if (q.trim() || page > 1) context.announce(page === 1 ? `${this.counted(this.found)} found` : `${this.counted(this.items.length)} shown`);
    } catch (error) {
      if (number !== this.reads) return;
      this.error = error;
      context.announce(sentenceOf(error));
    }
    context.redraw();
  }

  /**
   * Searches when the person has stopped typing.
   *
   * @param {string} q
   */
  search(q) {
    this.q = q;
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.read(), 250);
  }

  /** Ends the search; later responses are ignored. */
  end() {
    clearTimeout(this.typing);
    this.reads++;
  }

  /**
   * Selects only this item, by its id; an empty id selects none.
   *
   * @param {string} id @returns {Item | null} the item
   */
  choose(id) {
    const item = this.shown().find((one) => one.id === id) || null;
    this.chosen = new Map(item ? [[id, item]] : []);
    return item;
  }

  /**
   * Adds an item to the selection, or removes it.
   *
   * @param {Item} item
   */
  toggle(item) {
    if (!this.chosen.delete(item.id)) this.chosen.set(item.id, item);
  }

  /**
   * The chosen items that the search does not find, and those that it finds.
   *
   * @returns {Item[]}
   */
  shown() {
    const found = new Set(this.items.map(({ id }) => id));
    return [...[...this.chosen.values()].filter(({ id }) => !found.has(id)), ...this.items];
  }
}

/** @extends {Picker<API.Device>} */
export class DoorPicker extends Picker {
  /** @param {Console.Context} context @param {Options<API.Device>} [options] */
  constructor(context, options) { super(door, context, options); }
}

/** @extends {Picker<API.User>} */
export class PersonPicker extends Picker {
  /** @param {Console.Context} context @param {Options<API.User>} [options] */
  constructor(context, options) { super(person, context, options); }
}

/**
 * The name of an item, with further data if another item has the same name, or if `isLong` is set.
 *
 * @template {Console.Named} Item
 * @param {Picker<Item>} picker @param {Item} item @param {Item[]} items @param {boolean} isLong
 */
function textOf({ kind: { name, more } }, item, items, isLong) {
  const isUnique = !isLong && items.every((one) => one === item || name(one) !== name(item));
  return isUnique ? name(item) : [name(item), more(item)].filter(Boolean).join(' – ');
}

/**
 * The field that searches, where there are more items than are shown.
 *
 * @template {Console.Named} Item
 * @param {Picker<Item>} picker @param {string} id
 */
const searchField = (picker, id) => (picker.total > pageSize || picker.q) && field(`Find a ${picker.kind.noun}`, {
  id: `${id}-search`, type: 'search', value: picker.q, placeholder: 'Search by name', autocomplete: 'off',
  oninput: (event) => picker.search(event.target.value),
  // Enter searches at once; it does not send the form around the field.
  onkeydown: (event) => { if (event.key === 'Enter') { event.preventDefault(); clearTimeout(picker.typing); picker.read(); } },
}, { error: picker.error ? sentenceOf(picker.error) : null });

/**
 * The number of found items that are shown.
 *
 * @template {Console.Named} Item
 * @param {Picker<Item>} picker @param {string} id
 */
const rest = (picker, id) => picker.isRead && [
  picker.found === 0 && picker.q.trim() !== '' && h('p.hint', { key: 'none' }, `No ${picker.kind.noun} has this name.`),
  picker.page < picker.pages && h('div.picker-rest', { key: 'rest' },
    h('p.hint', null, `${picker.items.length.toLocaleString('en-GB')} of ${picker.counted(picker.found)} are listed; use the search to find others.`),
    button(`Show more ${picker.kind.nouns}`, { id: `${id}-more`, onclick: () => picker.read(picker.page + 1) })),
];

/**
 * A list in which one item is chosen; nothing where there is none.
 *
 * @template {Console.Named} Item
 * @param {Picker<Item>} picker @param {{id: string, onchange: (item: Item | null) => void, none?: string, isLong?: boolean}} options `none` is the text for no item
 */
export function pickerSelect(picker, { id, onchange, none, isLong = false }) {
  const items = picker.shown();
  if (items.length === 0 && !picker.q) return null;
  const [chosen] = picker.chosen.keys();
  /** @type {[string, string][]} */
  const options = items.map((one) => [one.id, textOf(picker, one, items, isLong)]);
  return h('div.picker', { key: id },
    searchField(picker, id),
    select(picker.kind.label, { id, value: chosen || '', onchange: (value) => onchange(picker.choose(value)) }, none === undefined ? options : [['', none], ...options]),
    rest(picker, id));
}

/**
 * Check boxes with which doors are chosen.
 *
 * @param {Console.Context} context @param {DoorPicker} picker @param {string} id
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
