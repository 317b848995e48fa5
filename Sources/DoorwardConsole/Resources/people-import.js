// People are invited by a file: each line is shown with what it does before anything is sent, and then with its
// outcome.
// @ts-check
import { call } from './api.js';
import { newKey } from './commands.js';
import { giveTable } from './csv.js';
import { isUnsure } from './guest-change.js';
import { button, completeAddress, copyButton, icon, notice, pager, select, time } from './parts.js';
import { judge, maxBytes, readLines, shortened } from './people-lines.js';
import { Scopes, entityPath, entityTypes } from './scopes.js';
import { h } from './view.js';
import { counted, sentenceOf } from './words.js';

/**
 * @typedef {import('./people-lines.js').Line} Line
 * @typedef {Console.Copies & {name: string, lines: Line[], problem: string | null, isReading: boolean,
 *   isRunning: boolean, isStopping: boolean, halt: string | null, shown: Shown, page: number, isSaved: boolean,
 *   asksToClose: boolean, closed: () => void}} Import
 *   `halt` says why the sending has ended before its end; `isSaved` is whether the links that are known have been saved
 * @typedef {'' | 'sendable' | 'problem' | 'done' | 'failed'} Shown which lines are listed
 * @typedef {Console.State & {scopes: Scopes, importing: Import | null,
 *   invitations: {email: string, role: string | null, place?: Console.Place | null}[]}} State a page with an import
 */

const perPage = 50;
/** How many places of a type are read for the names in a file. */
const maxPlaces = 20000;
const names = { email: 'The email address', role: 'The role' };

/**
 * Opens the import: the one that was left, or a new one.
 *
 * @param {Console.Context} context @param {State} state @param {() => void} closed is called when it is closed
 */
export function openImport(context, state, closed) {
  const kept = /** @type {Import | undefined} */ (context.memory.get('import'));
  state.importing = kept || {
    name: '', lines: [], problem: null, isReading: false, isRunning: false, isStopping: false, halt: null, shown: '',
    page: 1, isSaved: true, asksToClose: false, closed,
  };
  state.importing.closed = closed;
  if (kept) check(context, state, kept);
  ({ memory } = context);
  addEventListener('beforeunload', warn);
  context.redraw();
}

/**
 * Where an import is kept until the sign-out.
 *
 * @type {Map<string, unknown> | null}
 */
let memory = null;
/** @param {BeforeUnloadEvent} event */
function warn(event) {
  const own = /** @type {Import | undefined} */ (memory?.get('import'));
  if (own && (own.isRunning || !own.isSaved)) event.preventDefault();
}

/**
 * The page ends, or the import is closed. A request that is on its way is completed; none follows.
 *
 * @param {Import | null} own
 */
export function leaveImport(own) {
  if (own) own.isStopping = true;
}

/** @param {Console.Context} context @param {State} state */
function close(context, state) {
  const own = /** @type {Import} */ (state.importing);
  if (!own.isSaved && !own.asksToClose) {
    own.asksToClose = true;
    context.announce('The links are not saved');
    context.redraw();
    return;
  }
  leaveImport(own);
  removeEventListener('beforeunload', warn);
  context.memory.delete('import');
  state.importing = null;
  context.redraw();
  own.closed();
}

// The file.

/** @param {Console.Context} context @param {State} state @param {File | undefined} file */
async function choose(context, state, file) {
  const own = /** @type {Import} */ (state.importing);
  if (!file || own.isRunning || own.isReading) return;
  Object.assign(own, {
    name: file.name, lines: [], problem: null, isReading: true, halt: null, shown: '', page: 1, isSaved: true,
  });
  context.redraw();
  try {
    const bytes = file.size > maxBytes ? new Uint8Array(maxBytes + 1) : new Uint8Array(await file.arrayBuffer());
    const { lines, problem } = readLines(bytes);
    Object.assign(own, { lines, problem });
  } catch {
    own.problem = 'The browser could not read the file. Choose it again.';
  }
  own.isReading = false;
  if (own.problem) context.announce(own.problem);
  else {
    context.memory.set('import', own);
    await check(context, state, own);
  }
  context.redraw();
}

/**
 * Reads the places, and says what each line does.
 *
 * @param {Console.Context} context @param {State} state @param {Import} own
 */
async function check(context, state, own) {
  own.isReading = true;
  context.redraw();
  try {
    const scopes = await Scopes.read(maxPlaces);
    if (state.isEnded) return;
    judge(own.lines, scopes, context.ability, state.invitations);
    own.problem = null;
    context.announce(summary(own));
  } catch (error) {
    // Nothing is sent by what the page knew before.
    for (const line of own.lines) if (isOpen(line)) line.problem = 'The places could not be read.';
    own.problem = `The places could not be read. ${sentenceOf(error)}`;
    context.announce(own.problem);
  } finally {
    own.isReading = false;
  }
  context.redraw();
}

// The lines.

/** @param {Line} line */
const isOpen = ({ phase }) => phase !== 'done' && phase !== 'failed';

/** @type {Record<Exclude<Shown, ''>, (line: Line) => boolean>} */
const kinds = {
  sendable: (line) => isOpen(line) && !line.problem, problem: (line) => isOpen(line) && !!line.problem,
  done: ({ phase }) => phase === 'done', failed: ({ phase }) => phase === 'failed',
};

/** @param {Import} own @param {Exclude<Shown, ''>} kind */
const countOf = (own, kind) => own.lines.filter(kinds[kind]).length;

/** @param {Import} own */
function summary(own) {
  const [sendable, problem, done, failed] = [
    countOf(own, 'sendable'), countOf(own, 'problem'), countOf(own, 'done'), countOf(own, 'failed')];
  return [
    done > 0 && `${counted(done, 'person is', 'people are')} invited.`,
    failed > 0 && `${counted(failed, 'line')} failed.`,
    sendable > 0 && `${counted(sendable, 'person', 'people')} can be invited.`,
    problem > 0 && `${counted(problem, 'line')} cannot be sent.`,
  ].filter(Boolean).join(' ') || 'Nobody can be invited.';
}

// Sending.

/**
 * Sends the lines one after the other.
 *
 * @param {Console.Context} context @param {State} state @param {Import} own
 */
async function run(context, state, own) {
  if (own.isRunning || own.isReading) return;
  Object.assign(own, { isRunning: true, isStopping: false, halt: null, shown: '', asksToClose: false });
  context.redraw();
  for (const line of own.lines.filter(kinds.sendable)) {
    if (own.isStopping || own.halt) break;
    own.page = Math.floor(own.lines.indexOf(line) / perPage) + 1;
    await send(context, own, line);
    context.redraw();
  }
  own.isRunning = false;
  context.redraw();
  if (state.isEnded) return;
  const rest = countOf(own, 'sendable');
  if (own.isStopping && !own.halt && rest > 0) own.halt = 'Stopped. Nothing more is sent until you go on.';
  context.announce(own.halt || summary(own));
  context.redraw();
}

/** @param {Console.Context} context @param {Import} own @param {Line} line */
async function send(context, own, line) {
  const { type, id, role } = /** @type {import('./people-lines.js').Offer} */ (line.offer);
  line.phase = 'sending';
  // Sent again, it is the same request.
  line.key ||= newKey();
  context.redraw();
  try {
    const { invitation } = await call('POST', `${entityPath(type, id)}/${entityTypes[type].holders}`, {
      body: { email: line.email, role }, headers: { 'Idempotency-Key': line.key },
    });
    Object.assign(line, {
      phase: 'done', outcome: 'Invited.', link: completeAddress(invitation.url || ''), expiresAt: invitation.expiresAt,
    });
    own.isSaved = false;
  } catch (error) {
    const text = sentenceOf(error, names);
    if (isUnsure(error)) {
      Object.assign(line, { phase: 'unsure', outcome: 'It is not known whether this person is invited.' });
      own.halt = `${text} Nothing more is sent until you go on. Line ${line.line} is sent again then; `
        + 'an invitation that it has made already ends with that.';
    } else if ([401, 429, 503].includes(error.status)) {
      line.phase = 'waiting';
      own.halt = `${text} Nothing more is sent until you go on.`;
    } else {
      Object.assign(line, { phase: 'failed', outcome: text });
    }
  }
}

// Files to keep.

/** @param {Import} own */
function saveLinks(own) {
  const rows = own.lines.filter(kinds.done).map(({ email, text, link, expiresAt }) => [email, text, link, expiresAt]);
  giveTable([['email', 'invitation', 'link', 'valid until'], ...rows], 'doorward-invitations.csv');
  own.isSaved = true;
}

/** @param {Import} own */
function saveRest(own) {
  const rows = own.lines.filter(({ phase }) => phase !== 'done')
    .map((line) => [line.email, line.role, line.place, line.placeId, outcomeOf(line) || 'Not sent.']);
  giveTable([['email', 'role', 'place', 'placeId', 'problem'], ...rows], 'doorward-not-invited.csv');
}

/** @param {Line} line */
const outcomeOf = ({ phase, problem, outcome }) =>
  (phase === 'sending' ? 'Sending.' : phase === 'waiting' || (phase === 'unsure' && problem) ? problem || '' : outcome);

// The view.

/** @param {Console.Context} context @param {State} state */
export function importView(context, state) {
  const own = /** @type {Import} */ (state.importing);
  const hasRun = own.lines.some(({ phase }) => phase !== 'waiting');
  return h('section.import', { key: 'import' },
    h('button.back', { type: 'button', id: 'leave-import', onclick: () => close(context, state) },
      icon('back'), 'People'),
    h('h1', { tabindex: '-1' }, 'Invite people by a file'),
    own.asksToClose && h('div', { role: 'alert', key: 'asks' }, notice('warn',
      h('p', null, 'The links of these invitations are shown only here, and are not saved.'),
      button('Close without them', { id: 'close-anyway', kind: 'danger', onclick: () => close(context, state) }))),
    !own.isRunning && !hasRun && fileField(context, state, own),
    own.problem && notice('bad', own.problem, own.lines.length > 0 && h('div', null, button('Read the places again', {
      id: 'check-again', busy: own.isReading, onclick: () => check(context, state, own),
    }))),
    own.isReading && h('p', { role: 'status' }, h('span.spinner', { 'aria-hidden': 'true' }), 'Reading.'),
    own.lines.length > 0 && !own.isReading && [
      control(context, state, own, hasRun), list(context, own)]);
}

/** @param {Console.Context} context @param {State} state @param {Import} own */
const fileField = (context, state, own) => h('div.panel-card', { key: 'file' },
  h('p', null, 'A table as CSV with the columns ', h('strong', null, 'email'), ', ', h('strong', null, 'role'), ' and ',
    h('strong', null, 'place'), ': the name of a portfolio, property or unit, or its id. ',
    'Each line is shown with what it does; nothing is sent before you say so.'),
  h('div.field', null, h('label', { for: 'import-file' }, 'File'), h('input', {
    id: 'import-file', type: 'file', accept: '.csv,.tsv,.txt,text/csv,text/tab-separated-values',
    onchange: (event) => choose(context, state, event.target.files?.[0]),
  })),
  own.name && h('p.hint', null, `${shortened(own.name)} has been read. Choose it again after a change.`));

/** @param {Console.Context} context @param {State} state @param {Import} own @param {boolean} hasRun */
function control(context, state, own, hasRun) {
  const [sendable, done] = [countOf(own, 'sendable'), countOf(own, 'done')];
  const sent = done + countOf(own, 'failed');
  const total = sent + sendable;
  const stop = () => { own.isStopping = true; context.redraw(); };
  return h('div.panel-card', { key: 'control' },
    h('p.strong', { id: 'import-summary' },
      own.isRunning ? `${sent} of ${counted(total, 'line')} sent.` : summary(own)),
    own.isRunning && h('progress', { key: 'progress', 'aria-label': 'Lines sent', max: total, value: sent }),
    h('div', { role: 'status' }, own.halt && notice('warn', own.halt)),
    done > 0 && h('p.hint', { key: 'links' },
      'Each invitation has a link to send. The links are shown only here: save them.'),
    h('div.buttons', { key: 'buttons' },
      own.isRunning && button(own.isStopping ? 'Stopping' : 'Stop', {
        id: 'stop-import', busy: own.isStopping, onclick: stop,
      }),
      !own.isRunning && sendable > 0 && button(
        `${hasRun ? 'Go on: invite' : 'Invite'} ${counted(sendable, 'person', 'people')}`,
        { id: 'run-import', kind: 'primary', onclick: () => run(context, state, own) }),
      !own.isRunning && done > 0 && button('Save the links', {
        id: 'save-links', kind: sendable > 0 ? '' : 'primary', onclick: () => { saveLinks(own); context.redraw(); },
      }),
      !own.isRunning && own.lines.length > done && button('Save the lines that are not invited', {
        id: 'save-rest', onclick: () => saveRest(own),
      }),
      !own.isRunning && button('Close', { id: 'close-import', kind: 'quiet', onclick: () => close(context, state) })));
}

/** @type {[Shown, string][]} */
const choices = [
  ['', 'All lines'], ['sendable', 'Lines that can be sent'], ['problem', 'Lines with a mistake'], ['done', 'Invited'],
  ['failed', 'Failed']];

/** @param {Console.Context} context @param {Import} own */
function list(context, own) {
  const { shown } = own;
  const lines = shown ? own.lines.filter(kinds[shown]) : own.lines;
  const pages = Math.max(1, Math.ceil(lines.length / perPage));
  const page = Math.min(own.page, pages);
  const first = (page - 1) * perPage;
  return h('div', { key: 'list' },
    select('Show', {
      id: 'import-shown', value: shown,
      onchange: (value) => { Object.assign(own, { shown: value, page: 1 }); context.redraw(); },
    }, choices.map(([id, title]) => [id, `${title} (${id ? countOf(own, id) : own.lines.length})`])),
    h('ul.rows', { 'aria-label': 'Lines of the file' },
      lines.slice(first, first + perPage).map((line) => row(context, own, line))),
    pager({ currentPage: page, totalPages: pages, totalItems: lines.length, pageSize: perPage }, (number) => {
      own.page = number;
      context.redraw();
    }));
}

/** @param {Console.Context} context @param {Import} own @param {Line} line */
function row(context, own, line) {
  const { phase, problem, link } = line;
  const isBad = phase === 'failed' || (isOpen(line) && !!problem);
  const [tone, name] = isBad ? ['bad', 'alert'] : phase === 'done' ? ['ok', 'tick']
    : phase === 'unsure' ? ['warn', 'unknown'] : ['idle', 'guests'];
  return h('li.row.wraps.import-line', { key: line.line },
    h('span.dot-icon', { class: tone }, icon(/** @type {Console.Icon} */ (name))),
    h('span.record-text', null,
      h('strong', null, shortened(line.email) || 'No address'),
      h('span.record-sub', null, `Line ${line.line}`, line.text ? ` · ${line.text}` : ''),
      h('span', { class: isBad ? 'import-problem' : 'record-sub' }, outcomeOf(line),
        phase === 'done' && [' The link works until ', time(line.expiresAt), '.'])),
    phase === 'done' && copyButton(context, own, {
      id: `copy-${line.line}`, label: 'Copy the link', text: () => link,
    }));
}
