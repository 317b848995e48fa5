// Tests of places and doors: what a change of the zone moves, changes over those of others, the test of a door, and what
// is to be done. scripts/test-pages runs them with Node.
import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.BroadcastChannel = undefined;
process.env.TZ = 'Europe/Berlin';

const { Commands } = await import('./commands.js');
const { endings, placeOf } = await import('./door-move.js');
const { addressOf, choose, textsOf } = await import('./door-replace.js');
const { changed } = await import('./door-settings.js');
const { askDialog, conclusion, resultText, secondsOf } = await import('./door-test.js');
const { beginEdit, changedNames, differences, merge, saveEdit } = await import('./edits.js');
const { bodyOf, valuesOf } = await import('./property-form.js');
const { endsSoon, filters, itemsOf } = await import('./todo.js');
const { movesOf, nextOpen } = await import('./zone-change.js');

const turn = () => new Promise((resolved) => { setTimeout(resolved); });

/** An access with hours. */
const accessWith = (schedule, more = {}) => ({
  id: 'a', label: 'Porter', validFrom: '2026-01-01T00:00:00.000Z', validUntil: '2028-01-01T00:00:00.000Z', revokedAt: null,
  schedule: schedule && { timeZone: null, specialDays: [], specialDayCut: 'instant', ...schedule }, ...more,
});
const all = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
const opens = (access, zone, now) => {
  const found = nextOpen(access, zone, new Date(now));
  return found && `${found.from.toISOString().slice(0, 16)} ${found.until.toISOString().slice(0, 16)}`;
};

test('the next opening is the one of the gateway: over clock changes, midnight and special days', () => {
  const berlin = (from, until, now, days = all, more = {}) => opens(accessWith({ periods: [{ days, from, until }], ...more }), 'Europe/Berlin', now);
  // The vectors of the changes of the clock.
  assert.equal(berlin('01:30', '03:30', '2026-10-24T12:00Z', ['SUN']), '2026-10-24T23:30 2026-10-25T02:30');
  assert.equal(berlin('02:15', '02:45', '2026-10-24T12:00Z', ['SUN']), '2026-10-25T00:15 2026-10-25T00:45');
  assert.equal(berlin('01:30', '03:30', '2027-03-27T12:00Z', ['SUN']), '2027-03-28T00:30 2027-03-28T01:30');
  assert.equal(berlin('02:15', '02:45', '2027-03-27T12:00Z', ['SUN']), '2027-04-04T00:15 2027-04-04T00:45', 'the clock skips it');
  // Over midnight; the current one; 24:00.
  assert.equal(berlin('22:00', '06:00', '2026-11-27T12:00Z', ['FRI']), '2026-11-27T21:00 2026-11-28T05:00');
  assert.equal(berlin('22:00', '06:00', '2026-11-28T02:00Z', ['FRI']), '2026-11-27T21:00 2026-11-28T05:00');
  assert.equal(berlin('18:00', '24:00', '2026-11-27T12:00Z', ['FRI']), '2026-11-27T17:00 2026-11-27T23:00');
  // The table of special days.
  const special = (days, cut) => ({ specialDays: days, specialDayCut: cut });
  const saturday = { date: '2026-11-28', periods: [] };
  assert.equal(berlin('22:00', '06:00', '2026-11-27T12:00Z', ['FRI'], special([saturday], 'instant')), '2026-11-27T21:00 2026-11-27T23:00');
  assert.equal(berlin('22:00', '06:00', '2026-11-27T12:00Z', ['FRI'], special([saturday], 'start')), '2026-11-27T21:00 2026-11-28T05:00');
  const friday = { date: '2026-11-27', periods: [] };
  assert.equal(berlin('22:00', '06:00', '2026-11-27T12:00Z', ['FRI'], special([friday], 'instant')), '2026-11-27T23:00 2026-11-28T05:00');
  assert.equal(berlin('22:00', '06:00', '2026-11-27T12:00Z', ['FRI'], special([friday], 'start')), '2026-12-04T21:00 2026-12-05T05:00');
  const open = { date: '2026-11-28', periods: [{ from: '20:00', until: '04:00' }] };
  const sunday = { date: '2026-11-29', periods: [] };
  assert.equal(berlin('09:00', '10:00', '2026-11-28T12:00Z', ['MON'], special([open], 'instant')), '2026-11-28T19:00 2026-11-29T03:00');
  assert.equal(berlin('09:00', '10:00', '2026-11-28T12:00Z', ['MON'], special([open, sunday], 'instant')), '2026-11-28T19:00 2026-11-28T23:00');
  assert.equal(berlin('09:00', '10:00', '2026-11-28T12:00Z', ['MON'], special([open, sunday], 'start')), '2026-11-28T19:00 2026-11-29T03:00');
});

test('hours that touch are one, a window narrows them, and hours without a clock or a period are open at no time', () => {
  const access = (periods, more) => accessWith({ periods }, more);
  assert.equal(opens(access([{ days: all, from: '09:00', until: '12:00' }, { days: all, from: '12:00', until: '17:00' }]), 'UTC', '2026-11-27T10:00Z'), '2026-11-27T09:00 2026-11-27T17:00');
  const whole = access([{ days: all, from: '00:00', until: '24:00' }], { validFrom: '2026-11-27T08:00:00.000Z', validUntil: '2026-12-05T09:00:00.000Z' });
  assert.equal(opens(whole, 'UTC', '2026-11-20T00:00Z'), '2026-11-27T08:00 2026-12-05T09:00');
  assert.equal(opens(access([]), 'UTC', '2026-11-27T10:00Z'), null);
  assert.equal(opens(access([{ days: all, from: '09:00', until: '17:00' }]), null, '2026-11-27T10:00Z'), null);
  assert.equal(opens(access([{ days: all, from: '09:00', until: '17:00' }], { validUntil: '2026-11-27T08:00:00.000Z' }), 'UTC', '2026-11-27T10:00Z'), null);
});

test('a change of the zone moves the hours that are on the clock of the property, and nothing else', () => {
  const hours = { periods: [{ days: all, from: '09:00', until: '17:00' }] };
  const list = [accessWith(hours), accessWith(null, { id: 'b' }), accessWith({ ...hours, timeZone: 'Europe/Rome' }, { id: 'c' })];
  const now = new Date('2026-11-27T18:00Z');
  const [one, ...others] = movesOf(list, 'Europe/Berlin', 'Europe/London', now);
  assert.deepEqual([one.access.id, others.length, one.moves], ['a', 0, true]);
  assert.deepEqual([one.before.from.toISOString(), one.after.from.toISOString()], ['2026-11-28T08:00:00.000Z', '2026-11-28T09:00:00.000Z']);
  assert.equal(movesOf(list, 'Europe/Berlin', 'Europe/Paris', now)[0].moves, false);
  assert.deepEqual([movesOf(list, 'Europe/Berlin', null, now)[0].after, movesOf(list, null, null, now)[0].moves], [null, false]);
});

test('what was typed is brought over the change of another person, and each difference is told', () => {
  const before = { name: 'Mill', city: 'Berlin', zone: 'UTC' };
  const [typed, now] = [{ ...before, name: 'Old mill' }, { ...before, name: 'New mill', city: 'Potsdam' }];
  assert.deepEqual(merge(before, typed, now), { name: 'Old mill', city: 'Potsdam', zone: 'UTC' });
  assert.deepEqual(differences(before, typed, now), [
    { name: 'name', before: 'Mill', now: 'New mill', typed: 'Old mill' }, { name: 'city', before: 'Berlin', now: 'Potsdam', typed: null },
  ]);
  assert.deepEqual(changedNames(before, { ...before, name: ' Mill ' }), [], 'spaces around a text are no change');
});

test('a change is sent only over the version that it was typed for; after 412 it is sent again only when it is saved again', async () => {
  const before = globalThis.fetch;
  const sent = [];
  let stored = { name: 'Mill', etag: '"1"' };
  globalThis.fetch = async (url, { method, headers, body }) => {
    if (method === 'GET') return new Response(JSON.stringify({ data: { unit: { name: stored.name } } }), { headers: { ETag: stored.etag } });
    sent.push([headers['If-Match'], body]);
    if (headers['If-Match'] !== stored.etag) return new Response(JSON.stringify({ code: 'precondition_failed' }), { status: 412 });
    stored = { name: JSON.parse(body).name, etag: '"3"' };
    return new Response(JSON.stringify({ data: { unit: { name: stored.name } } }));
  };
  const said = [];
  const context = { announce: (text) => said.push(text), redraw() {} };
  try {
    const edit = await beginEdit({ path: '/units/u1', titles: { name: 'Name' }, read: ({ unit }) => ({ name: unit.name }), body: ({ name }) => ({ name }) });
    assert.equal(await saveEdit(context, edit), null);
    assert.equal(edit.error.text, 'Nothing has been changed.');
    edit.values.name = 'Old mill';
    stored = { name: 'New mill', etag: '"2"' };
    assert.equal(await saveEdit(context, edit), null);
    assert.deepEqual([sent.length, edit.values.name, edit.initial.name, edit.others[0].typed, edit.error], [1, 'Old mill', 'New mill', 'Old mill', null]);
    assert.ok(await saveEdit(context, edit));
    assert.deepEqual(sent.map(([tag]) => tag), ['"1"', '"2"']);
    assert.equal(stored.name, 'Old mill');
    // A change that was carried out although its answer was lost: nothing is left to save.
    stored = { name: 'Mill 3', etag: '"4"' };
    edit.values.name = 'Mill 3';
    assert.equal(await saveEdit(context, edit), null);
    assert.deepEqual([edit.isSame, said.at(-1)], [true, 'It is saved already']);
  } finally {
    globalThis.fetch = before;
  }
});

test('an address is sent whole, or not at all, and the zone and the address are cleared by nothing', () => {
  const property = { name: 'Mill', address: { street: 'Lane 3', city: 'Berlin', state: null, postalCode: null, country: null }, defaultTimeZone: null };
  const values = valuesOf(property);
  assert.deepEqual(bodyOf(values, ['name']), { name: 'Mill' });
  assert.deepEqual(bodyOf({ ...values, city: ' Potsdam ' }, ['city']), { address: { ...property.address, city: 'Potsdam' } });
  assert.deepEqual(bodyOf({ ...values, street: '', city: '' }, ['street', 'city', 'zone']), { address: null, defaultTimeZone: null });
});

test('a form of a door sends what differs, so that nothing of another person is overwritten', () => {
  assert.deepEqual(changed({ name: 'A', notes: null }, { name: 'A', notes: null, isRemoteOperationEnabled: true }), { isRemoteOperationEnabled: true });
});

test('an address has the types that the adapter names, and those it had before', () => {
  const keys = [{ field: 'latencyMs', type: 'integer' }, { field: 'capabilities', type: 'array' }, { field: 'broker', type: 'string' }];
  const earlier = { latencyMs: 5, capabilities: ['LOCK'], topic: 'a/1', retain: true };
  const texts = textsOf(earlier);
  assert.deepEqual(texts, { 'address.latencyMs': '5', 'address.capabilities': '["LOCK"]', 'address.topic': 'a/1', 'address.retain': 'true' });
  assert.deepEqual(addressOf({ ...texts, model: 'x', 'address.broker': '12' }, keys, earlier), { ...earlier, broker: '12' });
  assert.deepEqual(addressOf({ 'address.latencyMs': 'many', 'address.topic': '  ', 'address.node': '7' }, keys, earlier), { latencyMs: 'many', node: '7' });
  const replacement = { edit: { initial: { 'address.topic': 'a/1', 'address.latencyMs': '', manufacturer: 'M', model: '' }, values: {} }, found: [{ id: 'f', address: { latencyMs: 1 }, manufacturer: null, model: 'Bolt' }] };
  choose(replacement, 'f');
  assert.deepEqual(replacement.edit.values, { 'address.topic': '', 'address.latencyMs': '1', manufacturer: '', model: 'Bolt' });
  choose(replacement, '');
  assert.deepEqual(replacement.edit.values, replacement.edit.initial);
});

test('what ends with a move is told: accesses, shared doors, tenants, notes', () => {
  const accesses = [{ label: 'Only here', deviceIds: ['d'] }, { label: 'Also there', deviceIds: ['d', 'e'] }];
  const found = endings({ accesses, sharing: [{ name: 'Flat 1' }], isOtherPortfolio: true, unitName: 'Flat 2' });
  assert.equal(found.length, 5);
  for (const [index, part] of ['revoked: Only here', 'without this one: Also there', 'tenants of Flat 2', 'by Flat 1', 'notes'].entries()) assert.ok(found[index].includes(part), found[index]);
  assert.deepEqual(endings({ accesses: [], sharing: [], isOtherPortfolio: false, unitName: null }), []);
  assert.deepEqual([placeOf({ propertyId: 'p', unitId: null }), placeOf({ propertyId: 'p', unitId: 'u' })], ['p/', 'p/u']);
});

// --- The test of a door ---

/** The buttons of a description. */
const partsOf = (node, tag) => [node].flat(Infinity).filter(Boolean).flatMap((one) => [...one.tag === tag ? [one] : [], ...partsOf(one.children || [], tag)]);

/** Runs the test of a door with a gateway that answers each command with what `outcome` makes of its operation. */
async function tested(outcome, act = () => {}) {
  const before = globalThis.fetch;
  const sent = [];
  globalThis.fetch = async (url, { headers }) => {
    const operation = url.split('/').at(-1).toUpperCase();
    sent.push([operation, headers['Idempotency-Key']]);
    const command = outcome(operation, sent.length);
    if (!command) throw new TypeError('no network');
    return new Response(JSON.stringify({ data: { command: { id: 'c', operation, requestedAt: '2026-11-27T10:00:00.000Z', completedAt: '2026-11-27T10:00:01.250Z', ...command } } }));
  };
  try {
    const commands = new Commands(() => {}, () => {}, () => {});
    const context = { commands, redraw() {}, announce() {} };
    const state = { id: 'd', device: { id: 'd', name: 'Lab' }, decisions: [{ operation: 'LOCK', allowed: true }], dialog: null, test: null };
    const question = askDialog(context, state);
    assert.equal(sent.length, 0, 'nothing is sent before the question is answered');
    const settled = async () => { for (let turns = 0; turns < 10; turns++) await turn(); };
    const press = async (view, id) => { partsOf(view, 'button').find(({ props }) => props.id === id).props.onclick(); await settled(); };
    await press(question, 'start-test');
    const shown = () => partsOf(state.test.view(context, state), 'button').map(({ props }) => props.id);
    await act({ press: (id) => press(state.test.view(context, state), id), commands, shown });
    return { sent: sent.map(([operation]) => operation), keys: sent.map(([, key]) => key), results: state.test.results, shown: shown() };
  } finally {
    globalThis.fetch = before;
  }
}
const confirmed = { state: 'CONFIRMED', sent: true, changed: true };

test('a door is tested by an unlock and, once that is confirmed, a lock', async () => {
  const { sent, results, shown } = await tested(() => confirmed);
  assert.deepEqual([sent, shown], [['UNLOCK', 'LOCK'], ['test-close']]);
  assert.deepEqual(conclusion(results).tone, 'ok');
  assert.equal(resultText(results[0]), 'Unlocked. The lock confirmed it in 1.3 s.');
});

test('without a confirmation of the unlock nothing more is sent, and the lock is offered', async () => {
  for (const state of ['FAILED', 'TIMED_OUT', 'UNKNOWN', 'DENIED']) {
    const { sent, shown } = await tested(() => ({ state, sent: state !== 'DENIED' }));
    assert.deepEqual([sent, shown], [['UNLOCK'], ['test-lock', 'test-close']], state);
  }
  const { sent, results } = await tested((operation) => (operation === 'UNLOCK' ? { state: 'TIMED_OUT', sent: true } : confirmed), ({ press }) => press('test-lock'));
  assert.deepEqual(sent, ['UNLOCK', 'LOCK']);
  assert.equal(conclusion(results).text, 'The door is locked. Unlocking was not confirmed.');
  const failed = await tested((operation) => (operation === 'UNLOCK' ? confirmed : { state: 'FAILED', outcomeDetail: 'jammed', sent: true }));
  assert.deepEqual([failed.sent, failed.shown], [['UNLOCK', 'LOCK'], ['test-lock', 'test-close']]);
  assert.match(conclusion(failed.results).text, /may be unlocked/);
});

test('a lost connection is told; the repeated request has the same key, and the lock is offered after it', async () => {
  const lost = await tested((_, number) => (number === 1 ? null : confirmed), async ({ press, shown }) => {
    assert.deepEqual(shown(), ['test-lock', 'test-again', 'test-close']);
    await press('test-again');
  });
  assert.deepEqual([lost.sent, lost.shown], [['UNLOCK', 'UNLOCK'], ['test-lock', 'test-close']]);
  assert.equal(lost.keys[0], lost.keys[1]);
  const later = await tested((_, number) => (number === 2 ? null : confirmed), ({ press }) => press('test-again'));
  assert.deepEqual([later.sent, conclusion(later.results).tone], [['UNLOCK', 'LOCK', 'LOCK'], 'ok']);
  assert.equal(later.keys[1], later.keys[2]);
});

test('the seconds are those of the gateway', () => {
  const of = (completedAt) => secondsOf({ requestedAt: '2026-11-27T10:00:00.000Z', completedAt });
  assert.deepEqual([of('2026-11-27T10:00:00.040Z'), of('2026-11-27T10:00:02.510Z'), of('2026-11-27T10:00:12.400Z'), of(null)], ['less than 0.1 s', '2.5 s', '12 s', null]);
});

// --- To do ---

test('what is to be done counts what the person sees, at this moment', () => {
  const now = Date.parse('2026-11-27T10:00Z');
  const since = (minutes) => new Date(now - minutes * 60000).toISOString();
  const [offline, open] = filters.map(({ has }) => (device) => has(device, now));
  assert.deepEqual([59, 60].map((minutes) => offline({ isOnline: false, lastSeen: since(minutes) })), [false, true]);
  assert.deepEqual([offline({ isOnline: true, lastSeen: since(99) }), offline({ isOnline: null, lastSeen: since(99) }), offline({ isOnline: false })], [false, false, false]);
  assert.deepEqual(['UNLOCKED', 'UNLATCHED', 'LOCKED', 'UNKNOWN'].map((state) => open({ state, stateAt: since(60) })), [true, true, false, false]);
  assert.equal(open({ state: 'UNLOCKED', stateAt: since(59) }), false);
  const until = (hours, revokedAt = null) => ({ revokedAt, validUntil: new Date(now + hours * 3600000).toISOString() });
  assert.deepEqual([until(-1), until(1), until(168), until(169), until(1, since(1))].map((one) => endsSoon(one, now)), [false, true, true, false, false]);
  const devices = [{ state: 'JAMMED', batteryLow: true }, { state: 'LOCKED', batteryLow: true }, { state: 'LOCKED' }];
  assert.deepEqual(itemsOf(devices, [until(1), until(2)], now).map(({ text, href }) => [text, href]), [
    ['1 door jammed', '#/doors?show=jammed'], ['2 doors with a low battery', '#/doors?show=battery'], ['2 accesses end this week', '#/guests?show=ending'],
  ]);
  assert.deepEqual(itemsOf([{ state: 'LOCKED' }], [], now), []);
});
