// Portfolios: properties, subscription with its usage, retention of the log, owners and admins, compliance report.
// @ts-check
import { call, readIfChanged, save } from './api.js';
import { beginEdit, editDialog, saveEdit, typedIn } from './edits.js';
import { button, dialog, field, icon, keepsAfter, notice, ofObject, pager, whenLoaded } from './parts.js';
import { newProperty, newPropertyForm } from './property-form.js';
import { askRemoval, removalDialog } from './removal.js';
import { readAll } from './scopes.js';
import { h } from './view.js';
import { counted, modules, nameOf, roleOf, sentenceOf } from './words.js';

/**
 * Limits, their usage, and the words.
 *
 * @type {[keyof API.Subscription['limits'], keyof API.Subscription['usage'], string][]}
 */
export const limits = [
  ['maxProperties', 'properties', 'Properties'], ['maxUnits', 'units', 'Units'], ['maxDevices', 'devices', 'Doors'], ['maxActiveGuestAccess', 'activeGuestAccess', 'Guest accesses'],
];
/**
 * @typedef {Console.State & import('./removal.js').State & {
 *   id: string | null, isOnly: boolean, portfolios: API.Portfolio[], pagination: API.Pagination | null, number: number, portfolio: API.Portfolio | null, properties: API.Property[],
 *   subscription: API.Subscription | null, retention: API.Retention | null, admins: API.User[] | null, tags: Record<string, string | null | undefined>,
 *   notes: Record<string, Console.Note>, busy: string | null, asks: 'portfolio' | 'property' | null,
 *   adds: import('./property-form.js').NewProperty | null, edit: import('./edits.js').Edit | null}} State with a note for each form, and the ETag of each part
 * @typedef {State & {id: string, portfolio: API.Portfolio}} Shown
 */

const names = {
  name: 'The name', tier: 'The tier', days: 'The number of days', 'limits.maxProperties': 'The limit of properties', limits: 'A limit',
  from: 'The start', until: 'The end',
};

/** @type {Console.Page<State>} */
const page = {
  start(context, [id]) {
    /** @type {State} */
    const state = {
      id: id || null, isOnly: false, status: 'loading', error: null, portfolios: [], pagination: null, number: 1, portfolio: null, properties: [], subscription: null, retention: null,
      admins: null, tags: {}, notes: {}, busy: null, asks: null, adds: null, edit: null, removal: null,
      isEnded: false, readAt: '',
    };
    context.need(needsOf(state.id));
    page.refresh(context, state);
    return state;
  },
  end(state) { state.isEnded = true; },
  title: (state) => state?.portfolio?.name || 'Portfolio',

  async refresh(context, state) {
    try {
      if (!state.id || state.isOnly) {
        const { portfolios, pagination } = await call('GET', '/portfolios', { query: { page: state.number, limit: 50, sortBy: 'name' } });
        if (state.isEnded) return;
        Object.assign(state, { portfolios, pagination });
        // With one portfolio, the page is about this one.
        const isOnly = pagination.totalItems === 1 && !context.ability.can('portfolio.create', 'Gateway');
        Object.assign(state, { id: isOnly ? portfolios[0].id : null, isOnly });
        context.need(needsOf(state.id));
      }
      if (state.id) await readOne(context, /** @type {State & {id: string}} */ (state));
      if (state.isEnded) return;
      Object.assign(state, { status: 'loaded', error: null, readAt: new Date().toISOString() });
    } catch (error) {
      if (state.isEnded) return;
      if (keepsAfter(context, state, error)) state.notes.page = { tone: 'bad', text: sentenceOf(error) };
    }
    context.redraw();
  },

  live(context, state, event, data) {
    const isChange = (event === 'change' || event === 'removed') && state.status === 'loaded';
    if (event === 'poll' || (isChange && ['portfolio', 'property'].includes(data.type))) page.refresh(context, state);
  },
  permissionsChanged(context, state) { page.refresh(context, state); },

  view(context, state) {
    const retry = () => { state.status = 'loading'; context.redraw(); page.refresh(context, state); };
    if (!state.id) {
      return h('div', { key: 'portfolios' },
        h('div.page-head', null, h('h1', { tabindex: '-1' }, 'Portfolios'),
          context.ability.can('portfolio.create', 'Gateway') && button('Create a portfolio', { id: 'create', kind: 'primary', onclick: () => { state.asks = 'portfolio'; context.redraw(); } })),
        whenLoaded(state, retry, () => [
          state.portfolios.length === 0 ? h('div.empty', { key: 'empty' }, icon('portfolio'), h('h2', null, 'No portfolios yet'), h('p', null, 'A portfolio is what one owner has: properties, people, and one log.'))
            : h('ul.rows', { key: 'rows' }, state.portfolios.map((one) => h('li', { key: one.id },
              h('a.row', { href: `#/portfolios/${encodeURIComponent(one.id)}` }, h('span.dot-icon', null, icon('portfolio')), h('span.record-text', null, h('strong', null, one.name),
                one.propertyIds && h('span.record-sub', null, one.propertyIds.length === 1 ? '1 property' : `${one.propertyIds.length} properties`)))))),
          state.pagination && pager(state.pagination, (number) => { state.number = number; page.refresh(context, state); }),
        ]),
        state.asks && createDialog(context, state));
    }
    return h('div', { key: 'portfolio' },
      !state.isOnly && h('a.back', { href: '#/portfolios' }, icon('back'), 'Portfolios'),
      ofObject(page, context, state, 'Portfolio', state.portfolio, () => content(context, /** @type {Shown} */ (state))),
      state.asks && createDialog(context, state), state.edit && renameDialog(context, /** @type {Shown} */ (state)), removalDialog(context, state));
  },
};
export default page;

/** @param {string | null} id of the portfolio, if the page is of one */
const needsOf = (id) => [{ type: 'portfolio', query: '' }, ...(id ? [{ type: 'property', query: `portfolioId=${encodeURIComponent(id)}` }] : [])];

/** @param {Console.Context} context @param {State & {id: string}} state */
async function readOne(context, state) {
  const path = `/portfolios/${encodeURIComponent(state.id)}`;
  const { data, etag } = /** @type {import('./api.js').Version} */ (await readIfChanged(path, null));
  const { portfolio } = data;
  const { ability } = context;
  const maySubscription = ability.can('subscription.read', 'Portfolio', portfolio);
  const [properties, subscription, retention, admins] = await Promise.all([
    readAll('/properties', 'properties', { portfolioId: state.id }), maySubscription ? readIfChanged(path + '/subscription', null) : null,
    maySubscription ? readIfChanged(path + '/retention', null) : null,
    ability.can('people.read', 'Portfolio', portfolio) ? readAll(path + '/admins', 'users') : null,
  ]);
  if (state.isEnded) return;
  Object.assign(state, { portfolio, tags: { portfolio: etag, subscription: subscription?.etag, retention: retention?.etag }, properties, subscription: subscription?.data.subscription, retention: retention?.data.retention, admins });
}

/** @param {Console.Context} context @param {Shown} state */
function content(context, state) {
  const { portfolio } = state;
  return [
    h('div.page-head', null, h('h1', { tabindex: '-1' }, portfolio.name), ownButtons(context, state)), noteOf(state, 'page'),
    properties(context, state), subscription(context, state), retention(context, state), admins(state), report(context, state),
  ];
}

/** @param {Pick<State, 'notes'>} state @param {string} name */
const noteOf = (state, name) => state.notes[name] && notice(state.notes[name].tone, state.notes[name].text);

/**
 * Sends the content of a form, on the condition that the shown version is still the current one.
 *
 * @param {Console.Context} context @param {Shown} state @param {string} name @param {(form: FormData) => Promise<string>} work
 */
const submit = (context, state, name, work) => async (/** @type {Console.Submit} */ event) => {
  event.preventDefault();
  if (state.busy) return;
  const form = new FormData(event.target);
  Object.assign(state, { busy: name, notes: {} });
  context.redraw();
  try {
    state.notes[name] = { tone: 'ok', text: await work(form) };
    await page.refresh(context, state);
  } catch (error) {
    const isOld = error.status === 412;
    if (isOld) await page.refresh(context, state);
    state.notes[name] = { tone: 'bad', text: isOld ? 'Someone else has changed this in the meantime. What you see now is the current state: change it again.' : sentenceOf(error, names) };
  }
  context.announce(state.notes[name].text);
  state.busy = null;
  context.redraw();
};

/** @param {Shown} state @param {string} part @param {object} body */
const put = (state, part, body) => call('PUT', `/portfolios/${encodeURIComponent(state.id)}${part === 'portfolio' ? '' : '/' + part}`, { body, headers: state.tags[part] ? { 'If-Match': state.tags[part] || '' } : {} });

/** @param {Console.Context} context @param {Shown} state */
function properties(context, state) {
  const mayCreate = context.ability.can('property.create', 'Portfolio', state.portfolio);
  return h('section.panel-card', { key: 'properties' },
    h('div.page-head', null, h('h2', null, 'Properties'), mayCreate && button('Add a property', { id: 'add-property', onclick: () => { state.asks = 'property'; context.redraw(); } })),
    state.properties.length === 0 ? h('p.hint', null, 'No property yet.')
      : h('ul.rows', null, state.properties.map((one) => h('li', { key: one.id }, h('a.row', { href: `#/properties/${encodeURIComponent(one.id)}` },
        h('span.record-text', null, h('strong', null, one.name), h('span.record-sub', null, one.defaultTimeZone)), one.lockdown?.active && h('span.pill.bad', null, icon('alert'), 'Locked down'))))));
}

/** @param {Console.Context} context @param {Shown} state */
function subscription(context, state) {
  const own = state.subscription;
  if (!own) return null;
  const mayChange = context.ability.can('subscription.change', 'Portfolio', state.portfolio);
  const change = submit(context, state, 'subscription', async (form) => {
    await put(state, 'subscription', {
      tier: form.get('tier'), modules: Object.fromEntries(modules.map(([id]) => [id, form.get(id) === 'on'])),
      limits: Object.fromEntries(limits.map(([id]) => [id, form.get(id) === '' ? null : Number(form.get(id))])),
    });
    return 'Saved. It is in force at once.';
  });
  return h('section.panel-card', { key: 'subscription' },
    h('h2', null, 'Subscription'), noteOf(state, 'subscription'),
    h('p', null, 'Tier: ', h('strong', null, own.tier || 'none')),
    h('ul.modules', null, modules.map(([id, word]) => h('li', { key: id, class: own.modules[id] ? 'on' : 'off' }, icon(own.modules[id] ? 'tick' : 'close'), h('span', null, word, h('span.hidden', null, own.modules[id] ? ': included' : ': not included'))))),
    h('ul.usage', null, limits.map(([limit, used, word]) => usage(word, own.usage[used], own.limits?.[limit]))),
    mayChange ? h('details', { key: 'change' }, h('summary', null, 'Change the subscription'), h('form', { onsubmit: change, novalidate: true },
      field('Tier', { id: 'tier', name: 'tier', value: own.tier || '', required: true, maxlength: 64, autocomplete: 'off' }),
      h('fieldset', null, h('legend', null, 'Modules'), h('div.choices.flat', null, modules.map(([id, word]) => h('label.check', { key: id, for: `module-${id}` },
        h('input', { id: `module-${id}`, name: id, type: 'checkbox', checked: own.modules[id] }), h('span', null, word))))),
      h('div.form-row', null, limits.map(([id, , word]) => field(`At most (${word.toLowerCase()})`, { id, name: id, type: 'number', min: 0, value: own.limits?.[id] ?? '', placeholder: 'no limit' }))),
      button('Save the subscription', { id: 'save-subscription', type: 'submit', kind: 'primary', busy: state.busy === 'subscription', onclick: () => {} })))
      : h('p.hint.after', null, 'A super admin of the gateway can change the subscription.'));
}

/**
 * `3 of 5 properties`.
 *
 * @param {string} word @param {number} used @param {number | null | undefined} limit
 */
export const usage = (word, used, limit) => h('li', { key: word },
  h('span.record-title', null, h('strong', null, word), h('span', null, limit === null || limit === undefined ? `${used}, no limit` : `${used} of ${limit}`)),
  !!limit && limit > 0 && h('meter', { min: 0, max: limit, high: limit * 0.9, value: Math.min(used, limit), 'aria-label': `${word}: ${used} of ${limit}` }));

/** @param {Console.Context} context @param {Shown} state */
function retention(context, state) {
  const own = state.retention;
  if (!own) return null;
  const mayChange = context.ability.can('retention.change', 'Portfolio', state.portfolio);
  const change = submit(context, state, 'retention', async (form) => {
    await put(state, 'retention', { days: form.get('days') ? Number(form.get('days')) : null, legalHold: form.get('legalHold') === 'on' });
    return 'Saved.';
  });
  return h('section.panel-card', { key: 'retention' },
    h('h2', null, 'Retention of the access log'), noteOf(state, 'retention'),
    h('p', null, own.days === null ? 'Records are kept for as long as the gateway’s configuration says.' : `Records are kept for ${counted(own.days, 'day')}.`, own.legalHold ? ' A legal hold keeps all of them.' : ''),
    mayChange ? h('form.after', { onsubmit: change, novalidate: true },
      field('Days (empty: as configured)', { id: 'days', name: 'days', type: 'number', min: 1, max: 36525, value: own.days ?? '' }),
      h('label.check', { for: 'legalHold' }, h('input', { id: 'legalHold', name: 'legalHold', type: 'checkbox', checked: own.legalHold }), 'Legal hold: remove nothing'),
      button('Save the retention', { id: 'save-retention', type: 'submit', kind: 'primary', busy: state.busy === 'retention', onclick: () => {} }))
      : h('p.hint.after', null, 'The owner of the portfolio can change it.'));
}

/** @param {Shown} state */
function admins({ admins: users, portfolio }) {
  return users && h('section.panel-card', { key: 'admins' },
    h('div.page-head', null, h('h2', null, 'Owners, admins and auditors'), h('a', { href: '#/people' }, 'People')),
    users.length === 0 ? h('p.hint', null, 'No one yet: invite an owner on the page People.')
      : h('ul.rows', null, users.map((user) => h('li', { key: user.id }, h('a.row', { href: `#/people/${encodeURIComponent(user.id)}` },
        h('span.record-text', null, h('strong', null, nameOf(user)), h('span.record-sub', null, (user.roleAssociations || [])
          .filter((one) => one.associatedEntityId === portfolio.id).map((one) => roleOf(one.roleWithinEntity)).join(', '))))))));
}

/** @param {Console.Context} context @param {Shown} state */
function report(context, state) {
  if (!context.ability.can('accessLog.complianceReport', 'Portfolio', state.portfolio)) return null;
  const today = new Date().toISOString().slice(0, 10);
  const read = submit(context, state, 'report', async (form) => {
    const [from, until] = [new Date(`${form.get('from')}T00:00`), new Date(`${form.get('until')}T00:00`)];
    if (Number.isNaN(from.getTime()) || Number.isNaN(until.getTime())) throw new Error('A day is missing.');
    const query = new URLSearchParams({ portfolioId: state.id, from: from.toISOString(), until: until.toISOString() });
    await save(`/reports/compliance?${query}`, 'doorward-compliance-report.html', 'The report was refused.');
    return 'The report is saved. It is recorded in the log.';
  });
  return h('section.panel-card', { key: 'report' }, h('h2', null, 'Compliance report'), noteOf(state, 'report'),
    h('p.hint', null, 'Who had access, who used it, what was denied: one HTML file. It needs the module, or the compliance pack of the person.'),
    h('form', { onsubmit: read, novalidate: true },
      h('div.form-row', null, field('From', { id: 'report-from', name: 'from', type: 'date', value: `${today.slice(0, 8)}01` }), field('Until (not included)', { id: 'report-until', name: 'until', type: 'date', value: today })),
      button('Save the report', { id: 'save-report', type: 'submit', busy: state.busy === 'report', onclick: () => {} })));
}

/**
 * The name, changed in a dialog, and the deletion.
 *
 * @param {Console.Context} context @param {Shown} state
 */
function ownButtons(context, state) {
  const { portfolio } = state;
  const { ability } = context;
  const path = `/portfolios/${encodeURIComponent(portfolio.id)}`;
  const open = async () => {
    try {
      state.edit = await beginEdit({
        path, titles: { name: 'Name' }, read: (answer) => ({ name: answer.portfolio.name }), body: ({ name }) => ({ name: name.trim() }),
      });
    } catch (error) {
      context.note(sentenceOf(error), 'bad');
    }
    context.redraw();
  };
  return h('div.buttons', null,
    ability.can('portfolio.rename', 'Portfolio', portfolio) && button('Rename', { id: 'rename', onclick: open }),
    ability.can('portfolio.delete', 'Portfolio', portfolio) && button('Delete', {
      id: 'delete', kind: 'danger', onclick: () => askRemoval(context, state, {
        title: `Delete ${portfolio.name}`, path, query: { cascade: true }, verb: 'Delete', typed: portfolio.name,
        text: 'The portfolio is deleted with its properties and units. Its doors belong to no property then. Its log stays; super admins can export it.',
        done: () => context.goWith('#/portfolios', `${portfolio.name} is deleted.`),
      }),
    }));
}

/** @param {Console.Context} context @param {Shown} state */
function renameDialog(context, state) {
  const edit = /** @type {import('./edits.js').Edit} */ (state.edit);
  const close = () => { state.edit = null; context.redraw(); };
  const save = async () => {
    if (!await saveEdit(context, edit)) return;
    close();
    page.refresh(context, state);
  };
  return editDialog(context, edit, { title: 'Rename', close, save },
    field('Name of the portfolio', { id: 'portfolio-name', required: true, ...typedIn(edit, 'name') }));
}

/**
 * A dialog that creates a portfolio, or a property in it.
 *
 * @param {Console.Context} context @param {State} state
 */
function createDialog(context, state) {
  const close = () => { Object.assign(state, { asks: null, adds: null }); delete state.notes.create; context.redraw(); };
  const done = (/** @type {string} */ name) => { context.note(`${name} is created.`); page.refresh(context, state); };
  if (state.asks === 'property') {
    state.adds ||= newProperty(state.id || '', ({ name }) => done(name), close);
    return dialog({ title: 'Add a property', onclose: close }, newPropertyForm(context, state.adds));
  }
  const create = async (/** @type {Console.Submit} */ event) => {
    event.preventDefault();
    if (state.busy) return;
    const name = String(new FormData(event.target).get('name'));
    Object.assign(state, { busy: 'create', notes: {} });
    context.redraw();
    try {
      await call('POST', '/portfolios', { body: { name } });
      state.asks = null;
      done(name);
    } catch (error) {
      state.notes.create = { tone: 'bad', text: sentenceOf(error, names) };
      context.announce(state.notes.create.text);
    }
    state.busy = null;
    context.redraw();
  };
  return dialog({ title: 'Create a portfolio', onclose: close }, h('form', { onsubmit: create },
    noteOf(state, 'create'),
    field('Name', { id: 'new-name', name: 'name', required: true, maxlength: 200, autocomplete: 'off' }),
    h('div.buttons.dialog-buttons', null, button('Create', { id: 'confirm', type: 'submit', kind: 'primary', busy: state.busy === 'create', onclick: () => {} }), button('Cancel', { id: 'cancel', onclick: close }))));
}
