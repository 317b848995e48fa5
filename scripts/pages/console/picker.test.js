// Tests of the choice of doors and people; see console.test.js.
import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.BroadcastChannel = undefined;

const { DoorPicker, PersonPicker, doorChecks, pickerSelect } = await import('./picker.js');

const context = { redraw() {}, announce() {} };
const door = (number) => ({ id: `d${number}`, name: `Door ${number}`, propertyId: 'p1', propertyName: 'House', unitName: null, capabilities: [] });

/** Runs a test with a gateway that has so many doors; `asked` are the queries that it has got. */
const withDoors = (count, body) => withList('devices', Array.from({ length: count }, (_, number) => door(number)), body);

/** Runs a test with a gateway that has these items in a list; `asked` are the queries that it has got. */
async function withList(list, items, body) {
  const before = globalThis.fetch;
  const asked = [];
  globalThis.fetch = async (url) => {
    const { pathname, searchParams: query } = new URL(url, 'http://gateway');
    assert.equal(pathname, `/api/v1/${list}`);
    asked.push(decodeURIComponent(String(query)).replace('limit=200&sortBy=name', '*'));
    const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))];
    const found = items.filter((one) => (one.name || `${one.firstName} ${one.lastName}`).includes(query.get('q') || ''));
    const data = { [list]: found.slice((page - 1) * limit, page * limit), pagination: { totalItems: found.length, totalPages: Math.ceil(found.length / limit) } };
    return new Response(JSON.stringify({ data }));
  };
  try {
    await body(asked);
  } finally {
    globalThis.fetch = before;
  }
}

/** The descriptions with a tag that a description contains. */
const partsOf = (node, tag) => (!node || 'text' in node ? [] : [...(node.tag === tag ? [node] : []), ...node.children.flatMap((one) => partsOf(one, tag))]);
const textOf = (node) => ('text' in node ? node.text : node.children.map(textOf).join(''));

test('a door after the 200th is found by a search or by the next page, and stays chosen when another search does not find it', async () => {
  await withDoors(450, async (asked) => {
    const picker = new DoorPicker(context, { filter: { propertyId: 'p1' } });
    const view = () => pickerSelect(picker, { id: 'door', none: 'All doors', onchange() {} });
    const options = () => partsOf(view(), 'option').map(textOf);
    assert.equal(view(), null);
    await picker.read();
    assert.deepEqual([options().length, options()[0], partsOf(view(), 'input').length], [201, 'All doors', 1]);
    assert.match(textOf(view()), /200 of 450 doors are listed/);
    await picker.read(2);
    assert.equal(options().length, 401);
    picker.q = 'Door 44';
    await picker.read();
    assert.deepEqual(options(), ['All doors', 'Door 44', ...Array.from({ length: 10 }, (_, number) => `Door 44${number}`)]);
    assert.equal(picker.choose('d449').name, 'Door 449');
    picker.q = 'no such door';
    await picker.read();
    assert.deepEqual(options(), ['All doors', 'Door 449']);
    assert.match(textOf(view()), /No door has this name/);
    assert.equal(picker.choose(''), null);
    assert.deepEqual([picker.chosen.size, options()], [0, ['All doors']]);
    assert.deepEqual(asked, ['page=1&*&propertyId=p1', 'page=2&*&propertyId=p1', 'page=1&*&q=Door+44&propertyId=p1', 'page=1&*&q=no+such+door&propertyId=p1']);
  });
});

test('several doors of several searches are chosen, and a door that cannot be chosen is not offered', async () => {
  await withDoors(300, async () => {
    const picker = new DoorPicker(context, { accepts: ({ id }) => id !== 'd299' });
    await picker.read();
    picker.toggle(picker.items[0]);
    picker.q = 'Door 29';
    await picker.read();
    picker.toggle(picker.items.find(({ id }) => id === 'd298'));
    const boxes = () => partsOf(doorChecks(context, picker, 'doors'), 'input').filter(({ props }) => props.type === 'checkbox');
    assert.deepEqual(boxes().filter(({ props }) => props.checked).map(({ props }) => props.id), ['door-d0', 'door-d298']);
    assert.ok(!boxes().some(({ props }) => props.id === 'door-d299'));
    boxes()[0].props.onchange();
    assert.deepEqual([...picker.chosen.keys()], ['d298']);
  });
});

test('where there are few doors there is no field that searches, and an answer that comes too late is left alone', async () => {
  await withDoors(3, async () => {
    const picker = new DoorPicker(context);
    await picker.read();
    const view = pickerSelect(picker, { id: 'door', onchange() {} });
    assert.deepEqual([partsOf(view, 'input').length, partsOf(view, 'option').length, partsOf(view, 'button').length], [0, 3, 0]);
    const late = picker.read();
    picker.end();
    picker.items = [];
    await late;
    assert.deepEqual(picker.items, []);
  });
});

test('a person after the 200th is found by a search and asked about, and people of one name are told apart', async () => {
  const users = Array.from({ length: 450 }, (_, number) => ({ id: `u${number}`, firstName: 'Resident', lastName: String(number), email: `r${number}@example.org` }));
  users[7].lastName = '449';
  await withList('users', users, async (asked) => {
    const { default: page } = await import('./check.js');
    const picker = new PersonPicker(context, { accepts: ({ id }) => id !== 'u0' });
    const view = () => pickerSelect(picker, { id: 'person', none: 'Myself', onchange() {} });
    await picker.read();
    assert.deepEqual([partsOf(view(), 'option').length, partsOf(view(), 'input').length], [200, 1]);
    assert.match(textOf(view()), /^Find a personPersonMyself.*199 of 450 people are listed; use the search to find others\.Show more people$/);
    picker.q = 'Resident 449';
    await picker.read();
    assert.deepEqual(partsOf(view(), 'option').map(textOf), ['Myself', 'Resident 449 – r7@example.org', 'Resident 449 – r449@example.org']);
    assert.deepEqual(asked, ['page=1&*', 'page=1&*&q=Resident+449']);
    picker.choose('u449');

    // The page asks about the chosen person while another one may be asked about.
    const bodies = [];
    const lists = globalThis.fetch;
    globalThis.fetch = async (url, request) => {
      if (!url.includes('/authorize')) return lists(url, request);
      bodies.push(JSON.parse(request.body).userId);
      return new Response(JSON.stringify({ data: { decision: { allowed: true } } }));
    };
    let mayGrant = true;
    const console = { ...context, note() {}, user: { id: 'u0' }, ability: { can: () => mayGrant } };
    const state = { status: 'loaded', question: { operation: 'UNLOCK', at: '' }, answer: null, who: null, asking: null, picker: new DoorPicker(console), people: picker };
    Object.assign(state.picker, { items: [door(1)], isRead: true });
    state.picker.choose('d1');
    const ask = () => partsOf(page.view(console, state), 'form')[0].props.onsubmit({ preventDefault() {} });
    for (mayGrant of [true, false]) {
      ask();
      while (state.asking) await new Promise((done) => { setImmediate(done); });
    }
    assert.deepEqual(bodies, ['u449', undefined]);
  });
});
