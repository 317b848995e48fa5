// Tests of what a change of rights means for the pages of the console; see console.test.js.
import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.BroadcastChannel = undefined;

const { Ability } = await import('./ability.js');
const { LiveObjects, nameOfNeed } = await import('./live.js');
const { keepsAfter } = await import('./parts.js');
const { changeOfRights } = await import('./rights.js');

// --- What has ended, in words ---

const inPlace = (propertyId, actions = ['VIEW_STATUS', 'GRANT_ACCESS', 'VIEW_ACCESS_HISTORY']) => [
  { action: ['read', 'property.read'], subject: ['Property'], conditions: { id: propertyId } },
  { action: ['read', ...actions], subject: ['LockDevice'], conditions: { propertyId } },
];
const change = (before, after) => changeOfRights(new Ability(before), new Ability(after));

test('a right that has ended is said by its kind, with the pages that are not open any more, and by no name', () => {
  assert.deepEqual(change([...inPlace('p1'), ...inPlace('p2')], inPlace('p1')),
    { ended: 'Your access to a property has ended. Nothing of it is shown any more.', hasBegun: false });
  assert.deepEqual(change([...inPlace('p1'), ...inPlace('p2')], []).ended,
    'Your access to 2 properties has ended. Nothing of it is shown any more. Not open to you any more: Guests, Log, Access check.');
  assert.equal(change(inPlace('p1'), inPlace('p1', ['VIEW_STATUS'])).ended, 'Some of your rights have ended. This page shows what you can still see. Not open to you any more: Guests, Log.');
  // The doors of one rule are rights of their own.
  const doors = (...ids) => [{ action: ['read', 'UNLOCK'], subject: ['LockDevice'], conditions: { id: { $in: ids } } }];
  assert.equal(change(doors('a', 'b', 'c'), doors('b')).ended, 'Your access to 2 doors has ended. Nothing of it is shown any more.');
  assert.deepEqual(change(doors('b'), doors('a', 'b')), { ended: null, hasBegun: true });
});

test('what only forbids for a time ends no right, and a role in the place of another one is a change', () => {
  const lockdown = { action: ['UNLOCK'], subject: ['LockDevice'], conditions: { propertyId: 'p1' }, inverted: true, reason: 'lockdown_active' };
  for (const [before, after] of [[[], [lockdown]], [[lockdown], []]]) {
    assert.deepEqual(change([...inPlace('p1'), ...before], [...inPlace('p1'), ...after]), { ended: null, hasBegun: false });
  }
  const whole = [{ action: ['read'], subject: ['Property'], conditions: { portfolioId: 'o1' } }];
  assert.match(change([{ ...whole[0], conditions: { id: 'p1' } }], whole).ended, /^Your rights have changed\./);
});

// --- Objects whose right ends ---

const need = { type: 'device', query: 'propertyId=p1' };
const name = nameOfNeed(need);
const one = (id) => ({ id, propertyId: 'p1' });
const isOwn = (object) => object.propertyId === 'p1';
const ids = (live) => [...live.objects.keys()].join();

test('objects of a name that is revoked or refused are forgotten, also those that are being read, and come back with a snapshot', async () => {
  for (const [event, more] of [['revoked', {}], ['refused', { code: 'forbidden' }]]) {
    const live = new LiveObjects(need, isOwn);
    await live.read(async () => [one('a'), one('b')]);
    assert.equal(live.take(event, { name: 'device.other', ...more }), false);
    assert.equal(ids(live), 'a,b');
    let answer;
    const reading = live.read(() => new Promise((resolve) => { answer = resolve; }));
    live.take('change', { type: 'device', names: [name], object: one('c') });
    assert.equal(live.take(event, { name, ...more }), true);
    assert.equal(live.objects.size, 0);
    answer([one('a'), one('b')]);
    await reading;
    assert.equal(live.objects.size, 0, 'what was read before the right has ended comes back');
    live.take('snapshot', { type: 'device', name, objects: [one('b')], isFirst: true });
    live.take('ready', { name });
    assert.equal(ids(live), 'b');
  }
});

test('objects stay when the gateway cannot send a name now, or begins its snapshot again', async () => {
  const live = new LiveObjects(need, isOwn);
  await live.read(async () => [one('a'), one('b')]);
  live.take('refused', { name, code: 'unavailable' });
  // The first part of a snapshot that was reset proves nothing about the others.
  live.take('snapshot', { type: 'device', name, objects: [one('a')], isFirst: true });
  live.take('reset', { name });
  live.take('ready', { name });
  assert.equal(ids(live), 'a,b');
  live.take('removed', { type: 'device', names: [name], id: 'a' });
  assert.equal(ids(live), 'b');
});

test('the snapshot of another need ends no object of this one, and a page without a need takes nothing', async () => {
  const live = new LiveObjects(need, isOwn);
  const other = { type: 'device', query: 'q=x' };
  let answer;
  const reading = live.read(() => new Promise((resolve) => { answer = resolve; }), other);
  live.take('snapshot', { type: 'device', name, objects: [], isFirst: true });
  live.take('ready', { name });
  answer([one('a')]);
  await reading;
  assert.equal(ids(live), 'a');
  live.follow(null);
  live.take('revoked', { name });
  live.take('removed', { type: 'device', names: [name], id: 'a' });
  assert.equal(ids(live), 'a');
});

test('a page keeps what it has after a failure, begins anew when that is out of reach, and fails when it has nothing', () => {
  let lost = 0;
  const context = { lost: () => { lost++; } };
  const loaded = { status: 'loaded' };
  assert.equal(keepsAfter(context, loaded, { status: 503 }), true);
  assert.deepEqual([lost, loaded.status], [0, 'loaded']);
  for (const status of [403, 404]) assert.equal(keepsAfter(context, loaded, { status }), false);
  assert.equal(lost, 2);
  const first = { status: 'loading' };
  assert.equal(keepsAfter(context, first, { status: 404 }), false);
  assert.deepEqual([lost, first.status], [2, 'failed']);
});
