/** Deliveries to one endpoint that may start at once. */
const FIRST = 2;
/** A delivery that waited this long shows that the endpoint is slower than its events come: twice as many may be in progress. */
const PATIENCE_MS = 20;

interface Lane {
  allowed: number;
  running: number;
  /** When it grew last. */
  grown: number;
  waiting: { start(): void; since: number }[];
  timer: NodeJS.Timeout | undefined;
}

/**
 * Sends the deliveries of each endpoint over few connections. Claims take many deliveries of an endpoint at once; if all of them started
 * together, each would open a connection, and a TLS handshake costs ten times a delivery, for the receiver too. A lane
 * starts with {@link FIRST} and doubles when its oldest delivery has waited {@link PATIENCE_MS}, at most once in that time, so that a slow or silent
 * endpoint soon gets all the concurrency that its slots allow (slots.ts). A lane without deliveries is forgotten.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #now: () => number;

  /** @param now monotonic milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Number of endpoints with deliveries in progress or waiting. */
  get size(): number {
    return this.#lanes.size;
  }

  /** Runs `send` when the endpoint's lane is free. Deliveries of an endpoint start in the order of the calls. */
  async run<T>(endpoint_id: string, send: () => Promise<T>): Promise<T> {
    const lane = this.#laneOf(endpoint_id);
    // A place is never free while others wait.
    if (lane.running < lane.allowed) lane.running++;
    else await this.#turn(lane);
    try {
      return await send();
    } finally {
      lane.running--;
      this.#next(endpoint_id, lane);
    }
  }

  #laneOf(endpoint_id: string): Lane {
    let lane = this.#lanes.get(endpoint_id);
    if (!lane) {
      lane = { allowed: FIRST, running: 0, grown: Number.NEGATIVE_INFINITY, waiting: [], timer: undefined };
      this.#lanes.set(endpoint_id, lane);
    }
    return lane;
  }

  #turn(lane: Lane): Promise<void> {
    return new Promise((start) => {
      lane.waiting.push({ start, since: this.#now() });
      if (lane.waiting.length === 1) this.#watch(lane);
    });
  }

  #next(endpoint_id: string, lane: Lane): void {
    this.#start(lane);
    if (lane.running === 0) this.#lanes.delete(endpoint_id);
    this.#watch(lane);
  }

  #start(lane: Lane): void {
    for (const next of lane.waiting.splice(0, Math.max(0, lane.allowed - lane.running))) {
      lane.running++;
      next.start();
    }
  }

  /** Lets the lane grow when its oldest waiting delivery becomes too old. */
  #watch(lane: Lane): void {
    clearTimeout(lane.timer);
    const oldest = lane.waiting[0];
    if (!oldest) return;
    const due = Math.max(oldest.since, lane.grown) + PATIENCE_MS;
    lane.timer = setTimeout(() => this.#grow(lane), Math.max(0, due - this.#now()));
  }

  #grow(lane: Lane): void {
    lane.allowed *= 2;
    lane.grown = this.#now();
    this.#start(lane);
    this.#watch(lane);
  }
}
