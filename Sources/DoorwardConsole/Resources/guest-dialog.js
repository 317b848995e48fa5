// The form of a guest access, as it is shown.
// @ts-check
import { changedNames, differencesView, isUnsure, valuesOf } from './guest-change.js';
import { changeProperty, compare, missingIn, names, requestOf, save, textOf } from './guest-form.js';
import { hoursFields } from './guest-hours.js';
import { previewView } from './guest-preview.js';
import { operations, standing, titleOf } from './guest-times.js';
import { button, dialog, field, notice, select } from './parts.js';
import { doorChecks } from './picker.js';
import { h } from './view.js';
import { counted, operationOf, sentenceOf } from './words.js';

/**
 * @typedef {import('./guest-form.js').State} State
 * @typedef {import('./guest-form.js').Form} Form
 */

/**
 * A notice at the top of a form, whose buttons are at its end: it comes into sight.
 *
 * @param {string} key @param {Console.Child} content
 */
export const inSight = (key, content) =>
  h('div', { key, created: (/** @type {Element} */ el) => el.scrollIntoView({ block: 'nearest' }) }, content);

/** @param {Form} form */
const titleOfForm = ({ version, source }) =>
  version ? `Change the access of ${titleOf(version.access)}`
    : source ? `Let ${titleOf(source)} in again` : 'Let a guest in';

/**
 * What has happened to the access while the form was open.
 *
 * @param {Console.Context} context @param {State} state @param {Form} form
 */
function meanwhile(context, state, form) {
  const { version, latest, others } = form;
  if (!version) return null;
  if (form.isRevoked || latest?.revokedAt) {
    const again = () => {
      Object.assign(form, { version: null, hidden: [], others: null, error: null, isRevoked: false, latest: null });
      context.redraw();
    };
    const text = 'This access has been revoked meanwhile, so it cannot be changed. What you have typed is kept.';
    return notice('bad', h('p', null, text),
      button('Grant it as a new access', { id: 'as-new', onclick: again }));
  }
  const isOld = latest && changedNames(valuesOf(version.access, form.zone), valuesOf(latest, form.zone)).length > 0;
  if (isOld) {
    return notice('warn', h('p', null, 'Changed meanwhile by someone else. What you have typed is kept.'),
      button('Show what is different', {
        id: 'compare', onclick: () => compare(context, state, form).then(context.redraw),
      }));
  }
  if (others) {
    const next = form.isSame ? 'It is now as you have typed it: nothing is left to save.'
      : 'What you have typed is kept: save again to put it over the new version.';
    const what = others.length > 0 ? 'Changed meanwhile. ' : 'The access has a newer version. ';
    return inSight(`others-${version.etag}`, notice(form.isSame ? 'info' : 'warn', h('p', null, what, next),
      others.length > 0 && differencesView(others)));
  }
  return standing(version.access).word === 'Ended'
    && notice('info', 'This access has ended. If you save it with a later end, it is open again until then.');
}

/**
 * @param {Console.Context} context @param {State} state @param {Parameters<typeof save>[2]} done
 */
export function formDialog(context, state, done) {
  const form = /** @type {Form} */ (state.form);
  const close = () => { form.picker.end(); form.preview.end(); state.form = null; context.redraw(); };
  const { picker, preview, version } = form;
  const missing = missingIn(form);
  const isRevoked = version !== null && (form.isRevoked || form.latest?.revokedAt);
  if (!form.isBusy) preview.ask(missing || isRevoked ? null : requestOf(form));
  return dialog({ title: titleOfForm(form), onclose: close }, h(
    'form', { novalidate: true, onsubmit: (event) => { event.preventDefault(); save(context, state, done); } },
    h('div', { role: 'status' }, meanwhile(context, state, form)),
    form.error && inSight('error', notice('bad', form.error.text || sentenceOf(form.error, names))),
    who(context, form),
    !version && form.places.length > 1 && select('Property', {
      id: 'guest-property', value: form.propertyId,
      onchange: (propertyId) => changeProperty(context, state, form, propertyId),
    }, form.places),
    doorChecks(context, picker, 'guest-doors'),
    form.hidden.length > 0 && h('p.hint', { key: 'hidden' },
      `And ${counted(form.hidden.length, 'more door')} that you cannot see.`),
    form.missing > 0 && h('p.hint', { key: 'missing' },
      `You cannot let guests in at ${counted(form.missing, 'door')} of the past access.`),
    rights(context, form), times(context, form), hoursFields(context, form.hours),
    field('Number of uses (empty: no limit)', {
      id: 'uses', type: 'number', min: 1, max: 1000000, value: form.uses,
      oninput: (event) => { form.uses = event.target.value; context.redraw(); },
    }, {
      hint: version && version.access.maxUses !== null
        ? `${version.access.usesLeft} of ${version.access.maxUses} are left.` : null,
    }),
    !isRevoked && previewView(preview, { zone: form.zone, missing, textOf: (error) => textOf(form, error) }),
    h('div.buttons', null,
      button(labelOf(form), {
        id: version ? 'save' : 'grant', type: 'submit', kind: 'primary', busy: form.isBusy, onclick: () => {},
      }),
      button('Cancel', { id: 'cancel', onclick: close }))));
}

/** @param {Form} form */
function labelOf({ version, isBusy, others, error }) {
  if (!version) return isBusy ? 'Letting in' : 'Let in';
  return isBusy ? 'Saving' : others || isUnsure(error) ? 'Save again' : 'Save';
}

const ways = [['link', 'A link for their phone'], ['account', 'Their account here']];

/** @param {Console.Context} context @param {Form} form */
function who(context, form) {
  const { version, guest } = form;
  const label = (/** @type {string} */ title) => field(title, {
    id: 'label', value: form.label, maxlength: 200, autocomplete: 'off',
    oninput: (event) => { form.label = event.target.value; context.redraw(); },
  });
  if (version) return label(guest ? `Note about ${guest.name}` : 'Name of the guest');
  return [
    h('fieldset', null, h('legend', null, 'How'),
      h('div.choices.flat', null, ways.map(([id, title]) => h(
        'label.check', { key: id, for: `how-${id}` },
        h('input', {
          id: `how-${id}`, name: 'how', type: 'radio', checked: form.how === id,
          onchange: () => { form.how = id; context.redraw(); },
        }), title)))),
    form.how === 'link' ? label('Name of the guest')
      : guest ? [h('p', { key: 'guest' }, `The account of ${guest.name}.`), label('Note')]
        : field('Email address of the account', {
          id: 'guest-email', type: 'email', value: form.email, autocomplete: 'off',
          oninput: (event) => { form.email = event.target.value; context.redraw(); },
        }),
  ];
}

/** @param {Console.Context} context @param {Form} form */
function rights(context, form) {
  const offered = operations.filter((one) => form.operations.has(one) && form.version
    || form.picker.shown().some((door) => door.capabilities.includes(/** @type {'LOCK'} */ (one))));
  const toggle = (/** @type {string} */ id) => () => {
    if (!form.operations.delete(id)) form.operations.add(id);
    context.redraw();
  };
  return h('fieldset', null, h('legend', null, 'The guest may'), h('div.choices.flat', null, offered.map((one) => h(
    'label.check', { key: one, for: `may-${one}` },
    h('input', { id: `may-${one}`, type: 'checkbox', checked: form.operations.has(one), onchange: toggle(one) }),
    h('span', null, operationOf(one).verb)))));
}

/** @param {Console.Context} context @param {Form} form */
function times(context, form) {
  const { zone } = form;
  /** @param {string} title @param {string} id @param {'from' | 'until'} name */
  const one = (title, id, name) => field(title, {
    id, type: 'datetime-local', value: form[name],
    oninput: (event) => { form[name] = event.target.value; context.redraw(); },
  });
  return [
    h('div.form-row', null, one('From', 'valid-from', 'from'), one('Until', 'valid-until', 'until')),
    h('p.hint', null, zone ? `Local times of the property (${zone}).` : 'On the clock of this browser.'),
  ];
}
