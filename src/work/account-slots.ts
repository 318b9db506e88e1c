/** Calls under way at once, of all accounts together; of slow ones half as many. */
const MAX_TOTAL = 256;
/** Calls under way at once to one provider account. */
const MAX_PER_ACCOUNT = 16;
/** The same for an account whose last call was slow. */
const MAX_PER_SLOW_ACCOUNT = 4;
/** A call that takes longer makes its account a slow one until a quicker call ends. */
const SLOW_MS = 5_000;
/** Rows of one account that wait for a slot: with so many, no more of its rows are claimed. */
const MAX_WAITING_PER_ACCOUNT = 200;
/** The same for a slow account, and for every account while half of the room is taken. */
const MIN_WAITING_PER_ACCOUNT = 8;
/** Rows of all accounts that wait: with so many, none are claimed. */
const MAX_WAITING = 5_000;

interface Waiting {
  /** Monotonic milliseconds after which the row may be taken by another process. */
  until_ms: number;
  step: () => Promise<void>;
}

/**
 * Slots for outbound calls, counted by provider account: a dead account keeps its few slots for the whole timeout, and nobody
 * else's call waits for one. Slow accounts together get at most half of all slots, and accounts that wait take turns. A row that
 * gets no slot while its lease lasts, or waits for a slow account beyond its share, is dropped and comes due again.
 */
export class AccountSlots {
  readonly #busy = new Map<string, number>();
  /** In the order in which the accounts have their turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #slow = new Set<string>();
  readonly #saturated = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  #slowBusy = 0;
  #waitingCount = 0;
  #stopping = false;

  /** Whether so much waits that no row of any account is to be claimed. */
  get full(): boolean {
    return this.#waitingCount >= MAX_WAITING;
  }

  /** The accounts of which enough rows wait, until half of those have begun: a row claimed now would only spend its lease. */
  saturated(): string[] {
    for (const account of this.#saturated) {
      this.#dropExpired(account);
      if ((this.#waiting.get(account)?.length ?? 0) <= this.#maxWaiting(account) / 2) this.#saturated.delete(account);
    }
    return [...this.#saturated];
  }

  /**
   * Runs the step now, or as soon as the account has a slot.
   * @param start_within_ms from now; later the row's lease would end while the step still runs
   * @param step must not reject
   */
  add(account: string, start_within_ms: number, step: () => Promise<void>): void {
    if (this.#stopping) return;
    const queue = this.#waiting.get(account) ?? [];
    queue.push({ until_ms: performance.now() + start_within_ms, step });
    this.#waitingCount++;
    this.#waiting.set(account, queue);
    while (this.#runNext(account));
    if (queue.length >= this.#maxWaiting(account)) this.#saturated.add(account);
    if (this.#slow.has(account)) this.#trim(account);
  }

  /** Resolves when nothing is under way or waiting. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.race(this.#underWay);
  }

  /** Drops what waits; resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#waiting.clear();
    this.#waitingCount = 0;
    await Promise.all(this.#underWay);
  }

  #maxWaiting(account: string): number {
    const short = this.#slow.has(account) || this.#waitingCount > MAX_WAITING / 2;
    return short ? MIN_WAITING_PER_ACCOUNT : MAX_WAITING_PER_ACCOUNT;
  }

  #fits(account: string): boolean {
    const busy = this.#busy.get(account) ?? 0;
    if (this.#slow.has(account)) return busy < MAX_PER_SLOW_ACCOUNT && this.#slowBusy < MAX_TOTAL / 2 && !this.#allTaken();
    return busy < MAX_PER_ACCOUNT && !this.#allTaken();
  }

  /** Calls that have become slow count no more than half: those of many accounts that die at once do not take every slot. */
  #allTaken(): boolean {
    const quick = this.#underWay.size - this.#slowBusy;
    return quick + Math.min(this.#slowBusy, MAX_TOTAL / 2) >= MAX_TOTAL;
  }

  #run(account: string, step: () => Promise<void>): void {
    let asSlow = this.#slow.has(account);
    let tookLong = false;
    this.#busy.set(account, (this.#busy.get(account) ?? 0) + 1);
    if (asSlow) this.#slowBusy++;
    const timer = setTimeout(() => {
      tookLong = true;
      this.#slow.add(account);
      this.#trim(account);
      if (asSlow) return;
      asSlow = true;
      this.#slowBusy++;
      this.#takeTurns();
    }, SLOW_MS).unref();
    const running = step().finally(() => {
      clearTimeout(timer);
      this.#underWay.delete(running);
      if (asSlow) this.#slowBusy--;
      if (!tookLong) this.#slow.delete(account);
      const busy = (this.#busy.get(account) ?? 1) - 1;
      if (busy === 0) this.#busy.delete(account);
      else this.#busy.set(account, busy);
      this.#takeTurns();
    });
    this.#underWay.add(running);
  }

  /** One row of each account that fits, and again, until no account has a row that fits. */
  #takeTurns(): void {
    for (let began = true; began; ) {
      began = false;
      for (const account of [...this.#waiting.keys()]) {
        if (this.#allTaken()) return;
        began = this.#runNext(account) || began;
      }
    }
  }

  /** Begins the oldest row of the account that waits, if it fits; its next turn is after that of the others. */
  #runNext(account: string): boolean {
    this.#dropExpired(account);
    const queue = this.#waiting.get(account);
    if (!queue || !this.#fits(account)) return false;
    const { step } = queue.shift() as Waiting;
    this.#waitingCount--;
    this.#waiting.delete(account);
    if (queue.length > 0) this.#waiting.set(account, queue);
    this.#run(account, step);
    return true;
  }

  /** Leaves to their leases what waits for a slow account beyond its share, so that others have room to wait. */
  #trim(account: string): void {
    const queue = this.#waiting.get(account) ?? [];
    this.#waitingCount -= queue.splice(MIN_WAITING_PER_ACCOUNT).length;
  }

  #dropExpired(account: string): void {
    const queue = this.#waiting.get(account);
    if (!queue) return;
    const now = performance.now();
    const firstAlive = queue.findIndex(({ until_ms }) => now < until_ms);
    const expired = firstAlive === -1 ? queue.length : firstAlive;
    this.#waitingCount -= queue.splice(0, expired).length;
    if (queue.length === 0) this.#waiting.delete(account);
  }
}
