import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { type LiveTeam, openLiveTeam } from '../cli/live-team.ts';
import { line } from './fixture.ts';

let opened: LiveTeam;
let account: string;
before(async () => {
  opened = await openLiveTeam();
  const pairs = ['api_user=u', 'api_key=k', 'collection_subscription_key=c', 'target_environment=mtncameroon'];
  account = (await opened.cli.json('providers', 'add', 'mtn-momo', '--team', opened.team, '--set', ...pairs)).id;
});
after(() => opened.close());

function reconcile(lines: string[], ...more: string[]) {
  const { cli, team } = opened;
  const file = path.join(cli.dataDir, 'statement.csv');
  fs.writeFileSync(file, ['type,key,reference,amount,currency,fee,at,status', ...lines, ''].join('\n'));
  return cli.run('reconcile', '--provider', 'mtn-momo', '--file', file, '--team', team, '--report', cli.dataDir, ...more);
}

test('breaks list prints the breaks of a run as they are now, page by page', async () => {
  const { cli, team } = opened;
  const { stdout } = await reconcile(
    ['one', 'two', 'three'].map((key) => line('collect', key)),
    '--apply',
    '--json',
  );
  const { id, report } = JSON.parse(stdout);
  const head = fs.readFileSync(report.csv, 'utf8').split('\n')[0]?.split(',');
  const whole = await cli.json('breaks', 'list', id, '--team', team);
  assert.deepEqual(Object.keys(whole.items[0]), head);
  assert.deepEqual(
    whole.items.map((item: Record<string, unknown>) => [
      item.key,
      item.statement_amount,
      item.our_amount,
      item.state,
      item.outcome,
    ]),
    ['one', 'two', 'three'].map((key) => [key, '1000.00', null, 'held', 'in hold']),
  );
  assert.deepEqual(whole.meta, { has_more: false, next_cursor: '' });

  const number = whole.items[0].break;
  await cli.json('breaks', 'settle', id, number, '--as', 'platform', '--evidence', 'a top-up of ours', '--team', team);
  const page = await cli.run('breaks', 'list', id, '--limit', '2', '--team', team);
  assert.match(page.stdout, /missing_here +2 +one +fone +1,000 XAF +settled +settled as platform by .*: a top-up of ours\n/);
  const cursor = whole.items[1].break;
  assert.deepEqual([page.code, page.stderr], [0, `there are more: --cursor ${cursor}\n`]);
  const first = await cli.json('breaks', 'list', id, '--limit', '2', '--team', team);
  assert.deepEqual([first.items.length, first.meta], [2, { has_more: true, next_cursor: cursor }]);
  const last = await cli.json('breaks', 'list', id, '--limit', '2', '--cursor', cursor, '--team', team);
  assert.deepEqual([last.items, last.meta], [whole.items.slice(2), { has_more: false, next_cursor: '' }]);
});

test('breaks list rejects what is not a run of the team', async () => {
  const { cli, team } = opened;
  for (const [run, wanted, expected] of [
    ['rec_1', /rec_1 is not the id of a run/, 2],
    [newId('rec', 'live', 1), /the team has no run rec_/, 1],
  ] as const) {
    const { code, stderr } = await cli.run('breaks', 'list', run, '--team', team);
    assert.equal(code, expected);
    assert.match(stderr, wanted);
  }
});

test('the command that reconcile prints for an archived period makes the next run possible', async () => {
  const { cli, team, live } = opened;
  const at = new Date('2025-06-10T12:00:00Z');
  const [payment, attempt] = [newId('trx', 'live', at.getTime()), newId('att', 'live', at.getTime())];
  await live.run(sql`
    insert into payments (team_id, id, amount_minor, currency, status, channel, event_count, key_id, request_id, created_at, updated_at, expires_at)
    values (${team}, ${payment}, 100000, 'XAF', 'failed', 'cm.mtn', 2, 'k', 'r', ${at}, ${at}, ${at})`);
  await live.run(sql`
    insert into attempts (team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, provider_key, created_at,
      submitted_at, closed_at)
    values (${team}, ${attempt}, ${payment}, 'mtn-momo', ${account}, 'cm.mtn', 'failed', 100000, 'XAF', 'old', ${at}, ${at}, ${at})`);
  assert.equal((await cli.json('archive', '--older-than', '400d', '--team', team)).archived, 1);
  const lines = [line('collect', 'old', { at: at.toISOString(), status: 'failed' })];
  const refused = await reconcile(lines);
  const [, command] = /pirogue (archive --restore .*)\n$/.exec(refused.stderr) ?? assert.fail(refused.stderr);
  assert.match(command as string, new RegExp(`--team ${team} --environment live$`));
  assert.equal((await cli.json(...(command as string).split(' '))).restored, 1);
  const { code, stdout } = await reconcile(lines);
  assert.equal(code, 0, stdout);
});
