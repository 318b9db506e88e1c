import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Provider, Submission } from '../../src/providers/adapters/contract.ts';
import { Health } from '../../src/providers/routing/health.ts';
import { COLLECTION, PAYOUT, PAYOUTS, providerOf, REFUND, SUBMISSIONS, TestClock } from '../routing/support.ts';

const { accepted, blamed, declined, unavailable, unknown } = SUBMISSIONS;

let clock: TestClock;
let health: Health;
/** What the provider answers next, and how long it takes. */
let answer: Submission;
let takes_ms: number;
let provider: Provider;

beforeEach(() => {
  clock = new TestClock();
  health = new Health(clock);
  answer = accepted;
  takes_ms = 100;
  provider = health.observe(
    providerOf('pa_1', null, {
      submit: async () => {
        clock.advance(takes_ms);
        return answer;
      },
    }),
  );
});

async function submit(...answers: Submission[]): Promise<void> {
  for (answer of answers) await provider.submit(COLLECTION);
}

const times = (count: number, one: Submission) => Array.from({ length: count }, () => one);
const gate = () => health.look('pa_1', 'cm.mtn', 'collect')?.gate;
const standing = () => health.standing('pa_1', 'cm.mtn', 'collect');
const vital = () => health.snapshot()[0];

describe('the circuit', () => {
  test('opens after five technical failures in a row', async () => {
    await submit(...times(2, unknown), ...times(2, unavailable));
    assert.deepEqual([gate(), standing()], ['closed', 'degraded']);
    await submit({ ...blamed, reason: 'provider_error' });
    assert.deepEqual([gate(), standing()], ['open', 'down']);
  });

  test("does not open for payers' declines, however many", async () => {
    await submit(...times(50, declined));
    assert.deepEqual([gate(), standing(), vital()?.failures, vital()?.success_share], ['closed', 'operational', 0, 0]);
  });

  test('any response in between resets the failure count', async () => {
    await submit(...times(4, unknown), declined, ...times(4, unknown));
    assert.equal(gate(), 'closed');
  });

  test('opens when half of twenty calls fail, but not of nineteen', async () => {
    for (let i = 0; i < 9; i++) await submit(unknown, accepted);
    await submit(unknown);
    assert.equal(gate(), 'closed', 'ten of nineteen');
    await submit(accepted, unknown);
    assert.equal(gate(), 'open', 'eleven of twenty-one');
  });

  test('failures older than ten minutes are ignored', async () => {
    await submit(...times(4, unknown), accepted, ...times(4, unknown), accepted);
    clock.advance(600_000);
    for (let i = 0; i < 9; i++) await submit(accepted, unknown);
    assert.deepEqual([gate(), vital()?.calls], ['closed', 18]);
  });

  test('a single slow response changes nothing', async () => {
    takes_ms = 59_000;
    await submit(unknown);
    assert.deepEqual([gate(), standing()], ['closed', 'operational']);
  });

  test('that is open when the clock is set back is probed within a minute, and a response closes it', async () => {
    await submit(...times(5, unknown));
    clock.advance(-3_600_000);
    assert.equal(gate(), 'open');
    clock.advance(60_000);
    assert.deepEqual([gate(), standing()], ['probe', 'down']);
    await submit(accepted);
    assert.deepEqual([gate(), standing()], ['closed', 'operational']);
  });

  test('failures from before the clock was set back are ignored', async () => {
    await submit(...times(3, unknown));
    assert.equal(standing(), 'degraded');
    clock.advance(-3_600_000);
    assert.deepEqual([standing(), vital()?.failures], ['operational', 0]);
  });

  test('allows a probe after 15 s, and a response to it closes the circuit', async () => {
    await submit(...times(5, unknown));
    clock.advance(14_999);
    assert.equal(gate(), 'open');
    clock.advance(1);
    assert.equal(gate(), 'probe');
    health.chosen('pa_1', 'cm.mtn', 'collect');
    assert.equal(gate(), 'open', 'one probe, not one of everybody');
    await submit(declined);
    assert.deepEqual([gate(), vital()?.open_since], ['closed', undefined]);
  });

  test('a failed probe keeps the circuit open, each time for twice as long, up to a minute', async () => {
    await submit(...times(5, unavailable));
    takes_ms = 0;
    clock.advance(15_000);
    for (const wait_ms of [30_000, 60_000, 60_000]) {
      assert.equal(gate(), 'probe');
      await submit(unavailable);
      clock.advance(wait_ms - 1);
      assert.equal(gate(), 'open', `before ${wait_ms} ms`);
      clock.advance(1);
    }
    assert.equal(gate(), 'probe');
  });

  test('a planned probe that is never sent expires soon; a sent one holds its slot until the next is due', async () => {
    await submit(...times(5, unavailable));
    clock.advance(15_000);
    health.chosen('pa_1', 'cm.mtn', 'collect');
    clock.advance(1_999);
    assert.equal(gate(), 'open');
    clock.advance(1);
    assert.equal(gate(), 'probe');
    const silent = health.observe(providerOf('pa_1', null, { submit: () => new Promise(() => {}) }));
    void silent.submit(COLLECTION);
    clock.advance(14_999);
    assert.equal(gate(), 'open');
    clock.advance(1);
    assert.equal(gate(), 'probe');
  });

  test('the next outage starts with a short delay again', async () => {
    takes_ms = 0;
    await submit(...times(5, unavailable));
    clock.advance(15_000);
    await submit(unavailable);
    clock.advance(30_000);
    await submit(accepted, ...times(5, unavailable));
    clock.advance(15_000);
    assert.equal(gate(), 'probe');
    await submit(unavailable);
    clock.advance(29_999);
    assert.equal(gate(), 'open');
    clock.advance(1);
    assert.equal(gate(), 'probe');
  });

  test('a response to a call sent before the circuit opened does not close it', async () => {
    let release: (submission: Submission) => void = () => {};
    const slow = health.observe(providerOf('pa_1', null, { submit: () => new Promise((resolve) => (release = resolve)) }));
    const under_way = slow.submit(COLLECTION);
    await submit(...times(5, unavailable));
    release(accepted);
    await under_way;
    assert.equal(gate(), 'open');
  });

  test('failures from before the circuit closed no longer count', async () => {
    for (let i = 0; i < 12; i++) await submit(accepted, unknown);
    assert.equal(gate(), 'open');
    clock.advance(15_000);
    await submit(accepted);
    await submit(unknown);
    assert.equal(gate(), 'closed');
  });

  test('is separate for each account, channel and operation', async () => {
    await submit(...times(5, unavailable));
    assert.deepEqual(
      [
        health.standing('pa_2', 'cm.mtn', 'collect'),
        health.standing('pa_1', 'cm.orange', 'collect'),
        health.standing('pa_1', 'cm.mtn', 'payout'),
      ],
      ['operational', 'operational', 'operational'],
    );
  });
});

describe('degraded', () => {
  const failuresAmong = async (calls: number) => {
    await submit(...times(calls - 3, accepted));
    for (let i = 0; i < 3; i++) await submit(declined, unknown);
  };

  test('is an account with a failure rate of a tenth or more', async () => {
    await failuresAmong(27);
    assert.deepEqual([vital()?.calls, standing()], [30, 'degraded']);
  });

  test('is not an account with a lower failure rate', async () => {
    await failuresAmong(28);
    assert.deepEqual([vital()?.calls, standing()], [31, 'operational']);
  });

  test('ends ten minutes after the last failure, also when nothing is sent', async () => {
    await submit(...times(3, unknown));
    assert.equal(standing(), 'degraded');
    clock.advance(600_000);
    assert.equal(standing(), 'operational');
  });
});

describe('measurements', () => {
  test('calls, failures, success rate of finished attempts, latency and callback delay', async () => {
    takes_ms = 300;
    await submit(...times(17, accepted), unknown);
    takes_ms = 3_000;
    await submit(accepted, declined);
    const reading = health.observe(
      providerOf('pa_1', null, {
        read: async () => ({ kind: 'succeeded', provider_ref: 'r', amount_minor: 500_000n, currency: 'XAF' }),
      }),
    );
    for (let i = 0; i < 3; i++) await reading.read({ ...COLLECTION, attempt_id: `att_read_${i}` });
    health.callback('pa_1', 'cm.mtn', 1_000);
    health.callback('pa_1', 'cm.mtn', 2_000);
    assert.deepEqual(vital(), {
      account_id: 'pa_1',
      channel: 'cm.mtn',
      operation: 'collect',
      standing: 'operational',
      calls: 20,
      failures: 1,
      p95_ms: 3_200,
      success_share: 0.75,
      reads: 3,
      unreadable: 0,
      latency_ms: 1_272,
      callback_delay_ms: 1_200,
    });
  });

  test('a provider whose status is unreadable is recorded, and its circuit stays closed', async () => {
    const dumb = health.observe(providerOf('pa_1', null, { read: async () => ({ kind: 'unreadable', message: '?' }) }));
    for (let i = 0; i < 30; i++) await dumb.read(COLLECTION);
    assert.deepEqual([vital()?.unreadable, vital()?.calls, gate()], [30, 0, 'closed']);
  });

  test('a payment that is accepted and later fails because of the operator is a technical failure', async () => {
    const later = health.observe(
      providerOf('pa_1', null, { read: async () => ({ kind: 'failed', reason: 'channel_unavailable', message: 'down' }) }),
    );
    for (let i = 0; i < 5; i++) await later.read({ ...COLLECTION, attempt_id: `att_${i}` });
    assert.equal(gate(), 'open');
  });

  test('a callback of a provider counts like a poll', async () => {
    const money = { provider_ref: 'r', amount_minor: 500_000n, currency: 'XAF' };
    health.recordReading(
      'pa_1',
      { channel: 'cm.mtn', id: 'att', submitted_at: new Date(clock.now()) },
      { kind: 'succeeded', ...money },
    );
    assert.deepEqual([vital()?.reads, vital()?.success_share], [1, 1]);
    for (let i = 0; i < 5; i++)
      health.recordReading(
        'pa_1',
        { channel: 'cm.mtn', id: `att_${i}`, submitted_at: new Date(clock.now()) },
        { kind: 'failed', reason: 'provider_error', message: 'down' },
      );
    assert.equal(gate(), 'open');
  });

  test('a failed step before the submission counts', async () => {
    const two = (kind: 'ready' | 'unavailable') =>
      health.observe(
        providerOf('pa_1', null, {
          prepare: async () => (kind === 'ready' ? { kind, handle: 'token' } : { kind, message: 'down' }),
        }),
      );
    await two('ready').prepare?.(COLLECTION);
    assert.deepEqual(health.snapshot(), []);
    for (let i = 0; i < 5; i++) await two('unavailable').prepare?.(COLLECTION);
    assert.equal(gate(), 'open');
  });

  test('payouts and refunds have separate lanes', async () => {
    const out = health.observe(
      providerOf('pa_1', null, {
        refunds: {
          extent: 'full',
          submit: async () => ({ kind: 'unavailable', message: 'down' }),
          read: async () => ({ kind: 'unknown', message: '?' }),
        },
      }),
    );
    for (let i = 0; i < 5; i++) await out.payouts?.submit(PAYOUT);
    for (let i = 0; i < 5; i++) await out.refunds?.submit(REFUND);
    await out.payouts?.read(PAYOUT);
    await out.refunds?.read(REFUND);
    assert.deepEqual(
      health.snapshot().map((lane) => [lane.operation, lane.standing, lane.failures, lane.reads, lane.unreadable]),
      [
        ['payout', 'down', 5, 1, 0],
        // Nobody routes a refund: its lane has no circuit that could open.
        ['refund', 'degraded', 5, 1, 1],
      ],
    );
  });

  test('a provider that throws against the contract counts as failed, and the error is rethrown', async () => {
    const rude = health.observe(providerOf('pa_1', null, { submit: () => Promise.reject(new Error('rude')) }));
    await assert.rejects(rude.submit(COLLECTION), /rude/);
    assert.equal(vital()?.failures, 1);
  });

  test('memory is bounded: the lane that was idle longest is evicted first', async () => {
    const one = (i: number) => health.observe(providerOf(`pa_${i}`, null));
    for (let i = 0; i < 10_000; i++) await one(i).submit(COLLECTION);
    for (const known of [1, 0, 3]) await one(known).submit(COLLECTION);
    const ids = () => new Set(health.snapshot().map(({ account_id }) => account_id));
    assert.equal(ids().size, 10_000);
    await one(10_000).submit(COLLECTION);
    assert.deepEqual(
      ['pa_0', 'pa_1', 'pa_2', 'pa_3', 'pa_10000'].map((id) => ids().has(id)),
      [true, true, false, true, true],
    );
  });
});

describe('a measured provider', () => {
  test('has the same operations as the provider', () => {
    const plain = providerOf('pa_1', []);
    assert.deepEqual(Object.keys(health.observe(plain)).sort(), Object.keys(plain).sort());
    assert.ok(!('payouts' in health.observe((({ payouts: _, ...least }) => least)(plain))));
    const full: Required<Provider> = {
      ...{ ...plain, provesPayer: () => false },
      payouts: { ...PAYOUTS, cancel: async () => ({ kind: 'cancelled' }) },
      isClosed: () => false,
      prepare: async () => ({ kind: 'ready', handle: null }),
      continue: async () => unknown,
      cancel: async () => ({ kind: 'cancelled' }),
      refunds: { extent: 'full', submit: async () => ({ kind: 'not_found' }), read: async () => ({ kind: 'not_found' }) },
      balance: async () => ({ kind: 'unreadable', message: '' }),
      lookup: async () => ({ kind: 'not_found' }),
      verifyCallback: () => ({ kind: 'hint', subject: null }),
      acknowledgement: { status: 200, body: 'ok', content_type: 'text/plain' },
    };
    const seen = health.observe(full);
    assert.deepEqual(Object.keys(seen).sort(), Object.keys(full).sort());
    assert.deepEqual(Object.keys(seen.payouts ?? {}).sort(), Object.keys(full.payouts).sort());
    assert.deepEqual(Object.keys(seen.refunds ?? {}).sort(), Object.keys(full.refunds).sort());
  });

  test('works for adapters that are classes with private members', async () => {
    class Adapter {
      readonly name = 'simulator';
      readonly account_id = 'pa_1';
      readonly capabilities = providerOf('pa_1', null).capabilities;
      readonly #answer = accepted;
      offers() {
        return this.#answer ? null : [];
      }
      keyOf(id: string) {
        return `${this.#answer.kind} ${id}`;
      }
      async submit() {
        return this.#answer;
      }
      async read() {
        return { kind: this.#answer ? 'not_found' : 'expired' } as const;
      }
      async continue() {
        return this.#answer;
      }
      async cancel() {
        return { kind: 'unknown', message: this.#answer.kind } as const;
      }
    }
    const seen = health.observe(new Adapter());
    assert.equal(await seen.continue?.(COLLECTION, { kind: 'otp', otp: '1' }), accepted);
    assert.deepEqual(
      [
        seen.offers(),
        seen.keyOf('x'),
        await seen.submit(COLLECTION),
        await seen.read(COLLECTION),
        await seen.cancel?.(COLLECTION),
      ],
      [null, 'accepted x', accepted, { kind: 'not_found' }, { kind: 'unknown', message: 'accepted' }],
    );
  });

  test('is the provider itself for the sandbox, which is always operational', async () => {
    const sandbox = providerOf('sandbox', null, { submit: async () => unavailable });
    assert.equal(health.observe(sandbox), sandbox);
    for (let i = 0; i < 10; i++) await health.observe(sandbox).submit(COLLECTION);
    health.callback('sandbox', 'cm.mtn', 10);
    health.recordReading('sandbox', { channel: 'cm.mtn', id: 'att', submitted_at: new Date(clock.now()) }, { kind: 'expired' });
    assert.deepEqual([health.standing('sandbox', 'cm.mtn', 'collect'), health.snapshot()], ['operational', []]);
  });
});
