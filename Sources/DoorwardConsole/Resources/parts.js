// The parts that pages are made of.
// @ts-check
import { h } from './view.js';
import { reasonOf, roleOf, whoCanChange, exactTime, dayTime, sentenceOf } from './words.js';

const paths = {
  locked: 'M7 11V8a5 5 0 0 1 10 0v3M5 11h14v10H5zM12 15v2',
  unlocked: 'M7 11V7a5 5 0 0 1 9.6-2M5 11h14v10H5zM12 15v2',
  open: 'M4 21h16M6 21V4l9-1v18M15 6h3v15M12 12v1',
  alert: 'M12 3 2 20h20zM12 9v5M12 17v.5',
  unknown: 'M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.5M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18',
  doors: 'M4 21h16M6 21V3h12v18M14.5 12v1',
  log: 'M5 5h14M5 10h14M5 15h9M5 20h6',
  guests: 'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8M2 21c0-4 3-6 7-6 1.500 0 3 .3 4 1M17 13v8M13 17h8',
  check: 'M12 3l8 3v6c0 5-3.500 8-8 9-4.500-1-8-4-8-9V6zM8.500 12l2.500 2.500 4.500-5',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21c0-4 3.500-6 8-6s8 2 8 6',
  offline: 'M3 3l18 18M8.500 15.500a5 5 0 0 1 6 0M5 12a10 10 0 0 1 4-2.300M15 9.700A10 10 0 0 1 19 12M12 19.500v.5',
  battery: 'M3 8h15v8H3zM21 11v2M6 11v2',
  refresh: 'M20 11a8 8 0 1 0-2 6M20 5v6h-6',
  search: 'M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13M15.500 15.500 21 21',
  close: 'M6 6l12 12M18 6 6 18',
  back: 'M15 5l-7 7 7 7',
  board: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  list: 'M4 6h16M4 12h16M4 18h16',
  tick: 'M5 13l4 4L19 7',
  people: 'M8.500 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7M2 20c0-3.500 2.700-6 6.500-6s6.500 2.500 6.500 6M16 4.500a3.500 3.500 0 0 1 0 6.400M17.500 14.400c2.700.6 4.500 2.800 4.500 5.600',
  portfolio: 'M3 21h18M5 21V8l7-5 7 5v13M9 21v-5h6v5M9 11h.5M14.500 11h.5',
  unit: 'M4 21V4h16v17zM12 4v17M4 12h16',
  found: 'M4 12a8 8 0 0 1 8-8M4 12a8 8 0 0 0 8 8M8 12a4 4 0 0 1 4-4M8 12a4 4 0 0 0 4 4M12 12h.5M16 9h5v10h-5z',
  gateway: 'M4 4h16v6H4zM4 14h16v6H4zM8 7h.5M8 17h.5',
  more: 'M6 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0M13 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0M20 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0',
  key: 'M15 10a4 4 0 1 1-4-4 4 4 0 0 1 4 4M14 12.500l7 7M18 16.500l-2 2',
  info: 'M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18M12 11v6M12 7.500v.5',
};

/**
 * @typedef {keyof typeof paths} Icon
 * @typedef {NonNullable<API.Decision['rule']>} Rule
 * @typedef {{reason?: string | null, rule?: Rule | null, opensAt?: string | null, closesAt?: string | null, missing?: API.Decision['missing']}} Denial
 */

/** @param {Icon} name */
export const icon = (name, extra = '') =>
  h('svg', { class: 'icon ' + extra, viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' }, h('path', { d: paths[name] }));

/**
 * A button. With `reason`, it is shown as not available and can still be focused; pressing it calls `onReason`.
 *
 * @param {string} label
 * @param {{onclick: (event: Event) => void, kind?: string, icon?: Icon, busy?: boolean, disabled?: boolean, name?: string,
 *   id?: string, type?: string, pressed?: boolean, expanded?: boolean}} options
 */
export function button(label, options) {
  const unavailable = options.disabled || options.busy;
  return h(
    'button.button',
    {
      key: options.id, id: options.id, class: options.kind || '', type: options.type || 'button', 'aria-label': options.name,
      'aria-disabled': unavailable ? 'true' : null, 'aria-busy': options.busy ? 'true' : null,
      'aria-pressed': options.pressed === undefined ? null : String(options.pressed),
      'aria-expanded': options.expanded === undefined ? null : String(options.expanded),
      onclick: unavailable && !options.disabled ? (event) => event.preventDefault() : options.onclick,
    },
    options.icon ? [icon(options.icon), h('span', null, label)] : label);
}

let identifiers = 0;
export const newID = () => `e${++identifiers}`;

/**
 * A field of a form with its label, its hint and its error.
 *
 * @param {string} label @param {Console.Props & {id: string}} input @param {{hint?: Console.Child, error?: string | null}} [more]
 */
export function field(label, input, more = {}) {
  const { id } = input;
  const described = [more.hint ? id + '-hint' : '', more.error ? id + '-error' : ''].filter(Boolean).join(' ');
  return h(
    'div.field', { key: id },
    h('label', { for: id }, label),
    h('input', { ...input, 'aria-describedby': described || null, 'aria-invalid': more.error ? 'true' : null }),
    more.hint && h('p.hint', { id: id + '-hint' }, more.hint),
    more.error && h('p.error', { id: id + '-error' }, icon('alert'), more.error));
}

/**
 * @param {string} label @param {{id: string, value: string, name?: string, onchange: (value: string) => void}} input
 * @param {[string, string][]} options value and text
 */
export function select(label, input, options) {
  const { onchange, value, ...rest } = input;
  return h(
    'div.field', { key: input.id },
    h('label', { for: input.id }, label),
    h('select', { ...rest, value, onchange: (event) => onchange(event.target.value) },
      options.map(([key, text]) => h('option', { key, value: key, selected: key === value }, text))));
}

/** @param {string} tone @param {Console.Child[]} children */
export const notice = (tone, ...children) =>
  h('div.notice', { class: tone }, icon(tone === 'ok' ? 'tick' : tone === 'info' ? 'info' : 'alert'), h('div', null, ...children));

/**
 * The reason of a denial: what, by which rule, when it opens, and who can change it.
 *
 * @param {Denial} denial a decision, or `details` of an error
 */
export function denialFacts(denial) {
  const { reason, rule, opensAt, closesAt, missing } = denial;
  /** @type {[string, Console.Child][]} */
  const facts = [];
  if (rule) facts.push(['Rule', ruleText(rule)]);
  if (opensAt) facts.push(['Opens', time(opensAt)]);
  if (closesAt) facts.push(['Closed since', time(closesAt)]);
  if (missing?.role) facts.push(['Role needed', roleOf(missing.role)]);
  if (missing?.capability) facts.push(['The lock lacks', missing.capability]);
  if (missing?.module) facts.push(['Module needed', missing.module]);
  if (whoCanChange(reason)) facts.push(['Who can change it', whoCanChange(reason)]);
  return h(
    'div.denial', null, h('p.strong', null, reasonOf(reason || 'forbidden')),
    facts.length > 0 && h('dl', null, facts.map(([term, text]) => h('div', { key: term }, h('dt', null, term), h('dd', null, text)))));
}

/** @param {Rule} rule */
export const ruleText = (rule) =>
  rule.kind === 'GUEST_ACCESS' ? 'Guest access' : rule.kind === 'SUPER_ADMIN' ? 'Super admin' : `Role ${roleOf(rule.role)}`;

/**
 * An instant; its tooltip and the text for screen readers are exact.
 *
 * @param {string} instant @param {Console.Child} [text]
 */
export const time = (instant, text = dayTime(instant)) => h('time', { datetime: instant, title: exactTime(instant) }, text);

/**
 * The content of a page while it is loading, after a failure, and when it has loaded.
 *
 * @param {Console.Resource} resource @param {() => void} retry @param {() => Console.Child} view
 */
export function whenLoaded(resource, retry, view) {
  if (resource.status === 'loaded') return view();
  if (resource.status === 'failed') return failure(resource.error, retry);
  return skeletons(3);
}

/**
 * The content of a page of one object; its heading and why it could not be read; or its heading while it is read.
 *
 * @template {Console.State} State
 * @param {Console.Page<State>} page @param {Console.Context} context @param {State} state @param {string} heading @param {object | null} object
 * @param {() => Console.Child} content
 */
export function ofObject(page, context, state, heading, object, content) {
  const top = h('h1', { tabindex: '-1' }, heading);
  if (state.status === 'failed') return [top, failure(state.error, () => { state.status = 'loading'; context.redraw(); page.refresh(context, state); })];
  return object ? content() : [top, skeletons(2)];
}

/** @param {number} count */
const skeletons = (count) =>
  h('div.skeletons', { 'aria-busy': 'true' }, h('p.hidden', null, 'Loading'), Array.from({ length: count }, (_, index) => h('div.skeleton', { key: index })));

/**
 * Whether an error says that an object does not exist or is out of reach.
 *
 * @param {Console.Caught | null} [error]
 */
export const isOutOfReach = (error) => error?.status === 403 || error?.status === 404;

/**
 * Handles a failed read. If a page has shown an object that is no longer visible, the page is loaded again without it.
 *
 * @param {Console.Context} context @param {Console.State} state the state of the page @param {Console.Caught} error @returns {boolean} whether the page keeps what it has, and says so
 */
export function keepsAfter(context, state, error) {
  const isLoaded = state.status === 'loaded';
  if (isLoaded && isOutOfReach(error)) context.lost();
  else if (!isLoaded) Object.assign(state, { status: 'failed', error });
  return isLoaded && !isOutOfReach(error);
}

/** @param {Console.Caught | null | undefined} error @param {() => void} retry */
export function failure(error, retry) {
  if (isOutOfReach(error)) {
    return h('div.empty', null, icon('unknown'), h('h2', null, error?.details?.reason ? 'Not open to you now' : 'Not found, or no access'), error?.details?.reason ? denialFacts(error.details)
      : h('p', null, 'It does not exist, or you have no access to it. A manager of the property can give access.'));
  }
  return h(
    'div.empty', null, icon('alert'), h('h2', null, 'This could not be loaded'), h('p', null, sentenceOf(error)),
    error?.requestId && h('p.small', null, `Request ${error.requestId}`), button('Try again', { onclick: retry, icon: 'refresh' }));
}

/**
 * A dialog in front of the page. Escape closes it; the focus returns to where it was.
 *
 * @param {{title: string, onclose: () => void}} options @param {Console.Child[]} children
 */
export function dialog({ title, onclose }, ...children) {
  return h(
    'dialog.dialog',
    {
      key: 'dialog', 'aria-labelledby': 'dialog-title',
      created: (/** @type {HTMLDialogElement} */ el) => el.showModal(),
      oncancel: (event) => { event.preventDefault(); onclose(); },
      // A browser closes a dialog without asking if Escape is pressed again before anything else.
      onclose,
    },
    h('div.dialog-head', null, h('h2', { id: 'dialog-title' }, title),
      h('button.icon-button', { type: 'button', 'aria-label': 'Close', onclick: onclose }, icon('close'))),
    ...children);
}

/**
 * The page number, with buttons for the previous and the next page.
 *
 * @param {API.Pagination} pagination @param {(page: number) => void} go
 */
export function pager(pagination, go) {
  const { currentPage, totalPages, totalItems } = pagination;
  if (totalPages <= 1) return null;
  return h(
    'nav.pager', { 'aria-label': 'Pages' },
    button('Previous', { id: 'previous-page', disabled: currentPage <= 1, onclick: () => currentPage > 1 && go(currentPage - 1) }),
    h('span', null, `Page ${currentPage} of ${totalPages} (${totalItems})`),
    button('Next', { id: 'next-page', disabled: currentPage >= totalPages, onclick: () => currentPage < totalPages && go(currentPage + 1) }));
}

/**
 * A secret that is shown once, with a button that copies it.
 *
 * @param {Console.Context} context @param {Console.Secret} secret
 */
export function copyable(context, secret) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret.value);
      context.announce('Copied');
      secret.isCopied = true;
    } catch {
      /** @type {HTMLInputElement | null} */ (document.getElementById('secret'))?.select();
    }
    context.redraw();
  };
  return h('div.copy', null, h('input', { id: 'secret', readonly: true, value: secret.value, 'aria-label': secret.label }),
    button(secret.isCopied ? 'Copied' : 'Copy', { id: 'copy', icon: secret.isCopied ? 'tick' : undefined, onclick: copy }));
}

/**
 * A button that copies a text. Where the browser does not let the page copy, the text is shown, to be copied by hand.
 *
 * @param {Console.Context} context @param {Console.Copies} holder
 * @param {{id: string, label: string, text: () => string}} options
 */
export function copyButton(context, holder, { id, label, text }) {
  const { copied } = holder;
  const copy = async () => {
    const own = { id, text: text(), isShown: false };
    try {
      await navigator.clipboard.writeText(own.text);
      context.announce('Copied');
    } catch {
      own.isShown = true;
    }
    holder.copied = own;
    context.redraw();
  };
  const isOwn = copied?.id === id;
  const isDone = isOwn && !copied.isShown;
  return h('div.copy', { key: id },
    isOwn && copied.isShown && h('input', {
      id: `${id}-text`, readonly: true, value: copied.text, 'aria-label': 'Text to copy',
      created: (/** @type {HTMLInputElement} */ el) => el.select(),
    }),
    button(isDone ? 'Copied' : label, { id, icon: isDone ? 'tick' : undefined, onclick: copy }));
}

/**
 * The complete URL of a page of the gateway, even if the gateway does not know its public address.
 *
 * @param {string} url
 */
export const completeAddress = (url) => (url.startsWith('/') ? location.origin + url : url);
