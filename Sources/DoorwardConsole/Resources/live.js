// Live updates: Server-Sent Events of /api/v1/stream, read with fetch. The tabs of one person in one browser share one connection:
// the tab that holds a Web Lock reads the stream and passes its events on. Where the gateway has no stream, pages read again every
// 15 seconds.
// @ts-check

/** Reads Server-Sent Events from pieces of text (https://html.spec.whatwg.org/multipage/server-sent-events.html, section 9.2.6). */
export class EventParser {
  constructor() {
    this.type = '';
    /** @type {string[]} */
    this.lines = [];
    this.id = '';
    this.rest = '';
    this.isFirst = true;
    this.afterCR = false;
    /** The id of the last event that had one. */
    this.lastId = '';
    /** @type {number | null} the milliseconds that the server asks to wait before a reconnection */
    this.retry = null;
  }

  clear() {
    [this.type, this.lines, this.id] = ['', [], this.lastId];
  }

  /** @param {string} text @returns {{event: string, data: string, id: string}[]} the events that are complete now */
  push(text) {
    /** @type {{event: string, data: string, id: string}[]} */
    const events = [];
    if (this.isFirst && text.length) {
      this.isFirst = false;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    // A line feed that follows a carriage return belongs to the same line end, also when they come in two pieces.
    if (this.afterCR && text.length) {
      this.afterCR = false;
      if (text[0] === '\n') text = text.slice(1);
    }
    this.rest += text;
    // A long line arrives in many pieces: it is parsed once, when it is complete.
    if (!/[\r\n]/.test(text)) return events;
    if (this.rest.endsWith('\r')) this.afterCR = true;
    const lines = this.rest.split(/\r\n|\r|\n/);
    this.rest = lines.pop() || '';
    for (const line of lines) {
      const event = this.take(line);
      if (event) events.push(event);
    }
    return events;
  }

  /** @param {string} line */
  take(line) {
    if (line === '') {
      this.lastId = this.id;
      const event = this.lines.length ? { event: this.type || 'message', data: this.lines.join('\n'), id: this.id } : null;
      this.clear();
      return event;
    }
    if (line[0] === ':') return null;
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? '' : line.slice(colon + 1);
    if (value[0] === ' ') value = value.slice(1);
    if (field === 'event') this.type = value;
    else if (field === 'data') this.lines.push(value);
    else if (field === 'id') { if (!value.includes('\0')) this.id = value; }
    else if (field === 'retry' && /^[0-9]+$/.test(value)) this.retry = Number(value);
    return null;
  }
}

/** @typedef {{type: string, query: string}} Need */

/**
 * The name of a subscription: equal needs have equal names, so several pages and tabs share one.
 *
 * @param {Need} need
 */
export function nameOfNeed({ type, query }) {
  if (!query) return type;
  // FNV-1a, 64 bits in two halves: the hash only has to distinguish names; it keeps nothing secret.
  let [high, low] = [0x811c9dc5, 0xcbf29ce4];
  for (let index = 0; index < query.length; index++) {
    high = Math.imul(high ^ query.charCodeAt(index), 0x01000193);
    low = Math.imul(low ^ (query.charCodeAt(index) + index), 0x01000193);
  }
  return `${type}.${(high >>> 0).toString(16).padStart(8, '0')}${(low >>> 0).toString(16).padStart(8, '0')}`;
}

/**
 * The delay before the next attempt: full jitter up to 0.5 s, doubled by each failure, at most 30 s.
 *
 * @param {number} failures
 */
export const backOff = (failures, random = Math.random) => random() * Math.min(30000, 500 * 2 ** Math.min(failures, 10));

const silence = 45000;
const pollEvery = 15000;
const calmAfter = 60000;
const askAgainAfter = 600000;
/** The gateway answers a change of the names at once; if a change gets no response for this time, the stream is opened again. */
const changeWithin = 15000;

/**
 * @typedef {{type: 'hello', tab: string} | {type: 'needs', tab: string, needs: Record<string, Need>} | {type: 'status', status: Status} | {type: 'leader'}
 *   | {type: 'event', event: string, data: Console.StreamData}} Message what the tabs tell each other
 * @typedef {{kind: 'connecting' | 'live' | 'catching up' | 'stale' | 'polling', since: number}} Status
 * @typedef {{request: (method: string, path: string, options: {body?: object, headers?: Record<string, string>, signal: AbortSignal}) => Promise<Response>, renew: () => Promise<boolean>,
 *   signedOut: () => void, onEvent: (event: string, data: Console.StreamData) => void, onStatus: (status: Status) => void}} Host
 */

export class Live {
  /** @param {Host} host */
  constructor(host) {
    this.host = host;
    /** @type {Status} */
    this.status = { kind: 'connecting', since: Date.now() };
    this.tab = Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(36)).join('');
    /** @type {Map<string, Map<string, Need>>} the needs of each tab, known to the leader */
    this.needs = new Map([[this.tab, new Map()]]);
    this.isLeader = false;
    /** @type {AbortController | null | undefined} the stream whose names are being changed */
    this.changing = null;
    this.isStopped = true;
    /** @type {string | null} */
    this.streamId = null;
    this.lastId = '';
    /**
     * The names whose snapshots are not complete.
     *
     * @type {Set<string>}
     */
    this.pending = new Set();
    /**
     * The names of which a part of the snapshot was received.
     *
     * @type {Set<string>}
     */
    this.inSnapshot = new Set();
    this.failures = 0;
    this.generation = 0;
    this.wake = () => {};
  }

  /**
   * Begins for a person, with the needs that are set already.
   *
   * @param {string} userId
   */
  start(userId) {
    const own = this.needs.get(this.tab) || new Map();
    this.stop();
    this.needs.set(this.tab, own);
    this.isStopped = false;
    const generation = ++this.generation;
    this.setStatus('connecting');
    this.ending = new AbortController();
    const { signal } = this.ending;
    addEventListener('online', () => this.wake(), { signal });
    document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'visible') this.wake(); }, { signal });
    addEventListener('pageshow', () => this.wake(), { signal });
    this.timer = setInterval(() => {
      if (this.status.kind === 'polling' && document.visibilityState === 'visible') this.host.onEvent('poll', /** @type {Console.StreamData} */ ({}));
    }, pollEvery);
    if (!navigator.locks || typeof BroadcastChannel === 'undefined') {
      this.lead(generation);
      return;
    }
    this.channel = new BroadcastChannel(`doorward-live-${userId}`);
    this.channel.onmessage = ({ data }) => this.receive(data);
    // This lock is held for the life of the tab: it tells the leader when the tab is gone.
    const held = new Promise((resolve) => { signal.addEventListener('abort', () => resolve(undefined)); });
    navigator.locks.request(`doorward-tab-${this.tab}`, () => held);
    navigator.locks.request(`doorward-leader-${userId}`, { signal }, () => this.lead(generation)).catch(() => {});
    this.channel.postMessage({ type: 'hello', tab: this.tab });
    this.tellNeeds();
  }

  /** Closes the stream, and removes all data of the person. */
  stop() {
    this.isStopped = true;
    this.isLeader = false;
    this.generation++;
    this.ending?.abort();
    this.reading?.abort();
    clearInterval(this.timer);
    this.channel?.close();
    this.channel = undefined;
    this.needs = new Map([[this.tab, new Map()]]);
    [this.streamId, this.lastId, this.failures] = [null, '', 0];
    this.pending.clear();
    this.inSnapshot.clear();
    this.wake();
  }

  /**
   * The subscriptions of this tab's page.
   *
   * @param {Need[]} needs
   */
  setNeeds(needs) {
    this.needs.set(this.tab, new Map(needs.map((need) => [nameOfNeed(need), need])));
    if (this.isLeader) this.changeSubscriptions();
    else this.tellNeeds();
  }

  tellNeeds() {
    const needs = Object.fromEntries(this.needs.get(this.tab) || []);
    this.channel?.postMessage({ type: 'needs', tab: this.tab, needs });
  }

  /** @param {Message} data */
  receive(data) {
    if (this.isLeader) {
      if (data.type === 'hello') this.channel?.postMessage({ type: 'status', status: this.status });
      if (data.type === 'needs') {
        const isNew = !this.needs.has(data.tab);
        this.needs.set(data.tab, new Map(Object.entries(data.needs)));
        this.changeSubscriptions();
        if (isNew) {
          navigator.locks.request(`doorward-tab-${data.tab}`, () => {
            this.needs.delete(data.tab);
            this.changeSubscriptions();
          });
        }
      }
      return;
    }
    if (data.type === 'status') this.showStatus(data.status);
    if (data.type === 'event') this.host.onEvent(data.event, data.data);
    if (data.type === 'leader') {
      this.channel?.postMessage({ type: 'hello', tab: this.tab });
      this.tellNeeds();
    }
  }

  /** @param {Status['kind']} kind */
  setStatus(kind) {
    if (this.status.kind === kind) return;
    const status = { kind, since: Date.now() };
    this.showStatus(status);
    this.channel?.postMessage({ type: 'status', status });
  }

  /** @param {Status} status */
  showStatus(status) {
    this.status = status;
    this.host.onStatus(status);
  }

  /** The subscriptions of all tabs. */
  wanted() {
    /** @type {Map<string, Need>} */
    const all = new Map();
    for (const needs of this.needs.values()) for (const [name, need] of needs) all.set(name, need);
    return all;
  }

  /** Changes the names of the open stream to the wanted ones, one request after the other: two at a time could overtake each other. */
  async changeSubscriptions() {
    const { reading, streamId, subscribed } = this;
    if (!reading || !streamId || !subscribed || this.changing === reading) return;
    // Each stream has changes of its own, so that a request which never ends delays no later stream.
    this.changing = reading;
    try {
      while (!reading.signal.aborted) {
        const wanted = this.wanted();
        const added = [...wanted].find(([name]) => !subscribed.has(name));
        const dropped = [...subscribed.keys()].find((name) => !wanted.has(name));
        if (added) subscribed.set(...added);
        else if (dropped !== undefined) subscribed.delete(dropped);
        else return;
        const path = `/stream/${encodeURIComponent(streamId)}/subscriptions/${added ? added[0] : dropped}`;
        await this.change(added ? 'PUT' : 'DELETE', path, added ? { body: added[1] } : {}, reading);
        if (!added && dropped !== undefined && !reading.signal.aborted) this.caughtUp(dropped);
      }
    } catch {
      // It is unknown which names the stream has now: open it again, with all names.
      reading.abort();
    } finally {
      if (this.changing === reading) this.changing = null;
    }
  }

  /** @param {string} method @param {string} path @param {{body?: Need}} options @param {AbortController} reading the stream that is changed; the request ends with it */
  async change(method, path, options, reading) {
    const attempt = () => this.host.request(method, path, { ...options, signal: reading.signal });
    const timer = setTimeout(() => reading.abort(), changeWithin);
    try {
      let response = await attempt();
      // The stream outlives the access token with which it was opened.
      if (response.status === 401 && (await this.host.renew())) response = await attempt();
      if (!response.ok) throw new Error(`The stream answered ${response.status}.`);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Reads the stream as long as this tab leads.
   *
   * @param {number} generation
   */
  async lead(generation) {
    const isCurrent = () => !this.isStopped && this.generation === generation;
    if (!isCurrent()) return;
    this.isLeader = true;
    this.channel?.postMessage({ type: 'leader' });
    while (isCurrent()) {
      const began = Date.now();
      let delay = 0;
      try {
        const outcome = await this.read();
        if (outcome === 'none') {
          this.setStatus('polling');
          delay = askAgainAfter;
        }
      } catch {
        // Every failure is handled in the same way: show since when no event was received, and connect again.
      }
      if (!isCurrent()) return;
      if (!delay) {
        if (this.status.kind === 'live' || this.status.kind === 'catching up') this.setStatus('stale');
        this.failures = Date.now() - began > calmAfter ? 0 : this.failures + 1;
        delay = this.closingDelay ?? backOff(this.failures);
        this.closingDelay = undefined;
      }
      await this.pause(delay);
    }
  }

  /**
   * Waits; a return to the page or to the network ends the wait within a second.
   *
   * @param {number} delay
   */
  pause(delay) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delay);
      this.wake = () => {
        if (this.status.kind === 'polling') { resolve(undefined); clearTimeout(timer); return; }
        clearTimeout(timer);
        setTimeout(resolve, Math.min(delay, Math.random() * 1000));
      };
    });
  }

  /**
   * Opens the stream and reads it to its end.
   *
   * @returns {Promise<'none' | 'ended'>} `none` if the gateway has no stream
   */
  async read() {
    const subscribed = this.wanted();
    const reading = new AbortController();
    this.reading = reading;
    // A response that does not come counts as silence, too.
    let watchdog = setTimeout(() => reading.abort(), silence);
    const attempt = () => this.host.request('POST', '/stream', {
      body: { subscriptions: Object.fromEntries(subscribed) }, signal: reading.signal,
      headers: { Accept: 'text/event-stream', ...(this.lastId ? { 'Last-Event-ID': this.lastId } : {}) },
    });
    let response = await attempt();
    if (response.status === 401) {
      if (!(await this.host.renew())) {
        this.host.signedOut();
        return 'ended';
      }
      response = await attempt();
    }
    if (response.status === 404 || response.status === 405) return 'none';
    if (!response.ok || !response.body) throw new Error(`The stream answered ${response.status}.`);
    this.subscribed = subscribed;
    const parser = new EventParser();
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    this.wake = () => {};
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return 'ended';
        clearTimeout(watchdog);
        watchdog = setTimeout(() => reading.abort(), silence);
        for (const { event, data } of parser.push(decoder.decode(value, { stream: true }))) this.take(event, JSON.parse(data));
        this.lastId = parser.lastId || this.lastId;
      }
    } finally {
      clearTimeout(watchdog);
      reading.abort();
      [this.streamId, this.subscribed] = [null, undefined];
    }
  }

  /** @param {string} name what is complete, or is not wanted any more, so that its end does not come */
  caughtUp(name) {
    this.pending.delete(name);
    this.inSnapshot.delete(name);
    if (this.pending.size === 0) this.setStatus('live');
  }

  /** @param {string} event @param {Console.StreamData} data */
  take(event, data) {
    switch (event) {
      case 'stream':
        this.streamId = data.streamId;
        // After a resumption, complete names get only what has changed, and incomplete ones are reset and sent again: pending names stay
        // pending.
        if (!data.resumed) {
          this.pending = new Set(this.subscribed?.keys());
          this.inSnapshot.clear();
        }
        this.setStatus(this.pending.size === 0 ? 'live' : 'catching up');
        this.changeSubscriptions();
        break;
      case 'position': break;
      case 'closing': this.closingDelay = Math.random() * (data.retryAfterMs || 0); break;
      case 'reset':
        this.pending.add(data.name);
        this.inSnapshot.delete(data.name);
        this.setStatus('catching up');
        break;
      case 'snapshot':
        // The tabs share the stream: the page of another tab can have begun in the middle of a snapshot.
        data = { ...data, isFirst: !this.inSnapshot.has(data.name) };
        this.inSnapshot.add(data.name);
        break;
      case 'ready':
      case 'refused':
      case 'revoked':
        this.caughtUp(data.name);
        break;
      default: break;
    }
    if (event === 'position' || event === 'stream' || event === 'closing') return;
    this.channel?.postMessage({ type: 'event', event, data });
    this.host.onEvent(event, data);
  }
}

/**
 * @template T
 * @typedef {{name: string | null, newer: Map<string, T | null>, whole: Set<string> | null}} Reading
 */

/**
 * Objects of a page, which it reads and the stream keeps up to date. Objects that the stream sends during a read are newer than the
 * result of the read.
 *
 * @template {Console.Named} T
 * @template {Need | null} [N=Need | null] null where the stream sends nothing
 */
export class LiveObjects {
  /**
   * @param {N} need
   * @param {(object: T, isNamed: boolean) => boolean} isOwn whether an object belongs to the page, which came under the name of the need or, as the
   *   tabs share the stream, under another one
   */
  constructor(need, isOwn) {
    this.need = need;
    this.isOwn = isOwn;
    /** @type {Map<string, T>} */
    this.objects = new Map();
    /**
     * The objects of the snapshot that is being received.
     *
     * @type {Set<string> | null}
     */
    this.named = null;
    /**
     * The objects received during each read (null for a removed object), and the objects of a complete snapshot.
     *
     * @type {Set<Reading<T>>}
     */
    this.reads = new Set();
  }

  /**
   * Reads the objects again.
   *
   * @param {() => Promise<T[] | null>} read null if nobody wants what it has read @param {Need | null} [need] the need that it is for
   */
  async read(read, need = this.need) {
    /** @type {Reading<T>} */
    const coming = { name: need && nameOfNeed(need), newer: new Map(), whole: null };
    this.reads.add(coming);
    try {
      const found = await read();
      if (!found) return;
      const { newer, whole } = coming;
      this.objects = new Map(found.filter(({ id }) => !whole || whole.has(id)).map((object) => [object.id, object]));
      for (const [id, object] of newer) {
        if (!object) this.objects.delete(id);
        else if (this.isOwn(object, true)) this.objects.set(id, object);
      }
    } finally {
      this.reads.delete(coming);
    }
  }

  /**
   * Changes the need. Objects received for the previous need do not belong to a snapshot of the new one.
   *
   * @param {N} need
   */
  follow(need) {
    if ((need && nameOfNeed(need)) !== (this.need && nameOfNeed(this.need))) this.named = null;
    this.need = need;
  }

  /**
   * Whether an event is for the name of the need.
   *
   * @param {Console.StreamData} data
   */
  isNamed(data) {
    const name = this.need && nameOfNeed(this.need);
    return name !== null && (data.name === name || data.names?.includes(name) === true);
  }

  /**
   * Takes an event of the stream.
   *
   * @param {string} event @param {Console.StreamData} data @returns {boolean} whether the objects are others now
   */
  take(event, data) {
    if (!this.need) return false;
    let isChanged = false;
    const isNamed = this.isNamed(data);
    const sent = data.type !== this.need.type ? [] : event === 'change' ? [data.object] : event === 'snapshot' ? data.objects : [];
    for (const object of sent) if (this.isOwn(object, isNamed)) isChanged = this.put(object.id, object) || isChanged;
    if (!isNamed) return isChanged;
    if (event === 'revoked' || (event === 'refused' && data.code === 'forbidden')) return this.drop();
    // A snapshot follows; objects of an earlier, incomplete snapshot do not count.
    if (event === 'reset') this.named = null;
    if (event === 'removed') return this.put(data.id, null);
    if (event === 'snapshot') {
      if (data.isFirst) this.named = new Set();
      for (const { id } of data.objects) this.named?.add(id);
    }
    if (event === 'ready' && this.named) {
      // A complete snapshot contains all objects: an object that is not in it no longer exists.
      for (const id of this.objects.keys()) if (!this.named.has(id)) isChanged = this.put(id, null) || isChanged;
      for (const coming of this.reads) if (coming.name === data.name) coming.whole = this.named;
      this.named = null;
    }
    return isChanged;
  }

  /**
   * Forgets all objects, also those that are being read: the right to them has ended.
   *
   * @returns {boolean} whether there were any
   */
  drop() {
    const hadAny = this.objects.size > 0;
    this.objects.clear();
    for (const coming of this.reads) {
      coming.newer.clear();
      coming.whole = new Set();
    }
    this.named = null;
    return hadAny;
  }

  /**
   * Sets an object to the value in a response of the gateway; null for a removed object.
   *
   * @param {string} id @param {T | null} object @returns {boolean} whether it is another one
   */
  put(id, object) {
    for (const { newer } of this.reads) newer.set(id, object);
    if (object === null) return this.objects.delete(id);
    if (JSON.stringify(this.objects.get(id)) === JSON.stringify(object)) return false;
    this.objects.set(id, object);
    return true;
  }
}
