import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import type { DbPool } from '../../src/platform/db/pool.ts';
import type { CommandLine } from './command.ts';
import { type LiveTeam, openLiveTeam } from './live-team.ts';

const EVIDENCE = ['--evidence', 'case 4711 of the card scheme', '--author', 'Awa'];

let opened: LiveTeam;
let cli: CommandLine;
let live: DbPool;
let team: string;
before(async () => {
  opened = await openLiveTeam();
  ({ cli, live, team } = opened);
});
after(() => opened.close());

/** A live payment of 1,000 by card that succeeded; nothing of it is available any more. */
async function paid(): Promise<string> {
  const id = newId('trx', 'live', Date.now());
  const now = new Date();
  await live.run(sql`
    insert into payments (team_id, id, amount_minor, fee_minor, captured_minor, currency, status, channel, event_count, key_id, request_id,
      created_at, updated_at, completed_at, expires_at)
    values (${team}, ${id}, 100000, 2000, 100000, 'XAF', 'succeeded', 'card', 3, 'k', 'r', ${now}, ${now}, ${now}, ${now})`);
  await live.run(sql`
    insert into settlement_items (team_id, payment_id, account_id, currency, amount_minor, share_minor, released_minor, release_at, released_at)
    values (${team}, ${id}, '', 'XAF', 0, 98000, 98000, ${now}, ${now})`);
  return id;
}

const disputes = (...args: string[]) => cli.json('disputes', ...args, ...EVIDENCE, '--team', team);

const sums = async () => {
  const rows = await live.all<{ account: string; posted: string }>(sql`
    select account, sum(amount)::text as posted from (
      select credit as account, amount_minor as amount from postings where team_id = ${team}
      union all select debit, -amount_minor from postings where team_id = ${team}) sides
    group by 1 having sum(amount) <> 0`);
  return Object.fromEntries(rows.map(({ account, posted }) => [account, Number(posted)]));
};

test('a chargeback in live is opened and lost by a person: the money is held back, then gone, and who recorded it stays', async () => {
  const payment = await paid();
  const opened = await disputes('open', payment, '--reason', 'product_not_received', '--amount', '400');
  assert.deepEqual(
    [opened.payment, opened.amount, opened.status, opened.reason, opened.note],
    [payment, 400, 'needs_response', 'product_not_received', 'opened by Awa: case 4711 of the card scheme'],
  );
  assert.deepEqual(await sums(), { credit: -40_000, disputed: 40_000 });
  const lost = await disputes('decide', opened.id, '--as', 'lost');
  assert.equal(lost.status, 'lost');
  assert.equal(lost.note, 'opened by Awa: case 4711 of the card scheme\nlost by Awa: case 4711 of the card scheme');
  assert.deepEqual(await sums(), { credit: -40_000, clearing: 40_000 });
  const events = await live.all<{ type: string }>(sql`select type from events where resource_id = ${opened.id} order by id`);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['dispute.created', 'dispute.closed'],
  );
  const trail = await live.all<{ action: string; actor: string }>(sql`
    select action, actor from audit_entries where resource_id = ${opened.id} order by action`);
  assert.deepEqual(trail, [
    { action: 'dispute.decide', actor: 'operator' },
    { action: 'dispute.open', actor: 'operator' },
  ]);
});

for (const [as, status] of [
  ['won', 'won'],
  ['withdrawn', 'closed'],
] as const)
  test(`a dispute that is ${as} returns the money, and cannot be decided again`, async () => {
    const before = await sums();
    const { id, amount } = await disputes('open', await paid());
    assert.equal(amount, 1_000);
    assert.equal((await disputes('decide', id, '--as', as)).status, status);
    assert.deepEqual(await sums(), before);
    const again = await cli.run('disputes', 'decide', id, '--as', 'lost', ...EVIDENCE, '--team', team);
    assert.deepEqual([again.code, /not possible any more/.test(again.stderr)], [1, true]);
  });

test('what cannot be recorded is refused with the reason', async () => {
  const payment = await paid();
  const refused = async (...args: string[]) => {
    const { code, stderr } = await cli.run('disputes', ...args, ...EVIDENCE, '--team', team);
    assert.notEqual(code, 0);
    return stderr;
  };
  assert.match(await refused('open', 'dsp_1'), /dsp_1 is not the id of a payment/);
  assert.match(await refused('open', newId('trx', 'live', Date.now())), /Payment Not Found/);
  assert.match(await refused('open', payment, '--amount', '1000.01'), /more than what was paid/);
  assert.match(await refused('open', payment, '--reason', 'Not Nice'), /small letters/);
  assert.match(await refused('decide', payment, '--as', 'won'), /is not the id of a dispute/);
  assert.match(await refused('decide', newId('dsp', 'live', Date.now()), '--as', 'stolen'), /Allowed choices/);
  assert.deepEqual(await live.all(sql`select 1 from disputes where payment_id = ${payment}`), []);
});
