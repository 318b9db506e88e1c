import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Capabilities, PayoutOutcome } from '../../src/providers/adapters/contract.ts';
import { occurrenceOf } from '../../src/core/transfers/outcomes.ts';
import type { Decision, TransferRow } from '../../src/core/transfers/schema.ts';
import type { ProviderCall } from '../../src/core/transfers/outcomes.ts';

const PLAN = { first_ms: 7_000, factor: 3, max_ms: 60_000 };

const UNDECIDED: PayoutOutcome[] = [
  { kind: 'unknown', message: 'no answer' },
  { kind: 'not_found' },
  { kind: 'unavailable', message: 'closed' },
];
for (const outcome of UNDECIDED) {
  test(`a payout whose poll returns ${outcome.kind} is polled again on the schedule of the provider`, () => {
    const waits = [0, 1, 2, 50].map((polls) => {
      const occurrence = occurrenceOf({ polls, decision: null } as TransferRow, outcome, 'read', [], PLAN, 'replays');
      return occurrence.kind === 'waiting' ? occurrence.wait_ms : assert.fail(occurrence.kind);
    });
    assert.deepEqual(waits, [7_000, 21_000, 60_000, 60_000]);
  });
}

const DECISION: Decision = { explanation: { rule: 1 }, candidates: ['old'], tried: ['a'], resent: false, note: 'before' };
const ROW = { amount_minor: 1_000n, currency: 'XAF', polls: 1, provider_account: 'b', decision: DECISION } as TransferRow;
const asked = (
  outcome: PayoutOutcome,
  call: ProviderCall,
  row: Partial<TransferRow> = {},
  candidates = ['a', 'b', 'c'],
  idempotency: Capabilities['idempotency'] = 'replays',
) => occurrenceOf({ ...ROW, ...row }, outcome, call, candidates, PLAN, idempotency);
const CALLS: ProviderCall[] = ['submit', 'read'];

test('a payout that is under way is polled when the provider asks for it, but not at once', () => {
  for (const call of CALLS) {
    const after = (poll_after_ms: number) => asked({ kind: 'pending', provider_ref: 'r', poll_after_ms }, call);
    assert.deepEqual(after(5_000), { kind: 'waiting', wait_ms: 5_000, note: null, provider_ref: 'r' });
    assert.deepEqual(after(0), { kind: 'waiting', wait_ms: 100, note: null, provider_ref: 'r' });
  }
});

test('a success of the amount and currency that were sent is one; any other is polled until a person decides', () => {
  for (const call of CALLS) {
    const said = (amount_minor: bigint, currency: string) =>
      asked({ kind: 'succeeded', provider_ref: 'r', amount_minor, currency }, call);
    assert.deepEqual(said(1_000n, 'XAF'), { kind: 'succeeded', provider_ref: 'r' });
    const strange = {
      ...{ kind: 'waiting', wait_ms: 300_000, provider_ref: 'r' },
      note: 'the provider reports another amount or currency than was requested',
    };
    assert.deepEqual(said(999n, 'XAF'), strange);
    assert.deepEqual(said(1_001n, 'XAF'), strange);
    assert.deepEqual(said(1_000n, 'XOF'), strange);
  }
});

test('a rejection and a cancellation end a payout with what the provider says', () => {
  for (const call of CALLS) {
    const failed = { kind: 'failed', reason: 'invalid_recipient', message: 'no such number' } as const;
    assert.deepEqual(asked(failed, call), failed);
    assert.deepEqual(asked({ ...failed, reason: null }, call), { ...failed, reason: null });
    assert.deepEqual(asked({ kind: 'cancelled', message: 'given up' }, call), { kind: 'cancelled', message: 'given up' });
  }
});

const REJECTIONS = [
  { kind: 'failed', reason: 'invalid_recipient', message: 'no such number' },
  { kind: 'cancelled', message: 'given up' },
  { kind: 'unfunded', message: 'no float' },
] as const satisfies PayoutOutcome[];

for (const outcome of REJECTIONS) {
  test(`a second submission that is answered with ${outcome.kind} proves nothing about the first one, unless the provider repeats itself`, () => {
    const again = { decision: { ...DECISION, resent: true } };
    const kindOf = (call: ProviderCall, row: Partial<TransferRow>, idempotency: Capabilities['idempotency']) =>
      asked(outcome, call, row, ['a', 'b'], idempotency).kind;
    const ends = outcome.kind === 'unfunded' ? 'unsent' : outcome.kind;
    const note = { kind: 'waiting', wait_ms: 21_000, note: outcome.message, provider_ref: null };
    assert.deepEqual(asked(outcome, 'submit', again, ['a', 'b'], 'conflicts'), note);
    assert.equal(kindOf('submit', again, 'replays'), ends);
    assert.equal(kindOf('submit', {}, 'conflicts'), ends, 'of the first submission it is true');
    assert.equal(kindOf('read', again, 'conflicts'), ends, 'the status is about whatever arrived');
  });
}

test('an outcome that proves nothing keeps the payout where it is, with a note', () => {
  const waits = (note: string) => ({ kind: 'waiting', wait_ms: 21_000, note, provider_ref: null });
  for (const call of CALLS) {
    assert.deepEqual(asked({ kind: 'not_found' }, call), waits('the provider does not know it'));
    assert.deepEqual(asked({ kind: 'unknown', message: 'timeout' }, call), waits('timeout'));
  }
  const closed: PayoutOutcome = { kind: 'unavailable', message: 'closed' };
  assert.deepEqual(asked(closed, 'read'), waits('closed'));
  assert.deepEqual(asked(closed, 'submit', { decision: { ...DECISION, resent: true } }), waits('closed'));
});

test('a payout that provably was not taken goes to the next account at once, and after the last to all of them later', () => {
  const closed: PayoutOutcome = { kind: 'unavailable', message: 'closed' };
  const next = { kind: 'unsent', wait_ms: 0, decision: { ...DECISION, tried: ['a', 'b'], note: 'closed' } };
  const later = { kind: 'unsent', wait_ms: 4_000, decision: { ...DECISION, tried: [], note: 'closed' } };
  assert.deepEqual(asked(closed, 'submit'), next);
  assert.deepEqual(asked(closed, 'submit', {}, ['a', 'b']), later);
  assert.deepEqual(asked(closed, 'submit', {}, []), later);
  assert.deepEqual(asked(closed, 'submit', { provider_account: 'c' }, ['a', 'b', 'c']), {
    ...next,
    decision: { ...next.decision, tried: ['a', 'c'] },
  });
});

test('an empty wallet uses up the key, whether at once or later, and the next account is tried', () => {
  const empty: PayoutOutcome = { kind: 'unfunded', message: 'no float' };
  for (const call of CALLS) {
    for (const [resent, before, spent] of [
      [false, undefined, 1],
      [true, undefined, 1],
      [true, 1, 2],
    ] as const) {
      const occurrence = asked(empty, call, { decision: { ...DECISION, resent, spent: before } });
      const decision = { ...DECISION, resent: false, spent, tried: ['a', 'b'], note: 'no float' };
      assert.deepEqual(occurrence, { kind: 'unsent', wait_ms: 0, decision });
    }
  }
});
