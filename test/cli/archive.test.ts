import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { type CommandLine, openCommandLine } from './command.ts';

const AT = Date.now() - 3 * 365 * 86_400_000;

let cli: CommandLine;
let store: DbPool;
let team_id: bigint;
let old: string[];
const ids: string[] = [];
before(async () => {
  cli = await openCommandLine();
  team_id = BigInt((await cli.json('teams', 'create', '--name', 'Chez Awa', '--email', 'awa@shop.example')).id);
  old = ['--older-than', '2y', '--team', String(team_id)];
  store = openPool({ url: cli.databases.live, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  for (const status of ['failed', 'failed', 'pending']) ids.push(await insert(status));
});
after(async () => {
  await store.close();
  await cli.close();
});

async function insert(status: string): Promise<string> {
  const at = new Date(AT + ids.length);
  const [id, attempt] = [newId('trx', 'live', at.getTime()), newId('att', 'live', at.getTime())];
  await store.run(sql`
    insert into payments (team_id, id, amount_minor, currency, status, channel, details, key_id, request_id, created_at, updated_at, expires_at)
    values (${team_id}, ${id}, 500000, 'XAF', ${status}, 'cm.mtn', ${JSON.stringify({ metadata: { order: 'A'.repeat(400) } })}, 'key', 'req',
      ${at}, ${at}, ${at})`);
  await store.run(sql`
    insert into attempts (team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, provider_key, message,
      created_at, submitted_at, closed_at)
    values (${team_id}, ${attempt}, ${id}, 'mtn-momo', 'pa_1', 'cm.mtn', 'failed', 500000, 'XAF', ${attempt}, 'not enough money', ${at}, ${at}, ${at})`);
  return id;
}

describe('pirogue archive', () => {
  test('a team that does not exist is an error', async () => {
    const { code, stderr } = await cli.run('archive', '--older-than', '2y', '--team', '424242', '--dry-run');
    assert.equal(code, 1);
    assert.match(stderr, /there is no team 424242/);
  });

  test('--dry-run counts and changes nothing', async () => {
    const { archived, left, bytes_before, bytes_after, dry_run } = await cli.json('archive', ...old, '--dry-run');
    assert.deepEqual([archived, left, bytes_after, dry_run], [2, { not_final: 1 }, 0, true]);
    assert.ok(bytes_before > 0);
    assert.equal((await store.all(sql`select 1 from payments where archived is not null`)).length, 0);
  });

  test('archives, says how much smaller the rows are, and leaves the rest with its reason', async () => {
    const before = await cli.run('explain', ids[0] as string);
    const { code, stdout } = await cli.run(
      'archive',
      '--before',
      new Date(AT + 86_400_000).toISOString().slice(0, 10),
      ...old.slice(2),
    );
    assert.equal(code, 0);
    assert.match(stdout, /^archived +2$/m);
    assert.match(stdout, /^left: not final +1$/m);
    const [, was, is] = /rows in bytes +([\d,]+) before, ([\d,]+) now/.exec(stdout) ?? [];
    assert.ok(Number(is?.replace(',', '')) < Number(was?.replace(',', '')), stdout);
    assert.deepEqual((await cli.run('explain', ids[0] as string)).stdout, before.stdout);
    const { archived, before: earlier } = await cli.json('archive', ...old);
    assert.deepEqual([archived, earlier], [0, 2]);
  });

  test('the ledger is verified with archived payments', async () => {
    assert.equal((await cli.json('ledger', 'verify', '--environment', 'live')).ok, true);
  });

  test('--restore restores payments by id, and those of a period', async () => {
    const team = ['--team', String(team_id)];
    assert.equal((await cli.json('archive', '--restore', ids[0] as string, ...team)).restored, 1);
    assert.equal((await cli.json('archive', '--restore', '--from', '2020-01-01', '--before', '2030-01-01', ...team)).restored, 1);
    assert.equal((await store.all(sql`select 1 from attempts where team_id = ${team_id}`)).length, 3);
  });

  const wrong: [string[], number, RegExp][] = [
    [['--older-than', '364d'], 2, /payments of the last 365 days are not archived/],
    [['--before', new Date().toISOString().slice(0, 10)], 2, /payments of the last 365 days are not archived/],
    [[], 2, /give --before or --older-than/],
    [['--older-than', '3'], 2, /Use days or years/],
    [['--older-than', '3y', '--before', '2020-01-01'], 2, /cannot be used with/],
    [['--older-than', '3y', 'trx_1'], 2, /are given with --restore/],
    [['--restore'], 2, /give either the payments to restore, or --from and --before/],
    [['--restore', 'trx_1'], 2, /not ids of payments of one environment/],
  ];
  for (const [args, code, text] of wrong) {
    test(`archive ${args.join(' ')} is rejected`, async () => {
      const ended = await cli.run('archive', ...args);
      assert.equal(ended.code, code, ended.stderr);
      assert.match(ended.stderr, text);
    });
  }
});
