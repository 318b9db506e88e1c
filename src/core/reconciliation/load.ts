import { createHash, type Hash } from 'node:crypto';
import type { Tx } from '../../kit/sql.ts';
import type { StatementFormat, StatementLine } from '../../providers/adapters/statement.ts';
import { type CsvRecord, CsvReader } from './csv.ts';
import { type LineReader, readerOf } from './lines.ts';
import { type StagedLine, stageLines } from './matching-store.ts';
import type { Reading } from './schema.ts';

/**
 * Lines in one SQL statement: large enough to keep the database load low, small enough to be read while the previous
 * batch is stored.
 */
const BATCH = 10_000;
const MAX_FAULTS = 20;

/** Thrown for a file that is not a statement of this provider. */
export class NotAStatement extends Error {}

/** The file as a stream of chunks of any size. */
export type Chunks = AsyncIterable<Uint8Array>;

/**
 * Streams a statement into the staging table. While the database stores one batch, the next is read, and no more.
 * Memory therefore holds at most two batches, whatever the length of the file.
 * @param now milliseconds since the epoch; lines of a later day are invalid
 * @param progress called with bytes and lines after each batch
 * @throws NotAStatement when the columns of the first line cannot be read
 */
export async function loadStatement(
  tx: Tx,
  file: Chunks,
  format: StatementFormat | undefined,
  now: number,
  progress: (bytes: number, lines: number) => void,
): Promise<Reading & { keyless: boolean }> {
  const hash = createHash('sha256');
  const intake = new Intake(format, now);
  let taken: Promise<void> = Promise.resolve();
  let bytes = 0;
  const storeBatch = async () => {
    await taken;
    const batch = intake.takeBatch();
    taken = stageLines(tx, batch);
    // The promise is awaited with the next batch. Until then its rejection must not end the process.
    taken.catch(() => undefined);
    progress(bytes, intake.lines);
  };
  for await (const text of decoded(file, hash, (size) => (bytes += size))) {
    intake.take(text);
    if (intake.waiting >= BATCH) await storeBatch();
  }
  intake.end();
  if (intake.waiting > 0) await storeBatch();
  await taken;
  return { ...intake.reading(hash.digest('hex')), keyless: intake.keyless };
}

async function* decoded(file: Chunks, hash: Hash, count: (bytes: number) => void): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8');
  for await (const chunk of file) {
    hash.update(chunk);
    count(chunk.length);
    yield decoder.decode(chunk, { stream: true });
  }
  yield decoder.decode();
}

/** Parses the records of the file into batches and counts them. */
class Intake {
  readonly #format: StatementFormat | undefined;
  readonly #now: number;
  readonly #csv = new CsvReader();
  readonly #faults: Reading['faults'] = [];
  readonly #fees = new Map<string, bigint>();
  #reader: LineReader | null = null;
  #batch: StagedLine[] = [];
  #bad = 0;
  #pending = 0;
  #other = 0;
  #first_at: number | null = null;
  #last_at: number | null = null;
  lines = 0;
  /** Set when a line has no key and is identified only by its reference. */
  keyless = false;

  constructor(format: StatementFormat | undefined, now: number) {
    this.#format = format;
    this.#now = now;
  }

  get waiting(): number {
    return this.#batch.length;
  }

  take(text: string): void {
    for (const record of this.#csv.push(text)) this.#record(record);
  }

  end(): void {
    for (const record of this.#csv.end()) this.#record(record);
    if (!this.#reader) throw new NotAStatement('the file is empty');
  }

  takeBatch(): StagedLine[] {
    const batch = this.#batch;
    this.#batch = [];
    return batch;
  }

  reading(hash: string): Reading {
    return {
      ...{ lines: this.lines, bad: this.#bad, faults: this.#faults, pending: this.#pending, other: this.#other, hash },
      fees: [...this.#fees].map(([currency, sum_minor]) => ({ currency, sum_minor })),
      ...{ first_at: this.#first_at, last_at: this.#last_at },
    };
  }

  #record(record: CsvRecord): void {
    if (!this.#reader) {
      this.#reader = this.#head(record);
      return;
    }
    this.lines++;
    if ('fault' in record) {
      this.#fault(record.line, record.fault);
      return;
    }
    const judged = this.#reader(record.fields);
    if (judged.kind === 'bad') this.#fault(record.line, judged.fault);
    else if (judged.kind === 'other') this.#other++;
    else this.#keep(record.line, judged.line);
  }

  #head(record: CsvRecord): LineReader {
    if ('fault' in record) throw new NotAStatement(`line ${record.line}: ${record.fault}`);
    const reader = readerOf(record.fields, this.#format, this.#now);
    if ('fault' in reader) throw new NotAStatement(reader.fault);
    return reader;
  }

  #fault(line: number, fault: string): void {
    this.#bad++;
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ line, fault });
  }

  #keep(place: number, line: StatementLine): void {
    const { at, currency, fee_minor } = line;
    if (this.#first_at === null || at < this.#first_at) this.#first_at = at;
    if (this.#last_at === null || at > this.#last_at) this.#last_at = at;
    if (fee_minor > 0n && line.status === 'succeeded') this.#fees.set(currency, (this.#fees.get(currency) ?? 0n) + fee_minor);
    if (line.status === 'pending') {
      this.#pending++;
      return;
    }
    if (line.key === null) this.keyless = true;
    this.#batch.push({ ...line, line: place });
  }
}
