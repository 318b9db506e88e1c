import { Worker } from 'node:worker_threads';
import type { Done, Order } from './pdf-worker.ts';
import type { Receipt } from './receipt.ts';

/**
 * The first receipt starts the thread and loads pdfkit, which took two seconds on a busy machine and can take ten on a slow one.
 * A long receipt takes a tenth of a second.
 */
const DEADLINE_MS = 30_000;
/** How long an idle thread is kept. It takes about 60 MB. */
const IDLE_MS = 60_000;
/** Maximum heap of the thread. The longest possible receipt needs less than 16 MB. */
const MAX_MB = 64;
/** Maximum waiting receipts. Further ones are rejected. */
const MAX_WAITING = 32;

interface Waiting {
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
  deadline: NodeJS.Timeout;
}

/**
 * Prints receipts on a separate thread, which the first job starts. The thread that serves payments never waits for a PDF. A
 * job that exceeds its deadline is stopped by ending the thread.
 */
export class Printer {
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  #last = 0;
  readonly #waiting = new Map<number, Waiting>();
  readonly #deadline_ms: number;

  constructor(deadline_ms = DEADLINE_MS) {
    this.#deadline_ms = deadline_ms;
  }

  /**
   * Prints a receipt.
   * @returns null when too many receipts wait already
   * @throws Error when the deadline passes, printing fails or the printer is closed
   */
  async print(receipt: Receipt): Promise<Uint8Array | null> {
    if (this.#waiting.size >= MAX_WAITING) return null;
    clearTimeout(this.#idle);
    const id = ++this.#last;
    const worker = this.#started();
    try {
      return await new Promise<Uint8Array>((resolve, reject) => {
        const deadline = setTimeout(() => this.#end(worker, new Error('a receipt took too long to print')), this.#deadline_ms);
        this.#waiting.set(id, { resolve, reject, deadline });
        worker.postMessage({ id, receipt } satisfies Order);
      });
    } finally {
      if (this.#waiting.size === 0) {
        // Several receipts may end together, and each would leave a timer behind.
        clearTimeout(this.#idle);
        this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
      }
    }
  }

  /** Ends the thread. Waiting jobs fail. */
  close(): void {
    clearTimeout(this.#idle);
    if (this.#worker) this.#end(this.#worker, new Error('the printer was closed'));
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAX_MB },
    });
    worker.on('message', (done: Done) => this.#finish(done));
    worker.on('error', (error: Error) => this.#end(worker, error));
    worker.on('exit', () => this.#end(worker, new Error('the printer has stopped')));
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  #finish(done: Done): void {
    const waiting = this.#waiting.get(done.id);
    if (!waiting) return;
    this.#waiting.delete(done.id);
    clearTimeout(waiting.deadline);
    if ('bytes' in done) waiting.resolve(done.bytes);
    else waiting.reject(new Error(done.error));
  }

  /** Ends the thread and fails its waiting jobs. The next job starts another thread. */
  #end(worker: Worker, error: Error): void {
    if (worker !== this.#worker) return;
    this.#worker = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject, deadline } of waiting) {
      clearTimeout(deadline);
      reject(error);
    }
    void worker.terminate();
  }
}
