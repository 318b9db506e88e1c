import { PassThrough, type Readable } from 'node:stream';
import { CircuitOpen } from '../../platform/db/circuit.ts';
import { type Environment, ENVIRONMENTS } from '../../kit/environment.ts';
import type { Queryable } from '../../kit/sql.ts';
import type { Hosted } from '../../core/charge/hosted.ts';
import { type PaymentSnapshot, readPaymentSnapshots } from '../../core/payments/snapshots.ts';
import { undecidedByStatement } from '../../core/payments/statement-amounts-store.ts';
import type { CheckoutDeps } from './deps.ts';
import { progressOf, pageStateOf } from './page-state.ts';

/** Interval of the query that serves all waiting pages. More pages make its list longer, but add no queries. */
const POLL_MS = 1_000;
/** Heartbeat interval: proxies close silent connections. A page starts to poll when it received nothing for longer (45 s). */
const HEARTBEAT_MS = 15_000;
/** Maximum age of a stream. The browser then opens another one by itself; a page that was left open holds no resources. */
const MAX_MS = 300_000;
/** Delay after which the browser reconnects (the `retry` field of server-sent events). */
const RETRY_MS = 2_000;
const MAX_STREAMS = 5_000;
/**
 * Maximum streams of one payment. A payer has a phone and a computer; more streams suggest resource exhaustion by a client.
 */
const MAX_OF_A_PAYMENT = 4;

interface Follower {
  stream: PassThrough;
  last: string;
  beat_at: number;
  until: number;
}

/** A payment and the pages that wait for it. */
interface Watched {
  environment: Environment;
  team_id: bigint;
  id: string;
  followers: Set<Follower>;
}

/**
 * Notifies waiting pages of changes of their payment by server-sent events. The change can come from any process: each
 * process reads the rows that its own pages wait for, all in one query for each environment.
 */
export class Live {
  readonly #deps: Pick<CheckoutDeps, 'clock' | 'log' | 'service' | 'stores'>;
  readonly #watched = new Map<string, Watched>();
  #streams = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: Pick<CheckoutDeps, 'clock' | 'log' | 'service' | 'stores'>) {
    this.#deps = deps;
  }

  /**
   * Returns a stream that begins with the payment's current progress. Returns null at the limit of streams or during
   * shutdown: the page polls instead.
   * @param held whether money of the payment waits for a decision
   */
  follow(hosted: Hosted, held: boolean): Readable | null {
    const { payment } = hosted;
    const watched = this.#watched.get(payment.id) ?? newlyWatched(hosted);
    if (this.#deps.service.leaving || this.#streams >= MAX_STREAMS || watched.followers.size >= MAX_OF_A_PAYMENT) return null;
    const now = this.#deps.clock.now();
    const follower: Follower = { stream: new PassThrough(), last: '', beat_at: 0, until: now + MAX_MS };
    follower.stream.write(`retry: ${RETRY_MS}\n`);
    this.#watched.set(payment.id, watched);
    watched.followers.add(follower);
    this.#streams++;
    follower.stream.once('close', () => this.#forget(watched, follower));
    sendProgress(follower, hosted, held, now);
    this.#timer ??= this.#later();
    return follower.stream;
  }

  /** Ends all streams. Their pages reconnect, and the load balancer routes them to a process that keeps running. */
  close(): void {
    clearTimeout(this.#timer);
    for (const { followers } of this.#watched.values()) for (const { stream } of followers) stream.end();
  }

  #forget(watched: Watched, follower: Follower): void {
    if (!watched.followers.delete(follower)) return;
    this.#streams--;
    if (watched.followers.size === 0) this.#watched.delete(watched.id);
  }

  #later(): NodeJS.Timeout {
    return setTimeout(() => void this.#look(), POLL_MS).unref();
  }

  async #look(): Promise<void> {
    if (this.#deps.service.leaving) this.close();
    for (const environment of ENVIRONMENTS) await this.#lookAt(environment);
    // The next query starts after this one has ended, so that a slow database does not get more load.
    this.#timer = this.#streams > 0 ? this.#later() : undefined;
  }

  async #lookAt(environment: Environment): Promise<void> {
    const all = [...this.#watched.values()].filter((watched) => watched.environment === environment);
    if (all.length === 0) return;
    try {
      const store = this.#deps.stores[environment];
      const snapshots = await readPaymentSnapshots(store, all);
      const held = await heldAmong(store.db, snapshots, this.#deps.clock.now());
      for (const seen of snapshots) this.#spread(seen, held.has(seen.payment.id));
    } catch (err) {
      // The streams stay open: the next query may succeed, and the pages poll when they receive nothing.
      this.#deps.log[err instanceof CircuitOpen ? 'debug' : 'warn'](
        { err, environment },
        'the progress of payments could not be sent to waiting pages',
      );
    }
  }

  #spread(seen: PaymentSnapshot, held: boolean): void {
    const now = this.#deps.clock.now();
    for (const follower of this.#watched.get(seen.payment.id)?.followers ?? []) sendProgress(follower, seen, held, now);
  }
}

function newlyWatched({ store, payment }: Hosted): Watched {
  return { environment: store.environment, team_id: payment.team_id, id: payment.id, followers: new Set() };
}

/** Returns the payments whose money waits for a decision. Only payments without a charge in progress are queried, which are few. */
async function heldAmong(db: Queryable, snapshots: readonly PaymentSnapshot[], now: number): Promise<Set<string>> {
  const asked = snapshots
    .filter((seen) => pageStateOf(seen, now).kind === 'open')
    .map(({ payment: { team_id, id }, attempts }) => ({
      payment: id,
      tried: attempts.map((attempt) => ({ team_id, id: attempt.id })),
    }));
  const undecided = await undecidedByStatement(
    db,
    asked.flatMap(({ tried }) => tried),
  );
  return new Set(asked.filter(({ tried }) => tried.some(({ id }) => undecided.has(id))).map(({ payment }) => payment));
}

/** Sends the progress when it has changed or a heartbeat is due. Ends the stream at a final status or its maximum age. */
function sendProgress(follower: Follower, seen: Parameters<typeof progressOf>[0], held: boolean, now: number): void {
  const { stream } = follower;
  if (stream.writableEnded) return;
  const said = JSON.stringify(progressOf(seen, held, now));
  if (said !== follower.last || now >= follower.beat_at) {
    follower.last = said;
    follower.beat_at = now + HEARTBEAT_MS;
    stream.write(`data: ${said}\n\n`);
  }
  if (pageStateOf(seen, now).kind === 'final' || now >= follower.until) stream.end();
}
