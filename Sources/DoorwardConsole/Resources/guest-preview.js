// What the gateway would store: a form shows the answer of a dry run before it is saved.
// @ts-check
import { call } from './api.js';
import { noteOfChange, resolved } from './guest-times.js';
import { notice } from './parts.js';
import { h } from './view.js';

/**
 * @typedef {{method: string, path: string, body: Record<string, unknown>, headers: Record<string, string>}} Request
 * @typedef {{access: API.GuestAccessDraft, intervals: Console.Interval[], warning: string | null}} Answer
 */

/** How long after the last change of a form the gateway is asked, in milliseconds. */
const delay = 300;
/** How long an answer may take, in milliseconds. */
const within = 20000;

/** The gateway's answer to the request that a form would send. Only the answer to the last question counts. */
export class Preview {
  /** @param {Console.Context} context */
  constructor(context) {
    this.context = context;
    this.asked = '';
    this.number = 0;
    /** @type {number | undefined} */
    this.waiting = undefined;
    this.isLoading = false;
    /**
     * While the next one is loading, the former one.
     *
     * @type {Answer | null}
     */
    this.answer = null;
    /** @type {Console.Caught | null} */
    this.error = null;
  }

  /**
   * Called whenever the form is drawn, as every change of a form draws it. The same request is asked about once.
   *
   * @param {Request | null} request null if the form is not complete
   */
  ask(request) {
    const text = JSON.stringify(request);
    if (text === this.asked) return;
    this.end();
    this.asked = text;
    this.isLoading = request !== null;
    if (request) this.waiting = setTimeout(() => this.read(request), delay);
    else Object.assign(this, { answer: null, error: null });
  }

  /** @param {Request} request */
  async read({ method, path, body, headers }) {
    const number = this.number;
    /** @type {{answer: Answer | null, error: Console.Caught | null}} */
    let result;
    try {
      const query = { dryRun: true, preview: 3 };
      const data = await call(method, path, { query, body, headers, within, isQuiet: true });
      const { guestAccess, intervals, warning = null } = data;
      result = { answer: { access: guestAccess, intervals, warning }, error: null };
    } catch (error) {
      result = { answer: null, error };
    }
    if (number !== this.number) return;
    Object.assign(this, result, { isLoading: false });
    this.context.redraw();
  }

  /** Forgets the question; a later answer is ignored. */
  end() {
    clearTimeout(this.waiting);
    this.number++;
    Object.assign(this, { asked: '', isLoading: false });
  }
}

/**
 * An instant of the window, with a note of a moved clock change.
 *
 * @param {API.GuestAccessDraft} access @param {'validFrom' | 'validUntil'} name @param {string | null} zone
 */
export function instantView(access, name, zone) {
  const note = noteOfChange(access.resolution?.[name]);
  return [resolved(access[name], zone), note && h('p.hint', null, note)];
}

/** @param {Console.Interval[]} intervals @param {string | null} zone */
export const intervalsView = (intervals, zone) => h('ul', null, intervals.map(({ from, until }) => h(
  'li', { key: from }, `${resolved(from, zone)} – ${resolved(until, zone)}`)));

/**
 * What would be stored.
 *
 * @param {Preview} preview
 * @param {{zone: string | null, missing: string | null, textOf: (error: Console.Caught) => string}} options
 *   `missing` is what the form still needs; `textOf` tells a refusal
 */
export function previewView({ answer, error, isLoading }, { zone, missing, textOf }) {
  const title = h('h3', null, 'What will be stored');
  if (missing) {
    const text = `It is shown when nothing is missing. ${missing}`;
    return h('div.preview', { key: 'preview' }, title, h('p.hint', null, text));
  }
  const isOld = isLoading && answer !== null;
  /** @type {[string, Console.Child][] | null} */
  const shown = answer && [
    ['Begins', instantView(answer.access, 'validFrom', zone)], ['Ends', instantView(answer.access, 'validUntil', zone)],
    ['Open next', answer.intervals.length > 0 ? intervalsView(answer.intervals, zone) : 'at no time'],
  ];
  return h(
    'div.preview', { key: 'preview', class: isOld ? 'old' : '', role: 'status' }, title,
    isLoading && h('p.hint', { key: 'loading' },
      isOld ? 'This is the former answer: the gateway is working it out again.' : 'The gateway is working it out.'),
    error && !isLoading && notice('warn', textOf(error)),
    shown && h('dl', null, shown.map(([term, value]) =>
      h('div', { key: term }, h('dt', null, term), h('dd', null, value)))),
    answer?.warning && notice('warn',
      'The link of this access will end, because its creator could not grant the changed access.'));
}
