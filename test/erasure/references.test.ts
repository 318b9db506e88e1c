import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

test('an erasure makes several unique references the same text, and the others stay unique', async () => {
  const { team, sandbox } = await api.newMerchant();
  const key = sandbox.secret;
  await api.setTeam(team, { unique_references: true });
  const create = (reference: string) => {
    const body = { amount: 500, currency: 'XAF', name: 'Fatou Diallo', email: 'fatou@unique.example', reference };
    return api.call('POST', '/payments', { key, body });
  };
  const made = await Promise.all(['Fatou', 'Diallo', 'order-7'].map(create));
  const ids = made.map(({ body }): string => body.transaction.id);
  const shown = async (id: string | undefined) => (await api.call('GET', `/payments/${id}`, { key })).body.transaction;
  const { customer } = await shown(ids[0]);
  assert.equal((await api.call('DELETE', `/customers/${customer}`, { key })).status, 200);
  const references = await Promise.all(ids.map(async (id) => (await shown(id)).reference));
  assert.deepEqual(references, ['[erased]', '[erased]', 'order-7']);
  assert.equal((await create('order-7')).status, 409);
});
