import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import type { DbPool } from '../../src/platform/db/pool.ts';
import { type CommandLine, parsed, pirogue } from './command.ts';
import { type LiveTeam, openLiveTeam } from './live-team.ts';

const EVIDENCE = 'statement of 21 November, line 3';

let opened: LiveTeam;
let cli: CommandLine;
let live: DbPool;
let team: string;
before(async () => {
  opened = await openLiveTeam();
  ({ cli, live, team } = opened);
});
after(() => opened.close());

/** A payment whose one attempt nobody can tell the outcome of. */
async function unknown(status = 'unknown', age_ms = 600_000): Promise<{ payment: string; attempt: string }> {
  const at = Date.now() - age_ms;
  const [payment, attempt] = [newId('trx', 'live', at), newId('att', 'live', at)];
  const now = new Date(at);
  await live.run(sql`
    insert into payments (team_id, id, amount_minor, fee_minor, currency, status, channel, event_count, key_id, request_id, created_at,
      updated_at, expires_at)
    values (${team}, ${payment}, 100000, 2000, 'XAF', 'processing', 'cm.mtn', 2, 'k', 'r', ${now}, ${now}, ${new Date(at + 86_400_000)})`);
  await live.run(sql`
    insert into attempts (team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, payer,
      provider_key, created_at)
    values (${team}, ${attempt}, ${payment}, 'pawapay', 'pa_1', 'cm.mtn', ${status}, 100000, 'XAF', '+237670000000', 'k', ${now})`);
  return { payment, attempt };
}

const statusOf = async (id: string) =>
  (await live.maybe<{ status: string }>(sql`select status from payments where id = ${id}`))?.status;

for (const [as, status] of [
  ['succeeded', 'succeeded'],
  ['failed', 'failed'],
] as const) {
  test(`resolve --as ${as}: the payment is ${status}, and the person and the evidence are stored`, async () => {
    const { payment, attempt } = await unknown();
    const said = await cli.json('resolve', attempt, '--as', as, '--evidence', EVIDENCE, '--author', 'Awa', '--team', team);
    assert.deepEqual(said, { id: attempt, of: payment, status, as, evidence: EVIDENCE, author: 'Awa' });
    assert.equal(await statusOf(payment), status);
    const row = await live.maybe<{ resolution: { author: string; evidence: string; as: string } }>(
      sql`select resolution from attempts where id = ${attempt}`,
    );
    assert.deepEqual([row?.resolution.author, row?.resolution.evidence, row?.resolution.as], ['Awa', EVIDENCE, as]);
    const booked = await live.all(sql`select kind from journals where subject_id = ${payment}`);
    assert.equal(booked.length, as === 'succeeded' ? 1 : 0);
    const again = await cli.run('resolve', attempt, '--as', 'failed', '--evidence', EVIDENCE, '--team', team);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /decided already.*\. Nothing was changed\.\n$/);
  });
}

test('without --author the person is the one of the audit trail: behind sudo the original user', async () => {
  const { payment, attempt } = await unknown();
  const args = ['resolve', attempt, '--as', 'failed', '--evidence', EVIDENCE, '--team', team, '--json'];
  assert.equal(parsed(await pirogue(args, { ...cli.env, SUDO_USER: 'ama' })).author, 'ama');
  const trail = await live.all<{ actor_id: string }>(
    sql`select actor_id from audit_entries where resource_id in (${payment}, ${attempt})`,
  );
  assert.deepEqual(trail, [{ actor_id: 'ama' }]);
});

test('an attempt that is being sent right now cannot be resolved manually', async () => {
  const { payment, attempt } = await unknown('created', 1_000);
  const { code, stderr } = await cli.run('resolve', attempt, '--as', 'failed', '--evidence', EVIDENCE, '--team', team);
  assert.equal(code, 1);
  assert.match(stderr, /at this moment/);
  assert.equal(await statusOf(payment), 'processing');
});

test('missing evidence or an unknown id is rejected with one clear line', async () => {
  const { attempt } = await unknown();
  const short = await cli.run('resolve', attempt, '--as', 'failed', '--evidence', 'x', '--team', team);
  assert.match(short.stderr, /10 to 2,000 characters/);
  const missing = await cli.run('resolve', newId('att', 'live', 1), '--as', 'failed', '--evidence', EVIDENCE, '--team', team);
  assert.match(missing.stderr, /Attempt Not Found\. Check the id and the team \(--team\)\./);
  const wrong = await cli.run('resolve', 'trx_1', '--as', 'failed', '--evidence', EVIDENCE, '--team', team);
  assert.match(wrong.stderr, /not the id of an attempt/);
});

test('of a refund in parts --part names the one that the evidence is about', async () => {
  const { payment, attempt } = await unknown();
  await live.run(sql`update payments set status = 'succeeded', captured_minor = 100000 where id = ${payment}`);
  const id = newId('rfd', 'live', Date.now());
  const part = { attempt_id: attempt, amount_minor: '50000', provider_key: 'k', provider_ref: null, sent_at: null };
  const legs = [
    { ...part, status: 'succeeded' },
    { ...part, status: 'sent' },
  ];
  await live.run(sql`
    insert into refunds (team_id, id, payment_id, kind, legs, amount_minor, currency, status, reason, draws, created_at, updated_at)
    values (${team}, ${id}, ${payment}, 'merchant', ${JSON.stringify(legs)}, 100000, 'XAF', 'processing', 'duplicate', '[]', now(), now())`);
  const resolve = ['resolve', id, '--as', 'succeeded', '--evidence', EVIDENCE, '--team', team];
  assert.match((await cli.run(...resolve)).stderr, /has 2 parts: name the one .*1 succeeded, 2 sent/);
  assert.match((await cli.run(...resolve, '--part', '1')).stderr, /nothing to resolve/);
  assert.match((await cli.run(...resolve, '--part', '0')).stderr, /numbered from 1/);
  assert.equal((await cli.json(...resolve, '--part', '2')).status, 'succeeded');
});
