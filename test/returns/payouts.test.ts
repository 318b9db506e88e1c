import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { must } from '../../src/kit/errors.ts';
import type { AttemptRow } from '../../src/core/attempts/schema.ts';
import type { ReturnRow } from '../../src/core/obligations/schema.ts';
import { openReturns } from '../../src/core/obligations/store.ts';
import { findRefund } from '../../src/core/refunds/store.ts';
import { recordLateRefund } from '../../src/core/returns/late.ts';
import { payoutOptionsOf } from '../../src/core/returns/payout-options.ts';
import { resolveReturn, retryReturn } from '../../src/core/returns/resolve.ts';
import { pollReturn, UNUSABLE } from '../../src/core/returns/service.ts';
import { returnSweep } from '../../src/core/returns/sweeps.ts';
import { sql } from '../../src/kit/sql.ts';
import { Late } from './fixture.ts';
import type { Scripted } from './provider.ts';

/** How a return is paid out: which accounts are tried, with which keys, and what happens when none can do it. */
const late = new Late();
before(() => late.start());
after(() => late.api.stop());

const UNREACHABLE = { kind: 'unavailable', message: 'connection refused' } as const;
const UNFUNDED = { kind: 'unfunded', message: 'the float is empty' } as const;
const NO_ANSWER = { kind: 'unknown', message: 'no answer' } as const;
const SAID = { evidence: 'call of the payer, statement line 7', author: 'awa' };

const ref = async () => ({ team_id: late.merchant.team.id, id: (await late.row()).id });
/** What the accounts got of the present payment: the returns of earlier tests go on as well. */
const paidOutBy = ({ paidOut }: Scripted) => paidOut.filter(({ description }) => description === late.payment);
const sent = () => [...paidOutBy(late.able), ...paidOutBy(late.second)];
const counts = () => [paidOutBy(late.able).length, paidOutBy(late.second).length];

/** Whether each account pays out on the channel. */
function reach(reaches: boolean): void {
  for (const { payouts } of [late.able, late.second]) Object.assign(must(payouts, 'both pay out'), { reaches: () => reaches });
}

test('a payout that an account took and failed for want of money is sent to another account under another key', async () => {
  await late.captured();
  Object.assign(late.able, { onPayout: NO_ANSWER, onPayoutRead: UNFUNDED });
  await late.work(8, 60_000);
  const [first, second] = sent();
  assert.deepEqual(counts(), [1, 1]);
  assert.equal(second?.provider_key, `${first?.provider_key}-1`);
  assert.equal(second?.provider_ref, null, 'the reference belongs to the first submission');
  assert.deepEqual([(await late.row()).state, await late.hold()], ['returned', 0n]);
});

test('after every account has rejected a payout, all are tried again later, with the same key', async () => {
  await late.captured();
  Object.assign(late.able, { onPayout: UNREACHABLE });
  Object.assign(late.second, { onPayout: UNREACHABLE });
  await late.work(6);
  assert.deepEqual(counts(), [1, 1]);
  const { tried, next_step_at, dispatched_at, account_id } = await late.row();
  assert.deepEqual([tried, dispatched_at, account_id], [[], null, null]);
  assert.ok(must(next_step_at, 'it is tried again').getTime() > late.clock.now(), 'not at once');
  late.second.onPayout = null;
  await late.work(6, 600_000);
  assert.equal(new Set(sent().map(({ provider_key }) => provider_key)).size, 1);
  assert.deepEqual([(await late.row()).state, await late.hold()], ['returned', 0n]);
});

test('a payout that no account can carry any more ends, and the return waits for a person with the reason', async () => {
  await late.captured();
  Object.assign(late.able, { onPayout: UNREACHABLE });
  Object.assign(late.second, { onPayout: UNREACHABLE });
  await late.work(6);
  reach(false);
  await late.work(6, 600_000);
  reach(true);
  const { state, note } = await late.row();
  assert.deepEqual([state, note, await late.hold()], ['waiting', 'no account pays out on cm.mtn in XAF', 1_000_000n]);
  assert.deepEqual(await late.refunds(), ['failed', 'failed', 'pending']);
});

test('who can pay out: accounts that respond now, later those that do not, never without a number or a wallet', async () => {
  await late.captured();
  const row = await late.row();
  const attempt = { channel: 'cm.mtn', payer: '+237650000000', currency: 'XAF' } as AttemptRow;
  const options = (chosen: object, anyUnusable = false, of: Partial<AttemptRow> = {}) => {
    const router = { choose: async () => ({ candidates: [], waits: false, ...chosen }) };
    const byAccount = async (_environment: string, _team: bigint, account: string) =>
      account === 'gone' ? undefined : { provesPayer: (channel: string) => account !== 'page' || channel !== 'cm.mtn' };
    const deps = { ...late.api.deps, router, providers: { anyUnusable: async () => anyUnusable, byAccount } };
    return payoutOptionsOf(deps as never, late.store, row, { ...attempt, ...of }, { sends: true });
  };
  const never = (note: string) => ({ kind: 'never', note });
  const later = (note: string) => ({ kind: 'later', note });
  assert.deepEqual(await options({ candidates: ['one'] }), { kind: 'now', candidates: ['one'] });
  assert.deepEqual(
    await options({ waits: true }),
    later('the accounts that could pay it out do not respond, or their operator is closed'),
  );
  assert.deepEqual(await options({}, true), later(UNUSABLE));
  assert.deepEqual(await options({}), never('no account pays out on cm.mtn in XAF'));
  assert.deepEqual(
    await options({ candidates: ['one'] }, false, { payer: null }),
    never('where the money came from is not known to the service'),
  );
  const card = await options({ candidates: ['one'] }, false, { channel: 'cm.card' });
  assert.deepEqual(card, never('payers of cm.card cannot be paid out to'));
  const page = await options({ candidates: ['one'] }, false, { provider_account: 'page' });
  assert.deepEqual(page, never('which wallet paid is known to the provider only'));
  const other = await options({ candidates: ['one'] }, false, { provider_account: 'page', channel: 'cm.orange' });
  assert.deepEqual(other, { kind: 'now', candidates: ['one'] });
  assert.deepEqual(await options({ candidates: ['one'] }, false, { provider_account: 'gone' }), later(UNUSABLE));
});

test('only the choice with which a payout is sent may use up the probe of an account', async (t) => {
  await late.captured();
  const choose = t.mock.method(late.api.deps.router, 'choose');
  await late.work(4);
  assert.equal(sent().length, 1);
  assert.deepEqual(
    choose.mock.calls.flatMap(({ arguments: [{ team_id, sends }] }) => (team_id === late.merchant.team.id ? [sends] : [])),
    [false, true],
  );
});

test('money from a wallet that its payer chose elsewhere is paid out to no number: a person returns it', async (t) => {
  await late.captured();
  const { providers } = late.api.deps;
  const byAccount = providers.byAccount.bind(providers);
  t.mock.method(providers, 'byAccount', async (...asked: Parameters<typeof byAccount>) => {
    const provider = await byAccount(...asked);
    return provider && { ...provider, provesPayer: () => false };
  });
  await late.work(6);
  const { state, note } = await late.row();
  assert.deepEqual([state, note, await late.hold()], ['waiting', 'which wallet paid is known to the provider only', 1_000_000n]);
  assert.deepEqual(counts(), [0, 0]);
});

test('an unconfirmed refund is in doubt for a whole day, and needs a person after it', async () => {
  await late.captured();
  late.able.onRefundRead = NO_ANSWER;
  await late.work(2);
  const { refund_id, team_id } = await late.row();
  const { completed_at } = must(await findRefund(late.store.db, team_id, refund_id as string), 'it failed');
  late.clock.advance(must(completed_at, 'it failed').getTime() + 86_400_000 - late.clock.now());
  for (const [passed_ms, state] of [
    [0, 'owed'],
    [1, 'waiting'],
  ] as const) {
    late.clock.advance(passed_ms);
    const at = new Date(late.clock.now());
    await late.store.db.transaction((tx) =>
      tx.run(sql`update returns set next_step_at = ${at} where payment_id = ${late.payment}`),
    );
    await returnSweep(late.api.deps, late.store).round();
    assert.equal((await late.row()).state, state);
  }
});

test('the money of a return is listed in suspense until it is on its way', async () => {
  await late.captured();
  const accounts = async () => (await openReturns(late.store.db, late.merchant.team.id)).map(({ account }) => account);
  assert.deepEqual([(await late.row()).state, await accounts()], ['owed', ['hold']]);
  late.able.onRefund = NO_ANSWER;
  await late.work(1);
  assert.deepEqual([(await late.row()).state, await accounts()], ['refunding', ['refund_clearing']]);
});

test('a return is resolved manually only where a person can know: never while a refund or payout is under way', async () => {
  await late.captured();
  late.able.onRefund = NO_ANSWER;
  late.able.onRefundRead = NO_ANSWER;
  await late.work(2);
  const { refund_id } = await late.row();
  const resolve = async () => resolveReturn(late.api.deps, late.store, await ref(), { as: 'returned', ...SAID }, WORKER);
  await assert.rejects(resolve, new RegExp(`is refunding: "pirogue resolve ${refund_id}" decides`));
  await assert.rejects(
    async () => retryReturn(late.api.deps, late.store, await ref(), WORKER),
    /only one that waits for a person/,
  );
  const unknown = { team_id: late.merchant.team.id, id: 'rtn_nothing' };
  await assert.rejects(retryReturn(late.api.deps, late.store, unknown, WORKER), /Return Not Found/);
});

test('only a failed refund of a return can have been done late', async () => {
  await late.captured();
  late.able.onRefund = NO_ANSWER;
  late.able.onRefundRead = NO_ANSWER;
  await late.work(2);
  const record = (id: string) =>
    recordLateRefund(late.api.deps, late.store, { team_id: late.merchant.team.id, id }, SAID, WORKER);
  await assert.rejects(record((await late.row()).refund_id as string), /only a failed one can be done late/);
  await assert.rejects(record('rfd_nothing'), /Refund Not Found/);
});

test('"unavailable" as the response to a poll proves nothing: the payout is sent to no other account', async () => {
  await late.captured();
  Object.assign(late.able, { onPayout: NO_ANSWER, onPayoutRead: UNREACHABLE });
  await late.work(8, 600_000);
  const { state, dispatched_at } = await late.row();
  assert.deepEqual([counts(), state], [[1, 0], 'paying_out']);
  assert.equal(sent()[0]?.submitted_at, dispatched_at?.getTime());
});

test('a payout that its provider may have is not ended because the refund was done after all; if it arrives too, money is missing', async () => {
  await late.captured();
  Object.assign(late.able, { onPayout: NO_ANSWER });
  await late.work(6);
  const { refund_id, payout_id, team_id } = await late.row();
  await recordLateRefund(late.api.deps, late.store, { team_id, id: refund_id as string }, SAID, WORKER);
  await late.work(4, 600_000);
  assert.deepEqual([(await late.row()).state, await late.refunds()], ['paying_out', ['failed', 'processing']]);
  late.able.onPayoutRead = { kind: 'succeeded', provider_ref: 'p-3', amount_minor: 1_000_000n, currency: 'XAF' };
  await late.work(3, 600_000);
  assert.deepEqual([(await late.row()).state, await late.hold()], ['overpaid', -1_000_000n]);
  assert.ok((await late.events(payout_id as string)).includes('refund.succeeded'));
});

test('a payout that a provider reports late with another amount or currency than was sent proves nothing', async () => {
  await late.captured();
  late.able.onPayout = { kind: 'failed', reason: null, message: 'the wallet is full' };
  await late.work(8);
  for (const other of [
    { amount_minor: 1n, currency: 'XAF' },
    { amount_minor: 1_000_000n, currency: 'XOF' },
  ]) {
    late.able.onPayoutRead = { kind: 'succeeded', provider_ref: 'p', ...other };
    await recheckNow();
    await late.work(3);
    assert.deepEqual([(await late.row()).state, await late.hold()], ['waiting', 1_000_000n]);
  }
  late.able.onPayoutRead = { kind: 'succeeded', provider_ref: 'p', amount_minor: 1_000_000n, currency: 'XAF' };
  await late.work(8, 600_000);
  assert.deepEqual([(await late.row()).state, await late.hold()], ['returned', 0n]);
});

/** A callback about the failed payout arrives. */
async function recheckNow(): Promise<void> {
  const row: ReturnRow = await late.row();
  await pollReturn(late.store, late.clock.now(), { team_id: row.team_id, id: row.id }, 'able');
}
