import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { mtnMomoSimulator } from '../../simulators/mtn-momo/index.ts';
import { orangeMoneySimulator } from '../../simulators/orange-money/index.ts';
import { startSimulator, type Simulator } from '../../simulators/kit/simulator.ts';
import { type CommandLine, openCommandLine, parsed, pirogue } from './command.ts';

const SECRET = 'canary-of-the-api-key-0123456789';

let cli: CommandLine;
let team: string;
let simulator: Simulator;
let file: string;
before(async () => {
  cli = await openCommandLine();
  team = (await cli.json('teams', 'create', '--name', 'Chez Awa', '--email', 'awa@shop.example')).id;
  simulator = await startSimulator(mtnMomoSimulator);
  file = path.join(cli.dataDir, 'credentials.json');
  fs.writeFileSync(file, JSON.stringify(simulator.credentials));
});
after(async () => {
  await simulator.stop();
  await cli.close();
});

const add = (...args: string[]) => cli.json('providers', 'add', 'mtn-momo', '--team', team, '--credentials', file, ...args);

test('providers add seals the credentials and prints none of them', async () => {
  const { id, callback_url, credentials, ...rest } = await add(
    '--name',
    'mtn-cameroon',
    '--cost',
    'mobile_money=1.5%+10,payout=1%',
  );
  assert.match(id, /^pa_[0-9a-z]{26}$/);
  assert.ok(callback_url.endsWith(`/_callbacks/${id}`));
  assert.equal(credentials, undefined);
  assert.deepEqual(
    [rest.team_id, rest.environment, rest.provider, rest.name, rest.active],
    [team, 'live', 'mtn-momo', 'mtn-cameroon', true],
  );
  assert.deepEqual(rest.costs, {
    mobile_money: { percent_hundredths: 150, fixed_minor: 1_000 },
    payout: { percent_hundredths: 100, fixed_minor: 0 },
  });
  const rows = await cli.control.all<{ row: string }>(sql`select t::text as row from provider_accounts t`);
  for (const value of [simulator.credentials.api_key, simulator.credentials.collection_subscription_key]) {
    assert.ok(rows.every(({ row }) => !row.includes(value as string)));
  }
});

test('providers add reads secrets from the environment, so that no other user sees them on the command line', async () => {
  const { api_key, ...rest } = JSON.parse(fs.readFileSync(file, 'utf8'));
  const others = path.join(cli.dataDir, 'others.json');
  fs.writeFileSync(others, JSON.stringify(rest));
  const args = ['providers', 'add', 'mtn-momo', '--team', team, '--name', 'mtn-env', '--credentials', others];
  const added = parsed(await pirogue([...args, '--set-env', 'api_key=MTN_KEY', '--json'], { ...cli.env, MTN_KEY: api_key }));
  assert.equal((await cli.json('providers', 'test', added.id)).works, true);
  const missing = await cli.run(...args, '--set-env', 'api_key=NOT_SET_ANYWHERE');
  assert.match(missing.stderr, /NOT_SET_ANYWHERE is not set/);
});

test('providers test queries the provider without moving money; exit code 1 when it does not respond', async () => {
  const { id } = await add('--name', 'mtn-tested');
  const tested = await cli.json('providers', 'test', id);
  assert.deepEqual([tested.works, tested.provider], [true, 'mtn-momo']);
  assert.ok(tested.offers.includes('cm.mtn XAF'));
  assert.equal(simulator.book.entries().length, 0);
  const wrong = await add('--name', 'mtn-wrong', '--set', `api_key=${SECRET}`);
  const { code, stdout, stderr } = await cli.run('providers', 'test', wrong.id);
  assert.equal(code, 1);
  assert.ok(!(stdout + stderr).includes(SECRET));
});

test('providers test: an account without a request that moves no money is not tested, and counts neither as working nor as broken', async () => {
  const credentials = orangeMoneySimulator.credentials('http://127.0.0.1:1');
  const set = Object.entries(credentials).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  const { id } = await cli.json('providers', 'add', 'orange-money', '--team', team, ...set);
  assert.equal((await cli.json('providers', 'test', id)).works, null);
  const { code, stdout } = await cli.run('providers', 'test', id);
  assert.equal(code, 0);
  assert.match(stdout, /^answers +has no request that moves no money$/m);
});

test('providers list, disable and enable', async () => {
  const { id } = await add('--name', 'mtn-switched');
  const statusOf = async () => {
    const rows = await cli.json('providers', 'list', '--team', team);
    return rows.find((row: { id: string }) => row.id === id).active;
  };
  assert.equal(await statusOf(), true);
  await cli.json('providers', 'disable', id);
  assert.equal(await statusOf(), false);
  await cli.json('providers', 'enable', id);
  assert.equal(await statusOf(), true);
});

test('providers kinds explains the credentials of each kind', async () => {
  const kinds = await cli.json('providers', 'kinds');
  const mtn = kinds.find(({ provider }: { provider: string }) => provider === 'mtn-momo');
  assert.ok(mtn.credentials.some(({ name, required }: { name: string; required: boolean }) => name === 'api_key' && required));
  assert.ok(
    kinds.every(({ credentials }: { credentials: { description: string }[] }) =>
      credentials.every(({ description }) => description),
    ),
  );
});

const REFUSED: [what: string, args: string[], says: RegExp][] = [
  ['an unknown kind', ['providers', 'add', 'nobody'], /unknown provider "nobody".*pawapay/s],
  ['missing credentials', ['providers', 'add', 'mtn-momo', '--set', 'api_user=u'], /api_key is missing/],
  [
    'an unknown credential',
    ['providers', 'add', 'mtn-momo', '--set', `surprise=${SECRET}`],
    /surprise is not a credential of this provider/,
  ],
  [
    'a damaged signing key',
    ['providers', 'add', 'pawapay', '--set', 'api_token=t', '--set', 'signing_key=-----BEGIN PRIVATE KEY-----'],
    /cannot be used/,
  ],
  [
    'a key of test mode for live',
    [
      ...['providers', 'add', 'flutterwave', '--set', `secret_key=FLWSECK_TEST-${SECRET}`],
      ...['--set', 'secret_hash=h', '--set', 'customer_email=payments@shop.example'],
    ],
    /secret_key is of Flutterwave's test mode, but the account is in live/,
  ],
  ['a pair without a name', ['providers', 'add', 'mtn-momo', '--set', 'x'], /name=value/],
  ['a file that is not there', ['providers', 'add', 'mtn-momo', '--credentials', '/nowhere'], /cannot be read/],
  ['an account that is not there', ['providers', 'disable', 'pa_00000000000000000000000000'], /no usable account/],
  ['text that is no id', ['providers', 'test', 'x'], /x is not the id of an account/],
  ['a cost in another form', ['providers', 'add', 'mtn-momo', '--cost', 'cheap'], /is not a cost/],
  ['a name with spaces', ['providers', 'add', 'mtn-momo', '--name', 'My MTN'], /small letters/],
];
for (const [what, args, says] of REFUSED) {
  test(`${what}: one clear line, without secrets`, async () => {
    const { code, stdout, stderr } = await cli.run(...args, ...(args[1] === 'add' ? ['--team', team] : []));
    assert.notEqual(code, 0);
    assert.match(stderr, says);
    assert.ok(!(stdout + stderr).includes(SECRET));
  });
}

test('the name of an account is unique in each environment', async () => {
  await add('--name', 'once');
  await add('--name', 'once', '--environment', 'sandbox');
  const { code, stderr } = await cli.run('providers', 'add', 'mtn-momo', '--team', team, '--credentials', file, '--name', 'once');
  assert.equal(code, 1);
  assert.match(stderr, /has an account "once"/);
});
