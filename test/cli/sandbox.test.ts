import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { post } from '../../src/money/ledger/post.ts';
import { type Api, startApi } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';
import { parsed, pirogue } from './command.ts';

let api: Api;
let team: string[];
before(async () => {
  api = await startApi();
  team = ['--team', String(api.team.id)];
});
after(() => api.stop());

const command = (...args: string[]) =>
  pirogue(args, {
    CONTROL_DATABASE_URL: api.databases.control,
    SANDBOX_DATABASE_URL: api.databases.sandbox,
    LIVE_DATABASE_URL: api.databases.live,
  });
const run = (args: string[]) => command(...args, ...team, '--json');

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

test('sandbox fund prints the balance that results: an advance of the platform is repaid from it first', async () => {
  const advance = { team_id: api.team.id, kind: 'credit.drawn', source_id: 'adv_1', subject_id: 'adv_1', currency: 'GHS' };
  await api.deps.stores.sandbox.db.transaction((tx) =>
    post(tx, [{ ...advance, postings: [{ debit: 'credit', credit: 'clearing', amount_minor: 300_00n }] }]),
  );
  const fund = ['sandbox', 'fund', '--currency', 'GHS', '--amount'];
  const { amount, balance } = parsed(await run([...fund, '100']));
  assert.deepEqual([amount, balance.available, balance.credit], [100, 0, -200]);
  const text = await command(...fund, '450', ...team);
  assert.match(text.stdout, /^added +450\.00 GHS\navailable +250\.00 GHS now [^\n]*\n$/, text.stderr);
});

test('what is written to a store is written for a team that exists', async () => {
  const evidence = ['--evidence', 'statement of 21 November'];
  const commands: string[][] = [
    ['sandbox', 'fund', '--currency', 'XOF', '--amount', '1'],
    ['sandbox', 'clock', 'advance', '1h'],
    ['accounts', 'verify', newId('acct', 'sandbox', 1)],
    ['trigger', 'dispute.created', '--payment', newId('trx', 'sandbox', 1)],
    ['disputes', 'open', newId('trx', 'live', 1), ...evidence],
    ['returns', 'resolve', newId('rtn', 'live', 1), ...evidence],
    ['compliance', 'approve', newId('cus', 'live', 1)],
  ];
  for (const args of commands) {
    const { code, stderr } = await command(...args, '--team', '404');
    assert.deepEqual([code, stderr], [1, 'pirogue: there is no team 404. "pirogue teams list" shows them.\n'], args.join(' '));
  }
  assert.deepEqual(await api.deps.stores.sandbox.db.all(sql`select source_id from journals where team_id = 404`), []);
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
