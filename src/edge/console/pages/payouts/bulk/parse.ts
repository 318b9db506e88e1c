import { CsvFault, type CsvRow, readCsv } from '../../../../../kit/csv-read.ts';
import type { ConsoleLanguage } from '../../../language.ts';
import { number } from '../../../parts/format.ts';
import type { Asked } from '../new/asked.ts';
import { BULK_TEXTS } from './texts.ts';

/** Maximum lines of a list. */
export const MAX_LINES = 500;
/** Maximum characters of a list: 500 lines with long names and descriptions. A longer one is not parsed, and shown again in part only. */
export const MAX_CHARACTERS = 256 * 1024;

/** Columns of a list, in the order of the example. Their names are part of docs/console.md. */
export const COLUMNS = ['recipient', 'channel', 'name', 'bank_code', 'amount', 'currency', 'reference', 'description'] as const;
const REQUIRED = ['recipient', 'amount', 'currency'] as const;

/** A line of a list, with the fields of the form of a payout. */
export interface ParsedLine {
  /** The line of the text at which it begins, from 1. */
  file_line: number;
  asked: Asked;
}

/** The lines of a list, or the reason why it is invalid. */
export type Parsed = { lines: ParsedLine[] } | { fault: string };

/** Parses a list of payouts. Its first line names the columns, in any order. */
export function parseList(text: string, language: ConsoleLanguage): Parsed {
  const texts = BULK_TEXTS[language].faults;
  if (text.length > MAX_CHARACTERS) return { fault: texts.long(number(MAX_CHARACTERS, language)) };
  // U+FFFD replaces bytes that are not UTF-8, as in a file with another encoding. The provider would receive a damaged name.
  const damaged = text.indexOf('\uFFFD');
  if (damaged >= 0) return { fault: texts.damaged(text.slice(0, damaged).split('\n').length) };
  let rows: CsvRow[];
  try {
    rows = readCsv(text);
  } catch (error) {
    if (error instanceof CsvFault) return { fault: texts.csv(error.line) };
    throw error;
  }
  const [head, ...lines] = rows;
  if (!head) return { fault: texts.empty };
  const names = head.cells.map((name) => name.trim().toLowerCase());
  const unknown = names.find((name) => !COLUMNS.some((column) => column === name));
  if (unknown !== undefined) return { fault: texts.column(unknown.slice(0, 60)) };
  const missing = REQUIRED.find((column) => !names.includes(column)) ?? names.find((name, i) => names.indexOf(name) !== i);
  if (missing !== undefined) return { fault: names.includes(missing) ? texts.twice(missing) : texts.missing(missing) };
  if (lines.length === 0) return { fault: texts.empty };
  if (lines.length > MAX_LINES) return { fault: texts.lines(MAX_LINES) };
  return { lines: lines.map(({ line, cells }) => ({ file_line: line, asked: askedOf(names, cells) })) };
}

/** Returns the cells of a line as fields of the form of a payout. */
function askedOf(names: readonly string[], cells: readonly string[]): Asked {
  const line: Asked = Object.fromEntries(names.map((name, i) => [name, (cells[i] ?? '').trim()]));
  const { recipient = '', currency = '', ...others } = line;
  const to = recipient.startsWith('ben_') ? { beneficiary: recipient } : { number: recipient };
  return { ...others, ...to, currency: currency.toUpperCase(), ...(cells.length > names.length ? { surplus: 'yes' } : {}) };
}
