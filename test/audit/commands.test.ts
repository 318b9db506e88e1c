// Own process: it takes about a minute or more.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Command } from 'commander';
import { type EntryRow, findEntries } from '../../src/tenants/audit/store.ts';
import { buildProgram } from '../../src/program/cli/program.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { newId } from '../../src/kit/ids.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { ensureDemoTeam } from '../../src/program/start/demo.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { ADMINISTERED, TYPED } from './administered.ts';
import { Office } from './office.ts';

/** Behind sudo the person counts. */
const OPERATOR = 'awa.operator';

let api: Api;
let office: Office;
let databases: Record<'control' | 'sandbox' | 'live', DbPool>;
before(async () => {
  api = await startApi();
  const env = {
    DATA_DIR: fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-audit-')),
    // What could stand for a second line of the table is left out.
    SUDO_USER: `${OPERATOR}\n`,
    CONTROL_DATABASE_URL: api.databases.control,
    SANDBOX_DATABASE_URL: api.databases.sandbox,
    LIVE_DATABASE_URL: api.databases.live,
  };
  const open = (url: string) => openPool({ url, size: 2, log: createLog({ level: 'silent', format: 'json' }) });
  databases = { control: open(api.databases.control), sandbox: open(api.databases.sandbox), live: open(api.databases.live) };
  office = new Office(api, env, databases);
});
after(async () => {
  await Promise.all([office.close(), ...Object.values(databases).map((database) => database.close())]);
  await api.stop();
  fs.rmSync(office.env.DATA_DIR as string, { recursive: true });
});

const run = (...args: string[]) => office.run(...args);
const json = (...args: string[]) => office.json(...args);

/** What changes nothing of anybody's, or the whole of it. */
const NO_ENTRY = [
  'start',
  'migrate',
  'teams list',
  'payments list',
  'payments show',
  'payments export',
  'refunds list',
  'refunds show',
  'transfers list',
  'transfers show',
  'balance',
  'customers list',
  'customers show',
  'keys list',
  'providers list',
  'providers kinds',
  'providers test',
  'float list',
  'rules list',
  'rules test',
  'explain',
  'compliance list',
  'returns list',
  'abuse show',
  'blocks list',
  'breaks list',
  'ledger verify',
  'ledger show',
  'ledger export',
  'audit show',
  'audit verify',
  'secrets status',
  // Ten minutes have to pass before it forgets anything: test/secrets holds its entry.
  'secrets prune',
  // As the key they call the API with: its entry, if there is one, is the key's.
  'listen',
  'events list',
  'events resend',
  'payments create',
  'backup',
  'restore',
  'doctor',
  'users list',
  'completion',
];

function leaves(command: Command, trail: string[] = []): string[] {
  if (command.commands.length === 0) return [trail.join(' ')];
  return command.commands.flatMap((child) => leaves(child, [...trail, child.name()]));
}

test('every command is in the table or needs no entry', () => {
  assert.deepEqual([...Object.keys(ADMINISTERED), ...NO_ENTRY].sort(), leaves(buildProgram()).sort());
});

function told({ actor, actor_id, address, action, resource_id }: EntryRow) {
  return { actor, actor_id, address, action, resource_id };
}

describe('an administrative command leaves an entry by the operator, in the database it changed', () => {
  for (const [name, acts] of Object.entries(ADMINISTERED)) {
    test(name, async () => {
      for (const { action, database = 'control', act } of acts(office)) {
        const resource_id = await act();
        const found = await findEntries(databases[database], { resource_id, action }, 10);
        const by = { actor: 'operator', actor_id: OPERATOR, address: os.hostname() };
        assert.deepEqual(found.map(told), [{ ...by, action, resource_id }]);
        assert.match(found[0]?.request_id as string, /^req_[0-9a-z]{26}$/);
      }
    });
  }
});

test('the demo team and its keys are created by the service, once', async () => {
  const data_dir = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-audit-demo-'));
  const config = readConfig({ DATA_DIR: data_dir });
  const { team } = await ensureDemoTeam(config, databases.control, new Date());
  await ensureDemoTeam(config, databases.control, new Date());
  fs.rmSync(data_dir, { recursive: true });
  const found = await findEntries(databases.control, { team_id: BigInt(team) }, 10);
  assert.deepEqual(
    found.map(({ action, actor, actor_id }) => `${action} ${actor} ${actor_id}`),
    ['team.create worker null', ...Array.from({ length: 4 }, () => 'key.create worker null')],
  );
});

test('a rejected command leaves no entry', async () => {
  const count = async () => (await findEntries(databases.control, {}, 1_000)).length;
  const earlier = await count();
  const refused = [
    ['keys', 'revoke', newId('key', 'live', 1)],
    ['teams', 'set', '1', '--plan', 'scale'],
    ['rules', 'remove', newId('rul', 'live', 1)],
    ['providers', 'disable', newId('pa', 'live', 1)],
    ['keys', 'create', '--team', '1', '--environment', 'live', '--kind', 'secret'],
  ];
  for (const args of refused) assert.equal((await run(...args)).code, 1, args.join(' '));
  assert.equal(await count(), earlier);
});

test('audit show lists all entries, newest first, filtered by every option', async () => {
  const id = await office.key();
  await json('keys', 'revoke', id);
  const [revoked, created, ...more] = await json('audit', 'show', '--resource', id);
  assert.deepEqual([revoked.action, created.action, more.length], ['key.revoke', 'key.create', 0]);
  const { entry, seal, tx, created_at, request_id, ...rest } = revoked;
  assert.deepEqual(rest, {
    database: 'control',
    team_id: String(api.team.id),
    actor: 'operator',
    actor_id: OPERATOR,
    address: os.hostname(),
    action: 'key.revoke',
    resource_id: id,
  });
  for (const text of [entry, tx, created_at, request_id]) assert.equal(typeof text, 'string');
  const ids = async (...args: string[]) => {
    const rows = await json('audit', 'show', ...args);
    return rows.map(({ action, resource_id }: EntryRow) => `${action} ${resource_id}`);
  };
  assert.deepEqual(await ids('--request', request_id), [`key.revoke ${id}`]);
  assert.deepEqual(await ids('--resource', id, '--action', 'key.create'), [`key.create ${id}`]);
  assert.deepEqual(await ids('--resource', id, ...office.team, '--by', OPERATOR, '--since', '2026-01-01', '--limit', '2'), [
    `key.revoke ${id}`,
    `key.create ${id}`,
  ]);
  const newest = await run('audit', 'show', '--limit', '1');
  assert.deepEqual([newest.stdout.trimEnd().split('\n').length, newest.stderr.match(/only the newest/g)?.length], [2, 1]);
  assert.deepEqual(await ids('--resource', id, '--team', '1'), []);
  assert.deepEqual(await ids('--resource', id, '--since', '2999-01-01T00:00:00Z'), []);
  assert.deepEqual(await ids('--resource', id, '--database', 'live'), []);
  const text = await run('audit', 'show', '--resource', id);
  assert.match(text.stdout, new RegExp(`control +${api.team.id} +key\\.revoke +${id} +${OPERATOR} +\\S+ +req_`));
  const wrong = await run('audit', 'show', '--action', 'key.lose');
  assert.deepEqual([wrong.code, /Use one of payment\.charge/.test(wrong.stderr)], [2, true]);
});

test('audit verify: the trail of the control database is sealed on write; changes are detected in all three trails', async () => {
  await office.key();
  await until(
    () => json('audit', 'verify'),
    (outcome) => outcome.ok && outcome.databases[0].seals > 0,
  );
  const { ok, databases: seen } = await json('audit', 'verify');
  assert.equal(ok, true);
  assert.deepEqual(
    seen.map(({ database }: { database: string }) => database),
    ['control', 'sandbox', 'live'],
  );
  assert.match(seen[0].last_seal, /^[0-9a-f]{64}$/);
  assert.match((await run('audit', 'verify')).stdout, /^control {2}the trail is intact: \d+ seals?, \d+ unsealed\n/);
  await databases.control.run(sql`update audit_entries set actor_id = 'nobody' where id = (select min(id) from audit_entries)`);
  const text = await run('audit', 'verify');
  assert.equal(text.code, 1);
  assert.match(
    text.stdout,
    /^BROKEN {2}control, seal 1: entries of transactions .*: seal_broken\n {2}expected .*\n {2}found .*\n {2}→ /,
  );
  const broken = await run('audit', 'verify', '--json');
  assert.equal(broken.code, 1);
  const outcome = JSON.parse(broken.stdout);
  assert.deepEqual([outcome.ok, outcome.databases[0].ok, outcome.databases[1].ok], [false, false, true]);
  assert.equal(outcome.databases[0].faults[0].check, 'seal_broken');
});

test('none of the three trails contains personal data', async () => {
  for (const database of Object.values(databases)) {
    const rows = await database.all<{ row: string }>(sql`select e::text as row from audit_entries e`);
    for (const { row } of rows) for (const personal of TYPED) assert.ok(!row.includes(personal), `${personal} in ${row}`);
  }
});
