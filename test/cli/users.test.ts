import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { openSession } from '../../src/tenants/people/sessions.ts';
import { insertPasskey } from '../../src/tenants/people/factor-store.ts';
import { type CommandLine, openCommandLine } from './command.ts';

let cli: CommandLine;
let team: string;
before(async () => {
  cli = await openCommandLine();
  team = (await cli.json('teams', 'create', '--name', 'Chez Awa', '--email', 'awa@shop.example')).id;
});
after(() => cli.close());

test('users create makes a person with a role, and link prints a link that signs them in', async () => {
  const { id } = await cli.json(
    'users',
    'create',
    '--email',
    'awa@shop.example',
    '--name',
    'Awa',
    '--team',
    team,
    '--role',
    'owner',
  );
  assert.match(id, /^usr_/);
  assert.deepEqual(await cli.json('users', 'roles', id), [{ team_id: team, team_name: 'Chez Awa', role: 'owner' }]);
  const { url } = await cli.json('users', 'link', 'AWA@shop.example');
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/console\/link\/ulk_[0-9a-z]{26}\.[\w-]{22}$/);
  const [link] = await cli.control.all<{ kind: string; user_id: string; minutes: number }>(sql`
    select kind, user_id, round(extract(epoch from expires_at - created_at) / 60)::integer as minutes from user_links`);
  assert.deepEqual(link, { kind: 'sign_in', user_id: id, minutes: 10 });
  const twice = await cli.run('users', 'create', '--email', 'Awa@shop.example', '--name', 'Other');
  assert.deepEqual([twice.code, /belongs to a person already/.test(twice.stderr)], [1, true]);
  const entries = await cli.control.all(
    sql`select actor, action, resource_id from audit_entries where resource_id = ${id} order by id`,
  );
  assert.deepEqual(entries, [
    { actor: 'operator', action: 'person.create', resource_id: id },
    { actor: 'operator', action: 'person.join', resource_id: id },
    { actor: 'operator', action: 'person.link', resource_id: id },
  ]);
});

test('users roles gives, changes and removes a role, and a team keeps one owner', async () => {
  const { id } = await cli.json('users', 'create', '--email', 'blaise@shop.example', '--name', 'Blaise');
  const at = ['--team', team];
  assert.deepEqual(await cli.json('users', 'roles', id), []);
  const roleAfter = async (...change: string[]) => (await cli.json('users', 'roles', id, ...at, ...change))[0]?.role;
  assert.deepEqual([await roleAfter('--role', 'finance'), await roleAfter('--role', 'owner')], ['finance', 'owner']);
  assert.equal((await cli.run('users', 'roles', 'awa@shop.example', ...at, '--remove')).code, 0);
  const last = await cli.run('users', 'roles', id, ...at, '--remove');
  assert.deepEqual([last.code, /keeps at least one owner/.test(last.stderr)], [1, true]);
  assert.equal((await cli.run('users', 'roles', id, '--role', 'admin')).code, 2, 'without a team');
  assert.match((await cli.run('users', 'roles', 'nobody@shop.example')).stderr, /there is no person/);
});

test('users invite queues a mail, and not to whom is in the team', async () => {
  const { id } = await cli.json('users', 'invite', '--team', team, '--email', 'guest@shop.example', '--role', 'support');
  const [mail] = await cli.control.all<{ facts: { link: string; by: null } }>(sql`
    select facts from user_mails where recipient = 'guest@shop.example'`);
  assert.deepEqual([mail?.facts.link, mail?.facts.by], [id, null]);
  const again = await cli.run('users', 'invite', '--team', team, '--email', 'blaise@shop.example', '--role', 'owner');
  assert.match(again.stderr, /in the team already/);
});

test('an open invitation to an address ends when the person is in the team, and when they leave it', async () => {
  const at = ['--team', team];
  const invite = async (email: string) => (await cli.json('users', 'invite', ...at, '--email', email, '--role', 'admin')).id;
  const isOpen = async (id: string) =>
    (await cli.control.maybe<{ open: boolean }>(sql`select revoked_at is null as open from user_links where id = ${id}`))?.open;
  const create = async (name: string, ...more: string[]): Promise<string> =>
    (await cli.json('users', 'create', '--email', `${name}@Shop.example`, '--name', name, ...more)).id;
  const [created, joined, elsewhere] = [
    await invite('dora@shop.example'),
    await invite('emma@shop.example'),
    await invite('other@shop.example'),
  ];
  await create('Dora', ...at, '--role', 'support');
  assert.equal(await isOpen(created), false);
  const emma = await create('Emma');
  assert.equal(await isOpen(joined), true, 'not a member yet');
  await cli.json('users', 'roles', emma, ...at, '--role', 'support');
  assert.equal(await isOpen(joined), false);
  // One that was left open, as by an earlier release.
  await cli.control.run(sql`update user_links set revoked_at = null where id = ${joined}`);
  await cli.json('users', 'roles', emma, ...at, '--remove');
  assert.equal(await isOpen(joined), false);
  assert.equal(await isOpen(elsewhere), true);
});

test('users disable and clear-factors end every session', async () => {
  const { id } = await cli.json('users', 'create', '--email', 'c@shop.example', '--name', 'Carine', '--operator');
  const sessions = async () =>
    (
      await cli.control.all(sql`
    select id from console_sessions where user_id = ${id} and revoked_at is null`)
    ).length;
  const open = () => openSession(cli.control, id, { address: null, agent: 'test' }, Date.now());
  await open();
  await cli.json('users', 'disable', id);
  assert.equal(await sessions(), 0);
  assert.match((await cli.run('users', 'link', id)).stderr, /is disabled/);
  await cli.json('users', 'enable', id);
  await open();
  const key = { id: 'credential', user_id: id, public_key: Buffer.from([1]), counter: 0n, transports: [], name: 'phone' };
  await insertPasskey(cli.control, key);
  const listed = async () => (await cli.json('users', 'list')).find((user: { id: string }) => user.id === id);
  assert.equal((await listed()).second_factor, true);
  await cli.json('users', 'clear-factors', id);
  assert.deepEqual([await sessions(), (await listed()).second_factor, (await listed()).operator], [0, false, true]);
  const mails = await cli.control.all<{ change: string }>(sql`
    select facts->>'change' as change from user_mails where recipient = 'c@shop.example' and kind = 'security'`);
  assert.deepEqual(mails, [{ change: 'factors_cleared' }], 'a person who did not ask for it learns of it');
  const entries = await cli.control.all<{ action: string }>(sql`
    select action from audit_entries where resource_id = ${id} order by id`);
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['person.create', 'person.disable', 'person.enable', 'person.clear_factors'],
  );
  assert.match(
    (await cli.run('users', 'list', '--team', team)).stdout,
    /^ID +E-MAIL +NAME +TEAMS +SECOND FACTOR +STATUS +CREATED\nusr_/,
  );
});

test('users disable names the teams that are left without an owner who can sign in', async () => {
  const made = await cli.json('teams', 'create', '--name', 'Chez Didier', '--email', 'd@shop.example');
  const create = async (name: string, role: string) => {
    const person = ['--email', `${name}@two.example`, '--name', name, '--team', made.id, '--role', role];
    return (await cli.json('users', 'create', ...person)).id as string;
  };
  const [first, second, admin] = [
    await create('first', 'owner'),
    await create('second', 'owner'),
    await create('admin', 'admin'),
  ];
  const disable = async (id: string) => (await cli.json('users', 'disable', id)).teams_without_owner;
  assert.deepEqual([await disable(admin), await disable(first), await disable(second)], [[], [], [made.id]]);
  const { code, stdout, stderr } = await cli.run('users', 'disable', second);
  assert.deepEqual([code, stdout], [0, 'second@two.example is disabled, and every session has ended.\n']);
  assert.match(
    stderr,
    new RegExp(`^team ${made.id} \\(Chez Didier\\) has no owner left who can sign in: .* --team ${made.id} --role owner`),
  );
  const enabled = await cli.json('users', 'enable', second);
  assert.equal('teams_without_owner' in enabled, false);
});
