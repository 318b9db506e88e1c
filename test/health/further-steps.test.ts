import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Provider, Submission } from '../../src/providers/adapters/contract.ts';
import { Health } from '../../src/providers/routing/health.ts';
import { PROBE_MS } from '../../src/providers/routing/health/breaker.ts';
import { COLLECTION, providerOf, SUBMISSIONS, TestClock } from '../routing/support.ts';

const { accepted, declined, unavailable, unknown } = SUBMISSIONS;
/** The answer of an adapter whose provider gets the charge with the payer's code. */
const CODE_FIRST: Submission = {
  kind: 'accepted',
  provider_ref: null,
  next: { kind: 'otp' },
  poll_after_ms: 1,
  code_first: true,
};

let clock: TestClock;
let health: Health;
let submission: Submission;
let further: Submission;
let provider: Provider;

beforeEach(() => {
  clock = new TestClock();
  health = new Health(clock);
  submission = CODE_FIRST;
  provider = health.observe(providerOf('pa_1', null, { submit: async () => submission, continue: async () => further }));
});

/** Charges that the payer continues with a code. */
async function coded(...answers: Submission[]): Promise<void> {
  for (further of answers) {
    await provider.submit(COLLECTION);
    await provider.continue?.(COLLECTION, { kind: 'otp', otp: '1234' });
  }
}
const gate = () => health.look('pa_1', 'cm.mtn', 'collect')?.gate;
const counts = () => {
  const { calls, failures } = health.snapshot()[0] ?? {};
  return [calls, failures];
};

test('a further step is a call: five that fail in a row open the circuit', async () => {
  await coded(unknown, unavailable, unknown, unknown);
  assert.equal(gate(), 'closed');
  await coded(unknown);
  assert.deepEqual([gate(), counts()], ['open', [5, 5]]);
});

test('a further step whose input the provider rejects is a call that did not fail', async () => {
  await coded(...Array.from({ length: 5 }, () => ({ ...unavailable, input_rejected: true }) as Submission));
  assert.deepEqual([gate(), counts()], ['closed', [5, 0]]);
});

test('a submission that sent nothing is no call, and proves nothing about the calls before it', async () => {
  submission = unknown;
  for (let i = 0; i < 4; i++) await provider.submit(COLLECTION);
  submission = CODE_FIRST;
  for (let i = 0; i < 20; i++) await provider.submit(COLLECTION);
  assert.deepEqual([gate(), counts()], ['closed', [4, 4]]);
  submission = unknown;
  await provider.submit(COLLECTION);
  assert.deepEqual([gate(), counts()], ['open', [5, 5]]);
});

test('the probe of a payment whose code comes first is its code: until then the circuit stays open, and a response to it closes it', async () => {
  await coded(...Array.from({ length: 5 }, () => unknown));
  clock.advance(PROBE_MS);
  assert.equal(gate(), 'probe');
  await provider.submit(COLLECTION);
  clock.advance(10_000);
  assert.equal(gate(), 'open');
  further = declined;
  await provider.continue?.(COLLECTION, { kind: 'otp', otp: '1234' });
  assert.equal(gate(), 'closed');
});

test('a further step of a charge that was sent is another call', async () => {
  submission = accepted;
  await coded(accepted, declined, unknown);
  assert.deepEqual(counts(), [6, 1]);
});
