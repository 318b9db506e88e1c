import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { readConfig } from '../../src/platform/config/config.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { sql } from '../../src/kit/sql.ts';
import { apply } from '../../src/core/payments/apply.ts';
import { attemptsOf } from '../../src/core/attempts/store.ts';
import { reportOfReading } from '../../src/core/charge/reports.ts';
import { hasUnmatchedMoney } from '../../src/core/payments/retry.ts';
import { AnotherAccount } from '../../src/core/reconciliation/service.ts';
import { settleBreak } from '../../src/core/reconciliation/settle.ts';
import { recordPaidLate } from '../../src/core/transfers/late.ts';
import { resolveTransfer } from '../../src/core/transfers/resolve.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { must } from '../../src/kit/errors.ts';
import { bound, countOf, Ledgers, line, NOON, OPERATOR } from './fixture.ts';

let books: Ledgers;
before(async () => {
  books = await Ledgers.open();
});
after(() => books.drop());
afterEach(() => books.clear());

const APPLY = { apply: true };

/** The provider itself reports another amount of an attempt, in a callback. */
async function reportOther(id: string, payment_id: string, amount_minor: bigint): Promise<void> {
  const [attempt] = await attemptsOf(books.db, [{ team_id: books.team_id, id: payment_id }]);
  assert.equal(attempt?.id, id);
  const place = { config: readConfig({}), environment: 'live' as const };
  const reading = { kind: 'succeeded' as const, provider_ref: 'F1', amount_minor, currency: 'XAF' };
  const look = {
    capabilities: { polls: { first_ms: 1, factor: 1, max_ms: 1 }, not_found_grace_ms: 0 },
    polled_at: NOON,
    due: null,
  };
  const report = reportOfReading(place, attempt, reading, look);
  const context = { environment: 'live' as const, at: NOON, listeners: [] };
  await books.db.transaction((tx) => apply(tx, context, [report]));
}

/** The provider itself reports that a payout which had failed was paid. */
function paidLate(id: string) {
  return books.db.transaction((tx) => recordPaidLate(tx, NOON, { team_id: books.team_id, id }, { provider_ref: 'F1' }));
}

async function resolutionOf(id: string) {
  const row = await books.one<{ resolution: { as: string; author: string; evidence: string } }>(
    sql`select resolution from attempts where id = ${id}`,
  );
  return row.resolution;
}

const booked = () => books.booked();

describe('corrections: clearing follows the statement, and hold keeps what requires manual resolution', () => {
  const cases: [string, () => Promise<string[]>, string[]][] = [
    [
      'a collection missing here',
      async () => [line('collect', 'x1')],
      ['reconciliation.unexpected:collect 100000 XAF clearing > hold'],
    ],
    ['a payout missing here', async () => [line('payout', 'x2')], ['reconciliation.unexpected:payout 50000 XAF hold > clearing']],
    [
      'more collected than booked',
      async () => [line('collect', (await books.attempt('succeeded')).key, { amount: '1200' })],
      ['reconciliation.amount:XAF 20000 XAF clearing > hold'],
    ],
    [
      'less collected than booked',
      async () => [line('collect', (await books.attempt('succeeded')).key, { amount: '999.99' })],
      ['reconciliation.amount:XAF 1 XAF hold > clearing'],
    ],
    [
      'another currency',
      async () => [line('collect', (await books.attempt('succeeded')).key, { currency: 'XOF' })],
      ['reconciliation.amount:XAF 100000 XAF hold > clearing', 'reconciliation.amount:XOF 100000 XOF clearing > hold'],
    ],
    [
      'more paid out than booked',
      async () => [line('payout', (await books.transfer('succeeded', 'closed')).key, { amount: '700' })],
      ['reconciliation.amount:XAF 20000 XAF hold > clearing'],
    ],
    [
      'collected twice',
      async () => {
        const { key } = await books.attempt('succeeded', { ref: 'A' });
        return [line('collect', key, { ref: 'A' }), line('collect', key, { ref: 'B' }), line('collect', key, { ref: 'B' })];
      },
      ['reconciliation.unexpected:collect 100000 XAF clearing > hold'],
    ],
    [
      'a failed payout that was paid',
      async () => [line('payout', (await books.transfer('failed', 'closed')).key)],
      ['reconciliation.late 50000 XAF hold > clearing'],
    ],
    [
      'a failed attempt that brought another amount',
      async () => [line('collect', (await books.attempt('failed')).key, { amount: '7' })],
      ['reconciliation.late 700 XAF clearing > hold'],
    ],
    [
      'nothing for what is missing there',
      async () => [line('collect', (await books.attempt('succeeded')).key, { status: 'failed' })],
      [],
    ],
  ];
  for (const [what, make, wanted] of cases) {
    test(what, async () => {
      const lines = await make();
      await books.reconcile(lines);
      assert.deepEqual(await booked(), [], 'looking books nothing');
      const { run, breaks } = await books.reconcile(lines, APPLY);
      assert.deepEqual(await booked(), wanted);
      assert.ok(breaks.every(({ kind, state }) => state === (kind === 'missing_there' ? 'open' : 'held')));
      const again = await books.reconcile([...lines, ''], { ...APPLY, file_name: 'overlapping.csv' });
      assert.deepEqual(await booked(), wanted, 'another statement with the same lines books nothing more');
      assert.deepEqual(
        again.breaks.map(({ state }) => state),
        breaks.map(({ state }) => state),
      );
      const entries = await books.db.all(
        sql`select 1 from audit_entries where resource_id = ${run.id} and action = 'reconciliation.apply'`,
      );
      assert.equal(entries.length, 1);
    });
  }
});

describe('evidence is applied as a manual resolution is', () => {
  test('an unknown attempt succeeds: it is posted, an event is emitted, and the statement line is kept', async () => {
    const { id, of, key } = await books.attempt('unknown');
    const { run, breaks } = await books.reconcile([line('collect', key, { ref: 'F1' })], APPLY);
    assert.deepEqual(
      breaks.map(({ state, outcome }) => [state, outcome]),
      [['closed', 'payment succeeded']],
    );
    const { as, author, evidence } = await resolutionOf(id);
    assert.deepEqual([as, author], ['succeeded', `statement ${run.file_hash.slice(0, 12)} line 2`]);
    assert.match(evidence, /march\.csv: F1 succeeded, 1000\.00 XAF, 2026-03-10T12:00:10/);
    assert.deepEqual(
      (await books.db.all<{ type: string }>(sql`select type from events where resource_id = ${of}`)).map(({ type }) => type),
      ['payment.succeeded'],
    );
    assert.deepEqual((await booked()).at(0), 'payment.succeeded 100000 XAF clearing > pending');
    assert.deepEqual((await books.reconcile([line('collect', key)], APPLY)).breaks, []);
  });

  test('an attempt whose sender crashed before the response becomes succeeded, not late money', async () => {
    const { of, key } = await books.attempt('created');
    await books.db.run(sql`update payments set status = 'pending'`);
    await books.reconcile([line('collect', key)], APPLY);
    const { status } = await books.one<{ status: string }>(sql`select status from payments where id = ${of}`);
    assert.equal(status, 'succeeded');
  });

  test('an unknown attempt that failed in the statement fails the payment', async () => {
    const { id, of, key } = await books.attempt('unknown');
    await books.reconcile([line('collect', key, { status: 'failed' })], APPLY);
    const { status } = await books.one<{ status: string }>(sql`select status from payments where id = ${of}`);
    assert.deepEqual([status, (await resolutionOf(id)).as, await booked()], ['failed', 'failed', []]);
  });

  test('another amount after the end that is in suspense already is not set aside a second time', async () => {
    const { id, of, key } = await books.attempt('failed');
    await books.db.run(sql`
      update attempts set mismatches = 1, mismatch = '{"amount_minor": "40000", "currency": "XAF", "provider_ref": "F1", "at": "2026-03-10T12:00:10Z"}'
      where id = ${id}`);
    const { breaks } = await books.reconcile([line('collect', key, { amount: '400' })], APPLY);
    assert.deepEqual(
      breaks.map(({ kind, state, action }) => [kind, state, action]),
      [['late', 'held', 'none']],
    );
    const { status } = await books.one<{ status: string }>(sql`select status from payments where id = ${of}`);
    assert.deepEqual([status, await booked()], ['failed', []]);
  });

  test('another amount after the end that a statement set aside is not set aside again when the provider reports it too', async () => {
    const { id, of, key } = await books.attempt('failed');
    await books.reconcile([line('collect', key, { amount: '400' })], APPLY);
    await reportOther(id, of, 40_000n);
    assert.deepEqual(await booked(), ['reconciliation.late 40000 XAF clearing > hold']);
    await reportOther(id, of, 30_000n);
    assert.equal((await booked()).length, 2, 'a third amount is other money');
  });

  for (const as of ['platform', 'undone'] as const)
    test(`another amount that a statement set aside, settled as ${as}: only "undone" leaves room for the provider's own report`, async () => {
      const { id, of, key } = await books.attempt('failed');
      const { run, breaks } = await books.reconcile([line('collect', key, { amount: '400' })], APPLY);
      const ref = { team_id: books.team_id, run_id: run.id, id: must(breaks[0], 'it is late').id };
      await settleBreak({ clock: systemClock }, books.store, ref, { as, evidence: 'their letter', author: 'Awa' }, OPERATOR);
      const attempts = await attemptsOf(books.db, [{ team_id: books.team_id, id: of }]);
      assert.equal(await hasUnmatchedMoney(books.db, attempts), as !== 'undone');
      for (let times = 0; times < 2; times++) await reportOther(id, of, 40_000n);
      const own = as === 'undone' ? ['evidence.mismatched 40000 XAF clearing > hold'] : [];
      assert.deepEqual((await booked()).slice(2), own);
      const again = await books.reconcile([line('collect', key, { amount: '400' })], APPLY);
      assert.deepEqual(
        again.breaks.map(({ kind, state }) => [kind, state]),
        [['late', as === 'undone' ? 'held' : 'settled']],
      );
    });

  test('what the provider reports between the comparison and the correction is set aside once', async () => {
    const attempt = await books.attempt('failed');
    const refund = await books.refund('failed', 'failed');
    const payout = await books.transfer('failed', 'closed');
    const begun: string[] = [];
    const transaction: Store['db']['transaction'] = async (work) => {
      begun.push('');
      if (begun.length === 2) {
        await reportOther(attempt.id, attempt.of, 40_000n);
        await books.db.run(
          sql`update refunds set legs = replace(legs::text, '"failed"', '"succeeded"')::json where id = ${refund.id}`,
        );
        assert.ok(await paidLate(payout.id));
      }
      return books.db.transaction(work);
    };
    const store: Store = { environment: 'live', db: { ...bound(books.store.db), transaction } };
    const { breaks } = await books.reconcile(
      [line('collect', attempt.key, { amount: '400' }), line('refund', refund.key), line('payout', payout.key)],
      APPLY,
      store,
    );
    assert.deepEqual(
      breaks.map(({ kind, state }) => [kind, state]),
      Array.from({ length: 3 }, () => ['late', 'refused']),
    );
    assert.deepEqual(await booked(), [
      'evidence.mismatched 40000 XAF clearing > hold',
      'transfer.paid_late 50000 XAF credit > clearing',
    ]);
  });

  test('a payout that was paid after it had failed is booked once: as its provider reports, or by a statement', async () => {
    const [reported, listed] = [await books.transfer('failed', 'closed'), await books.transfer('cancelled', 'closed')];
    assert.ok(await paidLate(reported.id));
    const lines = [line('payout', reported.key), line('payout', listed.key)];
    const { run, breaks } = await books.reconcile(lines, APPLY);
    assert.equal(countOf(run, 'matched'), 1);
    assert.deepEqual(
      breaks.map(({ kind, state, of_id }) => [kind, state, of_id]),
      [['late', 'held', listed.id]],
    );
    assert.deepEqual([await paidLate(reported.id), await paidLate(listed.id)], [null, null]);
    const verdict = { as: 'succeeded' as const, evidence: 'a letter', author: 'awa' };
    const ref = { team_id: books.team_id, id: listed.id };
    await assert.rejects(resolveTransfer({ clock: systemClock }, books.store, ref, verdict, OPERATOR), /pirogue breaks settle/);
    assert.deepEqual(await booked(), [
      'transfer.paid_late 50000 XAF credit > clearing',
      'reconciliation.late 50000 XAF hold > clearing',
    ]);
  });

  test('a line with another amount leaves the payment processing and the money in suspense, once', async () => {
    const { of, key } = await books.attempt('unknown');
    const lines = [line('collect', key, { amount: '400' })];
    const { breaks } = await books.reconcile(lines, APPLY);
    assert.deepEqual(
      breaks.map(({ kind, state }) => [kind, state]),
      [['amount', 'held']],
    );
    const { status } = await books.one<{ status: string }>(sql`select status from payments where id = ${of}`);
    assert.deepEqual([status, await booked()], ['processing', ['evidence.mismatched 40000 XAF clearing > hold']]);
    const again = await books.reconcile(lines, APPLY);
    assert.deepEqual(
      again.breaks.map(({ kind, state }) => [kind, state]),
      [['amount', 'held']],
    );
    assert.equal((await booked()).length, 1);
  });

  test('money received after a terminal status is a late success and is reversed automatically', async () => {
    const { id, of, key } = await books.attempt('expired');
    const { breaks } = await books.reconcile([line('collect', key)], APPLY);
    assert.deepEqual(
      breaks.map(({ kind, state }) => [kind, state]),
      [['late', 'closed']],
    );
    assert.deepEqual(await booked(), ['payment.late_success 100000 XAF clearing > hold']);
    const { state } = await books.one<{ state: string }>(sql`select state from returns where attempt_id = ${id}`);
    const events = await books.db.all<{ type: string }>(sql`select type from events where resource_id = ${of}`);
    assert.deepEqual([state, events.map(({ type }) => type)], ['owed', ['payment.late_success']]);
  });

  test('payouts and refunds in progress get the outcome of the statement', async () => {
    const paid = await books.transfer('processing', 'dispatched');
    const refused = await books.transfer('processing', 'dispatched');
    const returned = await books.refund('processing', 'sent');
    const lines = [line('payout', paid.key), line('payout', refused.key, { status: 'failed' }), line('refund', returned.key)];
    const { breaks } = await books.reconcile(lines, APPLY);
    assert.deepEqual(
      breaks.map(({ subject_id, outcome }) => [subject_id, outcome]),
      [
        [paid.id, 'transfer succeeded'],
        [refused.id, 'transfer failed'],
        [returned.id, 'refund succeeded'],
      ],
    );
  });

  test('a line about one part of a refund closes that part and no other', async () => {
    const { id, key } = await books.refund('processing', 'sent');
    await books.db.run(sql`
      update refunds set legs = json_build_array(replace(legs->>0, ${key}, 'another')::json, legs->0) where id = ${id}`);
    const { breaks } = await books.reconcile([line('refund', key)], APPLY);
    assert.deepEqual(
      breaks.map(({ leg, outcome }) => [leg, outcome]),
      [[1, 'refund processing']],
    );
    const { legs } = await books.one<{ legs: { status: string }[] }>(sql`select legs from refunds where id = ${id}`);
    assert.deepEqual(
      legs.map(({ status }) => status),
      ['sent', 'succeeded'],
    );
  });

  test('a line about a failed refund that was paid after all closes its automatic reversal, once', async () => {
    const { id, of, key } = await books.refund('failed', 'failed');
    const rtn = id.replace('rfd_', 'rtn_');
    await books.db.run(sql`
      insert into returns (team_id, id, payment_id, attempt_id, amount_minor, currency, state, refund_id, created_at, updated_at)
      select team_id, ${rtn}, payment_id, legs->0->>'attempt_id', amount_minor, currency, 'owed', id, created_at, created_at
      from refunds where id = ${id}`);
    await books.db.run(sql`update refunds set kind = 'giveback', return_id = ${rtn} where id = ${id}`);
    const { breaks } = await books.reconcile([line('refund', key)], APPLY);
    assert.deepEqual(
      breaks.map(({ kind, state, of_id }) => [kind, state, of_id]),
      [['late', 'closed', of]],
    );
    const wanted = ['refund.leg:0 30000 XAF refund_clearing > clearing', 'refund.drawn_late:0 30000 XAF hold > refund_clearing'];
    assert.deepEqual(await booked(), wanted);
    const { late_refund } = await books.one<{ late_refund: boolean }>(sql`select late_refund from returns where id = ${rtn}`);
    assert.equal(late_refund, true);
    await books.reconcile([line('refund', key), ''], { ...APPLY, file_name: 'overlapping.csv' });
    assert.deepEqual(await booked(), wanted, 'another statement with the same line books nothing more');
  });

  test('an attempt that is being sent is not changed, and the outcome reports it', async () => {
    const { key } = await books.attempt('created', { at: Date.now() });
    const { breaks } = await books.reconcile([line('collect', key)], { ...APPLY, to: new Date() });
    assert.deepEqual(
      breaks.map(({ kind, state }) => [kind, state]),
      [['unknown', 'refused']],
    );
    assert.match(breaks[0]?.outcome ?? '', /at this moment/);
  });
});

test('a statement whose lines are mostly unknown is not applied unless that is confirmed', async () => {
  const { key } = await books.attempt('succeeded');
  const lines = [line('collect', key), ...Array.from({ length: 20 }, (_, n) => line('collect', `stray-${n}`))];
  await assert.rejects(books.reconcile(lines, APPLY), AnotherAccount);
  assert.deepEqual(await booked(), []);
  assert.equal((await books.reconcile(lines)).breaks.length, 20, 'looking is always possible');
  await books.reconcile(lines, { ...APPLY, force: true });
  assert.equal((await booked()).length, 20);
});

test('a run that crashes between breaks is completed by the next: no break is applied twice or skipped', async () => {
  const unknown = await Promise.all(Array.from({ length: 4 }, () => books.attempt('unknown')));
  const lines = [line('collect', 'stray'), ...unknown.map(({ key }) => line('collect', key))];
  const dying = Object.create(books.store, {
    db: {
      value: {
        ...books.db,
        transaction: async (work: Parameters<typeof books.db.transaction>[0]) => {
          if ((await booked()).length >= 3) throw new Error('killed');
          return books.db.transaction(work);
        },
      },
    },
  });
  await assert.rejects(books.reconcile(lines, APPLY, dying), /killed/);
  const half = await booked();
  assert.equal(half.length, 3);
  const { breaks } = await books.reconcile(lines, APPLY);
  assert.deepEqual(breaks.map(({ state }) => state).sort(), ['closed', 'closed', 'held']);
  const all = await booked();
  assert.deepEqual(all.slice(0, 3), half);
  assert.equal(all.filter((text) => text.startsWith('payment.succeeded')).length, 4);
});
