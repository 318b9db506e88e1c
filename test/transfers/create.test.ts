import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { CreateTransferBody, TransferRow } from '../../src/core/transfers/schema.ts';
import { findTransfer } from '../../src/core/transfers/store.ts';
import { must, Problem } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import { bank, fund, transfer } from './support.ts';

/** What POST /transfers asks of routing, and what it stores, in live: there a team has limits. */
const clock = new FakeClock();
let api: Api;
let merchant: Merchant;
let asked: object[];
before(async () => {
  api = await startApi({ workers: false, clock, providers: new Registry({ sandbox: [], live: [bank('one'), bank('two')] }) });
});
after(() => api.stop());
beforeEach(async () => {
  merchant = await api.newMerchant({ verification_level: 1 });
  asked = [];
});

const store = () => api.deps.stores.live;

function make(body: Partial<CreateTransferBody>, idempotency_key: string | null = null) {
  const { router } = api.deps;
  const choose: typeof router.choose = async (wanted) => {
    asked.push(wanted);
    return { ...(await router.choose(wanted)), explanation: { rule: 3 } as never };
  };
  const spied = { ...api, deps: { ...api.deps, router: { choose } as typeof router } };
  return transfer(spied, merchant.team, store(), body, idempotency_key);
}

async function rowOf(reply: { body?: unknown }): Promise<TransferRow> {
  const { id } = (reply.body as { transfer: { id: string } }).transfer;
  return must(await findTransfer(store().db, { team_id: merchant.team.id, id }), 'it was made');
}

const WHOLE = { amount: 1_000, reference: 'r', description: 'd', metadata: { a: [1] } };

/** The fields of a new transfer of {@link WHOLE}. */
function fresh(id: string): TransferRow {
  const now = new Date(clock.now());
  return {
    ...{ team_id: merchant.team.id, id, reference: 'r', amount_minor: 100_000n, fee_minor: 1_000n, currency: 'XAF' },
    ...{ status: 'processing', reason: null, message: null, description: 'd', beneficiary_id: null, account_id: null },
    recipient: { name: null, phone: '+237650000000', account_number: null, bank_code: null, country: 'CM', email: null },
    ...{ channel: 'cm.mtn', metadata: { a: [1] }, provider_account: null, provider_key: id, provider_ref: null },
    decision: { explanation: { rule: 3 }, candidates: ['one', 'two'], tried: [], resent: false, note: null },
    ...{ resolution: null, stage: 'reserved', counted_day: now.toISOString().slice(0, 10), event_count: 1, polls: 0 },
    ...{ next_poll_at: now, created_at: now, updated_at: now, dispatched_at: null, completed_at: null, paid_late_at: null },
  };
}

test('a transfer is routed as what it is and stored whole, due at once, counted, with its key, its entry and its event', async () => {
  await fund(api, merchant.team, 1_010, store());
  const reply = await make(WHOLE, 'key-1');
  assert.deepEqual([reply.code, reply.message], [201, 'Transfer created']);
  const row = await rowOf(reply);
  assert.match(row.id, /^po_[0-9a-z]{26}$/);
  assert.deepEqual(row, fresh(row.id));
  const { channel } = asked[0] as { channel: { id: string } };
  assert.equal(channel.id, 'cm.mtn');
  assert.deepEqual(asked, [
    {
      ...{ environment: 'live', team_id: merchant.team.id, operation: 'payout', sends: false },
      ...{ channel, currency: 'XAF', amount_minor: 100_000n },
    },
  ]);
  const { id: team_id } = merchant.team;
  const { db } = store();
  assert.deepEqual(await db.all(sql`select key_id, request_id from transfers where id = ${row.id}`), [
    { key_id: 'key_test', request_id: 'req_test' },
  ]);
  const entries = await db.all<{ action: string; resource_id: string }>(
    sql`select action, resource_id from audit_entries where team_id = ${team_id}`,
  );
  assert.deepEqual(entries, [{ action: 'transfer.create', resource_id: row.id }]);
  assert.deepEqual(await db.all(sql`select route from idempotency_keys where team_id = ${team_id}`), [
    { route: 'POST /transfers' },
  ]);
  assert.deepEqual(await db.all(sql`select type, sequence from events where team_id = ${team_id}`), [
    { type: 'transfer.created', sequence: 1 },
  ]);
  const uses = await db.all<{ used_minor: bigint }>(sql`
    select period, used_minor from ceiling_uses where team_id = ${team_id} and direction = 'transfer' and currency = 'XAF' order by period`);
  const day = new Date(clock.now()).toISOString().slice(0, 10);
  assert.deepEqual(uses, [
    { period: day.slice(0, 7), used_minor: 100_000n },
    { period: day, used_minor: 100_000n },
  ]);
});

test('a transfer that the balance does not cover is stored as failed, never due, and counts no more', async () => {
  await fund(api, merchant.team, 1_009, store());
  const reply = await make({ ...WHOLE, reference: null, description: null, metadata: null });
  assert.deepEqual([reply.code, reply.message], [201, 'Transfer failed']);
  const row = await rowOf(reply);
  assert.deepEqual(row, {
    ...fresh(row.id),
    ...{ reference: null, description: null, metadata: null },
    ...{ status: 'failed', stage: 'closed', next_poll_at: null, event_count: 2, completed_at: row.created_at },
    ...{ reason: 'insufficient_balance', message: 'The available balance does not cover the amount and the fee.' },
  });
  const { db } = store();
  assert.deepEqual(await db.all(sql`select used_minor from ceiling_uses where team_id = ${merchant.team.id}`), [
    { used_minor: 0n },
    { used_minor: 0n },
  ]);
  assert.deepEqual(await db.all(sql`select type, sequence from events where team_id = ${merchant.team.id} order by sequence`), [
    { type: 'transfer.created', sequence: 1 },
    { type: 'transfer.failed', sequence: 2 },
  ]);
});

/** The status and details of a request that is refused; it leaves nothing. */
async function refused(body: Partial<CreateTransferBody>): Promise<object> {
  const count = async () => store().db.maybe(sql`select count(*) from transfers`);
  const before = await count();
  try {
    await make(body);
  } catch (error) {
    assert.ok(error instanceof Problem);
    assert.deepEqual(await count(), before);
    return JSON.parse(JSON.stringify({ status: error.status, message: error.message, ...error.details }));
  }
  return assert.fail('it was accepted');
}

const words = async (body: Partial<CreateTransferBody>) => ((await refused(body)) as { errors: object }).errors;

test('a transfer is refused with the words for every field that does not fit', async () => {
  const precise = 'must have at most two decimals and be at most 9007199254740';
  assert.deepEqual(await words({ amount: 1_000.001 }), { amount: [precise] });
  assert.deepEqual(await words({ amount: 1_000.5 }), { amount: ['must be a whole number of XAF'] });
  const metadata = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, n]));
  const { metadata: why, ...rest } = (await words({ amount: 1_000.001, metadata })) as Record<string, string[]>;
  assert.ok(why?.[0]);
  assert.deepEqual(rest, { amount: [precise] });
  assert.deepEqual(Object.keys(await words({ amount: 1_000, metadata })), ['metadata']);
  assert.deepEqual(asked, []);
});

test('a transfer is refused above a limit of the team, of the channel, and without a provider', async () => {
  await fund(api, merchant.team, 3_000_000, store());
  const limit = (amount: number, what: string) => ({
    amount: [`is above the team's limit of ${amount} XAF for ${what}`],
  });
  assert.deepEqual(await words({ amount: 500_001 }), limit(500_000, 'one transfer'));
  assert.deepEqual(await words({ amount: 99 }), { amount: ['must be at least 100 XAF on cm.mtn'] });
  for (let n = 0; n < 2; n++) assert.equal((await make({ amount: 500_000 })).message, 'Transfer created');
  assert.deepEqual(await words({ amount: 100 }), limit(1_000_000, 'all transfers of a UTC day'));
  merchant = await api.newMerchant();
  assert.deepEqual(await refused({ amount: 1_000 }), {
    ...{ status: 422, error_code: 'merchant_not_verified' },
    message: 'amount: the team is not verified: live payouts are not open to it yet',
    errors: { amount: ['the team is not verified: live payouts are not open to it yet'] },
  });
  merchant = await api.newMerchant({ verification_level: 4 });
  const { router } = api.deps;
  const nobody = { choose: async () => ({ candidates: [], explanation: {}, limits: [] }) } as unknown as typeof router;
  const lonely = { ...api, deps: { ...api.deps, router: nobody } };
  await assert.rejects(transfer(lonely, merchant.team, store(), { amount: 1_000 }), (error) => {
    assert.ok(error instanceof Problem);
    assert.deepEqual([error.status, error.message], [502, 'No payment provider can pay out on this channel at the moment.']);
    return true;
  });
});
