import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import { type CommandLine, openCommandLine } from './command.ts';

let cli: CommandLine;
let team: string;
before(async () => {
  cli = await openCommandLine();
  team = (await cli.json('teams', 'create', '--name', 'Chez Awa', '--email', 'awa@shop.example')).id;
});
after(() => cli.close());

const PAYMENT = newId('trx', 'sandbox', Date.now());
const EVIDENCE = ['--evidence', 'their statement of today'];
const RECONCILE = ['reconcile', '--provider', 'mtn-momo', '--file', import.meta.filename];

/** Values that the command line alone shows to be wrong, and that no parser of an option rejects. */
const WRONG: [args: string[], says: RegExp][] = [
  [['payments', 'refund', PAYMENT, '--amount', 'all'], /all is not an amount/],
  [['payments', 'create', '--amount', 'ten', '--currency', 'XAF', '--phone', '+237650000000'], /ten is not an amount/],
  [['sandbox', 'fund', '--currency', 'XAF', '--amount', '0'], /0 is not an amount/],
  [['sandbox', 'fund', '--currency', 'XAF', '--amount', '1.5'], /XAF has no decimals/],
  [['disputes', 'open', PAYMENT, '--amount', '-1', ...EVIDENCE], /-1 is not an amount/],
  [['trigger', 'dispute.created', '--payment', PAYMENT, '--amount', 'all'], /all is not an amount/],
  [['trigger', 'invoice.paid'], /invoice\.paid cannot be triggered/],
  [['archive', '--older-than', '30d'], /the last 365 days are not archived/],
  [['archive', '--restore', PAYMENT, newId('trx', 'live', Date.now())], /not ids of payments of one environment/],
  [['ledger', 'export', '--from', '2026-02-02', '--to', '2026-02-01'], /--to is before --from/],
  [[...RECONCILE, '--from', '2026-02-02', '--to', '2026-02-01'], /--to is before --from/],
  [[...RECONCILE, '--to', '2099-01-01'], /the day of --to is not over/],
  [['providers', 'add', 'nobody'], /unknown provider "nobody"/],
  [['providers', 'add', 'mtn-momo', '--set', 'x'], /form name=value/],
  [['providers', 'test', PAYMENT], /is not the id of an account/],
  [['float', 'set', PAYMENT, '--currency', 'XAF', '--alert-below', '500'], /is not the id of an account/],
  [['rules', 'test', '--channel', 'cm.mtn', '--currency', 'USD', '--amount', '1'], /cm\.mtn does not support USD/],
  [['resolve', PAYMENT, '--as', 'failed', ...EVIDENCE], /is not the id of an attempt, a transfer or a refund/],
  [['returns', 'resolve', PAYMENT, ...EVIDENCE], /is not the id of a return/],
  [['returns', 'retry', PAYMENT], /is not the id of a return/],
  [['disputes', 'open', 'dsp_1', ...EVIDENCE], /is not the id of a payment/],
  [['disputes', 'decide', PAYMENT, '--as', 'won', ...EVIDENCE], /is not the id of a dispute/],
  [['breaks', 'list', PAYMENT], /is not the id of a run/],
  [['breaks', 'settle', PAYMENT, '1', '--as', 'platform', ...EVIDENCE], /is not the id of a run/],
  [['accounts', 'verify', PAYMENT], /is not the id of an account/],
  [['compliance', 'approve', PAYMENT], /is not the id of a customer/],
];

const WITHOUT_TEAM = /^(payments create|trigger invoice|providers test|float|ledger)/;

test('a value that is found to be wrong only when it is used exits with 2, on one line', async () => {
  const ended = [];
  for (const [args, says] of WRONG) {
    const name = args.join(' ');
    const { code, stdout, stderr } = await cli.run(...args, ...(WITHOUT_TEAM.test(name) ? [] : ['--team', team]));
    assert.match(stderr, says, name);
    assert.deepEqual([stdout, stderr.split('\n').length], ['', 2], name);
    if (code !== 2) ended.push(`${code} ${name}`);
  }
  assert.deepEqual(ended, []);
});

test('what does not exist exits with 1', async () => {
  const id = (prefix: 'pa' | 'rtn') => newId(prefix, 'live', Date.now());
  for (const args of [
    ['returns', 'resolve', id('rtn'), ...EVIDENCE, '--team', team],
    ['providers', 'test', id('pa')],
    ['sandbox', 'fund', '--currency', 'XAF', '--amount', '5', '--team', '404'],
    [...RECONCILE.with(-1, '/nowhere.csv'), '--team', team],
  ]) {
    assert.equal((await cli.run(...args)).code, 1, args.join(' '));
  }
});
