import { setTimeout as sleep } from 'node:timers/promises';
import { primaryOf } from './parts/database.ts';
import type { State } from './state.ts';

const STEP_MS = 200;

/** Watches which member reports that it is the primary. */
export class Monitor {
  /** Changes, in the order of time (milliseconds since the epoch). */
  readonly changes: { at: number; primary: string | null }[] = [];
  readonly #state: State;
  readonly #loop: Promise<void>;
  #stopped = false;

  constructor(state: State) {
    this.#state = state;
    this.#loop = this.#run();
  }

  get primary(): string | null {
    return this.changes.at(-1)?.primary ?? null;
  }

  /** Waits until another member than this one is the primary. @returns when it was first seen */
  async untilOther(than: string, since: number, timeout_ms: number): Promise<{ at: number; primary: string }> {
    const deadline = performance.now() + timeout_ms;
    for (;;) {
      const found = this.changes.find(({ at, primary }) => at >= since && primary !== null && primary !== than);
      if (found) return { at: found.at, primary: found.primary as string };
      if (performance.now() > deadline)
        throw new Error(`after ${timeout_ms / 1000} s no other member than ${than} is the primary`);
      await sleep(STEP_MS / 2);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const primary = (await primaryOf(this.#state))?.name ?? null;
      if (this.changes.length === 0 || primary !== this.primary) this.changes.push({ at: Date.now(), primary });
      await sleep(STEP_MS);
    }
  }
}
