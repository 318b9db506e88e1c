import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setActive } from '../../src/providers/provider-accounts/store.ts';
import { parsed, pirogue } from '../cli/command.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { LiveMerchant } from './live-merchant.ts';

/** Complaints about who gets a payment, and about finding out why (docs/complaints.md). */
const clock = new FakeClock();
const api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s' } });
after(() => api.stop());

test('complaint 15: ineligible accounts are tried, and disabled ones are used as fallback: neither is called', async (t) => {
  const merchant = await LiveMerchant.open(api, clock, ['mtn-momo', 'pawapay']);
  t.after(() => merchant.stop());
  const orange = await merchant.createPayment();
  assert.equal((await merchant.charge(orange, { channel: 'cm.orange', phone: '+237690100000' })).status, 202);
  assert.deepEqual([merchant.creations('mtn-momo'), merchant.creations('pawapay')], [0, 1], 'MTN does not collect from Orange');
  await setActive(api.control, merchant.shop.accounts.pawapay?.id ?? assert.fail(), false, new Date());
  clock.advance(1_000);
  await merchant.simulator('mtn-momo').closePort();
  const mtn = await merchant.createPayment();
  assert.equal((await merchant.charge(mtn)).status, 502);
  assert.equal(merchant.creations('pawapay'), 1);
});

test('complaint 16: African payment methods are missing: M-Pesa, Orange Money, Wave and MTN collect', async (t) => {
  const merchant = await LiveMerchant.open(api, clock, ['mtn-momo', 'pawapay']);
  t.after(() => merchant.stop());
  const rails: [channel: string, currency: string, phone: string, by: string][] = [
    ['cm.mtn', 'XAF', '+237670100000', 'mtn-momo'],
    ['cm.orange', 'XAF', '+237690100000', 'pawapay'],
    ['ci.wave', 'XOF', '+2250701020304', 'pawapay'],
    ['ke.mpesa', 'KES', '+254712345678', 'pawapay'],
  ];
  for (const [channel, currency, phone, by] of rails) {
    const id = await merchant.createPayment(1_000, { currency, phone });
    const { status, body } = await merchant.charge(id, { channel, phone });
    assert.equal(status, 202, `${channel}: ${JSON.stringify(body)}`);
    const paid = await merchant.waitForStatus(`/payments/${id}`, 'succeeded');
    assert.deepEqual([paid.attempts[0].provider, paid.attempts[0].channel], [by, channel]);
  }
});

test('complaint 17: routing and payouts are opaque: explain shows who and why, ledger show prints every entry', async (t) => {
  const merchant = await LiveMerchant.open(api, clock, ['mtn-momo', 'pawapay']);
  t.after(() => merchant.stop());
  await merchant.simulator('mtn-momo').closePort();
  const id = await merchant.createSucceeded(10_000);
  await merchant.simulator('mtn-momo').openPort();
  const env = commandLine(api);
  const { attempts } = parsed(await pirogue(['explain', id, '--json'], env));
  const told = attempts.map((attempt: { status: string; decision: { accounts: { name: string; verdict: string }[] } }) => [
    attempt.status,
    ...attempt.decision.accounts.map(({ name, verdict }) => `${name} ${verdict}`),
  ]);
  const decision = ['mtn-momo chosen', 'pawapay fallback'];
  assert.deepEqual(told.toSorted(), [
    ['succeeded', ...decision],
    ['unavailable', ...decision],
  ]);
  const recipient = { recipient: '+237670200000', channel: 'cm.mtn' };
  const { body } = await merchant.call('POST', '/transfers', { amount: 1_000, currency: 'XAF', ...recipient });
  const payout = body.transfer.id;
  await merchant.waitForStatus(`/transfers/${payout}`, 'succeeded');
  assert.deepEqual(await merchant.events(payout), ['transfer.created', 'transfer.succeeded']);
  const shown = await pirogue(['ledger', 'show', payout], env);
  assert.equal(shown.code, 0, shown.stderr);
  for (const bucket of ['available', 'reserved', 'in.transit']) assert.ok(shown.stdout.includes(bucket), shown.stdout);
});

function commandLine({ databases, config }: Api): Record<string, string> {
  return {
    DATA_DIR: config.data_dir,
    CONTROL_DATABASE_URL: databases.control,
    SANDBOX_DATABASE_URL: databases.sandbox,
    LIVE_DATABASE_URL: databases.live,
  };
}
