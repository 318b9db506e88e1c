import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Provider, Reading } from '../../src/providers/adapters/contract.ts';
import { Health } from '../../src/providers/routing/health.ts';
import { COLLECTION, providerOf, SUBMISSIONS, TestClock } from '../routing/support.ts';

const { accepted } = SUBMISSIONS;

let clock: TestClock;
let health: Health;
let provider: Provider;

beforeEach(() => {
  clock = new TestClock();
  health = new Health(clock);
  provider = health.observe(providerOf('pa_1', null, { submit: async () => accepted }));
});

const gate = () => health.look('pa_1', 'cm.mtn', 'collect')?.gate;
const vital = () => health.snapshot()[0];

describe('an operator that fails behind an aggregator which accepts everything', () => {
  let operations = 0;
  const ends = (update: Reading, id = `att_${operations++}`) =>
    health.recordReading('pa_1', { channel: 'cm.mtn', id, submitted_at: new Date(clock.now()) }, update);
  const down: Reading = { kind: 'failed', reason: 'channel_unavailable', message: 'down' };
  const fine: Reading = { kind: 'succeeded', provider_ref: 'r', amount_minor: 500_000n, currency: 'XAF' };

  test('opens the circuit although each charge is accepted: five in a row, or half of what ended', async () => {
    for (let i = 0; i < 5; i++) {
      await provider.submit(COLLECTION);
      ends(down);
    }
    assert.equal(gate(), 'open');
    health = new Health(clock);
    for (let i = 0; i < 10; i++) for (const update of [fine, down]) ends(update);
    assert.equal(gate(), 'open');
  });

  test('an accepted probe proves nothing, one that ends well closes it, and one that ends badly is followed by a longer wait', async () => {
    for (let i = 0; i < 5; i++) ends(down);
    clock.advance(15_000);
    assert.equal(gate(), 'probe');
    await provider.submit(COLLECTION);
    assert.equal(gate(), 'open');
    ends(down);
    clock.advance(29_999);
    assert.equal(gate(), 'open');
    clock.advance(1);
    assert.equal(gate(), 'probe');
    ends(fine);
    assert.equal(gate(), 'closed');
  });

  test('a charge from before the outage, and one that runs out, close nothing', () => {
    const before = new Date(clock.now());
    for (let i = 0; i < 5; i++) ends(down);
    clock.advance(20_000);
    health.recordReading('pa_1', { channel: 'cm.mtn', id: 'att_old', submitted_at: before }, fine);
    assert.equal(gate(), 'probe');
    ends({ kind: 'expired' });
    assert.equal(gate(), 'probe');
    ends({ kind: 'failed', reason: 'payer_declined', message: 'no' });
    assert.equal(gate(), 'closed');
  });

  test('a node that only reads: rare failures among many successes open nothing', () => {
    for (let i = 0; i < 4; i++) ends(down);
    for (let i = 0; i < 1_000; i++) ends(fine);
    clock.advance(86_400_000);
    ends(down);
    assert.equal(gate(), 'closed');
    for (let i = 0; i < 30; i++) for (const update of [fine, fine, down]) ends(update);
    assert.equal(gate(), 'closed', 'a third');
  });

  test('an end that is reported again counts once', () => {
    for (let i = 0; i < 10; i++) ends(down, 'att_again');
    assert.deepEqual([gate(), vital()?.failures, vital()?.reads], ['closed', 1, 10]);
  });
});
