// Doors: a board or a list, with a band of counters that filter.
// @ts-check
import { call, queryText } from './api.js';
import { LiveObjects } from './live.js';
import { button, denialFacts, icon, keepsAfter, time, whenLoaded } from './parts.js';
import { changeText, h } from './view.js';
import { ago, counted, operations, qualityOf, stateOf } from './words.js';

const pageSize = 200;
/** The maximum number of doors that are read; if there are more, the gateway searches, and the first page of results is shown. */
const maxDoors = 1000;
const firstShown = 60;
/** How many doors are drawn in the first frame, about a screen, and how many new ones in each later frame, so that none takes long. */
const rowsInFirstFrame = 12;
const newRowsInFrame = 4;
/** The number of doors whose displayed age is updated in one frame. */
const agesInFrame = 60;
/** The number of doors in a block, which the browser lays out separately: divisible by rows of one, two and three cards. */
const doorsInBlock = 6;
/** How often the doors are read if the stream does not send them, because there are too many. */
const readAgainAfter = 15000;
/** A read that takes longer is started again. */
const readWithin = 60000;

/**
 * @typedef {Console.State & {
 *   list: Console.LiveObjects<API.Device, Console.Need | null>, rows: Rows, total: number, q: string, filter: string, propertyId: string, style: string, shown: number,
 *   problem?: Console.Caught | null, reads: number, began: number, isReading: boolean, isSearched: boolean, isPartial: boolean, firstRead: Promise<void> | null, endFirstRead: () => void,
 *   typing?: number, again?: number, watching?: AbortController, why: string | null,
 *   todo: typeof import('./todo.js') | null, ending: import('./todo.js').Ending | null}} State `todo` is loaded with the first doors; `ending` are guest accesses; `why` is the id of the door whose denial is explained, with the operation
 * @typedef {{id: string, title: string, tone: string, icon: Console.Icon, has: (device: API.Device) => boolean}} Counter
 * @typedef {import('./view.js').Text_} Age
 * @typedef {(context: Console.Context, state: State, device: API.Device, age: Age) => Console.Node} Describe
 * @typedef {{device: API.Device, describe: Describe, ability: Console.Ability, progress: import('./commands.js').Progress | null, phase?: string, text?: string,
 *   why: string | null, now: number, age: Age, description: Console.Node}} Row what is drawn of a door, and what it was drawn of
 * @typedef {Map<string, Row>} Rows
 */

/** @type {Counter[]} */
export const counters = [
  { id: 'all', title: 'All', tone: 'idle', icon: 'doors', has: () => true },
  { id: 'locked', title: 'Locked', tone: 'ok', icon: 'locked', has: ({ state }) => state === 'LOCKED' },
  { id: 'open', title: 'Not locked', tone: 'warn', icon: 'unlocked', has: ({ state }) => !['LOCKED', 'JAMMED', 'UNKNOWN'].includes(state || 'UNKNOWN') },
  { id: 'jammed', title: 'Jammed', tone: 'bad', icon: 'alert', has: ({ state }) => state === 'JAMMED' },
  { id: 'unknown', title: 'Unknown', tone: 'idle', icon: 'unknown', has: ({ state }) => (state || 'UNKNOWN') === 'UNKNOWN' },
  { id: 'offline', title: 'Offline', tone: 'bad', icon: 'offline', has: ({ isOnline }) => isOnline === false },
  { id: 'battery', title: 'Low battery', tone: 'warn', icon: 'battery', has: ({ batteryLow }) => batteryLow === true },
];

/** The commands that move a lock, in the order of their buttons. */
export const movements = ['UNLOCK', 'LOCK', 'UNLATCH'];

/**
 * The button that is offered first: what changes the state.
 *
 * @param {API.Device} device
 */
const firstOperation = (device) => (device.state === 'LOCKED' ? 'UNLOCK' : 'LOCK');

/** @type {Console.Page<State>} */
const page = {
  start(context, path, query) {
    /** @type {State} */
    const state = {
      status: 'loading', error: null, total: 0, readAt: '', q: query.get('q') || '', filter: query.get('show') || 'all',
      propertyId: query.get('property') ?? (String(query) ? '' : context.user?.defaultPropertyId || ''), style: localStorage.getItem('doorward-doors') || 'board', shown: firstShown, isEnded: false,
      why: null, reads: 0, began: 0, rows: new Map(), isReading: false, isSearched: false, isPartial: false,
      // If the gateway searches, the stream sends more doors than the page shows.
      list: new LiveObjects({ type: 'device', query: '' }, ({ id }, isNamed) => isNamed && (!state.isSearched || state.list.objects.has(id))),
      firstRead: null, endFirstRead: () => {}, todo: null, ending: null,
    };
    state.firstRead = new Promise((resolve) => { state.endFirstRead = resolve; });
    page.refresh(context, state, state.endFirstRead);
    loadTodo(context, state);
    return state;
  },

  end(state) {
    state.isEnded = true;
    clearTimeout(state.typing);
    clearInterval(state.again);
    state.watching?.abort();
    state.endFirstRead();
  },

  /** @param {Console.Context} context @param {State} state @param {() => void} [shown] is called when the first doors are there, or the reading has failed */
  async refresh(context, state, shown) {
    const number = ++state.reads;
    const isCurrent = () => !state.isEnded && number === state.reads;
    const isFirst = state.status !== 'loaded';
    const filters = state.isSearched ? { q: state.q, propertyId: state.propertyId } : {};
    const need = { type: 'device', query: queryText(filters).slice(1) };
    Object.assign(state, { began: Date.now(), isReading: true });
    let [total, more, isOther] = [0, true, false];
    /** @param {number} page @param {number} limit */
    const read = async (page, limit) => {
      const data = await call('GET', '/devices', { query: { page, limit, sortBy: 'name', ...filters } });
      total = data.pagination.totalItems;
      more = page < data.pagination.totalPages;
      return data.devices;
    };
    /** Whether the data match the search: if there are too many doors to read all, the gateway searches. */
    const isWanted = () => {
      if (!isCurrent()) return false;
      const wasSearched = state.isSearched;
      if (!queryText(filters)) state.isSearched = total > maxDoors;
      isOther = state.isSearched !== wasSearched && (wasSearched ? more : Boolean(state.q || state.propertyId));
      return !isOther;
    };
    /** @param {boolean} isPartial whether others are still being read */
    const take = (isPartial) => {
      Object.assign(state, { status: 'loaded', error: null, problem: null, isPartial, total, readAt: new Date().toISOString() });
      subscribe(context, state);
      shown?.();
      context.redraw();
    };
    try {
      // A short page first, so that there is something to see.
      if (isFirst) {
        await state.list.read(async () => { const devices = await read(1, firstShown); return isWanted() ? devices : null; }, need);
        if (isCurrent() && !isOther) take(more);
      }
      if (isCurrent() && !isOther && (more || !isFirst)) {
        const before = state.list.objects;
        await state.list.read(async () => {
          const devices = [];
          const pages = total > maxDoors || state.isSearched ? 1 : maxDoors / pageSize;
          for (let page = 1; isCurrent() && more && page <= pages; page++) devices.push(...await read(page, pageSize));
          return isWanted() ? devices : null;
        }, need);
        if (!isCurrent()) return;
        if (!isOther && !isFirst) announceChanges(context, before, state.list.objects);
        if (!isOther && !isFirst && state.ending) state.todo?.readEnding(state.ending).then(context.redraw);
        if (!isOther) take(false);
      }
      if (isCurrent() && isOther) await page.refresh(context, state, shown);
    } catch (error) {
      if (!isCurrent()) return;
      // The earlier data stay visible, with the time at which they were read.
      if (keepsAfter(context, state, error)) state.problem = error;
      context.redraw();
    } finally {
      if (number === state.reads) state.isReading = false;
      shown?.();
    }
  },

  live(context, state, event, data) {
    if (event === 'poll') { readAgain(context, state); return; }
    if (state.ending?.accesses.take(event, data)) context.redraw();
    const { list } = state;
    const before = new Map((data.object ? [data.object] : data.objects || []).map(({ id }) => [id, list.objects.get(id)]));
    list.take(event, data);
    if (state.status !== 'loaded' || !list.isNamed(data)) return;
    for (const [id, old] of before) {
      const device = list.objects.get(id);
      if (old && device && old.state !== device.state) context.announce(`${device.name}: ${stateOf(device.state).word}`);
    }
    // A whole snapshot has all doors.
    if (event === 'ready' && !state.isSearched) Object.assign(state, { isPartial: false, problem: null });
    state.readAt = new Date().toISOString();
    context.redraw();
  },

  async commandEnded(context, state, deviceId) {
    try {
      const { device } = await call('GET', `/devices/${encodeURIComponent(deviceId)}`);
      if (state.list.objects.has(deviceId)) state.list.put(deviceId, device);
    } catch {
      // The next reading of the list shows it.
    }
    context.redraw();
  },

  view(context, state) {
    return h(
      'div', { key: 'doors' },
      h('div.page-head', null, h('h1', { tabindex: '-1' }, 'Doors'), styleSwitch(context, state)),
      whenLoaded(state, () => retry(context, state), () => content(context, state)));
  },

  key(context, state, event) {
    const cards = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[data-door]')]);
    const at = cards.findIndex((card) => card.contains(document.activeElement));
    if (event.key === 'j' || event.key === 'k') {
      const next = cards[at < 0 ? 0 : Math.min(cards.length - 1, Math.max(0, at + (event.key === 'j' ? 1 : -1)))];
      /** @type {HTMLElement | null} */ (next?.querySelector('a'))?.focus();
      return;
    }
    if (at < 0) return;
    const device = state.list.objects.get(cards[at].dataset.door || '');
    const operation = { u: 'UNLOCK', l: 'LOCK' }[event.key];
    if (!device || !operation || !context.ability.can(operation, 'LockDevice', device)) return;
    // A single key never opens a door: it moves the focus to the button, and Enter does it.
    if (operation === 'UNLOCK') document.getElementById(`UNLOCK-${device.id}`)?.focus();
    else context.commands.start(device, operation);
  },
};
export default page;

/**
 * Loads what is to be done, after the doors are asked for.
 *
 * @param {Console.Context} context @param {State} state
 */
async function loadTodo(context, state) {
  await state.firstRead;
  const todo = state.isEnded ? null : await import('./todo.js').catch(() => null);
  if (!todo || state.isEnded) return;
  state.todo = todo;
  if (context.ability.can('GRANT_ACCESS', 'LockDevice')) {
    state.ending = todo.newEnding();
    if (state.status === 'loaded') subscribe(context, state);
    await todo.readEnding(state.ending);
  }
  if (!state.isEnded) context.redraw();
}

/** @param {Console.Context} context @param {State} state */
function retry(context, state) {
  Object.assign(state, { status: 'loading', error: null });
  context.redraw();
  page.refresh(context, state);
}

/** @param {Console.Context} context @param {Map<string, API.Device>} before @param {Map<string, API.Device>} after */
function announceChanges(context, before, after) {
  for (const [id, device] of after) {
    const old = before.get(id);
    if (old && old.state !== device.state && !context.commands.isRunning(id)) context.announce(`${device.name}: ${stateOf(device.state).word}`);
  }
}

/** @param {Console.Context} context @param {State} state */
const styleSwitch = (context, state) => h(
  'div.switch', { role: 'group', 'aria-label': 'Layout' },
  /** @type {const} */ ([['board', 'Board'], ['list', 'List']]).map(([style, title]) => button(title, {
    id: 'style-' + style, icon: style, pressed: state.style === style, kind: 'quiet',
    onclick: () => {
      Object.assign(state, { style, rows: new Map() });
      localStorage.setItem('doorward-doors', style);
      context.redraw();
    },
  })));

/** @param {Console.Context} context @param {State} state */
function content(context, state) {
  if (state.list.objects.size === 0 && !state.q && !state.propertyId) return nothing(context);
  const q = state.q.trim().toLowerCase();
  const inPlace = [...state.list.objects.values()].filter((device) =>
    (!state.propertyId || device.propertyId === state.propertyId)
    && (!q || [device.name, device.propertyName, device.unitName].some((name) => name && name.toLowerCase().includes(q))));
  const all = [...counters, ...state.todo?.filters || []];
  const counter = all.find(({ id }) => id === state.filter) || counters[0];
  const doors = inPlace.filter((device) => counter.has(device));
  // The first doors are there, and the others are being read.
  const isReading = state.isPartial && !state.problem;
  return [
    state.problem && h('div.notice.bad', { key: 'problem' }, icon('alert'), h('div', null,
      state.isPartial ? `The first ${state.list.objects.size} of ${counted(state.total, 'door')} are shown; the others could not be read.`
        : ['The doors could not be refreshed; shown as of ', time(state.readAt), '.'])),
    isReading && h('p.hint', { key: 'reading' }, `Reading ${state.list.objects.size} of ${counted(state.total, 'door')}.`),
    state.isSearched && !state.isPartial && state.total > state.list.objects.size && h('p.hint', { key: 'many' },
      state.q || state.propertyId ? `${state.total.toLocaleString('en-GB')} doors match. The first ${state.list.objects.size} are shown${state.total > maxDoors ? ', and refreshed every 15 seconds' : ''}.`
        : `There are ${counted(state.total, 'door')}. The first ${state.list.objects.size} are shown, and refreshed every 15 seconds. Use the search to see others.`),
    state.todo && state.todo.todoView(state.todo.itemsOf(inPlace, [...state.ending?.accesses.objects.values() || []]), state.filter, (show) => choose(context, state, show)),
    band(context, state, inPlace, counter, all),
    filters(context, state),
    doors.length === 0 ? !isReading && h('div.empty', { key: 'none' }, icon('search'), h('h2', null, 'No door matches'),
      button('Show all doors', { onclick: () => { Object.assign(state, { q: '', filter: 'all', propertyId: '' }); remember(state); searchAgain(context, state, 0); } }))
      : state.style === 'list' ? list([...rows(context, state, doors, row).values()].map(({ description }) => description)) : board(context, doors, rows(context, state, doors, card)),
    doors.length > state.shown && button(`Show ${Math.min(firstShown, doors.length - state.shown)} more of ${doors.length}`, {
      id: 'more', kind: 'wide', onclick: () => { state.shown += firstShown; context.redraw(); },
    }),
  ];
}

/** @param {Console.Context} context */
const nothing = (context) => h(
  'div.empty', { key: 'nothing' }, icon('doors'), h('h2', null, 'No doors yet'),
  context.ability.can('device.attach', 'Property')
    ? h('p', null, 'Attach the first lock with ', h('code', null, 'doorward attach'), ', or one of the ', h('a', { href: '#/found' }, 'found locks'), '.')
    : h('p', null, 'No door has been shared with you. A manager of the property, or a tenant who lets you in, can change that.'));

/** @param {Console.Context} context @param {State} state @param {string} filter */
function choose(context, state, filter) {
  Object.assign(state, { filter, shown: firstShown });
  remember(state);
  context.redraw();
}

/** @param {Console.Context} context @param {State} state @param {API.Device[]} doors @param {Counter} current @param {Counter[]} all */
function band(context, state, doors, current, all) {
  return h(
    'div.band', { key: 'band', role: 'group', 'aria-label': 'Filter by state' },
    all.map((counter) => {
      const count = doors.filter((device) => counter.has(device)).length;
      // The filters of what is to be done are in their own list.
      if (counter !== current && !counters.includes(counter)) return null;
      if (count === 0 && counter.id !== 'all' && counter.id !== 'locked' && counter.id !== 'open' && counter !== current) return null;
      return h(
        'button.counter', {
          key: counter.id, id: `show-${counter.id}`, type: 'button', class: count ? counter.tone : 'idle', 'aria-pressed': String(counter === current),
          onclick: () => choose(context, state, counter.id),
        },
        icon(counter.icon), h('span.number', null, count === 0 && state.isPartial ? '–' : count), h('span.label', null, counter.title));
    }));
}

/** @param {State} state */
function remember(state) {
  const query = new URLSearchParams();
  if (state.q) query.set('q', state.q);
  if (state.filter !== 'all') query.set('show', state.filter);
  if (state.propertyId) query.set('property', state.propertyId);
  history.replaceState(null, '', '#/doors' + (String(query) && '?' + query));
}

/** @param {Console.Context} context @param {State} state @param {number} delay */
function searchAgain(context, state, delay) {
  context.redraw();
  if (!state.isSearched) return;
  clearTimeout(state.typing);
  state.typing = setTimeout(() => page.refresh(context, state), delay);
}

/** @param {Console.Context} context @param {State} state */
function filters(context, state) {
  /** @type {Map<string, string>} */
  const properties = new Map();
  for (const { propertyId, propertyName } of state.list.objects.values()) if (propertyId) properties.set(propertyId, propertyName || '');
  return h(
    'div.filters', { key: 'filters' },
    // The gateway searches the names of the doors only.
    h('div.search', null, icon('search'),
      h('input', {
        id: 'search', type: 'search', 'aria-label': 'Search doors', placeholder: state.isSearched ? 'Search by the name of a door' : 'Search by door, property or unit', value: state.q, autocomplete: 'off',
        oninput: (event) => { state.q = event.target.value; state.shown = firstShown; remember(state); searchAgain(context, state, 250); },
      })),
    (properties.size > 1 || state.propertyId) && h(
      'select', {
        id: 'property', 'aria-label': 'Property', value: state.propertyId,
        onchange: (event) => { state.propertyId = event.target.value; state.shown = firstShown; remember(state); searchAgain(context, state, 0); },
      },
      h('option', { value: '' }, 'All properties'),
      [...properties].sort((a, b) => a[1].localeCompare(b[1])).map(([id, name]) => h('option', { key: id, value: id }, name))));
}

/**
 * Groups of doors by property, if there is more than one.
 *
 * @param {API.Device[]} doors
 */
function grouped(doors) {
  /** @type {Map<string, API.Device[]>} */
  const groups = new Map();
  for (const door of doors) {
    const name = door.propertyName || 'Without a property';
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name)?.push(door);
  }
  return [...groups].sort((a, b) => a[0].localeCompare(b[0]));
}

/**
 * The descriptions of the doors that are shown, by id. An unchanged description is reused, and only a few new ones are created in a
 * frame, so that a change among 1,000 doors is as quick as among ten.
 *
 * @param {Console.Context} context @param {State} state @param {API.Device[]} doors @param {Describe} describe
 * @returns {Rows}
 */
function rows(context, state, doors, describe) {
  /** @type {Rows} */
  const next = new Map();
  const now = Math.floor(Date.now() / 15000);
  const { ability } = context;
  let [ages, isWaiting] = [0, false];
  let left = state.rows.size === 0 ? rowsInFirstFrame : newRowsInFrame;
  for (const device of doors.slice(0, state.shown)) {
    const progress = context.commands.of(device.id);
    const [phase, text] = [progress?.phase, progress?.text];
    const why = state.why?.startsWith(device.id) ? state.why : null;
    const known = state.rows.get(device.id);
    const isSame = known && known.device === device && known.describe === describe && known.ability === ability && known.progress === progress
      && known.phase === phase && known.text === text && known.why === why;
    if (isSame) {
      // It has only grown older.
      if (known.now !== now && ages < agesInFrame) {
        if (changeText(known.age, ageOf(device))) ages++;
        known.now = now;
      }
      isWaiting ||= known.now !== now;
      next.set(device.id, known);
    } else if (known || left-- > 0) {
      // A card that is already drawn is kept, even after one that is still to be drawn: it may have the focus.
      const age = { text: ageOf(device) };
      next.set(device.id, { device, describe, ability, progress, phase, text, why, now, age, description: describe(context, state, device, age) });
    }
  }
  if (left < 0 || isWaiting) context.redraw();
  state.rows = next;
  return next;
}

/**
 * The descriptions of blocks, by the first door in them.
 *
 * @type {WeakMap<Console.Node, import('./view.js').Element_>}
 */
const knownBlocks = new WeakMap();

/**
 * Descriptions of doors in blocks. A block whose doors have not changed is reused.
 *
 * @param {string} tag @param {(count: number) => Console.Props} props @param {Console.Node[]} described
 */
function blocks(tag, props, described) {
  return Array.from({ length: Math.ceil(described.length / doorsInBlock) }, (_, key) => {
    const doors = described.slice(key * doorsInBlock, (key + 1) * doorsInBlock);
    let block = knownBlocks.get(doors[0]);
    const isSame = block?.key === key && block.children.length === doors.length && doors.every((one, index) => one === block?.children[index]);
    if (!isSame) {
      block = h(tag, { key, ...props(doors.length) }, doors);
      knownBlocks.set(doors[0], block);
    }
    return block;
  });
}

/**
 * Keeps the shown doors up to date: by the stream, or by reading them again if the stream would send many more doors.
 *
 * @param {Console.Context} context @param {State} state
 */
function subscribe(context, state) {
  const need = state.total > maxDoors ? null : { type: 'device', query: state.isSearched ? queryText({ q: state.q, propertyId: state.propertyId }).slice(1) : '' };
  state.list.follow(need);
  context.need([...need ? [need] : [], ...state.ending ? [state.ending.accesses.need] : []]);
  clearInterval(state.again);
  state.watching?.abort();
  if (need) return;
  const again = () => { if (document.visibilityState === 'visible') readAgain(context, state); };
  state.again = setInterval(again, readAgainAfter);
  // A page that comes back to the front can be old.
  state.watching = new AbortController();
  document.addEventListener('visibilitychange', again, { signal: state.watching.signal });
}

/**
 * Reads the doors again, unless a read is in progress: otherwise a slow read would never end.
 *
 * @param {Console.Context} context @param {State} state
 */
function readAgain(context, state) {
  if (!state.isReading || Date.now() - state.began > readWithin) page.refresh(context, state);
}

/** @param {Console.Context} context @param {API.Device[]} doors @param {Rows} described */
function board(context, doors, described) {
  const groups = grouped(doors.filter(({ id }) => described.has(id)));
  return h('div', { key: 'board' }, groups.map(([name, members]) => h(
    'section.group', { key: name },
    h('h2.group-title', null, members[0].propertyId && context.ability.can('property.read', 'Property', { id: members[0].propertyId, portfolioId: members[0].portfolioId })
      ? h('a', { href: `#/properties/${encodeURIComponent(members[0].propertyId)}` }, name) : name, h('span.count', null, counted(members.length, 'door'))),
    h('div.board', { role: 'list' }, blocks('div.block', (count) => ({ '--doors': count }), members.flatMap((device) => described.get(device.id)?.description || []))))));
}

/** @param {API.Device} device */
export const address = (device) => `#/doors/${encodeURIComponent(device.id)}`;

/** @param {Console.Context} context @param {State} state @param {API.Device} device @param {Age} age */
function card(context, state, device, age) {
  const { word, tone, icon: name } = stateOf(device.state);
  return h(
    'div.card', { key: device.id, role: 'listitem', 'data-door': device.id, class: tone },
    h('div.card-head', null,
      h('span.tile', { class: tone }, icon(name)),
      h('div.card-title', null,
        h('h3', null, h('a', { href: address(device) }, device.name)),
        device.unitName && h('p.place', null, device.unitName)),
      marks(device)),
    h('p.state', null, h('strong', { class: tone }, word), ' ', progressOrAge(context, device, age)),
    buttons(context, state, device));
}

/** @param {API.Device} device */
const ageOf = (device) => (device.stateAt ? ago(device.stateAt) : '');

/**
 * The progress of a command, shown in place of the state's age, so that the layout does not change.
 *
 * @param {Console.Context} context @param {API.Device} device @param {Age} age
 */
function progressOrAge(context, device, age) {
  const progress = context.commands.of(device.id);
  if (!progress) return h('span.age', null, device.stateAt ? [qualityOf(device.stateQuality), ', ', time(device.stateAt, age)] : qualityOf(device.stateQuality));
  const isRunning = context.commands.isRunning(device.id);
  return h('span.age.progress', { class: progress.phase }, isRunning && h('span.spinner', { 'aria-hidden': 'true' }), progress.text);
}

/** @param {API.Device} device */
const isMarked = ({ isOnline, batteryLow, doorState, faults }) => isOnline === false || batteryLow || doorState === 'OPEN' || (faults || []).length > 0;

/** @param {API.Device} device */
export const marks = (device) => isMarked(device) && h(
  'span.marks', null,
  device.isOnline === false && h('span.mark.bad', { key: 'offline' }, icon('offline'), 'Offline'),
  device.batteryLow && h('span.mark.warn', { key: 'battery' }, icon('battery'), device.batteryLevel === null || device.batteryLevel === undefined ? 'Low battery' : `${device.batteryLevel} %`),
  device.doorState === 'OPEN' && h('span.mark.warn', { key: 'door' }, icon('open'), 'Door open'),
  (device.faults || []).length > 0 && h('span.mark.bad', { key: 'faults' }, icon('alert'), counted((device.faults || []).length, 'fault')));

/** @param {Console.Context} context @param {State} state @param {API.Device} device */
function buttons(context, state, device) {
  const first = firstOperation(device);
  // Always in the same order, so that no button moves under a finger.
  const order = movements.filter((one) => device.capabilities.includes(one));
  const isRunning = context.commands.isRunning(device.id);
  const progress = context.commands.of(device.id);
  if (progress?.phase === 'unsure') {
    return h('div.buttons', null, button('Ask again', { id: `again-${device.id}`, kind: 'primary', onclick: () => context.commands.repeat(device) }));
  }
  const shown = order.filter((one) => context.ability.holds(one, 'LockDevice', device));
  return h('div.buttons', null,
    shown.map((one) => {
      const reason = context.ability.reason(one, 'LockDevice', device);
      return button(operations[/** @type {'LOCK'} */ (one)].verb, {
        id: `${one}-${device.id}`, kind: one === first && !reason ? 'primary' : '', name: `${operations[/** @type {'LOCK'} */ (one)].verb} ${device.name}`,
        busy: isRunning && progress?.operation === one, disabled: reason !== null || (isRunning && progress?.operation !== one),
        onclick: () => {
          if (reason) { state.why = state.why === device.id + one ? null : device.id + one; context.redraw(); } else if (!isRunning) context.commands.start(device, one);
        },
      });
    }),
    shown.filter((one) => state.why === device.id + one).map((one) =>
      h('div.why', { key: 'why' }, denialFacts({ reason: context.ability.reason(one, 'LockDevice', device) }))),
    progress?.phase === 'denied' && h('div.why', { key: 'denied' }, denialFacts(progress.error?.details || {}), h('a', { href: address(device) }, 'About this door')));
}

/**
 * One table. Its rows are in blocks of their own, with columns that do not depend on them. The roles are those of the elements, which
 * browsers forget where a style sheet gives an element another display.
 *
 * @param {Console.Node[]} described
 */
function list(described) {
  return h('div.table-frame', { key: 'list', tabindex: '0', role: 'region', 'aria-label': 'Doors' }, h(
    'table.table.doors', { role: 'table' },
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' },
      ['Door', 'State', 'Place', 'Battery', 'Actions'].map((title) => h('th', { key: title, role: 'columnheader', scope: 'col' }, title)))),
    blocks('tbody.block', () => ({ role: 'rowgroup' }), described)));
}

/** @param {Console.Context} context @param {State} state @param {API.Device} device @param {Age} age */
function row(context, state, device, age) {
  const { word, tone, icon: name } = stateOf(device.state);
  const cell = (/** @type {Console.Child[]} */ ...children) => h('td', { role: 'cell' }, ...children);
  return h(
    'tr', { key: device.id, role: 'row', 'data-door': device.id },
    h('th', { role: 'rowheader', scope: 'row' }, h('a', { href: address(device) }, device.name), marks(device)),
    cell(h('span.pill', { class: tone }, icon(name), word), h('div.small', null, progressOrAge(context, device, age))),
    cell([device.propertyName, device.unitName].filter(Boolean).join(' › ')),
    cell(device.batteryLevel === null || device.batteryLevel === undefined ? '–' : `${device.batteryLevel} %`),
    cell(buttons(context, state, device)));
}
