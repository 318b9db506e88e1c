import fs from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import type { Store } from '../../platform/db/stores.ts';
import { breakLine, CSV_HEAD } from './report-csv.ts';
import { KIND_TAIL, kindHead, kindRow, pageHead, pageTail, ROWS_SHOWN } from './report-page.ts';
import { BREAK_KINDS, type BreakRow, type Run } from './schema.ts';
import { pagesOf } from './service.ts';

/** Paths of the two files of a report. */
export interface ReportFiles {
  csv: string;
  html: string;
}

/** Writes every break to a CSV file and to an HTML page, in memory bounded by a page of breaks. */
export async function writeReport(store: Store, run: Run, folder: string): Promise<ReportFiles> {
  const files = { csv: path.join(folder, `${run.id}.csv`), html: path.join(folder, `${run.id}.html`) };
  const csv = new Output(files.csv);
  const page = new Output(files.html);
  await csv.write(CSV_HEAD);
  await page.write(pageHead(run, store.environment).text);
  for (const kind of BREAK_KINDS) {
    let shown = 0;
    for await (const rows of pagesOf(store, run, kind)) {
      await csv.write(rows.map(breakLine).join(''));
      if (shown === 0) await page.write(kindHead(run, kind).text);
      await page.write(shownOf(rows, shown));
      shown += rows.length;
    }
    if (shown > 0) await page.write(KIND_TAIL.text);
  }
  await page.write(pageTail(run).text);
  await Promise.all([csv.end(), page.end()]);
  return files;
}

function shownOf(rows: BreakRow[], before: number): string {
  return rows
    .slice(0, Math.max(0, ROWS_SHOWN - before))
    .map((row) => kindRow(row).text)
    .join('');
}

/** A file stream with backpressure. */
class Output {
  readonly #stream: fs.WriteStream;

  constructor(file: string) {
    this.#stream = fs.createWriteStream(file, { mode: 0o640 });
    // The error is reported by the pending write or end.
    this.#stream.on('error', () => undefined);
  }

  async write(text: string): Promise<void> {
    if (this.#stream.errored) throw this.#stream.errored;
    if (!this.#stream.write(text)) await once(this.#stream, 'drain');
  }

  async end(): Promise<void> {
    this.#stream.end();
    await finished(this.#stream);
  }
}
