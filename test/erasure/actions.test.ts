import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

test('an erasure keeps the kind of what the payer has to do, also when the payer is called like it', async () => {
  const body = { amount: 25_000, currency: 'XAF', name: 'Express Transfer SARL', email: 'express@way.example' };
  const { id } = (await api.call('POST', '/payments', { body })).body.transaction as { id: string };
  const charge = { channel: 'cm.mtn', data: { phone: '+237650443311' } };
  assert.equal((await api.call('POST', `/payments/${id}`, { body: charge })).status, 202);
  const { db } = api.deps.stores.sandbox;
  const instructions = { bank: 'Express Bank', account_number: '123456789', reference: 'R-77' };
  await db.run(sql`
    update attempts set action = ${JSON.stringify({ kind: 'transfer', instructions })}::json where payment_id = ${id}`);
  const { customer } = (await api.call('GET', `/payments/${id}`)).body.transaction as { customer: string };
  assert.equal((await api.call('DELETE', `/customers/${customer}`)).status, 200);
  const row = await db.maybe<{ action: object }>(sql`select action from attempts where payment_id = ${id}`);
  assert.deepEqual(row?.action, { kind: 'transfer', instructions: { ...instructions, bank: '[erased] Bank' } });
});
