import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readSnapshots } from '../../src/core/payments/snapshots-store.ts';
import * as payments from '../../src/core/payments/store.ts';
import { findWithAttempts } from '../../src/core/payments/view-store.ts';
import { must } from '../../src/kit/errors.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { openTwins, type Twins } from '../tenants/twins.ts';
import { addAttempt, at, idsOf, NOW, paymentIds, shuffle, tried as triedOn } from './rows.ts';

/** Each statement about payments, against rows of the same team that nearly fit. What other teams have: tenants/first-barrier. */
let twins: Twins;
before(async () => {
  twins = await openTwins();
});
after(() => twins.close());

const tried = <T>(work: (tx: Tx, one: Twins) => Promise<T>) => triedOn(twins, work);

test('a payment is found by its own id only', () =>
  tried(async (tx, { team_id }) => {
    const ids = await paymentIds(tx);
    assert.ok(ids.length >= 3);
    for (const id of ids) {
      assert.equal((await payments.findPayment(tx, team_id, id))?.id, id);
      assert.equal((await findWithAttempts(tx, team_id, id))?.id, id);
    }
    for (const [team, id] of [
      [team_id, 'trx_none'],
      [team_id + 1n, ids[0] as string],
    ] as const) {
      assert.equal(await payments.findPayment(tx, team, id), undefined);
      assert.equal(await findWithAttempts(tx, team, id), undefined);
    }
  }));

test('a payment is found by the key and route that created it, with the request and time of the key', () =>
  tried(async (tx, { team_id, partial, payment, dispute }) => {
    const hash = (text: string) => Buffer.from(text.padEnd(32));
    const key = (route: string, name: string, id: string, from: Date) =>
      tx.run(sql`insert into idempotency_keys (team_id, route, key, resource_id, request_hash, created_at)
        values (${team_id}, ${route}, ${name}, ${id}, ${hash(`${route} ${name}`)}, ${from})`);
    await key('POST /a', 'one', payment.id, at(1));
    await key('POST /a', 'two', dispute.payment_id, at(2));
    await key('POST /b', 'one', partial.id, at(3));
    const found = async (route: string, name: string, team = team_id) => {
      const row = await payments.findByKey(tx, team, route, name);
      return row && [row.id, row.request_hash.toString().trim(), row.keyed_at.getTime() - NOW.getTime()];
    };
    assert.deepEqual(await found('POST /a', 'one'), [payment.id, 'POST /a one', 1]);
    assert.deepEqual(await found('POST /a', 'two'), [dispute.payment_id, 'POST /a two', 2]);
    assert.deepEqual(await found('POST /b', 'one'), [partial.id, 'POST /b one', 3]);
    for (const [route, name] of [
      ['POST /b', 'two'],
      ['POST /c', 'one'],
      ['POST /a', 'three'],
    ] as const) {
      assert.equal(await found(route, name), undefined);
    }
    assert.equal(await found('POST /a', 'one', team_id + 1n), undefined);
  }));

test('a reference exists when a payment of the team has it', () =>
  tried(async (tx, { team_id }) => {
    assert.equal(await payments.referenceExists(tx, team_id, 'INV-1'), true);
    assert.equal(await payments.referenceExists(tx, team_id, 'INV-2'), false);
    assert.equal(await payments.referenceExists(tx, team_id + 1n, 'INV-1'), false);
  }));

test('a payment is read with its own attempts, oldest first, wherever their rows are stored', () =>
  tried(async (tx, one) => {
    const { team_id, payment, dispute } = one;
    const added = await addAttempt(tx, one, payment.id, 1);
    await addAttempt(tx, one, dispute.payment_id, 2);
    await shuffle(tx, 'attempts');
    const { attempts } = must(await findWithAttempts(tx, team_id, payment.id), 'it exists');
    assert.ok(attempts.length >= 3);
    assert.deepEqual(idsOf(attempts), idsOf(attempts).toSorted());
    assert.equal(attempts.at(-1)?.id, added);
    const rows = await tx.all<{ id: string }>(sql`select * from attempts where payment_id = ${payment.id} order by id`);
    const shown = ['id', 'provider', 'channel', 'status', 'reason', 'decision'];
    for (const [n, row] of rows.entries()) {
      const view = attempts[n] as unknown as Record<string, unknown>;
      assert.deepEqual(Object.keys(view), [...shown, 'created_at']);
      for (const name of shown) assert.deepEqual(view[name], (row as Record<string, unknown>)[name], name);
      assert.deepEqual(new Date(view.created_at as string), (row as unknown as { created_at: Date }).created_at);
    }
    await tx.run(sql`update attempts set payment_id = ${dispute.payment_id} where payment_id = ${payment.id}`);
    assert.deepEqual((await findWithAttempts(tx, team_id, payment.id))?.attempts, []);
  }));

test('a snapshot holds the progress of each payment that is asked for, its attempts oldest first', () =>
  tried(async (tx, one) => {
    const { team_id, payment, partial } = one;
    await addAttempt(tx, one, payment.id, 1);
    await tx.run(sql`update attempts set action = '{"kind": "confirm"}' where payment_id = ${payment.id}`);
    await shuffle(tx, 'attempts');
    const [snapshot, ...others] = await readSnapshots(tx, [{ team_id, id: payment.id }]);
    assert.deepEqual(others, []);
    const statuses = await tx.all(sql`
      select id, status, action, to_json(next_poll_at)#>>'{}' as next_poll_at, to_json(closed_at)#>>'{}' as closed_at, mismatch
      from attempts where payment_id = ${payment.id} order by id`);
    assert.deepEqual(snapshot?.attempts, statuses);
    const row = must(await payments.findPayment(tx, team_id, payment.id), 'it exists');
    const { id, status, expires_at, continue_at } = row;
    assert.deepEqual(snapshot?.payment, { team_id, id, status, expires_at, continue_at });
    await tx.run(sql`update attempts set payment_id = ${payment.id} where payment_id = ${partial.id}`);
    assert.deepEqual((await readSnapshots(tx, [{ team_id, id: partial.id }]))[0]?.attempts, []);
    assert.deepEqual(await readSnapshots(tx, [{ team_id: team_id + 1n, id: payment.id }]), []);
  }));

test('payments are locked in the order of their ids, those that are named and no others', () =>
  tried(async (tx, { team_id }) => {
    const ids = await paymentIds(tx);
    await shuffle(tx, 'payments');
    const named = ids.slice(0, -1);
    const refs = named.map((id) => ({ team_id, id }));
    assert.deepEqual(idsOf(await payments.lockPayments(tx, refs.toReversed())), named);
    assert.deepEqual(await payments.lockPayments(tx, [{ team_id: team_id + 1n, id: ids[0] as string }]), []);
    const wanted = sql`with wanted as (select team_id, id from payments where id <> ${ids.at(-1)} order by id desc) ${payments.LOCK_WANTED}`;
    assert.deepEqual(idsOf(await tx.all<{ id: string }>(wanted)), named);
  }));

test('a locked payment stays locked until the transaction ends; sweeps leave it out', async () => {
  const { owner, team_id, payment, partial } = twins;
  const wanted = sql`with wanted as (select team_id, id from payments) ${payments.LOCK_WANTED}`;
  const swept = () => owner.transaction(async (tx) => idsOf(await tx.all<{ id: string }>(wanted)));
  const all = await swept();
  await owner.transaction(async (tx) => {
    await payments.lockPayments(tx, [{ team_id, id: payment.id }]);
    assert.deepEqual(
      await swept(),
      all.filter((id) => id !== payment.id),
    );
  });
  await owner.transaction(async (tx) => {
    await tx.all(sql`with wanted as (select team_id, id from payments where id = ${partial.id}) ${payments.LOCK_WANTED}`);
    assert.deepEqual(
      await swept(),
      all.filter((id) => id !== partial.id),
    );
  });
});

test('a state change writes each of its columns, of its own payments only', () =>
  tried(async (tx, { team_id, payment, partial }) => {
    const rows = async () =>
      new Map((await tx.all<{ id: string }>(sql`select * from payments order by id`)).map((row) => [row.id, row]));
    const before = await rows();
    const changed = {
      ...({ status: 'refunded', reason: 'wrong_pin' } as const),
      ...{ channel: 'cm.orange', fee_minor: 7n, captured_minor: 8n, refunded_minor: 6n, settled: true },
      ...{ message: 'changed', payment_method: null, continue_at: at(1), event_count: 41 },
      ...{ updated_at: at(2), completed_at: at(3) },
    };
    const other = { ...changed, status: 'expired' as const, message: 'other', event_count: 42 };
    await payments.updatePayments(tx, [
      { ...changed, team_id, id: payment.id },
      { ...other, team_id, id: partial.id },
    ]);
    before.set(payment.id, { ...must(before.get(payment.id), 'it exists'), ...changed });
    before.set(partial.id, { ...must(before.get(partial.id), 'it exists'), ...other });
    assert.deepEqual(await rows(), before);
  }));

test('the page is claimed for one browser: only from the claim that was read', () =>
  tried(async (tx, { team_id, partial }) => {
    const ref = { team_id, id: partial.id };
    const [a, b] = [Buffer.from('a'), Buffer.from('b')];
    const claims = async () =>
      (await tx.all<{ id: string }>(sql`select id from payments where claim is not null order by id`)).map(({ id }) => id);
    assert.equal(await payments.writeClaim(tx, ref, a, b), false);
    assert.equal(await payments.writeClaim(tx, { ...ref, id: 'trx_none' }, null, a), false);
    assert.equal(await payments.writeClaim(tx, { ...ref, team_id: team_id + 1n }, null, a), false);
    assert.deepEqual(await claims(), []);
    assert.equal(await payments.writeClaim(tx, ref, null, a), true);
    assert.equal(await payments.writeClaim(tx, ref, null, b), false);
    assert.equal(await payments.writeClaim(tx, ref, a, b), true);
    assert.deepEqual(await claims(), [partial.id]);
    assert.deepEqual((await payments.findPayment(tx, team_id, partial.id))?.claim, b);
  }));
