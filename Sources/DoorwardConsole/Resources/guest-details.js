// One guest access: its times as resolved, its next intervals, its link, and what can be done with it.
// @ts-check
import { call } from './api.js';
import { accessPath, zoneOf } from './guest-change.js';
import { openExtend } from './guest-extend.js';
import { openChange, openRepeat } from './guest-form.js';
import { mayManage, mayRepeat, mayWiden } from './guest-places.js';
import { instantView, intervalsView } from './guest-preview.js';
import { linkView, sheet } from './guest-share.js';
import { hoursText, standing, titleOf, verbsOf } from './guest-times.js';
import { button, dialog, notice, time } from './parts.js';
import { h } from './view.js';
import { sentenceOf } from './words.js';

/**
 * @typedef {import('./guest-form.js').State & import('./guest-extend.js').State & {opened: Opened | null}} State a page
 *   with this dialog
 * @typedef {Console.Work & {access: API.GuestAccess, intervals: Console.Interval[] | null, devices?: {name: string}[],
 *   link: import('./guest-share.js').Link | null, warning: string | null}} Opened
 */

/**
 * @param {Console.Context} context @param {State} state @param {API.GuestAccess} access
 * @param {{makesLink?: boolean, warning?: string | null}} [more]
 */
export async function openAccess(context, state, access, more) {
  const { makesLink = false, warning = null } = more || {};
  /** @type {Opened} */
  const opened = { access, intervals: null, link: null, error: null, isBusy: false, warning };
  state.opened = opened;
  context.redraw();
  try {
    const data = await call('GET', accessPath(access.id), { query: { preview: 3, deviceNames: true } });
    Object.assign(opened, { access: data.guestAccess, intervals: data.intervals, devices: data.devices });
    if (makesLink) await makeLink(context, opened);
  } catch (error) {
    opened.error = error;
  }
  context.redraw();
}

/** @param {Console.Context} context @param {Opened} opened */
async function makeLink(context, opened) {
  Object.assign(opened, { isBusy: true, error: null });
  context.redraw();
  try {
    opened.link = (await call('POST', `${accessPath(opened.access.id)}/link`, {})).link;
    context.announce('The link is shown');
  } catch (error) {
    opened.error = error;
  }
  opened.isBusy = false;
  context.redraw();
}

/** @param {Console.Context} context @param {State} state */
export function openedDialog(context, state) {
  const opened = /** @type {Opened} */ (state.opened);
  const { access, link } = opened;
  const close = () => { state.opened = null; context.redraw(); };
  const zone = zoneOf(access, state.zones);
  const { word, tone, isOver } = standing(access);
  const doors = (opened.devices || access.deviceIds.flatMap((id) => state.doors.get(id) || [])).map(({ name }) => name);
  const lines = (/** @type {string[]} */ texts) =>
    texts.length > 0 && h('ul', null, texts.map((line) => h('li', { key: line }, line)));
  const next = opened.intervals || [];
  /** @type {[string, Console.Child][]} */
  const rows = [
    ['State', h('span.pill', { class: tone }, word)], ['Doors', doors.join(', ')],
    ['The guest may', verbsOf(access.operations).join(', ')],
    ['Begins', instantView(access, 'validFrom', zone)], ['Ends', instantView(access, 'validUntil', zone)],
    ['Uses', access.maxUses === null ? null : `${access.usesLeft} of ${access.maxUses} left`],
    ['Hours', lines(hoursText(access.schedule))],
    ['Open next', access.schedule && next.length > 0 && intervalsView(next, zone)],
    ['Revoked', access.revokedAt ? time(access.revokedAt) : null],
  ];
  const shared = link && { access, doors, place: state.zones.get(access.propertyId) || null, zone, link };
  return dialog({ title: titleOf(access), onclose: close },
    opened.error && notice('bad', sentenceOf(opened.error)),
    opened.warning && notice('warn', opened.warning),
    h('dl.details', null, rows.filter(([, value]) => value).map(([term, value]) =>
      h('div', { key: term }, h('dt', null, term), h('dd', null, value)))),
    shared && linkView(context, shared),
    h('div.buttons.dialog-buttons', null, ...actions(context, state, opened),
      button('Done', { id: 'done', onclick: close })),
    !isOver && !link && mayLink(context, state, access)
      && h('p.hint.after', null, 'A new link replaces an earlier one, which stops working.'),
    shared && sheet(shared));
}

/** @param {Console.Context} context @param {State} state @param {API.GuestAccess} access */
const mayLink = (context, state, access) => mayManage(context, state, access, 'guestAccess.link')
  && mayWiden(context, state, access);

/**
 * What can be done with an access, as far as the person may do it. What the gateway refuses, it explains.
 *
 * @param {Console.Context} context @param {State} state @param {Opened} opened @returns {Console.Child[]}
 */
function actions(context, state, opened) {
  const { access, link, isBusy } = opened;
  const { isOver } = standing(access);
  const leaveFor = (/** @type {() => Promise<void>} */ open) => async () => {
    if (opened.isBusy) return;
    Object.assign(opened, { isBusy: true, error: null });
    context.redraw();
    try {
      await open();
      if (state.opened === opened) state.opened = null;
    } catch (error) {
      opened.error = error;
    }
    opened.isBusy = false;
    context.redraw();
  };
  // The link is known only now, so nothing leads away from it.
  if (link) return [];
  return [
    !isOver && mayLink(context, state, access)
      && button('Create a link', {
        id: 'make-link', kind: 'primary', busy: isBusy, onclick: () => makeLink(context, opened),
      }),
    !isOver && mayWiden(context, state, access) && button('Extend', {
      id: 'to-extend', busy: isBusy, onclick: () => { state.opened = null; openExtend(context, state, access); },
    }),
    access.revokedAt === null && mayManage(context, state, access, 'guestAccess.change')
      && button('Change', {
        id: 'to-change', busy: isBusy, onclick: leaveFor(() => openChange(context, state, access.id)),
      }),
    isOver && mayRepeat(context, state, access)
      && button('Repeat', {
        id: 'to-repeat', busy: isBusy, onclick: leaveFor(() => openRepeat(context, state, access)),
      }),
  ];
}
