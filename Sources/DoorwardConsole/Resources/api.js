// The gateway's HTTP API. The access token is kept in this module's memory only; the refresh token is in a cookie that no script
// can read.
// @ts-check

const base = '/api/v1';

/**
 * @typedef {Record<string, string | number | boolean | null | undefined>} Query
 * @typedef {{data: Console.Answer, etag: string | null}} Version
 */

/** The timeout of a read, which is then sent once more. */
const readWithin = 20000;
/** The timeout of any other request, which can wait for locks. It is never sent again, as it may have been carried out. */
const writeWithin = 120000;

/** A response of the gateway that is not a success, or no response (`status` 0, `code` `unreachable` or `timeout`). */
export class APIError extends Error {
  /** @param {number} status @param {{code?: string, message?: string, details?: Console.Details, requestId?: string, retryAfter?: number | null}} answer */
  constructor(status, answer) {
    super(answer.message || 'Unexpected response from the gateway.');
    this.status = status;
    this.code = answer.code || 'unknown';
    this.details = answer.details || {};
    this.requestId = answer.requestId || null;
    this.retryAfter = answer.retryAfter || null;
  }

  /** Whether the gateway could not be reached, so that it is not known whether it has read the request. */
  get isUnreachable() { return this.status === 0; }
}

/** @type {{token: string, user: API.User} | null} */
let session = null;
/** @type {Promise<boolean> | null} */
let refreshing = null;
/**
 * The first attempt to refresh the session, until its result was used.
 *
 * @type {Promise<boolean> | null}
 */
let firstAttempt = null;
/** @type {Set<(event: string) => void>} */
const observers = new Set();

/** The signed-in user; null if nobody is signed in. */
export const currentUser = () => (session ? session.user : null);
export const currentToken = () => (session ? session.token : null);

/**
 * Calls a function with `signedIn`, `signedOut` (the session has ended), `replaced` (another person has signed in in this browser)
 * or `forbidden` (a request was refused, so the rules may have changed).
 *
 * @param {(event: string) => void} observer
 */
export function observe(observer) { observers.add(observer); }
/** @param {string} event */
function notify(event) { for (const observer of observers) observer(event); }

/** Tells the other tabs of this browser who is signed in. */
const tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('doorward-session');
if (tabs) {
  tabs.onmessage = ({ data }) => {
    if (data.type === 'signedOut' && session && data.userId === session.user.id) forget('signedOut');
    if (data.type === 'signedIn' && session && data.userId !== session.user.id) forget('replaced');
  };
}

/** @param {string} event */
function forget(event) {
  if (!session) return;
  [session, firstAttempt] = [null, null];
  notify(event);
}

/** @param {string} email @param {string} password */
export async function signIn(email, password) {
  await accept(await send('POST', '/auth/login', { body: { email, password }, isOpen: true }));
}

/**
 * Signs in with the secret of a link that `doorward demo` has printed. Other gateways have no such path.
 *
 * @param {string} token
 */
export async function signInByLink(token) {
  await accept(await send('POST', '/demo/sign-in', { body: { token }, isOpen: true, isOutside: true }));
}

/** @param {Console.Answer} data */
function accept(data) {
  const isOther = session !== null && session.user.id !== data.user.id;
  if (isOther) forget('replaced');
  session = { token: data.token, user: data.user };
  firstAttempt = null;
  if (tabs) tabs.postMessage({ type: 'signedIn', userId: data.user.id });
  notify('signedIn');
}

/** Whether this browser can have a session: a cookie that scripts can read is set and removed with the one that they cannot. */
function mayHaveSession() {
  const cookies = globalThis.document?.cookie;
  return cookies === undefined || /(^|; )doorward_session=1(;|$)/.test(cookies);
}

/**
 * Refreshes the session of this browser; returns whether there is one. Throws if the gateway cannot be reached. If the marker
 * says that there is none, no request is sent: the browser would report the refusal as an error.
 *
 * @returns {Promise<boolean>}
 */
export function restore() {
  if (!refreshing && !mayHaveSession()) return Promise.resolve(false);
  // Tabs take turns: a refresh token that is used twice ends the session.
  const renew = async () => {
    try {
      accept(await send('POST', '/auth/refresh', { isOpen: true }));
      return true;
    } catch (error) {
      if (!(error instanceof APIError)) throw error;
      if (error.status === 401) return false;
      if (!error.isUnreachable) throw error;
      // The request that needs the session was refused: its outcome is known.
      throw new APIError(503, { code: error.code, message: 'The gateway does not answer, so the session could not be continued. Nothing was carried out.' });
    }
  };
  refreshing ||= (navigator.locks ? navigator.locks.request('doorward-refresh', renew) : renew()).finally(() => {
    refreshing = null;
  });
  return refreshing;
}

/** As `restore`, but uses the attempt that has begun with the page. */
export function restoreFirst() {
  const attempt = firstAttempt;
  firstAttempt = null;
  return attempt || restore();
}

/** Ends the session. Throws if it may not have ended; the person then stays signed in. */
export async function signOut() {
  const user = currentUser();
  // If the access token has expired, the gateway accepts the refresh cookie instead.
  const logout = () => send('POST', '/auth/logout', { within: readWithin });
  try {
    await logout();
  } catch (error) {
    if (!(error instanceof APIError) || error.status !== 401) throw error;
    // The gateway accepted neither the token nor the cookie. If the session can be refreshed, it is ended with its new token; if not, it
    // has ended already.
    if (await restore()) await logout();
  }
  if (tabs && user) tabs.postMessage({ type: 'signedOut', userId: user.id });
  forget('signedOut');
}

/**
 * Sends a request of the signed-in person and returns `data` of the answer. An expired access token is renewed once.
 *
 * @param {string} method @param {string} path below `/api/v1`
 * @param {{query?: Query, body?: unknown, headers?: Record<string, string>, isProof?: boolean, isQuiet?: boolean, within?: number}} [options] `isProof` for a
 *   request with a password, which is not repeated: a second refusal would count as a second wrong password; `isQuiet` for a question
 *   whose refusal says nothing about the rules, such as one about an invitation that may have ended;
 *   `within` for the milliseconds that it may take
 */
export async function call(method, path, options = {}) {
  if (options.isProof) {
    await restore();
    return send(method, path, options);
  }
  try {
    return await send(method, path, options);
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    if (error.status === 401) {
      const user = currentUser();
      if (await restore()) {
        // The cookie may belong to another person by now: never repeat a request as a different person.
        if (user && currentUser()?.id === user.id) return send(method, path, options);
      } else {
        forget('signedOut');
      }
    }
    if (error.status === 403 && !options.isQuiet) notify('forbidden');
    throw error;
  }
}

/**
 * Sends a request to a path that needs no sign-in.
 *
 * @param {string} path @param {object} body
 */
export const callOpen = (path, body) => send('POST', path, { body, isOpen: true });

/**
 * @param {string} method @param {string} path
 * @param {{query?: Query, body?: unknown, headers?: Record<string, string>, isOpen?: boolean, isOutside?: boolean, within?: number}} options `isOutside` for a path outside the API
 * @returns {Promise<Console.Answer>}
 */
const send = (method, path, { query, body, headers, isOpen, isOutside, within }) => inTime(method, within, async (signal) => {
  const response = await request(method, path, { query, body, headers, isOpen, isOutside, signal });
  const text = await response.text().catch((error) => { throw signal.aborted ? error : unreachable(); });
  let answer;
  try {
    answer = text ? JSON.parse(text) : {};
  } catch {
    answer = {};
  }
  if (!response.ok) {
    throw new APIError(response.status, { ...answer, retryAfter: Number(response.headers.get('Retry-After')) || null });
  }
  return answer.data || {};
});

/**
 * Carries out a request that must be answered in time, a read perhaps twice.
 *
 * @template T @param {string} method @param {number | undefined} within @param {(signal: AbortSignal) => Promise<T>} attempt @returns {Promise<T>}
 */
async function inTime(method, within, attempt) {
  const isRead = method === 'GET';
  for (let left = isRead ? 1 : 0; ; left--) {
    const signal = /** @type {{timeout: (ms: number) => AbortSignal}} */ (/** @type {unknown} */ (AbortSignal)).timeout(within || (isRead ? readWithin : writeWithin));
    try {
      return await attempt(signal);
    } catch (error) {
      if (error instanceof APIError || !signal.aborted) throw error;
      if (left === 0) throw new APIError(0, { code: 'timeout', message: isRead ? 'The gateway has not answered in time.' : 'The gateway has not answered. It is not known whether it has carried this out.' });
    }
  }
}

/** @param {string} method @param {string} path @param {{query?: Query, body?: unknown, headers?: Record<string, string>, isOpen?: boolean, isOutside?: boolean, signal?: AbortSignal}} options */
export async function request(method, path, { query, body, headers = {}, isOpen, isOutside, signal }) {
  /** @type {Record<string, string>} */
  const all = { 'X-Doorward-Client': 'console', ...headers };
  if (!isOpen && session) all.Authorization = `Bearer ${session.token}`;
  if (body !== undefined) all['Content-Type'] = 'application/json';
  try {
    /** @type {RequestInit} */
    const options = { method, headers: all, cache: 'no-store', credentials: 'same-origin', redirect: 'error', signal };
    if (body !== undefined) options.body = JSON.stringify(body);
    return await fetch((isOutside ? '' : base) + path + queryText(query), options);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unreachable();
  }
}

const unreachable = () => new APIError(0, { code: 'unreachable', message: 'The gateway cannot be reached. Check the network.' });

/** @param {Query | undefined} query values that are null or empty are left out */
export function queryText(query) {
  const pairs = Object.entries(query || {}).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return pairs.length ? '?' + pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&') : '';
}

/**
 * The ETag of the last answer would be lost by `call`; this one returns it beside the data.
 *
 * @param {string} path @param {string | null} etag the known version; null for none
 * @returns {Promise<Version | null>} null if the known version is current
 */
export const readIfChanged = (path, etag) => inTime('GET', undefined, async (signal) => {
  const attempt = () => request('GET', path, { headers: etag ? { 'If-None-Match': etag } : {}, signal });
  let response = await attempt();
  if (response.status === 401 && (await restore())) response = await attempt();
  if (response.status === 304) return null;
  const answer = await response.json().catch((error) => { if (signal.aborted) throw error; return {}; });
  if (!response.ok) {
    if (response.status === 401) forget('signedOut');
    throw new APIError(response.status, answer);
  }
  return { data: answer.data, etag: response.headers.get('ETag') };
});

/**
 * The person's own data, as just read.
 *
 * @param {API.User} user
 */
export function setCurrentUser(user) { if (session && session.user.id === user.id) session.user = user; }

/**
 * Reads a file with the rights of the signed-in person, and gives it to the browser to save.
 *
 * @param {string} path @param {string} name the name of the file @param {string} refusal what to say if the gateway gives no reason
 */
export async function save(path, name, refusal) {
  let response = await request('GET', path, {});
  if (response.status === 401 && (await restore())) response = await request('GET', path, {});
  if (!response.ok) {
    const answer = await response.json().catch(() => ({}));
    throw new APIError(response.status, { ...answer, message: answer.message || refusal });
  }
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  Object.assign(link, { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

// The page loads this module before the others, so that the session is refreshed while they are loading. A sign-in link of the demo
// replaces the stored session.
if (typeof document !== 'undefined' && !location.hash.startsWith('#sign-in=')) {
  firstAttempt = restore();
  firstAttempt.catch(() => {});
}
