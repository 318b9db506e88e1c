import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import * as attempts from '../../src/core/attempts/store.ts';
import { type AttemptRow, NEVER_ARRIVED } from '../../src/core/attempts/schema.ts';
import { PAYMENT_STATUSES } from '../../src/core/payments/states.ts';
import { CHARGEABLE } from '../../src/core/payments/store.ts';
import { type Queryable, type Sql, sql, type Tx } from '../../src/kit/sql.ts';
import { addAttempt, at, idsOf, NOW, scanOnly, tried as triedOn } from '../payments/rows.ts';
import { until } from '../setup/api.ts';
import { openTwins, type Twins } from '../tenants/twins.ts';
import { storedExplanation } from '../../src/providers/routing/explain.ts';

let twins: Twins;
before(async () => {
  twins = await openTwins();
});
after(() => twins.close());

test('the attempts of payments are read oldest first, wherever their rows are stored', async () => {
  const { result } = await twins.trial(async (tx, { payment, partial, attempt }) => {
    // A changed row is stored behind the others.
    await tx.run(sql`update attempts set message = 'changed' where id = ${attempt.id}`);
    await tx.run(sql`update attempts set payment_id = ${partial.id} where payment_id not in (${partial.id}, ${payment.id})`);
    await tx.run(sql`set local enable_indexscan = off`);
    const refs = [partial, payment];
    return [await attempts.attemptsOf(tx, refs), await attempts.lockAttempts(tx, refs)].map((rows) => rows.map(({ id }) => id));
  });
  for (const ids of result as string[][]) {
    assert.ok(ids.length >= 3);
    assert.deepEqual(ids, ids.toSorted());
  }
});

test('a callback looks its attempt up by a prepared statement, however it identifies it', async () => {
  const sent: Sql[] = [];
  const db = { maybe: async (statement: Sql) => void sent.push(statement) } as unknown as Queryable;
  for (const by of ['id', 'provider_key', 'provider_ref'] as const)
    await attempts.findBySubject(db, 1n, 'pa_1', { by, value: 'x' });
  assert.equal(new Set(sent.map(({ name }) => name)).size, 3);
  for (const { name, text } of sent) assert.ok(name, text);
});

const STATUSES = ['created', 'open', 'unknown', 'succeeded', 'failed', 'cancelled', 'expired', 'unavailable'] as const;
const OPEN: readonly string[] = ['created', 'open', 'unknown'];

const tried = <T>(work: (tx: Tx, one: Twins) => Promise<T>) => triedOn(twins, work);
const rowsOf = async (tx: Tx) =>
  new Map((await tx.all<{ id: string }>(sql`select * from attempts order by id`)).map((row) => [row.id, row as object]));
/** What the work changes, by id of the attempt. */
async function changedBy(tx: Tx, work: () => Promise<unknown>): Promise<Record<string, object>> {
  const before = await rowsOf(tx);
  await work();
  const changes = [...(await rowsOf(tx))].map(([id, row]) => {
    const old = Object.entries(before.get(id) ?? {});
    return [id, Object.fromEntries(Object.entries(row).filter(([name, value]) => !isSame(old, name, value)))] as const;
  });
  return Object.fromEntries(changes.filter(([, change]) => Object.keys(change).length > 0));
}
function isSame(old: [string, unknown][], name: string, value: unknown): boolean {
  const found = old.find(([other]) => other === name);
  return found !== undefined && isDeepStrictEqual(found[1], value);
}

test('a new attempt is stored with all that is known of it, and as not yet sent', () =>
  tried(async (tx, { team_id, attempt, dispute }) => {
    const known = {
      ...{ team_id, id: 'att_new', payment_id: dispute.payment_id, provider: 'p', provider_account: 'acc', channel: 'cm.orange' },
      ...{
        amount_minor: 7n,
        currency: 'XOF',
        payer: '+237650000009',
        country: 'SN',
        provider_key: 'key',
        client_ip: '127.0.0.9',
      },
      ...{ counted_day: attempt.counted_day, created_at: at(1), next_poll_at: at(2), decision: { by: 'cost' } },
    };
    const all = { ...known, remember: true, method_id: 'pm_1', prompted_by: 'page' as const };
    const [stored] = await attempts.insertAttempts(tx, [all]);
    const nothing = {
      ...{ payer_hash: null, provider_ref: null, handle: null, mismatch: null, mismatches: 0, resolution: null },
      ...{ reason: null, message: null, action: null, polls: 0, must_return: false, submitted_at: null, closed_at: null },
      unanswered_step_at: null,
    };
    const decision = JSON.parse(storedExplanation(all.decision));
    assert.deepEqual(stored, { ...all, ...nothing, decision, status: 'created' });
    assert.deepEqual(await attempts.findAttempt(tx, team_id, 'att_new'), stored);
    await tx.run(sql`update attempts set status = 'failed' where id = 'att_new'`);
    await attempts.insertAttempts(tx, [{ ...known, id: 'att_plain', provider_key: 'plain' }]);
    const plain = await attempts.findAttempt(tx, team_id, 'att_plain');
    assert.deepEqual([plain?.remember, plain?.method_id, plain?.prompted_by], [null, null, null]);
  }));

test('an attempt is found by its own id only', () =>
  tried(async (tx, { team_id }) => {
    const ids = [...(await rowsOf(tx)).keys()];
    for (const id of ids) assert.equal((await attempts.findAttempt(tx, team_id, id))?.id, id);
    assert.equal(await attempts.findAttempt(tx, team_id, 'att_none'), undefined);
    assert.equal(await attempts.findAttempt(tx, team_id + 1n, ids[0] as string), undefined);
  }));

test('the attempts of the named payments are read, and no others', () =>
  tried(async (tx, { team_id, payment, partial }) => {
    const own = await tx.all<{ id: string }>(sql`select id from attempts where payment_id = ${payment.id} order by id`);
    for (const read of [attempts.attemptsOf, attempts.lockAttempts]) {
      assert.deepEqual(idsOf(await read(tx, [{ team_id, id: payment.id }])), idsOf(own));
      assert.equal((await read(tx, [{ team_id, id: partial.id }])).length, 1);
      assert.deepEqual(await read(tx, [{ team_id: team_id + 1n, id: payment.id }]), []);
      assert.deepEqual(await read(tx, []), []);
    }
  }));

test('attempts that were locked stay locked until the transaction ends', async () => {
  const { owner, team_id, payment } = twins;
  const free = async () =>
    (await owner.all(sql`select id from attempts where payment_id = ${payment.id} for update skip locked`)).length;
  assert.ok((await free()) > 0);
  await owner.transaction(async (tx) => {
    await attempts.attemptsOf(tx, [{ team_id, id: payment.id }]);
    assert.ok((await free()) > 0);
    await attempts.lockAttempts(tx, [{ team_id, id: payment.id }]);
    assert.equal(await free(), 0);
  });
});

test('an update writes each of its columns, of its own attempts only; what must be returned stays so', () =>
  tried(async (tx, { attempt, open }) => {
    const changes = {
      ...{ payer: '+237650000008', provider_ref: 'ref', reason: 'wrong_pin', message: 'changed' },
      status: 'failed' as const,
      action: { kind: 'otp' as const },
      mismatch: { amount_minor: '1', currency: 'XAF', provider_ref: 'r', at: 'a' },
      mismatches: 3,
      resolution: { as: 'failed' as const, evidence: 'e', author: 'a', at: 'b' },
      must_return: true,
      ...{ next_poll_at: at(1), submitted_at: at(2), closed_at: at(3), unanswered_step_at: at(4) },
    };
    const other = { ...open, status: 'unknown', message: 'other' } as const;
    const changed = await changedBy(tx, () => attempts.updateAttempts(tx, [{ ...attempt, ...changes }, other]));
    assert.deepEqual(changed, { [attempt.id]: changes, [open.id]: { status: 'unknown', message: 'other' } });
    const again = await changedBy(tx, () => attempts.updateAttempts(tx, [{ ...attempt, ...changes, must_return: false }]));
    assert.deepEqual(again, {});
  }));

test('an attempt is marked as sent while it is not known to be sent and its own payment may be charged', () =>
  tried(async (tx, { open, partial, payment }) => {
    const send = async (handle: string | null = 'handle', { team_id, id } = open) =>
      (await attempts.markSent(tx, [{ team_id, id, handle, submitted_at: NOW }], CHARGEABLE)).has(id);
    const sent = (handle: string) => ({ [open.id]: { submitted_at: NOW, handle } });
    const set = (status: string, others: string, id = partial.id) =>
      tx.run(sql`update payments set status = case when id = ${id} then ${status} else ${others} end`);
    for (const status of PAYMENT_STATUSES) {
      for (const others of ['pending', 'failed']) {
        await set(status, others);
        const may = ['pending', 'partial'].includes(status);
        assert.equal(await send(), may, `${status} beside ${others}`);
        await tx.run(sql`update attempts set submitted_at = null, handle = null`);
      }
    }
    await set('pending', 'pending');
    for (const status of STATUSES) {
      await tx.run(
        sql`update attempts set status = 'created' where payment_id = ${payment.id} and id = (select min(id) from attempts where payment_id = ${payment.id})`,
      );
      await tx.run(sql`update attempts set status = ${status} where id = ${open.id}`);
      const changed = await changedBy(tx, async () => assert.equal(await send(), status === 'created', status));
      assert.deepEqual(changed, status === 'created' ? sent('handle') : {});
    }
    await tx.run(sql`update attempts set status = 'created', submitted_at = null where id = ${open.id}`);
    const kept = await changedBy(tx, () => send(null));
    assert.deepEqual(kept, { [open.id]: { submitted_at: NOW } }, 'the handle of before is kept');
    assert.equal(await send('x', { ...open, team_id: open.team_id + 1n }), false);
    assert.equal(await send('x', { ...open, id: 'att_none' }), false);
  }));

test('an attempt is not sent while another one of its payment is due to be read, or another amount of it awaits a decision', () =>
  tried(async (tx, one) => {
    const { open, partial, payment } = one;
    const other = await addAttempt(tx, one, partial.id, 1);
    const cases = [
      { due: null, mismatch: null, may: true },
      { due: NOW, mismatch: null, may: false },
      { due: null, mismatch: '{"amount_minor": "1", "currency": "XAF", "provider_ref": "r", "at": "a"}', may: false },
    ];
    for (const { due, mismatch, may } of cases) {
      await tx.run(sql`update attempts set next_poll_at = ${due}, mismatch = ${mismatch} where id = ${other}`);
      const marked = await attempts.markSent(tx, [{ ...open, submitted_at: NOW }], CHARGEABLE);
      assert.deepEqual([...marked], may ? [open.id] : [], `due ${due}, mismatch ${mismatch}`);
    }
    await tx.run(sql`update attempts set mismatch = null where id = ${other}`);
    await tx.run(sql`insert into journals (team_id, kind, source_id, subject_id)
      values (${one.team_id}, 'reconciliation.late', ${other}, ${partial.id})`);
    assert.equal((await attempts.markSent(tx, [{ ...open, submitted_at: NOW }], CHARGEABLE)).size, 0, 'shown by a statement');
    await tx.run(sql`delete from journals where source_id = ${other}`);
    await tx.run(sql`update attempts set payment_id = ${payment.id} where id = ${other}`);
    assert.equal((await attempts.markSent(tx, [{ ...open, submitted_at: NOW }], CHARGEABLE)).size, 1, 'of another payment');
  }));

test('a callback makes an open attempt due now, and no other', () =>
  tried(async (tx, { open, team_id }) => {
    for (const status of STATUSES) {
      await tx.run(sql`update attempts set next_poll_at = null where id = ${open.id}`);
      await tx.run(sql`update attempts set status = ${status} where id = ${open.id}`);
      const changed = await changedBy(tx, () => attempts.pollNow(tx, open, NOW));
      assert.deepEqual(changed, OPEN.includes(status) ? { [open.id]: { next_poll_at: NOW } } : {}, status);
    }
    await tx.run(sql`update attempts set status = 'open', next_poll_at = null where id = ${open.id}`);
    assert.deepEqual(await changedBy(tx, () => attempts.pollNow(tx, { id: open.id, team_id: team_id + 1n }, NOW)), {});
    assert.deepEqual(await changedBy(tx, () => attempts.pollNow(tx, { team_id, id: 'att_none' }, NOW)), {});
  }));

test('a callback makes an attempt due that its provider may have although it ended, if it ended lately', () =>
  tried(async (tx, { open, team_id }) => {
    const doubt = (ref: { team_id: bigint; id: string }) =>
      changedBy(tx, () => attempts.pollDoubted(tx, { ...open, ...ref }, at(5), NOW));
    const cases: [status: string, reason: string | null, as: string | null, closed_at: Date, isDue: boolean][] = [
      ['unavailable', null, null, NOW, true],
      ['unavailable', null, null, at(-1), false],
      ['expired', NEVER_ARRIVED, null, NOW, true],
      ['expired', 'expired_by_provider', null, NOW, false],
      ['failed', NEVER_ARRIVED, null, NOW, false],
      ['failed', null, 'failed', NOW, true],
      ['failed', null, 'failed', at(-1), false],
      ['failed', null, 'succeeded', NOW, false],
      ['succeeded', null, 'failed', NOW, false],
    ];
    for (const [status, reason, as, closed_at, isDue] of cases) {
      const resolution = as && JSON.stringify({ as });
      await tx.run(sql`
        update attempts set status = ${status}, reason = ${reason}, resolution = ${resolution}, closed_at = ${closed_at}, next_poll_at = null
        where id = ${open.id}`);
      const expected = isDue ? { [open.id]: { next_poll_at: at(5) } } : {};
      assert.deepEqual(await doubt(open), expected, `${status} ${reason} ${as} ${closed_at.toISOString()}`);
    }
    await tx.run(sql`update attempts set status = 'unavailable', next_poll_at = null where id = ${open.id}`);
    assert.deepEqual(await doubt({ id: open.id, team_id: team_id + 1n }), {});
    assert.deepEqual(await doubt({ team_id, id: 'att_none' }), {});
  }));

test('a reported reference is stored once, unless the attempt was paid or another recent one of its account has it', () =>
  tried(async (tx, { open, attempt, team_id }) => {
    const since = attempt.id;
    const store = (of = open, from = since) => attempts.storeReportedRef(tx, of, 'reported', from);
    const reset = () => tx.run(sql`update attempts set provider_ref = null`);
    await reset();
    for (const status of STATUSES) {
      await reset();
      await tx.run(sql`update attempts set status = ${status} where id = ${open.id}`);
      const changed = await changedBy(tx, async () => assert.equal(await store(), status !== 'succeeded', status));
      assert.deepEqual(changed, status === 'succeeded' ? {} : { [open.id]: { provider_ref: 'reported' } });
    }
    assert.equal(await attempts.storeReportedRef(tx, open, 'second', since), false, 'it has one');
    await reset();
    assert.equal(await store({ ...open, team_id: team_id + 1n }), false);
    assert.equal(await store({ ...open, id: 'att_none' }), false);
    const give = (ref: string, account: string) =>
      tx.run(sql`update attempts set provider_ref = ${ref}, provider_account = ${account} where id = ${attempt.id}`);
    const clear = () => tx.run(sql`update attempts set provider_ref = null where id = ${open.id}`);
    await give('reported', open.provider_account);
    assert.equal(await store(), false, 'another has it');
    assert.equal(await store(open, `${attempt.id}0`), true, 'one that is too old');
    await clear();
    await give('reported', 'another account');
    assert.equal(await store(), true);
    await clear();
    await give('another reference', open.provider_account);
    assert.equal(await store(), true);
  }));

test('of two attempts that are reported with the same reference at the same moment one gets it', async () => {
  const { owner, open, attempt } = twins;
  const rows = [open, attempt];
  const since = open.id < attempt.id ? open.id : attempt.id;
  for (const { id } of rows) {
    await owner.run(sql`
      update attempts set provider_ref = null, provider_account = ${open.provider_account}, status = 'failed' where id = ${id}`);
  }
  const store = (tx: Tx, one: AttemptRow) => attempts.storeReportedRef(tx, one, 'of both', since);
  try {
    let ended = false;
    let second: Promise<boolean> | undefined;
    await owner.transaction(async (tx) => {
      assert.equal(await store(tx, open), true);
      second = owner
        .transaction((other) => store(other, attempt))
        .finally(() => {
          ended = true;
        });
      await until(
        () =>
          owner.all(sql`
          select from pg_locks where not granted and locktype = 'advisory'
            and database = (select oid from pg_database where datname = current_database())`),
        (waiting) => ended || waiting.length > 0,
      );
    });
    assert.equal(await second, false);
  } finally {
    for (const { id, provider_ref, provider_account, status } of rows) {
      await owner.run(sql`
        update attempts set provider_ref = ${provider_ref}, provider_account = ${provider_account}, status = ${status} where id = ${id}`);
    }
  }
});

test('a callback finds the newest attempt of its account by what it names: a reference only of an open one', () =>
  tried(async (tx, { team_id, payment, open }) => {
    const own = await tx.all<{ id: string }>(sql`select id from attempts where payment_id = ${payment.id} order by id`);
    const [older, newer] = idsOf(own) as [string, string];
    await tx.run(sql`update attempts set status = 'failed', provider_ref = 'ref' where payment_id = ${payment.id}`);
    await tx.run(sql`update attempts set provider_account = 'acc' where payment_id = ${payment.id}`);
    await tx.run(sql`update attempts set provider_key = 'key of ' || id, message = 'stored anew' where id = ${older}`);
    await scanOnly(tx);
    const find = async (by: attempts.AttemptReference['by'], value: string, account = 'acc', team = team_id) =>
      (await attempts.findBySubject(tx, team, account, { by, value }))?.id;
    for (const status of STATUSES) {
      await tx.run(sql`update attempts set status = ${status} where id = ${older}`);
      assert.equal(await find('provider_ref', 'ref'), OPEN.includes(status) ? older : undefined, status);
      assert.equal(await find('id', older), older, status);
      assert.equal(await find('provider_key', `${(await rowOf(tx, older)).provider_key}`), older, status);
    }
    await tx.run(sql`update attempts set payment_id = ${open.payment_id}, status = 'failed' where id = ${older}`);
    await tx.run(sql`update attempts set status = 'failed' where id = ${open.id}`);
    await tx.run(sql`update attempts set status = 'unknown' where id in (${older}, ${newer})`);
    await tx.run(sql`update attempts set message = 'stored last' where id = ${newer}`);
    assert.equal(await find('provider_ref', 'ref'), newer);
    for (const [by, value] of [
      ['id', older],
      ['provider_key', `${(await rowOf(tx, older)).provider_key}`],
      ['provider_ref', 'ref'],
    ] as const) {
      assert.equal(await find(by, 'none'), undefined, by);
      assert.equal(await find(by, value, 'another account'), undefined, by);
      assert.equal(await find(by, value, 'acc', team_id + 1n), undefined, by);
    }
  }));

const rowOf = async (tx: Tx, id: string) => (await rowsOf(tx)).get(id) as { provider_key: string };

test('a claimed attempt is counted as polled once more and is due after the lease', () =>
  tried(async (tx, { open }) => {
    await tx.run(sql`update attempts set next_poll_at = null`);
    await tx.run(sql`update attempts set next_poll_at = ${NOW}, polls = 4 where id = ${open.id}`);
    const [claimed, ...others] = await attempts.claimDueAttempts(tx, NOW, 1_000, 10, []);
    assert.deepEqual(others, []);
    assert.deepEqual(claimed, { ...open, next_poll_at: at(1_000), polls: 5 });
  }));

test('a claim takes the attempts that have been due for longest, wherever their rows are stored', () =>
  tried(async (tx, { open, attempt }) => {
    await scanOnly(tx);
    for (const [young, old] of [
      [open, attempt],
      [attempt, open],
    ] as const) {
      await tx.run(sql`update attempts set next_poll_at = null`);
      await tx.run(sql`update attempts set next_poll_at = ${at(-1)} where id = ${young.id}`);
      await tx.run(sql`update attempts set next_poll_at = ${at(-2)} where id = ${old.id}`);
      const claimed = async () => idsOf(await attempts.claimDueAttempts(tx, NOW, 1_000, 1, []));
      assert.deepEqual([await claimed(), await claimed(), await claimed()], [[old.id], [young.id], []]);
    }
  }));

test('a shift moves the times of open attempts, and counts those that it makes due', () =>
  tried(async (tx, { team_id, open }) => {
    for (const status of STATUSES) {
      await tx.run(sql`update attempts set status = 'failed', next_poll_at = ${at(20)}, submitted_at = ${at(30)}`);
      await tx.run(sql`update attempts set status = ${status} where id = ${open.id}`);
      const changed = await changedBy(tx, () => attempts.shiftAttempts(tx, { team_id, by_ms: 6, now: NOW }));
      const moved = { [open.id]: { next_poll_at: at(14), submitted_at: at(24) } };
      assert.deepEqual(changed, OPEN.includes(status) ? moved : {}, status);
    }
    await tx.run(sql`update attempts set status = 'open' where id = ${open.id}`);
    for (const [poll, due] of [
      [11, 0],
      [10, 1],
      [1, 1],
      [0, 0],
    ] as const) {
      await tx.run(sql`update attempts set next_poll_at = ${at(poll)} where id = ${open.id}`);
      assert.deepEqual(await attempts.shiftAttempts(tx, { team_id, by_ms: 10, now: NOW }), { moved: 1, due }, String(poll));
    }
  }));
