// Access check: who can open a door, and whether a person can, at any time from now on. Nothing is done and nothing is recorded.
// @ts-check
import { call } from './api.js';
import { entriesView } from './door.js';
import { button, denialFacts, failure, field, icon, keepsAfter, notice, ruleText, select, time, whenLoaded } from './parts.js';
import { DoorPicker, PersonPicker, pickerSelect } from './picker.js';
import { h } from './view.js';
import { operations, sentenceOf } from './words.js';

/**
 * @typedef {Console.State & {question: Question, answer: Answer | null, who: Who | null, asking: object | null, picker: DoorPicker, people: PersonPicker}} State
 *   `asking` is another object for each question
 * @typedef {{operation: string, at: string}} Question
 * @typedef {{decision?: API.Decision, error?: Console.Caught}} Answer
 * @typedef {Console.Resource & {data: import('./door.js').Entries | null}} Who
 */

const asked = ['UNLOCK', 'LOCK', 'UNLATCH', 'VIEW_STATUS', 'CHANGE_SETTINGS', 'VIEW_ACCESS_HISTORY', 'GRANT_ACCESS'];

/** @type {Console.Page<State>} */
const page = {
  start(context) {
    /** @type {State} */
    const state = {
      status: 'loading', error: null, isEnded: false, readAt: '', question: { operation: 'UNLOCK', at: '' }, answer: null, who: null, asking: null,
      picker: new DoorPicker(context), people: new PersonPicker(context, { accepts: ({ id }) => id !== context.user.id }),
    };
    page.refresh(context, state);
    return state;
  },
  end(state) { state.isEnded = true; state.picker.end(); state.people.end(); },

  async refresh(context, state) {
    try {
      const mayList = ['Portfolio', 'Property', 'Unit'].some((type) => context.ability.can('people.list', type)) || context.user.isSuperAdmin;
      const { picker, people } = state;
      await Promise.all([picker.read(), mayList && people.read()]);
      if (state.isEnded) return;
      for (const one of mayList ? [picker, people] : [picker]) if (one.error) throw one.error;
      state.status = 'loaded';
      if (!doorOf(state) && picker.items.length > 0) picker.choose(picker.items[0].id);
    } catch (error) {
      if (state.isEnded) return;
      if (keepsAfter(context, state, error)) context.note(sentenceOf(error), 'bad');
    }
    context.redraw();
  },

  view(context, state) {
    return h(
      'div', { key: 'check' },
      h('div.page-head', null, h('div', null, h('h1', { tabindex: '-1' }, 'Access check'), h('p.subtitle', null, 'A question only: nothing is done, and nothing is recorded.'))),
      whenLoaded(state, () => { state.status = 'loading'; context.redraw(); page.refresh(context, state); }, () => (!doorOf(state)
        ? h('div.empty', null, icon('check'), h('h2', null, 'No doors to ask about'), h('p', null, 'No door has been shared with you.'))
        : [form(context, state), answerView(state), whoView(context, state)])));
  },
};
export default page;

/**
 * The door that the question is about.
 *
 * @param {Pick<State, 'picker'>} state @returns {API.Device | null} null if the person sees no door
 */
const doorOf = (state) => [...state.picker.chosen.values()][0] || null;

/**
 * Whether the question can be about another person.
 *
 * @param {Console.Context} context @param {State} state
 */
const mayAskOthers = (context, { picker, people }) => {
  const door = doorOf({ picker });
  return door && context.ability.can('GRANT_ACCESS', 'LockDevice', door) && (people.shown().length > 0 || people.q !== '');
};

/** @param {Console.Context} context @param {State} state */
function form(context, state) {
  const { question } = state;
  const door = doorOf(state);
  const change = (/** @type {Partial<Question>} */ values) => { Object.assign(question, values); Object.assign(state, { answer: null, who: null, asking: null }); context.redraw(); };
  const maySeeHistory = door && context.ability.can('VIEW_ACCESS_HISTORY', 'LockDevice', door);
  const isOfOthers = mayAskOthers(context, state);
  return h(
    'form.card-form', { key: 'form', onsubmit: (event) => { event.preventDefault(); ask(context, state); } },
    h('div.form-row', null,
      pickerSelect(state.picker, { id: 'check-door', isLong: true, onchange: () => change({}) }),
      select('May', { id: 'check-operation', value: question.operation, onchange: (operation) => change({ operation }) },
        asked.map((one) => [one, operations[/** @type {'LOCK'} */ (one)].verb])),
      isOfOthers && pickerSelect(state.people, { id: 'check-person', none: 'Myself', onchange: () => change({}) }),
      field('At (empty: now)', { id: 'check-at', type: 'datetime-local', value: question.at, onchange: (event) => change({ at: event.target.value }) })),
    h('div.buttons', null,
      button(isOfOthers ? 'Can this person?' : 'Can I?', { id: 'ask', type: 'submit', kind: 'primary', busy: !!state.asking, onclick: () => {} }),
      maySeeHistory && button('Who can?', { id: 'ask-who', onclick: () => askWho(context, state, 1) })));
}

/** @param {Question} question */
const instantOf = (question) => (question.at ? new Date(question.at).toISOString() : null);

/** @param {Console.Context} context @param {State} state */
async function ask(context, state) {
  const door = doorOf(state);
  if (state.asking || !door) return;
  // If the question is changed, stop waiting: its answer would be shown beside a different question.
  const own = {};
  const { operation } = state.question;
  const [userId] = mayAskOthers(context, state) ? state.people.chosen.keys() : [];
  Object.assign(state, { asking: own, answer: null, who: null });
  context.redraw();
  /** @type {Answer} */
  let answer;
  try {
    answer = await call('POST', '/authorize', { body: { deviceId: door.id, operation, ...(userId ? { userId } : {}), at: instantOf(state.question) } });
  } catch (error) {
    answer = { error };
  }
  if (state.asking !== own || state.isEnded) return;
  Object.assign(state, { asking: null, answer });
  if (answer.decision) context.announce(answer.decision.allowed ? 'Yes' : 'No');
  context.redraw();
}

/** @param {Console.Context} context @param {State} state @param {number} number */
async function askWho(context, state, number) {
  const door = doorOf(state);
  if (!door) return;
  /** @type {Who} */
  const own = { status: 'loading', error: null, data: null };
  Object.assign(state, { who: own, answer: null });
  context.redraw();
  const { operation } = state.question;
  try {
    own.data = await call('GET', `/devices/${encodeURIComponent(door.id)}/who-can`, { query: { operation, at: instantOf(state.question), page: number, limit: 50 } });
    own.status = 'loaded';
  } catch (error) {
    Object.assign(own, { status: 'failed', error });
  }
  context.redraw();
}

/** @param {State} state */
function answerView(state) {
  if (!state.answer) return null;
  const { decision, error } = state.answer;
  if (!decision) return h('div', { key: 'answer' }, notice('bad', sentenceOf(error, { at: 'The time' })));
  return h(
    'section.panel-card.answer', { key: 'answer', class: decision.allowed ? 'ok' : 'bad' },
    h('p.answer-word', { class: decision.allowed ? 'ok' : 'bad' }, icon(decision.allowed ? 'tick' : 'close'), decision.allowed ? 'Yes' : 'No'),
    decision.allowed
      ? h('div.denial', null, h('p.strong', null, 'It is allowed.'), h('dl', null,
        /** @type {[string, Console.Child][]} */ ([['Rule', decision.rule ? ruleText(decision.rule) : ''], ['Ends', decision.closesAt ? time(decision.closesAt) : 'No end']]).map(([term, value]) => h('div', { key: term }, h('dt', null, term), h('dd', null, value)))))
      : denialFacts(decision),
    decision.assumes && h('p.hint', null, 'By the current rules: they can change until then.'));
}

/** @param {Console.Context} context @param {State} state */
function whoView(context, state) {
  if (!state.who) return null;
  if (state.who.status === 'failed') return h('div', { key: 'who' }, state.who.error?.status === 400 ? notice('bad', sentenceOf(state.who.error, { at: 'The time' })) : failure(state.who.error, () => askWho(context, state, 1)));
  return h('section.panel-card', { key: 'who' }, h('h2', null, `${operations[/** @type {'LOCK'} */ (state.question.operation)].verb}: ${doorOf(state)?.name || ''}`),
    whenLoaded(state.who, () => askWho(context, state, 1), () => entriesView(/** @type {import('./door.js').Entries} */ (state.who?.data), state.question.at, (number) => askWho(context, state, number))));
}
