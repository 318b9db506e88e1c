import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { newId } from '../../src/kit/ids.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { decide } from '../../src/providers/routing/decide.ts';
import { accountOf, NO_NEWS, requestOf, rulesetOf } from '../routing/support.ts';
import { type CommandLine, openCommandLine } from './command.ts';

const TEAM = 7n;
const AT = new Date('2026-09-01T12:00:00Z');

let cli: CommandLine;
let store: DbPool;
before(async () => {
  cli = await openCommandLine();
  store = openPool({ url: cli.databases.live, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  // Two teams, so that the right one has to be found.
  for (const team_id of [3n, TEAM]) await insertPayment(team_id, newId('trx', 'live', AT.getTime()));
});
after(async () => {
  await store.close();
  await cli.close();
});

async function insertPayment(team_id: bigint, id: string): Promise<void> {
  await store.run(sql`
    insert into payments (team_id, id, amount_minor, currency, status, channel, phone, key_id, request_id, created_at, updated_at, expires_at)
    values (${team_id}, ${id}, 500000, 'XAF', 'processing', 'cm.mtn', '+237650000000', 'key', 'req', ${AT}, ${AT}, ${AT})`);
}

interface Attempt {
  account: string;
  status: string;
  message?: string;
  decision?: object | null;
  resolution?: object;
  closed?: boolean;
  next_poll_at?: Date;
}

async function insertAttempt(payment_id: string, i: number, attempt: Attempt): Promise<string> {
  const at = new Date(AT.getTime() + i * 1_000);
  const id = newId('att', 'live', at.getTime());
  const { account, status, message = null, decision = null, resolution = null, closed = true, next_poll_at = null } = attempt;
  await store.run(sql`
    insert into attempts (team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, payer, provider_key,
      message, decision, resolution, created_at, submitted_at, closed_at, next_poll_at)
    values (${TEAM}, ${id}, ${payment_id}, 'simulator', ${account}, 'cm.mtn', ${status}, 500000, 'XAF', '+237650000000', ${id},
      ${message}, ${decision && JSON.stringify(decision)}, ${resolution && JSON.stringify(resolution)}, ${at}, ${at}, ${closed ? at : null},
      ${next_poll_at})`);
  return id;
}

async function announce(payment_id: string, sequence: number, type: string): Promise<void> {
  const at = new Date(AT.getTime() + sequence);
  await store.run(sql`
    insert into events (team_id, id, type, resource_id, sequence, pending_webhooks, body, created_at)
    values (${TEAM}, ${newId('evt', 'live', at.getTime())}, ${type}, ${payment_id}, ${sequence}, 0, '{}', ${at})`);
}

test('explain shows each attempt: time, provider, reason and outcome', async () => {
  const id = newId('trx', 'live', AT.getTime());
  await insertPayment(TEAM, id);
  for (const [i, type] of ['payment.created', 'payment.processing'].entries()) await announce(id, i + 1, type);
  const accounts = [accountOf('a'), accountOf('b')];
  const rules = rulesetOf({ id: 'rul_1', account_order: ['a', 'b'] });
  const { explanation } = decide(rules, accounts, NO_NEWS, requestOf(), { at: AT.getTime(), draw: 0 });
  const first = await insertAttempt(id, 1, {
    account: 'pa_a',
    status: 'unavailable',
    message: 'connection refused',
    decision: explanation,
  });
  const second = await insertAttempt(id, 2, {
    account: 'pa_b',
    status: 'unknown',
    message: 'no answer',
    decision: explanation,
    closed: false,
  });

  const { code, stdout, stderr } = await cli.run('explain', id);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  const why = [
    '  Charge of 5000 XAF on cm.mtn.',
    '  Rule rul_1 (priority 10) decided: everything: a, then b.',
    '  a (simulator) was chosen: number 1 in the rule.',
    '  b (simulator) is fallback 1: number 2 in the rule.',
  ];
  assert.deepEqual(stdout.split('\n'), [
    `${id} of team 7, live: 5,000 XAF, processing`,
    '  2026-09-01T12:00:00Z  payment.created',
    '  2026-09-01T12:00:00Z  payment.processing',
    '',
    `2026-09-01T12:00:01Z  ${first}`,
    '  5,000 XAF on cm.mtn by simulator (pa_a)',
    ...why,
    '  → Unavailable at 2026-09-01T12:00:01Z: connection refused. The provider created nothing, so another could be tried.',
    '',
    `2026-09-01T12:00:02Z  ${second}`,
    '  5,000 XAF on cm.mtn by simulator (pa_b)',
    ...why,
    '  → The provider may have it: no answer. Its status is polled until it is final; no other provider is tried meanwhile.',
    '',
  ]);
  assert.doesNotMatch(stdout, /650000000/, 'nothing of the payer');

  const document = await cli.json('explain', id);
  assert.deepEqual([document.team_id, document.environment, document.amount, document.status], ['7', 'live', 5000, 'processing']);
  assert.deepEqual(document.attempts[0].decision, explanation);
  assert.deepEqual(
    document.happenings.map(({ type }: { type: string }) => type),
    ['payment.created', 'payment.processing'],
  );
});

test('explain shows manual resolutions, and attempts without a stored routing decision', async () => {
  const id = newId('trx', 'live', AT.getTime());
  await insertPayment(TEAM, id);
  const resolution = {
    as: 'failed',
    evidence: 'statement of 1 September, not in it',
    author: 'Awa',
    at: '2026-09-02T08:00:00.000Z',
  };
  await insertAttempt(id, 1, {
    account: 'pa_a',
    status: 'failed',
    decision: { rule: 'registration order', candidates: ['simulator'] },
    resolution,
  });
  const { stdout } = await cli.run('explain', id);
  assert.match(stdout, /The reason was not recorded\./);
  assert.match(stdout, /Resolved manually by Awa at 2026-09-02T08:00:00Z: statement of 1 September, not in it/);
});

test('explain does not say that nothing was created while the status of an ended attempt is polled', async () => {
  const id = newId('trx', 'live', AT.getTime());
  await insertPayment(TEAM, id);
  await insertAttempt(id, 1, { account: 'pa_a', status: 'unavailable', message: 'try later', next_poll_at: AT });
  const { stdout } = await cli.run('explain', id);
  assert.match(
    stdout,
    /→ It ended as unavailable at 2026-09-01T12:00:01Z: try later\. The provider may have it after all: its status is polled/,
  );
  assert.doesNotMatch(stdout, /created nothing/);
  const document = await cli.json('explain', id);
  assert.equal(document.attempts[0].next_poll_at, AT.toISOString());
});

test('explain shows a payment without attempts', async () => {
  const id = newId('trx', 'live', AT.getTime());
  await insertPayment(TEAM, id);
  assert.match((await cli.run('explain', id)).stdout, /No attempts: the payment has not been charged yet\./);
});

test('explain exits with 1 for an unknown payment, with 2 for an id of another kind', async () => {
  const unknown = await cli.run('explain', `trx_test_${'0'.repeat(26)}`);
  assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
  assert.match(unknown.stderr, /there is no payment trx_test_0+ in sandbox/);
  const other = await cli.run('explain', 'po_1');
  assert.deepEqual([other.code, other.stdout], [2, '']);
});
