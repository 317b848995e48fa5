// Guests: who has been let in, new guest accesses and their changes, links with a QR code, and their end.
// @ts-check
import { call } from './api.js';
import { accessPath } from './guest-change.js';
import { openAccess, openedDialog } from './guest-details.js';
import { formDialog } from './guest-dialog.js';
import { extendDialog, openExtend } from './guest-extend.js';
import { draftOf, openDraft, openNew, openRepeat } from './guest-form.js';
import { loadDoors, loadPlaces, mayManage, mayRepeat, mayWiden } from './guest-places.js';
import { standing, titleOf } from './guest-times.js';
import { LiveObjects } from './live.js';
import { button, dialog, icon, keepsAfter, notice, pager, time, whenLoaded } from './parts.js';
import { endsSoon } from './todo.js';
import { h } from './view.js';
import { counted, sentenceOf } from './words.js';

/**
 * @typedef {Console.State & import('./guest-details.js').State & {
 *   list: Console.LiveObjects<API.GuestAccess>, pagination: API.Pagination | null, show: string, number: number,
 *   q: string, typing?: number, reads: number, asks: Asks | null, linked: string | null,
 *   keep: (draft: Draft | null) => void}} State
 *   `linked` is the access that the address names
 * @typedef {import('./guest-form.js').Draft} Draft
 * @typedef {{access: API.GuestAccess, error: Console.Caught | null}} Asks
 */

const draftName = 'guest-draft';

/** How many accesses are read of those that end first. */
const mostEnding = 200;

/** Which accesses are shown. */
const shows = new Map([
  ['active', 'Active and scheduled'], ['ending', 'Ending within a week'], ['all', 'All, also ended'],
]);

/** @type {Console.Page<State>} */
const page = {
  start(context, path, query) {
    /** @type {State} */
    const state = {
      status: 'loading', error: null, pagination: null, show: shows.has(query.get('show') || '') ? query.get('show') || '' : 'active', number: 1, q: '', readAt: '', isEnded: false,
      // The page shows only some of the accesses that the stream sends.
      list: new LiveObjects({ type: 'guestAccess', query: '' }, ({ id }) => state.list.objects.has(id)),
      doors: new Map(), zones: new Map(), hasPlaces: false, form: null, opened: null, asks: null, extending: null,
      reads: 0,
      linked: query.get('access') || null, draft: /** @type {Draft | null} */ (context.memory.get(draftName) || null),
      keep: (draft) => { if (draft) context.memory.set(draftName, draft); else context.memory.delete(draftName); },
    };
    context.need([state.list.need]);
    page.refresh(context, state);
    return state;
  },
  end(state) {
    state.keep(draftOf(state.form) || state.draft);
    for (const one of [state.form, state.extending]) one?.preview.end();
    Object.assign(state, { isEnded: true, opened: null, form: null, extending: null });
  },

  async refresh(context, state) {
    const number = ++state.reads;
    try {
      const isEnding = state.show === 'ending';
      const query = {
        page: state.number, limit: isEnding ? mostEnding : 30, sortBy: isEnding ? 'validUntil' : '-createdAt', q: state.q.trim(),
        active: state.show === 'all' ? null : true,
      };
      await state.list.read(async () => {
        const [{ guestAccesses, pagination }] = await Promise.all([
          call('GET', '/guest-access', { query }), loadPlaces(state),
        ]);
        if (state.isEnded || number !== state.reads) return null;
        // The list of the API cannot be narrowed by the end: those that end first are read.
        const shown = isEnding ? guestAccesses.filter((one) => endsSoon(one)) : guestAccesses;
        await loadDoors(state, shown);
        state.pagination = isEnding ? null : pagination;
        return shown;
      });
      if (state.isEnded || number !== state.reads) return;
      Object.assign(state, { status: 'loaded', error: null, readAt: new Date().toISOString() });
      openLinked(context, state);
    } catch (error) {
      if (state.isEnded || number !== state.reads) return;
      const keeps = keepsAfter(context, state, error);
      if (keeps) context.note(`The guests could not be refreshed. ${sentenceOf(error)}`, 'bad');
    }
    context.redraw();
  },

  live(context, state, event, data) {
    const isChanged = state.list.take(event, data);
    if (state.status !== 'loaded') return;
    if (event === 'removed' && state.list.isNamed(data)) leaveAccess(context, state, data.id);
    const { form } = state;
    const isOfForm = event === 'change' && data.type === 'guestAccess' && form?.version?.access.id === data.object.id;
    // What is being saved comes back on the stream before the answer.
    if (form && isOfForm && !form.isBusy) form.latest = data.object;
    if (isChanged || isOfForm) context.redraw();
    // The gateway decides which accesses are on this page.
    if (event === 'poll' || (data.type === 'guestAccess' && event !== 'snapshot')) page.refresh(context, state);
  },

  permissionsChanged(context, state, hasBegun) {
    if (!hasBegun) return;
    state.hasPlaces = false;
    page.refresh(context, state);
  },

  view(context, state) {
    const mayGrant = state.status === 'loaded' && context.ability.can('GRANT_ACCESS', 'LockDevice');
    const again = () => { state.status = 'loading'; context.redraw(); page.refresh(context, state); };
    return h(
      'div', { key: 'guests' },
      h('div.page-head', null, h('h1', { tabindex: '-1' }, 'Guests'),
        mayGrant && button('Let a guest in', {
          id: 'new', kind: 'primary', icon: 'guests', onclick: () => openNew(context, state),
        })),
      whenLoaded(state, again, () => [
        state.draft && !state.form && draftView(context, state),
        filters(context, state),
        state.list.objects.size === 0 ? empty(state)
          : h('ul.rows', { key: 'rows' },
            [...state.list.objects.values()].map((access) => row(context, state, access))),
        state.show === 'ending' && state.list.objects.size >= mostEnding
          && h('p.hint', { key: 'most' }, `The first ${mostEnding} are shown.`),
        state.pagination && pager(state.pagination, (number) => {
          state.number = number;
          page.refresh(context, state);
        }),
      ]),
      state.form && formDialog(context, state, (access, saved) => afterSaving(context, state, access, saved)),
      state.extending && extendDialog(context, state, (access, warning) => {
        context.announce('Extended');
        openAccess(context, state, access, { warning });
        page.refresh(context, state);
      }),
      state.opened && openedDialog(context, state),
      state.asks && askDialog(context, state));
  },
};
export default page;

/**
 * Opens the access that the address names, once.
 *
 * @param {Console.Context} context @param {State} state
 */
async function openLinked(context, state) {
  const id = state.linked;
  if (!id) return;
  state.linked = null;
  try {
    const { guestAccess } = await call('GET', accessPath(id), { isQuiet: true });
    await loadDoors(state, [guestAccess]);
    if (!state.isEnded) openAccess(context, state, guestAccess);
  } catch (error) {
    const text = `The guest access of this address could not be opened. ${sentenceOf(error)}`;
    if (!state.isEnded) context.note(text, 'bad');
  }
}

/**
 * Closes what is open about an access that has been removed or has gone out of reach.
 *
 * @param {Console.Context} context @param {State} state @param {string} id
 */
function leaveAccess(context, state, id) {
  const isOf = (/** @type {{access: API.GuestAccess} | null | undefined} */ one) => one?.access.id === id;
  if (isOf(state.opened)) state.opened = null;
  if (isOf(state.asks)) state.asks = null;
  if (isOf(state.extending)) {
    state.extending?.preview.end();
    state.extending = null;
  }
  if (!isOf(state.form?.version)) return;
  state.form?.preview.end();
  state.form = null;
  context.note('This guest access is not open to you any more, so what you have typed cannot be saved.', 'info');
}

/** @param {Console.Context} context @param {State} state */
function forget(context, state) {
  state.draft = null;
  state.keep(null);
  context.redraw();
}

/** @param {Console.Context} context @param {State} state */
const draftView = (context, state) => h(
  'div', { key: 'draft' }, notice('info',
    h('p', null, 'What you have typed about a guest is kept.'),
    h('div.buttons', null,
      button('Continue', { id: 'continue', onclick: () => openDraft(context, state) }),
      button('Discard', { id: 'discard', onclick: () => forget(context, state) }))));

/** @param {Console.Context} context @param {State} state */
function filters(context, state) {
  const again = (/** @type {Partial<State>} */ values) => {
    Object.assign(state, { number: 1, ...values });
    page.refresh(context, state);
  };
  return h('div.filters', { key: 'filters' },
    h('div.search', null, icon('search'), h('input', {
      id: 'guest-search', type: 'search', 'aria-label': 'Search guests', placeholder: 'Search by name', value: state.q,
      autocomplete: 'off',
      oninput: (event) => {
        state.q = event.target.value;
        clearTimeout(state.typing);
        state.typing = setTimeout(() => again({}), 250);
      },
    })),
    h('select', {
      id: 'guest-show', 'aria-label': 'Which', value: state.show,
      onchange: (event) => again({ show: event.target.value }),
    },
      [...shows].map(([value, title]) => h('option', { key: value, value }, title))));
}

/** @param {State} state */
const empty = (state) => h(
  'div.empty', { key: 'empty' }, icon('guests'), h('h2', null, state.q ? 'No guest matches' : 'No guests'),
  h('p', null, state.q ? 'Ended accesses are shown with “All, also ended”.'
    : 'Let a guest in for some hours or days: by a link for their phone, or with their account.'));

/** @param {Console.Context} context @param {State} state @param {API.GuestAccess} access */
function row(context, state, access) {
  const { word, tone, isOver } = standing(access);
  const doors = access.deviceIds.map((id) => state.doors.get(id)?.name).filter(Boolean);
  const title = titleOf(access);
  return h(
    'li.row.guest', { key: access.id },
    h('span.record-text', null,
      h('span.record-title', null, h('strong', null, title), ' ', h('span.pill', { class: tone }, word)),
      h('span.record-sub', null, doors.join(', ') || counted(access.deviceIds.length, 'door')),
      h('span.record-sub', null, time(access.validFrom), ' – ', time(access.validUntil),
        access.schedule ? ', at certain hours' : '',
        access.maxUses === null ? '' : `, ${access.usesLeft} of ${counted(access.maxUses, 'use')} left`)),
    h('span.buttons', null,
      button('Details', {
        id: `open-${access.id}`, name: `Details of ${title}`, onclick: () => openAccess(context, state, access),
      }),
      !isOver && mayWiden(context, state, access) && button('Extend', {
        id: `extend-${access.id}`, name: `Extend ${title}`, onclick: () => openExtend(context, state, access),
      }),
      isOver && mayRepeat(context, state, access) && button('Repeat', {
        id: `repeat-${access.id}`, name: `Repeat ${title}`, onclick: () => openRepeat(context, state, access),
      }),
      !isOver && mayManage(context, state, access, 'guestAccess.revoke') && button('Revoke', {
        id: `revoke-${access.id}`, kind: 'danger', name: `Revoke ${title}`,
        onclick: () => { state.asks = { access, error: null }; context.redraw(); },
      })));
}

/**
 * @param {Console.Context} context @param {State} state @param {API.GuestAccess} access
 * @param {import('./guest-form.js').Saved} saved
 */
async function afterSaving(context, state, access, { isNew, hasLink, warning }) {
  context.announce(isNew ? 'The guest has been let in' : 'Saved');
  state.keep(null);
  await openAccess(context, state, access, { makesLink: hasLink, warning });
  page.refresh(context, state);
}

// Revoke.

/** @param {Console.Context} context @param {State} state */
function askDialog(context, state) {
  const asks = /** @type {Asks} */ (state.asks);
  const { access, error } = asks;
  const close = () => { state.asks = null; context.redraw(); };
  const revoke = async () => {
    try {
      await call('DELETE', accessPath(access.id));
      // The question may have been closed in the meantime, and another one opened.
      if (state.asks === asks) state.asks = null;
      context.note(`${titleOf(access)}: the access is revoked. Queued commands are denied.`);
      page.refresh(context, state);
    } catch (failed) {
      if (state.asks === asks) asks.error = failed;
      else context.note(sentenceOf(failed), 'bad');
    }
    context.redraw();
  };
  return dialog({ title: `Revoke the access of ${titleOf(access)}`, onclose: close },
    error && notice('bad', sentenceOf(error)),
    h('p', null, 'It ends at once, with its link. Commands that wait are not sent.'),
    h('div.buttons.dialog-buttons', null, button('Revoke', { id: 'confirm', kind: 'danger', onclick: revoke }),
      button('Cancel', { id: 'cancel', onclick: close })));
}
