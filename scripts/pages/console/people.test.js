// Tests of the files of people and of the log: reading and writing tables, the lines of an import, the filters of the log, the last
// opening, and downloads that end before their end. scripts/test-pages runs them with Node.
import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.BroadcastChannel = undefined;
process.env.TZ = 'Europe/Berlin';

const { Ability } = await import('./ability.js');
const { fileOf, parse, separatorOf, textOf, unguarded } = await import('./csv.js');
const { Broken, LineCounter, download, sizeText } = await import('./download.js');
const { amount, endText } = await import('./log-export.js');
const { addressOf, filtersOf, queryOf, searched } = await import('./log-filters.js');
const { openingAmong, openingText } = await import('./opening.js');
const { head, rowsOf } = await import('./people-export.js');
const { judge, maxLines, readLines } = await import('./people-lines.js');
const { Scopes } = await import('./scopes.js');
const { messageOf } = await import('./invite.js');

const bytesOf = (text) => new TextEncoder().encode(text);
const cellsOf = (text, separator) => parse(text, separator).rows.map(({ cells }) => cells);

// --- Tables ---

test('tables are read whatever a spreadsheet made of them', () => {
  const cases = [
    ['a,b\nc,d', [['a', 'b'], ['c', 'd']]], ['a;b\r\nc;d\r\n', [['a', 'b'], ['c', 'd']]], ['a\tb\rc\td\r', [['a', 'b'], ['c', 'd']]],
    ['', []], ['\n\r\n\r', []], [',,\n;;\n', [[';;']]], ['a,\n', [['a', '']]], ['a,,b', [['a', '', 'b']]],
    ['"a","b ""c"" d"', [['a', 'b "c" d']]], ['"a,b";c', [['a,b', 'c']]], ['a,"Flat 1A, Quay 1"\nb,c', [['a', 'Flat 1A, Quay 1'], ['b', 'c']]],
    ['a, "b, c" ,d', [['a', 'b, c', 'd']]], ['"a\r\nb",c\r\nd,e', [['a\r\nb', 'c'], ['d', 'e']]], ['a"b,c', [['a"b', 'c']]], ['"",x', [['', 'x']]],
    ['a,b\n\n  ,  \nc,d', [['a', 'b'], ['c', 'd']]], ['ä,😀', [['ä', '😀']]], ['a', [['a']]], ['"a"', [['a']]],
  ];
  for (const [text, cells] of cases) assert.deepEqual(cellsOf(text), cells, JSON.stringify(text));
  assert.equal(separatorOf('"a;b;c",d'), ',');
  assert.equal(separatorOf('sep\n"x"\na;b'), ';');
  assert.deepEqual(parse('a,b\n"c\nd",e\nf,g').rows.map(({ line }) => line), [1, 2, 4]);
  assert.deepEqual(parse('a\r\n\r\nb').rows.map(({ line }) => line), [1, 3]);
});

test('a quote that is not closed is said where it begins, with the lines that it hides', () => {
  const rows = parse('email,role\na,b\n"c,d\ne,f\ng,h\n').rows;
  assert.deepEqual(rows.map(({ line, problem }) => [line, problem]), [
    [1, null], [2, null], [3, 'A quote is not closed, so the 2 lines after it cannot be read.']]);
  assert.equal(parse('"a').rows[0].problem, 'A quote is not closed.');
  assert.equal(parse('"a" b,c').rows[0].problem, 'There is text after a closing quote.');
});

test('a file is text in UTF-8 or UTF-16, or it is not read', () => {
  assert.equal(textOf(bytesOf('\ufeffä')), 'ä');
  assert.equal(textOf(new Uint8Array([0xff, 0xfe, 0x61, 0, 0x2c, 0])), 'a,');
  assert.equal(textOf(new Uint8Array([0xfe, 0xff, 0, 0x61])), 'a');
  for (const bytes of [[0xe4, 0x2c], [0x61, 0, 0x62], [0x50, 0x4b, 3, 4, 0xff], [0xc3]]) assert.equal(textOf(new Uint8Array(bytes)), null, String(bytes));
});

test('what is written is read again, and is no formula in a spreadsheet', () => {
  const cells = ['=1+1', '+1', '-1', '@a', '\tb', '\rc', '＝1', 'a,b', 'a;b', 'say "hi"', 'two\nlines', '', "'quoted", 'ä😀', '<b>'];
  const text = fileOf([cells]);
  assert.ok(text.startsWith('\ufeff') && text.endsWith('\r\n'));
  const [read] = cellsOf(textOf(bytesOf(text)), ',');
  for (const one of read) assert.doesNotMatch(one, /^[=+\-@\t\r\n＝＋－＠]/);
  assert.deepEqual(read.map(unguarded), cells);
});

// --- Lines of an import ---

const ability = new Ability([
  { action: ['portfolio.admins.assign', 'portfolio.auditors.assign'], subject: ['Portfolio'], conditions: { id: 'F1' } },
  { action: ['property.managers.assign', 'property.staff.assign'], subject: ['Property'], conditions: { id: { $in: ['P1', 'P2'] } } },
  { action: ['unit.tenants.assign'], subject: ['Unit'] },
]);
const scopes = new Scopes([
  [{ id: 'F1', name: 'Houses' }], [{ id: 'P1', name: 'Quay 1' }, { id: 'P2', name: 'Yard' }, { id: 'P3', name: 'Mill' }],
  [{ id: 'U1', name: 'Flat 1A', propertyId: 'P1' }, { id: 'U2', name: 'Flat 1A', propertyId: 'P2' }, { id: 'U3', name: '-5', propertyId: 'P2' }]]);

const judged = (text, pending) => {
  const { lines, problem } = readLines(typeof text === 'string' ? bytesOf(text) : text);
  assert.equal(problem, null);
  judge(lines, scopes, ability, pending);
  return lines;
};

test('each line says what it does, or what is wrong with it', () => {
  const cases = [
    ['a@x.org,TENANT,"Flat 1A, Quay 1"', 'Tenant, Flat 1A, Quay 1.'], ['a@x.org,tenant,U1', 'Tenant, Flat 1A, Quay 1.'],
    ['a@x.org,Property manager,quay  1', 'Property manager, Quay 1.'], ['a@x.org,property_manager,P2', 'Property manager, Yard.'],
    ['a@x.org,Auditor,Houses', 'Auditor, Houses.'], ["a@x.org,Tenant,'-5", 'Tenant, -5, Yard.'], ['a@x.org,Owner,houses,', 'Owner, Houses.'],
    ['  a@x.org  , Tenant ,u3', 'Tenant, -5, Yard.'],
  ];
  for (const [line, text] of cases) {
    const [one] = judged(`email,role,place\n${line}`);
    assert.deepEqual([one.problem, one.text], [null, text], line);
  }
  const wrong = [
    [',Tenant,U1', /address is missing/], ['a@x.org,,U1', /role is missing/], ['a@x.org,Tenant,', /place is missing/], ['a@x.org', /role is missing/],
    ['a@x.org,King,U1', /“King” is no role/], ['a@x.org,Guest,U1', /“Guest” is no role/], ['a@x.org,Super admin,U1', /no role/],
    ['a@x.org,Tenant,Nowhere', /No place that you can see is “Nowhere”/], ['a@x.org,Tenant,Flat 1A', /2 places are called “Flat 1A”/],
    ['a@x.org,Tenant,Quay 1', /Tenant is a role at a unit, and “Quay 1” is a property/], ['a@x.org,Maintenance,Mill', /may not give the role Maintenance at “Mill”/],
    ['a@x.org,Tenant,Flat 1A, Quay 1', /It has 4 cells in the place of 3/], ['=cmd|x!A0@x.org,Tenant,U1', /begins like a formula/], ['+a@x.org,Tenant,U1', /begins like a formula/],
    ['a@@x.org,Tenant,U1', /is no email address/], ['a x@x.org,Tenant,U1', /is no email address/], ['@x.org,Tenant,U1', /formula/], ['a@,Tenant,U1', /is no email/],
    ['a\u0007@x.org,Tenant,U1', /is no email/], [`${'a'.repeat(260)}@x.org,Tenant,U1`, /too long/], [`a@x.org,${'x'.repeat(100000)},U1`, /no role/],
    ['"a@x.org,Tenant,U1', /quote is not closed/], ['"a@x.org"b,Tenant,U1', /after a closing quote/], ['<img src=x>,Tenant,U1', /“<img src=x>” is no email/],
  ];
  for (const [line, problem] of wrong) {
    const [one] = judged(`email,role,place\n${line}`);
    assert.match(one.problem || '', problem, line.slice(0, 60));
    assert.ok(one.problem.length < 200 && one.offer === null, line.slice(0, 60));
  }
});

test('columns are found by their names in any order, and a file without names has three', () => {
  for (const text of ['Place;E-Mail;Name;Role\nU1;a@x.org;Ann;Tenant', 'a@x.org,Tenant,U1', '\ufeffEMAIL,ROLE,PLACE ID\r\na@x.org,Tenant,U1', 'email\trole\tplace\na@x.org\tTenant\tU1']) {
    assert.deepEqual(judged(text).map(({ email, offer }) => [email, offer.id]), [['a@x.org', 'U1']], text);
  }
  const utf16 = new Uint8Array([0xff, 0xfe, ...[...'email\trole\tplace\r\na@x.org\tTenant\tU1'].flatMap((one) => [one.charCodeAt(0), 0])]);
  assert.equal(judged(utf16)[0].problem, null);
});

test('the same person twice is said, and the earlier invitation that ends', () => {
  const lines = judged('email,role,place\na@x.org,Tenant,U1\n\nA@X.org,TENANT,"Flat 1A, Quay 1"\na@x.org,Tenant,U3', [{ email: 'a@x.org', role: 'TENANT', place: { type: 'UNIT', id: 'U3' } }]);
  assert.deepEqual(lines.map(({ line, problem }) => [line, problem]), [[2, null], [4, 'It is the same as line 2.'], [5, null]]);
  assert.match(lines[2].text, /The invitation that is pending ends/);
});

test('a file that cannot be one of people is refused as a whole', () => {
  const cases = [
    ['', /empty/], ['\n\n', /empty/], ['name,phone\nx,y', /names no column “email”/], ['email,role,place\n', /nobody after it/], [new Uint8Array([0x61, 0xe4]), /no text in UTF-8/],
    [new Uint8Array(8 * 1024 * 1024 + 1), /larger than 8 MB/], [`email\n${'a@x.org\n'.repeat(maxLines + 1)}`, /10,001 lines/],
  ];
  for (const [text, problem] of cases) assert.match(readLines(typeof text === 'string' ? bytesOf(text) : text).problem, problem);
  const all = judged(`email,role,place\n${Array.from({ length: maxLines }, (_, number) => `p${number}@x.org,Tenant,U1`).join('\n')}`);
  assert.equal(all.filter(({ problem }) => problem === null).length, maxLines);
});

test('what a right has ended for cannot be sent any more, and what was sent stays as it is, without the name of its place', () => {
  const lines = judged('email,role,place\na@x.org,Tenant,U1\nb@x.org,Tenant,U1');
  Object.assign(lines[0], { phase: 'done', outcome: 'Invited.' });
  judge(lines, new Scopes([[], [], []]), new Ability([]));
  assert.deepEqual(lines.map(({ phase, text, problem }) => [phase, text, problem]), [
    ['done', 'Tenant, U1.', null], ['waiting', '', 'No place that you can see is “U1”.']]);
});

test('people are written with the columns that the import reads', () => {
  const users = [
    { email: 'a@x.org', firstName: '=Ann', lastName: '', roleAssociations: [{ roleWithinEntity: 'TENANT', associatedEntityType: 'UNIT', associatedEntityId: 'U1' }] },
    { email: 'b@x.org', firstName: 'Bob', isEnabled: false }];
  const text = fileOf([head, ...rowsOf(users, scopes)]);
  assert.ok(text.includes("'=Ann") && text.includes('"Flat 1A, Quay 1"') && text.includes('disabled'));
  assert.deepEqual(judged(text).map(({ problem }) => problem), [null, 'The role is missing.']);
});

test('the text for an invited person has the link and its end', () => {
  const text = messageOf({ email: 'a@x.org', offer: 'Tenant, Flat 1A', expiresAt: '2027-01-15T14:00:00.000Z', label: '', value: 'https://doors.example/i' });
  assert.match(text, /Tenant, Flat 1A/);
  assert.match(text, /https:\/\/doors\.example\/i\n/);
  assert.match(text, /15 Jan 2027.*15:00/);
});

// --- The log ---

test('filters are in the address, and come back from it; what there is not is left out', () => {
  const filter = filtersOf(new URLSearchParams('kind=DENIAL&reason=outside_schedule&propertyId=P1&userId=u1&span=30&text=water%20leak'));
  assert.equal(addressOf(filter), '#/log?kind=DENIAL&propertyId=P1&userId=u1&reason=outside_schedule&span=30&text=water+leak');
  assert.deepEqual(filtersOf(new URLSearchParams(addressOf(filter).split('?')[1])), filter);
  assert.equal(addressOf(filtersOf(new URLSearchParams(''))), '#/log');
  assert.equal(addressOf(filtersOf(new URLSearchParams('span='))), '#/log?span=');
  assert.equal(addressOf(filtersOf(new URLSearchParams('kind=X&reason=Y&span=9&outcome=Z'))), '#/log');
  assert.equal(filtersOf(new URLSearchParams('reason=lockdown_active')).kind, 'DENIAL');
  assert.equal(filtersOf(new URLSearchParams('kind=SESSION&reason=lockdown_active')).reason, '');
  const query = queryOf(filtersOf(new URLSearchParams('span=own&from=2027-01-01T00:00&until=never')));
  assert.deepEqual([query.from, query.until, 'text' in query], ['2026-12-31T23:00:00.000Z', '', false]);
});

test('a text is searched for in stated reasons and in those of overrides', () => {
  const records = [{ id: '1', statedReason: 'Water  LEAK in Ünit' }, { id: '2', override: { reason: 'a leak' } }, { id: '3', actorName: 'leak' }, { id: '4', statedReason: null }];
  assert.deepEqual(searched(records, ' water leak ').map(({ id }) => id), ['1']);
  assert.deepEqual(searched(records, 'LEAK').map(({ id }) => id), ['1', '2']);
  assert.deepEqual(searched(records, 'ünit').map(({ id }) => id), ['1']);
  assert.equal(searched(records, '  '), records);
});

test('the last opening is a sentence: who, how, when, and whether the lock confirmed it', () => {
  const command = (at, outcome, more = {}) => ({ kind: 'COMMAND_OUTCOME', operation: 'UNLOCK', outcome, at, actorName: 'Ann', source: 'CONSOLE', commandId: `c${at}`, ...more });
  const event = (at, name, more = {}) => ({ kind: 'DEVICE_EVENT', event: name, at, actorKind: 'DEVICE', source: 'DEVICE', ...more });
  const [one, two, three] = ['2027-01-01T10:00:00.000Z', '2027-01-01T11:00:00.000Z', '2027-01-01T12:00:00.000Z'];
  const textOfAll = (...records) => {
    const { record, earlier, isLate } = openingAmong(records);
    return [record && openingText(record, 'Cellar', isLate), earlier && openingText(earlier, 'Cellar')];
  };
  assert.deepEqual(textOfAll(), [null, null]);
  assert.match(textOfAll(command(one, 'CONFIRMED'), command(two, 'FAILED'), command(three, 'DENIED'))[0], /^Ann unlocked Cellar from the console, .*11:00:00.*The lock confirmed it\.$/);
  const [unsure, before] = textOfAll(command(one, 'CONFIRMED'), command(two, 'TIMED_OUT', { actorName: 'Bob', operation: 'UNLATCH' }));
  assert.match(unsure, /^Bob asked to unlatch Cellar .*did not confirm it/);
  assert.match(before, /^Ann unlocked/);
  const late = textOfAll(command(one, 'CONFIRMED'), command(two, 'TIMED_OUT'), event(three, 'COMMAND_DELIVERED_LATE', { commandId: `c${two}` }));
  assert.match(late[0], /confirmed it late/);
  assert.equal(late[1], null);
  assert.match(textOfAll(command(one, 'CONFIRMED'), event(two, 'UNLOCKED', { method: 'KEYPAD' }), event(three, 'LOCKED'))[0], /^Someone unlocked Cellar at the lock by keypad, .*reported it\.$/);
  assert.match(textOfAll(event(two, 'UNLATCHED', { method: 'AUTO' }))[0], /^The lock unlatched Cellar at the lock by itself/);
});

// --- Downloads ---

test('the lines of a table are counted without those in cells, also across parts', () => {
  const counter = new LineCounter();
  assert.equal([...'a,"b\nc ""\n"" d"\r\ne\n'].map((one) => counter.add(bytesOf(one))).at(-1), 2);
  assert.deepEqual([0, 999, 1000, 1234567, 2.5e9].map(sizeText), ['0 bytes', '999 bytes', '1 kB', '1.2 MB', '2.5 GB']);
});

/** A browser that writes to the disk, and a gateway that sends these parts; the last one may be an error. */
async function withDownload(parts, run) {
  const before = { fetch: globalThis.fetch, showSaveFilePicker: globalThis.showSaveFilePicker };
  const file = { text: '', isClosed: false, isAborted: false };
  globalThis.showSaveFilePicker = async () => ({
    createWritable: async () => ({
      write: async (bytes) => { file.text += new TextDecoder().decode(bytes); },
      close: async () => { file.isClosed = true; }, abort: async () => { file.isAborted = true; },
    }),
  });
  globalThis.fetch = async () => new Response(new ReadableStream({
    async pull(controller) {
      const next = parts.shift();
      if (next === undefined) controller.close();
      else if (next instanceof Error) controller.error(next);
      else if (next === 'never') await new Promise(() => {});
      else controller.enqueue(bytesOf(next));
    },
  }));
  try {
    await run(file);
  } finally {
    Object.assign(globalThis, before);
    if (!before.showSaveFilePicker) delete globalThis.showSaveFilePicker;
  }
}

test('a file is written while it arrives, and one that ends before its end is not kept', async () => {
  const seen = [];
  const options = (signal = new AbortController().signal) => ({ signal, refusal: 'No.', onprogress: ({ bytes, lines }) => seen.push([bytes, lines]) });
  await withDownload(['a,b\r\n', 'c,"d\n', 'e"\r\n'], async (file) => {
    assert.deepEqual(await download('/x', 'log.csv', options()), { bytes: 14, lines: 2 });
    assert.deepEqual([file.text, file.isClosed, file.isAborted], ['a,b\r\nc,"d\ne"\r\n', true, false]);
  });
  assert.equal(seen.length, 3);
  await withDownload(['a\r\nb\r\n', new Error('reset')], async (file) => {
    const error = await download('/x', 'log.csv', options()).catch((one) => one);
    assert.ok(error instanceof Broken && !error.isCancelled && file.isAborted && !file.isClosed);
    assert.equal(endText(error, 'csv'), 'The export ended before its end after 1 record, 6 bytes. The file would be incomplete, so nothing is saved. The log may have a record of this export.');
    assert.equal(amount('ndjson', error.progress), '6 bytes');
  });
  await withDownload(['a\r\n', 'never'], async (file) => {
    const cancel = new AbortController();
    const saving = download('/x', 'log.csv', { signal: cancel.signal, refusal: 'No.', onprogress: () => cancel.abort() });
    const error = await saving.catch((one) => one);
    assert.ok(error instanceof Broken && error.isCancelled && file.isAborted);
  });
});
