// The fields of a unit: its name, and the shared doors of the property that its tenants use.
// @ts-check
import { beginEdit, editDialog, saveEdit, typedIn } from './edits.js';
import { field } from './parts.js';
import { readAll } from './scopes.js';
import { h } from './view.js';
import { sentenceOf } from './words.js';

/**
 * @typedef {{edit: import('./edits.js').Edit, doors: API.Device[], done: (unit: API.Unit) => void,
 *   close: () => void}} UnitEdit `doors` are the doors of the property that belong to no unit
 * @typedef {{unitEdit: UnitEdit | null}} State a page that changes a unit
 */

/** @param {string} list */
const idsOf = (list) => list.split(' ').filter(Boolean);

/** @param {API.Unit} unit @returns {import('./edits.js').Values} */
export const valuesOf = (unit) => ({ name: unit.name, shared: [...(unit.commonAreaAccessIds || [])].sort().join(' ') });

/** @param {import('./edits.js').Values} values @param {string[]} names */
export const bodyOf = (values, names) => ({
  ...(names.includes('name') ? { name: values.name.trim() } : {}),
  ...(names.includes('shared') ? { commonAreaAccessIds: idsOf(values.shared) } : {}),
});

/**
 * @param {Console.Context} context @param {State} state @param {API.Unit} unit @param {(unit: API.Unit) => void} done
 */
export async function openUnit(context, state, unit, done) {
  try {
    const devices = await readAll('/devices', 'devices', { propertyId: unit.propertyId });
    const doors = devices.filter(({ unitId }) => !unitId);
    const nameOf = (/** @type {string} */ id) => doors.find((one) => one.id === id)?.name || 'a door';
    const edit = await beginEdit({
      path: `/units/${encodeURIComponent(unit.id)}`,
      titles: { name: 'Name', shared: 'Shared doors', commonAreaAccessIds: 'Shared doors' },
      read: (answer) => valuesOf(answer.unit), body: bodyOf,
      text: (name, value) => (name === 'shared' ? idsOf(value).map(nameOf).join(', ') : value) || 'none',
    });
    state.unitEdit = { edit, doors, done, close: () => { state.unitEdit = null; context.redraw(); } };
  } catch (error) {
    context.note(sentenceOf(error), 'bad');
  }
  context.redraw();
}

/** @param {Console.Context} context @param {State} state */
export function unitDialog(context, state) {
  const own = /** @type {UnitEdit} */ (state.unitEdit);
  const { edit, doors } = own;
  const chosen = new Set(idsOf(edit.values.shared));
  const toggle = (/** @type {string} */ id) => () => {
    if (!chosen.delete(id)) chosen.add(id);
    edit.values.shared = [...chosen].sort().join(' ');
    context.redraw();
  };
  const save = async () => {
    const answer = await saveEdit(context, edit);
    if (!answer) return;
    own.close();
    own.done(answer.unit);
    context.redraw();
  };
  return editDialog(context, edit, { title: `Change ${edit.initial.name}`, close: own.close, save },
    field('Name', { id: 'unit-name', required: true, ...typedIn(edit, 'name') }),
    doors.length > 0 && h('fieldset', { key: 'shared' }, h('legend', null, 'Shared doors that the tenants use'),
      h('div.choices', null, doors.map((door) => h('label.check', { key: door.id, for: `shared-${door.id}` },
        h('input', {
          id: `shared-${door.id}`, type: 'checkbox', checked: chosen.has(door.id), onchange: toggle(door.id),
        }),
        h('span', null, door.name))))),
    doors.length > 0 && h('p.hint', { key: 'hint' },
      'A door that is taken away ends the guest accesses that the tenants have given at it.'));
}
