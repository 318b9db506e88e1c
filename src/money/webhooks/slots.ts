import type { Busy, Claimed } from './deliveries-store.ts';

/** Fields that determine which slot a delivery takes. */
type Taken = Pick<Claimed, 'endpoint_id' | 'failing' | 'tries'>;

export interface SlotLimits {
  /** Maximum deliveries in progress to all endpoints together. */
  total: number;
  /** Maximum to one endpoint: what an unresponsive endpoint can occupy. */
  per_endpoint: number;
  /**
   * Maximum to one endpoint that filled its slots and answers within `quick_ms`, while few endpoints have deliveries: together these get at
   * most half of `total`. The deliveries wait in the endpoint's lane (lanes.ts), without a connection.
   */
  per_quick: number;
  quick_ms: number;
  /** Maximum to one endpoint that has failed since its last success. */
  per_failing: number;
}

interface Endpoint {
  count: number;
  retries: number;
  /** Whether it filled its slots. */
  full: boolean;
  /** Whether it filled them and then answered quickly. */
  quick: boolean;
  /** When a delivery to it ended last. */
  ended: number;
}

/** A quick endpoint without deliveries for this long begins anew. */
const KEPT_MS = 4_000;

/**
 * Counts the deliveries in progress. Sockets are the limiting resource: an unresponsive endpoint holds each of its sockets for
 * the whole timeout, so it gets few, and all failing endpoints together get at most half.
 *
 * A claim takes as long as many deliveries do, and far longer on a busy machine. An endpoint that answers all of its deliveries before the
 * next claim would be idle until then, so it gets more with each claim.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #now: () => number;
  readonly #endpoints = new Map<string, Endpoint>();
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

  /** Maximum deliveries in progress per endpoint, and the remaining number for all failing endpoints together. */
  get allowed(): { slots: number; failing_slots: number; failing_rows: number } {
    const { per_endpoint, per_failing } = this.#limits;
    return { slots: per_endpoint, failing_slots: per_failing, failing_rows: Math.max(0, this.#mostFailing - this.#failing) };
  }

  /** Whether an endpoint has as many deliveries in progress as it may. */
  get limited(): boolean {
    return this.#failing > 0 || [...this.#endpoints.values()].some((endpoint) => endpoint.count >= this.#limitOf(endpoint));
  }

  /** Returns the deliveries in progress and the limit of each endpoint, for the next claim. */
  busy(): Busy {
    const now = this.#now();
    const busy: Busy = {};
    for (const [id, endpoint] of this.#endpoints) {
      const { count, retries, quick, ended } = endpoint;
      if (count === 0 && now - ended >= KEPT_MS) this.#endpoints.delete(id);
      else busy[id] = { count, retries, ...(quick ? { slots: this.#quickLimit } : {}) };
    }
    return busy;
  }

  /**
   * Returns whether a claim gave an endpoint all that it was allowed, and the endpoint may have more by now. Slots that became free while
   * the claim ran were not taken into account, and their release did not request another claim.
   * @param busy what the claim was given
   * @param rows what it found
   */
  freedSince(busy: Busy, rows: readonly Taken[]): boolean {
    const found = new Map<string, number>();
    for (const { endpoint_id } of rows) found.set(endpoint_id, (found.get(endpoint_id) ?? 0) + 1);
    return rows.some(({ endpoint_id, failing }) => {
      const then = busy[endpoint_id];
      const limit = failing ? this.#limits.per_failing : (then?.slots ?? this.#limits.per_endpoint);
      return (
        (then?.count ?? 0) + (found.get(endpoint_id) ?? 0) >= limit && (this.#endpoints.get(endpoint_id)?.count ?? 0) < limit
      );
    });
  }

  take({ endpoint_id, failing, tries }: Taken): void {
    const endpoint: Endpoint = this.#endpoints.get(endpoint_id) ?? { count: 0, retries: 0, full: false, quick: false, ended: 0 };
    endpoint.count++;
    endpoint.retries += Number(tries > 0);
    if (endpoint.count >= this.#limits.per_endpoint) endpoint.full = true;
    this.#endpoints.set(endpoint_id, endpoint);
    this.#total++;
    if (failing) this.#failing++;
  }

  /**
   * Frees a slot.
   * @param succeeded_ms how long the endpoint took to accept the delivery; null: it did not
   * @returns whether more deliveries may be waiting for this slot, so that the next claim should follow immediately
   */
  release({ endpoint_id, failing, tries }: Taken, succeeded_ms: number | null): boolean {
    const endpoint = this.#endpoints.get(endpoint_id);
    if (!endpoint) return false;
    const wanted =
      endpoint.count >= (failing ? this.#limits.per_failing : this.#limitOf(endpoint)) ||
      this.free === 0 ||
      (failing && this.#failing >= this.#mostFailing);
    endpoint.count--;
    endpoint.retries -= Number(tries > 0);
    endpoint.ended = this.#now();
    endpoint.quick = endpoint.full && succeeded_ms !== null && succeeded_ms <= this.#limits.quick_ms;
    if (!endpoint.quick && endpoint.count === 0) this.#endpoints.delete(endpoint_id);
    this.#total--;
    if (failing) this.#failing--;
    return wanted;
  }

  #limitOf({ quick }: Endpoint): number {
    return quick ? this.#quickLimit : this.#limits.per_endpoint;
  }

  /** With many endpoints a claim finds enough deliveries anyway, and a few quick endpoints would take the slots of all others. */
  get #quickLimit(): number {
    const { total, per_endpoint, per_quick } = this.#limits;
    return Math.max(per_endpoint, Math.min(per_quick, Math.floor(total / 2 / this.#endpoints.size)));
  }

  get #mostFailing(): number {
    return Math.floor(this.#limits.total / 2);
  }
}
