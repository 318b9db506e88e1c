/** Marks a file as UTF-8. Spreadsheets would assume another encoding, which breaks accents. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** A number, or text in the form of one, such as `+237650000000`. No other text with a sign may be evaluated by a spreadsheet. */
const NUMBER = /^[+-]?\d+(\.\d+)?$/;
/** First characters of text that a spreadsheet evaluates as a formula, also after a tab or a line break. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/**
 * Positions within a text at which a formula could begin. Where the comma is the decimal sign, as in French, a spreadsheet splits
 * lines at semicolons. Quotes in the middle of such a cell have no effect, so the rest of the text becomes separate cells and lines.
 */
const FORMULA_WITHIN = /(?<=[;\t\r\n])(?=[" ]*[=+\-@＝＋－＠])/g;

/**
 * Formats one line of a CSV file (RFC 4180), with its line break. Cells may hold external input, so text that a spreadsheet would
 * evaluate as a formula is prefixed with an apostrophe, also after a semicolon, a tab or a line break; numbers are not.
 * @param cells null and undefined are empty cells, objects are written as JSON
 */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(cell).join(',')}\n`;
}

/** Returns text in which a spreadsheet evaluates nothing, wherever it splits lines. Not for numbers: negative ones would become text. */
function harmless(text: string): string {
  return (FORMULA.test(text) ? `'${text}` : text).replaceAll(FORMULA_WITHIN, "'");
}

function cell(value: unknown): string {
  const given = textOf(value);
  const text = NUMBER.test(given) ? given : harmless(given);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
