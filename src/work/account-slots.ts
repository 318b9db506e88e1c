/** Calls under way at once, of all accounts together. */
const MAX_TOTAL = 256;
/** Calls under way at once to one provider account. */
const MAX_PER_ACCOUNT = 16;
/** The same for an account whose last call was slow. */
const MAX_PER_SLOW_ACCOUNT = 4;
/** A call that takes longer makes its account a slow one until a quicker call ends. */
const SLOW_MS = 5_000;
/** Rows of one account that wait for a slot; those beyond come due again with their lease. */
const MAX_WAITING_PER_ACCOUNT = 200;

interface Waiting {
  /** Monotonic milliseconds after which the row may be taken by another process. */
  until_ms: number;
  step: () => Promise<void>;
}

/**
 * Slots for outbound calls, counted by provider account: a dead account keeps its few slots for the whole timeout, and nobody
 * else's call waits for one. Slow accounts together get at most half of all slots. A row that gets no slot while its lease
 * lasts is dropped and comes due again.
 */
export class AccountSlots {
  readonly #busy = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #slow = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  #slowBusy = 0;
  #stopping = false;

  /** Whether there is any slot left at all. */
  get full(): boolean {
    return this.#underWay.size >= MAX_TOTAL;
  }

  /**
   * Runs the step now, or as soon as the account has a slot.
   * @param start_within_ms from now; later the row's lease would end while the step still runs
   * @param step must not reject
   */
  add(account: string, start_within_ms: number, step: () => Promise<void>): void {
    if (this.#stopping) return;
    if (this.#fits(account)) {
      this.#run(account, step);
      return;
    }
    const queue = this.#waiting.get(account) ?? [];
    if (queue.length >= MAX_WAITING_PER_ACCOUNT) return;
    queue.push({ until_ms: performance.now() + start_within_ms, step });
    this.#waiting.set(account, queue);
  }

  /** Resolves when nothing is under way or waiting. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.race(this.#underWay);
  }

  /** Drops what waits; resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#waiting.clear();
    await Promise.all(this.#underWay);
  }

  #fits(account: string): boolean {
    if (this.full) return false;
    const busy = this.#busy.get(account) ?? 0;
    if (!this.#slow.has(account)) return busy < MAX_PER_ACCOUNT;
    return busy < MAX_PER_SLOW_ACCOUNT && this.#slowBusy < MAX_TOTAL / 2;
  }

  #run(account: string, step: () => Promise<void>): void {
    const asSlow = this.#slow.has(account);
    const began = performance.now();
    this.#busy.set(account, (this.#busy.get(account) ?? 0) + 1);
    if (asSlow) this.#slowBusy++;
    const running = step().finally(() => {
      this.#underWay.delete(running);
      if (asSlow) this.#slowBusy--;
      this.#leave(account, performance.now() - began);
    });
    this.#underWay.add(running);
  }

  #leave(account: string, took_ms: number): void {
    const busy = (this.#busy.get(account) ?? 1) - 1;
    if (busy === 0) this.#busy.delete(account);
    else this.#busy.set(account, busy);
    if (took_ms > SLOW_MS) this.#slow.add(account);
    else this.#slow.delete(account);
    this.#next(account);
    // The slot that came free may be the one that another account was missing.
    for (const other of this.#waiting.keys()) if (other !== account) this.#next(other);
  }

  #next(account: string): void {
    const queue = this.#waiting.get(account);
    while (queue && queue.length > 0 && this.#fits(account)) {
      const { until_ms, step } = queue.shift() as Waiting;
      if (performance.now() < until_ms) this.#run(account, step);
    }
    if (queue?.length === 0) this.#waiting.delete(account);
  }
}
