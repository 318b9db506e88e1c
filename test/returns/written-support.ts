import { endWay, findWay } from '../../src/core/refunds/ways.ts';
import { findReturn } from '../../src/core/obligations/store.ts';
import type { ReturnRow } from '../../src/core/obligations/schema.ts';
import { recordLateRefund } from '../../src/core/returns/late.ts';
import { advancePayout } from '../../src/core/returns/pay-out.ts';
import { resolveReturn } from '../../src/core/returns/resolve.ts';
import { requireManualReturn, startPayout, startRefund } from '../../src/core/returns/service.ts';
import { must } from '../../src/kit/errors.ts';
import type { Tx } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import type { Payout, PayoutOutcome, Provider, Refund, RefundOutcome } from '../../src/providers/adapters/contract.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { storeOn, Written } from '../setup/written.ts';
import { Late } from './fixture.ts';

export const SAID = { evidence: 'statement line 7', author: 'awa' };
export const FAILED = { kind: 'failed', reason: 'operator_declined', message: 'refused' } as const;
export const UNKNOWN = { kind: 'unknown', message: 'no answer' } as const;

/** What providers and the router say to one step. */
export interface Script {
  /** False: the account cannot be used at the moment. */
  usable?: boolean;
  refunds?: boolean;
  payouts?: boolean;
  needsPayer?: boolean;
  idempotency?: 'replays' | 'conflicts' | 'none';
  submit?: PayoutOutcome;
  read?: PayoutOutcome;
  refundRead?: RefundOutcome;
  /** The accounts that could pay out now. */
  candidates?: string[];
  /** Whether an account that could pay out does not respond. */
  broken?: boolean;
  anyUnusable?: boolean;
  /** Happens while the provider answers. */
  meanwhile?: () => Promise<unknown>;
}

export const STATES = [
  'owed',
  'refunding',
  'refused',
  'unsent',
  'sent',
  'unpaid',
  'waiting',
  'returned',
  'overpaid',
  'resolved',
] as const;
export type State = (typeof STATES)[number];

/** Amounts as text, times as dates, and addresses without what differs from run to run. */
function plainer(key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (key === 'submitted_at' && typeof value === 'number') return new Date(value).toISOString();
  if (key === 'callback_url') return String(value).split('/').slice(3, -1).join('/');
  return key === 'collection' ? (value as { attempt_id: string }).attempt_id : value;
}

/** One return, which every step finds in a state of its own and whose changes are taken back. */
export class OneReturn {
  readonly late = new Late();
  /** Calls of providers by the present step. */
  calls: string[] = [];
  owner!: DbPool;
  written!: Written;
  owed!: ReturnRow;
  #now = 0;

  async open(): Promise<void> {
    await this.late.start();
    await this.late.captured();
    this.owed = await this.late.row();
    this.owner = openPool({ url: this.late.api.databases.live, size: 2, log: createLog({ level: 'silent', format: 'json' }) });
    this.written = new Written(this.owner, 'live', this.late.merchant.team.id, this.late.clock);
    this.late.clock.advance(1_000);
    this.#now = this.late.clock.now();
  }

  async close(): Promise<void> {
    await this.owner.close();
    await this.late.api.stop();
  }

  context() {
    const { clock, api } = this.late;
    return { environment: 'live' as const, at: clock.now(), listeners: api.deps.listeners };
  }

  provider(account_id: string, script: Script): Provider {
    const called = async <T>(what: string, request: unknown, outcome: T): Promise<T> => {
      const call = `${account_id} ${what} ${JSON.stringify(request, plainer)}`;
      // A step reads a refund and a payout at once. They are listed in this order, whichever comes first.
      if (what === 'read refund' && this.calls.at(-1)?.startsWith(`${account_id} read payout`)) this.calls.splice(-1, 0, call);
      else this.calls.push(call);
      await script.meanwhile?.();
      return outcome;
    };
    return {
      ...{ name: account_id, account_id, keyOf: (id: string) => `key:${id}` },
      capabilities: {
        ...{ idempotency: script.idempotency ?? 'replays', readable_by: 'ours', not_found_grace_ms: 600_000 },
        polls: { first_ms: 1_000, factor: 3, max_ms: 20_000 },
      },
      ...(script.refunds !== false && {
        refunds: {
          extent: 'partial',
          needsPayer: () => script.needsPayer ?? false,
          submit: (refund: Refund) => called('refund', refund, UNKNOWN),
          read: (refund: Refund) => called('read refund', refund, script.refundRead ?? FAILED),
        },
      }),
      ...(script.payouts !== false && {
        payouts: {
          reaches: () => true,
          submit: (payout: Payout) => called('pay out', payout, script.submit ?? UNKNOWN),
          read: (payout: Payout) => called('read payout', payout, script.read ?? UNKNOWN),
        },
      }),
    } as unknown as Provider;
  }

  deps(script: Script = {}) {
    const { usable = true, candidates = ['able', 'second'], broken = false, anyUnusable = false } = script;
    return {
      ...this.late.api.deps,
      providers: {
        byAccount: async (_: string, __: bigint, account_id: string) => (usable ? this.provider(account_id, script) : undefined),
        anyUnusable: async () => anyUnusable,
      },
      router: {
        choose: async () => ({ candidates: candidates.map((account_id) => this.provider(account_id, script)), waits: broken }),
      },
    } as unknown as Late['api']['deps'];
  }

  async row(tx: Tx): Promise<ReturnRow> {
    return must(await findReturn(tx, this.owed), 'it is owed');
  }

  /** Brings the return into a state, a second for each step. */
  async become(tx: Tx, state: State): Promise<ReturnRow> {
    const store = storeOn('live', tx);
    const deps = this.deps();
    const from = async (earlier: State, step: (row: ReturnRow) => Promise<unknown>) => {
      await step(await this.become(tx, earlier));
      this.late.clock.advance(1_000);
    };
    const end = async (row: ReturnRow, id: string | null, outcome: typeof FAILED | { kind: 'succeeded'; provider_ref: string }) =>
      endWay(tx, this.context(), must(await findWay(tx, row.team_id, id ?? ''), 'it was started'), outcome);
    if (state === 'refunding') await from('owed', (row) => startRefund(deps, store, row, this.provider('able', {})));
    if (state === 'refused') await from('refunding', (row) => end(row, row.refund_id, FAILED));
    if (state === 'unsent') await from('refused', (row) => startPayout(deps, store, row));
    if (state === 'sent') await from('unsent', (row) => advancePayout(deps, store, row));
    if (state === 'unpaid') await from('sent', (row) => end(row, row.payout_id, FAILED));
    if (state === 'waiting') await from('unpaid', (row) => requireManualReturn(deps, store, row, 'nothing is left'));
    if (state === 'returned') await from('sent', (row) => end(row, row.payout_id, { kind: 'succeeded', provider_ref: 'p-1' }));
    if (state === 'overpaid')
      await from('returned', ({ team_id, refund_id }) =>
        recordLateRefund(deps, store, { team_id, id: refund_id ?? '' }, SAID, WORKER),
      );
    if (state === 'resolved')
      await from('waiting', (row) => resolveReturn(deps, store, row, { as: 'returned', ...SAID }, WORKER));
    return this.row(tx);
  }

  /** Tells what the work does: its calls of providers and what it writes. */
  async tell(
    title: string,
    state: State,
    work: (tx: Tx, row: ReturnRow, store: ReturnType<typeof storeOn>) => Promise<unknown>,
    prepare: (tx: Tx, row: ReturnRow) => Promise<unknown> = async () => {},
  ): Promise<string[]> {
    const { clock } = this.late;
    clock.advance(this.#now - clock.now());
    const found = await this.written.by(
      async (tx) => {
        await prepare(tx, await this.become(tx, state));
        this.calls = [];
        return this.row(tx);
      },
      (tx, store, row) => work(tx, row, store),
    );
    return ['', `# ${state}${title && `, ${title}`}`, ...this.calls.map((call) => this.written.plain(call)), ...found];
  }
}
