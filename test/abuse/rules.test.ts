import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LIMITS } from '../../src/core/abuse/rules.ts';
import { screen } from '../../src/core/abuse/service.ts';
import { abuseCleanupSweep, usualSweep } from '../../src/core/abuse/sweeps.ts';
import { makeAmounts } from '../../src/core/abuse/usual-store.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { must } from '../../src/kit/errors.ts';
import { lowestIdAt, newId } from '../../src/kit/ids.ts';
import { sql, type Sql } from '../../src/kit/sql.ts';
import { visitsOf } from '../plans/visits.ts';
import type { Answer, Merchant } from '../setup/api.ts';
import { AbuseFixture } from './fixture.ts';

const { payer, team, amount } = LIMITS;

let fixture: AbuseFixture;
before(async () => {
  fixture = await AbuseFixture.open();
});
after(() => fixture.api.stop());

const count = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status).length;
const times = <T>(n: number, work: (i: number) => Promise<T>) => Promise.all(Array.from({ length: n }, (_, i) => work(i)));
const refusals = (payment_id: string) =>
  fixture.db.all(sql`select rule, figures, times from abuse_refusals where payment_id = ${payment_id} order by rule`);
const counted = ({ team: { id } }: Merchant) =>
  fixture.db.all<{ charges: number }>(sql`select charges from abuse_windows where team_id = ${id} order by starts_at`);

function refused({ status, body }: Answer): void {
  assert.deepEqual([status, body.error_code, body.payer_message], [402, 'fraud_blocked', 'The payment was refused.']);
}

describe('too many charges of one payer', () => {
  test(`402 after ${payer.max} in ten minutes; the payment stays pending and can be paid later`, async () => {
    const merchant = await fixture.merchant();
    const phone = fixture.number();
    for (let i = 0; i < payer.max; i++) assert.equal((await fixture.pay(merchant, phone)).status, 202);
    const asked = fixture.asked;
    const answer = await fixture.pay(merchant, phone);
    refused(answer);
    assert.match(answer.body.message, /can be charged later/);
    const { status, reason, attempts } = await fixture.status(merchant, answer.id);
    assert.deepEqual([status, reason, attempts, fixture.asked], ['pending', null, [], asked]);
    assert.deepEqual(await refusals(answer.id), [
      { rule: 'payer_velocity', figures: { most: payer.max, minutes: 10 }, times: 1 },
    ]);
    assert.equal((await fixture.pay(merchant)).status, 202, 'another payer');
    assert.equal((await fixture.pay(await fixture.merchant(), phone)).status, 202, 'another team');
    fixture.clock.advance(payer.window_ms);
    assert.equal((await fixture.charge(merchant, answer.id, phone)).status, 202);
  });

  test('of 40 concurrent charges, exactly the permitted number is accepted', async () => {
    const merchant = await fixture.merchant();
    const phone = fixture.number();
    const ids = await times(40, () => fixture.payment(merchant).then(({ id }) => id));
    const answers = await Promise.all(ids.map((id) => fixture.charge(merchant, id, phone)));
    assert.deepEqual([count(answers, 202), count(answers, 402)], [payer.max, 40 - payer.max]);
  });

  test(`402 after ${payer.max_per_day} in a day, however slowly`, async () => {
    const merchant = await fixture.merchant();
    const phone = fixture.number();
    for (let i = 0; i < payer.max_per_day; i++) {
      assert.equal((await fixture.pay(merchant, phone)).status, 202);
      fixture.clock.advance(payer.window_ms);
    }
    const answer = await fixture.pay(merchant, phone);
    refused(answer);
    assert.deepEqual(await refusals(answer.id), [
      { rule: 'payer_velocity', figures: { most: payer.max_per_day, minutes: 1440 }, times: 1 },
    ]);
    fixture.clock.advance(86_400_000);
    assert.equal((await fixture.pay(merchant, phone)).status, 202);
  });

  test('rejected charges are not counted', async () => {
    const merchant = await fixture.merchant();
    const phone = fixture.number();
    for (let i = 0; i < payer.max; i++) await fixture.pay(merchant, phone);
    const { id } = await fixture.payment(merchant);
    fixture.clock.advance(payer.window_ms - 1);
    for (let i = 0; i < 3; i++) refused(await fixture.charge(merchant, id, phone));
    assert.deepEqual(
      (await refusals(id)).map((row) => (row as { times: number }).times),
      [3],
    );
    fixture.clock.advance(1);
    assert.equal((await fixture.charge(merchant, id, phone)).status, 202);
  });
});

describe('too many charges of a team', () => {
  /** As if so many had been charged in the ten minutes that run now. */
  async function chargedAlready({ team: { id } }: Merchant, charges: number, ago_ms = 0): Promise<void> {
    const starts = Math.floor((fixture.clock.now() - ago_ms) / team.window_ms) * team.window_ms;
    await fixture.db.run(
      sql`insert into abuse_windows (team_id, starts_at, charges) values (${id}, ${new Date(starts)}, ${charges})`,
    );
  }

  test(`402 above ${team.floor} in ten minutes: of 12 concurrent payers those within the limit pass; payments stay open`, async () => {
    const merchant = await fixture.merchant();
    // Not at the end of a window.
    fixture.clock.advance(team.window_ms - (fixture.clock.now() % team.window_ms));
    await chargedAlready(merchant, team.floor - 5);
    const ids = await times(12, () => fixture.payment(merchant).then(({ id }) => id));
    const answers = await Promise.all(ids.map((id) => fixture.charge(merchant, id, fixture.number())));
    assert.deepEqual([count(answers, 202), count(answers, 402)], [5, 7]);
    const late = ids.find((_, i) => answers[i]?.status === 402) as string;
    assert.equal((await fixture.status(merchant, late)).status, 'pending');
    assert.deepEqual(await refusals(late), [{ rule: 'team_velocity', figures: { most: team.floor, busiest: 0 }, times: 1 }]);
    fixture.clock.advance(team.window_ms);
    assert.equal((await fixture.charge(merchant, late, fixture.number())).status, 202);
  });

  test('a charge that the limit of the team rejects does not count for its payer', async () => {
    const merchant = await fixture.merchant();
    const phone = fixture.number();
    // At the end of a window of the team: that of the payer goes on.
    fixture.clock.advance(2 * team.window_ms - (fixture.clock.now() % team.window_ms) - 1_000);
    await chargedAlready(merchant, team.floor);
    for (let i = 0; i <= payer.max; i++) {
      const answer = await fixture.pay(merchant, phone);
      refused(answer);
      assert.deepEqual(
        (await refusals(answer.id)).map((row) => (row as { rule: string }).rule),
        ['team_velocity'],
      );
    }
    fixture.clock.advance(1_000);
    assert.equal((await fixture.pay(merchant, phone)).status, 202);
  });

  test('the limit of a busy team rises with its history, of which the last day does not count', async () => {
    const merchant = await fixture.merchant();
    await chargedAlready(merchant, 100, 2 * 86_400_000);
    await chargedAlready(merchant, 9_000, 3_600_000);
    await makeUsual();
    await chargedAlready(merchant, 100 * team.times - 1);
    assert.equal((await fixture.pay(merchant)).status, 202);
    const answer = await fixture.pay(merchant);
    refused(answer);
    assert.deepEqual(await refusals(answer.id), [
      { rule: 'team_velocity', figures: { most: 100 * team.times, busiest: 100 }, times: 1 },
    ]);
  });
});

/** One walk around all teams. */
async function makeUsual(): Promise<void> {
  fixture.clock.advance(3_600_000);
  const sweep = usualSweep(fixture.api.deps, fixture.api.deps.stores.live);
  while ((await sweep.round()) > 0);
}

describe('amounts that are unusual for the team', () => {
  /** Payments that were paid: most of 1,000 XAF, one in a hundred of a million. */
  async function paidBefore({ team: { id } }: Merchant, payments: number, currency = 'XAF', status = 'succeeded'): Promise<void> {
    const at = fixture.clock.now() - 86_400_000;
    const ids = Array.from({ length: payments }, () => newId('trx', 'live', at));
    await fixture.db.run(sql`
      insert into payments (team_id, id, amount_minor, fee_minor, currency, status, channel, event_count, key_id, request_id, created_at,
        updated_at, expires_at)
      select ${id}::bigint, p.id, case when n % 100 = 0 then 100000000 else 100000 end, 0, ${currency}, ${status}, 'cm.mtn', 2, 'k', 'r',
        ${new Date(at)}, ${new Date(at)}, ${new Date(at)} from unnest(${ids}::text[]) with ordinality p (id, n)`);
  }

  test(`402 above ${amount.times} times the 99th percentile of the team, and the payment has failed`, async () => {
    const merchant = await fixture.merchant();
    await paidBefore(merchant, amount.payments);
    await makeUsual();
    assert.equal((await fixture.pay(merchant, fixture.number(), { amount: 1_000 * amount.times })).status, 202);
    const answer = await fixture.pay(merchant, fixture.number(), { amount: 1_000 * amount.times + 1 });
    refused(answer);
    const { status, reason, attempts } = await fixture.status(merchant, answer.id);
    assert.deepEqual([status, reason, attempts], ['failed', 'fraud_blocked', []]);
    const figures = { amount_minor: '500100', currency: 'XAF', high_minor: '100000', payments: amount.payments };
    assert.deepEqual(await refusals(answer.id), [{ rule: 'amount', figures, times: 1 }]);
    assert.deepEqual(await counted(merchant), [{ charges: 1 }], 'what is refused is not counted');
  });

  test('202 in another currency, for a team with few payments, and for the remainder of a partly paid payment', async () => {
    const few = await fixture.merchant();
    await paidBefore(few, amount.payments - 1);
    const other = await fixture.merchant();
    await paidBefore(other, amount.payments, 'XOF');
    const parted = await fixture.merchant();
    await paidBefore(parted, amount.payments);
    await makeUsual();
    for (const merchant of [few, other]) {
      assert.equal((await fixture.pay(merchant, fixture.number(), { amount: 400_000 })).status, 202);
    }
    const { id } = await fixture.payment(parted, { amount: 900_000 });
    await fixture.db.run(sql`update payments set status = 'partial', captured_minor = 45000000 where id = ${id}`);
    assert.equal((await fixture.charge(parted, id, fixture.number())).status, 202);
  });

  test('payments that were not paid, or are in another currency, do not hide the paid ones of a currency', async () => {
    const merchant = await fixture.merchant();
    await paidBefore(merchant, amount.payments, 'KES');
    await paidBefore(merchant, 20_001, 'XAF');
    await paidBefore(merchant, 20_001, 'XOF', 'pending');
    await makeUsual();
    assert.deepEqual(
      await fixture.db.all(sql`
        select currency, payments, high_minor from abuse_amounts where team_id = ${merchant.team.id} order by currency`),
      [
        { currency: 'KES', payments: amount.payments, high_minor: 100_000n },
        { currency: 'XAF', payments: 20_001, high_minor: 100_000n },
      ],
    );
  });

  test('the usual amount of a currency is read from its paid payments, however many were not paid', async () => {
    const merchant = await fixture.merchant();
    await paidBefore(merchant, amount.payments, 'KES');
    for (const currency of ['KES', 'XAF']) await paidBefore(merchant, 5_000, currency, 'pending');
    await fixture.asOwner((tx) => tx.run(sql`analyze payments`));
    const statements: Sql[] = [];
    const { db } = fixture.api.deps.stores.live.of(merchant.team.id);
    await db.transaction(async (tx) => {
      const noting = { ...tx, run: async (statement: Sql) => statements.push(statement) };
      await makeAmounts(noting, merchant.team.id, lowestIdAt('trx', 'live', fixture.clock.now() - 2 * 86_400_000));
      const visits = await visitsOf(tx, must(statements.at(-1), 'it fills the table'));
      for (const { rows, plan } of visits) assert.ok(rows <= 10 * amount.payments, `${rows} rows\n${plan}`);
    });
  });

  test('usual amounts are recomputed hourly, by only one of several concurrent workers', async () => {
    const merchant = await fixture.merchant();
    await makeUsual();
    await paidBefore(merchant, amount.payments);
    const high = () => fixture.db.all(sql`select payments from abuse_amounts where team_id = ${merchant.team.id}`);
    const walk = async () => {
      const sweep = usualSweep(fixture.api.deps, fixture.api.deps.stores.live);
      while ((await sweep.round()) > 0);
    };
    await walk();
    assert.deepEqual(await high(), []);
    fixture.clock.advance(3_600_000);
    await times(4, walk);
    assert.deepEqual(await high(), [{ payments: amount.payments }]);
    // The clock of the database was a day ahead.
    await fixture.db.run(sql`update abuse_paces set made_at = made_at + interval '1 day' where team_id = ${merchant.team.id}`);
    await fixture.db.run(sql`delete from abuse_amounts where team_id = ${merchant.team.id}`);
    await walk();
    assert.deepEqual(await high(), [{ payments: amount.payments }]);
  });
});

describe('cost of the rules', () => {
  test('all rules are evaluated in one statement', async () => {
    const merchant = await fixture.merchant();
    const { id } = await fixture.payment(merchant);
    const store = fixture.api.deps.stores.live.of(merchant.team.id);
    const seen: Sql[] = [];
    const maybe: Store['db']['maybe'] = (one) => {
      seen.push(one);
      return store.db.maybe(one);
    };
    const watched = { ...store, db: { ...store.db, maybe } };
    const about = { team_id: merchant.team.id, payment_id: id, currency: 'XAF', amount_minor: 100n, prompted_by: null };
    const person = { payer: fixture.number(), email: 'a@b.example', customer_id: null, address: '203.0.113.9' };
    assert.equal(await screen(fixture.api.deps, watched, { ...about, ...person }), null);
    assert.deepEqual([seen.length, typeof seen[0]?.name], [1, 'string'], 'and its plan is kept');
  });

  test('with rules off, and in the sandbox, nothing is counted or rejected', async () => {
    const merchant = await fixture.merchant(false);
    const phone = fixture.number();
    await fixture.block(merchant, 'payer', phone);
    for (let i = 0; i <= payer.max; i++) assert.equal((await fixture.pay(merchant, phone)).status, 202);
    assert.deepEqual(await counted(merchant), []);
    const { sandbox } = await fixture.merchant();
    const body = { amount: 100, currency: 'XAF', phone };
    const { transaction } = (await fixture.api.call('POST', '/payments', { key: sandbox.secret, body })).body;
    const data = { channel: 'cm.mtn', data: { phone } };
    assert.equal(
      (await fixture.api.call('POST', `/payments/${transaction.id}`, { key: sandbox.secret, body: data })).status,
      202,
    );
    assert.deepEqual(await fixture.api.deps.stores.sandbox.db.all(sql`select 1 from abuse_windows`), []);
  });
});

test('counts are deleted when no rule needs them, rejections together with the events', async () => {
  const merchant = await fixture.merchant();
  const phone = fixture.number();
  await fixture.block(merchant, 'payer', phone);
  const { id } = await fixture.pay(merchant, phone);
  await fixture.pay(merchant);
  const sweep = abuseCleanupSweep(fixture.api.deps, fixture.api.deps.stores.live);
  const left = async () => {
    while ((await sweep.round()) > 0);
    const { team: mine } = merchant;
    const row = await fixture.db.maybe<Record<string, number>>(sql`
      select (select count(*)::int from abuse_payers where team_id = ${mine.id}) as payers,
        (select count(*)::int from abuse_windows where team_id = ${mine.id}) as windows,
        (select count(*)::int from abuse_refusals where payment_id = ${id}) as refusals`);
    return Object.values(row ?? {});
  };
  assert.deepEqual(await left(), [1, 1, 1]);
  fixture.clock.advance(86_400_001);
  assert.deepEqual(await left(), [0, 1, 1]);
  fixture.clock.advance(8 * 86_400_000);
  assert.deepEqual(await left(), [0, 0, 1]);
  fixture.clock.advance(82 * 86_400_000);
  assert.deepEqual(await left(), [0, 0, 0]);
});

test('a block is deleted when it has expired', async () => {
  const merchant = await fixture.merchant();
  const at = fixture.clock.now();
  const kept = [
    await fixture.block(merchant, 'payer', fixture.number()),
    await fixture.block(merchant, 'address', '203.0.113.0/24', new Date(at + 1)),
  ];
  await fixture.block(merchant, 'address', '198.51.100.7', new Date(at));
  await fixture.block(merchant, 'email', 'eve@payer.example', new Date(at - 1));
  const sweep = abuseCleanupSweep(fixture.api.deps, fixture.api.deps.stores.live);
  while ((await sweep.round()) > 0);
  const left = await fixture.db.all<{ id: string }>(
    sql`select id from abuse_blocks where team_id = ${merchant.team.id} order by id`,
  );
  assert.deepEqual(
    left.map(({ id }) => id),
    kept.sort(),
  );
});
