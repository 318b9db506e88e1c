import { harmless } from '../../../kit/csv.ts';

/** A cell of a CSV file. Null is an empty cell. */
export type Cell = string | number | null;

/** Marks the file as UTF-8: spreadsheets would take it for another encoding and break accents. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Returns a line of a CSV file (RFC 4180). Spreadsheets evaluate a cell that begins like a formula, including text from payers: an apostrophe in
 * front makes it text. Numbers, and texts that are numbers, such as `+237650000000`, calculate nothing.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(written).join(',')}\r\n`;
}

function written(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = /^[+-]?\d+(?:\.\d+)?$/.test(cell) ? cell : harmless(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
