import { lowestIdAt } from '../../../src/kit/ids.ts';
import { createLog } from '../../../src/kit/log.ts';
import { type Db, sql, type Tx } from '../../../src/kit/sql.ts';
import { type Attempt, claimDue, recordOutcomes, requeue } from '../../../src/money/webhooks/deliveries-store.ts';
import { recordEvents } from '../../../src/money/webhooks/record-store.ts';
import { FAILED_BEFORE_MS, retryDelay } from '../../../src/money/webhooks/schedule.ts';
import { dropDeliveries, dropQueuesOfInactive, insertEndpoint } from '../../../src/money/webhooks/store.ts';
import { EVERY_TURN } from '../../../src/platform/work/shards.ts';
import { openPool } from '../../../src/platform/db/pool.ts';
import { cloneDatabases } from '../../setup/databases.ts';
import type { Delivery, EndpointState, Outcome } from './world.ts';

/*
 * Runs the program's own statements on a real store that holds the rows of a state of the model, and reads them back. Every state
 * is a transaction that is rolled back.
 */

const TEAM = 1n;
const ENDPOINT = 'wh_test_model';
const EARLIER_EVENT = 'evt_test_earlier';
const NOTHING_BUSY = {};
const WAIT_MS = 600_000;
const DISABLE_AFTER_DAYS = 5;

/** A delivery as its row shows it; `claim` is the number of the claim. */
export type Shown = Pick<Delivery, 'tries' | 'due'> & { claim: number | null };

/** The rows of one event and one endpoint. */
export interface State {
  deliveries: readonly Pick<Delivery, 'tries' | 'due' | 'claim'>[];
  endpoint: EndpointState;
}

/** The rows after a statement. */
export interface After {
  deliveries: Shown[];
  endpoint: EndpointState;
  /** Recorded attempts. */
  attempts: number;
}

class RolledBack<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('rolled back');
    this.result = result;
  }
}

export class DeliveryStore {
  readonly #db: Db & { close(): Promise<void> };

  private constructor(db: Db & { close(): Promise<void> }) {
    this.#db = db;
  }

  static async open(): Promise<DeliveryStore> {
    const { sandbox } = await cloneDatabases();
    return new DeliveryStore(openPool({ url: sandbox, size: 1, log: createLog({ level: 'silent', format: 'json' }) }));
  }

  close(): Promise<void> {
    return this.#db.close();
  }

  /** Claims what is due. The new claim has the number 99; `targets`: whether there is something to send for each claimed row. */
  claims(state: State): Promise<After & { targets: boolean[] }> {
    return this.#in(state, async (tx) => {
      const request = { after: '', rows: 9, endpoints: 9, lease_ms: 60_000, slots: 9, failing_slots: 9, failing_rows: 9 };
      const { rows } = await claimDue(tx, { ...request, busy: NOTHING_BUSY, turn: EVERY_TURN });
      return { ...(await shown(tx, state)), targets: rows.map(({ target }) => target !== null) };
    });
  }

  /** Records the outcome of a claim of the first delivery. @param tries that the claimer has read @param max tries of a delivery */
  records(state: State, claim: number, outcome: Outcome, tries: number, max: number): Promise<After> {
    return this.#in(state, async (tx, ids) => {
      if (outcome === 'hopeless') {
        const since = new Date(Date.now() - 2 * DISABLE_AFTER_DAYS * 86_400_000);
        await tx.run(sql`update webhook_endpoints set failing_since = ${since}`);
        await failEarlier(tx);
      }
      const succeeded = outcome === 'succeeded';
      const schedule = Array.from({ length: max - 1 }, () => WAIT_MS);
      const retry_ms = succeeded || outcome === 'nothing' ? null : retryDelay(schedule, tries + 1);
      const attempt = outcome === 'nothing' ? null : attemptOf(succeeded);
      await recordOutcomes(tx, { environment: 'sandbox', disable_after_days: DISABLE_AFTER_DAYS }, [
        { id: String(ids[0]), claim: claimOf(claim, true), retry_ms, attempt },
      ]);
      return shown(tx, state);
    });
  }

  /** Queues the event again. */
  requeues(state: State): Promise<After> {
    return this.#in(state, async (tx) => {
      const [event] = await tx.all<{ id: string }>(sql`select id from events`);
      await requeue(tx, { team_id: TEAM, id: event?.id as string, resource_id: 'trx_test_model' }, ['*']);
      return shown(tx, state);
    });
  }

  /** Drops the queue of the endpoint: with its deactivation, or afterwards, when it may be active again. */
  drops(state: State, afterwards: boolean): Promise<After> {
    return this.#in(state, async (tx) => {
      if (afterwards) await dropQueuesOfInactive(tx, [{ team_id: TEAM, id: ENDPOINT }]);
      else await dropDeliveries(tx, ENDPOINT);
      return shown(tx, state);
    });
  }

  /** Returns how many deliveries an event gets. */
  queues(endpoint: EndpointState): Promise<number> {
    return this.#in({ deliveries: [], endpoint }, async (tx) => {
      await announce(tx, 2);
      return (await rowsIn(tx)).length;
    });
  }

  async #in<T>(state: State, work: (tx: Tx, ids: bigint[]) => Promise<T>): Promise<T> {
    try {
      await this.#db.transaction(async (tx) => {
        throw new RolledBack(await work(tx, await prepare(tx, state)));
      });
    } catch (error) {
      if (error instanceof RolledBack) return error.result as T;
      throw error;
    }
    throw new Error('impossible: it always throws');
  }
}

/** Inserts the rows of a state, numbered by the order of the deliveries. */
async function prepare(tx: Tx, { deliveries, endpoint }: State): Promise<bigint[]> {
  const at = new Date();
  await insertEndpoint(tx, {
    ...{ team_id: TEAM, id: ENDPOINT, url: 'https://shop.example/hooks', secret_sealed: 'sealed', events: ['*'], active: true },
    ...{
      description: null,
      metadata: null,
      api_version: '2026-08-01',
      failing_since: null,
      disabled_reason: null,
      backlog_full_since: null,
    },
    ...{ created_at: at, updated_at: at },
  });
  await announce(tx, 1);
  await tx.run(sql`
    insert into deliveries (team_id, endpoint_id, event_id)
    select d.team_id, d.endpoint_id, d.event_id from deliveries d, generate_series(2, ${deliveries.length}::integer)`);
  if (deliveries.length === 0) await tx.run(sql`delete from deliveries`);
  const ids = (await rowsIn(tx)).map(({ id }) => id);
  const rows = deliveries.map(({ tries, due, claim }, i) => ({
    ...{ id: String(ids[i]), tries, wait_ms: due ? -1_000 : WAIT_MS },
    claim: claim && claimOf(claim.id, claim.live),
  }));
  await tx.run(sql`
    update deliveries d set tries = r.tries, due_at = pirogue_now() + r.wait_ms * interval '1 ms', claim = r.claim
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(id bigint, tries smallint, wait_ms float8, claim uuid) where d.id = r.id`);
  if (endpoint === 'inactive') await tx.run(sql`update webhook_endpoints set active = false`);
  if (endpoint === 'deleted') await tx.run(sql`delete from webhook_endpoints`);
  return ids;
}

function announce(tx: Tx, sequence: number): Promise<void> {
  return recordEvents(tx, 'sandbox', Date.now(), [
    { team_id: TEAM, type: 'payment.created', resource_id: 'trx_test_model', sequence, data: { id: 'trx_test_model' } },
  ]);
}

interface Row {
  id: bigint;
  tries: number;
  due: boolean;
  claim: string | null;
}

function rowsIn(tx: Tx): Promise<Row[]> {
  return tx.all<Row>(sql`select id, tries, due_at <= pirogue_now() as due, claim::text from deliveries order by id`);
}

async function shown(tx: Tx, state: State): Promise<After> {
  const rows = await rowsIn(tx);
  const [found] = await tx.all<{ active: boolean }>(sql`select active from webhook_endpoints`);
  const [made] = await tx.all<{ attempts: number }>(
    sql`select count(*)::integer as attempts from delivery_attempts where event_id <> ${EARLIER_EVENT}`,
  );
  const known = state.deliveries.flatMap(({ claim }) => (claim ? [claimOf(claim.id, claim.live)] : []));
  return {
    deliveries: rows.map(({ tries, due, claim }) => ({ tries, due, claim: numberOf(claim, known) })),
    endpoint: found === undefined ? 'deleted' : found.active ? 'active' : 'inactive',
    attempts: made?.attempts ?? 0,
  };
}

const SOON = Date.now() + 3_600_000;

/** A claim whose lease ended long ago, or ends in an hour. The number is its tail. */
function claimOf(id: number, live: boolean): string {
  const hex = `${(live ? SOON : 1).toString(16).padStart(12, '0')}${String(id).padStart(20, '0')}`;
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function numberOf(claim: string | null, known: readonly string[]): number | null {
  if (claim === null) return null;
  return known.includes(claim) ? Number(claim.slice(-12)) : 99;
}

/** Adds an attempt of the day before at another event. */
async function failEarlier(tx: Tx): Promise<void> {
  const at = Date.now() - (FAILED_BEFORE_MS.from + FAILED_BEFORE_MS.to) / 2;
  await tx.run(sql`
    insert into delivery_attempts (team_id, id, endpoint_id, event_id, event_type, attempt, succeeded, duration_ms, created_at)
    values (${TEAM}, ${lowestIdAt('whd', 'sandbox', at)}, ${ENDPOINT}, ${EARLIER_EVENT}, 'payment.created', 1, false, 1, ${new Date(at)})`);
}

function attemptOf(succeeded: boolean): Attempt {
  const at = new Date().toISOString();
  const status = succeeded ? 200 : 500;
  return { attempt_id: 'whd_test_model', event_type: 'payment.created', succeeded, status, body: '', error: null, ms: 1, at };
}
