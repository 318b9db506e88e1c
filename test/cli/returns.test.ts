import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DbPool } from '../../src/platform/db/pool.ts';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { exposition } from '../../src/edge/metrics/exposition.ts';
import { readReturns, returnFamilies } from '../../src/edge/metrics/returns.ts';
import type { CommandLine } from './command.ts';
import { type LiveTeam, openLiveTeam } from './live-team.ts';

const EVIDENCE = 'transfer 4711 in the dashboard';

let opened: LiveTeam;
let cli: CommandLine;
let live: DbPool;
let team: string;
before(async () => {
  opened = await openLiveTeam();
  ({ cli, live, team } = opened);
});
after(() => opened.close());

/** A payment that failed and whose money arrived after all, which nobody can return but a person. */
async function waiting(age_ms = 7_200_000): Promise<string> {
  const at = Date.now() - age_ms;
  const [payment, attempt, id] = [newId('trx', 'live', at), newId('att', 'live', at), newId('rtn', 'live', at)];
  const now = new Date(at);
  await live.run(sql`
    insert into payments (team_id, id, amount_minor, fee_minor, captured_minor, currency, status, channel, event_count, key_id, request_id,
      created_at, updated_at, expires_at)
    values (${team}, ${payment}, 100000, 2000, 100000, 'XAF', 'failed', 'cm.orange', 2, 'k', 'r', ${now}, ${now}, ${now})`);
  await live.run(sql`
    insert into attempts (team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, provider_key,
      must_return, created_at, closed_at)
    values (${team}, ${attempt}, ${payment}, 'orange-money', 'pa_1', 'cm.orange', 'succeeded', 100000, 'XAF', 'k', true, ${now}, ${now})`);
  await live.run(sql`
    insert into returns (team_id, id, payment_id, attempt_id, amount_minor, currency, state, note, waiting_since, announced_at, created_at,
      updated_at)
    values (${team}, ${id}, ${payment}, ${attempt}, 100000, 'XAF', 'waiting', 'no account pays out', ${now}, ${now}, ${now}, ${now})`);
  return id;
}

const gauges = async () => {
  const found = await readReturns(live, Date.now());
  return exposition(returnFamilies([[{ environment: 'live' }, found]]));
};

test('what waits for a person is listed with why, counted with its age, and gone once it is resolved with evidence', async () => {
  const id = await waiting();
  const listed = await cli.run('returns', 'list', '--json');
  assert.equal(listed.code, 1, 'one needs a person');
  const [row] = JSON.parse(listed.stdout);
  assert.deepEqual([row.id, row.amount, row.state, row.why], [id, 1000, 'waiting', 'no account pays out']);
  assert.match(await gauges(), /^pirogue_returns_open\{environment="live",state="waiting"\} 1$/m);
  const age = Number(/oldest_seconds\{environment="live",state="waiting"\} (\S+)/.exec(await gauges())?.[1]);
  assert.ok(age >= 7_200 && age < 9_000, String(age));
  const said = await cli.json('returns', 'resolve', id, '--evidence', EVIDENCE, '--author', 'Awa', '--team', team);
  assert.deepEqual([said.state, said.as, said.author], ['resolved', 'returned', 'Awa']);
  const again = await cli.run('returns', 'resolve', id, '--evidence', EVIDENCE, '--team', team);
  assert.deepEqual([again.code, /is resolved.*\. Nothing was changed\.\n$/.test(again.stderr)], [1, true]);
  const quiet = await cli.run('returns', 'list', '--json');
  assert.deepEqual([quiet.code, JSON.parse(quiet.stdout)], [0, []]);
  assert.match(await gauges(), /^pirogue_returns_open\{environment="live",state="waiting"\} 0$/m);
  const [entry] = await live.all<{ action: string }>(sql`select action from audit_entries where resource_id = ${id}`);
  assert.equal(entry?.action, 'return.resolve');
});

test('a shortened list has the oldest return, and says so', async () => {
  const newer = await waiting();
  const older = await waiting(10_800_000);
  const { stdout, stderr } = await cli.run('returns', 'list', '--json', '--limit', '1');
  assert.deepEqual(
    JSON.parse(stdout).map((row: { id: string }) => row.id),
    [older],
  );
  assert.match(stderr, /^only the oldest 1 are shown; --limit shows more$/m);
  for (const id of [newer, older]) await cli.json('returns', 'resolve', id, '--evidence', EVIDENCE, '--team', team);
});

test('a pending return can be retried', async () => {
  const id = await waiting();
  assert.equal((await cli.json('returns', 'retry', id, '--team', team)).state, 'owed');
});

test('an id of another kind is rejected with advice', async () => {
  const { code, stderr } = await cli.run('returns', 'resolve', 'rfd_x', '--evidence', EVIDENCE, '--team', team);
  assert.equal(code, 2);
  assert.match(stderr, /rtn_… of "pirogue returns list"/);
});
