import { Problem } from '../../kit/errors.ts';

/**
 * Bounds the work of hashing passwords: each takes 19 MiB and a thread for tens of milliseconds, so a flood of
 * sign-ins could exhaust the process. At most `parallel` run and `waiting` wait; further ones are rejected.
 */
export class HashingGate {
  /** Number of hashes begun since the start of the process. */
  started = 0;
  readonly #parallel: number;
  readonly #waiting: number;
  #running = 0;
  readonly #queue: (() => void)[] = [];

  constructor(parallel: number, waiting: number) {
    this.#parallel = parallel;
    this.#waiting = waiting;
  }

  /** @throws Problem 429 when too many wait already */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#parallel) {
      if (this.#queue.length >= this.#waiting) {
        const headers = { 'Retry-After': '5' };
        throw new Problem(429, 'Too many people are signing in at this moment. Try again in a few seconds.', { headers });
      }
      // A finished hash passes its slot to the next, so that the number of running hashes stays the same.
      await new Promise<void>((begin) => this.#queue.push(begin));
    } else {
      this.#running += 1;
    }
    this.started += 1;
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

/** The gate of this process: two threads of the four that Node has for such work. */
export const passwordHashing = new HashingGate(2, 50);
