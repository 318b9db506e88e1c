import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttemptRow, AttemptStatus } from '../../src/core/attempts/schema.ts';
import type { AttemptUpdate } from '../../src/core/attempts/store.ts';
import { apply } from '../../src/core/payments/apply.ts';
import type { Change, Occurrence } from '../../src/core/payments/change.ts';
import { totalOf } from '../../src/core/payments/present.ts';
import type { PaymentRow } from '../../src/core/payments/schema.ts';
import { PAYMENT_STATUSES } from '../../src/core/payments/states.ts';
import { compareGolden } from '../setup/golden.ts';
import { applied, AT, at, ATTEMPTS, attemptOf, paymentOf } from './apply-lines.ts';

/** Everything that a change writes, one line for each case: test/golden/payment-changes.txt. */
const PROOF = { attempt_id: 'att_2', amount_minor: 60_000n };
const NO = { channel: 'cm.orange', reason: 'wrong_pin', message: 'no' } as const;

const OCCURRENCES: Occurrence[] = [
  { kind: 'submitted', channel: 'cm.orange', fee_minor: 1_500n },
  { kind: 'captured', ...PROOF, available_at: at(9) },
  { kind: 'captured', ...PROOF, available_at: null },
  { kind: 'captured', ...PROOF, amount_minor: 59_999n, available_at: at(9) },
  { kind: 'captured', ...PROOF, amount_minor: 60_001n, available_at: at(9) },
  { kind: 'mismatched', ...PROOF, amount_minor: 7n, currency: 'XOF' },
  { kind: 'declined', ...NO },
  { kind: 'payer_cancelled', ...NO },
  { kind: 'merchant_cancelled' },
  { kind: 'window_elapsed' },
  { kind: 'tranche_unsent' },
  { kind: 'refunded', amount_minor: 99_997n },
  { kind: 'refunded', amount_minor: 99_998n },
  { kind: 'reversed', refunded_minor: 55n },
  { kind: 'return_required' },
];

const changeOf = (occurrences: Occurrence[], attempt?: Change['attempt']): Change => ({
  ...{ team_id: 1n, payment_id: 'trx_1', occurrences },
  ...(attempt ? { attempt } : {}),
});

test('what each occurrence writes in each status', async () => {
  const lines: string[] = [];
  for (const status of PAYMENT_STATUSES) {
    for (const occurrence of OCCURRENCES) {
      // The second attempt has just ended, as it has when an occurrence follows from it.
      const failed = attemptOf('att_0', { status: 'failed', mismatches: 3 });
      const ended = [failed, ...ATTEMPTS.map((one) => (one.id === 'att_2' ? { ...one, status: 'succeeded' as const } : one))];
      const told = await applied([paymentOf({ status })], ended, [changeOf([occurrence])]);
      lines.push(`${status}, ${occurrence.kind}${'amount_minor' in occurrence ? ` ${occurrence.amount_minor}` : ''}: ${told}`);
    }
  }
  compareGolden('payment-changes.txt', lines);
});

const STATUSES: AttemptStatus[] = ['created', 'open', 'unknown', 'succeeded', 'failed', 'cancelled', 'expired', 'unavailable'];

test('which updates of an attempt apply, and what they write besides', async () => {
  const lines: string[] = [];
  const resolution = { as: 'failed', evidence: 'e', author: 'a', at: 'b' } as const;
  const mismatch = { amount_minor: '7', currency: 'XOF', provider_ref: 'r', at: 'c' };
  const updates: AttemptUpdate[] = [
    ...STATUSES.map((status) => ({ status, next_poll_at: null })),
    { status: 'failed', next_poll_at: null, resolution },
    { status: 'open', next_poll_at: at(3), resolution },
  ];
  for (const status of STATUSES) {
    for (const update of updates) {
      for (const [late, set_aside] of [
        [false, null],
        [true, null],
        [false, mismatch],
        [true, mismatch],
      ] as const) {
        const row = attemptOf('att_2', { status, mismatch: set_aside, mismatches: set_aside ? 1 : 0 });
        const change = changeOf([{ kind: 'tranche_unsent' }], { id: 'att_2', update, ...(late ? { late } : {}) });
        const told = await applied(
          [paymentOf({ status: 'partial' })],
          [attemptOf('att_1', { status: 'succeeded' }), row],
          [change],
        );
        const to = `${update.status}${update.resolution ? ' by hand' : ''}`;
        lines.push(`${status} to ${to}${late ? ', late' : ''}${set_aside ? ', set aside' : ''}: ${told}`);
      }
    }
  }
  compareGolden('attempt-updates.txt', lines);
});

test('an update of an attempt of which nothing is counted changes no limit', async () => {
  const change = changeOf([], { id: 'att_2', update: { status: 'failed', next_poll_at: null } });
  for (const [day, told] of [
    ['2030-01-01', /limits/],
    [null, /^(?!.*limits)/],
  ] as const) {
    const rows = [attemptOf('att_2', { status: 'open', counted_day: day })];
    assert.match(await applied([paymentOf({})], rows, [change]), told);
  }
});

test('who bears the fee and shares the payment decides what each party gets', async () => {
  const lines: string[] = [];
  for (const bearer of ['merchant', 'customer'] as const) {
    for (const shared of [{}, { account_id: 'acct_1', split: { type: 'percentage', value: 25 } }] as Partial<PaymentRow>[]) {
      for (const available_at of [at(9), null]) {
        const payment = paymentOf({ status: 'partial', bearer, ...shared });
        const missing = totalOf(payment) - payment.captured_minor;
        for (const amount_minor of [missing - 1n, missing, missing + 1n]) {
          const change = changeOf([{ kind: 'captured', ...PROOF, amount_minor, available_at }]);
          const named = `${bearer}${shared.account_id ? ', shared' : ''}${available_at ? ', retained' : ''}, ${amount_minor - missing}`;
          lines.push(`${named}: ${await applied([payment], ATTEMPTS, [change])}`);
        }
      }
    }
  }
  compareGolden('payment-shares.txt', lines);
});

test('the second other amount of an attempt has a journal of its own', async () => {
  for (const [mismatches, kind] of [
    [1, 'evidence.mismatched'],
    [2, 'evidence.mismatched:2'],
  ] as const) {
    const change = changeOf([{ kind: 'mismatched', ...PROOF, amount_minor: 7n, currency: 'XOF' }]);
    const told = await applied([paymentOf({})], [attemptOf('att_2', { mismatches })], [change]);
    assert.ok(told.includes(`"${kind}"`), told);
  }
});

test('an amount that a statement showed is not set aside again; any other is', async () => {
  const found = { attempt_id: 'att_2', amount_minor: 7n, currency: 'XOF' };
  const mismatch = { amount_minor: '7', currency: 'XOF', provider_ref: 'r', at: 'c' };
  const update: AttemptUpdate = { status: 'unknown', next_poll_at: null, message: 'm', mismatch, mismatches: 1 };
  const stated = { source_id: 'att_2', amount_minor: 7n, currency: 'XOF' };
  for (const [shown, known] of [
    [[stated], true],
    [[{ ...stated, source_id: 'att_1' }, stated], true],
    [[], false],
    [[{ ...stated, source_id: 'att_1' }], false],
    [[{ ...stated, amount_minor: 8n }], false],
    [[{ ...stated, currency: 'XAF' }], false],
  ] as const) {
    for (const attempt of [{ id: 'att_2', update }, undefined]) {
      const change = changeOf([{ kind: 'tranche_unsent' }, { kind: 'mismatched', ...found }], attempt);
      const rows = [attemptOf('att_2', { mismatches: 0 })];
      const told = await applied([paymentOf({ status: 'partial' })], rows, [change], shown);
      assert.equal(told.includes('evidence.mismatched'), !known);
      assert.equal(told.includes('"mismatches":1'), !known && attempt !== undefined, told);
      assert.equal(told.includes('"message":"m"'), attempt !== undefined, told);
      assert.match(told, /"continue_at":"\+0"/, 'what else was reported still counts');
    }
  }
  const plain = await applied([paymentOf({})], ATTEMPTS, [changeOf([{ kind: 'window_elapsed' }])], [stated]);
  assert.ok(!plain.includes('asks for statements'), 'only other amounts are looked up');
});

test('a window that is over ends no payment of which an attempt is open', async () => {
  for (const status of STATUSES) {
    const own = [attemptOf('att_1', { status: 'failed' }), attemptOf('att_2', { status })];
    const told = await applied([paymentOf({})], own, [changeOf([{ kind: 'window_elapsed' }])]);
    assert.equal(told.includes('expired'), !['created', 'open', 'unknown'].includes(status), status);
  }
});

test('an other amount of an open attempt is not late: it changes only the time of the payment', async () => {
  const change = changeOf([{ kind: 'mismatched', ...PROOF, currency: 'XOF' }]);
  const told = await applied([paymentOf({})], ATTEMPTS, [change]);
  assert.ok(told.includes('payments [{"id":"trx_1","updated_at":"+0"}]'), told);
  assert.doesNotMatch(told, /late_success/);
});

test('listeners hear that attempts began or ceased to be under way, also of a payment that stays as it is', async () => {
  const move = async (from: AttemptStatus, to: AttemptStatus, others: AttemptRow[] = []) => {
    const change = changeOf([], { id: 'att_2', update: { status: to, next_poll_at: null } });
    const told = await applied([paymentOf({})], [...others, attemptOf('att_2', { status: from })], [change]);
    assert.match(told, /trx_1 processing same/);
    return told.includes('moves');
  };
  const done = attemptOf('att_1', { status: 'succeeded' });
  const open = attemptOf('att_1', { status: 'open' });
  assert.equal(await move('open', 'failed'), true);
  assert.equal(await move('open', 'failed', [done]), true, 'another had ended before');
  assert.equal(await move('open', 'failed', [open]), false, 'another is still under way');
  assert.equal(await move('open', 'unknown', [done]), false);
  assert.equal(await move('failed', 'succeeded', [done]), false);
});

test('a captured attempt without a saved method leaves the payment without one', async () => {
  const change = changeOf([{ kind: 'captured', ...PROOF, available_at: null }]);
  assert.match(await applied([paymentOf({})], [attemptOf('att_2', { method_id: null })], [change]), /"payment_method":null/);
});

test('each change is applied to its own payment; a payment that does not exist is left out', async () => {
  const payments = ['trx_1', 'trx_2', 'trx_3'].map((id) => paymentOf({ id, status: 'pending' }));
  const changes = ['trx_3', 'trx_1', 'trx_none'].map((payment_id) => ({
    ...changeOf([payment_id === 'trx_1' ? { kind: 'merchant_cancelled' } : { kind: 'tranche_unsent' }]),
    payment_id,
  }));
  const told = await applied(payments, [], changes);
  compareGolden('payment-changes-of-many.txt', told.split('; '));
});

test('a report is judged by the rows under the lock', async () => {
  const seen: unknown[] = [];
  const own = [attemptOf('att_1', {}), attemptOf('att_2', {}), attemptOf('att_9', { payment_id: 'trx_2' })];
  const judge = (payment: PaymentRow, attempt: AttemptRow, attempts: readonly AttemptRow[], now: number) => {
    seen.push([payment.id, attempt.id, attempts.map(({ id }) => id), now]);
    return changeOf([{ kind: 'merchant_cancelled' as const }]);
  };
  const report = { team_id: 1n, payment_id: 'trx_1', attempt_id: 'att_2', judge };
  assert.match(await applied([paymentOf({ status: 'pending' })], own, [report]), /cancelled/);
  assert.deepEqual(seen, [['trx_1', 'att_2', ['att_1', 'att_2'], AT]]);
  await assert.rejects(() => applied([paymentOf({})], [], [report]), /a report is about an attempt/);
});

test('nothing to change writes nothing', async () => {
  const tx = { all: async () => [], run: () => assert.fail('nothing is written') };
  assert.deepEqual(await apply(tx as never, { environment: 'live', at: AT, listeners: [] }, []), new Map());
});
