/** One record of the file: its fields, or the reason why it cannot be parsed. */
export type CsvRecord = { line: number; fields: string[] } | { line: number; fault: string };

/**
 * Maximum record length. A longer record is not a statement line: a quote was never closed, or the file is of another
 * kind.
 */
const MAX_CHARS = 16_384;
const SEPARATORS = [',', ';', '\t'];

/**
 * Streaming CSV reader (RFC 4180) with memory bounded by the chunk size. Line ends may be LF or CRLF, a byte order
 * mark is skipped, and the separator is detected from the first line, because French spreadsheets use semicolons. An
 * invalid record is reported with its line number. Reading continues after its first line, so one stray quote costs
 * one line.
 */
export class CsvReader {
  #rest = '';
  #line = 1;
  #separator: string | null = null;
  /** Set within a line that is too long: the rest of it is skipped. */
  #skipping = false;

  /**
   * Adds a chunk of the file.
   * @returns the records completed by it
   */
  push(text: string): CsvRecord[] {
    this.#rest += text;
    return this.#take(false);
  }

  /**
   * Ends the file.
   * @returns the remaining records
   */
  end(): CsvRecord[] {
    const records = this.#take(true);
    this.#rest = '';
    return records;
  }

  #take(atEnd: boolean): CsvRecord[] {
    const text = this.#rest;
    const records: CsvRecord[] = [];
    let start = 0;
    while (start < text.length) {
      const newline = text.indexOf('\n', start);
      if (newline === -1 && !atEnd && text.length - start <= MAX_CHARS && !this.#skipping) break;
      if (newline === -1 && (!atEnd || this.#skipping)) {
        if (!this.#skipping) records.push({ line: this.#line, fault: TOO_LONG });
        this.#skipping = true;
        start = text.length;
        break;
      }
      if (this.#skipping) {
        this.#skipping = false;
        this.#line++;
        start = newline + 1;
        continue;
      }
      const end = newline === -1 ? text.length : newline;
      const next = this.#record(text, start, end, atEnd);
      if (next === null) break;
      if (next.record) records.push(next.record);
      this.#line += next.lines;
      start = next.start;
    }
    this.#rest = text.slice(start);
    return records;
  }

  /**
   * Parses one record.
   * @returns null when more of the file is needed
   */
  #record(
    text: string,
    start: number,
    end: number,
    atEnd: boolean,
  ): { record: CsvRecord | null; lines: number; start: number } | null {
    const line = this.#line;
    const after = { lines: 1, start: end + 1 };
    const fault = (why: string) => ({ record: { line, fault: why }, ...after });
    if (end - start > MAX_CHARS) return fault(TOO_LONG);
    const plain = text.slice(start, text.charCodeAt(end - 1) === CR && end > start ? end - 1 : end);
    if (plain === '') return { record: null, ...after };
    this.#separator ??= separatorOf(plain);
    if (!plain.includes('"')) return { record: { line, fields: plain.split(this.#separator) }, ...after };
    const quoted = readQuoted(text, start, this.#separator, atEnd);
    if (quoted.kind === 'read') return { record: { line, fields: quoted.fields }, lines: quoted.lines, start: quoted.next };
    if (quoted.kind === 'open' && !atEnd && text.length - start <= MAX_CHARS) return null;
    return fault(quoted.kind === 'open' ? 'a quote is never closed' : quoted.fault);
  }
}

const CR = 13;
const TOO_LONG = 'the line is too long';

function separatorOf(head: string): string {
  const counts = SEPARATORS.map((separator) => head.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] as string;
}

type Quoted =
  | { kind: 'read'; fields: string[]; lines: number; next: number }
  | { kind: 'open' }
  | { kind: 'wrong'; fault: string };

/** Parses a record with quotes, field by field. */
function readQuoted(text: string, start: number, separator: string, atEnd: boolean): Quoted {
  const fields: string[] = [];
  let at = start;
  let lines = 1;
  for (;;) {
    let field: string;
    if (text[at] === '"') {
      const closed = closingQuote(text, at + 1);
      if (closed === -1 || closed - start > MAX_CHARS) return { kind: 'open' };
      field = text.slice(at + 1, closed).replaceAll('""', '"');
      lines += field.split('\n').length - 1;
      at = closed + 1;
    } else {
      const stop = nextOf(text, at, separator);
      field = text.slice(at, stop).replace(/\r$/, '');
      if (field.includes('"')) return { kind: 'wrong', fault: 'a quote inside an unquoted field' };
      at = stop;
    }
    if (text[at] === '\r' && (at + 1 === text.length || text[at + 1] === '\n')) at++;
    // The next character may belong to the field: a second quote.
    if (at >= text.length && !atEnd) return { kind: 'open' };
    if (at >= text.length || text[at] === '\n') {
      fields.push(field);
      return { kind: 'read', fields, lines, next: at + 1 };
    }
    if (text[at] !== separator) return { kind: 'wrong', fault: 'text after a closing quote' };
    fields.push(field);
    at++;
  }
}

/** Returns the position of the closing quote. A doubled quote is part of the field. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

function nextOf(text: string, from: number, separator: string): number {
  let at = from;
  while (at < text.length && text[at] !== separator && text[at] !== '\n') at++;
  return at;
}
