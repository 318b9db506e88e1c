import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PAYMENT_STATUSES } from '../../src/core/payments/states.ts';
import * as payments from '../../src/core/payments/store.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { until } from '../setup/api.ts';
import { openTwins, type Twins } from '../tenants/twins.ts';
import { addAttempt, at, idsOf, NOW, paymentIds, scanOnly, shuffle, tried as triedOn } from './rows.ts';

/** Which payments sweeps and shifts of time take, and what they write. When tranches are due: work/claims. */
let twins: Twins;
before(async () => {
  twins = await openTwins();
});
after(() => twins.close());

const tried = <T>(work: (tx: Tx, one: Twins) => Promise<T>) => triedOn(twins, work);

test('a tranche that is due names the account that took the newest tranche of its payment', () =>
  tried(async (tx, one) => {
    const { team_id, partial, payment } = one;
    await tx.run(sql`update payments set continue_at = null`);
    await tx.run(sql`update payments set continue_at = ${NOW} where id = ${partial.id}`);
    const claimed = async () => {
      await tx.run(sql`update payments set continue_at = ${NOW} where id = ${partial.id}`);
      return payments.claimContinuing(tx, NOW, 1_000, 10, []);
    };
    await addAttempt(tx, one, partial.id, 1, { provider_account: 'newest' });
    await addAttempt(tx, one, payment.id, 2, { provider_account: 'of another payment' });
    await addAttempt(tx, one, partial.id, 0, { provider_account: 'older' });
    await tx.run(sql`update attempts set message = 'again' where id = 'att_zzz1'`);
    const due = { team_id, id: partial.id, continue_at: at(1_000) };
    assert.deepEqual(await claimed(), [{ ...due, provider_account: 'newest' }]);
    await tx.run(sql`update attempts set payment_id = ${payment.id} where payment_id = ${partial.id}`);
    assert.deepEqual(await claimed(), [{ ...due, provider_account: null }]);
  }));

test('tranches stop for the claimed payment and time only', () =>
  tried(async (tx, { team_id, partial, payment }) => {
    const times = async () =>
      Object.fromEntries(
        (
          await tx.all<{ id: string; due: Date }>(sql`select id, continue_at as due from payments where continue_at is not null`)
        ).map(({ id, due }) => [id, due.getTime() - NOW.getTime()]),
      );
    await tx.run(sql`update payments set continue_at = null`);
    await tx.run(sql`update payments set continue_at = ${at(1)} where id in (${partial.id}, ${payment.id})`);
    const claimed = { ...partial, continue_at: at(1) };
    await payments.stopContinuing(tx, { ...claimed, continue_at: at(2) });
    await payments.stopContinuing(tx, { ...claimed, team_id: team_id + 1n });
    await payments.stopContinuing(tx, { ...claimed, id: 'trx_none' });
    assert.deepEqual(await times(), { [partial.id]: 1, [payment.id]: 1 });
    await payments.stopContinuing(tx, claimed);
    assert.deepEqual(await times(), { [payment.id]: 1 });
  }));

test('payments expire oldest first, without those of which an attempt is under way', () =>
  tried(async (tx, { team_id, open }) => {
    const ids = await paymentIds(tx);
    const [first, second, third] = ids as [string, string, string];
    await tx.run(sql`update payments set status = 'pending', expires_at = ${at(1)}`);
    await tx.run(sql`update payments set expires_at = ${NOW} where id = ${first}`);
    await tx.run(sql`update payments set expires_at = ${at(-2)} where id = ${second}`);
    await tx.run(sql`update payments set expires_at = ${at(-1)} where id = ${third}`);
    await tx.run(sql`update attempts set status = 'failed'`);
    await shuffle(tx, 'payments');
    const expired = async (limit = 10) => await payments.lockExpired(tx, NOW, limit);
    assert.deepEqual(
      await expired(),
      [second, third, first].map((id) => ({ team_id, id })),
    );
    assert.deepEqual(idsOf(await expired(2)), [second, third]);
    await tx.run(sql`update attempts set status = 'open', payment_id = ${third} where id = ${open.id}`);
    assert.deepEqual(idsOf(await expired()), [second, first]);
  }));

test('a payment that a sweep expires stays locked; another sweep leaves it out without waiting', async () => {
  const { owner, payment } = twins;
  await owner.run(sql`update payments set status = 'pending', expires_at = ${NOW} where id = ${payment.id}`);
  await owner.transaction(async (tx) => {
    assert.deepEqual(idsOf(await payments.lockExpired(tx, NOW, 10)), [payment.id]);
    assert.deepEqual(await owner.transaction((other) => payments.lockExpired(other, NOW, 10)), []);
  });
  await owner.run(
    sql`update payments set status = ${payment.status}, expires_at = ${payment.expires_at} where id = ${payment.id}`,
  );
});

test('a shift moves the times of payments that are not final, and of no others', () =>
  tried(async (tx, { team_id, payment }) => {
    const times = () =>
      tx.all<{ id: string; expires_at: Date; continue_at: Date }>(
        sql`select id, expires_at, continue_at from payments order by id`,
      );
    for (const status of PAYMENT_STATUSES) {
      for (const alone of [undefined, payment.id]) {
        await tx.run(sql`update payments set status = 'failed', expires_at = ${at(10)}, continue_at = ${at(20)}`);
        const ids = alone
          ? sql`update payments set status = ${status}`
          : sql`update payments set status = ${status} where id = ${payment.id}`;
        await tx.run(ids);
        const { moved, due } = await payments.shiftPayments(tx, { team_id, by_ms: 6, now: NOW }, alone);
        const moves = ['pending', 'processing', 'partial'].includes(status);
        assert.deepEqual([moved, due], [moves ? 1 : 0, 0], `${status} ${alone}`);
        const expected = (await times()).map(({ id }) => {
          const by = moves && id === payment.id ? 6 : 0;
          return { id, expires_at: at(10 - by), continue_at: at(20 - by) };
        });
        assert.deepEqual(await times(), expected, status);
      }
    }
  }));

test('a shift counts the payments that it makes due', () =>
  tried(async (tx, { team_id, payment }) => {
    await tx.run(sql`update payments set status = 'failed'`);
    for (const [expires, due] of [
      [11, 0],
      [10, 1],
      [1, 1],
      [0, 0],
      [-1, 0],
    ] as const) {
      await tx.run(sql`update payments set status = 'pending', expires_at = ${at(expires)} where id = ${payment.id}`);
      assert.deepEqual(await payments.shiftPayments(tx, { team_id, by_ms: 10, now: NOW }), { moved: 1, due }, String(expires));
    }
    assert.deepEqual(await payments.shiftPayments(tx, { team_id: team_id + 1n, by_ms: 10, now: NOW }), { moved: 0, due: 0 });
  }));

test('payments of which nothing is pending are marked as settled; a payment may be named more than once', () =>
  tried(async (tx, { team_id, payment, dispute, partial }) => {
    const settled = async () => idsOf(await tx.all<{ id: string }>(sql`select id from payments where settled order by id`));
    const mark = (...ids: string[]) =>
      payments.markSettled(
        tx,
        ids.map((id) => ({ team_id, id })),
        NOW,
      );
    await tx.run(sql`update payments set settled = false`);
    await tx.run(sql`update settlement_items set released_at = null`);
    await mark(payment.id, dispute.payment_id);
    assert.deepEqual(await settled(), []);
    await tx.run(sql`update settlement_items set released_at = ${NOW} where payment_id = ${payment.id}`);
    await mark(payment.id, dispute.payment_id, payment.id);
    assert.deepEqual(await settled(), [payment.id]);
    const row = await payments.findPayment(tx, team_id, payment.id);
    assert.deepEqual(row?.updated_at, NOW);
    await mark(partial.id);
    assert.deepEqual(await settled(), [payment.id, partial.id].toSorted(), 'it has no items');
  }));

test('a shift locks payments in the order of their ids, as every change does', async () => {
  const { owner, team_id } = twins;
  const before = await owner.all<{ id: string; status: string }>(sql`select id, status from payments`);
  await owner.transaction((tx) => shuffle(tx, 'payments'));
  await owner.run(sql`update payments set status = 'partial'`);
  const [first, second] = (await owner.transaction(paymentIds)) as [string, string];
  let shift: Promise<unknown> | undefined;
  await owner.transaction(async (tx) => {
    await tx.run(sql`select 1 from payments where id = ${first} for update`);
    shift = owner.transaction(async (other) => {
      await scanOnly(other);
      await payments.shiftPayments(other, { team_id, by_ms: 1, now: NOW });
    });
    const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await until(
      () => owner.all(waiting),
      ({ length }) => length > 0,
    );
    const free = await owner.all(sql`select 1 from payments where id = ${second} for update skip locked`);
    assert.equal(free.length, 1, 'the second is locked only after the first');
  });
  await shift;
  for (const { id, status } of before) await owner.run(sql`update payments set status = ${status} where id = ${id}`);
});
