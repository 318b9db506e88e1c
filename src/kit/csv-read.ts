/** Error for text that is not valid CSV, with the number of the line (from 1). */
export class CsvFault extends Error {
  readonly line: number;

  constructor(line: number) {
    super(`line ${line} is not valid CSV`);
    this.line = line;
  }
}

/** A row with the number of the line at which it begins (from 1). */
export interface CsvRow {
  line: number;
  cells: string[];
}

/**
 * Reads CSV (RFC 4180): cells in quotes may hold separators, line breaks and doubled quotes. The separator is a comma or a semicolon,
 * whichever the first line has more of. Empty lines are left out of the result, but counted. Each character is read once.
 * @throws CsvFault when a quote is not closed, or text follows one
 */
export function readCsv(text: string): CsvRow[] {
  const marked = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const separator = separatorOf(marked);
  const rows: CsvRow[] = [];
  let row: string[] = [];
  let at = 0;
  let line = 1;
  let first = line;
  while (at < marked.length) {
    const { cell, end, breaks } = marked[at] === '"' ? quoted(marked, at, line) : bare(marked, at, separator);
    row.push(cell);
    line += breaks;
    at = end;
    const next = marked[at];
    if (next === separator) {
      at += 1;
      // A separator at the very end is followed by one more empty cell.
      if (at === marked.length) row.push('');
      continue;
    }
    if (next !== undefined && next !== '\n' && next !== '\r') throw new CsvFault(line);
    if (next === '\r' && marked[at + 1] === '\n') at += 1;
    at += 1;
    line += 1;
    keep(rows, { line: first, cells: row });
    row = [];
    first = line;
  }
  keep(rows, { line: first, cells: row });
  return rows;
}

function keep(rows: CsvRow[], row: CsvRow): void {
  if (row.cells.some((cell) => cell.trim() !== '')) rows.push(row);
}

function separatorOf(text: string): ',' | ';' {
  const head = /^[^\r\n]*/.exec(text)?.[0] ?? '';
  return head.split(';').length > head.split(',').length ? ';' : ',';
}

interface Cell {
  cell: string;
  end: number;
  /** Line breaks within. */
  breaks: number;
}

function bare(text: string, start: number, separator: string): Cell {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return { cell: text.slice(start, end), end, breaks: 0 };
}

function quoted(text: string, start: number, line: number): Cell {
  let end = start + 1;
  for (;;) {
    const quote = text.indexOf('"', end);
    if (quote === -1) throw new CsvFault(line);
    if (text[quote + 1] !== '"') {
      const inside = text.slice(start + 1, quote);
      const cell = inside.replaceAll('""', '"');
      return { cell, end: quote + 1, breaks: inside.split('\n').length - 1 };
    }
    end = quote + 2;
  }
}
