// A link at the only moment when it is known: passed on by the system, by mail, or on paper.
// @ts-check
import { button } from './parts.js';
import { h } from './view.js';
import { sentenceOf } from './words.js';

/** @typedef {{problem?: string}} Holder what keeps why it could not be shared */

/**
 * The address of a mail.
 *
 * @param {string} to @param {string} subject @param {string} text
 */
export function mailAddress(to, subject, text) {
  const body = encodeURIComponent(text.replace(/\n/g, '\r\n'));
  return `mailto:${encodeURIComponent(to)}?subject=${encodeURIComponent(subject)}&body=${body}`;
}

/**
 * The buttons that pass a text on. The page has a sheet that is printed.
 *
 * @param {Console.Context} context @param {Holder} holder
 * @param {{title: string, text: () => string, mail: string}} options
 */
export function shareButtons(context, holder, { title, text, mail }) {
  const share = async () => {
    try {
      await navigator.share({ title, text: text() });
      context.announce('The link is shared');
    } catch (error) {
      // Closing the sheet is no failure.
      if (error.name !== 'AbortError') holder.problem = `The device could not share it. ${sentenceOf(error)}`;
    }
    context.redraw();
  };
  return h('div.buttons', null,
    typeof navigator.share === 'function' && button('Share', { id: 'share', onclick: share }),
    h('a.button', { key: 'mail', id: 'mail', href: mail }, 'Mail'),
    button('Print', { id: 'print', onclick: () => print() }));
}
