// A file of any size: the browser writes it to the disk while it arrives, where it can. Where it cannot, it is given to
// the browser in parts, so that the page itself holds only the last of them.
// @ts-check
import { APIError, request, restore } from './api.js';
import { give } from './csv.js';

/**
 * @typedef {{bytes: number, lines: number}} Progress `lines` counts the line ends outside of quotes
 * @typedef {{signal: AbortSignal, refusal: string, onprogress: (progress: Progress) => void}} Options `refusal` is
 *   what to say if the gateway gives no reason
 * @typedef {{write: (bytes: Uint8Array) => Promise<void>, close: () => Promise<void>, abort: () => Promise<void>}}
 *   Target
 */

/** How long nothing may arrive. */
const patience = 60000;
const partSize = 4 * 1024 * 1024;

/** Why a file is not there: it ended before its end, or the person has cancelled it. Nothing was saved. */
export class Broken extends Error {
  /** @param {boolean} isCancelled @param {Progress} progress */
  constructor(isCancelled, progress) {
    super('The file has not arrived completely.');
    this.isCancelled = isCancelled;
    this.progress = progress;
  }
}

/** Whether the browser writes to the disk while a file arrives. */
export const isDirect = () => 'showSaveFilePicker' in globalThis;

/**
 * Reads a file with the rights of the signed-in person, and saves it. Throws `Broken` if it did not arrive completely.
 *
 * @param {string} path @param {string} name @param {Options} options
 * @returns {Promise<Progress | null>} null if no file was chosen, so that nothing was asked for
 */
export async function download(path, name, { signal, refusal, onprogress }) {
  const handle = await place(name);
  if (handle === null) return null;
  const progress = { bytes: 0, lines: 0 };
  const ending = new AbortController();
  const cancel = () => ending.abort();
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const wait = () => { clearTimeout(timer); timer = setTimeout(cancel, patience); };
  /** @type {Target | null} */
  let target = null;
  try {
    wait();
    let response = await request('GET', path, { signal: ending.signal });
    if (response.status === 401 && (await restore())) response = await request('GET', path, { signal: ending.signal });
    if (!response.ok) await refuse(response, refusal);
    target = handle ? await handle.createWritable() : inParts(response.headers.get('Content-Type') || '', name);
    const counter = new LineCounter();
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
    for (;;) {
      wait();
      const { done, value } = await unlessAborted(reader, ending.signal);
      if (done) break;
      clearTimeout(timer);
      await /** @type {Target} */ (target).write(value);
      Object.assign(progress, { bytes: progress.bytes + value.length, lines: counter.add(value) });
      onprogress(progress);
    }
    clearTimeout(timer);
    await /** @type {Target} */ (target).close();
    return progress;
  } catch (error) {
    await target?.abort().catch(() => {});
    if (error instanceof APIError && !target) throw error;
    throw new Broken(signal.aborted, progress);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

/**
 * Where the browser writes the file: a file that the person chooses; undefined if the browser cannot; null if none was
 * chosen.
 *
 * @param {string} name @returns {Promise<{createWritable: () => Promise<Target>} | null | undefined>}
 */
async function place(name) {
  if (!isDirect()) return undefined;
  try {
    return await /** @type {any} */ (globalThis).showSaveFilePicker({ suggestedName: name });
  } catch (error) {
    // The browser may not show its dialog, such as in a frame: then the file is saved as by one that has none.
    return error.name === 'AbortError' ? null : undefined;
  }
}

/** @param {Response} response @param {string} refusal */
async function refuse(response, refusal) {
  const answer = await response.json().catch(() => ({}));
  const retryAfter = Number(response.headers.get('Retry-After')) || null;
  throw new APIError(response.status, { ...answer, message: answer.message || refusal, retryAfter });
}

/**
 * The next bytes. A reader does not see the signal after the response has begun if another one has made it.
 *
 * @param {ReadableStreamDefaultReader<Uint8Array>} reader @param {AbortSignal} signal
 * @returns {Promise<{done: true, value: undefined} | {done: false, value: Uint8Array}>}
 */
async function unlessAborted(reader, signal) {
  /** @type {(() => void) | undefined} */
  let stop;
  const aborted = new Promise((_, reject) => {
    stop = () => reject(new Error('aborted'));
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });
  try {
    return /** @type {any} */ (await Promise.race([reader.read(), aborted]));
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error;
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}

/**
 * Collects a file in parts that the browser keeps outside of the page, and gives it to the browser at its end.
 *
 * @param {string} type @param {string} name @returns {Target}
 */
function inParts(type, name) {
  /** @type {Blob[]} */
  let parts = [];
  /** @type {Uint8Array[]} */
  let last = [];
  let size = 0;
  const pack = () => {
    parts.push(new Blob(/** @type {BlobPart[]} */ (last)));
    [last, size] = [[], 0];
  };
  return {
    async write(bytes) {
      last.push(bytes);
      size += bytes.length;
      if (size >= partSize) pack();
    },
    async close() {
      pack();
      give(new Blob(parts, { type }), name);
      parts = [];
    },
    async abort() { [parts, last] = [[], []]; },
  };
}

/** Counts the line ends of a table, which are no part of a cell. */
export class LineCounter {
  isQuoted = false;
  lines = 0;

  /** @param {Uint8Array} bytes @returns {number} the lines so far */
  add(bytes) {
    for (const byte of bytes) {
      if (byte === 0x22) this.isQuoted = !this.isQuoted;
      else if (byte === 0x0a && !this.isQuoted) this.lines++;
    }
    return this.lines;
  }
}

/**
 * A number of bytes in words.
 *
 * @param {number} bytes
 */
export function sizeText(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, 'kB'] : bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${value.toLocaleString('en-GB', { maximumFractionDigits: 1 })} ${unit}`;
}
