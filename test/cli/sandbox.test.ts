import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, startApi } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';
import { pirogue } from './command.ts';

let api: Api;
let team: string[];
before(async () => {
  api = await startApi();
  team = ['--team', String(api.team.id)];
});
after(() => api.stop());

const run = (args: string[]) =>
  pirogue([...args, ...team, '--json'], {
    CONTROL_DATABASE_URL: api.databases.control,
    SANDBOX_DATABASE_URL: api.databases.sandbox,
    LIVE_DATABASE_URL: api.databases.live,
  });

test('sandbox fund adds money to the balance; an invalid amount or currency is rejected', async () => {
  assert.equal((await run(['sandbox', 'fund', '--currency', 'XOF', '--amount', '7500'])).code, 0);
  assert.equal((await api.call('GET', '/balance?currency=XOF')).body.available, 7_500);
  for (const amount of ['10.5', '-1', '0', 'ten']) {
    const { code, stderr } = await run(['sandbox', 'fund', '--currency', 'XOF', '--amount', amount]);
    assert.notEqual(code, 0, amount);
    assert.ok(stderr.length > 0);
  }
  assert.equal((await run(['sandbox', 'fund', '--currency', 'XXX', '--amount', '1'])).code, 2);
});

test('trigger opens a dispute and decides it', async () => {
  const payment = await paid(api);
  const opened = await run(['trigger', 'dispute.created', '--payment', payment, '--amount', '1000']);
  assert.equal(opened.code, 0, opened.stderr);
  const { dispute, ...rest } = { dispute: JSON.parse(opened.stdout) };
  assert.deepEqual([dispute.status, dispute.amount, dispute.payment, rest], ['needs_response', 1_000, payment, {}]);
  const won = await run(['trigger', 'dispute.won', '--payment', payment]);
  assert.equal(JSON.parse(won.stdout).status, 'won');
  const none = await run(['trigger', 'dispute.lost', '--payment', payment]);
  assert.equal(none.code, 1);
  assert.match(none.stderr, /no open dispute/);
  assert.equal((await run(['trigger', 'dispute.created', '--payment', 'trx_test_nothing'])).code, 1);
});

test('accounts verify records the outcome, and GET shows it', async () => {
  const { id } = (await api.call('POST', '/accounts', { body: { name: 'B', email: 'b@shop.example' } })).body.account;
  assert.equal((await run(['accounts', 'verify', id, '--status', 'rejected'])).code, 0);
  const { account } = (await api.call('GET', `/accounts/${id}`)).body;
  assert.equal(account.verification ?? account.onboarding?.verification, 'rejected');
});
