// Access check: who can open a door, and whether a person can, at any time from now on. Nothing is done and nothing is recorded.
// @ts-check
import { call, queryText } from './api.js';
import { entriesView } from './door.js';
import {
  button, copyButton, denialFacts, failure, field, icon, keepsAfter, notice, ruleText, select, time, whenLoaded,
} from './parts.js';
import { DoorPicker, PersonPicker, pickerSelect } from './picker.js';
import { h } from './view.js';
import { exactTime, nameOf, operationOf, operations, reasonOf, sentenceOf } from './words.js';

/**
 * @typedef {Console.State & Console.Copies & {question: Question, answer: Answer | null, who: Who | null,
 *   asking: object | null, picker: DoorPicker, people: PersonPicker,
 *   linked: {door: string | null, person: string | null} | null}} State
 *   `asking` is another object for each question; `linked` is what the address names, until it has been read
 * @typedef {{operation: string, at: string}} Question
 * @typedef {{decision?: API.Decision, error?: Console.Caught}} Answer
 * @typedef {Console.Resource & {data: import('./door.js').Entries | null}} Who
 */

const asked = ['UNLOCK', 'LOCK', 'UNLATCH', 'VIEW_STATUS', 'CHANGE_SETTINGS', 'VIEW_ACCESS_HISTORY', 'GRANT_ACCESS'];

/** @type {Console.Page<State>} */
const page = {
  start(context, path, query) {
    const operation = query.get('operation') || '';
    /** @type {State} */
    const state = {
      status: 'loading', error: null, isEnded: false, readAt: '', answer: null, who: null, asking: null,
      question: { operation: asked.includes(operation) ? operation : 'UNLOCK', at: query.get('at') || '' },
      linked: { door: query.get('door'), person: query.get('person') },
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
      const isAsked = await chooseLinked(context, state, !!mayList);
      if (state.isEnded) return;
      state.status = 'loaded';
      if (isAsked) ask(context, state);
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
        : [form(context, state), answerView(context, state), whoView(context, state)])));
  },
};
export default page;

/**
 * Chooses the door and the person that the address names; what is out of reach is left out.
 *
 * @param {Console.Context} context @param {State} state
 * @param {boolean} mayList whether the person may ask about others
 * @returns {Promise<boolean>} whether the question is complete, so that it is asked at once
 */
async function chooseLinked(context, state, mayList) {
  const { linked, picker, people } = state;
  state.linked = null;
  if (!linked) return false;
  const { door, person } = linked;
  const read = async (/** @type {string} */ path) => call('GET', path, { isQuiet: true }).catch(() => null);
  if (door && !picker.choose(door)) {
    const data = await read(`/devices/${encodeURIComponent(door)}`);
    if (data) picker.chosen.set(door, data.device);
  }
  if (person && mayList && !people.choose(person)) {
    const data = await read(`/users/${encodeURIComponent(person)}`);
    if (data) people.chosen.set(person, data.user);
  }
  if (!door || !picker.chosen.has(door)) return false;
  return !person || (people.chosen.has(person) && !!mayAskOthers(context, state));
}

/** @param {State} state */
function remember({ question: { operation, at }, picker, people }) {
  const [door] = picker.chosen.keys();
  const [person] = people.chosen.keys();
  const query = queryText({ door, person, operation: operation === 'UNLOCK' ? '' : operation, at });
  history.replaceState(null, '', `#/check${query}`);
}

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
  const change = (/** @type {Partial<Question>} */ values) => {
    Object.assign(question, values);
    Object.assign(state, { answer: null, who: null, asking: null, copied: null });
    remember(state);
    context.redraw();
  };
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

const verbs = {
  VIEW_STATUS: 'see the state of', CHANGE_SETTINGS: 'change settings of', VIEW_ACCESS_HISTORY: 'see the history of',
  GRANT_ACCESS: 'let guests in at',
};

/**
 * An answer as a sentence that can be passed on.
 *
 * @param {API.Decision} decision @param {string} subject who it is about
 * @param {{name: string, propertyName?: string | null}} door
 */
export function answerText(decision, subject, door) {
  const { allowed, operation, reason, rule, opensAt, closesAt, at } = decision;
  const verb = verbs[/** @type {keyof verbs} */ (operation)] || operationOf(operation).verb.toLowerCase();
  const place = door.propertyName ? `${door.name} (${door.propertyName})` : door.name;
  const main = `${subject} ${allowed ? 'can' : 'cannot'} ${verb} ${place}${at ? ` at ${exactTime(at)}` : ''}.`;
  const why = allowed ? [rule && `${ruleText(rule)}, ${closesAt ? `until ${exactTime(closesAt)}` : 'without an end'}.`]
    : [reasonOf(reason || 'forbidden'), opensAt && `It opens at ${exactTime(opensAt)}.`];
  return [main, ...why].filter(Boolean).join(' ');
}

/** @param {Console.Context} context @param {State} state */
function answerView(context, state) {
  if (!state.answer) return null;
  const { decision, error } = state.answer;
  if (!decision) return h('div', { key: 'answer' }, notice('bad', sentenceOf(error, { at: 'The time' })));
  const [person] = mayAskOthers(context, state) ? state.people.chosen.values() : [];
  const sentence = answerText(decision, nameOf(person || context.user), /** @type {API.Device} */ (doorOf(state)));
  /** @type {[string, Console.Child][]} */
  const facts = [
    ['Rule', decision.rule ? ruleText(decision.rule) : ''],
    ['Ends', decision.closesAt ? time(decision.closesAt) : 'No end'],
  ];
  return h(
    'section.panel-card.answer', { key: 'answer', class: decision.allowed ? 'ok' : 'bad' },
    h('p.answer-word', { class: decision.allowed ? 'ok' : 'bad' }, icon(decision.allowed ? 'tick' : 'close'), decision.allowed ? 'Yes' : 'No'),
    decision.allowed
      ? h('div.denial', null, h('p.strong', null, 'It is allowed.'),
        h('dl', null, facts.map(([term, value]) => h('div', { key: term }, h('dt', null, term), h('dd', null, value)))))
      : denialFacts(decision),
    decision.assumes && h('p.hint', null, 'By the current rules: they can change until then.'),
    h('p.after', { id: 'answer-sentence' }, sentence),
    copyButton(context, state, { id: 'copy-answer', label: 'Copy the answer', text: () => sentence }));
}

/** @param {Console.Context} context @param {State} state */
function whoView(context, state) {
  if (!state.who) return null;
  if (state.who.status === 'failed') return h('div', { key: 'who' }, state.who.error?.status === 400 ? notice('bad', sentenceOf(state.who.error, { at: 'The time' })) : failure(state.who.error, () => askWho(context, state, 1)));
  return h('section.panel-card', { key: 'who' }, h('h2', null, `${operations[/** @type {'LOCK'} */ (state.question.operation)].verb}: ${doorOf(state)?.name || ''}`),
    whenLoaded(state.who, () => askWho(context, state, 1), () => entriesView(/** @type {import('./door.js').Entries} */ (state.who?.data), state.question.at, (number) => askWho(context, state, number))));
}
