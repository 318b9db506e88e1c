import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { attemptsOf } from '../../src/core/attempts/store.ts';
import { trancheSweep } from '../../src/core/charge/sweeps.ts';
import { findPayment } from '../../src/core/payments/store.ts';
import { pageStateOf } from '../../src/edge/checkout/page-state.ts';
import { must } from '../../src/kit/errors.ts';
import type { Submission } from '../../src/providers/adapters/contract.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';
import { startPayment } from '../setup/pay.ts';
import { Registry } from '../setup/providers.ts';

const clock = new FakeClock();
const { promise: slow, resolve: answer } = Promise.withResolvers<Submission>();
let submitted = 0;
let isDown = false;
const provider = {
  name: 'slow',
  submit: async ({ provider_key, amount_minor, currency }: { provider_key: string; amount_minor: bigint; currency: string }) => {
    submitted += 1;
    if (isDown) return { kind: 'unavailable', message: 'maintenance' } as const;
    if (submitted === 2) return slow;
    return { kind: 'succeeded', provider_ref: provider_key, amount_minor, currency } as const;
  },
  read: async () => ({ kind: 'pending', poll_after_ms: 60_000 }) as const,
};
const api = await startApi({ clock, workers: false, providers: new Registry({ sandbox: [provider], live: [] }) });
after(() => api.stop());

const round = () => trancheSweep(api.deps, api.deps.stores.sandbox).round();

test('a tranche whose provider answers after its lease stops no later one', async () => {
  const { id } = await startPayment(api, { amount: 1_000_000 });
  const first = round();
  await until(
    async () => submitted,
    (count) => count === 2,
  );
  clock.advance(61_000);
  await round();
  assert.equal(submitted, 2, 'one tranche at a time');
  answer({ kind: 'unavailable', message: 'maintenance' });
  await first;
  clock.advance(61_000);
  await round();
  const { transaction } = (await api.call('GET', `/payments/${id}`)).body;
  assert.deepEqual([transaction.status, transaction.amount_captured, submitted], ['succeeded', 1_000_000, 3]);
});

test('a tranche that no provider takes for ten minutes is not sent by itself any more: the payer goes on, on any channel', async () => {
  const { id } = await startPayment(api, { amount: 1_000_000 });
  isDown = true;
  const page = async () => {
    const { store, team_id } = { store: api.deps.stores.sandbox, team_id: api.team.id };
    const payment = must(await findPayment(store.db, team_id, id), 'it was made');
    return pageStateOf({ payment, attempts: await attemptsOf(store.db, [{ team_id, id }]) }, clock.now()).kind;
  };
  for (let minute = 0; minute < 9; minute++) {
    await round();
    assert.equal(await page(), 'under_way');
    clock.advance(61_000);
  }
  for (let minute = 0; minute < 3; minute++) {
    await round();
    clock.advance(61_000);
  }
  assert.equal(await page(), 'open');
  isDown = false;
  const before = submitted;
  await round();
  assert.equal(submitted, before, 'no prompt comes by itself');
  const { status } = await api.call('POST', `/payments/${id}`, { body: { channel: 'cm.orange', data: { phone: '690000000' } } });
  assert.deepEqual([status, submitted], [202, before + 1]);
});
