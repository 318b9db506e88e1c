import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Db, type Sql, sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { type Api, startApi } from '../setup/api.ts';
import { paid, startPayment } from '../setup/pay.ts';
import { Book, type Entry } from './book.ts';
import type { Booked } from './snapshot.ts';
import { breaches, tooEarly } from './standing.ts';

let api: Api;
let owner: DbPool;
let payment: string;

before(async () => {
  api = await startApi();
  owner = openPool({ url: api.databases.sandbox, size: 2, log: api.deps.log });
  payment = await paid(api);
  await api.call('POST', '/refunds', { body: { payment, amount: 10_000, reason: 'duplicate' } });
  await startPayment(api, { phone: '650000003' });
});
after(async () => {
  await owner.close();
  await api.stop();
});

/** Looks at the books after a change that is taken back. */
async function changed(...changes: Sql[]): Promise<string[]> {
  let found: string[] = [];
  const undo = new Error('undo');
  const work = owner.transaction(async (tx) => {
    await tx.run({ text: `set local session_replication_role = replica`, values: [] });
    for (const change of changes) await tx.run(change);
    found = await breaches(tx as unknown as Db);
    throw undo;
  });
  await assert.rejects(work, undo);
  return found;
}

test('nothing is wrong in sound books', async () => {
  assert.deepEqual(await breaches(owner), []);
});

const BREACHES: [string, RegExp, () => Sql[]][] = [
  [
    'a balance that differs from its postings',
    /^BALANCE: .* its postings come to/,
    () => [sql`update balances set posted_minor = posted_minor + 1 where account = 'available'`],
  ],
  [
    'a balance with the wrong sign',
    /^BALANCE: clearing /,
    () => [
      sql`update balances set posted_minor = -posted_minor where account = 'clearing'`,
      sql`update balance_deltas set amount_minor = -amount_minor where account = 'clearing'`,
    ],
  ],
  ['a posting without its balance', /^BALANCE: /, () => [sql`delete from balance_deltas`, sql`delete from balances`]],
  [
    'an event that is missing between others',
    /^SEQUENCE: /,
    () => [sql`delete from events where resource_id = ${payment} and sequence = 2`],
  ],
  [
    'the first event of a resource missing',
    /^SEQUENCE: /,
    () => [sql`delete from events where resource_id = ${payment} and sequence = 1`],
  ],
  [
    'refunds above what was captured',
    /^REFUNDED TOO MUCH: /,
    () => [sql`update refunds set amount_minor = amount_minor * 100 where payment_id = ${payment}`],
  ],
  [
    'a dispute about what is refunded already',
    /^DISPUTED TOO MUCH: trx_/,
    () => [
      sql`
        insert into disputes (team_id, id, payment_id, amount_minor, currency, status, reason, draws, event_count, created_at, updated_at)
        select team_id, 'dsp_1', id, captured_minor, currency, 'needs_response', 'fraudulent', '[]', 1, created_at, created_at
        from payments where id = ${payment}`,
    ],
  ],
  [
    'two attempts of a payment that may take money',
    /^OPEN TWICE: .* has 2 attempts/,
    () => [
      sql`update attempts set status = 'open' where payment_id <> ${payment}`,
      sql`drop index attempts_one_open`,
      sql`
        create temp table again on commit drop as select * from attempts where payment_id <> ${payment}`,
      sql`update again set id = id || 'x', provider_key = provider_key || 'x', provider_ref = null`,
      sql`insert into attempts select * from again`,
    ],
  ],
  [
    'an attempt that may take money and is never polled',
    /^UNPOLLED: /,
    () => [sql`update attempts set status = 'unknown', next_poll_at = null where payment_id <> ${payment}`],
  ],
  [
    'a payment that is processing, with no attempt under way',
    /^STUCK: payment trx_/,
    () => [sql`update payments set status = 'processing' where id = ${payment}`],
  ],
  [
    'a use of a limit that nothing counts towards',
    /^LIMITS: 100 XAF are counted as payments of 2026-03 of team 7, there are 0/,
    () => [
      sql`insert into ceiling_uses (team_id, direction, currency, period, used_minor) values (7, 'payment', 'XAF', '2026-03', 100)`,
    ],
  ],
  [
    'an attempt that counts towards no limit',
    /^LIMITS: 0 XAF are counted as payments of 2026-03-07/,
    () => [sql`update attempts set counted_day = '2026-03-07' where payment_id = ${payment}`],
  ],
  [
    'a payment that ended without an event',
    /^UNEXPLAINED: .* is succeeded/,
    () => [
      sql`update payments set status = 'succeeded' where id = ${payment}`,
      sql`delete from events where resource_id = ${payment} and type = 'payment.succeeded'`,
    ],
  ],
];

for (const [what, says, changes] of BREACHES)
  test(`seen at any moment: ${what}`, async () => {
    const found = await changed(...changes());
    assert.ok(
      found.some((line) => says.test(line)),
      found.join('\n'),
    );
  });

const booked = (amount_minor: bigint): Booked => ({
  ...{ team_id: 1n, key: 'key', kind: 'payment', subject: 'att_1', payment: 'trx_1', currency: 'XAF', amount_minor },
});

function bookOf(changes: Partial<Entry>): Book {
  const book = new Book();
  const money = { amount_minor: 500n, currency: 'XAF' };
  book.add({
    ...{
      account: 'pa',
      flow: 'collect',
      key: 'key',
      ref: 'ref',
      subject: 'att_1',
      of: null,
      number: null,
      ...money,
      moves: money,
      misreports: null,
    },
    ...{
      arrived_at: 0,
      visible_at: 0,
      end: 'succeeded',
      ends_at: 100,
      late_at: null,
      denied: false,
      reveals: null,
      reason: '',
      callback_url: '',
    },
    ...{ arrivals: 1, ...changes },
  });
  return book;
}

test('a booking is too early until its provider has moved the money, and has its amount', () => {
  assert.deepEqual(tooEarly([booked(500n)], bookOf({}), 100), []);
  assert.match(tooEarly([booked(500n)], bookOf({}), 99)[0] ?? '', /^TOO EARLY: key XAF/);
  assert.match(tooEarly([booked(500n)], bookOf({ end: 'failed' }), 100)[0] ?? '', /^TOO EARLY/);
  assert.match(tooEarly([booked(500n)], new Book(), 100)[0] ?? '', /^TOO EARLY/);
  assert.match(tooEarly([booked(499n)], bookOf({}), 100)[0] ?? '', /^AMOUNT: key XAF is booked with 499/);
  assert.match(tooEarly([booked(500n), booked(500n)], bookOf({}), 100)[0] ?? '', /^AMOUNT: key XAF is booked with 1000/);
  assert.deepEqual(tooEarly([booked(500n), booked(-500n)], new Book(), 100), [], 'booked and taken back');
});
