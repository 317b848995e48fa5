// Invitations: the dialog that invites, the link that is shown once, those that are pending, and sending one again.
// @ts-check
import { call } from './api.js';
import { isUnsure } from './guest-change.js';
import { button, completeAddress, copyable, dialog, field, icon, notice, select, time } from './parts.js';
import { askRemoval } from './removal.js';
import { entityPath, entityTypes, rolesToGive } from './scopes.js';
import { mailAddress, shareButtons } from './share.js';
import { h } from './view.js';
import { exactTime, roleOf, sentenceOf } from './words.js';

/**
 * @typedef {import('./scopes.js').Scopes} Scopes
 * @typedef {{scopes: Scopes, form: Form | null}} Inviting a page on which someone can be invited
 * @typedef {Console.Work & {
 *   type: string, entityId: string, role: string, email: string, issued: Issued | null, invited: () => void,
 *   isAgain?: boolean}} Form `isAgain` is whether an invitation is sent again, so that nothing is to be chosen
 * @typedef {Console.Secret & import('./share.js').Holder & {email: string, offer: string, expiresAt: string}} Issued
 *   the link of an invitation
 * @typedef {API.Invitation & {place?: Console.Place | null}} Pending
 */

export const names = {
  email: 'The email address', role: 'The role', firstName: 'The first name', lastName: 'The last name',
};
/** The time for which an invitation can be accepted. */
const lifetime = 7 * 86400000;
const maxInvitations = 50;

// Those that are pending.

/**
 * The pending invitations that the person may withdraw. Their ids and places are in the records of the last seven days,
 * for as long as an invitation can be accepted, and in the memory of this page for those who may not read the log. The
 * API's list of pending invitations does not name the places.
 *
 * @param {Console.Context} context
 */
export async function readInvitations(context) {
  const from = new Date(Date.now() - lifetime).toISOString();
  /** @type {API.AccessRecord[]} */
  let records = [];
  try {
    const query = { kind: 'ADMIN_CHANGE', from, limit: 500 };
    records = (await call('GET', '/access-records', { query, isQuiet: true })).accessRecords;
  } catch {
    // Those who may not read the log see the invitations that they have made on this page.
  }
  const invitations = records.filter((one) => one.targetType === 'Invitation' && one.targetId);
  const ended = new Set(invitations.filter(({ action }) => action === 'DELETE').map(({ targetId }) => targetId));
  const created = invitations.filter((one) => one.action === 'CREATE');
  const known = new Map([
    ...made(context), ...created.map((one) => /** @type {const} */ ([one.targetId || '', placeOf(one)]))]);
  const ids = [...known.keys()].filter((id) => !ended.has(id)).slice(0, maxInvitations);
  const found = await Promise.all(ids.map(async (id) => {
    try {
      const { invitation } = await call('GET', `/invitations/${encodeURIComponent(id)}`, { isQuiet: true });
      return { ...invitation, place: known.get(id) };
    } catch {
      return null;
    }
  }));
  return found.flatMap((one) => one || []);
}

/**
 * The invitations made on this page, until the sign-out.
 *
 * @param {Console.Context} context @returns {Map<string, Console.Place | null>}
 */
export function made(context) {
  if (!context.memory.has('invitations')) context.memory.set('invitations', new Map());
  return /** @type {Map<string, Console.Place | null>} */ (context.memory.get('invitations'));
}

/** @param {API.AccessRecord} record */
const placeOf = ({ portfolioId, propertyId, unitId }) =>
  unitId ? { type: 'UNIT', id: unitId } : propertyId ? { type: 'PROPERTY', id: propertyId }
    : portfolioId ? { type: 'PORTFOLIO', id: portfolioId } : null;

/**
 * @param {Console.Context} context
 * @param {Inviting & import('./removal.js').State & {invitations: Pending[]}} state @param {() => void} changed
 */
export function pending(context, state, changed) {
  if (state.invitations.length === 0) return null;
  return h('section.section', { key: 'invitations' }, h('h2.section-title', null, 'Pending invitations'),
    h('ul.rows', null, state.invitations.map((one) => pendingRow(context, state, one, changed))));
}

/**
 * @param {Console.Context} context
 * @param {Inviting & import('./removal.js').State} state @param {Pending} one @param {() => void} changed
 */
function pendingRow(context, state, one, changed) {
  const { place, role, email } = one;
  const { scopes } = state;
  const offer = [role ? roleOf(role) : 'First password', place && scopes.nameOf(place.type, place.id)];
  const mayInvite = role && place
    && rolesToGive(context.ability, place.type, scopes.find(place.type, place.id)).includes(role);
  const again = () => {
    if (!role || !place) return;
    state.form = {
      type: place.type, entityId: place.id, role, email, isBusy: false, error: null, issued: null, invited: changed,
      isAgain: true,
    };
    context.redraw();
  };
  return h('li.row.wraps', { key: one.id },
    h('span.dot-icon', null, icon('guests')),
    h('span.record-text', null, h('strong', null, email),
      h('span.record-sub', null, offer.filter(Boolean).join(', '), ' · until ', time(one.expiresAt))),
    h('div.buttons', null,
      mayInvite && button('Send again', {
        id: `again-${one.id}`, name: `Send the invitation of ${email} again`, onclick: again,
      }),
      button('Withdraw', {
        id: `withdraw-${one.id}`, kind: 'danger', name: `Withdraw the invitation of ${email}`,
        onclick: () => askRemoval(context, state, {
          title: 'Withdraw the invitation', path: `/invitations/${encodeURIComponent(one.id)}`, verb: 'Withdraw',
          text: `The link that ${email} has received stops working.`,
          done: () => { context.note('The invitation is withdrawn.'); changed(); },
        }),
      })));
}

// The dialog.

/**
 * The types of entities on which the person may give a role.
 *
 * @param {Console.Context} context @param {Scopes} scopes
 */
export const choices = (context, scopes) =>
  Object.keys(entityTypes).filter((type) => scopes.open(context.ability, type).length > 0);

/**
 * Opens the dialog, perhaps for one entity.
 *
 * @param {Console.Context} context @param {Inviting} state
 * @param {() => void} invited is called when someone has been invited @param {Console.Place} [place]
 */
export function openInvitation(context, state, invited, place) {
  const types = choices(context, state.scopes);
  const type = place?.type || types[types.length - 1];
  state.form = {
    type, entityId: place?.id || state.scopes.open(context.ability, type)[0]?.id || '', role: '', email: '',
    isBusy: false, error: null, issued: null, invited,
  };
  keepRole(context, state);
  context.redraw();
}

/**
 * Keeps the selected role among those that the person may give on the selected entity.
 *
 * @param {Console.Context} context @param {Inviting} state
 */
function keepRole(context, state) {
  const form = /** @type {Form} */ (state.form);
  const roles = rolesToGive(context.ability, form.type, state.scopes.find(form.type, form.entityId));
  if (!roles.includes(form.role)) form.role = roles[roles.length - 1] || '';
}

/** @param {Console.Context} context @param {Inviting} state */
export function invitationDialog(context, state) {
  const form = /** @type {Form} */ (state.form);
  const close = () => { state.form = null; context.redraw(); };
  if (form.issued) return issuedDialog(context, form.issued, close);
  const label = form.isAgain ? ['Make a new link', 'Making a link'] : ['Invite', 'Inviting'];
  return dialog({ title: form.isAgain ? 'Send the invitation again' : 'Invite', onclose: close }, h(
    'form', { novalidate: true, onsubmit: (event) => { event.preventDefault(); invite(context, state); } },
    form.error && notice('bad', form.error.text || sentenceOf(form.error, names)),
    form.isAgain ? againText(state, form) : fields(context, state, form),
    h('div.buttons.dialog-buttons', null,
      button(label[form.isBusy ? 1 : 0], {
        id: 'confirm', type: 'submit', kind: 'primary', busy: form.isBusy, onclick: () => {},
      }),
      button('Cancel', { id: 'cancel', onclick: close }))));
}

/** @param {Inviting} state @param {Form} form */
const againText = (state, form) => [
  h('p', null, h('strong', null, form.email), `: ${offerOf(state, form)}.`),
  h('p', null, 'The link that this person has received stops working. You get a new one to send, for the same role.')];

/** @param {Inviting} state @param {Form} form */
const offerOf = (state, form) => `${roleOf(form.role)}, ${state.scopes.nameOf(form.type, form.entityId)}`;

/** @param {Console.Context} context @param {Inviting} state @param {Form} form */
function fields(context, state, form) {
  const { scopes } = state;
  const change = (/** @type {Partial<Form>} */ values) => {
    Object.assign(form, values);
    keepRole(context, state);
    context.redraw();
  };
  const roles = rolesToGive(context.ability, form.type, scopes.find(form.type, form.entityId));
  return [
    field('Email address', {
      id: 'invite-email', type: 'email', value: form.email, oninput: (event) => { form.email = event.target.value; },
      autocomplete: 'off', maxlength: 254,
    }),
    h('div.form-row', null,
      select('For a', {
        id: 'invite-type', value: form.type,
        onchange: (type) => change({ type, entityId: scopes.open(context.ability, type)[0]?.id || '' }),
      }, choices(context, scopes).map((type) => [type, entityTypes[type].word])),
      select('Which', { id: 'invite-entity', value: form.entityId, onchange: (entityId) => change({ entityId }) },
        scopes.open(context.ability, form.type).map((one) => [one.id, scopes.nameOf(form.type, one.id)]))),
    select('Role', { id: 'invite-role', value: form.role, onchange: (role) => change({ role }) },
      roles.map((role) => [role, roleOf(role)])),
    h('p.hint', null, 'You get a link to send. The role begins when the person has accepted.'),
  ];
}

/**
 * An earlier invitation of the address to the same role at the same place ends with the new one.
 *
 * @param {Console.Context} context @param {Inviting} state
 */
async function invite(context, state) {
  const form = /** @type {Form} */ (state.form);
  if (form.isBusy) return;
  Object.assign(form, { isBusy: true, error: form.email.trim() ? null : { text: 'The email address is missing.' } });
  context.redraw();
  try {
    if (!form.error) {
      const path = `${entityPath(form.type, form.entityId)}/${entityTypes[form.type].holders}`;
      const { invitation } = await call('POST', path, { body: { email: form.email.trim(), role: form.role } });
      form.issued = issued(invitation, offerOf(state, form));
      made(context).set(invitation.id, { type: form.type, id: form.entityId });
      form.invited();
    }
  } catch (error) {
    const text = `${sentenceOf(error, names)} What you have typed is kept, and is sent again only when you press `
      + 'the button again.';
    form.error = isUnsure(error) ? { ...error, text } : error;
  }
  context.announce(form.error ? form.error.text || sentenceOf(form.error, names) : 'The link is shown');
  form.isBusy = false;
  context.redraw();
}

// The link.

/** @param {API.Invitation} invitation @param {string} offer @returns {Issued} */
export const issued = (invitation, offer) => ({
  email: invitation.email, offer, expiresAt: invitation.expiresAt, label: 'Link of the invitation',
  value: completeAddress(invitation.url || ''),
});

/**
 * The text for the person.
 *
 * @param {Issued} link
 */
export const messageOf = ({ offer, expiresAt, value }) => [
  'Hello,', '', `you are invited to Doorward: ${offer}.`, '', 'Open this link to accept the invitation:', value, '',
  `It works once, until ${exactTime(expiresAt)}. Do not pass it on: whoever has it can accept the invitation.`,
].join('\n');

/** @param {Console.Context} context @param {Issued} link @param {() => void} close */
export const issuedDialog = (context, link, close) => dialog({ title: 'The invitation', onclose: close },
  h('p', null, 'Send this link to ', h('strong', null, link.email), `. It is shown only now. It works once, until `,
    time(link.expiresAt), '.'),
  h('p.hint', null, link.offer), copyable(context, link),
  link.problem && notice('bad', link.problem),
  shareButtons(context, link, {
    title: `Invitation of ${link.email}`, text: () => messageOf(link),
    mail: mailAddress(link.email, 'Your invitation to Doorward', messageOf(link)),
  }),
  h('div.buttons.dialog-buttons', null, button('Done', { id: 'done', kind: 'primary', onclick: close })),
  h('section.sheet', { key: 'sheet' },
    h('p.sheet-title', null, 'Invitation'),
    h('dl', null, [['For', link.email], ['As', link.offer], ['Until', exactTime(link.expiresAt)]].map(([term, value]) =>
      h('div', { key: term }, h('dt', null, term), h('dd', null, value)))),
    h('p', null, 'Open this link to accept the invitation:'), h('p.sheet-link', null, link.value),
    h('p', null, 'It works once. Do not pass it on: whoever has it can accept the invitation.')));
