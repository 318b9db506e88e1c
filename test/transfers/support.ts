import assert from 'node:assert/strict';
import type { Store } from '../../src/platform/db/stores.ts';
import type { Call, Reply } from '../../src/tenants/api/route.ts';
import { wireFromMinor } from '../../src/kit/money.ts';
import { invalid, must } from '../../src/kit/errors.ts';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import type { Account } from '../../src/money/ledger/accounts.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { post } from '../../src/money/ledger/post.ts';
import type { Payout, PayoutOutcome, Payouts } from '../../src/providers/adapters/contract.ts';
import type { Team } from '../../src/tenants/teams/schema.ts';
import { createTransfer } from '../../src/core/transfers/create.ts';
import { checkTransfer } from '../../src/core/transfers/quote.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { fundSandbox } from '../../src/core/transfers/fund.ts';
import type { CreateTransferBody } from '../../src/core/transfers/schema.ts';
import type { Api } from '../setup/api.ts';
import type { TestProvider } from '../setup/providers.ts';

export const CURRENCY = 'XAF';

/** To a number whose payouts succeed in the sandbox. */
export const TO_PHONE = { recipient: '+237650000000', channel: 'cm.mtn', currency: CURRENCY } as const;

/** @param amount major units */
export async function fund(
  api: Api,
  team: Team,
  amount: number,
  store: Store = api.deps.stores.sandbox,
  currency: string = CURRENCY,
): Promise<void> {
  const amount_minor = BigInt(amount) * 100n;
  if (store.environment === 'sandbox') return fundSandbox(api.deps, store, team.id, currency, amount_minor, WORKER);
  const source_id = newId('req', 'live', Date.now());
  await store.db.transaction((tx) =>
    post(tx, [
      {
        team_id: team.id,
        kind: 'test.funded',
        source_id,
        subject_id: source_id,
        currency,
        postings: [{ debit: 'clearing', credit: 'available', amount_minor }],
      },
    ]),
  );
}

/** What POST /transfers does, without the check of its key and of its schema. */
export async function transfer(
  api: Api,
  team: Team,
  store: Store,
  body: Partial<CreateTransferBody>,
  idempotency_key: string | null = null,
): Promise<Reply> {
  const call = {
    caller: { team, store, key_id: 'key_test', kind: 'secret', scopes: [] },
    params: {},
    query: {},
    body: { ...TO_PHONE, ...body },
    idempotency_key,
    sync: null,
    request_id: 'req_test',
    trace_id: '',
    ip: '127.0.0.1',
    at: api.deps.clock.now(),
  };
  const faults = checkTransfer(call.body as CreateTransferBody);
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return createTransfer(api.deps, call as unknown as Call<CreateTransferBody>);
}

/** The team's buckets in major units. */
export async function bucketsOf(store: Store, team: Team, currency: string = CURRENCY) {
  const balances = await readBalances(store.db, team.id, currency);
  const of = (account: Account) => wireFromMinor(balances.get(account) ?? 0n);
  return {
    available: of('available'),
    reserved: of('reserved'),
    in_transit: of('in.transit'),
    fees: of('fee_income'),
    clearing: of('clearing'),
  };
}

interface Snapshot {
  balances: [Account, number][];
  posted: [Account, number][];
  reserved: number;
  in_transit: number;
}

/**
 * What holds at every moment, seen in one snapshot: the books balance, every balance is the sum of its postings, no
 * guarded one is below zero, and exactly the open transfers are set aside.
 */
export async function assertBooks(store: Store, team: Team, currency: string = CURRENCY): Promise<void> {
  const seen = must(await readSnapshot(store, team, currency), 'an aggregate is one row');
  const balances = new Map(seen.balances);
  assert.equal(
    [...balances.values()].reduce((sum, amount) => sum + amount, 0),
    0,
    'the books balance',
  );
  for (const [account, amount] of seen.posted) {
    assert.equal(balances.get(account) ?? 0, amount, `${account} is the sum of its postings`);
  }
  for (const account of ['available', 'reserved'] as const)
    assert.ok((balances.get(account) ?? 0) >= 0, `${account} is not below zero`);
  assert.equal(balances.get('reserved') ?? 0, seen.reserved, 'reserved is what open transfers set aside');
  assert.equal(balances.get('in.transit') ?? 0, seen.in_transit, 'in.transit is what dispatched transfers carry');
}

/** Reads in one statement, because each statement of a transaction sees what others have committed before it. */
function readSnapshot(store: Store, team: Team, currency: string): Promise<Snapshot | undefined> {
  return store.db.maybe<Snapshot>(sql`
    with lines as (
      select team_id, currency, account, posted_minor as amount_minor from balances
      union all select team_id, currency, account, amount_minor from balance_deltas
    ),
    sides as (
      select team_id, currency, credit as account, amount_minor from postings
      union all select team_id, currency, debit, -amount_minor from postings
    ),
    held as (
      select account, sum(amount_minor) as amount from lines where team_id = ${team.id} and currency = ${currency} group by account),
    posted as (
      select account, sum(amount_minor) as amount from sides where team_id = ${team.id} and currency = ${currency} group by account)
    select (select coalesce(json_agg(json_build_array(account, amount)), '[]') from held) as balances,
      (select coalesce(json_agg(json_build_array(account, amount)), '[]') from posted) as posted,
      coalesce(sum(fee_minor + case stage when 'reserved' then amount_minor else 0 end), 0)::float8 as reserved,
      coalesce(sum(amount_minor) filter (where stage = 'dispatched'), 0)::float8 as in_transit
    from transfers where team_id = ${team.id} and currency = ${currency} and stage <> 'closed'`);
}

/** So that what one test left open is not the next one's work. */
export async function forgetOpenTransfers(store: Store): Promise<void> {
  await store.db.run(sql`update transfers set next_poll_at = null where next_poll_at is not null`);
}

/** The kinds of journals of one transfer, in the order they were booked. */
export async function journalsOf(store: Store, team: Team, id: string): Promise<string[]> {
  const rows = await store.db.all<{ kind: string }>(sql`
    select kind from journals where team_id = ${team.id} and subject_id = ${id} order by id`);
  return rows.map(({ kind }) => kind);
}

/** The types of the events of one transfer, in order. */
export async function eventsOf(store: Store, team: Team, id: string): Promise<string[]> {
  const rows = await store.db.all<{ type: string }>(sql`
    select type from events where team_id = ${team.id} and resource_id = ${id} order by sequence`);
  return rows.map(({ type }) => type);
}

/** A provider that pays out and remembers, as real ones do; its answers are the test's. */
export interface Bank extends TestProvider {
  payouts: Payouts;
  /** Payouts it has taken, by key: what really left. */
  taken: Map<string, Payout>;
  /** Every call, as `submit` or `read`. */
  calls: string[];
  /** Answers instead of the usual; undefined: the usual. */
  onSubmit: (payout: Payout) => PayoutOutcome | undefined;
  onRead: (payout: Payout) => PayoutOutcome | undefined;
}

export function bank(name: string): Bank {
  const taken = new Map<string, Payout>();
  const calls: string[] = [];
  const noCollections = async (): Promise<never> => assert.fail('it collects nothing');
  const self: Bank = {
    name,
    taken,
    calls,
    collects: () => false,
    submit: noCollections,
    read: noCollections,
    onSubmit: () => undefined,
    onRead: () => undefined,
    payouts: {
      reaches: () => true,
      submit: async (payout) => {
        calls.push('submit');
        const answer = self.onSubmit(payout);
        if (answer) return answer;
        taken.set(payout.provider_key, payout);
        return { kind: 'pending', provider_ref: `${name}-1`, poll_after_ms: 1_000 };
      },
      read: async (payout) => {
        calls.push('read');
        const answer = self.onRead(payout);
        if (answer) return answer;
        const { provider_key, amount_minor, currency } = payout;
        return taken.has(provider_key)
          ? { kind: 'succeeded', provider_ref: `${name}-1`, amount_minor, currency }
          : { kind: 'not_found' };
      },
    },
  };
  return self;
}
