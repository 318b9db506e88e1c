import type { Store } from '../../platform/db/stores.ts';
import { unpack } from '../../kit/packing.ts';
import { type Send, send as sendOut } from '../../kit/fetch.ts';
import { bodyFor } from '../events/body.ts';
import { isOfDatabase, logFailure } from '../../platform/work/failures.ts';
import { type Turn, Turns } from '../../platform/work/shards.ts';
import type { Worker } from '../../platform/work/worker.ts';
import { announceDeactivation } from './deactivation.ts';
import { type Claimed, claimDue, type Outcome, recordOutcomes } from './deliveries-store.ts';
import type { WebhookDeps } from './deps.ts';
import { Lanes } from './lanes.ts';
import { OpenedSecrets } from './opened-secrets.ts';
import { Outcomes } from './outcomes.ts';
import { Pacer } from './pacer.ts';
import { attempt, type Sender } from './send.ts';
import { type SlotLimits, Slots } from './slots.ts';
import { dropQueuesOfInactive, findSendable } from './store.ts';
import { guardOf } from './url.ts';

/** Settings that tests or experiments may change. */
export interface DeliveryTuning extends SlotLimits {
  send: Send;
  /**
   * Milliseconds by which a claim's lease exceeds the longest attempt: half of it to wait for a connection, half to record the outcome. A
   * quick endpoint takes all that a claim gave it in four rounds of at most `quick_ms`, well within the first half.
   */
  lease_slack_ms: number;
  /**
   * Milliseconds until a delivery that failed inside the program is tried again. Such a fault lasts until a person repairs it, and may
   * concern 100,000 deliveries of an endpoint.
   */
  fault_retry_ms: number;
  /** Called for each delivery that is put back without an attempt. */
  putBack: (cause: 'database' | 'program') => void;
}

const DEFAULTS: DeliveryTuning = {
  ...{ send: sendOut, lease_slack_ms: 10_000, fault_retry_ms: 600_000, putBack: () => {} },
  ...{ total: 512, per_endpoint: 16, per_quick: 64, quick_ms: 500, per_failing: 2 },
};

/** The terms on which a claim holds a delivery. */
interface Held {
  claim: string;
  /** Monotonic milliseconds. Until then the delivery is sent as the claim read its endpoint and body. Later both are read again. */
  known_until: number;
  /** Monotonic milliseconds. A delivery that starts later might be sent twice: the lease might end before its outcome is recorded. */
  start_by: number;
}

/**
 * Time after a claim for which its copy of an endpoint and of a body is used. When a quick endpoint becomes slow, deliveries that were
 * claimed for it wait for seconds. Meanwhile its secret may be rotated, its URL changed, the endpoint deleted, or the person in the body
 * erased, all of which take effect at once. A delivery that starts within this time reads neither again: a change could as well come a
 * moment after such a read.
 */
const KNOWN_MS = 100;

/** The outcome of a delivery to an endpoint that was deleted or deactivated. */
const NOTHING_SENT = { retry_ms: null, attempt: null };

/** With fewer deliveries than this in progress, the worker would have nothing to do before its next poll. */
const FEW = 32;

/** Maximum endpoints examined per claim: a few milliseconds of work. */
const MAX_ENDPOINTS = 512;

/**
 * Sends due deliveries until stopped. Any number of processes may run it at once: a delivery is claimed with a lease, sent
 * outside any transaction, and its outcome recorded in a batch. Claims of a killed process become due again when their leases
 * end.
 */
export function startDeliveries(deps: WebhookDeps, store: Store, tuning: Partial<DeliveryTuning> = {}): Worker {
  const worker = new DeliveryWorker(deps, store, { ...DEFAULTS, ...tuning });
  const done = worker.run();
  return { name: `deliveries:${store.environment}`, lastRound: () => worker.lastRound, stop: () => worker.stop(done) };
}

class DeliveryWorker {
  readonly #deps: WebhookDeps;
  readonly #store: Store;
  readonly #tuning: DeliveryTuning;
  readonly #slots: Slots;
  readonly #outcomes: Outcomes;
  readonly #turns: Turns;
  readonly #pacer = new Pacer();
  readonly #lanes: Lanes;
  readonly #secrets: OpenedSecrets;
  readonly #underWay = new Set<Promise<void>>();
  readonly #unlisten: () => void;
  #after = '';
  /** Whether slots became free while the last claim ran, which the claim did not take into account. */
  #unmet = false;
  #stopping = false;
  lastRound: number;

  constructor(deps: WebhookDeps, store: Store, tuning: DeliveryTuning) {
    this.#deps = deps;
    this.#store = store;
    this.#tuning = tuning;
    this.#slots = new Slots(tuning);
    this.#lanes = new Lanes(tuning.per_endpoint);
    this.#turns = new Turns(deps.shards[store.environment]);
    this.#secrets = new OpenedSecrets(deps.secrets);
    const terms = { environment: store.environment, disable_after_days: deps.config.webhook_disable_after_days };
    this.#outcomes = new Outcomes(async (outcomes) => {
      const deactivated = await recordOutcomes(store.db, terms, outcomes);
      if (deactivated.length === 0) return;
      announceDeactivation(deps, store.environment, deactivated);
      await dropQueuesOfInactive(store.db, deactivated);
    }, deps.log);
    this.#unlisten = deps.wake.listen(store.environment, () => this.#pacer.rouse());
    this.lastRound = deps.clock.now();
  }

  async run(): Promise<void> {
    while (!this.#stopping) {
      this.#pacer.begin();
      try {
        await this.#deps.clock.refresh?.();
        await this.#pacer.end(await this.#round());
        this.lastRound = this.#deps.clock.now();
      } catch (err) {
        const { environment } = this.#store;
        logFailure(this.#deps.log, err, { environment }, 'webhook deliveries could not be claimed; it will be tried again');
        // The round has ended, even though the database failed: the worker is not blocked.
        if (isOfDatabase(err)) this.lastRound = this.#deps.clock.now();
        await this.#pacer.failed();
      }
    }
  }

  /** Claims nothing new, waits for deliveries in progress (each has a deadline) and records their outcomes. */
  async stop(loop: Promise<void>): Promise<void> {
    this.#stopping = true;
    this.#unlisten();
    this.#outcomes.close();
    this.#pacer.rouse();
    await loop;
    await Promise.all(this.#underWay);
  }

  /** Claims as many deliveries as there are free slots and starts them. */
  async #round() {
    // Outcomes accumulate only while the database does not accept them; until it does, nothing more is sent.
    const rows = this.#outcomes.waiting > this.#tuning.total * 2 ? 0 : this.#slots.free;
    if (rows === 0) return { found: 0, limited: true, more: false, next_due_ms: null };
    const first = await this.#claim(rows, this.#turns.own);
    const others = first.rows.length < rows ? this.#turns.others() : undefined;
    const late = others ? await this.#claim(rows - first.rows.length, others) : undefined;
    this.#after = nextStart(first.rows, rows, first);
    const found = first.rows.length + (late?.rows.length ?? 0);
    this.#unmet = first.freed || (late?.freed ?? false);
    const more = this.#after !== '' || this.#runsDry;
    return { found, limited: this.#slots.limited, more, next_due_ms: first.next_due_ms };
  }

  /** Whether more is probably due and little is in progress. While much is in progress, waiting makes the next claim larger. */
  get #runsDry(): boolean {
    return this.#unmet && this.#slots.total < FEW;
  }

  /** Claims up to `limit` deliveries and starts them. */
  async #claim(limit: number, turn: Turn) {
    const busy = this.#slots.busy();
    const began = performance.now();
    const claimed = await claimDue(this.#store.db, {
      after: this.#after,
      rows: limit,
      endpoints: MAX_ENDPOINTS,
      lease_ms: this.#lease_ms,
      ...this.#slots.allowed,
      busy,
      turn,
    });
    const start_by = began + this.#tuning.lease_slack_ms / 2;
    const known_until = began + KNOWN_MS;
    for (const row of claimed.rows) this.#start(row, { claim: claimed.claim, known_until, start_by });
    return { ...claimed, freed: this.#slots.freedSince(busy, claimed.rows) };
  }

  #start(row: Claimed, held: Held): void {
    const release = (succeeded_ms: number | null) => {
      if (this.#slots.release(row, succeeded_ms) || this.#runsDry) this.#pacer.rouse();
    };
    this.#slots.take(row);
    const sending = this.#deliver(row, held, release).finally(() => this.#underWay.delete(sending));
    this.#underWay.add(sending);
  }

  get #lease_ms(): number {
    return this.#deps.config.webhook_timeout_ms + this.#tuning.lease_slack_ms;
  }

  /**
   * @param release frees the slot: immediately after a success; after a failure, when the endpoint is marked as failing and the delivery is
   * back in the queue
   */
  async #deliver(row: Claimed, held: Held, release: (succeeded_ms: number | null) => void): Promise<void> {
    const outcome = await this.#outcomeOf(row, held).catch((err) => this.#putBack(row, err));
    if (outcome === 'too late') return release(null);
    const recorded = this.#outcomes.add({ id: String(row.id), claim: held.claim, ...outcome });
    const { attempt: made, retry_ms } = outcome;
    if (made?.succeeded === false || retry_ms !== null) await recorded;
    release(made?.succeeded ? made.ms : null);
    await recorded;
  }

  /**
   * Puts back a delivery that failed inside the program, for example because its endpoint's secret was encrypted with another key, or
   * because a newer release packed its body. It is no attempt: nothing was sent. If it kept its lease, it would stay at the head of the
   * queue, and the next claim, which follows at once, would take others in its place.
   */
  #putBack(row: Claimed, err: unknown): Pick<Outcome, 'retry_ms' | 'attempt'> {
    const fields = { delivery: String(row.id), webhook: row.endpoint_id };
    logFailure(this.#deps.log, err, fields, 'a webhook delivery could not be made');
    const cause = isOfDatabase(err) ? 'database' : 'program';
    this.#tuning.putBack(cause);
    return { retry_ms: cause === 'database' ? this.#lease_ms : this.#tuning.fault_retry_ms, attempt: null };
  }

  /**
   * Sends a delivery, unless there is nothing to send.
   * @returns `too late` when it has waited so long that its lease might end before its outcome is recorded: it then becomes due again
   */
  async #outcomeOf(row: Claimed, held: Held): Promise<Pick<Outcome, 'retry_ms' | 'attempt'> | 'too late'> {
    if (row.target === null) return NOTHING_SENT;
    return this.#lanes.run(row.endpoint_id, async () =>
      performance.now() > held.start_by ? ('too late' as const) : this.#attempt(row, held),
    );
  }

  async #attempt(row: Claimed, { known_until, start_by }: Held) {
    const { db } = this.#store;
    const claimed = row.target && { ...row.target, body: row.body };
    const sendable = performance.now() > known_until ? await findSendable(db, row) : claimed;
    if (!sendable) return NOTHING_SENT;
    const body = await bodyFor(db, { ...row, body: unpack(sendable.body) }, sendable.api_version);
    // Reading the endpoint and the body may have taken long.
    if (performance.now() > start_by) return 'too late' as const;
    return attempt(this.#sender(), { ...row, body }, sendable);
  }

  #sender(): Sender {
    const { clock, config } = this.#deps;
    const { environment } = this.#store;
    return {
      environment,
      clock,
      secrets: this.#secrets,
      send: this.#tuning.send,
      guard: guardOf(config, environment),
      timeout_ms: config.webhook_timeout_ms,
      schedule_ms: config.webhook_retry_schedule_ms,
    };
  }
}

/**
 * Returns the start of the next claim: after the last endpoint that was served or examined; from the beginning when all were.
 */
function nextStart(rows: readonly Claimed[], asked: number, seen: { looked_at: number; last: string | null }): string {
  if (rows.length === asked)
    return (
      rows
        .map((row) => row.endpoint_id)
        .sort()
        .at(-1) ?? ''
    );
  return seen.looked_at === MAX_ENDPOINTS && seen.last !== null ? seen.last : '';
}
