// The link of a guest, at the only moment when it is known: shown, copied, shared, mailed, printed.
// @ts-check
import { hoursText, resolved, titleOf, verbsOf } from './guest-times.js';
import { button, completeAddress, notice } from './parts.js';
import { mailAddress, shareButtons } from './share.js';
import { h, isSafeAddress } from './view.js';

/**
 * @typedef {Console.GuestLink & {isCopied?: boolean, problem?: string}} Link
 * @typedef {{access: API.GuestAccess, doors: string[], place: API.Property | null, zone: string | null | undefined,
 *   link: Link}} Shared
 */

/**
 * The text for the guest: the place, the times in words, and the link.
 *
 * @param {Shared} shared
 */
export function messageOf({ access, doors, place, zone, link }) {
  const hours = hoursText(access.schedule);
  const verbs = verbsOf(access.operations).join(', ').replace(/, ([^,]*)$/, ' and $1');
  return [
    `Hello${access.label ? ` ${access.label}` : ''},`, '',
    `you can ${verbs} ${doors.join(', ')}${place ? ` at ${place.name}` : ''}.`,
    `From: ${resolved(access.validFrom, zone)}`, `Until: ${resolved(access.validUntil, zone)}`,
    ...(hours.length ? [`Hours: ${hours.join('; ')}`] : []), '',
    'Open this link on your phone at the door:', completeAddress(link.url), '',
    'Do not pass it on: whoever has it can open the doors.',
  ].join('\n');
}

/**
 * The address of a mail with the text.
 *
 * @param {Shared} shared
 */
export function mailOf(shared) {
  const { access, doors, place } = shared;
  const subject = `Your access to ${place?.name || doors.join(', ')}`;
  return mailAddress(access.guest?.email || '', subject, messageOf(shared));
}

/** @param {Console.Context} context @param {Shared} shared */
export function linkView(context, shared) {
  const { link } = shared;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link.url);
      context.announce('The link is copied');
      link.isCopied = true;
    } catch {
      /** @type {HTMLInputElement | null} */ (document.getElementById('link'))?.select();
    }
    context.redraw();
  };
  return h(
    'section.link-view', { 'aria-label': 'The link' },
    h('p', null, 'Send this link to the guest, or let them scan the code. It is shown only now.'),
    link.warning && notice('warn', link.warning),
    link.problem && notice('bad', link.problem),
    link.qr && h('img.qr', { src: pictureOf(link.qr), alt: 'QR code of the guest link', width: 200, height: 200 }),
    h('div.copy', null, h('input', { id: 'link', readonly: true, value: link.url, 'aria-label': 'Guest link' }),
      button(link.isCopied ? 'Copied' : 'Copy', {
        id: 'copy', icon: link.isCopied ? 'tick' : undefined, onclick: copy,
      })),
    shareButtons(context, link, {
      title: `Access for ${titleOf(shared.access)}`, text: () => messageOf(shared), mail: mailOf(shared),
    }),
    isSafeAddress(link.url) && h('p.small', null,
      h('a', { href: link.url, target: '_blank', rel: 'noopener noreferrer' }, 'See the page of the guest'),
      ' (in a new tab)'));
}

/** @param {string} qr */
const pictureOf = (qr) => `data:image/svg+xml,${encodeURIComponent(qr)}`;

/**
 * The sheet that is printed in the place of the page.
 *
 * @param {Shared} shared
 */
export function sheet({ access, doors, place, zone, link }) {
  const { street, postalCode, city } = place?.address || {};
  const hours = hoursText(access.schedule);
  /** @type {[string, Console.Child][]} */
  const rows = [
    ['Place', place && [place.name, street, [postalCode, city].filter(Boolean).join(' ')].filter(Boolean).join(', ')],
    ['Doors', doors.join(', ')], ['You may', verbsOf(access.operations).join(', ')],
    ['From', resolved(access.validFrom, zone)], ['Until', resolved(access.validUntil, zone)],
    ['Hours', hours.length ? h('ul', null, hours.map((line) => h('li', { key: line }, line))) : null],
    ['Uses', access.maxUses === null ? null : String(access.maxUses)],
  ];
  return h(
    'section.sheet', { key: 'sheet' },
    h('p.sheet-title', null, `Access for ${titleOf(access)}`),
    h('dl', null, rows.filter(([, value]) => value).map(([term, value]) =>
      h('div', { key: term }, h('dt', null, term), h('dd', null, value)))),
    link.qr && h('img.sheet-code', { src: pictureOf(link.qr), alt: '', width: 240, height: 240 }),
    h('p', null, 'Scan the code with your phone at the door, or open this link:'),
    h('p.sheet-link', null, completeAddress(link.url)),
    h('p', null, 'Do not pass it on: whoever has it can open the doors.'));
}
