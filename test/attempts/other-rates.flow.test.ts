import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { submittedOccurrence } from '../../src/core/charge/outcomes.ts';
import { pollAttempt } from '../../src/core/charge/poll.ts';
import type { AttemptRow } from '../../src/core/attempts/schema.ts';
import { attemptsOf } from '../../src/core/attempts/store.ts';
import type { PaymentRow } from '../../src/core/payments/schema.ts';
import type { Submission } from '../../src/providers/adapters/contract.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';

/** Submissions that were sent and are not answered yet. */
const unanswered: ((submission: Submission) => void)[] = [];
let api: Api;
before(async () => {
  const paying = {
    name: 'paying',
    submit: () => new Promise<Submission>((resolve) => unanswered.push(resolve)),
    read: async ({ provider_key, amount_minor, currency }: { provider_key: string; amount_minor: bigint; currency: string }) =>
      ({ kind: 'succeeded', provider_ref: provider_key, amount_minor, currency }) as const,
  };
  api = await startApi({ workers: false, providers: new Registry({ sandbox: [paying], live: [] }) });
});
after(() => api.stop());

for (const percent of [1, 3])
  test(`a process with a fee of ${percent} % that hears first of a charge made with 2 % posts it as the payer confirmed it`, async () => {
    const created = await api.call('POST', '/payments', {
      body: { amount: 25_000, currency: 'XAF', phone: '+237650000000', bearer: 'customer' },
    });
    const { id } = created.body.transaction;
    const charging = api.call('POST', `/payments/${id}`, { body: { channel: 'cm.mtn', data: { phone: '650000000' } } });
    await until(
      async () => unanswered.length,
      (count) => count === 1,
    );
    const { deps, team } = api;
    const store = deps.stores.sandbox.of(team.id);
    const [attempt] = await attemptsOf(store.db, [{ team_id: team.id, id }]);
    assert.equal(attempt?.amount_minor, 2_550_000n);
    const fees = { ...deps.config.fees, mobile_money: percent * 100 };
    await pollAttempt({ ...deps, config: { ...deps.config, fees } }, store, attempt);
    unanswered.pop()?.({ kind: 'accepted', provider_ref: null, next: { kind: 'confirm' }, poll_after_ms: 1_000 });
    await charging;
    const { status, fee, amount_total, amount_captured } = (await api.call('GET', `/payments/${id}`)).body.transaction;
    assert.deepEqual(
      { status, fee, amount_total, amount_captured },
      { status: 'succeeded', fee: 500, amount_total: 25_500, amount_captured: 25_500 },
    );
  });

test('a charge without a fee, sent while the rate was 0 %, fixes none at a process with another rate', () => {
  const { config } = api.deps;
  const fees = { ...config.fees, mobile_money: 200 };
  const payment = { status: 'pending', bearer: 'customer', amount_minor: 2_500_000n, currency: 'XAF' } as PaymentRow;
  const fixed = (amount_minor: bigint) =>
    submittedOccurrence({ fees }, payment, { channel: 'cm.mtn', amount_minor } as AttemptRow);
  assert.deepEqual(fixed(2_500_000n), { kind: 'submitted', channel: 'cm.mtn', fee_minor: 0n });
  assert.deepEqual(fixed(2_500_100n), { kind: 'submitted', channel: 'cm.mtn', fee_minor: 100n });
  const tranche = { kind: 'submitted', channel: 'cm.mtn', fee_minor: 50_000n };
  assert.deepEqual(fixed(1_275_000n), tranche, 'a tranche does not contain the fee');
});
