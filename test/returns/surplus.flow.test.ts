import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { checkTeam } from '../../src/core/books-check/check.ts';
import type { BooksDifference } from '../../src/core/books-check/differences.ts';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { expirySweep } from '../../src/core/charge/sweeps.ts';
import { refundSweep } from '../../src/core/refunds/sweeps.ts';
import { recordLateRefund } from '../../src/core/returns/late.ts';
import { returnSweep } from '../../src/core/returns/sweeps.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { startPayment } from '../setup/pay.ts';

/** A piece of a payment that had been given up and landed after all, when the payment can no longer take it. */
let api: Api;
let merchant: Merchant;
const clock = new FakeClock();

before(async () => {
  api = await startApi({ clock, workers: false });
});
after(() => api.stop());

const store = () => api.deps.stores.sandbox;
const call = (method: 'GET' | 'POST', path: string, body?: object) =>
  api.call(method, path, { key: merchant.sandbox.secret, ...(body ? { body } : {}) });
const shown = async (id: string) => (await call('GET', `/payments/${id}`)).body.transaction;

/** The payer tries the next piece, and a person says what became of it. @returns the attempt */
async function piece(id: string, as: 'succeeded' | 'failed'): Promise<string> {
  const open = async (): Promise<string | undefined> =>
    (await shown(id)).attempts.find(({ status }: { status: string }) => status === 'open')?.id;
  clock.advance(1); // ids of one moment have no order
  if (!(await open())) await call('POST', `/payments/${id}`, { channel: 'cm.mtn', data: { phone: '650000000' } });
  const attempt = must(await open(), 'an attempt is under way');
  await decide(attempt, as);
  return attempt;
}

async function decide(id: string, as: 'succeeded' | 'failed'): Promise<void> {
  const verdict = { as, evidence: 'statement of the day', author: 'ops' };
  await resolveAttempt(api.deps, store(), { team_id: merchant.team.id, id }, verdict, WORKER);
}

async function giveBack(): Promise<void> {
  await returnSweep(api.deps, store()).round();
  await refundSweep(api.deps, store()).round();
}

async function ordered(amount: number): Promise<string> {
  merchant = await api.newMerchant();
  return (await startPayment(api, { key: merchant.sandbox.secret, amount })).id;
}

test('the return of a surplus does not count as a refund: the full payment can be refunded, through the attempts that paid it', async () => {
  const id = await ordered(900_000);
  const first = await piece(id, 'succeeded');
  const declined = await piece(id, 'failed');
  const last = await piece(id, 'succeeded');
  await decide(declined, 'succeeded');
  const { body } = await call('POST', '/refunds', { payment: id, reason: 'duplicate' });
  assert.deepEqual([body.refund.amount, body.code], [900_000, 201]);
  const [refund] = await store().db.all<{ legs: { attempt_id: string }[] }>(
    sql`select legs from refunds where id = ${body.refund.id}`,
  );
  assert.deepEqual(refund?.legs.map(({ attempt_id }) => attempt_id).sort(), [first, last].sort());
  await giveBack();
  const trail = await store().db.all<{ actor: string }>(sql`
    select actor from audit_entries where team_id = ${merchant.team.id} and action = 'refund.create' order by id`);
  assert.deepEqual(
    trail.map(({ actor }) => actor),
    ['key', 'worker'],
  );
  const { status, amount_captured, amount_refunded } = await shown(id);
  assert.deepEqual([status, amount_captured, amount_refunded], ['refunded', 900_000, 900_000]);
  assert.equal((await readBalances(store().db, merchant.team.id, 'XAF')).get('hold') ?? 0n, 0n);
});

test('a late tranche above the remainder is returned in full, and the remainder is still collected', async () => {
  const id = await ordered(1_000_001);
  await piece(id, 'succeeded');
  const declined = await piece(id, 'failed');
  await piece(id, 'succeeded');
  await decide(declined, 'succeeded');
  await giveBack();
  const partial = await shown(id);
  assert.deepEqual([partial.status, partial.amount_captured, partial.amount_refunded], ['partial', 666_668, 0]);
  await piece(id, 'succeeded');
  const paid = await shown(id);
  assert.deepEqual([paid.status, paid.amount_captured, paid.amount_refunded], ['succeeded', 1_000_001, 0]);
  const books = await readBalances(store().db, merchant.team.id, 'XAF');
  assert.deepEqual([books.get('hold') ?? 0n, books.get('available')], [0n, 98_000_100n]);
});

test('a payment that expires after such a tranche was returned returns the others, and that one only once', async () => {
  const id = await ordered(1_000_001);
  await piece(id, 'succeeded');
  const declined = await piece(id, 'failed');
  await piece(id, 'succeeded');
  await decide(declined, 'succeeded');
  await giveBack();
  await store().db.run(sql`update payments set expires_at = ${new Date(clock.now())} where id = ${id}`);
  await expirySweep(api.deps, store()).round();
  await giveBack();
  const { status, amount_captured, amount_refunded } = await shown(id);
  assert.deepEqual([status, amount_captured, amount_refunded], ['expired', 666_668, 666_668]);
  const { items } = (await call('GET', `/payments/${id}/refunds`)).body;
  assert.deepEqual(
    items.map((refund: { amount: number; status: string }) => [refund.amount, refund.status]),
    Array(3).fill([333_334, 'succeeded']),
  );
  assert.ok([...(await readBalances(store().db, merchant.team.id, 'XAF')).values()].every((amount) => amount === 0n));
});

/** A partial payment of two tranches, beside which a third landed that it could not take. @returns payment and attempts */
async function withSurplus(): Promise<{ id: string; counted: string[]; surplus: string }> {
  const id = await ordered(1_000_001);
  const first = await piece(id, 'succeeded');
  const surplus = await piece(id, 'failed');
  const counted = [first, await piece(id, 'succeeded')];
  await decide(surplus, 'succeeded');
  return { id, counted, surplus };
}

async function expire(id: string): Promise<void> {
  await store().db.run(sql`update payments set expires_at = ${new Date(clock.now())} where id = ${id}`);
  await expirySweep(api.deps, store()).round();
}

const refunded = async (id: string) => (await shown(id)).amount_refunded;

async function differences(): Promise<string[]> {
  const found: BooksDifference[] = [];
  await checkTeam(store().db, merchant.team.id, (difference) => found.push(difference));
  return found.map(({ check, expected, found }) => `${check}: ${expected}, not ${found}`);
}

test('a surplus tranche that goes back after its payment has expired is no part of amount_refunded', async () => {
  const { id } = await withSurplus();
  await returnSweep(api.deps, store()).round();
  await expire(id);
  await refundSweep(api.deps, store()).round();
  assert.deepEqual([await refunded(id), await differences()], [0, []]);
  await giveBack();
  assert.deepEqual([await refunded(id), await differences()], [666_668, []]);
});

test('a tranche captured after the end counts in amount_captured, and in amount_refunded once it is returned', async () => {
  const id = await ordered(1_000_001);
  await piece(id, 'succeeded');
  const declined = await piece(id, 'failed');
  await expire(id);
  await giveBack();
  assert.equal(await refunded(id), 333_334);
  await decide(declined, 'succeeded');
  assert.deepEqual([(await shown(id)).amount_captured, await refunded(id)], [666_668, 333_334]);
  await giveBack();
  assert.deepEqual([await refunded(id), await differences()], [666_668, []]);
});

test('a tranche that the payer has back twice counts once in amount_refunded', async () => {
  const { id, counted } = await withSurplus();
  await expire(id);
  await returnSweep(api.deps, store()).round();
  const [first, second] = counted;
  await store().db.run(sql`update refunds set next_poll_at = null where payment_id = ${id} and attempt_id <> ${first}`);
  await refundSweep(api.deps, store()).round();
  assert.equal(await refunded(id), 333_334);
  // An earlier refund of the same tranche, which its provider had called failed.
  await store().db.run(sql`
    insert into refunds (team_id, id, payment_id, kind, attempt_id, return_id, amount_minor, currency, legs, draws, status, reason, event_count,
      created_at, updated_at, completed_at)
    select team_id, 'rfd_sandbox_early', payment_id, kind, attempt_id, return_id, amount_minor, currency,
      replace(legs::text, 'succeeded', 'failed')::json, '[]', 'failed', reason, event_count, created_at, updated_at, completed_at
    from refunds where attempt_id = ${first}`);
  const said = { evidence: 'statement line 7', author: 'awa' };
  await recordLateRefund(api.deps, store(), { team_id: merchant.team.id, id: 'rfd_sandbox_early' }, said, WORKER);
  assert.equal(await refunded(id), 333_334);
  await store().db.run(
    sql`update refunds set next_poll_at = ${new Date(clock.now())} where payment_id = ${id} and attempt_id = ${second}`,
  );
  await giveBack();
  assert.equal(await refunded(id), 666_668);
});

test('a surplus that the payer has back twice beside a paid payment is a return to resolve, and no difference of the books', async () => {
  const { id } = await withSurplus();
  await giveBack();
  await piece(id, 'succeeded');
  assert.equal((await shown(id)).status, 'succeeded');
  await store().db.run(sql`
    insert into refunds (team_id, id, payment_id, kind, attempt_id, return_id, amount_minor, currency, legs, draws, status, reason, event_count,
      created_at, updated_at, completed_at)
    select team_id, 'rfd_sandbox_beside', payment_id, kind, attempt_id, return_id, amount_minor, currency,
      replace(legs::text, 'succeeded', 'failed')::json, '[]', 'failed', reason, event_count, created_at, updated_at, completed_at
    from refunds where payment_id = ${id}`);
  const said = { evidence: 'statement line 7', author: 'awa' };
  const row = await recordLateRefund(api.deps, store(), { team_id: merchant.team.id, id: 'rfd_sandbox_beside' }, said, WORKER);
  assert.deepEqual([row.state, await differences()], ['overpaid', []]);
});

test('ledger verify names an expired payment whose amount_refunded is not what was counted and went back', async () => {
  const { id } = await withSurplus();
  await expire(id);
  await giveBack();
  assert.deepEqual(await differences(), []);
  await store().db.run(sql`update payments set refunded_minor = 33333400 where id = ${id}`);
  assert.deepEqual(await differences(), ['amount_refunded: 666668.00, not 333334.00']);
});
