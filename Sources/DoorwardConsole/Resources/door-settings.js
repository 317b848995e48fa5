// The settings of a door: its name and notes, what is set in the lock, its code, and where it is.
// @ts-check
import { call } from './api.js';
import { withPart } from './door.js';
import { button, field, notice } from './parts.js';
import { askRemoval, removalDialog } from './removal.js';
import { h } from './view.js';
import { sentenceOf } from './words.js';

/**
 * @typedef {import('./door.js').Shown} Shown
 * @typedef {import('./door.js').Settings} Settings
 */

/**
 * The values that differ from those of the lock, so that a form changes nothing that another person has changed
 * meanwhile.
 *
 * @param {API.Device} device @param {Record<string, unknown>} values
 */
export const changed = (device, values) => {
  const now = /** @type {Record<string, unknown>} */ ({ ...device });
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== (now[name] ?? null)));
};

const names = { name: 'The name', notes: 'The text', autoRelockSeconds: 'The time', code: 'The code' };

/**
 * Sends a form, and says what was saved.
 *
 * @param {Console.Context} context @param {Shown} state @param {string} path below the door
 * @param {(form: FormData) => object} values @param {string} [done]
 */
const submit = (context, state, path, values, done = 'Saved.') => async (/** @type {Console.Submit} */ event) => {
  event.preventDefault();
  const own = /** @type {Settings} */ (state.settings);
  if (own.isBusy) return;
  const form = event.target;
  Object.assign(own, { isBusy: true, error: null, saved: null });
  context.redraw();
  try {
    const body = values(new FormData(form));
    const answer = await call('PUT', `/devices/${encodeURIComponent(state.id)}${path}`, { body });
    state.device = answer.device;
    own.saved = answer.command ? 'The lock has confirmed the settings.' : done;
    // A code is not shown after it was sent.
    if (form.elements.namedItem('code')) form.reset();
    context.announce(own.saved);
  } catch (error) {
    own.error = error;
  }
  own.isBusy = false;
  context.redraw();
};

/** @param {Console.Context} context @param {Shown} state */
export function settings(context, state) {
  const { device } = state;
  const own = /** @type {Settings} */ (state.settings);
  const maySet = state.decisions.some((one) => one.operation === 'CHANGE_SETTINGS' && one.allowed);
  const canSet = maySet && device.capabilities.includes('SETTINGS');
  const takesCode = maySet && (device.capabilities.includes('ACCEPTS_CODE') || device.settings?.hasCode === true);
  const canChange = context.ability.can('device.change', 'LockDevice', device);
  return [
    own.error && notice('bad', sentenceOf(own.error, names)),
    own.saved && notice('ok', own.saved),
    canChange && general(context, state),
    canSet && inLock(context, state),
    takesCode && code(context, state),
    !canSet && !takesCode && h('p.hint', { key: 'none' }, 'This lock has no settings that the gateway can change.'),
    place(context, state),
  ];
}

/** @param {Console.Context} context @param {Shown} state */
function general(context, state) {
  const { device } = state;
  const { isBusy } = /** @type {Settings} */ (state.settings);
  return h('form.card-form', {
    key: 'general', onsubmit: submit(context, state, '', (form) => changed(device, {
      name: form.get('name'), notes: String(form.get('notes')).trim() || null,
      isRemoteOperationEnabled: form.get('remote') === 'on',
    })),
  },
    h('h2', null, 'General'),
    field('Name', { id: 'name', name: 'name', value: device.name, required: true, maxlength: 200 }),
    field('Notes', { id: 'notes', name: 'notes', value: device.notes ?? '' },
      { hint: 'Managers and auditors see them. At most 256 characters.' }),
    h('label.check', { for: 'remote' },
      h('input', { id: 'remote', name: 'remote', type: 'checkbox', checked: device.isRemoteOperationEnabled }),
      'Can be operated remotely'),
    button('Save', { type: 'submit', kind: 'primary', busy: isBusy, onclick: () => {} }));
}

/** @param {Console.Context} context @param {Shown} state */
function inLock(context, state) {
  const { isBusy } = /** @type {Settings} */ (state.settings);
  return h('form.card-form', {
    key: 'lock',
    onsubmit: submit(context, state, '/settings', (form) => ({ autoRelockSeconds: Number(form.get('seconds')) })),
  },
    h('h2', null, 'In the lock'),
    field('Lock again after (seconds)', {
      id: 'seconds', name: 'seconds', type: 'number', min: 0, max: 3600, required: true,
      value: state.device.settings?.autoRelockSeconds ?? 0,
    }, { hint: '0: the lock stays unlocked until it is locked.' }),
    button('Send to the lock', { type: 'submit', kind: 'primary', busy: isBusy, onclick: () => {} }));
}

/**
 * The code that the gateway sends with each command. The gateway never tells it.
 *
 * @param {Console.Context} context @param {Shown} state
 */
function code(context, state) {
  const { device } = state;
  const { isBusy } = /** @type {Settings} */ (state.settings);
  const isStored = device.settings?.hasCode === true;
  const accepts = device.capabilities.includes('ACCEPTS_CODE');
  const values = (/** @type {FormData} */ form) => ({ code: String(form.get('code')) });
  const store = submit(context, state, '/settings', values, 'The code is stored.');
  const remove = submit(context, state, '/settings', () => ({ code: null }), 'The code is removed.');
  return h('div.card-form', { key: 'code' },
    h('h2', null, 'Code of the lock'),
    h('p.hint', null, 'Some locks take a command only with a code. The gateway sends the stored code with each '
      + 'command, and never shows it again. ',
      h('strong', null, isStored ? 'A code is stored.' : 'No code is stored.')),
    accepts && h('form', { key: 'store', onsubmit: store },
      field(isStored ? 'New code' : 'Code', {
        id: 'code', name: 'code', type: 'password', required: true, maxlength: 64, autocomplete: 'off',
      }),
      button(isStored ? 'Replace the code' : 'Store the code', {
        id: 'save-code', type: 'submit', kind: 'primary', busy: isBusy, onclick: () => {},
      })),
    isStored && h('form.after', { key: 'remove', onsubmit: remove },
      button('Remove the code', {
        id: 'remove-code', type: 'submit', kind: 'danger', busy: isBusy, onclick: () => {},
      })));
}

// Where the door is, and which lock is behind it.

/** @param {Console.Context} context @param {Shown} state */
function place(context, state) {
  const { device } = state;
  const { ability } = context;
  const { id, unitId, propertyId, portfolioId } = device;
  const mayMove = ability.can('device.move', 'LockDevice', device) && ability.can('device.move', 'Property');
  const mayReplace = device.address !== undefined && ability.can('device.change', 'LockDevice', device)
    && (unitId ? ability.can('device.attach', 'Unit', { id: unitId, propertyId, portfolioId })
      : ability.can('device.attach', 'Property', { id: propertyId, portfolioId }));
  const mayDetach = ability.can('device.detach', 'LockDevice', device);
  if (!mayMove && !mayReplace && !mayDetach) return null;
  const detach = () => {
    const asked = { removal: null };
    askRemoval(context, asked, {
      title: `Detach ${device.name}`, path: `/devices/${encodeURIComponent(id)}`, verb: 'Detach',
      text: 'The door leaves the gateway. Commands that wait are not sent. Its records stay in the log; '
        + 'its name, its notes and its settings do not.',
      done: () => context.goWith('#/doors', `${device.name} is detached. Its records stay in the log.`),
    });
    // Closed by the dialog itself.
    state.dialog = () => removalDialog(context, asked);
    context.redraw();
  };
  return h('section.card-form', { key: 'place' },
    h('h2', null, 'Place and lock'),
    h('p.hint', null, [device.propertyName, device.unitName].filter(Boolean).join(' › '),
      device.adapter ? `, by the adapter ${device.adapter}` : ''),
    h('div.buttons', null,
      mayMove && button('Move', {
        id: 'move',
        onclick: () => withPart(context, () => import('./door-move.js'), (part) => part.openMove(context, state)),
      }),
      mayReplace && button('Replace the lock', {
        id: 'replace',
        onclick: () => withPart(context, () => import('./door-replace.js'), (part) => part.openReplace(context, state)),
      }),
      mayDetach && button('Detach', { id: 'detach', kind: 'danger', onclick: detach })));
}
