// Commands to locks, and their progress. A command counts as done only when the lock has confirmed it.
// @ts-check
import { APIError, call } from './api.js';
import { operationOf, outcomeOf, reasonOf, refusalOf, sentenceOf } from './words.js';

/**
 * @typedef {{operation: string, phase: 'asking' | 'waiting' | 'sent' | 'done' | 'failed' | 'denied' | 'unsure', text: string,
 *   command: API.Command | null, error: Console.Caught | null, key: string, body: object}} Progress
 */

const ended = new Set(['CONFIRMED', 'FAILED', 'TIMED_OUT', 'UNKNOWN', 'DENIED']);

/** The newest command of this page to each lock. */
export class Commands {
  /** @param {() => void} redraw @param {(text: string) => void} announce @param {(deviceId: string) => void} onEnd */
  constructor(redraw, announce, onEnd) {
    /** @type {Map<string, Progress>} */
    this.byDevice = new Map();
    this.redraw = redraw;
    this.announce = announce;
    this.onEnd = onEnd;
    this.isEnded = false;
  }

  /** @param {string} deviceId */
  of(deviceId) { return this.byDevice.get(deviceId) || null; }

  /** @param {string} deviceId */
  isRunning(deviceId) {
    const progress = this.byDevice.get(deviceId);
    return progress !== undefined && ['asking', 'waiting', 'sent'].includes(progress.phase);
  }

  /** @param {string} deviceId */
  dismiss(deviceId) {
    if (this.isRunning(deviceId)) return;
    this.byDevice.delete(deviceId);
    this.redraw();
  }

  /**
   * @param {API.Device} device @param {string} operation @param {object} [body]
   * @returns {Promise<Progress | null>} its progress when it has ended; null if another one is running
   */
  start(device, operation, body = {}) {
    if (this.isRunning(device.id)) return Promise.resolve(null);
    return this.run(device, operation, newKey(), body);
  }

  /**
   * Sends the same request again after the gateway could not be reached: with the same key it is carried out once.
   *
   * @param {API.Device} device @returns {Promise<Progress | null>} null if there is nothing to repeat
   */
  repeat(device) {
    const progress = this.byDevice.get(device.id);
    if (!progress || progress.phase !== 'unsure') return Promise.resolve(null);
    return this.run(device, progress.operation, progress.key, progress.body);
  }

  /** @param {API.Device} device @param {string} operation @param {string} key @param {object} body */
  async run(device, operation, key, body) {
    /** @type {Progress} */
    const progress = { operation, phase: 'asking', text: 'Asking the gateway', command: null, error: null, key, body };
    this.byDevice.set(device.id, progress);
    this.redraw();
    try {
      const data = await call('POST', `/devices/${encodeURIComponent(device.id)}/${operation.toLowerCase()}`, {
        body, headers: { Prefer: 'respond-async', 'Idempotency-Key': key }, within: 30000,
      });
      await this.follow(progress, data.command);
    } catch (error) {
      this.fail(progress, error);
    }
    if (this.isEnded) return progress;
    this.announce(`${device.name}: ${progress.text}`);
    this.redraw();
    this.onEnd(device.id);
    return progress;
  }

  /** @param {Progress} progress @param {API.Command} first */
  async follow(progress, first) {
    let command = first;
    let wait = 150;
    let failures = 0;
    while (!ended.has(command.state)) {
      const sent = command.state === 'DISPATCHED';
      Object.assign(progress, {
        command, phase: sent ? 'sent' : 'waiting', text: sent ? 'Sent. Waiting for the lock to confirm' : 'Allowed. Waiting to be sent',
      });
      this.redraw();
      await new Promise((resolve) => { setTimeout(resolve, wait); });
      wait = Math.min(1000, wait * 1.5);
      if (this.isEnded) return;
      try {
        ({ command } = await call('GET', `/commands/${encodeURIComponent(command.id)}`));
        failures = 0;
      } catch (error) {
        if (!(error instanceof APIError) || error.status === 401 || ++failures > 30) throw error;
      }
    }
    const phase = command.state === 'CONFIRMED' ? 'done' : command.state === 'DENIED' ? 'denied' : 'failed';
    Object.assign(progress, { command, phase, text: outcomeOf(command) });
    if (phase === 'denied') progress.error = { details: { reason: command.outcomeDetail } };
  }

  /** @param {Progress} progress @param {Console.Caught} error */
  fail(progress, error) {
    const { command } = error.details || {};
    if (command && ended.has(command.state)) {
      Object.assign(progress, { command, error, phase: command.state === 'DENIED' ? 'denied' : 'failed', text: outcomeOf(command) });
    } else if (error.status === 403) {
      Object.assign(progress, { error, phase: 'denied', text: reasonOf(error.details?.reason || error.code) });
    } else if (error.status === 0 || error.status === undefined || error.status === 502 || error.status === 504) {
      const verb = operationOf(progress.operation).verb.toLowerCase();
      Object.assign(progress, {
        error, phase: 'unsure', text: `No connection. It is not known whether the command to ${verb} was sent: check the door, or ask again.`,
      });
    } else {
      Object.assign(progress, { error, phase: 'failed', text: refusalOf(error.code, error.retryAfter) || sentenceOf(error) });
    }
  }
}

export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return 'console-' + Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
