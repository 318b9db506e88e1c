import type { Busy, Claimed } from './deliveries-store.ts';

/** Fields that determine which slot a delivery takes. */
type Taken = Pick<Claimed, 'endpoint_id' | 'failing' | 'tries'>;

export interface SlotLimits {
  /** Maximum concurrent deliveries to all endpoints together. */
  total: number;
  /** Maximum to one endpoint: what an unresponsive endpoint can occupy. */
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
  #total = 0;
  #failing = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
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
    return this.#failing > 0 || [...this.#busy.values()].some(({ count }) => count >= this.#limits.per_endpoint);
  }

  busy(): Busy {
    return Object.fromEntries(this.#busy);
  }

  take({ endpoint_id, failing, tries }: Taken): void {
    const { count, retries } = this.#busy.get(endpoint_id) ?? { count: 0, retries: 0 };
    this.#busy.set(endpoint_id, { count: count + 1, retries: retries + Number(tries > 0) });
    this.#total++;
    if (failing) this.#failing++;
  }

  /**
   * Frees a slot.
   * @returns whether more deliveries may be waiting for this slot, so that the next claim should follow immediately
   */
  release({ endpoint_id, failing, tries }: Taken): boolean {
    const { count, retries } = this.#busy.get(endpoint_id) ?? { count: 0, retries: 0 };
    const wanted =
      count >= (failing ? this.#limits.per_failing : this.#limits.per_endpoint) ||
      this.free === 0 ||
      (failing && this.#failing >= this.#mostFailing);
    if (count <= 1) this.#busy.delete(endpoint_id);
    else this.#busy.set(endpoint_id, { count: count - 1, retries: retries - Number(tries > 0) });
    this.#total--;
    if (failing) this.#failing--;
    return wanted;
  }

  get #mostFailing(): number {
    return Math.floor(this.#limits.total / 2);
  }
}
