import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, startApi } from '../setup/api.ts';
import { pirogue } from '../cli/command.ts';

let api: Api;
let team: string[];
before(async () => {
  api = await startApi({ workers: false });
  team = ['--team', String(api.team.id)];
});
after(() => api.stop());

const run = (args: string[]) =>
  pirogue(['compliance', ...args, ...team], {
    CONTROL_DATABASE_URL: api.databases.control,
    SANDBOX_DATABASE_URL: api.databases.sandbox,
    LIVE_DATABASE_URL: api.databases.live,
  });

async function customer(): Promise<string> {
  const email = `tax.${Math.random().toString(36).slice(2)}@shop.example`;
  const { body } = await api.call('POST', '/customers', { body: { email, name: 'Awa Ngo', tax_id: 'M-123' } });
  return body.customer.id;
}

const erase = async (id: string) => (await api.call('DELETE', `/customers/${id}`)).body.customer;

test('the tax id is kept after an erasure while the record is approved, and appears in no event', async () => {
  const id = await customer();
  const approved = await run(['approve', id, '--author', 'Bintou', '--note', 'file 12', '--json']);
  assert.equal(approved.code, 0, approved.stderr);
  const { created_at: _, updated_at: __, ...record } = JSON.parse(approved.stdout);
  assert.deepEqual(record, {
    team_id: String(api.team.id),
    customer_id: id,
    status: 'approved',
    author: 'Bintou',
    note: 'file 12',
  });
  const { tax_id, name, email } = await erase(id);
  assert.deepEqual([tax_id, email], ['M-123', null]);
  assert.match(name, /^Deleted User /);
  const { body } = await api.call('GET', '/events?per_page=100');
  const told = body.items.filter((event: { data: { id: string } }) => event.data.id === id);
  assert.equal(told.length, 2);
  assert.ok(!JSON.stringify(told).includes('M-123'));
});

test('the tax id is erased when the record is pending, rejected or missing, or when it is rejected later', async () => {
  assert.equal((await erase(await customer())).tax_id, null);
  const rejected = await customer();
  await run(['reject', rejected]);
  assert.equal((await erase(rejected)).tax_id, null);
  const later = await customer();
  await run(['approve', later]);
  assert.equal((await erase(later)).tax_id, 'M-123');
  const { code, stdout } = await run(['reject', later]);
  assert.equal(code, 0);
  assert.match(stdout, /status +rejected/);
  assert.equal((await api.call('GET', `/customers/${later}`)).body.customer.tax_id, null);
});

test('list shows the records of the store', async () => {
  const id = await customer();
  await run(['approve', id]);
  const listed = JSON.parse((await run(['list', '--environment', 'sandbox', '--json'])).stdout);
  assert.equal(listed[0].customer_id, id);
  assert.match((await run(['list'])).stdout, /none yet/);
});

test('unknown customers, other ids and other teams are rejected', async () => {
  const unknown = await run(['approve', 'cus_test_00000000000000000000000000']);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /Customer Not Found/);
  const payment = await run(['approve', 'trx_test_00000000000000000000000000']);
  assert.equal(payment.code, 2);
  assert.match(payment.stderr, /not the id of a customer/);
  const other = await api.newMerchant();
  const { body } = await api.call('POST', '/customers', { key: other.sandbox.secret, body: { email: 'a@b.example' } });
  assert.equal((await run(['approve', body.customer.id])).code, 1);
});
