// Tests of the console's modules that need no page. scripts/test-pages copies them beside the modules and runs them with Node.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

// The modules open a channel to other tabs where there is one, which would keep Node running.
globalThis.BroadcastChannel = undefined;
process.env.TZ = 'Europe/Berlin';

const { Ability, isOpen, places, unpackRules } = await import('./ability.js');
const { EventParser, Live, LiveObjects, backOff, nameOfNeed } = await import('./live.js');
const { heaviestRun, isSafeAddress } = await import('./view.js');
const words = await import('./words.js');
const { actorOf, describe, merged } = await import('./records.js');
const { localText, resolved, standing, titleOf } = await import('./guest-times.js');
const { default: guestsPage } = await import('./guests.js');
const { invitationDialog, openInvitation } = await import('./invite.js');
const { Scopes } = await import('./scopes.js');
const { counters, default: doorsPage } = await import('./doors.js');
const { call, currentUser, queryText, readIfChanged, restore, signIn, signOut } = await import('./api.js');

/** Pseudo-random numbers from a seed (mulberry32). */
function generator(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// --- Abilities ---

const rules = [
  { action: ['UNLOCK', 'LOCK'], subject: ['LockDevice'], conditions: { unitId: 'u1' } },
  { action: ['read'], subject: ['LockDevice'], conditions: { unitId: 'u1' }, fields: ['name', 'state'] },
  { action: ['UNLOCK'], subject: ['LockDevice'], conditions: { propertyId: { $in: ['p1', 'p2'] } }, inverted: true, reason: 'lockdown_active' },
  { action: ['UNLATCH'], subject: ['LockDevice'], conditions: { capabilities: { $nin: ['UNLATCH'] } }, inverted: true, reason: 'capability_missing' },
];

test('nothing is allowed before the rules are known, nor without a rule', () => {
  for (const ability of [new Ability(null), new Ability([])]) {
    assert.equal(ability.can('UNLOCK', 'LockDevice', { unitId: 'u1' }), false);
    assert.equal(ability.can('read', 'Portfolio'), false);
  }
  assert.equal(new Ability(null).isKnown, false);
  assert.equal(new Ability([]).isKnown, true);
});

test('the last rule that applies decides, and a forbidding rule names its reason', () => {
  const ability = new Ability(rules);
  const door = { unitId: 'u1', propertyId: 'p3', capabilities: ['UNLATCH'] };
  assert.equal(ability.can('UNLOCK', 'LockDevice', door), true);
  assert.equal(ability.reason('UNLOCK', 'LockDevice', door), null);
  const closed = { ...door, propertyId: 'p2' };
  assert.equal(ability.can('UNLOCK', 'LockDevice', closed), false);
  assert.equal(ability.holds('UNLOCK', 'LockDevice', closed), true);
  assert.equal(ability.reason('UNLOCK', 'LockDevice', closed), 'lockdown_active');
  assert.equal(ability.can('LOCK', 'LockDevice', closed), true);
  // What the person does not hold has no reason to show.
  const other = { ...closed, unitId: 'u2' };
  assert.equal(ability.holds('UNLOCK', 'LockDevice', other), false);
  assert.equal(ability.reason('UNLOCK', 'LockDevice', other), null);
});

test('without an object the question is about any of the type, and with a field about this field', () => {
  const ability = new Ability(rules);
  assert.equal(ability.can('UNLOCK', 'LockDevice'), true);
  assert.equal(ability.can('UNLOCK', 'Property'), false);
  assert.equal(ability.can('read', 'LockDevice', { unitId: 'u1' }, 'state'), true);
  assert.equal(ability.can('read', 'LockDevice', { unitId: 'u1' }, 'address'), false);
  assert.equal(ability.can('read', 'LockDevice', { unitId: 'u2' }, 'state'), false);
});

test('an operator that is not known neither allows nor forbids', () => {
  const odd = new Ability([{ action: ['UNLOCK'], subject: ['LockDevice'], conditions: { id: { $regex: '.*' } } }]);
  assert.equal(odd.can('UNLOCK', 'LockDevice', { id: 'a' }), false);
});

test('packed rules decide as the plain ones do', () => {
  const packed = [
    ['UNLOCK,LOCK', 'LockDevice', { unitId: 'u1' }], ['read', 'LockDevice', { unitId: 'u1' }, 0, 'name,state'],
    ['UNLOCK', 'LockDevice', { propertyId: { $in: ['p1', 'p2'] } }, 1, 0, 'lockdown_active'],
    ['UNLATCH', 'LockDevice', { capabilities: { $nin: ['UNLATCH'] } }, 1, 0, 'capability_missing'],
  ];
  assert.deepEqual(unpackRules(packed), rules);
});

test('random rules decide as a naive reading of CASL does', () => {
  const random = generator(7);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const some = (list) => list.filter(() => random() < 0.5);
  const [actions, subjects, units] = [['a', 'b', 'c'], ['S', 'T'], ['1', '2', '3']];
  for (let round = 0; round < 3000; round++) {
    const world = Array.from({ length: Math.floor(random() * 6) }, () => ({
      action: some(actions), subject: some(subjects), inverted: random() < 0.3,
      conditions: pick([undefined, { unit: pick(units) }, { unit: { $in: some(units) } }, { list: { $nin: some(units) } }]),
    }));
    const object = { unit: pick(units), list: some(units) };
    const [action, subject] = [pick(actions), pick(subjects)];
    let expected = false;
    for (const rule of world) {
      if (!rule.action.includes(action) || !rule.subject.includes(subject)) continue;
      const { unit, list } = rule.conditions || {};
      if (typeof unit === 'string' && unit !== object.unit) continue;
      if (unit && unit.$in && unit.$in.indexOf(object.unit) < 0) continue;
      if (list && list.$nin.some((one) => object.list.indexOf(one) >= 0)) continue;
      expected = !rule.inverted;
    }
    assert.equal(new Ability(world).can(action, subject, object), expected, JSON.stringify({ world, action, subject, object }));
  }
});

test('the table of pages in docs/console.md is the one that the console uses', () => {
  const page = readFileSync(process.env.CONSOLE_PAGE, 'utf8');
  for (const { title, path, requires, meaning } of places) {
    const needs = requires.length ? requires.map(([action, subject]) => `\`${action}\` on \`${subject}\``).join(' or ') : 'a sign-in';
    assert.ok(page.includes(`| ${title} | \`${path}\` | ${needs} | ${meaning} |`), `| ${title} | \`${path}\` | ${needs} | ${meaning} |`);
  }
  const tenant = new Ability(rules);
  assert.deepEqual(places.filter((place) => isOpen(place, tenant)).map(({ id }) => id), ['doors', 'account', 'more']);
});

/** What a page asks of the stream when it opens, with a gateway that answers every request with nothing. */
async function needsOf(module, path) {
  const { default: page } = await import(`./${module}.js`);
  const asked = [];
  const context = {
    ability: new Ability(null), user: { id: 'u1', defaultPropertyId: null }, memory: new Map(), commands: { of: () => null, isRunning: () => false },
    redraw() {}, announce() {}, note() {}, go() {}, need: (needs) => asked.push(needs),
  };
  const state = page.start(context, path, new URLSearchParams());
  await state.firstRead;
  for (let turns = 0; turns < 20; turns++) await turn();
  page.end?.(state);
  return asked.at(-1) || [];
}

test('the table of live data in docs/console.md names what each page asks of the stream', async () => {
  const before = { fetch: globalThis.fetch, localStorage: globalThis.localStorage };
  const none = { totalItems: 0, totalPages: 1 };
  const data = {
    devices: [], pagination: none, device: { id: 'ID', name: 'Door', state: 'LOCKED', propertyId: 'PROPERTY', unitId: 'UNIT', capabilities: [] }, permissions: [],
    property: { id: 'ID', portfolioId: 'PORTFOLIO' }, unit: { id: 'ID', propertyId: 'PROPERTY' }, units: [], discoveredDevices: [], properties: [],
  };
  Object.assign(globalThis, { fetch: async () => new Response(JSON.stringify({ data })), localStorage: { getItem: () => null, setItem() {} } });
  try {
    const page = readFileSync(process.env.CONSOLE_PAGE, 'utf8');
    const lists = [
      ['Doors', 'doors'], ['A door', 'door'], ['Property', 'property'], ['Unit', 'unit'], ['Guests', 'guests'], ['Log', 'log'], ['People', 'people'],
      ['A person', 'person'], ['Portfolio', 'portfolio']];
    for (const [title, module] of lists) {
      const needs = (await needsOf(module, ['ID'])).map(({ type, query }) => (query ? `\`${type}\` with \`${query}\`` : `\`${type}\``)).join(', ');
      // What differs where there are many doors follows, and has a test of its own.
      assert.ok([' |', ';'].some((end) => page.includes(`| ${title} | ${needs}${end}`)), `| ${title} | ${needs} |`);
    }
  } finally {
    Object.assign(globalThis, before);
  }
});

test('a check sends no request', () => {
  const { fetch } = globalThis;
  globalThis.fetch = () => assert.fail('a request');
  const ability = new Ability(rules);
  const began = performance.now();
  let allowed = 0;
  for (let number = 0; number < 200000; number++) if (ability.can('UNLOCK', 'LockDevice', { unitId: `u${number % 2}`, propertyId: `p${number % 5}` })) allowed++;
  console.log(`${Math.round(200000 / (performance.now() - began) * 1000).toLocaleString('en-GB')} checks a second`);
  globalThis.fetch = fetch;
  assert.equal(allowed, 60000);
});

// --- Subscriptions ---

test('whatever pages ask for and drop while requests are under way, the gateway has in the end what is wanted, and permissions always', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = generator(seed);
    // A gateway that carries requests out in the order in which they arrive, each after a time of its own.
    const server = new Set(['permissions']);
    let underWay = 0;
    const request = async (method, path) => {
      underWay++;
      for (let turns = Math.floor(random() * 6); turns > 0; turns--) await Promise.resolve();
      const name = decodeURIComponent(path.split('/').at(-1));
      if (method === 'PUT') server.add(name);
      else server.delete(name);
      underWay--;
      return new Response('{}');
    };
    const live = new Live({ request, renew: async () => true, signedOut() {}, onEvent() {}, onStatus() {} });
    Object.assign(live, { isLeader: true, reading: new AbortController(), streamId: 's1', subscribed: new Map([['permissions', { type: 'permissions', query: '' }]]) });
    const types = ['device', 'guestAccess', 'accessRecord', 'property', 'unit'];
    let wanted = [];
    for (let step = 0; step < 500; step++) {
      wanted = types.filter(() => random() < 0.4);
      live.setNeeds([{ type: 'permissions', query: '' }, ...wanted.map((type) => ({ type, query: '' }))]);
      for (let turns = Math.floor(random() * 4); turns > 0; turns--) await Promise.resolve();
      assert.ok(server.has('permissions'));
    }
    for (let turn = 0; turn < 200 || underWay > 0; turn++) await Promise.resolve();
    assert.deepEqual([...server].sort(), ['permissions', ...wanted].sort(), `seed ${seed}`);
  }
});

/** A leading tab whose stream is open with the permissions only. */
function openLive(request, renew = async () => true) {
  const live = new Live({ request, renew, signedOut() {}, onEvent() {}, onStatus() {} });
  const open = (streamId) => Object.assign(live, { reading: new AbortController(), streamId, subscribed: new Map([['permissions', { type: 'permissions', query: '' }]]) });
  Object.assign(live, { isLeader: true });
  open('s1');
  return { live, open };
}
const permissionsAnd = (...types) => ['permissions', ...types].map((type) => ({ type, query: '' }));

test('a change of the names that is refused ends the stream, so that it is opened again; an expired token is renewed first', async () => {
  for (const [statuses, isRenewed, isOpen] of [[[200], true, true], [[204], true, true], [[429], true, false], [[503], true, false], [[404], true, false], [[401, 200], true, true], [[401, 401], true, false], [[401], false, false]]) {
    const asked = [...statuses];
    const { live } = openLive(async () => new Response(null, { status: asked.shift() }), async () => isRenewed);
    live.setNeeds(permissionsAnd('device'));
    await new Promise(setImmediate);
    assert.deepEqual([asked, live.reading.signal.aborted], [[], !isOpen], String(statuses));
  }
});

test('a change of the names that gets no answer ends with its stream, and delays none of the next stream', async () => {
  const asked = [];
  const { live, open } = openLive((method, path, { signal }) => {
    asked.push(`${method} ${path}`);
    if (path.includes('/s2/')) return Promise.resolve(new Response(null, { status: 204 }));
    return new Promise((_, reject) => { signal.addEventListener('abort', () => reject(signal.reason)); });
  });
  live.setNeeds(permissionsAnd('device'));
  live.setNeeds(permissionsAnd('unit'));
  const first = live.reading;
  open('s2');
  live.setNeeds(permissionsAnd('unit'));
  await new Promise(setImmediate);
  assert.deepEqual(asked, ['PUT /stream/s1/subscriptions/device', 'PUT /stream/s2/subscriptions/unit']);
  first.abort();
  await new Promise(setImmediate);
  assert.equal(live.reading.signal.aborted, false);
  live.setNeeds(permissionsAnd());
  await new Promise(setImmediate);
  assert.equal(asked.at(-1), 'DELETE /stream/s2/subscriptions/unit');
});

test('a name that is dropped before it is complete is not waited for', async () => {
  const { live } = openLive(async () => new Response(null, { status: 204 }));
  live.subscribed.set('device', { type: 'device', query: '' });
  live.pending = new Set(['permissions', 'device']);
  live.setStatus('catching up');
  live.take('ready', { name: 'permissions' });
  assert.equal(live.status.kind, 'catching up');
  live.setNeeds(permissionsAnd());
  await new Promise(setImmediate);
  assert.equal(live.status.kind, 'live');
});

test('after a stream is resumed, only what was not complete before is waited for', () => {
  for (const [pending, kind] of [[[], 'live'], [['device'], 'catching up']]) {
    const { live } = openLive(async () => new Response(null, { status: 204 }));
    live.subscribed.set('device', { type: 'device', query: '' });
    // As after an attempt to open it again.
    live.pending = new Set(pending);
    live.take('stream', { streamId: 's2', resumed: true });
    assert.equal(live.status.kind, kind);
    live.take('ready', { name: 'device' });
    assert.equal(live.status.kind, 'live');
    live.take('reset', { name: 'device' });
    assert.equal(live.status.kind, 'catching up');
    live.take('ready', { name: 'device' });
    assert.equal(live.status.kind, 'live');
  }
});

test('the first part of a snapshot is marked, so that a page which begins in the middle knows that it has not seen all', async () => {
  const seen = [];
  const live = new Live({ request: async () => new Response(null, { status: 204 }), renew: async () => true, signedOut() {}, onEvent: (event, data) => { if (event === 'snapshot') seen.push([data.name, data.isFirst]); }, onStatus() {} });
  Object.assign(live, { isLeader: true, reading: new AbortController(), streamId: 's1' });
  live.subscribed = new Map(permissionsAnd('device').map((need) => [need.type, need]));
  const part = (name) => live.take('snapshot', { name, type: name, objects: [], last: false });
  const marks = () => seen.splice(0).map(([name, isFirst]) => `${name} ${isFirst}`);
  part('device');
  part('permissions');
  part('device');
  assert.deepEqual(marks(), ['device true', 'permissions true', 'device false']);
  live.take('ready', { name: 'device' });
  part('permissions');
  part('device');
  assert.deepEqual(marks(), ['permissions false', 'device true']);
  live.take('reset', { name: 'device' });
  part('device');
  // A name that is dropped and wanted again begins anew, and so does everything with another stream.
  live.setNeeds(permissionsAnd());
  await new Promise(setImmediate);
  live.setNeeds(permissionsAnd('device'));
  await new Promise(setImmediate);
  part('device');
  part('device');
  live.take('stream', { streamId: 's2', resumed: false });
  part('device');
  assert.deepEqual(marks(), ['device true', 'device true', 'device false', 'device true']);
});

// --- Requests ---

test('a read that gets no answer is sent once more, and then failed in words; nothing else is ever sent twice', async () => {
  const before = { fetch: globalThis.fetch, timeout: AbortSignal.timeout };
  try {
    for (const [method, silent, isAnswered, attempts] of [['GET', 1, true, 2], ['GET', 2, false, 2], ['POST', 1, false, 1], ['PUT', 1, false, 1], ['DELETE', 1, false, 1]]) {
      for (const isBody of [false, true]) {
        const times = [];
        AbortSignal.timeout = () => {
          const controller = new AbortController();
          times.push(() => controller.abort(new DOMException('', 'TimeoutError')));
          return controller.signal;
        };
        let asked = 0;
        globalThis.fetch = async (_, { signal }) => {
          const isSilent = asked++ < silent;
          const end = new Promise((_, reject) => { signal.addEventListener('abort', () => reject(signal.reason)); });
          if (isSilent && isBody) return { ok: true, status: 200, headers: new Headers(), text: () => end };
          return isSilent ? end : new Response('{"data": {"is": "here"}}');
        };
        const answer = call(method, '/devices').catch((error) => error);
        for (let attempt = 0; attempt < silent; attempt++) {
          for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate);
          times[attempt]?.();
        }
        const result = await answer;
        assert.equal(asked, attempts, method);
        if (isAnswered) assert.deepEqual(result, { is: 'here' });
        else assert.deepEqual([result.status, result.code, result.isUnreachable], [0, 'timeout', true]);
        if (!isAnswered) assert.match(result.message, method === 'GET' ? /^The gateway has not answered in time\.$/ : /not known whether it has carried this out/);
      }
    }
  } finally {
    globalThis.fetch = before.fetch;
    AbortSignal.timeout = before.timeout;
  }
});

test('the permissions are read again, too, if they get no answer', async () => {
  const before = { fetch: globalThis.fetch, timeout: AbortSignal.timeout };
  try {
    let asked = 0;
    AbortSignal.timeout = () => AbortSignal.abort(new DOMException('', 'TimeoutError'));
    globalThis.fetch = async (_, { signal }) => {
      if (asked++ === 0) throw signal.reason;
      return new Response('{"data": {"rules": []}}', { headers: { ETag: '"e"' } });
    };
    assert.deepEqual(await readIfChanged('/users/me/permissions', null), { data: { rules: [] }, etag: '"e"' });
    assert.equal(asked, 2);
  } finally {
    globalThis.fetch = before.fetch;
    AbortSignal.timeout = before.timeout;
  }
});

// --- Server-Sent Events ---

const streams = [
  ['event: change\ndata: {"a":1}\nid: x1\n\n', [{ event: 'change', data: '{"a":1}', id: 'x1' }]],
  ['data: one\ndata: two\n\n', [{ event: 'message', data: 'one\ntwo', id: '' }]],
  [': padding\n\ndata:no space\n\n', [{ event: 'message', data: 'no space', id: '' }]],
  ['id: 7\n\ndata: a\n\n', [{ event: 'message', data: 'a', id: '7' }]],
  ['event: lonely\n\ndata: b\n\n', [{ event: 'message', data: 'b', id: '' }]],
  ['data\n\ndata:  x\n\n', [{ event: 'message', data: '', id: '' }, { event: 'message', data: ' x', id: '' }]],
  ['id: a\0b\ndata: c\n\n', [{ event: 'message', data: 'c', id: '' }]],
  ['data: unfinished\n', []],
  ['\ufeffdata: bom\n\n', [{ event: 'message', data: 'bom', id: '' }]],
  ['unknown: field\ndata: ü€😀\n\n', [{ event: 'message', data: 'ü€😀', id: '' }]],
];

test('events are read alike with every line end, and however they are cut', () => {
  for (const [text, expected] of streams) {
    for (const end of ['\n', '\r\n', '\r']) {
      const source = text.replaceAll('\n', end);
      for (let cut = 0; cut <= source.length; cut++) {
        const parser = new EventParser();
        const events = [...parser.push(source.slice(0, cut)), ...parser.push(source.slice(cut))];
        assert.deepEqual(events, expected, JSON.stringify([source, cut]));
      }
      const parser = new EventParser();
      assert.deepEqual([...source].flatMap((character) => parser.push(character)), expected);
    }
  }
});

test('the last id and the time to wait are kept', () => {
  const parser = new EventParser();
  parser.push('retry: 1500\nid: one\ndata: x\n\nretry: soon\nid: two\n');
  assert.equal(parser.retry, 1500);
  assert.equal(parser.lastId, 'one');
  parser.push('\n');
  assert.equal(parser.lastId, 'two');
});

test('equal needs have equal names, others do not, and every name is allowed', () => {
  const seen = new Map();
  for (let number = 0; number < 2000; number++) {
    const need = { type: 'device', query: `propertyId=${number}&q=${'x'.repeat(number % 50)}` };
    const name = nameOfNeed(need);
    assert.equal(name, nameOfNeed({ ...need }));
    assert.match(name, /^[A-Za-z0-9._-]{1,64}$/);
    assert.ok(!seen.has(name));
    seen.set(name, need);
  }
  assert.equal(nameOfNeed({ type: 'permissions', query: '' }), 'permissions');
});

test('the delay of a reconnection grows to 30 s, and is spread from zero on', () => {
  assert.equal(backOff(0, () => 0.999), 0.999 * 500);
  assert.equal(backOff(3, () => 0.5), 2000);
  assert.ok(backOff(50, () => 1) <= 30000);
  assert.equal(backOff(50, () => 0), 0);
});

test('the elements that stay are an ascending run, and no other one weighs more', () => {
  const random = generator(3);
  for (let round = 0; round < 2000; round++) {
    const entries = Array.from({ length: Math.floor(random() * 8) }, () => ({ at: Math.floor(random() * 9) - 1, weight: [1, 100, 10000][Math.floor(random() * 3)] }));
    const weigh = (indices) => {
      const places = indices.map((index) => entries[index].at);
      if (places.some((at, index) => at < 0 || (index > 0 && at <= places[index - 1]))) return -1;
      return indices.reduce((sum, index) => sum + entries[index].weight, 0);
    };
    let best = 0;
    for (let mask = 0; mask < 1 << entries.length; mask++) best = Math.max(best, weigh(entries.map((_, index) => index).filter((index) => mask & (1 << index))));
    assert.equal(weigh([...heaviestRun(entries)].sort((a, b) => a - b)), best, JSON.stringify(entries));
  }
});

// --- Addresses and texts ---

test('an address with a script is no address', () => {
  for (const safe of ['#/doors', '/console/x.js', 'https://a.example/g/1', 'http://127.0.0.1:1/', 'data:image/svg+xml,%3Csvg%3E']) assert.ok(isSafeAddress(safe), safe);
  for (const unsafe of ['javascript:alert(1)', ' javascript:alert(1)', 'JAVASCRIPT:1', 'data:text/html,x', '//evil.example', 'vbscript:1', 'file:///etc/passwd', '']) assert.ok(!isSafeAddress(unsafe), unsafe);
});

test('a query leaves out what is empty and encodes the rest', () => {
  assert.equal(queryText({ q: 'a&b=c', page: 1, none: null, empty: '', off: false }), '?q=a%26b%3Dc&page=1&off=false');
  assert.equal(queryText({}), '');
  assert.equal(queryText(undefined), '');
});

test('times are told as a person would', () => {
  const now = new Date('2026-11-25T12:00:00+01:00');
  const cases = [
    ['2026-11-25T10:59:40Z', 'just now'], ['2026-11-25T10:58:00Z', '2 min ago'], ['2026-11-25T09:00:00Z', '2 h ago'],
    ['2026-11-24T22:30:00Z', 'yesterday 23:30'], ['2026-03-02T08:05:00Z', 'Mon 2 Mar 09:05'], ['2024-02-29T23:30:00Z', '1 Mar 2024 00:30'],
  ];
  for (const [instant, expected] of cases) assert.equal(words.ago(instant, now).replace(',', ''), expected, instant);
  assert.equal(words.dayTime('2026-11-25T23:30:00Z', now), 'tomorrow 00:30');
  // A day with 25 hours is one day, too.
  assert.equal(words.dayOf(new Date('2026-10-25T23:30:00+01:00'), new Date('2026-10-26T00:10:00+01:00')), 'yesterday');
});

test('every reason and cause of the API has words', () => {
  for (const reason of [
    'user_unknown', 'user_disabled', 'device_unknown', 'device_unassigned', 'no_association', 'guest_access_revoked', 'grantor_lost_access',
    'role_insufficient', 'operation_not_granted', 'guest_window_ended', 'guest_uses_exhausted', 'guest_window_not_started', 'outside_schedule',
    'clock_untrusted', 'feature_unavailable', 'capability_missing', 'remote_operation_disabled', 'lockdown_active', 'forbidden',
  ]) assert.match(words.reasonOf(reason), /^[A-Z].*\.$/, reason);
  for (const outcomeDetail of [
    'jammed', 'device_offline', 'deadline_passed', 'shutting_down', 'busy', 'not_authorised', 'invalid_code', 'low_power', 'not_calibrated',
    'unsupported', 'transport', 'other',
  ]) assert.notEqual(words.outcomeOf({ state: 'FAILED', operation: 'UNLOCK', outcomeDetail }), 'The lock did not do it.', outcomeDetail);
});

test('only a confirmed command is called done', () => {
  for (const state of ['FAILED', 'TIMED_OUT', 'UNKNOWN', 'DENIED']) {
    assert.doesNotMatch(words.outcomeOf({ state, operation: 'UNLOCK', outcomeDetail: 'other' }), /Unlocked/, state);
  }
  assert.equal(words.outcomeOf({ state: 'CONFIRMED', operation: 'UNLOCK', changed: true }), 'Unlocked. The lock confirmed it.');
  assert.equal(words.outcomeOf({ state: 'CONFIRMED', operation: 'LOCK', changed: false }), 'Locked already; the lock confirmed it.');
});

test('what a person never holds is hidden, and what they hold but not now is shown', () => {
  for (const reason of ['no_association', 'role_insufficient', 'operation_not_granted', 'capability_missing']) assert.ok(!words.isShown({ allowed: false, reason }), reason);
  for (const reason of ['lockdown_active', 'outside_schedule', 'guest_window_not_started', 'remote_operation_disabled', 'clock_untrusted']) assert.ok(words.isShown({ allowed: false, reason }), reason);
  assert.ok(words.isShown({ allowed: true }));
});

test('a session that cannot be continued for want of an answer is no request whose outcome is unknown', async () => {
  const before = globalThis.fetch;
  globalThis.navigator ??= {};
  try {
    const asked = [];
    globalThis.fetch = async (url) => {
      asked.push(url);
      if (url.endsWith('/auth/refresh')) throw new TypeError('no network');
      return new Response('{"code": "unauthenticated"}', { status: 401 });
    };
    const error = await call('POST', '/units', { body: { name: 'Flat' } }).catch((failed) => failed);
    assert.deepEqual(asked, ['/api/v1/units', '/api/v1/auth/refresh']);
    assert.deepEqual([error.isUnreachable, error.code], [false, 'unreachable']);
    assert.match(error.message, /the session could not be continued\. Nothing was carried out\.$/);
  } finally {
    globalThis.fetch = before;
  }
});

test('nothing is asked of a browser without a session, and a session has ended only when the gateway says so', async () => {
  const before = { fetch: globalThis.fetch, document: globalThis.document };
  const asked = [];
  const answers = { '/auth/login': [200], '/auth/refresh': [], '/auth/logout': [] };
  const fetch = async (url) => {
    const path = url.replace('/api/v1', '');
    const status = answers[path].shift();
    asked.push(path);
    if (!status) throw new TypeError('no network');
    return new Response(status === 204 ? null : JSON.stringify({ data: { token: 't', user: { id: 'u1' } } }), { status });
  };
  const document = { cookie: 'doorward_session=' };
  Object.assign(globalThis, { fetch, document });
  try {
    assert.equal(await restore(), false);
    document.cookie = 'doorward_sessions=1; x_doorward_session=1';
    assert.equal(await restore(), false);
    assert.deepEqual(asked, []);
    await signIn('a@example.org', 'p');
    document.cookie = 'a=b; doorward_session=1';
    // No answer; an error of the gateway; and a token that has expired, with a session that cannot be continued for want of an answer.
    for (const [logout, refresh] of [[[], []], [[503], []], [[401], []], [[401], [200]]]) {
      Object.assign(answers, { '/auth/logout': logout, '/auth/refresh': refresh });
      await assert.rejects(signOut());
      assert.equal(currentUser()?.id, 'u1', JSON.stringify(logout));
    }
    // The gateway has taken neither the token nor the cookie, so the session is continued to be ended.
    Object.assign(answers, { '/auth/logout': [401, 204], '/auth/refresh': [200] });
    asked.length = 0;
    await signOut();
    assert.deepEqual([asked, currentUser()], [['/auth/logout', '/auth/refresh', '/auth/logout'], null]);
    Object.assign(answers, { '/auth/login': [200], '/auth/logout': [401], '/auth/refresh': [401] });
    await signIn('a@example.org', 'p');
    await signOut();
    assert.equal(currentUser(), null);
  } finally {
    Object.assign(globalThis, before);
  }
});

test('a person without a last name has no space at the end, and a guest has the name of the account', () => {
  assert.equal(words.nameOf({ firstName: 'Olga', lastName: '' }), 'Olga');
  assert.equal(words.nameOf({ id: 'u', name: 'Olga ', email: 'o@example.org' }), 'Olga');
  assert.equal(words.nameOf({ id: 'u', name: ' ', email: 'o@example.org' }), 'o@example.org');
  assert.equal(actorOf({ actorName: 'Olga ' }), 'Olga');
  assert.deepEqual([{ label: 'Plumber' }, { label: null, guest: { name: 'Gus Example' } }, { label: null, guestUserId: 'u' }].map(titleOf), ['Plumber', 'Gus Example', 'A guest']);
});

test('an error becomes a sentence with the field that is wrong', () => {
  const error = { code: 'invalid_request', details: { fields: [{ field: 'validUntil', problem: 'end_not_after_start' }] } };
  assert.equal(words.sentenceOf(error, { validUntil: 'The end' }), 'The end must be after the start.');
  assert.equal(words.sentenceOf({ code: 'limit_reached', details: { limit: 5, count: 5 } }), 'The subscription\'s limit is reached (5 of 5).');
  assert.equal(words.sentenceOf({ code: 'rate_limited', retryAfter: 7 }), 'Too many attempts. Try again in 7 s.');
});

test('only LOCKED is shown as secure, and each door is under the counter of its state', () => {
  for (const [state, { tone }] of Object.entries(words.states)) assert.equal(tone === 'ok', state === 'LOCKED', state);
  const states = ['LOCKED', 'UNLOCKED', 'LOCKING', 'UNLOCKING', 'UNLATCHED', 'JAMMED', 'UNKNOWN'];
  const countersOf = (state) => counters.filter(({ id, has }) => ['locked', 'open', 'jammed', 'unknown'].includes(id) && has({ state })).map(({ id }) => id);
  for (const state of states) assert.equal(countersOf(state).length, 1, state);
  assert.deepEqual(countersOf(undefined), ['unknown'], 'a door whose state the person does not see');
  assert.equal(words.stateOf('SOMETHING_NEW').word, 'State unknown');
});

// --- The page Doors ---

const door = (number, more = {}) => ({ id: `d${number}`, name: `Door ${number}`, propertyId: `p${number % 2}`, propertyName: `House ${number % 2}`, state: 'LOCKED', isOnline: true, capabilities: [], ...more });
const numbered = (count) => Array.from({ length: count }, (_, number) => door(number));
const deviceNeed = (query = '') => ({ type: 'device', query });
/** The texts of a description. */
const textOf = (node) => ('text' in node ? node.text : node.children.map(textOf).join(' '));
const turn = () => new Promise(setImmediate);

/**
 * Runs a test with the page Doors and a gateway that has the doors `gateway.doors`. The gateway answers the request with the number
 * `gateway.holdFrom`, and each later one, only when the test calls `gateway.go`.
 */
async function withDoors(doors, address, body, holdFrom = Infinity) {
  const names = ['fetch', 'localStorage', 'document'];
  const before = Object.fromEntries(names.map((name) => [name, globalThis[name]]));
  const gateway = { doors, asked: [], holdFrom, go: [], fails: false };
  const fetch = async (url) => {
    const query = new URL(url, 'http://gateway').searchParams;
    gateway.asked.push(decodeURIComponent(String(query)).replace('&sortBy=name', ''));
    if (gateway.asked.length >= gateway.holdFrom) await new Promise((resolve) => { gateway.go.push(resolve); });
    if (gateway.fails) return new Response('{}', { status: 503 });
    const [page, limit, q, propertyId] = ['page', 'limit', 'q', 'propertyId'].map((name) => query.get(name));
    const found = gateway.doors.filter((one) => (!q || one.name.includes(q)) && (!propertyId || one.propertyId === propertyId));
    const data = { devices: found.slice((page - 1) * limit, page * limit), pagination: { totalItems: found.length, totalPages: Math.ceil(found.length / limit) } };
    return new Response(JSON.stringify({ data }));
  };
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  Object.assign(globalThis, { fetch, document, localStorage: { getItem: () => null, setItem() {} } });
  const needs = [];
  const context = {
    ability: new Ability([]), user: { id: 'u1', defaultPropertyId: null }, memory: new Map(), commands: { of: () => null, isRunning: () => false },
    redraw() {}, announce() {}, need: (wanted) => needs.push(...wanted.length ? wanted : [null]),
  };
  const state = doorsPage.start(context, [], new URLSearchParams(address));
  const text = () => textOf(doorsPage.view(context, state));
  const live = (event, data) => doorsPage.live(context, state, event, data);
  // A held reading is not waited for.
  const settled = async () => { for (let turns = 0; turns < 20; turns++) await turn(); };
  try {
    await body({ gateway, state, context, text, live, needs, settled, document });
  } finally {
    doorsPage.end(state);
    for (const go of gateway.go) go();
    await settled();
    Object.assign(globalThis, before);
  }
}

test('with more than 1,000 doors the search and the property in the address are asked of the gateway, also when others are read first', async () => {
  await withDoors(numbered(3000), 'q=Door 29', async ({ gateway, state, text, needs, settled }) => {
    await settled();
    // Door 29, 290 to 299, and 2900 to 2999.
    assert.equal(state.list.objects.size, 111);
    assert.ok(state.list.objects.has('d2999') && !text().includes('No door matches'));
    assert.equal(gateway.asked[1], 'page=1&limit=60&q=Door+29');
    assert.deepEqual(needs.at(-1), deviceNeed('q=Door%2029'));
  });
  await withDoors(numbered(3000), 'property=p1', async ({ gateway, state, text, needs, settled }) => {
    await settled();
    assert.deepEqual([state.list.objects.size, state.total, gateway.asked.at(-1)], [200, 1500, 'page=1&limit=200&propertyId=p1']);
    assert.ok(text().includes('1,500 doors match. The first 200 are shown, and refreshed every 15 seconds.'));
    // The stream would send all 1,500.
    assert.deepEqual(needs.at(-1), null);
  });
  // Where there are fewer, the console searches itself.
  await withDoors(numbered(1000), 'q=Door 29', async ({ gateway, needs, settled }) => {
    await settled();
    assert.ok(gateway.asked.length === 6 && gateway.asked.every((query) => !query.includes('q=')));
    assert.deepEqual(needs.at(-1), deviceNeed());
  });
});

test('doors that the stream does not send are read again when the page comes back to the front, but not while they are being read', async () => {
  await withDoors(numbered(1001), '', async ({ gateway, state, document, needs, live, settled }) => {
    await settled();
    assert.deepEqual([needs.at(-1), gateway.asked.length], [null, 2]);
    gateway.holdFrom = 3;
    document.dispatchEvent(new Event('visibilitychange'));
    document.dispatchEvent(new Event('visibilitychange'));
    live('poll', {});
    await settled();
    assert.equal(gateway.asked.length, 3);
    gateway.go.pop()();
    await settled();
    document.visibilityState = 'hidden';
    document.dispatchEvent(new Event('visibilitychange'));
    assert.equal(gateway.asked.length, 3);
    doorsPage.end(state);
    document.visibilityState = 'visible';
    document.dispatchEvent(new Event('visibilitychange'));
    assert.equal(gateway.asked.length, 3);
  });
});

test('a key at a door that has just gone does nothing', async () => {
  await withDoors(numbered(1), '', async ({ state, context, document, settled }) => {
    await settled();
    context.ability = new Ability([{ action: ['LOCK'], subject: ['LockDevice'] }]);
    const started = [];
    context.commands.start = ({ id }) => started.push(id);
    document.querySelectorAll = () => [{ contains: () => true, dataset: { door: 'd0' } }];
    doorsPage.key(context, state, { key: 'l' });
    state.list.put('d0', null);
    doorsPage.key(context, state, { key: 'l' });
    assert.deepEqual(started, ['d0']);
  });
});

test('the page Doors takes from the shared stream only what comes under its own name', async () => {
  await withDoors(numbered(3), '', async ({ state, live, settled }) => {
    await settled();
    live('removed', { names: ['device.other'], type: 'device', id: 'd1' });
    live('change', { names: ['device.other'], type: 'device', object: door(7) });
    live('snapshot', { name: 'device.other', type: 'device', objects: [door(0)], last: true, isFirst: true });
    live('ready', { name: 'device.other' });
    live('ready', { name: 'device' });
    assert.deepEqual([...state.list.objects.keys()], ['d0', 'd1', 'd2']);
    live('removed', { names: ['device.other', 'device'], type: 'device', id: 'd1' });
    live('change', { names: ['device'], type: 'device', object: door(7) });
    assert.deepEqual([...state.list.objects.keys()], ['d0', 'd2', 'd7']);
    // Of a snapshot that was begun before, for another tab, the first part is missing.
    live('snapshot', { name: 'device', type: 'device', objects: [door(2, { state: 'JAMMED' })], last: true, isFirst: false });
    live('ready', { name: 'device' });
    assert.deepEqual([[...state.list.objects.keys()], state.list.objects.get('d2').state], [['d0', 'd2', 'd7'], 'JAMMED']);
    live('snapshot', { name: 'device', type: 'device', objects: [door(2)], last: false, isFirst: true });
    live('snapshot', { name: 'device', type: 'device', objects: [door(7)], last: true, isFirst: false });
    live('ready', { name: 'device' });
    assert.deepEqual([...state.list.objects.keys()], ['d2', 'd7']);
  });
});

test('while the first doors are shown and the others are read, the page says so, and no counter is zero', async () => {
  await withDoors([...numbered(99), door(99, { state: 'JAMMED' })], 'show=jammed', async ({ gateway, state, text, settled }) => {
    gateway.holdFrom = 2;
    await settled();
    assert.ok(text().includes('Reading 60 of 100 doors.'));
    assert.ok(!text().includes('No door matches') && !/\b0 +(All|Locked|Not locked|Jammed)/.test(text()), text());
    gateway.fails = true;
    gateway.go.pop()();
    await settled();
    assert.ok(text().includes('The first 60 of 100 doors are shown; the others could not be read.') && !text().includes('again;'));
    gateway.fails = false;
    gateway.holdFrom = Infinity;
    state.problem = null;
    await doorsPage.refresh({ redraw() {}, announce() {}, need() {}, commands: { isRunning: () => false } }, state);
    assert.ok(!text().includes('Reading') && !text().includes('first 60') && text().includes('Door 99'));
  });
});

test('a door that is deleted while the doors are read does not come back', async () => {
  for (const isByStream of [false, true]) {
    await withDoors(numbered(100), '', async ({ gateway, state, live, settled }) => {
      gateway.holdFrom = 2;
      await settled();
      assert.equal(state.list.objects.size, 60);
      const left = numbered(100).filter(({ id }) => id !== 'd5');
      // The gateway reads the page before the door is deleted and the stream says so, or after it.
      if (isByStream) {
        live('snapshot', { name: 'device', type: 'device', objects: left, last: true, isFirst: true });
        live('ready', { name: 'device' });
        assert.ok(!state.list.objects.has('d5'));
      } else {
        gateway.doors = left;
      }
      gateway.go.pop()();
      await settled();
      assert.deepEqual([...state.list.objects.keys()].sort(), left.map(({ id }) => id).sort(), String(isByStream));
    });
  }
});

test('a door that is drawn stays while new ones before it wait for their frame', async () => {
  await withDoors(numbered(10), '', async ({ context, state, text, settled }) => {
    await settled();
    text();
    text();
    assert.ok(text().includes('Door 9'));
    let frames = 0;
    context.redraw = () => { frames++; };
    // 30 new doors come first.
    state.list.objects = new Map([...numbered(60).slice(30), ...state.list.objects.values()].map((one) => [one.id, one]));
    const drawn = text();
    for (let number = 0; number < 10; number++) assert.match(drawn, new RegExp(`Door ${number}\\b`));
    // Four new ones are drawn in a frame.
    assert.ok(drawn.includes('Door 33') && !drawn.includes('Door 34') && frames === 1);
    for (let frame = 0; frame < 6; frame++) text();
    assert.ok(text().includes('Door 59') && frames === 7);
  });
});

/** The descriptions with a tag and a class that a description contains. */
const partsOf = (node, name) => ('text' in node ? [] : [...(`${node.tag}.${node.props.class || ''}`.startsWith(name) ? [node] : []), ...node.children.flatMap((one) => partsOf(one, name))]);

test('doors are described in blocks of six, and a change describes its block only', async () => {
  await withDoors(numbered(60).map((one) => ({ ...one, propertyName: 'House' })), '', async ({ context, state, settled }) => {
    for (const [style, name] of [['board', 'div.block'], ['list', 'tbody.block']]) {
      await settled();
      state.style = style;
      const blocks = () => partsOf(doorsPage.view(context, state), name);
      for (let frame = 0; frame < 15; frame++) blocks();
      const before = blocks();
      assert.deepEqual(before.map(({ children }) => children.length), Array(10).fill(6));
      assert.ok(before.every(({ props }) => (style === 'board' ? props['--doors'] === 6 : props.role === 'rowgroup')));
      blocks().forEach((block, index) => assert.equal(block, before[index]));
      state.list.objects.set('d8', { ...state.list.objects.get('d8'), state: 'JAMMED' });
      assert.deepEqual(blocks().flatMap((block, index) => (block === before[index] ? [] : [index])), [1]);
      // A door that leaves moves the ones behind it, which are not described again.
      const rows = blocks().flatMap(({ children }) => children);
      state.list.objects.delete('d0');
      const after = blocks();
      assert.deepEqual(after.map(({ children }) => children.length), [...Array(9).fill(6), 5]);
      after.flatMap(({ children }) => children).forEach((row, index) => assert.equal(row, rows[index + 1]));
      state.list.objects = new Map([['d0', { ...door(0), propertyName: 'House' }], ...state.list.objects]);
    }
  });
});

test('a state that grows older changes its text in place', async () => {
  const { now } = Date;
  try {
    const stateAt = new Date(now()).toISOString();
    await withDoors(numbered(60).map((one) => ({ ...one, stateAt })).concat(door(60, { stateAt })), '', async ({ context, state, text, settled }) => {
      await settled();
      state.shown = 61;
      for (let frame = 0; frame < 20; frame++) text();
      assert.equal(text().match(/just now/g).length, 61);
      let frames = 0;
      context.redraw = () => { frames++; };
      const [card] = partsOf(doorsPage.view(context, state), 'div.card');
      const [time] = partsOf(card, 'time');
      time.children[0].el = { data: 'just now' };
      Date.now = () => now() + 300000;
      const RealDate = globalThis.Date;
      globalThis.Date = class extends RealDate { constructor(...values) { super(...(values.length ? values : [RealDate.now()])); } };
      try {
        assert.equal(partsOf(doorsPage.view(context, state), 'div.card')[0], card);
        // Sixty in a frame.
        assert.deepEqual([text().match(/just now/g), frames], [null, 1]);
      } finally {
        globalThis.Date = RealDate;
      }
      assert.deepEqual([time.children[0].text, time.children[0].el.data], ['5 min ago', '5 min ago']);
    });
  } finally {
    Date.now = now;
  }
});

test('the first reading of the doors ends with the page, also when the gateway gives no answer', async () => {
  await withDoors(numbered(3), '', async ({ gateway, state, settled }) => {
    let isRead = false;
    state.firstRead.then(() => { isRead = true; });
    await settled();
    assert.deepEqual([isRead, gateway.go.length], [false, 1]);
    doorsPage.end(state);
    await settled();
    assert.equal(isRead, true);
  }, 1);
});

// --- The pages of a property, a unit and a door ---

test('a property and a unit show doors that come and go, and a door follows the place of its door; what other tabs ask for is left alone', async () => {
  const before = globalThis.fetch;
  const none = { totalItems: 1, totalPages: 1 };
  const at = { propertyId: 'p1', unitId: 'u1' };
  const data = {
    devices: [door(0, at)], pagination: none, device: door(0, at), permissions: [], units: [], users: [], guestAccesses: [],
    property: { id: 'p1', portfolioId: 'o1' }, unit: { id: 'u1', propertyId: 'p1' },
  };
  const asked = [];
  globalThis.fetch = async (url) => { asked.push(url); return new Response(JSON.stringify({ data })); };
  const open = async (module, id) => {
    const { default: page } = await import(`./${module}.js`);
    const needs = [];
    const context = { ability: new Ability([]), user: { id: 'u' }, commands: { of: () => null, isRunning: () => false }, redraw() {}, announce() {}, need: (wanted) => needs.push(wanted.map(nameOfNeed)) };
    const state = page.start(context, [id], new URLSearchParams());
    const settled = async () => { for (let turns = 0; turns < 20; turns++) await turn(); };
    await settled();
    asked.length = 0;
    return { page, state, needs, settled, live: (event, more) => page.live(context, state, event, { type: 'device', ...more }) };
  };
  const [inProperty, inUnit] = ['propertyId=p1', 'unitId=u1'].map((query) => nameOfNeed({ type: 'device', query }));
  try {
    const property = await open('property', 'p1');
    assert.ok(property.needs.at(-1).includes(inProperty));
    property.live('change', { names: ['device.other'], object: door(7, { propertyId: 'p7' }) });
    property.live('removed', { names: ['device.other'], id: 'd0' });
    assert.deepEqual([...property.state.doors.objects.keys()], ['d0']);
    property.live('change', { names: [inProperty], object: door(8, at) });
    assert.deepEqual([...property.state.doors.objects.keys()], ['d0', 'd8']);
    property.live('removed', { names: ['device.other', inProperty], id: 'd0' });
    assert.deepEqual([...property.state.doors.objects.keys()], ['d8']);
    const unit = await open('unit', 'u1');
    assert.ok(unit.needs.at(-1).includes(inUnit));
    unit.live('change', { names: ['device.other'], object: door(7, { propertyId: 'p7' }) });
    unit.live('removed', { names: ['device.other'], id: 'd7' });
    assert.equal(asked.length, 0);
    unit.live('removed', { names: [inUnit], id: 'd0' });
    await unit.settled();
    assert.ok(asked.length > 0);
    // A place that has changed between the read and the subscription comes with the snapshot.
    const byPortfolio = nameOfNeed({ type: 'property', query: 'portfolioId=o1' });
    assert.ok(property.needs.at(-1).includes(byPortfolio));
    const locked = { ...data.property, lockdown: { active: true } };
    property.live('snapshot', { type: 'property', name: byPortfolio, isFirst: true, objects: [{ id: 'p7', portfolioId: 'o1' }, locked] });
    assert.deepEqual(property.state.property, locked);
    property.live('snapshot', { name: inProperty, isFirst: true, objects: [door(8, { ...at, state: 'JAMMED' })] });
    property.live('snapshot', { name: inProperty, isFirst: false, objects: [door(9, at)] });
    property.live('ready', { type: undefined, name: inProperty });
    assert.deepEqual([...property.state.doors.objects.values()].map(({ id, state }) => [id, state]), [['d8', 'JAMMED'], ['d9', 'LOCKED']]);
    const inHouse = nameOfNeed({ type: 'unit', query: 'propertyId=p1' });
    assert.ok(unit.needs.at(-1).includes(inHouse));
    asked.length = 0;
    unit.live('snapshot', { type: 'unit', name: inHouse, isFirst: true, objects: [data.unit] });
    unit.live('ready', { type: undefined, name: inHouse });
    assert.equal(asked.length, 0, 'what is known is not read again');
    data.unit = { ...data.unit, name: 'Flat 2' };
    unit.live('change', { type: 'unit', names: [inHouse], object: data.unit });
    await unit.settled();
    assert.ok(asked.length > 0 && unit.state.unit.name === 'Flat 2');
    data.unit = { id: 'u1', propertyId: 'p1' };
    const single = await open('door', 'd0');
    assert.deepEqual(single.needs.at(-1), [inUnit]);
    data.device = door(0, { propertyId: 'p2' });
    single.live('removed', { names: [inUnit], id: 'd0' });
    await single.settled();
    assert.deepEqual(single.needs.at(-1), [nameOfNeed({ type: 'device', query: 'propertyId=p2' })]);
  } finally {
    globalThis.fetch = before;
  }
});

test('objects that are read are not older than what the stream has sent meanwhile', async () => {
  const need = { type: 'device', query: 'propertyId=p1' };
  const name = nameOfNeed(need);
  const live = new LiveObjects(need, (object) => object.propertyId === 'p1');
  const one = (id, state) => ({ id, propertyId: 'p1', state });
  const shown = () => [...live.objects.values()].map(({ id, state }) => id + state).sort().join();
  const reading = async (meanwhile, found) => {
    /** @type {any} */
    let answer;
    const read = live.read(() => new Promise((resolve) => { answer = resolve; }));
    meanwhile();
    answer(found);
    await read;
    return shown();
  };
  const snapshot = (objects, isFirst = true) => live.take('snapshot', { type: 'device', name, objects, isFirst });
  const ready = () => live.take('ready', { name });
  // The read was answered before the changes: the stream is newer.
  assert.equal(await reading(() => {
    live.take('change', { type: 'device', names: [name], object: one('a', 2) });
    live.take('removed', { type: 'device', names: [name], id: 'b' });
    live.take('change', { type: 'device', names: ['device.other'], object: { ...one('x', 1), propertyId: 'p2' } });
  }, [one('a', 1), one('b', 1), one('c', 1)]), 'a2,c1');
  // A whole snapshot that came during the read names all.
  assert.equal(await reading(() => { snapshot([one('a', 3)]); snapshot([one('d', 1)], false); ready(); }, [one('a', 1), one('c', 1)]), 'a3,d1');
  // The beginning of a snapshot that a page has missed proves nothing gone, and neither do other tabs' names.
  snapshot([one('d', 2)], false);
  ready();
  live.take('removed', { type: 'device', names: ['device.other'], id: 'd' });
  assert.equal(shown(), 'a3,d2');
  assert.equal(snapshot([one('a', 3), one('d', 2)]), false, 'nothing is different');
  assert.equal(ready(), false);
  await assert.rejects(live.read(async () => { throw new Error('unreachable'); }));
  assert.equal(shown(), 'a3,d2');
});

// --- Records and guests ---

test('a command has one row, with the rule and the reason of its request; a request without an outcome stays', () => {
  const records = [
    { id: 'c', kind: 'COMMAND_INTENT', commandId: '2', rule: null },
    { id: 'b', kind: 'COMMAND_OUTCOME', commandId: '1', outcome: 'CONFIRMED', rule: null },
    { id: 'a', kind: 'COMMAND_INTENT', commandId: '1', rule: { kind: 'ASSOCIATION', role: 'OWNER' }, statedReason: 'post' },
    // A resident does not see the ids of commands.
    { id: 'z', kind: 'COMMAND_INTENT' },
  ];
  const rows = merged(records);
  assert.deepEqual(rows.map(({ id }) => id), ['c', 'b', 'z']);
  assert.deepEqual([rows[1].rule.role, rows[1].statedReason], ['OWNER', 'post']);
});

test('a record that is not known yet is shown in words', () => {
  assert.equal(describe({ kind: 'DEVICE_EVENT', event: 'SOMETHING_NEW' }).title, 'something new');
  assert.equal(describe({ kind: 'ADMIN_CHANGE', action: 'GRANT', targetType: 'GuestAccess' }).title, 'Granted guest access');
  assert.equal(describe({ kind: 'DENIAL', operation: 'UNLOCK', reason: 'lockdown_active' }).tone, 'bad');
});

test('a guest access is scheduled, active, ended, used up or revoked', () => {
  const access = { validFrom: '2026-11-25T10:00:00.000Z', validUntil: '2026-11-25T12:00:00.000Z', maxUses: null, usesLeft: null, revokedAt: null };
  const at = (text) => standing(access, new Date(text)).word;
  assert.deepEqual(['2026-11-25T09:59:59Z', '2026-11-25T10:00:00Z', '2026-11-25T11:59:59Z', '2026-11-25T12:00:00Z'].map(at), ['Scheduled', 'Active', 'Active', 'Ended']);
  assert.equal(standing({ ...access, maxUses: 2, usesLeft: 0 }, new Date('2026-11-25T11:00:00Z')).word, 'No uses left');
  assert.equal(standing({ ...access, revokedAt: '2026-11-25T11:00:00Z' }, new Date('2026-11-25T11:00:00Z')).word, 'Revoked');
});

test('times of a guest are on the clock of the property, over changes of the clock', () => {
  assert.equal(localText(new Date('2027-03-28T01:30:00Z'), 'Europe/Berlin'), '2027-03-28T03:30');
  assert.equal(localText(new Date('2026-12-31T23:30:00Z'), 'Asia/Tokyo'), '2027-01-01T08:30');
  assert.match(resolved('2027-10-31T00:30:00.000Z', 'Europe/Berlin'), /02:30 .*\(00:30 UTC\)$/);
});

/** Runs a test with a gateway that answers each request with what `answer` makes of its method and path. */
async function withAnswers(answer, body) {
  const before = globalThis.fetch;
  globalThis.fetch = async (url, { method }) => answer(method, url.replace(/^\/api\/v1/, ''));
  try {
    await body(async () => { for (let turns = 0; turns < 20; turns++) await turn(); });
  } finally {
    globalThis.fetch = before;
  }
}

test('an invitation from the page of a unit asks for nothing else, and leaves the state of that page alone', async () => {
  const asked = [];
  const invitation = { id: 'i1', email: 'ada@example.org', url: 'https://doors.example/i', expiresAt: '2027-01-15T14:00:00.000Z' };
  const answer = (method, path) => { asked.push(`${method} ${path}`); return new Response(JSON.stringify({ data: { invitation } })); };
  await withAnswers(answer, async (settled) => {
    const context = { ability: new Ability([{ action: ['unit.tenants.assign'], subject: ['Unit'] }]), memory: new Map(), redraw() {}, announce() {} };
    const state = { scopes: new Scopes([[], [], [{ id: 'n1', name: 'Flat 1', propertyId: 'p1' }]]), form: null };
    let invited = 0;
    openInvitation(context, state, () => { invited++; }, { type: 'UNIT', id: 'n1' });
    state.form.email = 'ada@example.org';
    partsOf(invitationDialog(context, state), 'form')[0].props.onsubmit({ preventDefault() {} });
    await settled();
    assert.deepEqual([asked, invited, Object.keys(state)], [['POST /units/n1/tenants'], 1, ['scopes', 'form']]);
    assert.equal(state.form.issued.value, invitation.url);
  });
});

test('an access that could not be revoked is told, also when the question was closed meanwhile', async () => {
  for (const isClosed of [false, true]) {
    let go;
    const held = new Promise((resolve) => { go = resolve; });
    const answer = async (method) => { if (method === 'DELETE') await held; return new Response(JSON.stringify({ code: 'unavailable', message: 'No.' }), { status: 503 }); };
    await withAnswers(answer, async (settled) => {
      const notes = [];
      const context = { ability: new Ability([]), memory: new Map(), redraw() {}, announce() {}, need() {}, note: (text, tone) => notes.push(tone) };
      const state = guestsPage.start(context, [], new URLSearchParams());
      await settled();
      state.asks = { access: { id: 'g1', label: 'Plumber' }, error: null };
      const buttons = partsOf(guestsPage.view(context, state), 'button');
      buttons.find(({ props }) => props.id === 'confirm').props.onclick();
      if (isClosed) buttons.find(({ props }) => props.id === 'cancel').props.onclick();
      go();
      await settled();
      assert.deepEqual([notes, state.asks?.error.code], isClosed ? [['bad'], undefined] : [[], 'unavailable']);
      guestsPage.end(state);
    });
  }
});

test('a revocation that succeeds closes its own question, and no other one that was opened in the meantime', async () => {
  let go;
  const held = new Promise((resolve) => { go = resolve; });
  const answer = async (method) => { if (method !== 'DELETE') return new Response('{}', { status: 503 }); await held; return new Response(null, { status: 204 }); };
  await withAnswers(answer, async (settled) => {
    const notes = [];
    const context = { ability: new Ability([]), memory: new Map(), redraw() {}, announce() {}, need() {}, note: (text, tone) => notes.push(tone ?? text) };
    const state = guestsPage.start(context, [], new URLSearchParams());
    await settled();
    state.asks = { access: { id: 'g1', label: 'Plumber' }, error: null };
    partsOf(guestsPage.view(context, state), 'button').find(({ props }) => props.id === 'confirm').props.onclick();
    const other = { access: { id: 'g2', label: 'Painter' }, error: null };
    state.asks = other;
    go();
    await settled();
    assert.deepEqual([notes.length, state.asks], [1, other]);
    guestsPage.end(state);
  });
});
