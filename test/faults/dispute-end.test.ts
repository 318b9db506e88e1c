import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { changeDispute, openDispute } from '../../src/core/disputes/service.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { type Api, startApi } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';
import { Crash, crashingStore, Fuse } from './crashing-store.ts';

let api: Api;
before(async () => {
  api = await startApi();
});
after(() => api.stop());

/** Ends a dispute of a fresh merchant, dying at this step. @returns its status, and whether its money is still set aside */
async function ended(fuse: Fuse): Promise<{ status: string; isHeld: boolean }> {
  const store = api.deps.stores.sandbox;
  const { team, sandbox } = await api.newMerchant();
  const payment_id = await paid(api, { key: sandbox.secret });
  const { id } = await openDispute(api.deps, store, { team_id: team.id, payment_id, reason: 'fraudulent' });
  const end = changeDispute(api.deps, crashingStore(store, fuse), { team_id: team.id, id }, 'provider_decided_won');
  await end.catch((error: unknown) => assert.ok(error instanceof Crash, String(error)));
  const { status } = (await api.call('GET', `/disputes/${id}`, { key: sandbox.secret })).body.dispute;
  const held = (await readBalances(store.db, team.id, 'XAF')).get('disputed') ?? 0n;
  return { status, isHeld: held > 0n };
}

test('the end of a dispute, interrupted at every step: it is open with its money set aside, or won with the money returned', async () => {
  const whole = new Fuse(0);
  assert.deepEqual(await ended(whole), { status: 'won', isHeld: false });
  assert.ok(whole.steps > 4, 'it takes steps');
  for (let at = 1; at <= whole.steps; at++) {
    const { status, isHeld } = await ended(new Fuse(at));
    assert.equal(isHeld, status !== 'won', `cut at step ${at} of ${whole.steps}: ${status}`);
  }
});
