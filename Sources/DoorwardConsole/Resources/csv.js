// Tables as CSV: reading the files of spreadsheets, whatever they made of them, and writing files that are safe in
// them.
// @ts-check

/**
 * @typedef {{line: number, cells: string[], problem: string | null}} Row `line` is the line of the file in which the
 *   row begins; `problem` is why it cannot be read as a row
 * @typedef {{separator: string, rows: Row[]}} Table
 */

/** The separators that are recognized, the most usual first. */
const separators = [',', ';', '\t'];

/**
 * The text of a file: UTF-8, or UTF-16 with its mark. The mark is removed.
 *
 * @param {Uint8Array} bytes @returns {string | null} null if the file is in another encoding, or no text
 */
export function textOf(bytes) {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le'
    : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/**
 * The separator of a table: the one that its first line with any has most often outside of quotes.
 *
 * @param {string} text
 */
export function separatorOf(text) {
  for (const line of text.split(/\r\n|\n|\r/, 20)) {
    const plain = line.replace(/"[^"]*"?/g, '');
    const counts = separators.map((one) => plain.split(one).length - 1);
    const most = Math.max(...counts);
    if (most > 0) return separators[counts.indexOf(most)];
  }
  return ',';
}

/**
 * The rows of a table. Cells may be quoted, and have separators, quotes and line breaks in them then; lines end with
 * LF, CRLF or CR. Empty lines are left out.
 *
 * @param {string} text @param {string} [separator] @returns {Table}
 */
export function parse(text, separator = separatorOf(text)) {
  /** @type {Row[]} */
  const rows = [];
  let [line, at] = [1, 0];
  while (at < text.length) {
    /** @type {Row} */
    const row = { line, cells: [], problem: null };
    let isOpen = true;
    while (isOpen) {
      // Spaces before a quote do not count.
      const quote = at + (/^ */.exec(text.slice(at, at + 20))?.[0].length || 0);
      const cell = text[quote] === '"' ? quoted(text, quote, separator) : plain(text, at, separator);
      row.cells.push(cell.text);
      row.problem ||= cell.problem;
      line += cell.breaks;
      isOpen = text[cell.end] === separator;
      at = cell.end + (isOpen ? 1 : 0);
    }
    if (at < text.length) {
      at += text.startsWith('\r\n', at) ? 2 : 1;
      line++;
    }
    if (row.problem || row.cells.some((cell) => cell.trim() !== '')) rows.push(row);
  }
  return { separator, rows };
}

/** @typedef {{text: string, end: number, breaks: number, problem: string | null}} Cell `end` is where it ends */

/** @param {string} text @param {number} from @param {string} separator @returns {Cell} */
function plain(text, from, separator) {
  let end = from;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end++;
  return { text: text.slice(from, end), end, breaks: 0, problem: null };
}

/** @param {string} text @param {number} from @param {string} separator @returns {Cell} */
function quoted(text, from, separator) {
  let [at, value] = [from + 1, ''];
  for (;;) {
    const close = text.indexOf('"', at);
    if (close < 0) {
      const lines = breaksIn(text.slice(from).replace(/(\r\n|\n|\r)$/, ''));
      const rest = lines === 0 ? '' : `, so the ${lines === 1 ? 'line' : `${lines} lines`} after it cannot be read`;
      return { text: '', end: text.length, breaks: lines, problem: `A quote is not closed${rest}.` };
    }
    value += text.slice(at, close);
    at = close + 1;
    if (text[at] !== '"') break;
    value += '"';
    at++;
  }
  const rest = plain(text, at, separator);
  const problem = rest.text.trim() ? 'There is text after a closing quote.' : null;
  return { text: value + rest.text.trim(), end: rest.end, breaks: breaksIn(value), problem };
}

/** @param {string} text */
const breaksIn = (text) => (text.match(/\r\n|\n|\r/g) || []).length;

// Writing.

/** What a spreadsheet takes for the beginning of a formula, as in the gateway's own files. */
const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * Whether a spreadsheet would take a text for a formula.
 *
 * @param {string} text
 */
export const isFormula = (text) => formula.test(text);

/**
 * The text of a cell without the apostrophe that keeps a spreadsheet from taking it for a formula.
 *
 * @param {string} text
 */
export const unguarded = (text) => (text.startsWith("'") && isFormula(text.slice(1)) ? text.slice(1) : text);

/** @param {string} text */
function written(text) {
  const guarded = isFormula(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

/**
 * A file for spreadsheets: UTF-8 with its mark and CRLF. A text that would be a formula is preceded by an apostrophe.
 *
 * @param {string[][]} rows
 */
export const fileOf = (rows) => `\ufeff${linesOf(rows)}`;

/**
 * Lines of such a file.
 *
 * @param {string[][]} rows
 */
export const linesOf = (rows) => rows.map((cells) => `${cells.map(written).join(',')}\r\n`).join('');

/**
 * Gives a file to the browser to save.
 *
 * @param {Blob} blob @param {string} name
 */
export function give(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  Object.assign(link, { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

/**
 * Gives a table to the browser to save.
 *
 * @param {string[][]} rows @param {string} name
 */
export const giveTable = (rows, name) => give(new Blob([fileOf(rows)], { type: 'text/csv;charset=utf-8' }), name);
