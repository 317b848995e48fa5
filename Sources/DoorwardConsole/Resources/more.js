// More: on a phone, the pages that the bar has no room for.
// @ts-check
import { isOpen, places } from './ability.js';
import { inPhoneBar, leaveSession } from './app.js';
import { button, icon } from './parts.js';
import { h } from './view.js';

/**
 * The pages that are in the navigation.
 *
 * @param {Console.Ability} ability
 */
export const listed = (ability) => places.filter((place) => place.inBar && isOpen(place, ability));

/** @type {Console.Form<{}>} */
export default {
  start: () => ({}),
  view: (context) => h(
    'div', { key: 'more' }, h('h1', { tabindex: '-1' }, 'More'),
    h('ul.rows.section', null, [...listed(context.ability).slice(inPhoneBar), ...places.filter(({ id }) => id === 'account')].map((place) => h(
      'li', { key: place.id }, h('a.row', { href: place.path }, h('span.dot-icon', null, icon(place.icon)),
        h('span.record-text', null, h('strong', null, place.title), h('span.record-sub', null, place.meaning[0].toUpperCase() + place.meaning.slice(1))))))),
    h('div.section', null, button('Sign out', { id: 'sign-out', onclick: leaveSession }))),
};
