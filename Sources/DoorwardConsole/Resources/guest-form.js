// What is typed about a guest access: a new one, one that repeats a past one, or a change. It is not lost.
// @ts-check
import { newKey } from './commands.js';
import {
  bodyOf, changedNames, changeOf, differences, isUnsure, merge, readVersion, send, valuesOf, zoneOf,
} from './guest-change.js';
import { hoursOf, missingInHours, scheduleOf } from './guest-hours.js';
import { grantablePlaces, isGrantable, loadDoors, pickerOf } from './guest-places.js';
import { Preview } from './guest-preview.js';
import { localText } from './guest-times.js';
import { sentenceOf } from './words.js';

/**
 * @typedef {import('./guest-change.js').Values} Values
 * @typedef {import('./guest-change.js').Version} Version
 * @typedef {import('./guest-places.js').Places & {form: Form | null, draft: Draft | null}} State a page with this form
 * @typedef {Console.Work & {
 *   how: string, guest: {id: string, name: string} | null, email: string, propertyId: string, zone: string | null,
 *   places: [string, string][], picker: import('./picker.js').DoorPicker, hidden: string[], missing: number,
 *   label: string, operations: Set<string>, from: string, until: string, uses: string,
 *   hours: import('./guest-hours.js').Hours, source: API.GuestAccess | null, version: Version | null,
 *   initial: Values | null, others: import('./guest-change.js').Difference[] | null, isSame: boolean,
 *   isRevoked: boolean, latest: API.GuestAccess | null, request: {text: string, key: string} | null,
 *   preview: Preview}} Form
 *   `hidden` are doors that the person does not see; `missing` counts those of a past access at which the person may
 *   let nobody in; `source` is the access that is repeated or changed; `version` that of a change; `initial` what the
 *   form began with; `others` what others have changed meanwhile; `latest` what the stream has sent
 * @typedef {{isNew: boolean, hasLink: boolean, warning: string | null, form: Form}} Saved what the gateway has stored;
 *   `hasLink` is whether a link is to be made
 * @typedef {{kind: 'new' | 'repeat' | 'change', id: string | null, how: string, email: string, propertyId: string,
 *   typed: Partial<Values>}} Draft what was typed in a form that a page has left
 */

export const names = {
  label: 'The name', guestEmail: 'The email address', deviceIds: 'The list of doors', validFrom: 'The start',
  validUntil: 'The end',
  operations: 'The list of operations', schedule: 'The hours', maxUses: 'The number of uses', timeZone: 'The time zone',
};

// Opening.

/**
 * @param {Console.Context} context @param {State} state @param {string} propertyId @param {Partial<Form>} more
 * @returns {Form}
 */
function formWith(context, state, propertyId, more) {
  return {
    how: 'link', guest: null, email: '', propertyId, zone: state.zones.get(propertyId)?.zone || null,
    places: grantablePlaces(context, state), picker: more.picker || pickerOf(context, propertyId), hidden: [],
    missing: 0, label: '', operations: new Set(['UNLOCK', 'LOCK']), from: '', until: '', uses: '', hours: hoursOf(null),
    source: null, version: null, initial: null, others: null, isSame: false, isRevoked: false, latest: null,
    request: null, isBusy: false, error: null, preview: new Preview(context), ...more,
  };
}

/** @param {Console.Context} context @param {State} state */
export function openNew(context, state) {
  // Preselect the property of one of the first doors: most people have one property, or begin with these.
  const first = [...state.doors.values()].find(isGrantable(context))?.propertyId;
  const propertyId = first || grantablePlaces(context, state)[0]?.[0] || '';
  const form = formWith(context, state, propertyId, {});
  const now = new Date();
  form.from = localText(now, form.zone);
  form.until = localText(new Date(now.getTime() + 86400000), form.zone);
  form.initial = valuesOfForm(form);
  state.form = form;
  context.redraw();
}

/**
 * What a form takes from an access: all but its times.
 *
 * @param {API.GuestAccess} access
 */
const taken = (access) => ({
  how: access.guestUserId ? 'account' : 'link', label: access.label || '', hours: hoursOf(access.schedule),
  guest: access.guestUserId ? { id: access.guestUserId, name: access.guest?.name.trim() || 'The same account' } : null,
  operations: new Set(/** @type {string[]} */ (access.operations)),
  uses: access.maxUses === null ? '' : String(access.maxUses), source: access,
});

/**
 * A new access with the doors, operations, hours, uses and label of a past one. Its times are to be typed.
 *
 * @param {Console.Context} context @param {State} state @param {API.GuestAccess} access
 */
export async function openRepeat(context, state, access) {
  await loadDoors(state, [access]);
  const isOpen = isGrantable(context);
  const doors = access.deviceIds.flatMap((id) => state.doors.get(id) || [])
    .filter((one) => one.propertyId === access.propertyId && isOpen(one));
  const form = formWith(context, state, access.propertyId, {
    ...taken(access), picker: pickerOf(context, access.propertyId, doors),
    missing: access.deviceIds.length - doors.length,
  });
  form.initial = valuesOfForm(form);
  state.form = form;
  context.redraw();
}

/** @param {Console.Context} context @param {State} state @param {string} id */
export async function openChange(context, state, id) {
  const version = await readVersion(id);
  const { access } = version;
  await loadDoors(state, [access]);
  const doors = access.deviceIds.flatMap((one) => state.doors.get(one) || []);
  const zone = zoneOf(access, state.zones);
  const values = valuesOf(access, zone);
  const form = formWith(context, state, access.propertyId, {
    ...taken(access), picker: pickerOf(context, access.propertyId, doors), zone, version, initial: values,
    from: values.from, until: values.until, hidden: access.deviceIds.filter((one) => !state.doors.has(one)),
    isRevoked: access.revokedAt !== null,
  });
  state.form = form;
  context.redraw();
}

/** @param {Form} form @returns {Values} */
const valuesOfForm = (form) => ({
  label: form.label, deviceIds: [...form.picker.chosen.keys(), ...form.hidden].sort(),
  operations: [...form.operations].sort(),
  from: form.from, until: form.until, uses: form.uses, schedule: scheduleOf(form.hours),
});

/**
 * Shows values in the form.
 *
 * @param {State} state @param {Form} form @param {Partial<Values>} values
 */
function fill(state, form, values) {
  const { deviceIds, operations: chosen, schedule, ...texts } = values;
  Object.assign(form, texts);
  if (chosen) form.operations = new Set(chosen);
  const isOther = schedule !== undefined && JSON.stringify(schedule) !== JSON.stringify(scheduleOf(form.hours));
  if (isOther) form.hours = hoursOf(schedule);
  if (!deviceIds) return;
  const doors = deviceIds.flatMap((id) => state.doors.get(id) || []);
  form.picker.chosen = new Map(doors.map((door) => [door.id, door]));
  form.hidden = form.version ? deviceIds.filter((id) => !state.doors.has(id)) : [];
}

// What was typed, when the page is left.

/**
 * What was typed in a form, without what the gateway has sent.
 *
 * @param {Form | null} form @returns {Draft | null} null if nothing was
 */
export function draftOf(form) {
  if (!form?.initial) return null;
  const values = valuesOfForm(form);
  const typed = Object.fromEntries(changedNames(form.initial, values).map((name) => [name, values[name]]));
  if (Object.keys(typed).length === 0 && !form.email) return null;
  const kind = form.version ? 'change' : form.source ? 'repeat' : 'new';
  return { kind, id: form.source?.id || null, how: form.how, email: form.email, propertyId: form.propertyId, typed };
}

/**
 * Opens the form again with what was typed, as far as the person may still do that.
 *
 * @param {Console.Context} context @param {State} state
 */
export async function openDraft(context, state) {
  const { draft } = state;
  if (!draft) return;
  try {
    if (draft.kind === 'new') openNew(context, state);
    else if (draft.kind === 'change') await openChange(context, state, draft.id || '');
    else await openRepeat(context, state, (await readVersion(draft.id || '')).access);
  } catch (error) {
    if (isUnsure(error)) {
      context.note(`${sentenceOf(error)} What you have typed is kept.`, 'bad');
      return;
    }
    state.draft = null;
    context.note('This guest access is not open to you any more, so what you have typed cannot be saved.', 'info');
    return;
  }
  const form = /** @type {Form} */ (state.form);
  state.draft = null;
  const { how, email, propertyId, typed } = draft;
  const isOther = propertyId !== form.propertyId && form.places.some(([id]) => id === propertyId);
  if (isOther) changeProperty(context, state, form, propertyId);
  if (typed.deviceIds) await loadDoors(state, [{ deviceIds: typed.deviceIds }]);
  Object.assign(form, { how, email });
  fill(state, form, typed);
  context.redraw();
}

/** @param {Console.Context} context @param {State} state @param {Form} form @param {string} propertyId */
export function changeProperty(context, state, form, propertyId) {
  form.picker.end();
  const zone = state.zones.get(propertyId)?.zone || null;
  Object.assign(form, { propertyId, zone, picker: pickerOf(context, propertyId) });
  context.redraw();
}

// Saving.

/**
 * What the form still needs, as a sentence.
 *
 * @param {Form} form
 */
export const missingIn = (form) =>
  form.how === 'link' && !form.label.trim() ? 'The name of the guest is missing.'
    : form.how === 'account' && !form.guest && !form.email.trim() ? 'The email address is missing.'
      : form.picker.chosen.size + form.hidden.length === 0 ? 'Choose at least one door.'
        : form.operations.size === 0 ? 'Choose what the guest may do.'
          : !form.from || !form.until ? 'The start or the end is missing.' : missingInHours(form.hours);

/**
 * @param {Console.Context} context @param {State} state @param {(access: API.GuestAccess, saved: Saved) => void} done
 */
export async function save(context, state, done) {
  const form = /** @type {Form} */ (state.form);
  if (form.isBusy) return;
  const missing = missingIn(form);
  if (missing) {
    form.error = { text: missing };
    context.announce(missing);
    context.redraw();
    return;
  }
  Object.assign(form, { isBusy: true, error: null, isSame: false });
  context.redraw();
  try {
    const { access, warning } = form.version ? await change(form) : await grant(form);
    form.preview.end();
    if (state.form === form) state.form = null;
    done(access, { isNew: !form.version, hasLink: !form.version && form.how === 'link', warning, form });
  } catch (error) {
    await failed(context, state, form, error);
    if (form.error) context.announce(form.error.text || sentenceOf(form.error, names));
  }
  form.isBusy = false;
  context.redraw();
}

/**
 * The request that saves the form.
 *
 * @param {Form} form @returns {import('./guest-preview.js').Request}
 */
export function requestOf(form) {
  const values = valuesOfForm(form);
  if (form.version) {
    const changed = changedNames(/** @type {Values} */ (form.initial), values);
    return changeOf(form.version, bodyOf(values, changed, form.zone));
  }
  const { label, ...rest } = bodyOf(values, ['label', 'deviceIds', 'operations', 'from', 'until'], form.zone);
  const account = form.guest ? { guestUserId: form.guest.id } : { guestEmail: form.email.trim() };
  const who = form.how === 'link' ? {} : account;
  const body = {
    ...who, ...(form.how === 'link' || (form.guest && label) ? { label } : {}), ...rest,
    ...(values.schedule ? { schedule: values.schedule } : {}), ...(values.uses ? { maxUses: Number(values.uses) } : {}),
  };
  return { method: 'POST', path: '/guest-access', body, headers: {} };
}

/** @param {Form} form */
async function change(form) {
  const request = requestOf(form);
  if (Object.keys(request.body).length === 0) throw Object.assign(new Error(), { text: 'Nothing has been changed.' });
  return send(request);
}

/**
 * Grants the access. The same request has the same key, so that it is carried out once, however often it is sent.
 *
 * @param {Form} form
 */
async function grant(form) {
  const request = requestOf(form);
  const text = JSON.stringify(request.body);
  if (form.request?.text !== text) form.request = { text, key: newKey() };
  return send({ ...request, headers: { 'Idempotency-Key': form.request.key } });
}

/**
 * A refusal of the request, or of its dry run.
 *
 * @param {Form} form @param {Console.Caught} error
 */
export function textOf(form, error) {
  const isUnknown = error.status === 404 && form.how === 'account' && !form.version;
  return error.text || (isUnknown ? 'No account has this email address.' : sentenceOf(error, names));
}

/** @param {Console.Context} context @param {State} state @param {Form} form @param {Console.Caught} error */
async function failed(context, state, form, error) {
  const { status } = error;
  if (status === 412) {
    await compare(context, state, form);
  } else if (status === 409 && form.version) {
    form.isRevoked = true;
  } else if (isUnsure(error)) {
    const text = `${sentenceOf(error)} What you have typed is kept, and is sent again only when you save again.`;
    form.error = { ...error, text };
  } else {
    form.error = { ...error, text: textOf(form, error) };
  }
}

/**
 * Reads the version that others have made, and brings what was typed over it.
 *
 * @param {Console.Context} context @param {State} state @param {Form} form
 */
export async function compare(context, state, form) {
  try {
    const version = await readVersion(form.version?.access.id || '');
    await loadDoors(state, [version.access]);
    const [now, typed] = [valuesOf(version.access, form.zone), valuesOfForm(form)];
    const before = /** @type {Values} */ (form.initial);
    const { values } = merge(before, typed, now);
    const doorName = (/** @type {string} */ id) => state.doors.get(id)?.name || 'a door';
    fill(state, form, values);
    Object.assign(form, {
      version, initial: now, others: differences(before, typed, now, { doorName }), error: null,
      isRevoked: version.access.revokedAt !== null, isSame: changedNames(now, values).length === 0, latest: null,
    });
    context.announce(form.isSame ? 'It is saved already' : 'Changed meanwhile');
  } catch (error) {
    const text = `Someone else has changed this access meanwhile. ${sentenceOf(error)} What you have typed is kept.`;
    form.error = { text };
  }
}
