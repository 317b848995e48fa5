// The hours of a guest access in a form: several periods of a day, and special days with hours of their own or none.
// @ts-check
import { days } from './guest-times.js';
import { button, field } from './parts.js';
import { h } from './view.js';

/**
 * @typedef {import('./guest-times.js').Schedule} Schedule
 * @typedef {{key: number, days: Set<string>, from: string, until: string}} Period
 * @typedef {{key: number, date: string, periods: Period[]}} SpecialDay
 * @typedef {{isOn: boolean, periods: Period[], specialDays: SpecialDay[],
 *   rest: Pick<Schedule, 'timeZone' | 'specialDayCut'> | null}} Hours
 *   `rest` is what the form does not change
 */

let keys = 0;

/** @param {string} from @param {string} until @param {string[]} [of] @returns {Period} */
const period = (from, until, of = []) => ({
  key: ++keys, days: new Set(of), from, until: until === '24:00' ? '00:00' : until,
});

/**
 * The hours of an access as the form has them; office hours, switched off, if it has none.
 *
 * @param {Schedule | null} schedule @returns {Hours}
 */
export function hoursOf(schedule) {
  if (!schedule) {
    const office = period('09:00', '17:00', ['MON', 'TUE', 'WED', 'THU', 'FRI']);
    return { isOn: false, periods: [office], specialDays: [], rest: null };
  }
  return {
    isOn: true, periods: schedule.periods.map((one) => period(one.from, one.until, one.days)),
    specialDays: (schedule.specialDays || []).map(({ date, periods }) => ({
      key: ++keys, date, periods: periods.map((one) => period(one.from, one.until)),
    })),
    rest: { timeZone: schedule.timeZone, specialDayCut: schedule.specialDayCut },
  };
}

/**
 * The hours as the API takes them. A field of a time cannot show 24:00, which is the same as 00:00 of the next day.
 *
 * @param {Hours} hours @returns {Schedule | null}
 */
export function scheduleOf(hours) {
  if (!hours.isOn) return null;
  const chosen = (/** @type {Period} */ one) => days.map(([id]) => id).filter((id) => one.days.has(id));
  const time = (/** @type {Period} */ { from, until }) => ({ from, until: until === '00:00' ? '24:00' : until });
  return /** @type {Schedule} */ ({
    ...(hours.rest?.timeZone ? { timeZone: hours.rest.timeZone } : {}),
    periods: hours.periods.map((one) => ({ days: chosen(one), ...time(one) })),
    specialDays: hours.specialDays.map(({ date, periods }) => ({ date, periods: periods.map(time) })),
    specialDayCut: hours.rest?.specialDayCut ?? 'instant',
  });
}

/**
 * What is missing in the hours, as a sentence.
 *
 * @param {Hours} hours
 */
export function missingInHours({ isOn, periods, specialDays }) {
  if (!isOn) return null;
  const all = [...periods, ...specialDays.flatMap((one) => one.periods)];
  return periods.length + specialDays.length === 0 ? 'Add hours, or let the guest in at all hours.'
    : periods.some((one) => one.days.size === 0) ? 'Choose at least one day.'
      : all.some((one) => !one.from || !one.until) ? 'The start or the end of some hours is missing.'
        : specialDays.some((one) => !one.date) ? 'The date of a special day is missing.' : null;
}

/**
 * The switch of the hours, and their fields.
 *
 * @param {Console.Context} context @param {Hours} hours
 */
export function hoursFields(context, hours) {
  const change = (/** @type {() => void} */ work) => () => { work(); context.redraw(); };
  return [
    h('label.check', { key: 'has-hours', for: 'has-hours' },
      h('input', {
        id: 'has-hours', type: 'checkbox', checked: hours.isOn, onchange: change(() => { hours.isOn = !hours.isOn; }),
      }),
      h('span', null, 'Only at certain hours')),
    hours.isOn && h('fieldset', { key: 'hours' }, h('legend', null, 'Days and hours'),
      hours.periods.map((one, index) => h(
        'div.hours', { key: one.key, role: 'group', 'aria-label': `Hours ${index + 1}` },
        h('div.days', null, days.map(([id, title]) => h('label.check', { key: id, for: `day-${one.key}-${id}` },
          h('input', {
            id: `day-${one.key}-${id}`, type: 'checkbox', checked: one.days.has(id),
            onchange: change(() => { if (!one.days.delete(id)) one.days.add(id); }),
          }), h('span', null, title)))),
        times(context, one, `Remove hours ${index + 1}`,
          change(() => { hours.periods = hours.periods.filter((other) => other !== one); })))),
      hours.specialDays.map((day, index) => specialDay(context, hours, day, index + 1)),
      h('div.buttons', null,
        button('Add hours', { id: 'add-hours', onclick: change(() => hours.periods.push(period('09:00', '17:00'))) }),
        button('Add a special day', {
          id: 'add-day', onclick: change(() => hours.specialDays.push({ key: ++keys, date: '', periods: [] })),
        })),
      h('p.hint.after', null,
        'Hours that end before they begin end on the next day. On a special day only its own hours count.')),
  ];
}

/** @param {Console.Context} context @param {Period} one @param {string} name @param {() => void} remove */
const times = (context, one, name, remove) => h(
  'div.hours-row', { key: one.key },
  field('From', {
    id: `hours-from-${one.key}`, type: 'time', value: one.from,
    oninput: (event) => { one.from = event.target.value; context.redraw(); },
  }),
  field('Until', {
    id: `hours-until-${one.key}`, type: 'time', value: one.until,
    oninput: (event) => { one.until = event.target.value; context.redraw(); },
  }),
  button('Remove', { id: `hours-remove-${one.key}`, name, onclick: remove }));

/** @param {Console.Context} context @param {Hours} hours @param {SpecialDay} day @param {number} number */
function specialDay(context, hours, day, number) {
  const change = (/** @type {() => void} */ work) => () => { work(); context.redraw(); };
  return h(
    'div.hours', { key: day.key, role: 'group', 'aria-label': `Special day ${number}` },
    h('div.hours-row', null,
      field('Special day', {
        id: `date-${day.key}`, type: 'date', value: day.date,
        oninput: (event) => { day.date = event.target.value; context.redraw(); },
      }),
      button('Remove', {
        id: `day-remove-${day.key}`, name: `Remove special day ${number}`,
        onclick: change(() => { hours.specialDays = hours.specialDays.filter((other) => other !== day); }),
      })),
    day.periods.length === 0 && h('p.hint', { key: 'closed' }, 'Closed all day.'),
    day.periods.map((one, index) => times(context, one, `Remove hours ${index + 1} of special day ${number}`,
      change(() => { day.periods = day.periods.filter((other) => other !== one); }))),
    button('Add hours on this day', {
      id: `day-add-${day.key}`, onclick: change(() => day.periods.push(period('09:00', '17:00'))),
    }));
}
