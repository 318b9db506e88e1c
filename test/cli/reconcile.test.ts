import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { DbPool } from '../../src/platform/db/pool.ts';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { type CommandLine, parsed } from './command.ts';
import { type LiveTeam, openLiveTeam } from './live-team.ts';

const AT = Date.parse('2026-03-10T12:00:00Z');
const HEAD = 'type,key,reference,amount,currency,fee,at,status';

let opened: LiveTeam;
let cli: CommandLine;
let live: DbPool;
let team: string;
let account: string;
before(async () => {
  opened = await openLiveTeam();
  ({ cli, live, team } = opened);
  const pairs = [
    'api_user=u',
    'api_key=k',
    'collection_subscription_key=c',
    'target_environment=mtncameroon',
    'base_url=http://127.0.0.1:9',
  ];
  account = (await cli.json('providers', 'add', 'mtn-momo', '--team', team, '--set', ...pairs)).id;
});
after(() => opened.close());

function statement(name: string, lines: string[], mark = ''): string {
  const file = path.join(cli.dataDir, name);
  fs.writeFileSync(file, mark + [HEAD, ...lines, ''].join('\r\n'));
  return file;
}

async function attempt(status: string, key: string): Promise<string> {
  const [payment, id, at] = [newId('trx', 'live', AT), newId('att', 'live', AT), new Date(AT)];
  await live.run(sql`
    insert into payments (team_id, id, amount_minor, currency, status, channel, event_count, key_id, request_id, created_at, updated_at, expires_at)
    values (${team}, ${payment}, 100000, 'XAF', 'processing', 'cm.mtn', 2, 'k', 'r', ${at}, ${at}, ${at})`);
  await live.run(sql`
    insert into attempts (team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, provider_key, created_at,
      submitted_at, closed_at)
    values (${team}, ${id}, ${payment}, 'mtn-momo', ${account}, 'cm.mtn', 'unknown', 100000, 'XAF', ${key}, ${at}, ${at}, null)`);
  // Through the program, so that the books have it too.
  if (status !== 'unknown') await cli.json('resolve', id, '--team', team, '--as', status, '--evidence', 'seen in the dashboard');
  return payment;
}

const line = (key: string, amount = '1000') => `collect,${key},f-${key},${amount},XAF,10,2026-03-10T12:00:03Z,succeeded`;
const reconcile = (file: string, ...more: string[]) =>
  cli.run('reconcile', '--provider', 'mtn-momo', '--file', file, '--team', team, '--report', cli.dataDir, ...more);

test('reconcile prints its findings, writes both reports and exits with 1 while breaks are open', async () => {
  await attempt('succeeded', 'same');
  const payment = await attempt('unknown', 'doubt');
  const file = statement('march.csv', [line('same'), line('doubt'), line('=cmd()', '70'), 'collect,broken'], '\ufeff');
  const { code, stdout, stderr, duration_ms } = await reconcile(file);
  assert.equal(code, 1);
  assert.ok(stderr === '' || duration_ms >= 10_000, `progress is for a terminal, and for long runs: ${stderr}`);
  assert.match(stdout, /matched +1\n/);
  assert.match(stdout, /line 5: 2 fields instead of 8/);
  assert.match(stdout, /Missing here +1 +1 open\nUnknown here +1 +1 open\n\nNothing was changed/);
  const { status } =
    (await live.maybe<{ status: string }>(sql`select status from payments where id = ${payment}`)) ?? assert.fail();
  assert.equal(status, 'processing');

  const document = await reconcile(file, '--apply', '--json');
  assert.deepEqual([document.code, document.stderr], [1, '']);
  const reported = JSON.parse(document.stdout);
  assert.deepEqual(reported.breaks, [
    { kind: 'missing_here', state: 'held', count: 1 },
    { kind: 'unknown', state: 'closed', count: 1 },
  ]);
  assert.match(reported.earlier, /^rec_/);
  const csv = fs.readFileSync(reported.report.csv, 'utf8').trim().split('\n');
  assert.equal(csv.length, 3);
  assert.match(
    csv[1] ?? '',
    /^\d+,missing_here,collect,4,'=cmd\(\),f-=cmd\(\),,,70\.00,XAF,2026-03-10T12:00:03\.000Z,succeeded,,,,,held,in hold$/,
  );
  const page = fs.readFileSync(reported.report.html, 'utf8');
  assert.match(page, /2 breaks between statement and books/);
  assert.match(page, /<code>=cmd\(\)<\/code>/);
  assert.doesNotMatch(page, /<script|https?:\/\//);

  const number = csv[1]?.split(',')[0] as string;
  const settled = await cli.json(
    'breaks',
    'settle',
    reported.id,
    number,
    '--as',
    'platform',
    '--evidence',
    'a top-up of ours',
    '--team',
    team,
  );
  assert.deepEqual(settled.booked, [{ currency: 'XAF', debit: 'hold', credit: 'fee_income', amount: '70.00' }]);
  const last = await reconcile(statement('clean.csv', [line('same'), line('doubt'), line('=cmd()', '70')]));
  assert.equal(last.code, 0, last.stdout);
  assert.equal((await cli.json('ledger', 'verify')).ok, true);
  assert.equal(parsed(await cli.run('audit', 'show', '--action', 'reconciliation.settle', '--json')).length, 1);
});

test('markup in a statement is escaped in the report', async () => {
  const file = statement('hostile.csv', [line('<img src=x onerror=alert(1)>', '1')]);
  const { report } = JSON.parse((await reconcile(file, '--json')).stdout);
  const page = fs.readFileSync(report.html, 'utf8');
  assert.match(page, /&lt;img src=x onerror=alert\(1\)&gt;/);
  assert.doesNotMatch(page, /<img/);
});

test('an error is one clear line: no file, no statement, no such account, two accounts, a day that is not over', async () => {
  const file = statement('some.csv', [line('same')]);
  const cases: [string[], RegExp, code?: number][] = [
    [['reconcile', '--provider', 'mtn-momo', '--file', '/nowhere.csv', '--team', team], /nowhere\.csv is not a file/],
    [['reconcile', '--provider', 'wave', '--file', file, '--team', team], /no such account at wave in live/],
    [['reconcile', '--provider', 'mtn-momo', '--file', file, '--team', team, '--to', '2099-01-01'], /not over/, 2],
    [
      ['reconcile', '--provider', 'mtn-momo', '--file', file, '--team', team, '--from', '2026-02-02', '--to', '2026-02-01'],
      /before --from/,
      2,
    ],
    [['reconcile', '--provider', 'mtn-momo', '--file', file, '--team', team, '--report', '/nowhere'], /is not a writable folder/],
    [
      ['breaks', 'settle', 'rec_1', '1', '--as', 'platform', '--evidence', 'their letter of today', '--team', team],
      /not the id of a run/,
      2,
    ],
  ];
  const refused = cases.map(async ([args, wanted, expected = 1]) => {
    const { code, stderr } = await cli.run(...args);
    assert.equal(code, expected, stderr);
    assert.match(stderr, wanted);
  });
  await Promise.all(refused);
  const other = path.join(cli.dataDir, 'other.csv');
  fs.writeFileSync(other, 'date;label\n1;2\n');
  assert.match(
    (await reconcile(other)).stderr,
    /not a statement of mtn-momo: the first line has no column type, amount, currency, at, status, key/,
  );
  fs.writeFileSync(other, '');
  assert.match((await reconcile(other)).stderr, /the file is empty/);
  const pairs = ['api_user=u', 'api_key=k', 'collection_subscription_key=c', 'target_environment=mtncameroon'];
  await cli.json('providers', 'add', 'mtn-momo', '--name', 'second', '--team', team, '--set', ...pairs);
  assert.match((await reconcile(file)).stderr, /several accounts.* --account: mtn-momo, second/);
  assert.equal((await reconcile(file, '--account', 'mtn-momo')).code, 0);
});
