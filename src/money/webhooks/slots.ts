import type { Busy, Claimed } from './deliveries-store.ts';

/** Fields that determine which slot a delivery takes. */
type Taken = Pick<Claimed, 'endpoint_id' | 'failing' | 'tries'>;

/** A success within this time is quick. */
const QUICK_MS = 100;
/** How long an endpoint counts as quick after it filled its slots and answered quickly. */
const QUICK_FOR_MS = 1_000;
/**
 * How many times its slots a quick endpoint may have. On a busy process claims are some 12 ms apart, and 16 deliveries for each of them
 * are 1,300 a second at best.
 */
const QUICK_FACTOR = 2;

/** How a delivery ended: whether it succeeded, and the duration of the request. */
interface Ended {
  succeeded: boolean;
  ms: number;
}

export interface SlotLimits {
  /** Maximum concurrent deliveries to all endpoints together. */
  total: number;
  /**
   * Maximum to one endpoint: what an unresponsive endpoint can occupy. One that answers quickly may have twice as many while at most a
   * quarter of all slots is taken.
   */
  per_endpoint: number;
  /** Maximum to one endpoint that has failed since its last success. */
  per_failing: number;
}

/**
 * Counts the deliveries in progress. Sockets are the limiting resource: an unresponsive endpoint holds each of its sockets for
 * the whole timeout, so it gets few, and all failing endpoints together get at most half.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #busy = new Map<string, { count: number; retries: number }>();
  /** Endpoints that were full and answered quickly, and when. */
  readonly #quick = new Map<string, number>();
  readonly #now: () => number;
  #total = 0;
  #failing = 0;

  /** @param now monotonic milliseconds */
  constructor(limits: SlotLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  get total(): number {
    return this.#total;
  }

  get free(): number {
    return this.#limits.total - this.#total;
  }

  /** Maximum concurrent deliveries per endpoint, and the remaining number for all failing endpoints together. */
  get allowed(): { slots: number; failing_slots: number; failing_rows: number } {
    const { per_endpoint, per_failing } = this.#limits;
    return { slots: per_endpoint, failing_slots: per_failing, failing_rows: Math.max(0, this.#mostFailing - this.#failing) };
  }

  /** Whether an endpoint has as many deliveries in progress as it may. */
  get limited(): boolean {
    return this.#failing > 0 || [...this.#busy].some(([endpoint_id, { count }]) => count >= this.#mostTo(endpoint_id));
  }

  /** Whether at least half of the slots are taken. */
  get occupied(): boolean {
    return this.#total * 2 >= this.#limits.total;
  }

  /** Returns the endpoints with deliveries in progress, and those that may have more than others. */
  busy(): Busy {
    const now = this.#now();
    for (const [endpoint_id, since] of this.#quick) if (now - since > QUICK_FOR_MS) this.#quick.delete(endpoint_id);
    const endpoints = new Set([...this.#busy.keys(), ...this.#quick.keys()]);
    return Object.fromEntries(
      [...endpoints].map((id) => [id, { ...(this.#busy.get(id) ?? { count: 0, retries: 0 }), most: this.#mostTo(id) }]),
    );
  }

  take({ endpoint_id, failing, tries }: Taken): void {
    const { count, retries } = this.#busy.get(endpoint_id) ?? { count: 0, retries: 0 };
    this.#busy.set(endpoint_id, { count: count + 1, retries: retries + Number(tries > 0) });
    this.#total++;
    if (failing) this.#failing++;
  }

  /**
   * Frees a slot.
   * @param ended null: nothing was sent
   * @returns whether more deliveries may be waiting for this slot, so that the next claim should follow immediately
   */
  release({ endpoint_id, failing, tries }: Taken, ended: Ended | null): boolean {
    const { count, retries } = this.#busy.get(endpoint_id) ?? { count: 0, retries: 0 };
    if (!ended?.succeeded || ended.ms > QUICK_MS) this.#quick.delete(endpoint_id);
    else if (count >= this.#limits.per_endpoint) this.#quick.set(endpoint_id, this.#now());
    const wanted =
      count >= (failing ? this.#limits.per_failing : this.#mostTo(endpoint_id)) ||
      this.free === 0 ||
      (failing && this.#failing >= this.#mostFailing);
    if (count <= 1) this.#busy.delete(endpoint_id);
    else this.#busy.set(endpoint_id, { count: count - 1, retries: retries - Number(tries > 0) });
    this.#total--;
    if (failing) this.#failing--;
    return wanted;
  }

  /** Maximum to an endpoint that is not failing. */
  #mostTo(endpoint_id: string): number {
    const { total, per_endpoint } = this.#limits;
    return this.#total * 4 <= total && this.#quick.has(endpoint_id) ? per_endpoint * QUICK_FACTOR : per_endpoint;
  }

  get #mostFailing(): number {
    return Math.floor(this.#limits.total / 2);
  }
}
