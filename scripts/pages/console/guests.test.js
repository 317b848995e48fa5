// Tests of guest accesses: times, hours, changes over the changes of others, and what is sent. scripts/test-pages runs them with Node.
import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.BroadcastChannel = undefined;
process.env.TZ = 'Europe/Berlin';

const { Ability } = await import('./ability.js');
const { answerText } = await import('./check.js');
const { bodyOf, changedNames, differences, merge, valuesOf } = await import('./guest-change.js');
const { endOf } = await import('./guest-extend.js');
const { draftOf } = await import('./guest-form.js');
const { hoursOf, missingInHours, scheduleOf } = await import('./guest-hours.js');
const { mailOf, messageOf } = await import('./guest-share.js');
const { Preview, previewView } = await import('./guest-preview.js');
const { hoursText, instantHere, later, localWords } = await import('./guest-times.js');
const { default: guestsPage } = await import('./guests.js');
const { nameOfNeed } = await import('./live.js');
const { isSafeAddress } = await import('./view.js');
const { sentenceOf } = await import('./words.js');

const turn = () => new Promise((resolved) => { setTimeout(resolved); });

test('an hour later is an hour, a day and a week later end at the same time of the day', () => {
  const end = '2027-03-27T01:30:00.000Z';
  assert.deepEqual(later(end, 'hour', 'Europe/Berlin'), { instant: '2027-03-27T02:30:00.000Z' });
  assert.deepEqual(later(end, 'day', 'Europe/Berlin'), { text: '2027-03-28T02:30' });
  assert.deepEqual(later(end, 'week', 'Europe/Berlin'), { text: '2027-04-03T02:30' });
  const access = { validUntil: end };
  const now = new Date('2027-03-01T00:00:00Z');
  assert.deepEqual(endOf({ access, zone: 'Europe/Berlin', step: 'day', own: '' }, now), { timeZone: 'Europe/Berlin', validUntil: '2027-03-28T02:30' });
  assert.deepEqual(endOf({ access, zone: null, step: 'own', own: '2027-04-01T10:00' }, now), { validUntil: '2027-04-01T08:00:00.000Z' });
  assert.equal(endOf({ access, zone: null, step: 'own', own: '' }, now), null);
  // One that has ended is extended from the present minute on.
  assert.deepEqual(endOf({ access, zone: null, step: 'hour', own: '' }, new Date('2027-05-01T08:00:59Z')), { validUntil: '2027-05-01T09:00:00.000Z' });
});

test('a local time is told as it was typed, and is sent as an instant only where the property has no zone', () => {
  assert.deepEqual([localWords('2027-03-28T02:30'), localWords('')], ['Sun, 28 Mar 2027, 02:30', 'none']);
  assert.deepEqual([instantHere('2026-07-01T08:00'), instantHere('now')], ['2026-07-01T06:00:00.000Z', 'now']);
});

const schedule = {
  timeZone: 'Europe/Rome', specialDayCut: 'start',
  periods: [{ days: ['MON', 'TUE', 'WED'], from: '09:00', until: '12:00' }, { days: ['MON', 'TUE', 'WED'], from: '13:00', until: '24:00' }, { days: ['SAT', 'SUN'], from: '22:00', until: '06:00' }],
  specialDays: [{ date: '2026-12-25', periods: [] }, { date: '2026-12-31', periods: [{ from: '10:00', until: '12:00' }] }],
};

test('the hours of an access are the same after they have been in the form, and are told in words', () => {
  assert.deepEqual(scheduleOf(hoursOf(schedule)), schedule);
  assert.equal(scheduleOf(hoursOf(null)), null);
  assert.deepEqual(hoursText(schedule), ['Mon–Wed: 09:00–12:00 and 13:00–24:00', 'Sat, Sun: 22:00–06:00', 'Fri, 25 Dec 2026: closed', 'Thu, 31 Dec 2026: 10:00–12:00']);
  const hours = hoursOf(schedule);
  assert.equal(missingInHours(hours), null);
  hours.periods[0].days.clear();
  assert.equal(missingInHours(hours), 'Choose at least one day.');
  hours.isOn = false;
  assert.equal(missingInHours(hours), null);
});

const access = {
  id: 'g1', label: 'Plumber', deviceIds: ['d2', 'd1'], operations: ['UNLOCK', 'LOCK'], validFrom: '2026-11-25T09:00:00.000Z', validUntil: '2026-11-25T11:00:00.000Z',
  maxUses: null, usesLeft: null, schedule: null, revokedAt: null, guest: null, guestUserId: null, propertyId: 'p1', unitId: null, resolution: { timeZone: null },
};

test('a change sends the changed fields only, and keeps what was typed over what others have changed', () => {
  const zone = 'Europe/Berlin';
  const before = valuesOf(access, zone);
  assert.deepEqual(changedNames(before, valuesOf({ ...access, deviceIds: ['d1', 'd2'], operations: ['LOCK', 'UNLOCK'], usesLeft: 3 }, zone)), []);
  const typed = { ...before, until: '2026-11-25T14:00', label: 'The plumber' };
  assert.deepEqual(bodyOf(typed, changedNames(before, typed), zone), { label: 'The plumber', validUntil: '2026-11-25T14:00', timeZone: zone });
  assert.deepEqual(bodyOf(typed, ['until'], null), { validUntil: '2026-11-25T13:00:00.000Z' });
  assert.deepEqual(bodyOf({ ...before, label: ' ', uses: '', schedule }, ['label', 'uses', 'schedule'], zone), { label: null, maxUses: null, schedule });
  const now = valuesOf({ ...access, label: 'Piet', deviceIds: ['d1'], maxUses: 5 }, zone);
  const merged = merge(before, typed, now);
  assert.deepEqual(merged.names.sort(), ['deviceIds', 'label', 'uses']);
  assert.deepEqual([merged.values.label, merged.values.until, merged.values.deviceIds, merged.values.uses], ['The plumber', '2026-11-25T14:00', ['d1'], '5']);
  const found = differences(before, typed, now, { doorName: (id) => ({ d1: 'Cellar', d2: 'Gate' })[id] });
  assert.deepEqual(found, [
    { name: 'label', before: 'Plumber', now: 'Piet', typed: 'The plumber' }, { name: 'deviceIds', before: 'Cellar, Gate', now: 'Cellar', typed: null },
    { name: 'uses', before: 'no limit', now: '5', typed: null }]);
});

test('a text for the guest has the place, the times in words and the link, and a mail is a safe address', () => {
  const shared = {
    access: { ...access, schedule }, doors: ['Cellar & <b>gate</b>'], place: { name: 'Quay 1' }, zone: 'Europe/Berlin',
    link: { url: 'https://doors.example/g/abc', qr: null, warning: null, expiresAt: '' },
  };
  const text = messageOf(shared);
  for (const part of ['Hello Plumber,', 'unlock and lock Cellar & <b>gate</b> at Quay 1.', 'From: Wed', '10:00 CET (09:00 UTC)', 'Hours: Mon–Wed', '\nhttps://doors.example/g/abc\n']) assert.ok(text.includes(part), part);
  const mail = new URL(mailOf(shared));
  assert.deepEqual([mail.protocol, mail.searchParams.get('subject'), mail.searchParams.get('body')], ['mailto:', 'Your access to Quay 1', text.replace(/\n/g, '\r\n')]);
  assert.ok(isSafeAddress(mailOf(shared)) && !isSafeAddress('javascript:mailto:') && !isSafeAddress(' mailto:x'));
  assert.match(mailOf({ ...shared, access: { ...access, guest: { id: 'u1', name: 'Gus', email: 'gus&bcc=x@example.org' } } }), /^mailto:gus%26bcc%3Dx%40example\.org\?/);
});

test('the answer of a check is a sentence', () => {
  const decision = { allowed: false, operation: 'UNLOCK', at: '2026-11-25T11:00:00.000Z', reason: 'guest_window_not_started', opensAt: '2026-11-26T11:00:00.000Z', rule: null, closesAt: null };
  assert.match(answerText(decision, 'Tom Example', { name: 'Cellar', propertyName: 'Quay 1' }),
    /^Tom Example cannot unlock Cellar \(Quay 1\) at Wed, 25 Nov 2026, 12:00:00 CET\. The guest access has not begun\. It opens at Thu, 26 Nov 2026, 12:00:00 CET\.$/);
  const rule = { kind: 'ASSOCIATION', id: 'a1', role: 'TENANT' };
  assert.match(answerText({ ...decision, allowed: true, operation: 'GRANT_ACCESS', rule, reason: null, opensAt: null }, 'Tom', { name: 'Gate' }),
    /^Tom can let guests in at Gate at Wed.* CET\. Role Tenant, without an end\.$/);
});

/** A context of a page, and a gateway that answers each request with what `answer` makes of it. */
async function onGuests(answer, body) {
  const before = globalThis.fetch;
  const sent = [];
  const asked = [];
  globalThis.fetch = async (url, { method, headers, body: text }) => {
    const request = { method, path: url.replace(/^\/api\/v1/, ''), headers, body: text ? JSON.parse(text) : undefined };
    if (request.path.includes('dryRun=true')) {
      asked.push(request);
      return answerOf({ guestAccess: { ...access, ...request.body }, intervals: [], warning: null });
    }
    if (method !== 'GET') sent.push(request);
    return answer(request, sent.length);
  };
  const notes = [];
  const rule = { action: ['GRANT_ACCESS', 'guestAccess.change', 'guestAccess.link', 'guestAccess.revoke'], subject: ['LockDevice', 'Property'] };
  const context = {
    ability: new Ability([rule]), user: { id: 'u1' }, memory: new Map(), redraw() {}, announce() {}, need() {}, note: (text) => notes.push(text),
  };
  const state = guestsPage.start(context, [], new URLSearchParams());
  const settled = async () => { for (let turns = 0; turns < 30; turns++) await turn(); };
  try {
    await settled();
    await body({ context, state, sent, asked, notes, settled, press: (id) => partsOf(guestsPage.view(context, state)).find(({ props }) => props.id === id).props });
  } finally {
    guestsPage.end(state);
    globalThis.fetch = before;
  }
}

/** The elements of a description. */
function partsOf(node) {
  return node && typeof node === 'object' && 'tag' in node ? [node, ...node.children.flatMap(partsOf)] : [];
}

/** @returns {string} the text of a description */
function textOf(node) {
  if (!node || typeof node !== 'object') return '';
  return 'text' in node ? node.text : node.children.map(textOf).join(' ');
}

const answerOf = (data, tag, status = 200) => new Response(JSON.stringify({ data }), { status, headers: tag ? { ETag: tag } : {} });
const door = (id, name) => ({ id, name, propertyId: 'p1', propertyName: 'Quay 1', capabilities: ['LOCK', 'UNLOCK'] });

/** The answers of a gateway with one access, whose version is `current`. */
const gatewayWith = (current) => ({ method, path }) => {
  if (path.startsWith('/guest-access?')) return answerOf({ guestAccesses: [current.access], pagination: { totalItems: 1, totalPages: 1, currentPage: 1, pageSize: 30 } });
  if (path.startsWith('/devices')) return answerOf({ devices: [door('d1', 'Cellar'), door('d2', 'Gate')], pagination: { totalItems: 2, totalPages: 1 } });
  if (path.startsWith('/properties')) return answerOf({ properties: [{ id: 'p1', name: 'Quay 1', portfolioId: 'o1', defaultTimeZone: 'Europe/Berlin' }], pagination: { totalItems: 1, totalPages: 1 } });
  if (method === 'GET') return answerOf({ guestAccess: current.access, intervals: [] }, current.tag);
  return null;
};

/** Opens the form that changes the access. */
async function openChange({ press, settled, state }) {
  press('open-g1').onclick();
  await settled();
  press('to-change').onclick();
  await settled();
  assert.equal(state.form?.version?.access.id, 'g1');
}

test('a change that meets a newer version keeps what was typed, shows what is different, and is saved over it when asked again', async () => {
  const current = { access, tag: '"1"' };
  const answers = gatewayWith(current);
  const gateway = (request) => answers(request) || (request.headers['If-Match'] === current.tag
    ? answerOf({ guestAccess: { ...current.access, label: request.body.label }, warning: 'The link has ended.' }, '"9"')
    : new Response('{"code": "precondition_failed"}', { status: 412 }));
  await onGuests(gateway, async (page) => {
    const { state, sent, press, settled, context } = page;
    await openChange(page);
    press('label').oninput({ target: { value: 'The plumber' } });
    Object.assign(current, { access: { ...access, maxUses: 3, usesLeft: 3 }, tag: '"2"' });
    const submit = () => partsOf(guestsPage.view(context, state)).find(({ tag }) => tag === 'form').props.onsubmit({ preventDefault() {} });
    submit();
    await settled();
    assert.equal(sent.length, 1, 'it is not sent again by itself');
    assert.deepEqual([state.form.label, state.form.uses, state.form.others.map(({ name }) => name), state.form.error], ['The plumber', '3', ['uses'], null]);
    submit();
    await settled();
    assert.deepEqual(sent.map(({ method, headers, body }) => [method, headers['If-Match'], body]),
      [['PUT', '"1"', { label: 'The plumber' }], ['PUT', '"2"', { label: 'The plumber' }]]);
    assert.equal(state.form, null);
    assert.match(textOf(guestsPage.view(context, state)), /The link has ended\./);
  });
});

test('what the gateway may have carried out is not sent again by itself; a new access is sent again with the same key', async () => {
  const answers = gatewayWith({ access, tag: '"1"' });
  await onGuests((request) => { const found = answers(request); if (found) return found; throw new TypeError('away'); }, async (page) => {
    const { state, sent, press, settled, context } = page;
    press('new').onclick();
    await settled();
    press('label').oninput({ target: { value: 'Painter' } });
    state.form.picker.choose('d1');
    const submit = () => partsOf(guestsPage.view(context, state)).find(({ tag }) => tag === 'form').props.onsubmit({ preventDefault() {} });
    submit();
    await settled();
    assert.equal(sent.length, 1);
    assert.match(state.form.error.text, /cannot be reached.* kept, and is sent again only when you save again\./);
    submit();
    await settled();
    press('label').oninput({ target: { value: 'The painter' } });
    submit();
    await settled();
    const keys = sent.map(({ headers }) => headers['Idempotency-Key']);
    assert.deepEqual([keys[0] === keys[1], keys[1] === keys[2], state.form.label], [true, false, 'The painter']);
  });
});

test('a revocation while a change is typed is said, keeps what was typed, and is granted anew only when asked', async () => {
  const current = { access, tag: '"1"' };
  await onGuests(gatewayWith(current), async (page) => {
    const { state, sent, press, context } = page;
    await openChange(page);
    press('label').oninput({ target: { value: 'The plumber' } });
    guestsPage.live(context, state, 'change', { type: 'guestAccess', name: 'guestAccess', object: { ...access, revokedAt: '2026-11-25T10:00:00.000Z' } });
    press('as-new').onclick();
    assert.deepEqual([state.form.version, state.form.label, sent], [null, 'The plumber', []]);
    assert.ok(press('grant'));
  });
});

test('an access that goes out of reach closes its form, and the page says so without its name', async () => {
  await onGuests(gatewayWith({ access, tag: '"1"' }), async (page) => {
    const { state, press, context, notes } = page;
    await openChange(page);
    press('label').oninput({ target: { value: 'The plumber' } });
    guestsPage.live(context, state, 'removed', { type: 'guestAccess', name: nameOfNeed({ type: 'guestAccess', query: '' }), id: 'g1' });
    assert.deepEqual([state.form, notes.length, /lumber/.test(notes[0])], [null, 1, false]);
  });
});

test('a page that is left keeps what was typed, and nothing that the gateway has sent; it is opened again if the access is still open', async () => {
  const current = { access, tag: '"1"' };
  await onGuests(gatewayWith(current), async (page) => {
    const { state, press, settled, context, notes } = page;
    await openChange(page);
    assert.equal(draftOf(state.form), null, 'nothing was typed');
    press('valid-until').oninput({ target: { value: '2026-11-26T12:00' } });
    guestsPage.end(state);
    const kept = context.memory.get('guest-draft');
    assert.deepEqual(kept, { kind: 'change', id: 'g1', how: 'link', email: '', propertyId: 'p1', typed: { until: '2026-11-26T12:00' } });
    const again = guestsPage.start(context, [], new URLSearchParams());
    await settled();
    const pressAgain = (id) => partsOf(guestsPage.view(context, again)).find(({ props }) => props.id === id).props;
    assert.equal(again.form, null);
    pressAgain('continue').onclick();
    await settled();
    assert.deepEqual([again.form.until, again.form.label, again.draft], ['2026-11-26T12:00', 'Plumber', null]);
    guestsPage.end(again);
    // Out of reach: nothing of it is shown.
    const third = guestsPage.start(context, [], new URLSearchParams());
    await settled();
    const before = globalThis.fetch;
    globalThis.fetch = async () => new Response('{"code": "forbidden"}', { status: 403 });
    partsOf(guestsPage.view(context, third)).find(({ props }) => props.id === 'continue').props.onclick();
    await settled();
    globalThis.fetch = before;
    assert.deepEqual([third.form, third.draft, /not open to you any more/.test(notes.at(-1))], [null, null, true]);
    guestsPage.end(third);
    assert.equal(context.memory.has('guest-draft'), false);
  });
});

test('a past access is repeated with its doors, operations, hours, uses and name, and new times', async () => {
  const past = { ...access, schedule, maxUses: 4, usesLeft: 0, validFrom: '2024-11-25T09:00:00.000Z', validUntil: '2024-11-25T11:00:00.000Z', deviceIds: ['d1', 'gone'] };
  const answers = gatewayWith({ access: past, tag: '"1"' });
  const gateway = (request) => (request.path === '/devices/gone' ? new Response('{}', { status: 403 }) : answers(request) || answerOf({ guestAccess: { ...past, id: 'g2' } }, null, 201));
  await onGuests(gateway, async ({ state, sent, press, settled, context }) => {
    press('repeat-g1').onclick();
    await settled();
    const { form } = state;
    assert.deepEqual([form.label, [...form.picker.chosen.keys()], form.missing, form.from, form.until, form.uses], ['Plumber', ['d1'], 1, '', '', '4']);
    const submit = () => partsOf(guestsPage.view(context, state)).find(({ tag }) => tag === 'form').props.onsubmit({ preventDefault() {} });
    submit();
    assert.equal(form.error.text, 'The start or the end is missing.');
    Object.assign(form, { from: '2027-01-01T10:00', until: '2027-01-02T10:00' });
    submit();
    await settled();
    assert.deepEqual(sent[0].body, {
      label: 'Plumber', deviceIds: ['d1'], operations: ['LOCK', 'UNLOCK'], validFrom: '2027-01-01T10:00', validUntil: '2027-01-02T10:00', timeZone: 'Europe/Berlin', schedule, maxUses: 4,
    });
  });
});

const waited = (ms) => new Promise((resolved) => { setTimeout(resolved, ms); });

test('a form shows what the gateway would store: asked once when typing stops, and not while something is missing', async () => {
  await onGuests(gatewayWith({ access, tag: '"1"' }), async (page) => {
    const { state, asked, sent, press, context, settled } = page;
    press('new').onclick();
    await settled();
    const shown = () => textOf(guestsPage.view(context, state));
    assert.match(shown(), /shown when nothing is missing\. The name of the guest is missing\./);
    state.form.picker.choose('d1');
    for (const value of ['P', 'Pa', 'Painter']) press('label').oninput({ target: { value } });
    shown();
    await waited(200);
    assert.deepEqual(asked, []);
    assert.match(shown(), /The gateway is working it out\./);
    await waited(200);
    assert.deepEqual([asked.length, asked[0].method, asked[0].path, asked[0].body.label], [1, 'POST', '/guest-access?dryRun=true&preview=3', 'Painter']);
    assert.equal(asked[0].headers['Idempotency-Key'], undefined);
    for (const part of ['What will be stored', 'Begins', 'Ends', 'Open next']) assert.ok(shown().includes(part), part);
    await waited(400);
    assert.deepEqual([asked.length, sent.length], [1, 0], 'the same request is asked about once');
    state.form = null;
    await openChange(page);
    press('valid-until').oninput({ target: { value: '2027-03-28T02:30' } });
    shown();
    await waited(400);
    assert.deepEqual([asked[1].method, asked[1].path, asked[1].headers['If-Match'], asked[1].body],
      ['PUT', '/guest-access/g1?dryRun=true&preview=3', '"1"', { validUntil: '2027-03-28T02:30', timeZone: 'Europe/Berlin' }]);
  });
});

test('the last answer wins, the former one is marked as such meanwhile, and a refusal is told', async () => {
  const before = globalThis.fetch;
  const waiting = [];
  globalThis.fetch = (url, { body }) => new Promise((resolved) => {
    waiting.push((status, more) => resolved(new Response(JSON.stringify(status === 200
      ? { data: { guestAccess: { ...access, ...JSON.parse(body) }, intervals: [] } } : more), { status })));
  });
  try {
    const preview = new Preview({ redraw() {} });
    const ask = async (until) => {
      preview.ask({ method: 'PUT', path: '/guest-access/g1', body: { validUntil: until }, headers: {} });
      await waited(350);
    };
    const text = () => textOf(previewView(preview, { zone: 'UTC', missing: null, textOf: sentenceOf }));
    await ask('2026-12-01T10:00:00.000Z');
    await ask('2026-12-02T10:00:00.000Z');
    waiting[1](200);
    await waited(10);
    waiting[0](200);
    await waited(10);
    assert.match(text(), /2 Dec 2026/);
    await ask('2026-12-03T10:00:00.000Z');
    assert.match(text(), /former answer.*2 Dec 2026/s);
    waiting[2](403, { code: 'feature_unavailable', message: 'The subscription does not include recurring schedules.' });
    await waited(10);
    assert.ok(!/Dec 2026/.test(text()) && /subscription/.test(text()), text());
    await ask('2026-12-04T10:00:00.000Z');
    preview.end();
    waiting[3](200);
    await waited(10);
    assert.equal(preview.answer, null, 'a form that is closed takes no answer');
  } finally {
    globalThis.fetch = before;
  }
});
