import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { findTeam } from '../../src/tenants/teams/store.ts';
import { type CommandLine, openCommandLine, pirogue } from './command.ts';

let cli: CommandLine;
before(async () => {
  cli = await openCommandLine();
});
after(() => cli.close());

const AWA = ['--name', 'Chez Awa', '--email', 'awa@shop.example'];
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

test('teams create creates an unverified team and prints it', async () => {
  const { id, created_at, ...rest } = await cli.json('teams', 'create', ...AWA);
  assert.match(id, /^\d+$/);
  assert.match(created_at, MOMENT);
  assert.deepEqual(rest, {
    name: 'Chez Awa',
    email: 'awa@shop.example',
    plan: 'starter',
    verification_level: 0,
    default_currency: 'XAF',
    unique_references: false,
    hosted_retry: false,
    api_version: '2026-08-01',
    public_keys: 'contract',
    address: null,
    brand_color: null,
    payer_language: null,
    payer_language_always: false,
    tax_id: null,
  });
  assert.deepEqual(await findTeam(cli.control, BigInt(id)), { id: BigInt(id), created_at: new Date(created_at), ...rest });
});

test('teams create accepts plan and currency', async () => {
  const { plan, default_currency } = await cli.json('teams', 'create', ...AWA, '--plan', 'scale', '--currency', 'kes');
  assert.deepEqual({ plan, default_currency }, { plan: 'scale', default_currency: 'KES' });
});

test('teams create prints every value by name in the output for people', async () => {
  const { code, stdout, stderr } = await cli.run('teams', 'create', ...AWA);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  assert.match(stdout, /^id +\d+\nname +Chez Awa\nemail +awa@shop\.example\nplan +starter\nlevel +0\n/);
});

test('teams list shows teams newest first, as a table and as an array', async () => {
  const { id } = await cli.json('teams', 'create', '--name', 'Newest', '--email', 'n@shop.example');
  const teams = await cli.json('teams', 'list');
  assert.ok(teams.length >= 2);
  assert.deepEqual([teams[0].id, teams[0].name], [id, 'Newest']);
  assert.match(teams[0].created_at, MOMENT);
  const [heading, first] = (await cli.run('teams', 'list')).stdout.split('\n');
  assert.match(heading as string, /^ID +NAME +EMAIL +PLAN +LEVEL +CURRENCY +CREATED$/);
  assert.match(first as string, new RegExp(`^${id} +Newest +n@shop\\.example +starter +0 +XAF +2\\d+`));
});

test('teams list --limit reports that there are more', async () => {
  const { code, stdout, stderr } = await cli.run('teams', 'list', '--limit', '1', '--json');
  assert.equal(code, 0);
  assert.equal(JSON.parse(stdout).length, 1);
  assert.match(stderr, /only the newest 1 are shown/);
});

test('teams set changes the given fields and keeps the others', async () => {
  const before = await cli.json('teams', 'create', ...AWA);
  const all = [
    '--plan',
    'growth',
    '--name',
    'Awa & filles',
    '--email',
    'new@shop.example',
    '--currency',
    'XOF',
    '--unique-references',
    'on',
    '--hosted-retry',
    'on',
    '--api-version',
    '2026-08-01',
    '--public-keys',
    'pay-only',
  ];
  const changed = {
    ...before,
    plan: 'growth',
    name: 'Awa & filles',
    email: 'new@shop.example',
    default_currency: 'XOF',
    unique_references: true,
    hosted_retry: true,
    public_keys: 'pay-only',
  };
  assert.deepEqual(await cli.json('teams', 'set', before.id, ...all), changed);
  assert.deepEqual(await cli.json('teams', 'set', before.id, '--unique-references', 'off'), {
    ...changed,
    unique_references: false,
  });
  assert.equal((await cli.json('teams', 'set', before.id, '--hosted-retry', 'off')).hosted_retry, false);
});

test('teams set --public-keys writes an audit entry, and rejects other values', async () => {
  const { id } = await cli.json('teams', 'create', ...AWA);
  assert.equal((await cli.json('teams', 'set', id, '--public-keys', 'pay-only')).public_keys, 'pay-only');
  assert.equal((await cli.json('teams', 'set', id, '--public-keys', 'contract')).public_keys, 'contract');
  const entries = await cli.control.all<{ action: string }>(
    sql`select action from audit_entries where team_id = ${BigInt(id)} order by id`,
  );
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['team.create', 'team.update', 'team.update'],
  );
  const { code, stderr } = await cli.run('teams', 'set', id, '--public-keys', 'none');
  assert.equal(code, 2);
  assert.match(stderr, /Allowed choices are contract, pay-only/);
});

test('teams set stores the address and tax id of invoices, and an empty text removes them', async () => {
  const { id, address, tax_id } = await cli.json('teams', 'create', ...AWA);
  assert.deepEqual([address, tax_id], [null, null]);
  const set = await cli.json('teams', 'set', id, '--address', ' 12 rue Joss \r\n\n Douala', '--tax-id', ' P0123 ');
  assert.deepEqual([set.address, set.tax_id], ['12 rue Joss\nDouala', 'P0123']);
  const kept = await cli.json('teams', 'set', id, '--plan', 'growth');
  assert.deepEqual([kept.address, kept.tax_id], ['12 rue Joss\nDouala', 'P0123']);
  const removed = await cli.json('teams', 'set', id, '--address', '');
  assert.deepEqual([removed.address, removed.tax_id], [null, 'P0123']);
});

test('two concurrent changes of a team are both applied', async () => {
  const { id } = await cli.json('teams', 'create', ...AWA);
  const changes = [
    ['set', id, '--plan', 'growth'],
    ['verify', id, '--level', '2'],
  ];
  await Promise.all(changes.map((change) => pirogue(['teams', ...change], cli.env)));
  const team = await findTeam(cli.control, BigInt(id));
  assert.deepEqual([team?.plan, team?.verification_level], ['growth', 2]);
});

test('teams verify raises and lowers the verification level', async () => {
  const { id } = await cli.json('teams', 'create', ...AWA);
  assert.equal((await cli.json('teams', 'verify', id, '--level', '4')).verification_level, 4);
  assert.equal((await cli.json('teams', 'verify', id, '--level', '0')).verification_level, 0);
});

for (const args of [
  ['set', '404', '--plan', 'growth'],
  ['verify', '404', '--level', '1'],
]) {
  test(`teams ${args[0]} of an unknown team exits with 1 and prints no JSON`, async () => {
    const { code, stdout, stderr } = await cli.run('teams', ...args, '--json');
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.equal(stderr, 'pirogue: there is no team 404. "pirogue teams list" shows them.\n');
  });
}
