// The test of a door: it is unlocked and locked again, and each confirmation is told with its seconds.
// @ts-check
import { button, dialog, icon } from './parts.js';
import { h } from './view.js';
import { operationOf } from './words.js';

/**
 * @typedef {import('./door.js').Shown} Shown
 * @typedef {import('./commands.js').Progress} Progress
 * @typedef {{isRunning: boolean, results: Progress[],
 *   view: (context: Console.Context, state: Shown) => Console.Child}} Test
 *   `results` are those of the commands that have ended, in their order
 */

/**
 * The seconds from the request of a command to its end, by the clock of the gateway: `0.3 s`, `12 s`.
 *
 * @param {{requestedAt: string, completedAt?: string | null}} command
 */
export function secondsOf({ requestedAt, completedAt }) {
  if (!completedAt) return null;
  const seconds = Math.max(0, new Date(completedAt).getTime() - new Date(requestedAt).getTime()) / 1000;
  return seconds < 0.1 ? 'less than 0.1 s' : `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
}

/**
 * What one of the two commands has shown, in words.
 *
 * @param {Progress} progress
 */
export function resultText({ operation, phase, text, command }) {
  if (phase !== 'done' || !command) return text;
  const { done } = operationOf(operation);
  const seconds = secondsOf(/** @type {{requestedAt: string}} */ (/** @type {unknown} */ (command)));
  const already = command.changed === false ? ' The lock was so already, and did not move.' : '';
  return `${done}. The lock confirmed it${seconds ? ` in ${seconds}` : ''}.${already}`;
}

/**
 * What follows from the results: the sentence of the test, and what can be done next.
 *
 * @param {Progress[]} results
 * @returns {{tone: 'ok' | 'bad', text: string, next: 'none' | 'lock' | 'repeat'}}
 */
export function conclusion(results) {
  const [unlock, lock] = [results.filter((one) => one.operation === 'UNLOCK').at(-1),
    results.filter((one) => one.operation === 'LOCK').at(-1)];
  const last = lock || unlock;
  if (last?.phase === 'unsure') {
    const text = 'The test has stopped. It is not known how the door is: check it.';
    return { tone: 'bad', text, next: 'repeat' };
  }
  if (lock?.phase === 'done') {
    return unlock?.phase === 'done'
      ? { tone: 'ok', text: 'The door works: both commands were confirmed.', next: 'none' }
      : { tone: 'bad', text: 'The door is locked. Unlocking was not confirmed.', next: 'none' };
  }
  if (lock) {
    return { tone: 'bad', text: 'Locking was not confirmed. The door may be unlocked: check it.', next: 'lock' };
  }
  if (unlock?.phase === 'done') return { tone: 'bad', text: 'The door is unlocked.', next: 'lock' };
  const text = `Unlocking was not confirmed, so nothing more was sent.${
    unlock?.command?.sent ? ' The door may be unlocked.' : ''}`;
  return { tone: 'bad', text, next: 'lock' };
}

/**
 * The question before the test.
 *
 * @param {Console.Context} context @param {Shown} state
 */
export function askDialog(context, state) {
  const { device } = state;
  const close = () => { state.dialog = null; context.redraw(); };
  return dialog({ title: `Test ${device.name}`, onclose: close },
    h('p', null, 'The door is unlocked now. When the lock has confirmed that, it is locked again.'),
    h('p', null, 'Do this only when you or someone else can see the door. Both commands are in the log.'),
    h('div.buttons.dialog-buttons', null,
      button('Unlock and lock again', {
        id: 'start-test', kind: 'primary', onclick: () => { close(); run(context, state); },
      }),
      button('Cancel', { id: 'cancel', onclick: close })));
}

/** @param {Console.Context} context @param {Shown} state */
async function run(context, state) {
  /** @type {Test} */
  const test = { isRunning: true, results: [], view };
  state.test = test;
  const unlock = await step(context, test, context.commands.start(state.device, 'UNLOCK'));
  // What was asked for is done also if the page was left meanwhile: the door is not left open.
  const isUnlocked = unlock?.phase === 'done' && !context.commands.isEnded;
  if (isUnlocked) await step(context, test, context.commands.start(state.device, 'LOCK'));
  end(context, test);
}

/**
 * Waits for one command of the test.
 *
 * @param {Console.Context} context @param {Test} test @param {Promise<Progress | null>} command
 */
async function step(context, test, command) {
  test.isRunning = true;
  context.redraw();
  const progress = await command;
  // One that is asked for again takes the place of the one whose outcome was not known.
  if (progress && test.results.at(-1)?.key === progress.key) test.results.pop();
  if (progress) test.results.push(progress);
  return progress;
}

/** @param {Console.Context} context @param {Test} test */
function end(context, test) {
  test.isRunning = false;
  if (test.results.length > 0) context.announce(`Test: ${conclusion(test.results).text}`);
  context.redraw();
}

/** @param {Console.Context} context @param {Shown} state @returns {Console.Child} */
function view(context, state) {
  const test = /** @type {Test} */ (state.test);
  const { results, isRunning } = test;
  const running = isRunning ? context.commands.of(state.id) : null;
  const found = isRunning ? null : conclusion(results);
  const close = () => {
    state.test = null;
    const shown = context.commands.of(state.id);
    if (shown && results.includes(shown)) context.commands.dismiss(state.id);
    context.redraw();
  };
  const lock = async () => {
    if (context.commands.isRunning(state.id)) return;
    await step(context, test, context.commands.start(state.device, 'LOCK'));
    end(context, test);
  };
  const repeat = async () => {
    if (context.commands.isRunning(state.id)) return;
    context.commands.byDevice.set(state.id, results[results.length - 1]);
    await step(context, test, context.commands.repeat(state.device));
    end(context, test);
  };
  const isUnlock = results.at(-1)?.operation === 'UNLOCK';
  const offersLock = found?.next === 'lock' || (found?.next === 'repeat' && isUnlock);
  const mayLock = state.decisions.some((one) => one.operation === 'LOCK' && one.allowed);
  const tone = found ? found.tone : 'busy';
  return h('section.progress-panel.test', { key: 'test-panel', class: tone, 'aria-label': 'Test' },
    h('h2', null, 'Test'),
    results.length > 0 && h('ol', { key: 'results' }, results.map((one) => h('li', { key: one.key },
      icon(one.phase === 'done' ? 'tick' : 'alert'),
      h('span', null, h('strong', null, operationOf(one.operation).verb), ': ', resultText(one))))),
    running && h('p', { key: 'running' }, h('span.spinner', { 'aria-hidden': 'true' }),
      h('span', null, `${operationOf(running.operation).verb}: ${running.text}`)),
    found && h('p', { key: 'found' }, icon(found.tone === 'ok' ? 'tick' : 'alert'), h('span', null, found.text)),
    found && h('div.buttons', { key: 'next' },
      offersLock && mayLock && button('Lock', { id: 'test-lock', kind: 'primary', icon: 'locked', onclick: lock }),
      found.next === 'repeat' && button('Ask again', { id: 'test-again', kind: 'primary', onclick: repeat }),
      button('Close', { id: 'test-close', kind: 'quiet', onclick: close })));
}
