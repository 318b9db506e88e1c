import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as attempts from '../../src/core/attempts/store.ts';
import * as payments from '../../src/core/payments/store.ts';
import { findWithAttempts } from '../../src/core/payments/view-store.ts';
import { must } from '../../src/kit/errors.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { openTwins, type Twins } from '../tenants/twins.ts';
import { addAttempt, at, idsOf, NOW, tried as triedOn } from './rows.ts';

/** Another team has rows with the same ids and other contents: each team is answered from its own. Equal contents: tenants/first-barrier. */
let twins: Twins;
before(async () => {
  twins = await openTwins();
});
after(() => twins.close());

type Work = (tx: Tx, teams: { own: bigint; other: bigint }, one: Twins) => Promise<void>;

async function tried(work: Work): Promise<void> {
  await twins.withTwin(async () => {
    await triedOn(twins, async (tx, one) => {
      const row = await tx.maybe<{ team_id: bigint }>(sql`select team_id from payments where team_id <> ${one.team_id} limit 1`);
      await work(tx, { own: one.team_id, other: must(row, 'the other team').team_id }, one);
    });
  });
}

test('a key leads each team to its own payment', () =>
  tried(async (tx, { own, other }, { payment, partial }) => {
    for (const [team_id, id, ms] of [
      [own, payment.id, 1],
      [other, partial.id, 2],
    ] as const) {
      await tx.run(sql`insert into idempotency_keys (team_id, route, key, resource_id, request_hash, created_at)
        values (${team_id}, 'POST /a', 'one', ${id}, ${Buffer.alloc(32, ms)}, ${at(ms)})`);
      await tx.run(sql`insert into idempotency_keys (team_id, route, key, resource_id, request_hash, created_at)
        values (${team_id}, 'POST /a', 'same', ${payment.id}, ${Buffer.alloc(32, ms)}, ${at(ms)})`);
    }
    const found = async (team_id: bigint, key: string) => {
      const row = await payments.findByKey(tx, team_id, 'POST /a', key);
      return row && [row.team_id, row.id, row.request_hash[0], row.keyed_at.getTime() - NOW.getTime()];
    };
    assert.deepEqual(await found(own, 'one'), [own, payment.id, 1, 1]);
    assert.deepEqual(await found(other, 'one'), [other, partial.id, 2, 2]);
    assert.deepEqual(await found(own, 'same'), [own, payment.id, 1, 1]);
    assert.deepEqual(await found(other, 'same'), [other, payment.id, 2, 2]);
  }));

test('a reference of another team is free', () =>
  tried(async (tx, { own, other }) => {
    await tx.run(sql`update payments set reference = 'INV-9' where team_id = ${other} and reference = 'INV-1'`);
    assert.equal(await payments.referenceExists(tx, own, 'INV-9'), false);
    assert.equal(await payments.referenceExists(tx, other, 'INV-9'), true);
    assert.equal(await payments.referenceExists(tx, other, 'INV-1'), false);
  }));

test('the attempts of another team are neither shown nor the last of a payment', () =>
  tried(async (tx, { own, other }, one) => {
    const { partial } = one;
    for (const [team_id, account] of [
      [own, 'account of own'],
      [other, 'account of other'],
    ] as const) {
      await tx.run(sql`update attempts set provider_account = ${account}, message = ${account} where team_id = ${team_id}`);
      await tx.run(sql`update attempts set channel = ${account} where team_id = ${team_id}`);
    }
    const extra = await addAttempt(tx, { ...one, attempt: { ...one.attempt, team_id: other } }, partial.id, 1);
    await tx.run(sql`update attempts set provider_account = 'newest' where id = ${extra}`);
    const channels = async (team_id: bigint) =>
      must(await findWithAttempts(tx, team_id, partial.id), 'it exists').attempts.map(({ channel }) => channel);
    assert.deepEqual(await channels(own), ['account of own']);
    assert.equal((await channels(other)).length, 2);
    await tx.run(sql`update payments set continue_at = null`);
    await tx.run(sql`update payments set continue_at = ${NOW} where id = ${partial.id}`);
    const claimed = await payments.claimContinuing(tx, NOW, 1, 10, []);
    const accounts = Object.fromEntries(claimed.map(({ team_id, provider_account }) => [String(team_id), provider_account]));
    assert.deepEqual(accounts, { [String(own)]: 'account of own', [String(other)]: 'newest' });
  }));

test('an attempt of another team keeps no payment from expiring', () =>
  tried(async (tx, { own, other }, { partial, open }) => {
    await tx.run(sql`update payments set expires_at = ${NOW} where id = ${partial.id}`);
    for (const [waiting, expiring] of [
      [own, other],
      [other, own],
    ] as const) {
      await tx.run(sql`update attempts set status = 'open' where id = ${open.id} and team_id = ${waiting}`);
      await tx.run(sql`update attempts set status = 'failed' where id = ${open.id} and team_id = ${expiring}`);
      assert.deepEqual(await payments.lockExpired(tx, NOW, 10), [{ team_id: expiring, id: partial.id }]);
    }
  }));

test('an attempt may be sent while the payment of its own team may be charged', () =>
  tried(async (tx, { own, other }, { partial, open }) => {
    const set = (team_id: bigint, status: string) =>
      tx.run(sql`update payments set status = ${status} where id = ${partial.id} and team_id = ${team_id}`);
    const sent = async (team_id: bigint) => {
      const sending = { team_id, id: open.id, handle: null, submitted_at: NOW };
      return (await attempts.markSent(tx, [sending], payments.CHARGEABLE)).has(open.id);
    };
    await set(own, 'partial');
    await set(other, 'failed');
    assert.deepEqual([await sent(own), await sent(other)], [true, false]);
    await set(own, 'failed');
    await set(other, 'pending');
    assert.deepEqual([await sent(own), await sent(other)], [false, true]);
  }));

test('a payment is settled when nothing of its own team is pending', () =>
  tried(async (tx, { own, other }, { payment }) => {
    const settled = async () =>
      (await tx.all<{ team_id: bigint }>(sql`select team_id from payments where settled order by team_id`)).map(
        (row) => row.team_id,
      );
    for (const [released, pending] of [
      [own, other],
      [other, own],
    ] as const) {
      await tx.run(sql`update payments set settled = false`);
      await tx.run(sql`update settlement_items set released_at = ${NOW} where team_id = ${released}`);
      await tx.run(sql`update settlement_items set released_at = null where team_id = ${pending}`);
      await payments.markSettled(tx, [{ team_id: released, id: payment.id }], NOW);
      assert.deepEqual(await settled(), [released]);
      await payments.markSettled(tx, [{ team_id: pending, id: payment.id }], NOW);
      assert.deepEqual(await settled(), [released]);
    }
  }));

test('a reference that a provider reported to another team is free, and its attempts are not found by it', () =>
  tried(async (tx, { own, other }, { open }) => {
    const { id, provider_account } = open;
    await tx.run(sql`update attempts set provider_ref = null`);
    await tx.run(sql`update attempts set provider_ref = 'ref', status = 'open' where team_id = ${other} and id = ${id}`);
    const found = async (team_id: bigint) =>
      (await attempts.findBySubject(tx, team_id, provider_account, { by: 'provider_ref', value: 'ref' }))?.team_id;
    assert.deepEqual([await found(own), await found(other)], [undefined, other]);
    assert.equal(await attempts.storeReportedRef(tx, open, 'ref', ''), true);
    await tx.run(sql`update attempts set status = 'open' where id = ${id}`);
    assert.deepEqual([await found(own), await found(other)], [own, other]);
    assert.deepEqual(idsOf(await attempts.attemptsOf(tx, [{ team_id: own, id: open.payment_id }])), [id]);
  }));
