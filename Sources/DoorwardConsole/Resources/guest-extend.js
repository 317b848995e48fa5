// A guest access ends later: by an hour, a day or a week, or at a typed time.
// @ts-check
import {
  changeOf, differences, differencesView, isUnsure, readVersion, send, valuesOf, zoneOf,
} from './guest-change.js';
import { inSight } from './guest-dialog.js';
import { names } from './guest-form.js';
import { Preview, previewView } from './guest-preview.js';
import { instantHere, later, localText, resolved, standing, titleOf } from './guest-times.js';
import { button, dialog, field, notice } from './parts.js';
import { h } from './view.js';
import { sentenceOf } from './words.js';

/**
 * @typedef {import('./guest-places.js').Places & {extending: Extending | null}} State a page with this dialog
 * @typedef {Console.Work & {
 *   access: API.GuestAccess, zone: string | null, version: import('./guest-change.js').Version | null, step: Step,
 *   own: string, others: import('./guest-change.js').Difference[] | null,
 *   preview: Preview}} Extending `access` is shown
 * @typedef {'hour' | 'day' | 'week' | 'own'} Step
 */

/** @type {[Step, string][]} */
const steps = [['hour', '1 hour later'], ['day', '1 day later'], ['week', '1 week later'], ['own', 'At another time']];

/**
 * The body of the request with the new end; null if the end is missing.
 *
 * @param {Pick<Extending, 'access' | 'zone' | 'step' | 'own'>} extending @param {Date} [now]
 * @returns {Record<string, unknown> | null}
 */
export function endOf({ access, zone, step, own }, now = new Date()) {
  // An access that has ended is extended from this minute on: within it, the gateway is asked once.
  const minute = now.getTime() - now.getTime() % 60000;
  const base = new Date(Math.max(new Date(access.validUntil).getTime(), minute)).toISOString();
  const end = step === 'own' ? { text: own } : later(base, step, zone);
  if ('instant' in end) return { validUntil: end.instant };
  if (!end.text) return null;
  return zone ? { timeZone: zone, validUntil: end.text } : { validUntil: instantHere(end.text) };
}

/** @param {Console.Context} context @param {State} state @param {API.GuestAccess} access */
export async function openExtend(context, state, access) {
  const zone = zoneOf(access, state.zones);
  /** @type {Extending} */
  const extending = {
    access, zone, version: null, step: 'day', own: localText(new Date(access.validUntil), zone), others: null,
    isBusy: false, error: null, preview: new Preview(context),
  };
  state.extending = extending;
  context.redraw();
  try {
    extending.version = await readVersion(access.id);
    extending.access = extending.version.access;
  } catch (error) {
    extending.error = error;
  }
  context.redraw();
}

/**
 * @param {Console.Context} context @param {State} state
 * @param {(access: API.GuestAccess, warning: string | null) => void} done
 */
async function extend(context, state, done) {
  const extending = /** @type {Extending} */ (state.extending);
  if (extending.isBusy) return;
  const end = endOf(extending);
  if (!end) {
    extending.error = { text: 'The new end is missing.' };
    context.redraw();
    return;
  }
  Object.assign(extending, { isBusy: true, error: null });
  context.redraw();
  try {
    // It could not be read when the dialog was opened.
    extending.version ||= await readVersion(extending.access.id);
    const { access, warning } = await send(changeOf(extending.version, end));
    extending.preview.end();
    if (state.extending === extending) state.extending = null;
    done(access, warning);
  } catch (error) {
    if (error.status === 412) await compare(state, extending);
    else if (isUnsure(error)) {
      const text = `${sentenceOf(error)} The choice is kept, and is sent again only when you extend again.`;
      extending.error = { ...error, text };
    } else extending.error = error;
    const failure = extending.error;
    context.announce(failure ? failure.text || sentenceOf(failure, names) : 'Changed meanwhile');
  }
  extending.isBusy = false;
  context.redraw();
}

/**
 * Reads the version that others have made. The choice is kept, and counts from the new end.
 *
 * @param {State} state @param {Extending} extending
 */
async function compare(state, extending) {
  const { access, zone } = extending;
  try {
    extending.version = await readVersion(access.id);
    const [before, now] = [valuesOf(access, zone), valuesOf(extending.version.access, zone)];
    const doorName = (/** @type {string} */ id) => state.doors.get(id)?.name || 'a door';
    const others = differences(before, before, now, { doorName });
    Object.assign(extending, { access: extending.version.access, others });
  } catch (error) {
    const text = `Someone else has changed this access meanwhile. ${sentenceOf(error)} The choice is kept.`;
    extending.error = { text };
  }
}

/**
 * @param {Console.Context} context @param {State} state @param {Parameters<typeof extend>[2]} done
 */
export function extendDialog(context, state, done) {
  const extending = /** @type {Extending} */ (state.extending);
  const { access, zone, version, step, others, error, isBusy, preview } = extending;
  const close = () => { preview.end(); state.extending = null; context.redraw(); };
  const end = endOf(extending);
  if (!isBusy) preview.ask(end && version && !access.revokedAt ? changeOf(version, end) : null);
  const { answer, isLoading } = preview;
  const isShorter = answer && !isLoading && new Date(answer.access.validUntil) <= new Date(access.validUntil);
  const choose = (/** @type {Step} */ id) => () => { extending.step = id; context.redraw(); };
  return dialog({ title: `Extend the access of ${titleOf(access)}`, onclose: close }, h(
    'form', { novalidate: true, onsubmit: (event) => { event.preventDefault(); extend(context, state, done); } },
    h('div', { role: 'status' }, others && inSight('others', notice('warn',
      h('p', null, 'Changed meanwhile. Your choice is kept, and counts from the end that the access has now.'),
      differencesView(others))),
    access.revokedAt && notice('bad', 'This access has been revoked, so it cannot be extended.')),
    error && inSight('error', notice('bad', error.text || sentenceOf(error, names))),
    h('p', null, standing(access).word === 'Ended' ? 'It has ended: ' : 'It ends: ', resolved(access.validUntil, zone)),
    h('fieldset', null, h('legend', null, 'New end'), steps.map(([id, title]) => h(
      'label.check', { key: id, for: `extend-${id}` },
      h('input', { id: `extend-${id}`, name: 'step', type: 'radio', checked: step === id, onchange: choose(id) }),
      h('span', null, title)))),
    step === 'own' && field('Ends', {
      id: 'extend-until', type: 'datetime-local', value: extending.own,
      oninput: (event) => { extending.own = event.target.value; context.redraw(); },
    }, { hint: zone ? `Local time of the property (${zone}).` : 'On the clock of this browser.' }),
    !access.revokedAt && previewView(preview, {
      zone, missing: end ? null : 'The new end is missing.', textOf: (failure) => sentenceOf(failure, names),
    }),
    isShorter && notice('warn', 'This end is not later than the present one: the access becomes shorter.'),
    h('div.buttons.dialog-buttons', null,
      button(isBusy ? 'Extending' : others || isUnsure(error) ? 'Extend again' : 'Extend', {
        id: 'extend', type: 'submit', kind: 'primary', busy: isBusy, onclick: () => {},
      }), button('Cancel', { id: 'cancel', onclick: close }))));
}
