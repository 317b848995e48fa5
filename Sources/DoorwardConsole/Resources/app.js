// The frame of the console: session, permissions, navigation, and the page that the address names.
// @ts-check
import { currentUser, observe, readIfChanged, request, restore, restoreFirst, signInByLink, signOut } from './api.js';
import { Ability, isOpen, places } from './ability.js';
import { Commands } from './commands.js';
import { Live, nameOfNeed } from './live.js';
import { button, icon, notice } from './parts.js';
import { changeOfRights, isGone } from './rights.js';
import { h, show } from './view.js';
import { clockTime, nameOf, sentenceOf } from './words.js';

/** The number of pages in the bar of a phone, beside *More*. */
export const inPhoneBar = 4;

const root = /** @type {HTMLElement} */ (document.getElementById('app'));

/**
 * @type {{phase: 'starting' | 'entering' | 'signedIn' | 'signedOut', ability: Ability, permissionsTag: string | null, page: Console.Open | null, state: any,
 *   place: import('./ability.js').Place | null, note: Console.Note | null, noteShown?: boolean, problem: Console.Caught | null, ended: string | null, needs: Set<string>,
 *   arrival: string | null, leaving?: boolean, opener?: HTMLElement | null}} the state is that of the page
 */
const app = {
  phase: 'starting', ability: new Ability(null), permissionsTag: null, page: null, state: null, place: null, note: null, problem: null,
  ended: null, needs: new Set(), arrival: null,
};

// Drawing: at most once a frame, and in a separate task, so that it does not lengthen the browser's own work for the frame.

let [isDrawing, isOld] = [false, false];
export function redraw() {
  isOld = true;
  if (isDrawing) return;
  isDrawing = true;
  setTimeout(() => {
    isOld = false;
    requestAnimationFrame(() => {
      isDrawing = false;
      if (isOld) redraw();
    });
    draw();
  });
}

function draw() {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const hadDialog = hasDialog();
  show(root, view());
  if (!hadDialog && hasDialog()) app.opener = focused;
  if (hadDialog && !hasDialog()) {
    // The focus returns to what opened the dialog.
    const opener = app.opener?.isConnected ? app.opener : document.getElementById(app.opener?.id || '');
    app.opener = null;
    if (opener) opener.focus();
    else focusHeading();
  } else if (focused && focused !== document.body && (!focused.isConnected || document.activeElement === document.body)) {
    // An element that has moved keeps its focus. If the element is gone, for example because a right was lost, the focus moves to the
    // dialog or to the page's heading.
    const next = focused.isConnected ? focused : /** @type {HTMLElement | null} */ (root.querySelector('dialog :is(input, select, .button)'));
    if (next) next.focus({ preventScroll: focused.isConnected });
    else focusHeading();
  }
  const title = pageTitle();
  if (document.title !== title) document.title = title;
}

/** Looks the element up by its id, because a selector would visit every element of a page with 1,000 doors. */
const hasDialog = () => document.getElementById('dialog-title') !== null;

function focusHeading() {
  const heading = /** @type {HTMLElement | null} */ (root.querySelector('h1'));
  if (heading) heading.focus({ preventScroll: true });
}

const pageTitle = () => {
  const own = app.phase === 'signedIn' ? app.page?.title?.(app.state) || app.place?.title : app.phase === 'signedOut' ? 'Sign in' : null;
  return own ? `${own} - Doorward` : 'Doorward';
};

// One polite announcement for many changes.

const announcements = /** @type {HTMLElement} */ (document.getElementById('announce'));
/** @type {string[]} */
let waiting = [];
/** @param {string} text */
export function announce(text) {
  waiting.push(text);
  if (waiting.length > 1) return;
  setTimeout(() => {
    announcements.textContent = waiting.length > 3 ? `${waiting.length} changes. Last: ${waiting[waiting.length - 1]}` : waiting.join('. ');
    waiting = [];
  }, 400);
}

// The live stream, and the part of it that each page receives.

const live = new Live({
  request, renew: restore, signedOut: () => end('signedOut'),
  onEvent(event, data) {
    if (event === 'poll') readPermissions().catch(() => {});
    if (event === 'revoked' && app.needs.has(data.name)) {
      context.lost();
      return;
    }
    if (data.type === 'permissions') {
      const rules = data.object || data.objects?.[0];
      if (!rules) return;
      sentPermissions += 1;
      usePermissions(rules.rules, rules.etag, rules.nextChangeAt);
      return;
    }
    app.page?.live?.(context, app.state, event, data);
  },
  onStatus: redraw,
});

const newCommands = () => new Commands(redraw, announce, (deviceId) => app.page?.commandEnded?.(context, app.state, deviceId));
/** @type {Commands} */
let commands;

/** @type {Console.Context} */
const context = {
  get ability() { return app.ability; },
  get user() { return /** @type {API.User} */ (currentUser()); },
  get live() { return live; },
  redraw, announce,
  /** What pages keep until the sign-out. */
  memory: new Map(),
  get commands() { return commands; },
  /** @param {string} hash */
  go(hash) { location.hash = hash; },
  /**
   * Shows a note at the top until the next page.
   *
   * @param {string | null} text @param {string} [tone]
   */
  note(text, tone = 'ok') {
    app.note = text ? { text, tone } : null;
    if (text) announce(text);
    redraw();
  },
  /**
   * Opens another page with a note, such as when the object of this one is deleted.
   *
   * @param {string} hash @param {string} text
   */
  goWith(hash, text) {
    context.note(text);
    app.noteShown = false;
    location.hash = hash;
  },
  /** @param {{type: string, query: string}[]} needs */
  need(needs) {
    app.needs = new Set(needs.map(nameOfNeed));
    live.setNeeds([{ type: 'permissions', query: '' }, ...needs]);
  },
  /**
   * Loads the page again because a right to its content has ended: its data, choices and messages are dropped.
   *
   * @param {string} [ended] a sentence that says what has ended
   */
  lost(ended) {
    waiting = [];
    announcements.textContent = '';
    // Keep a message that is shown already: it is more precise than the general one about rights.
    const text = ended || (app.ended && app.note?.text === app.ended ? app.ended : isGone);
    history.replaceState(null, '', location.hash.split('?')[0] || '#/doors');
    Object.assign(app, { ended: text, note: { text, tone: 'info' }, noteShown: false });
    announce(text);
    route();
  },
};

// Permissions.

/** How often the stream has sent permissions, or a person has left: an answer to a read that began before that is out of date. */
let sentPermissions = 0;
/** @type {Promise<void> | null} */
let reading = null;
function readPermissions() {
  if (reading) return reading;
  const own = readPermissionsOnce().finally(() => {
    if (reading === own) reading = null;
  });
  reading = own;
  return own;
}

async function readPermissionsOnce() {
  const before = sentPermissions;
  const answer = await readIfChanged('/users/me/permissions', app.permissionsTag);
  if (answer && before === sentPermissions) usePermissions(answer.data.rules, answer.etag, answer.data.nextChangeAt);
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let nextChange;
/** @param {import('./ability.js').Rule[]} rules @param {string | null} tag @param {string | null} nextChangeAt */
function usePermissions(rules, tag, nextChangeAt) {
  const { ability } = app;
  const isFirst = !ability.isKnown;
  // The first permissions that the stream sends may be known already.
  const isSame = !isFirst && tag !== null && tag === app.permissionsTag;
  if (!isSame) app.ability = new Ability(rules);
  app.permissionsTag = tag;
  clearTimeout(nextChange);
  if (nextChangeAt) {
    const delay = new Date(nextChangeAt).getTime() - Date.now() + 300;
    nextChange = setTimeout(() => readPermissions().catch(() => {}), Math.max(1000, Math.min(delay, 2 ** 31 - 1)));
  }
  if (isSame) return;
  if (!isFirst) followRights(ability);
  redraw();
}

/**
 * Updates the page to the current permissions.
 *
 * @param {Ability} before the rights that it was opened with
 */
function followRights(before) {
  const { ended, hasBegun } = changeOfRights(before, app.ability);
  if (ended) {
    context.lost(ended);
    return;
  }
  announce('Your permissions have changed');
  // A page that was not permitted opens by itself, and an open page shows the objects that have become visible.
  if (hasBegun && app.ended && app.note?.text === app.ended) app.note = app.ended = null;
  const isOut = !app.page || app.state?.status === 'failed';
  if (app.place && isOut && isOpen(app.place, app.ability)) route();
  else if (app.page?.permissionsChanged) app.page.permissionsChanged(context, app.state, hasBegun);
  else if (hasBegun) app.page?.refresh?.(context, app.state);
}

let lastForbidden = 0;
observe((event) => {
  if (event === 'signedOut') end('signedOut');
  if (event === 'replaced') end('replaced');
  // A refusal means that the rules may be old: read them once, not in a loop.
  if (event === 'forbidden' && Date.now() - lastForbidden > 5000) {
    lastForbidden = Date.now();
    readPermissions().catch(() => {});
  }
});

// The session.

/**
 * Removes all data of the person.
 *
 * @param {'signedOut' | 'replaced'} why
 */
function end(why) {
  live.stop();
  commands.isEnded = true;
  commands = newCommands();
  clearTimeout(nextChange);
  sentPermissions += 1;
  reading = null;
  // After the page, which keeps there what was typed in it.
  leave();
  context.memory.clear();
  const wasIn = app.phase === 'signedIn';
  Object.assign(app, { phase: 'signedOut', ability: new Ability(null), permissionsTag: null, place: null, problem: null, note: null, ended: null });
  if (why === 'replaced') {
    // The browser's session now belongs to another person: start again as that person.
    app.phase = 'starting';
    app.arrival = 'Another person has signed in in this browser.';
    queueMicrotask(begin);
  } else if (wasIn) {
    app.arrival = app.leaving ? null : 'The session has ended. Sign in again.';
  }
  app.leaving = false;
  startSignIn();
  redraw();
}

/**
 * The secret of a link of `doorward demo` in the address. It leaves the address and the history before anything is done with it.
 *
 * @returns {string | null}
 */
function takeLink() {
  const [, token] = /^#sign-in=([A-Za-z0-9_-]+)$/.exec(location.hash) || [];
  if (token) history.replaceState(null, '', '#/doors');
  return token || null;
}

/**
 * Signs in by a link, replacing the signed-in person.
 *
 * @param {string} token
 */
async function openLink(token) {
  try {
    await signInByLink(token);
  } catch (error) {
    const { status } = error;
    app.arrival = status === 401 || status === 404 ? 'The link has been used or has expired. The demo shows new ones.' : sentenceOf(error);
  }
}

async function begin() {
  app.phase = 'starting';
  app.problem = null;
  redraw();
  try {
    const token = takeLink();
    // Load the module of the page while the session is being refreshed.
    const { place, rest } = currentPlace();
    if (place) load(place, rest).catch(() => {});
    if (token) await openLink(token);
    if (!currentUser() && !(await restoreFirst())) {
      app.phase = 'signedOut';
      await startSignIn();
      redraw();
      return;
    }
    await enter();
  } catch (error) {
    app.problem = error;
    redraw();
  }
}

/** How long the stream waits for the first data of the page. */
const firstReadWithin = 5000;

async function enter() {
  const user = /** @type {API.User} */ (currentUser());
  const isCurrent = () => currentUser()?.id === user.id;
  const { hash } = location;
  const permissions = readPermissions();
  // Read the doors while the permissions are being read: the request for them does not depend on the permissions. Nothing is drawn before
  // these are known.
  app.phase = 'entering';
  const { place, rest } = currentPlace();
  const opening = place?.id === 'doors' && rest.length === 0 ? route() : null;
  try {
    await permissions;
  } catch (error) {
    leave();
    throw error;
  }
  if (!isCurrent()) return;
  Object.assign(app, { phase: 'signedIn', signIn: null });
  redraw();
  await (opening && location.hash === hash ? opening : route());
  if (app.arrival) context.note(app.arrival, 'info');
  app.arrival = null;
  // The page's own request is answered before the stream begins, but the stream does not wait for a request without a response.
  await Promise.race([app.state?.firstRead, new Promise((resolve) => { setTimeout(resolve, firstReadWithin); })]);
  if (isCurrent()) live.start(user.id);
}

async function startSignIn() {
  if (app.phase !== 'signedOut') return;
  const { default: page } = await import('./sign-in.js');
  if (app.phase !== 'signedOut') return;
  app.page = page;
  app.state = page.start(context, { arrival: app.arrival, done: () => enter().catch(fail) });
  app.arrival = null;
  redraw();
}

/** @param {Console.Caught} error */
function fail(error) {
  app.problem = error;
  app.phase = 'starting';
  redraw();
}

export async function leaveSession() {
  app.leaving = true;
  try {
    await signOut();
  } catch (error) {
    app.leaving = false;
    context.note(`You are still signed in: the session could not be ended. ${sentenceOf(error)}`, 'bad');
  }
}

// Pages.

/** @type {Record<string, () => Promise<{default: Console.Open & Pick<Console.Form<any>, 'start'>}>>} */
const modules = {
  doors: () => import('./doors.js'), door: () => import('./door.js'), guests: () => import('./guests.js'),
  log: () => import('./log.js'), check: () => import('./check.js'), account: () => import('./account.js'),
  properties: () => import('./property.js'), units: () => import('./unit.js'), people: () => import('./people.js'), person: () => import('./person.js'),
  portfolios: () => import('./portfolio.js'), found: () => import('./found.js'), gateway: () => import('./gateway.js'), more: () => import('./more.js'),
};
/**
 * The module of the page of one object, for a page that is a list.
 *
 * @type {Record<string, string>}
 */
const detailModules = { doors: 'door', people: 'person' };

function leave() {
  app.page?.end?.(app.state);
  Object.assign(app, { page: null, state: null });
}

/** The page that the address names, the rest of its path, and its query. */
function currentPlace() {
  const [path, search] = location.hash.replace(/^#\/?/, '').split('?');
  const [first, ...rest] = path.split('/').map((part) => { try { return decodeURIComponent(part); } catch { return part; } });
  return { place: places.find(({ id }) => id === (first || 'doors')) || null, rest, search };
}

/** @param {{id: string}} place @param {string[]} rest */
const load = (place, rest) => modules[(rest.length > 0 && detailModules[place.id]) || place.id]();

let routes = 0;
async function route() {
  if (app.phase !== 'signedIn' && app.phase !== 'entering') return;
  const { place, rest, search } = currentPlace();
  const number = ++routes;
  leave();
  app.place = place;
  if (app.noteShown) app.note = null;
  app.noteShown = true;
  context.need([]);
  if (!place || !isOpen(place, app.ability)) {
    redraw();
    return;
  }
  try {
    const { default: page } = await load(place, rest);
    if (number !== routes) return;
    app.page = page;
    app.state = page.start(context, rest, new URLSearchParams(search || ''));
    redraw();
    requestAnimationFrame(() => {
      scrollTo(0, 0);
      if (number > 1) focusHeading();
    });
  } catch (error) {
    // The files of this version are not served any more: the gateway was updated.
    app.problem = { message: 'The console has been updated. Load the page again.', isUpdate: true };
    console.info(error);
    redraw();
  }
}
addEventListener('hashchange', () => {
  // A link that is opened in a page that is open already.
  const token = takeLink();
  if (!token && app.phase === 'signedIn') route();
  if (!token) return;
  openLink(token).then(() => (currentUser() ? app.phase === 'signedIn' && context.note(app.arrival || `You are ${nameOf(context.user)}.`, 'info') : begin()));
});

// The view.

function view() {
  if (app.problem) {
    return h(
      'main.boot', null, h('h1', { tabindex: '-1' }, 'Doorward'), notice('bad', sentenceOf(app.problem)),
      button('Try again', { kind: 'primary', onclick: () => (app.problem?.isUpdate ? location.reload() : begin()), icon: 'refresh' }));
  }
  if (app.phase === 'starting' || app.phase === 'entering' || !app.page && app.phase === 'signedOut') return h('main.boot', null, h('p', null, 'Doorward is loading.'));
  if (app.phase === 'signedOut') return app.page?.view(context, app.state);
  const user = /** @type {API.User} */ (currentUser());
  return [
    h('a.skip', { href: '#main', onclick: skip }, 'Skip to the content'),
    h(
      'header.top', null,
      h('a.brand', { href: '#/doors', 'aria-label': 'Doorward' }, icon('locked'), h('span', null, 'Doorward')),
      badge(),
      h('a.person', { href: '#/account', 'aria-current': app.place?.id === 'account' ? 'page' : null, 'aria-label': `My account: ${nameOf(user)}` },
        h('span.initials', { 'aria-hidden': 'true' }, (user.firstName || '?').slice(0, 1) + (user.lastName || '').slice(0, 1)),
        h('span.person-name', null, nameOf(user)))),
    h('div.frame', null, navigation(), h('main', { id: 'main' }, noteView(), pageView())),
  ];
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault();
  focusHeading();
}

/**
 * The pages that belong to another one in the navigation.
 *
 * @type {Record<string, string>}
 */
const parents = { properties: 'doors', units: 'doors' };

function navigation() {
  const shown = places.filter((place) => place.inBar && isOpen(place, app.ability));
  const current = parents[app.place?.id || ''] || app.place?.id;
  const more = places.find(({ id }) => id === 'more');
  // A phone has room for four pages and *More*; a wide screen shows all.
  const links = [...shown.map((place, index) => ({ place, width: index < inPhoneBar ? '' : 'wide-only' })), ...(shown.length > inPhoneBar && more ? [{ place: more, width: 'phone-only' }] : [])];
  return h(
    'nav.places', { 'aria-label': 'Pages' },
    links.map(({ place, width }) => h(
      'a', { key: place.id, href: place.path, class: width, 'aria-current': place.id === current ? 'page' : null },
      icon(place.icon), h('span', { class: place.short ? 'long' : null }, place.title), place.short && h('span.short', { 'aria-hidden': 'true' }, place.short))));
}

const noteView = () => app.note && h('div.note', null, notice(app.note.tone, app.note.text));

function pageView() {
  if (!app.place) return missing('This page does not exist', 'The address may be mistyped.');
  if (!isOpen(app.place, app.ability)) {
    return missing(app.place.title, 'None of your roles includes this page. A manager of the property can give you one that does.');
  }
  if (!app.page) return h('div', null, h('h1', { tabindex: '-1' }, app.place.title), h('div.skeleton'));
  return app.page.view(context, app.state);
}

/** @param {string} title @param {string} text */
const missing = (title, text) =>
  h('div', { key: 'missing' }, h('h1', { tabindex: '-1' }, title), h('div.empty', null, icon('unknown'), h('p', null, text), h('a', { href: '#/doors' }, 'To the doors')));

function badge() {
  const { kind, since } = live.status;
  const at = new Date(since).toISOString();
  const text = {
    live: 'Live', connecting: 'Connecting', 'catching up': 'Catching up', stale: `Stale since ${clockTime(at)}`,
    polling: app.state?.readAt ? `As of ${clockTime(app.state.readAt)}` : 'Not live',
  }[kind];
  return h(
    'div.badge', { class: kind.replace(' ', '-') },
    h('span.dot', { 'aria-hidden': 'true' }), h('span', { title: kind === 'polling' ? 'Not live: refreshed every 15 seconds' : null }, text),
    (kind === 'polling' || kind === 'stale') && app.page?.refresh &&
      h('button.icon-button', { type: 'button', 'aria-label': 'Read again', title: 'Read again', onclick: () => app.page?.refresh?.(context, app.state) }, icon('refresh')));
}

// Keys. A page's own keys are in its `key`. Single letters can be switched off in My account (WCAG 2.1.4).

const keys = { isPrefixed: false };
addEventListener('keydown', (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (app.phase !== 'signedIn' || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (target.closest('input, textarea, select, dialog') || localStorage.getItem('doorward-keys') === 'off') return;
  if (keys.isPrefixed) {
    keys.isPrefixed = false;
    const place = places.find(({ id, path }) => !path.endsWith('/ID') && id.startsWith(event.key) && event.key.length === 1) || (event.key === 'u' ? places[1] : undefined);
    if (place && isOpen(place, app.ability)) location.hash = place.path;
    return;
  }
  if (event.key === 'g') {
    keys.isPrefixed = true;
    setTimeout(() => { keys.isPrefixed = false; }, 1500);
  } else if (event.key === '/') {
    const search = /** @type {HTMLElement | null} */ (root.querySelector('input[type=search]'));
    if (search) { event.preventDefault(); search.focus(); }
  } else if (event.key === 'r') app.page?.refresh?.(context, app.state);
  else app.page?.key?.(context, app.state, event);
});

// Relative times move on.
setInterval(() => { if (document.visibilityState === 'visible' && app.phase === 'signedIn') redraw(); }, 20000);

// A page from the browser's cache of pages must not show what a person saw who has signed out since.
addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });

commands = newCommands();
begin();
