/** Maximum concurrent calls of all accounts together; half of that for slow accounts. */
const MAX_TOTAL = 256;
/** Maximum concurrent calls to one provider account. */
const MAX_PER_ACCOUNT = 16;
/** Maximum concurrent calls to an account whose last call was slow. */
const MAX_PER_SLOW_ACCOUNT = 4;
/** A call that takes longer makes its account slow until a faster call ends. */
const SLOW_MS = 5_000;
/** Maximum rows of one account that wait for a slot. At this number no more of its rows are claimed. */
const MAX_WAITING_PER_ACCOUNT = 200;
/** The same limit for a slow account, and for every account while more than half of the total room is taken. */
const MIN_WAITING_PER_ACCOUNT = 8;
/** Maximum waiting rows of all accounts. At this number no rows are claimed. */
const MAX_WAITING = 5_000;

interface Waiting {
  /** Monotonic time in milliseconds after which another process may claim the row. */
  until_ms: number;
  step: () => Promise<void>;
}

/**
 * Slots for outbound calls, counted by provider account. An unresponsive account holds only its own few slots for the whole
 * timeout, so calls of other accounts are not delayed. Slow accounts together get at most half of all slots, and waiting
 * accounts take turns. A row that gets no slot within its lease, or exceeds the share of a slow account, is dropped and
 * becomes due again.
 */
export class AccountSlots {
  readonly #busy = new Map<string, number>();
  /** Waiting rows by account, in the order of the accounts' turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #slow = new Set<string>();
  readonly #saturated = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  #slowBusy = 0;
  #waitingCount = 0;
  #stopping = false;

  /** Whether the queue is full, so that no row of any account may be claimed. */
  get full(): boolean {
    return this.#waitingCount >= MAX_WAITING;
  }

  /**
   * Returns the accounts at their limit of waiting rows, until half of those rows have started. A row claimed now would only
   * use up its lease.
   */
  saturated(): string[] {
    for (const account of this.#saturated) {
      this.#dropExpired(account);
      if ((this.#waiting.get(account)?.length ?? 0) <= this.#maxWaiting(account) / 2) this.#saturated.delete(account);
    }
    return [...this.#saturated];
  }

  /**
   * Runs the step now, or as soon as the account has a slot.
   * @param start_within_ms milliseconds from now; a later start could outlast the row's lease
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

  /** Resolves when no step is running or waiting. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.race(this.#underWay);
  }

  /** Drops waiting rows; resolves when the running steps have ended. */
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

  /**
   * Calls that have become slow count for at most half of the total, so that many accounts that fail at once cannot take every
   * slot.
   */
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

  /** Starts one row per account in turn, until no account has a row that fits. */
  #takeTurns(): void {
    for (let began = true; began; ) {
      began = false;
      for (const account of [...this.#waiting.keys()]) {
        if (this.#allTaken()) return;
        began = this.#runNext(account) || began;
      }
    }
  }

  /** Starts the account's oldest waiting row if it fits, and moves the account to the end of the order. */
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

  /**
   * Drops the waiting rows of a slow account beyond its share, to make room for other accounts. The rows become due again when
   * their leases end.
   */
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
