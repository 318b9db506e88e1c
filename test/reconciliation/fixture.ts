import { randomUUID } from 'node:crypto';
import { readConfig } from '../../src/platform/config/config.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { newId } from '../../src/kit/ids.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { paymentListeners } from '../../src/program/listeners.ts';
import type { BreakRow, Run } from '../../src/core/reconciliation/schema.ts';
import { BREAK_KINDS } from '../../src/core/reconciliation/schema.ts';
import { checkSetAside } from '../../src/core/books-check/reconciliation.ts';
import { pagesOf, reconcile, type ReconciliationRequest } from '../../src/core/reconciliation/service.ts';
import { cloneDatabases } from '../setup/databases.ts';

/** Everything happens at this minute, unless a test says otherwise. */
export const NOON = Date.parse('2026-03-10T12:00:00Z');
export const ACCOUNT = { id: 'pa_1', name: 'wallet' };
export const OPERATOR = { kind: 'operator', id: 'awa', request_id: null, address: 'here' } as const;
const TEAM = 7n;

export interface Made {
  id: string;
  of: string;
  key: string;
}

/** A store with rows put in by hand, and statements written by hand. */
export class Ledgers {
  readonly db: DbPool;
  readonly store: Store;
  readonly team_id = TEAM;
  readonly url: string;
  readonly drop: () => Promise<void>;

  private constructor(url: string, db: DbPool, drop: () => Promise<void>) {
    this.url = url;
    this.db = db;
    this.store = { environment: 'live', db };
    this.drop = drop;
  }

  static async open(): Promise<Ledgers> {
    const databases = await cloneDatabases();
    const db = openPool({ url: databases.live, size: 3, log: createLog({ level: 'silent', format: 'json' }) });
    return new Ledgers(databases.live, db, async () => {
      await db.close();
      await databases.drop();
    });
  }

  /** Deletes what a test has made: operations, their books, and the comparisons. */
  async clear(): Promise<void> {
    await this.db.run(sql`
      truncate reconciliation_runs, reconciliation_breaks, events, payments, attempts, transfers, refunds, returns, journals, postings, balances,
        balance_deltas, settlement_items, audit_entries cascade`);
  }

  /** A payment of 1,000 XAF with one attempt. */
  async attempt(
    status: string,
    fields: { amount?: number; account?: string; ref?: string | null; at?: number; key?: string } = {},
  ): Promise<Made> {
    const { amount = 100_000, account = ACCOUNT.id, ref = null, at = NOON, key = randomUUID() } = fields;
    const [of, id] = [newId('trx', 'live', at), newId('att', 'live', at)];
    const begun = new Date(at);
    const closed = ['created', 'open', 'unknown'].includes(status) ? null : new Date(at + 20_000);
    const paid = status === 'succeeded' ? amount : 0;
    const standing = closed === null ? 'processing' : status === 'unavailable' ? 'pending' : status;
    await this.db.run(sql`
      insert into payments (team_id, id, amount_minor, captured_minor, currency, status, channel, event_count, key_id, request_id, created_at,
        updated_at, expires_at)
      values (${TEAM}, ${of}, ${amount}, ${paid}, 'XAF', ${standing}, 'cm.mtn', 2, 'k', 'r', ${begun}, ${begun}, ${new Date(at + 86_400_000)})`);
    await this.db.run(sql`
      insert into attempts (team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, payer, provider_key,
        provider_ref, created_at, submitted_at, closed_at)
      values (${TEAM}, ${id}, ${of}, 'mtn-momo', ${account}, 'cm.mtn', ${status}, ${amount}, 'XAF', '+237670000000', ${key}, ${ref}, ${begun},
        ${status === 'created' ? null : begun}, ${closed})`);
    return { id, of, key };
  }

  /** A transfer of 500 XAF without a fee. */
  async transfer(status: string, stage: string, at = NOON): Promise<Made> {
    const [id, key, begun] = [newId('po', 'live', at), randomUUID(), new Date(at)];
    const decision = { explanation: {}, candidates: [ACCOUNT.id], tried: [], resent: false, note: null };
    await this.db.run(sql`
      insert into transfers (team_id, id, amount_minor, fee_minor, currency, status, recipient, channel, provider_account, provider_key, stage,
        decision, key_id, request_id, created_at, updated_at, dispatched_at, completed_at)
      values (${TEAM}, ${id}, 50000, 0, 'XAF', ${status}, '{}', 'cm.mtn', ${ACCOUNT.id}, ${key}, ${stage}, ${JSON.stringify(decision)}, 'k',
        'r', ${begun}, ${begun}, ${stage === 'reserved' ? null : begun}, ${stage === 'closed' ? new Date(at + 20_000) : null})`);
    return { id, of: id, key };
  }

  /** A refund of 300 XAF in one leg of a captured attempt. */
  async refund(status: string, leg: string, at = NOON, paid_at = at - 30 * 86_400_000): Promise<Made> {
    const capture = await this.attempt('succeeded', { at: paid_at });
    const [id, key, begun] = [newId('rfd', 'live', at), randomUUID(), new Date(at)];
    const legs = [{ attempt_id: capture.id, amount_minor: '30000', provider_key: key, provider_ref: null, status: leg }];
    const completed = status === 'succeeded' || status === 'failed' ? new Date(at + 20_000) : null;
    await this.db.run(sql`
      insert into refunds (team_id, id, payment_id, kind, legs, amount_minor, currency, status, reason, draws, created_at, updated_at,
        submitted_at, completed_at)
      values (${TEAM}, ${id}, ${capture.of}, 'merchant', ${JSON.stringify(legs)}, 30000, 'XAF', ${status}, 'duplicate', '[]', ${begun}, ${begun},
        ${begun}, ${completed})`);
    return { id, of: capture.of, key };
  }

  async reconcile(
    lines: string[],
    fields: Partial<ReconciliationRequest> = {},
    store = this.store,
  ): Promise<{ run: Run; breaks: BreakRow[] }> {
    const file = Buffer.from(['type,key,reference,amount,currency,fee,at,status', ...lines, ''].join('\n'));
    const request: ReconciliationRequest = {
      ...{
        team_id: TEAM,
        provider: 'mtn-momo',
        account: ACCOUNT,
        file_name: 'march.csv',
        apply: false,
        force: false,
        skew_ms: 0,
        progress: () => undefined,
      },
      open: async function* () {
        for (let at = 0; at < file.length; at += 999) yield file.subarray(at, at + 999);
      },
      from: new Date(NOON - 3_600_000),
      to: new Date(NOON + 3_600_000),
      ...fields,
    };
    const deps = { clock: systemClock, config: readConfig({}), listeners: paymentListeners(null) };
    const run = await reconcile(deps, store, request, OPERATOR);
    return { run, breaks: await this.breaks(run) };
  }

  async breaks(run: Run): Promise<BreakRow[]> {
    const all: BreakRow[] = [];
    for (const kind of BREAK_KINDS) for await (const rows of pagesOf(this.store, run, kind)) all.push(...rows);
    return all;
  }

  /** Every line booked, as `kind 50000 XAF clearing > hold`. */
  async booked(): Promise<string[]> {
    const rows = await this.db.all<{ text: string }>(sql`
      select j.kind || ' ' || p.amount_minor || ' ' || p.currency || ' ' || p.debit || ' > ' || p.credit as text
      from postings p join journals j on j.team_id = p.team_id and j.id = p.journal_id order by j.id, p.line`);
    return rows.map(({ text }) => text);
  }

  /** What `pirogue ledger verify` reports about money that was set aside. */
  async differences(): Promise<unknown[]> {
    const differences: unknown[] = [];
    await checkSetAside(this.db, TEAM, (difference) => differences.push(difference));
    return differences;
  }

  async one<Row>(statement: ReturnType<typeof sql>): Promise<Row> {
    return (await this.db.maybe<Row>(statement)) as Row;
  }
}

export function countOf({ tallies }: Run, verdict: string): number {
  return tallies.filter((tally) => tally.verdict === verdict).reduce((sum, { count }) => sum + count, 0);
}

/** A line of the normal form; what is left out is usual. */
export function line(
  type: string,
  key: string,
  fields: { ref?: string; amount?: string; currency?: string; at?: string; status?: string } = {},
): string {
  const { ref = `f${key.slice(0, 6)}`, currency = 'XAF', at = '2026-03-10T12:00:10Z', status = 'succeeded' } = fields;
  const amount = fields.amount ?? { collect: '1000', payout: '500', refund: '300' }[type];
  return [type, key, ref, amount, currency, '10', at, status].join(',');
}

/** The methods of a pool as plain functions, so that one of them can be replaced. */
export function bound(db: Store['db']) {
  return { all: db.all.bind(db), maybe: db.maybe.bind(db), run: db.run.bind(db) };
}
