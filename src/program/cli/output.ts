import { once } from 'node:events';
import { stripVTControlCharacters, styleText } from 'node:util';

/** Prints a result: a JSON document for programs, text for people. */
export function print(json: boolean | undefined, document: unknown, text: () => string): void {
  process.stdout.write(`${json ? jsonText(document, 2) : text()}\n`);
}

/** Formats a value as JSON that is safe to print. JSON.stringify escapes only some of the characters that control a terminal. */
export function jsonText(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(UNPRINTABLE, (one) =>
    one === '\n' ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns a table for programs unchanged, but without characters that would control the terminal when it is written to one. */
export function shownText(text: string, terminal = process.stdout.isTTY): string {
  return terminal ? text.replace(UNPRINTABLE, (one) => (one === '\n' ? one : '\u{fffd}')) : text;
}

/** Writes a part of a long result to stdout, and waits while its buffer is full. */
export async function writeOut(text: string): Promise<void> {
  if (!process.stdout.write(shownText(text))) await once(process.stdout, 'drain');
}

/** A heading of a table. Numbers are aligned to the right. */
export type Heading = string | { title: string; align: 'right' };

/** Formats rows as columns aligned under their headings. Cells are in the order of the headings. */
export function table(headings: readonly Heading[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return 'none yet';
  const titles = headings.map((heading) => paint('bold', typeof heading === 'string' ? heading : heading.title));
  const lines = [titles, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ''))));
  const aligned = (cell: string, column: number) => {
    const space = ' '.repeat((widths[column] ?? 0) - widthOf(cell));
    return typeof headings[column] === 'object' ? `${space}${cell}` : `${cell}${space}`;
  };
  return lines.map((line) => line.map(aligned).join('  ').trimEnd()).join('\n');
}

/** Formats one record with a name and a value on each line. */
export function details(entries: Record<string, string>): string {
  const width = Math.max(...Object.keys(entries).map((name) => name.length));
  return Object.entries(entries)
    .map(([name, value]) => `${paint('bold', name.padEnd(width))}  ${value}`)
    .join('\n');
}

type Style = Exclude<Parameters<typeof styleText>[0], readonly unknown[]>;

/** Colours a text when a person watches stdout: on a terminal, unless NO_COLOR is set; always with FORCE_COLOR. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

const STATUS_STYLES: Record<string, Style> = {
  ...{ succeeded: 'green', active: 'green', verified: 'green' },
  ...{ failed: 'red', expired: 'red', rejected: 'red' },
  ...{ pending: 'yellow', processing: 'yellow', partial: 'yellow', disputed: 'yellow' },
};

/** Colours a status by whether it is good, bad or not final; others stay as they are. */
export function paintStatus(status: string): string {
  const style = STATUS_STYLES[status];
  return style ? paint(style, status) : status;
}

/** Characters that could move the cursor, change colours or reverse the reading order of what follows. */
const UNPRINTABLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Returns text from outside on one line, without characters that would control the terminal. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '\u{fffd}');
}

/** Formats a time to the second, in UTC; empty for null. */
export function shortMoment(at: Date | null): string {
  return at ? `${at.toISOString().slice(0, 19)}Z` : '';
}

/**
 * Removes the extra row that was read to detect whether there are more, and reports it on stderr.
 * @param first the order of the rows: which of them come first
 */
export function firstOf<T>(rows: T[], limit: number, first: 'newest' | 'oldest' = 'newest'): T[] {
  if (rows.length > limit) console.error(`only the ${first} ${limit} are shown; --limit shows more`);
  return rows.slice(0, limit);
}

function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
