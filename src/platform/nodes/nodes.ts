import { randomBytes } from 'node:crypto';
import os from 'node:os';
import type { Log } from '../../kit/log.ts';
import type { Db } from '../../kit/sql.ts';
import { deleteOldReports, deleteReportsOf, exchange, type ForeignReport, type Report } from './reports-store.ts';

/** Interval of the exchange. A change on one node reaches the others within twice this time. */
const EXCHANGE_MS = 400;
const CLEAN_UP_EVERY_MS = 60_000;

/** Reports that a part of the program exchanges with the same part on other nodes. */
export interface Topic {
  name: string;
  /** Returns what has changed since the last call. */
  changes(): Omit<Report, 'topic'>[];
  /** Takes back changes that could not be stored. */
  undo(changes: readonly Omit<Report, 'topic'>[]): void;
  /**
   * Receives a report of another node, possibly again. Ignores one that it cannot read: the other node may run another release.
   */
  learn(report: ForeignReport): void;
}

/**
 * Exchange of small reports between the running processes, through one table of the control database: one statement each 400 ms,
 * however many topics and keys. Nothing depends on it for correctness; while the database is away, each node works alone.
 */
export class Nodes {
  readonly #db: Db;
  readonly #log: Log;
  /** Name of this process, unique among all. */
  #node = '';
  readonly #topics: readonly Topic[];
  #after: Date | null = null;
  #cleaned_at = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #failing = false;
  #stopped = false;

  constructor(parts: { db: Db; log: Log; topics: readonly Topic[] }) {
    this.#db = parts.db;
    this.#log = parts.log;
    this.#topics = parts.topics;
  }

  /** Exchanges reports until {@link stop}. */
  start(): void {
    this.#node ||= `${os.hostname()} ${process.pid} ${randomBytes(4).toString('hex')}`;
    this.#running = this.#exchange().finally(() => {
      if (!this.#stopped) this.#timer = setTimeout(() => this.start(), EXCHANGE_MS).unref();
    });
  }

  /** Ends the exchange, and deletes the report of this node's state, so that the others no longer count it as running. */
  async stop(): Promise<void> {
    if (this.#node === '') return;
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
    await deleteReportsOf(this.#db, this.#node).catch(() => {});
  }

  async #exchange(): Promise<void> {
    const changes = this.#topics.map((topic) => ({ topic, changes: topic.changes() }));
    const reports = changes.flatMap(({ topic, changes }) => changes.map((change) => ({ topic: topic.name, ...change })));
    try {
      const { rows, after } = await exchange(this.#db, this.#node, reports, this.#after);
      this.#after = after;
      for (const report of rows) this.#topics.find(({ name }) => name === report.topic)?.learn(report);
      if (performance.now() - this.#cleaned_at > CLEAN_UP_EVERY_MS) {
        this.#cleaned_at = performance.now();
        await deleteOldReports(this.#db);
      }
      this.#failing = false;
    } catch (err) {
      for (const { topic, changes: lost } of changes) topic.undo(lost);
      if (!this.#failing) this.#log.warn({ err }, 'reports could not be exchanged with other nodes; it will be tried again');
      this.#failing = true;
    }
  }
}
