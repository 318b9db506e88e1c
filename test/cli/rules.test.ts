import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Environment } from '../../src/kit/environment.ts';
import { newId } from '../../src/kit/ids.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { insertAccount } from '../../src/providers/provider-accounts/store.ts';
import { type CommandLine, openCommandLine } from './command.ts';

let cli: CommandLine;
let team: string;
before(async () => {
  cli = await openCommandLine();
  team = await newTeam();
  for (const name of ['kora', 'hub2']) await addAccount(name, 'live');
  await addAccount('kora', 'sandbox');
});
after(() => cli.close());

const newTeam = async () => (await cli.json('teams', 'create', '--name', 'Chez Awa', '--email', 'awa@shop.example')).id;

async function addAccount(name: string, environment: Environment): Promise<void> {
  const now = new Date();
  const row = {
    team_id: BigInt(team),
    environment,
    provider: 'simulator',
    name,
    active: true,
    costs: null,
    created_at: now,
    updated_at: now,
  };
  await insertAccount(cli.control, { ...row, id: newId('pa', environment, now.getTime()), credentials_sealed: 'sealed' });
}

const add = (...args: string[]) => cli.json('rules', 'add', '--team', team, ...args);
const list = (...args: string[]) => cli.json('rules', 'list', '--team', team, ...args);

describe('rules add', () => {
  test('stores every condition; the rule is in live and last by default', async () => {
    const rule = await add(
      ...['--country', 'cm,ci', '--channel', 'cm.mtn,cm.mtn', '--currency', 'xaf', '--min', '100', '--max', '5000.50'],
      ...['--operation', 'payout', '--order', 'hub2,kora', '--no-fallback', '--priority', '30'],
    );
    const { id, created_at, ...rest } = rule;
    assert.match(id, /^rul_[0-9a-z]{26}$/);
    assert.ok(!Number.isNaN(Date.parse(created_at)));
    assert.deepEqual(rest, {
      team_id: team,
      environment: 'live',
      priority: 30,
      operation: 'payout',
      countries: ['CM', 'CI'],
      channels: ['cm.mtn'],
      currencies: ['XAF'],
      min_amount: 100,
      max_amount: 5000.5,
      order: ['hub2', 'kora'],
      share: null,
      least_cost: false,
      fallback: false,
    });
    const next = await add('--share', 'kora=70,hub2=30');
    assert.deepEqual([next.priority, next.share, next.fallback], [40, { kora: 70, hub2: 30 }, true]);
    assert.deepEqual([(await add('--least-cost', '--priority', '5')).least_cost], [true]);
    assert.deepEqual(
      (await list()).map(({ priority }: { priority: number }) => priority),
      [5, 30, 40],
    );
    assert.deepEqual((await list('--environment', 'live'))[1], rule);
    assert.deepEqual(await list('--environment', 'sandbox'), []);
  });

  test('an account that the team does not have there exits with 1, lists its accounts and adds no rule', async () => {
    const before = await list();
    const { code, stdout, stderr } = await cli.run('rules', 'add', '--team', team, '--order', 'kora,korra');
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(stderr, /the team has no account "korra" in live\. .*It has kora, hub2\./);
    const elsewhere = await cli.run('rules', 'add', '--team', team, '--environment', 'sandbox', '--share', 'hub2=1');
    assert.match(elsewhere.stderr, /no account "hub2" in sandbox\. .*It has sandbox, kora\./);
    assert.deepEqual(await list(), before);
  });

  test('an unknown team exits with 1', async () => {
    const { code, stderr } = await cli.run('rules', 'add', '--team', '404', '--least-cost');
    assert.equal(code, 1);
    assert.match(stderr, /there is no team 404/);
  });

  const refused: [string[], RegExp][] = [
    [[], /exactly one of --order, --share and --least-cost/],
    [['--order', 'kora', '--least-cost'], /exactly one of/],
    [['--order', 'kora', '--min', '100'], /--min and --max need --currency/],
    [['--order', 'kora', '--currency', 'XAF', '--min', '100', '--max', '99'], /--min is above --max/],
    [['--order', ','], /at least one account/],
    [['--order', 'Kora!'], /small letters/],
    [['--share', 'kora'], /account=weight/],
    [['--share', 'kora=0'], /account=weight/],
    [['--share', 'kora=1,kora=2'], /account is listed twice/],
    [['--least-cost', '--country', 'zz'], /zz: unknown country\. Use some of CM/],
    [['--least-cost', '--channel', 'cm.none'], /cm\.none: unknown channel/],
    [['--least-cost', '--currency', 'XYZ'], /Use one of XAF/],
    [['--least-cost', '--currency', 'XAF', '--min', '1.005'], /at most two decimals/],
    [['--least-cost', '--priority', '-1'], /lower comes first/],
    [['--least-cost', '--operation', 'refund'], /collect, payout/],
  ];
  for (const [args, wanted] of refused) {
    test(`rules add ${args.join(' ')}: a usage error`, async () => {
      const { code, stdout, stderr } = await cli.run('rules', 'add', '--team', team, ...args);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
      assert.match(stderr, wanted);
    });
  }

  test('the service can read rules but not write them', async () => {
    const app = openPool({
      url: cli.databases.control,
      size: 1,
      role: 'pirogue_app',
      log: createLog({ level: 'silent', format: 'json' }),
    });
    try {
      assert.ok((await app.all(sql`select id from routing_rules`)).length > 0);
      await assert.rejects(app.run(sql`delete from routing_rules`), { code: '42501' });
    } finally {
      await app.close();
    }
  });
});

describe('rules list and remove', () => {
  test('the output for people has one line for each rule', async () => {
    const { stdout } = await cli.run('rules', 'list', '--team', team);
    assert.match(stdout, /^ID +ENVIRONMENT +PRIORITY +RULE\nrul_\w+ +live +5 +everything: the cheapest\n/);
    assert.match(stdout, /payouts on cm\.mtn of CM, CI in XAF from 100 to 5000\.5: hub2, then kora, no fallback/);
  });

  test('remove deletes a rule; a second remove fails', async () => {
    const { id } = await add('--least-cost');
    assert.equal((await cli.run('rules', 'remove', id)).stdout, `${id} is removed: no node applies it any more.\n`);
    assert.ok((await list()).every((rule: { id: string }) => rule.id !== id));
    const again = await cli.run('rules', 'remove', id);
    assert.deepEqual([again.code, again.stdout], [1, '']);
    assert.match(again.stderr, new RegExp(`there is no rule ${id}`));
    assert.equal((await cli.run('rules', 'remove', 'trx_1')).code, 2);
  });
});

describe('rules test', () => {
  const ask = ['--channel', 'cm.mtn', '--currency', 'XAF', '--amount', '5000', '--environment', 'sandbox'];

  test('prints the decision without charging', async () => {
    const explanation = await cli.json('rules', 'test', '--team', team, ...ask);
    const [first] = explanation.accounts;
    assert.deepEqual([explanation.by, explanation.amount, first.name, first.verdict], ['built_in', 5000, 'sandbox', 'chosen']);
  });

  test('the output for people shows the rule, the accounts to be tried and those excluded', async () => {
    const { id } = await add('--environment', 'sandbox', '--order', 'kora,sandbox', '--currency', 'XAF', '--max', '5000');
    const { stdout } = await cli.run('rules', 'test', '--team', team, ...ask);
    assert.match(stdout, new RegExp(`Rule ${id} \\(priority 10\\) decided: everything in XAF to 5000: kora, then sandbox\\.`));
    assert.match(stdout, /sandbox \(sandbox\) was chosen: number 2 in the rule\./);
    assert.match(stdout, /kora was left out: it is disabled, or no account has this name\./);
    const above = await cli.json('rules', 'test', '--team', team, ...ask.with(5, '5001'));
    assert.equal(above.rule, null);
  });

  test('a channel that does not support the currency exits with 2', async () => {
    const { code, stderr } = await cli.run(
      'rules',
      'test',
      '--team',
      team,
      '--channel',
      'cm.mtn',
      '--currency',
      'USD',
      '--amount',
      '1',
    );
    assert.equal(code, 2);
    assert.match(stderr, /cm\.mtn does not support USD\. .*It supports XAF/);
  });
});
