import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { connectClient, type DbClient } from '../../src/platform/db/client.ts';
import { sql } from '../../src/kit/sql.ts';
import { partitionCut } from '../db/partitioning.ts';
import { until } from '../setup/api.ts';
import { type CommandLine, openCommandLine, pirogue } from './command.ts';

let cli: CommandLine;
let client: DbClient;
before(async () => {
  cli = await openCommandLine();
  client = await connectClient(cli.databases.live);
  await client.query(`
    insert into event_sequences (team_id, resource_id, recorded_to)
    select case when n % 10 = 0 then 8 else 7 end, 'trx_' || n, n from generate_series(1, 1000) n`);
  await client.query('analyze event_sequences');
});
after(async () => {
  await client.end();
  await cli.close();
});

const rows = async () => (await client.query('select team_id, resource_id, recorded_to from event_sequences order by 1, 2')).rows;
const step = async () => (await client.query('select step from pirogue_partitions.conversions')).rows[0]?.step;
const waits = async () => {
  const { rows: found } = await client.query(
    `select count(*)::integer as n from pg_stat_activity where datname = current_database() and query like 'select pg_try_advisory_lock%' and state = 'idle'`,
  );
  return found[0]?.n;
};

describe('pirogue partition', () => {
  test('--check reports sizes, the share of the largest team and the state, and changes nothing', async () => {
    const { tables, environment } = await cli.json('partition', '--check');
    assert.equal(environment, 'live');
    assert.equal(tables.length, 9);
    const found = tables.find(({ table }: { table: string }) => table === 'event_sequences');
    assert.deepEqual([found.rows, found.partitions, found.unfinished, found.obstacles], [1_000, 0, null, []]);
    assert.ok(Math.abs(found.largest_team - 0.9) < 0.001);
    assert.ok(found.bytes > 50_000);
    const { stdout } = await cli.run('partition', 'event_sequences', '--check');
    assert.match(stdout, /^event_sequences +1,000 +0\.0 +90 % +one table$/m);
  });

  test('a second run says at once what runs, or waits; a killed run is continued by the next one', async () => {
    const before = await rows();
    // A reader that does not end keeps the tables from being switched.
    const reader = await connectClient(cli.databases.live);
    await reader.query('begin');
    await reader.query('select count(*) from event_sequences');
    let child: ChildProcess | undefined;
    const killed = pirogue(['partition', 'event_sequences'], cli.env, (running) => {
      child = running;
    });
    await until(step, (at) => at === 'switch', 60_000);
    const second = await cli.run('partition', 'transfers');
    assert.equal(second.code, 1);
    assert.match(
      second.stderr,
      /^pirogue: event_sequences is being partitioned \(switching the tables, 0 rows\), by the session pid \d+( from \S+)?, since 20\S+Z\. .*--wait/,
    );
    const waiting = cli.run('partition', 'transfers', '--wait');
    await until(waits, (found) => found === 1, 60_000);
    child?.kill('SIGKILL');
    assert.notEqual((await killed).code, 0);
    const { code, stdout, stderr } = await waiting;
    assert.deepEqual([code, stdout], [0, 'transfers  partitioned\n'], stderr);
    assert.match(stderr, /^event_sequences is being partitioned .*: waiting for its end$/m);
    const { tables } = await cli.json('partition', 'event_sequences', '--check');
    assert.equal(tables[0].unfinished.step, 'switch');
    assert.deepEqual(await rows(), before);
    await reader.query('commit');
    await reader.end();

    const other = await cli.run('partition', 'event_sequences', 'attempts', '--partitions', '16');
    assert.equal(other.code, 1);
    assert.match(
      other.stderr,
      /^pirogue: partitioning of event_sequences has begun with 8 partitions, not 16\. Leave out --partitions/,
    );
    assert.equal(await step(), 'switch');
    assert.deepEqual(await cli.json('partition', 'event_sequences'), {
      environment: 'live',
      tables: [{ table: 'event_sequences', result: 'partitioned' }],
    });
    assert.deepEqual(await rows(), before);
  });

  test('a table that is partitioned is left as it is, and another number of partitions is rejected', async () => {
    const { code, stderr } = await cli.run('partition', 'event_sequences', '--partitions', '32');
    assert.equal(code, 1);
    assert.match(stderr, /^pirogue: event_sequences has 8 partitions already, not 32\. /);
    assert.match((await cli.run('partition', 'event_sequences')).stdout, /^event_sequences +partitioned before$/m);
    assert.match((await cli.run('partition', 'event_sequences', '--check')).stdout, / 8 partitions$/m);
  });

  test('--abandon removes what is unfinished', async () => {
    assert.equal((await cli.json('partition', 'attempts', '--abandon')).tables[0].result, 'nothing to abandon');
    assert.ok(await partitionCut(cli.databases.live, 'attempts', ['index', 1]));
    assert.equal((await cli.json('partition', 'attempts', '--abandon', '--wait')).tables[0].result, 'abandoned');
    const { rows: left } = await client.query(`select to_regclass('pirogue_partitions.attempts') as copy`);
    assert.deepEqual(left, [{ copy: null }]);
  });

  test('what is in the way of any table is named before the first is changed, with exit code 1', async () => {
    await client.query('create view watched as select id from payments');
    const { code, stderr } = await cli.run('partition', 'attempts', 'payments');
    await client.query('drop view watched');
    assert.equal(code, 1);
    assert.match(stderr, /^pirogue: payments cannot be partitioned: .*view watched depends on it.*Remove what is in the way/);
  });

  test('each run that changed something has an entry in the audit trail', async () => {
    const entries = await cli.control.all<{ action: string; resource_id: string }>(
      sql`select action, resource_id from audit_entries order by id`,
    );
    assert.deepEqual(
      entries.map(({ action, resource_id }) => `${action} ${resource_id}`),
      [
        'table.partition live.event_sequences',
        'table.partition live.transfers',
        'table.partition live.event_sequences',
        'table.abandon live.attempts',
      ],
    );
  });
});
