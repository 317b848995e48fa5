// Sign in, and a new password by a recovery code.
// @ts-check
import { callOpen, signIn } from './api.js';
import { button, field, icon, notice } from './parts.js';
import { h } from './view.js';
import { sentenceOf } from './words.js';

/**
 * @typedef {{arrival: string | null, done: () => void}} Options
 * @typedef {Options & Console.Work & {form: 'signIn' | 'reset', success: string | null}} State
 */

const names = { email: 'The email address', password: 'The password', newPassword: 'The new password', recoveryCode: 'The recovery code' };

/** Cookies of sessions are kept over HTTPS only, and on the machine of the gateway itself. */
const notSecure = 'This address is plain HTTP. Others on the network can read the password, and this browser keeps no session: you are signed out by each '
  + 'reload, and after 15 minutes at the latest. Open the console by its https address.';

/** @type {Console.Form<State, [Options]>} */
export default {
  start: (context, options) => ({ ...options, form: 'signIn', isBusy: false, error: null, done: options.done, success: null }),

  title: (state) => (state?.form === 'reset' ? 'Set a new password' : 'Sign in'),

  view(context, state) {
    return h(
      'main.sign-in', { id: 'main', key: 'sign-in' },
      h('div.sign-in-card', null,
        h('div.brand.big', null, icon('locked'), h('span', null, 'Doorward')),
        state.form === 'signIn' ? signInForm(context, state) : resetForm(context, state)));
  },
};

/** @param {Console.Context} context @param {State} state @param {(values: Record<string, string>) => Promise<void>} act */
const submit = (context, state, act) => async (/** @type {Console.Submit} */ event) => {
  event.preventDefault();
  if (state.isBusy) return;
  Object.assign(state, { isBusy: true, error: null, success: null });
  context.redraw();
  try {
    await act(/** @type {Record<string, string>} */ (Object.fromEntries(new FormData(event.target))));
  } catch (error) {
    state.error = error;
    context.announce(messageOf(error));
    const first = /** @type {HTMLElement | null} */ (event.target.querySelector('input[type=password]'));
    if (first) first.focus();
  }
  state.isBusy = false;
  context.redraw();
};

/** @param {Console.Caught} error */
const messageOf = (error) =>
  error.status === 401 ? 'The email address or the password is wrong.' : error.isMismatch ? error.message || '' : sentenceOf(error, names);

/** @param {Console.Context} context @param {State} state */
function signInForm(context, state) {
  return h(
    'form', {
      key: 'signIn', onsubmit: submit(context, state, async ({ email, password }) => {
        await signIn(email.trim(), password);
        state.done();
      }),
    },
    h('h1', { tabindex: '-1' }, 'Sign in'),
    !isSecureContext && notice('warn', notSecure),
    state.arrival && notice('info', state.arrival),
    state.success && notice('ok', state.success),
    state.error && notice('bad', messageOf(state.error)),
    field('Email address', { id: 'email', name: 'email', type: 'email', autocomplete: 'username', required: true, autofocus: true }),
    field('Password', { id: 'password', name: 'password', type: 'password', autocomplete: 'current-password', required: true }),
    button(state.isBusy ? 'Signing in' : 'Sign in', { kind: 'primary wide', type: 'submit', busy: state.isBusy, onclick: () => {} }),
    h('p.center', null, h('a', { href: '#/recover', onclick: change(context, state, 'reset') }, 'Use a recovery code')),
    h('p.hint.center', null, 'Without a recovery code, ask a super admin of the gateway for a link that sets a new password.'));
}

/** @param {Console.Context} context @param {State} state @param {string} form */
const change = (context, state, form) => (/** @type {Event} */ event) => {
  event.preventDefault();
  Object.assign(state, { form, error: null, success: null, arrival: null });
  context.redraw();
};

/** @param {Console.Context} context @param {State} state */
function resetForm(context, state) {
  return h(
    'form', {
      key: 'reset', onsubmit: submit(context, state, async ({ email, recoveryCode, newPassword, repeated }) => {
        if (newPassword !== repeated) throw Object.assign(new Error('The two passwords differ.'), { isMismatch: true });
        try {
          await callOpen('/auth/reset-password', { email: email.trim(), recoveryCode: recoveryCode.trim(), newPassword });
        } catch (error) {
          const { status } = error;
          if (status === 401) throw Object.assign(new Error('The email address or the recovery code is wrong.'), { isMismatch: true });
          throw error;
        }
        Object.assign(state, { form: 'signIn', success: 'The password is set. Sign in with it.' });
        context.announce(state.success || '');
      }),
    },
    h('h1', { tabindex: '-1' }, 'Set a new password'),
    state.error && notice('bad', messageOf(state.error)),
    field('Email address', { id: 'reset-email', name: 'email', type: 'email', autocomplete: 'username', required: true }),
    field('Recovery code', { id: 'code', name: 'recoveryCode', autocomplete: 'one-time-code', required: true, spellcheck: 'false' }),
    field('New password', { id: 'new-password', name: 'newPassword', type: 'password', autocomplete: 'new-password', required: true },
      { hint: 'At least 15 characters. A few words that you can remember are fine.' }),
    field('The new password again', { id: 'repeated', name: 'repeated', type: 'password', autocomplete: 'new-password', required: true }),
    button(state.isBusy ? 'Setting' : 'Set the password', { kind: 'primary wide', type: 'submit', busy: state.isBusy, onclick: () => {} }),
    h('p.center', null, h('a', { href: '#/', onclick: change(context, state, 'signIn') }, 'Back to the sign-in')));
}
