// Renders a page from a description of it, and changes only what differs from the last one: elements keep their focus, their
// selection and what was typed in them. Texts become text nodes, so nothing that comes from the gateway is ever read as HTML.
// @ts-check

/** @typedef {{tag: string, props: Console.Props, children: Node_[], key: string | number | null, el?: Element}} Element_ */
/** @typedef {{text: string, el?: Text}} Text_ */
/** @typedef {Element_ | Text_} Node_ */

const svgNamespace = 'http://www.w3.org/2000/svg';
const svgTags = new Set(['svg', 'path', 'g', 'rect', 'circle', 'line', 'text', 'title', 'polyline']);
const properties = new Set(['value', 'checked', 'indeterminate', 'selected']);

/**
 * Describes an element. Properties that begin with `on` are listeners; `key` identifies the element among its siblings; `created`
 * is called with the element when it is in the page. A property that begins with `--` is one of the style sheet. Children that are null
 * or false are not shown. A description that is used again, the same object, is not compared: its element
 * stays as it is, and moves if it is described in another place.
 *
 * @param {string} tag the tag, perhaps with classes: `div.card`
 * @param {Console.Props | null} [props]
 * @param {...Console.Child} children
 * @returns {Element_}
 */
export function h(tag, props, ...children) {
  const [name, ...classes] = tag.split('.');
  /** @type {Console.Props} */
  const all = { ...props };
  if (classes.length) all.class = classes.join(' ') + (all.class ? ' ' + all.class : '');
  const { key = null } = all;
  delete all.key;
  return { tag: name, props: all, children: flatten(children, []), key };
}

/** @param {Console.Child[]} children @param {Node_[]} into @returns {Node_[]} */
function flatten(children, into) {
  for (const child of children) {
    // An absent element leaves an empty placeholder, so that its siblings keep their elements when it appears or disappears.
    if (child === null || child === undefined || child === false || child === true) into.push({ text: '' });
    else if (Array.isArray(child)) flatten(child, into);
    else if (typeof child === 'object') into.push(child);
    else into.push({ text: String(child) });
  }
  return into;
}

/**
 * Shows a description inside an element, in place of the one that the last call showed there.
 *
 * @param {Element & {shown?: Node_[]}} root
 * @param {Console.Child} description
 */
export function show(root, description) {
  /** @type {(() => void)[]} */
  const after = [];
  const next = flatten([description], []);
  if (!root.shown) root.replaceChildren();
  patchChildren(root, root.shown || [], next, false, after);
  root.shown = next;
  for (const call of after) call();
}

/**
 * Changes a text in the page and in its description, which need not be shown again.
 *
 * @param {Text_} node @param {string} text @returns {boolean} whether it was another one
 */
export function changeText(node, text) {
  if (node.text === text) return false;
  node.text = text;
  if (node.el) node.el.data = text;
  return true;
}

/** @param {Node_} node @param {boolean} inSVG @param {(() => void)[]} after @returns {Element | Text} */
function create(node, inSVG, after) {
  if ('text' in node) return (node.el ||= document.createTextNode(node.text));
  const svg = node.tag === 'svg' || (inSVG && svgTags.has(node.tag));
  if (node.el) {
    // It was shown before. Since then, its children may have moved to other elements.
    place(node.el, node.children.map((child) => create(child, svg, after)), node.children);
    return node.el;
  }
  const el = svg ? document.createElementNS(svgNamespace, node.tag) : document.createElement(node.tag);
  node.el = el;
  for (const child of node.children) el.append(create(child, svg, after));
  for (const [name, value] of Object.entries(node.props)) setProperty(el, name, value);
  const { created } = node.props;
  if (created) after.push(() => created(el));
  return el;
}

/** @param {Node_} old @param {Node_} next @param {boolean} inSVG @param {(() => void)[]} after */
function patch(old, next, inSVG, after) {
  if (old === next) return;
  // The element shows the new description from now on. The old description gets a new element if it is shown again.
  if ('text' in next) {
    const text = /** @type {Text_} */ (old);
    [next.el, text.el] = [text.el, undefined];
    if (next.text !== text.text && next.el) next.el.data = next.text;
    return;
  }
  const before = /** @type {Element_} */ (old);
  const el = /** @type {Element} */ (before.el);
  [next.el, before.el] = [el, undefined];
  for (const name of Object.keys(before.props)) if (!(name in next.props)) setProperty(el, name, null);
  patchChildren(el, before.children, next.children, inSVG || next.tag === 'svg', after);
  // After the children, so that the value of a select finds its options.
  for (const [name, value] of Object.entries(next.props)) if (before.props[name] !== value) setProperty(el, name, value);
}

/**
 * Whether the element of one description can show another description. A description that was shown before has its own element.
 *
 * @param {Node_} a @param {Node_} b
 */
function isSame(a, b) {
  if (a === b) return true;
  if (b.el) return false;
  if ('text' in a || 'text' in b) return 'text' in a && 'text' in b;
  return a.tag === b.tag && a.key === b.key && a.props.type === b.props.type;
}

/**
 * @param {Element} parent @param {Node_[]} old @param {Node_[]} next @param {boolean} inSVG @param {(() => void)[]} after
 */
function patchChildren(parent, old, next, inSVG, after) {
  /** @type {Map<string | number, Node_>} */
  const keyed = new Map();
  for (const node of old) if (!('text' in node) && node.key !== null) keyed.set(node.key, node);
  const unkeyed = old.filter((node) => 'text' in node || node.key === null);
  const kept = new Set();
  let position = 0;
  const elements = next.map((node) => {
    let match;
    if (!('text' in node) && node.key !== null) match = keyed.get(node.key);
    else match = unkeyed[position++];
    if (match && !kept.has(match) && isSame(match, node)) {
      kept.add(match);
      patch(match, node, inSVG, after);
      return /** @type {Element | Text} */ (node.el);
    }
    return create(node, inSVG, after);
  });
  for (const node of old) if (!kept.has(node) && node.el?.parentNode === parent && !next.includes(node)) node.el.remove();
  place(parent, elements, next);
}

/**
 * Brings the children of an element into order. As few elements as possible are moved: a moved element would lose the focus, and a dialog
 * its position in front of the page.
 *
 * @param {Element} parent @param {(Element | Text)[]} elements @param {Node_[]} nodes their descriptions
 */
function place(parent, elements, nodes) {
  let first = parent.firstChild;
  if (elements.every((el) => { const isHere = el === first; first = isHere && first ? first.nextSibling : null; return isHere; })) return;
  /** @type {Map<Node, number>} */
  const order = new Map();
  for (let child = parent.firstChild; child; child = child.nextSibling) order.set(child, order.size);
  const staying = heaviestRun(elements.map((el, index) => {
    const node = nodes[index];
    return { at: order.get(el) ?? -1, weight: 'text' in node ? 1 : node.key === null ? 100 : 10000 };
  }));
  /** @type {Node | null} */
  let following = null;
  for (let index = elements.length - 1; index >= 0; index--) {
    if (!staying.has(index)) parent.insertBefore(elements[index], following);
    following = elements[index];
  }
}

/**
 * The indices of the ascending places with the greatest weight together; places below zero are left out.
 *
 * @param {{at: number, weight: number}[]} entries @returns {Set<number>}
 */
export function heaviestRun(entries) {
  /** @type {number[]} */
  const sums = [];
  /** @type {number[]} */
  const previous = [];
  let best = -1;
  entries.forEach(({ at, weight }, index) => {
    [sums[index], previous[index]] = [at < 0 ? -1 : weight, -1];
    if (at < 0) return;
    for (let other = 0; other < index; other++) {
      if (entries[other].at >= 0 && entries[other].at < at && sums[other] + weight > sums[index]) [sums[index], previous[index]] = [sums[other] + weight, other];
    }
    if (best < 0 || sums[index] > sums[best]) best = index;
  });
  /** @type {Set<number>} */
  const run = new Set();
  for (let index = best; index >= 0; index = previous[index]) run.add(index);
  return run;
}

/** @param {any} el an element, whose properties are set by their names @param {string} name @param {Console.Props[string]} value */
function setProperty(el, name, value) {
  if (name === 'created') return;
  if (name.startsWith('on')) {
    if (value !== null && typeof value !== 'function') throw new TypeError('A listener is a function.');
    el[name] = value;
    return;
  }
  if (name.startsWith('--')) {
    el.style.setProperty(name, value);
    return;
  }
  if (name === 'srcdoc' || name === 'style') throw new TypeError(name + ' is not allowed.');
  if ((name === 'href' || name === 'src') && value && !isSafeAddress(String(value))) value = null;
  if (properties.has(name)) {
    const wanted = value === null || value === undefined ? '' : value;
    if (el[name] !== wanted) el[name] = wanted;
    return;
  }
  if (value === null || value === undefined || (value === false && !name.startsWith('aria-'))) el.removeAttribute(name);
  else el.setAttribute(name, value === true && !name.startsWith('aria-') ? '' : String(value));
}

/**
 * Whether an address can be in a link or a picture: this page, this gateway, the web, a mail, or a picture in the
 * address itself.
 *
 * @param {string} address
 */
export function isSafeAddress(address) {
  return /^(#|\/(?!\/)|https?:\/\/|mailto:|data:image\/svg\+xml[,;])/.test(address);
}
