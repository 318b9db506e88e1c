import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parsed, pirogue } from '../cli/command.ts';
import { type Api, type Merchant, startApi } from '../setup/api.ts';
import { paymentIn, startPayment } from '../setup/pay.ts';

let api: Api;
before(async () => {
  api = await startApi();
});
after(() => api.stop());

async function run(merchant: Merchant, ...args: string[]) {
  const { control, sandbox, live } = api.databases;
  const urls = { CONTROL_DATABASE_URL: control, SANDBOX_DATABASE_URL: sandbox, LIVE_DATABASE_URL: live };
  return parsed(await pirogue([...args, '--team', String(merchant.team.id), '--json'], urls));
}

async function disputed(merchant: Merchant): Promise<string> {
  const key = merchant.sandbox.secret;
  const { id } = await startPayment(api, { key });
  await paymentIn(api, id, ['succeeded'], { key });
  return (await run(merchant, 'trigger', 'dispute.created', '--payment', id)).id;
}

test('the time to answer a dispute passes with the clock, but not that of one that was answered', async () => {
  const merchant = await api.newMerchant();
  const key = merchant.sandbox.secret;
  const [late, answered] = [await disputed(merchant), await disputed(merchant)];
  const send = (id: string) => {
    const body = { evidence: { receipt: 'signed by the customer' } };
    return api.call('POST', `/disputes/${id}/evidence`, { key, body });
  };
  const dueOf = async (id: string) => (await api.call('GET', `/disputes/${id}`, { key })).body.dispute.due_at;
  assert.equal((await send(answered)).status, 200);
  const [before, kept] = [await dueOf(late), await dueOf(answered)];
  assert.deepEqual((await run(merchant, 'sandbox', 'clock', 'advance', '6d')).disputes, { moved: 1, due: 0 });
  assert.deepEqual((await run(merchant, 'sandbox', 'clock', 'advance', '25h')).disputes, { moved: 1, due: 1 });
  assert.equal(Date.parse(before) - Date.parse(await dueOf(late)), (6 * 24 + 25) * 3_600_000);
  assert.equal(await dueOf(answered), kept);
  assert.equal((await send(late)).status, 400);
});
