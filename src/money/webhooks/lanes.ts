/** Deliveries to one endpoint that may start at once. */
const FIRST = 2;
/** A delivery that waited this long shows that the endpoint is slower than its events arrive. Twice as many may then be in progress. */
const PATIENCE_MS = 20;

/** Time without deliveries after which an endpoint's connections are closed (kit/fetch.ts), so that its lane begins anew. */
const KEPT_MS = 4_000;
/** Lanes above this number are dropped when they are idle. */
const MAX_IDLE = 1_000;

interface Lane {
  allowed: number;
  running: number;
  /** When it grew last, and when its last delivery ended. */
  grown: number;
  ended: number;
  waiting: { start(): void; since: number }[];
  timer: NodeJS.Timeout | undefined;
}

/**
 * Sends the deliveries of each endpoint over few connections. Claims take many deliveries of an endpoint at once; if all of them started
 * together, each would open a connection, and a TLS handshake costs ten times a delivery, for the receiver too. A lane
 * starts with {@link FIRST} and doubles when its oldest delivery has waited {@link PATIENCE_MS}, at most once in that time, so that a
 * slow or silent endpoint soon gets all the concurrency that it may have. It keeps its width while its connections are open.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #most: number;
  readonly #now: () => number;

  /**
   * @param most concurrent deliveries to one endpoint
   * @param now monotonic milliseconds
   */
  constructor(most: number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#now = now;
  }

  /** Number of lanes that are kept. */
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
      this.#next(lane);
    }
  }

  #laneOf(endpoint_id: string): Lane {
    const known = this.#lanes.get(endpoint_id);
    if (known && (known.running > 0 || this.#now() - known.ended < KEPT_MS)) return known;
    if (this.#lanes.size >= MAX_IDLE) this.#dropIdle();
    const lane = {
      allowed: Math.min(FIRST, this.#most),
      running: 0,
      grown: Number.NEGATIVE_INFINITY,
      ended: this.#now(),
      waiting: [],
      timer: undefined,
    };
    this.#lanes.set(endpoint_id, lane);
    return lane;
  }

  #dropIdle(): void {
    for (const [endpoint_id, { running }] of this.#lanes) if (running === 0) this.#lanes.delete(endpoint_id);
  }

  #turn(lane: Lane): Promise<void> {
    return new Promise((start) => {
      lane.waiting.push({ start, since: this.#now() });
      if (lane.waiting.length === 1) this.#watch(lane);
    });
  }

  #next(lane: Lane): void {
    lane.ended = this.#now();
    this.#start(lane);
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
    if (!oldest || lane.allowed >= this.#most) return;
    const due = Math.max(oldest.since, lane.grown) + PATIENCE_MS;
    lane.timer = setTimeout(() => this.#grow(lane), Math.max(0, due - this.#now()));
  }

  #grow(lane: Lane): void {
    lane.allowed = Math.min(lane.allowed * 2, this.#most);
    lane.grown = this.#now();
    this.#start(lane);
    this.#watch(lane);
  }
}
