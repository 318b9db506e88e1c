import { setTimeout as sleep } from 'node:timers/promises';

/** How a {@link BufferedWriter} writes. */
export interface Buffering<Row> {
  /** Rows of one write. A full buffer is written at once. */
  max_rows: number;
  /** Maximum number of waiting rows. Further rows are lost. */
  max_waiting: number;
  /** Longest time that a row waits while nothing is being written. */
  every_ms: number;
  write(rows: Row[]): Promise<unknown>;
  /** Receives the number of rows that were not written, and the error of the write if there was one. */
  lost(rows: number, error?: unknown): void;
}

/**
 * Gathers rows in memory and writes many at once, in the background. For logs: `add` never waits and never fails; rows are lost, and
 * counted, when the buffer is full, when a write fails, and when the process ends without closing the writer.
 */
export class BufferedWriter<Row> {
  readonly #options: Buffering<Row>;
  #rows: Row[] = [];
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;
  #closed = false;

  constructor(options: Buffering<Row>) {
    this.#options = options;
  }

  add(row: Row): void {
    const { max_rows, max_waiting, every_ms } = this.#options;
    if (this.#closed || this.#rows.length >= max_waiting) {
      this.#options.lost(1);
      return;
    }
    this.#rows.push(row);
    if (this.#writing) return;
    if (this.#rows.length >= max_rows) this.#write();
    // The timer does not keep the process alive: closing the writer writes the remaining rows.
    else this.#timer ??= setTimeout(() => this.#write(), every_ms).unref();
  }

  /**
   * Writes the waiting rows. Rows that are added later are lost.
   * @param deadline_ms time in milliseconds after which the rows that still wait are lost
   */
  async close(deadline_ms: number): Promise<void> {
    this.#closed = true;
    const late = new AbortController();
    const ended = sleep(deadline_ms, undefined, { signal: late.signal }).catch(() => {});
    await Promise.race([this.#drain(), ended]);
    late.abort();
    const left = this.#rows.splice(0).length;
    if (left > 0) this.#options.lost(left);
  }

  async #drain(): Promise<void> {
    while (this.#writing || this.#rows.length > 0) {
      this.#write();
      await this.#writing;
    }
  }

  /** Writes one batch, then the next while a full one waits. Only one write runs at a time, so that a slow database is not overloaded. */
  #write(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing ??= this.#writeNext().finally(() => {
      this.#writing = null;
      const { max_rows, every_ms } = this.#options;
      if (this.#rows.length >= max_rows) this.#write();
      else if (this.#rows.length > 0) this.#timer ??= setTimeout(() => this.#write(), every_ms).unref();
    });
  }

  async #writeNext(): Promise<void> {
    const rows = this.#rows.splice(0, this.#options.max_rows);
    try {
      await this.#options.write(rows);
    } catch (error) {
      this.#options.lost(rows.length, error);
    }
  }
}
