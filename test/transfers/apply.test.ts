import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { applyTransfers, type TransferOccurrence } from '../../src/core/transfers/apply.ts';
import { presentTransfer } from '../../src/core/transfers/present.ts';
import type { Decision, TransferRow } from '../../src/core/transfers/schema.ts';
import { findTransfer } from '../../src/core/transfers/store.ts';
import { must } from '../../src/kit/errors.ts';
import { unpack } from '../../src/kit/packing.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import { bank, fund, transfer } from './support.ts';

/** What every occurrence changes, in every stage: row, journals, events and limits. Each is applied and then taken back. */
const clock = new FakeClock();
let api: Api;
let merchant: Merchant;
let made: TransferRow;
/** Another transfer of the team, of which nothing may change. */
let other: TransferRow;
before(async () => {
  const own = bank('one');
  api = await startApi({ workers: false, clock, providers: new Registry({ sandbox: [], live: [own] }) });
  merchant = await api.newMerchant({ verification_level: 1 });
  await fund(api, merchant.team, 10_000, store());
  [made, other] = [await create(), await create()];
});
after(() => api.stop());

const store = () => api.deps.stores.live;
const SENT_AT = () => new Date(clock.now() - 5_000);
const DECISION: Decision = { explanation: {}, candidates: ['one'], tried: [], resent: false, note: 'new' };
const RESOLUTION = { as: 'failed', evidence: 'e', author: 'a', at: '2030-01-01T00:00:00Z' } as const;

async function create(): Promise<TransferRow> {
  const { body } = await transfer(api, merchant.team, store(), { amount: 1_000 });
  const { id } = (body as { transfer: { id: string } }).transfer;
  return must(await findTransfer(store().db, { team_id: merchant.team.id, id }), 'it was made');
}

interface Result {
  changed: boolean | undefined;
  /** The fields of the row that differ. */
  row: Partial<TransferRow>;
  /** Kinds of the new journals, with the accounts of their lines. */
  journals: string[];
  events: { type: string; sequence: number; data: object }[];
  /** What is counted in the day and in the month, in hundredths. */
  uses: bigint[];
}

const BACK = new Error('taken back');

/** Applies an occurrence to a transfer in a state, as known in another, and takes it back. */
async function applied(occurrence: TransferOccurrence, state: Partial<TransferRow> = {}, known: Partial<TransferRow> = {}) {
  let result: Result | undefined;
  const work = async (tx: Tx) => {
    await setState(tx, { ...made, ...state });
    const [row, beside, since] = [await rowOf(tx, made), await rowOf(tx, other), await lastJournal(tx)];
    const context = { environment: 'live', at: clock.now() } as const;
    const done = await applyTransfers(tx, context, [{ known: { ...row, ...known }, occurrence }]);
    const now = await rowOf(tx, made);
    assert.deepEqual(done.get(made.id)?.transfer, now, 'what is returned is what is stored');
    assert.deepEqual(await rowOf(tx, other), beside);
    const changes = Object.entries(now).filter(([name, value]) => !same(value, row[name as keyof TransferRow]));
    result = {
      ...{ changed: done.get(made.id)?.changed, row: Object.fromEntries(changes) as Partial<TransferRow> },
      ...{ journals: await journalsSince(tx, since), events: await eventsOf(tx), uses: await usesOf(tx) },
    };
    throw BACK;
  };
  await store()
    .db.transaction(work)
    .catch((error: unknown) => {
      if (error !== BACK) throw error;
    });
  return must(result, 'it was applied');
}

function same(a: unknown, b: unknown): boolean {
  const text = (value: unknown) => JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one));
  return text(a) === text(b);
}

/** Brings the row into a state, with the money where it is then. */
async function setState(tx: Tx, row: TransferRow): Promise<void> {
  if (row.stage === 'dispatched') {
    const occurrence = { kind: 'sending', provider_account: 'one', provider_key: 'k', decision: DECISION, lease_ms: 1 } as const;
    await applyTransfers(tx, { environment: 'live', at: clock.now() }, [{ known: made, occurrence }]);
  }
  await tx.run(sql`
    update transfers set status = ${row.status}, stage = ${row.stage}, provider_account = ${row.provider_account}, polls = ${row.polls},
      provider_ref = ${row.provider_ref}, dispatched_at = ${row.dispatched_at}, counted_day = ${row.counted_day},
      decision = ${row.decision && JSON.stringify(row.decision)}, next_poll_at = ${row.next_poll_at}
    where team_id = ${row.team_id} and id = ${row.id}`);
}

async function rowOf(tx: Tx, { team_id, id }: TransferRow): Promise<TransferRow> {
  return must(await findTransfer(tx, { team_id, id }), 'it is there');
}

async function lastJournal(tx: Tx): Promise<bigint> {
  const row = await tx.maybe<{ id: bigint }>(sql`select max(id) as id from journals`);
  return row?.id ?? 0n;
}

async function journalsSince(tx: Tx, since: bigint): Promise<string[]> {
  const rows = await tx.all<{ text: string }>(sql`
    select j.kind || ' ' || string_agg(p.debit || '>' || p.credit || ' ' || p.amount_minor, ', ' order by p.line) as text
    from journals j join postings p on p.team_id = j.team_id and p.journal_id = j.id where j.id > ${since} group by j.id, j.kind order by j.id`);
  return rows.map(({ text }) => text);
}

/** All events of the transfer after its first. */
async function eventsOf(tx: Tx): Promise<Result['events']> {
  const rows = await tx.all<{ type: string; sequence: number; body: Buffer }>(sql`
    select type, sequence, body from events where resource_id = ${made.id} and sequence > 1 order by sequence`);
  return rows.map(({ type, sequence, body }) => ({ type, sequence, data: JSON.parse(unpack(body)).data }));
}

async function usesOf(tx: Tx): Promise<bigint[]> {
  const rows = await tx.all<{ used_minor: bigint }>(sql`
    select used_minor from ceiling_uses where team_id = ${merchant.team.id} and direction = 'transfer' and currency = 'XAF' order by period`);
  return rows.map(({ used_minor }) => used_minor);
}

const DISPATCHED = (): Partial<TransferRow> => ({
  ...{ stage: 'dispatched', provider_account: 'one', dispatched_at: SENT_AT(), provider_ref: 'ref-1' },
  decision: { ...DECISION, note: 'old' },
});
const in_ms = (ms: number) => new Date(clock.now() + ms);
const ENDED = (status: TransferRow['status']) => ({
  ...{ status, stage: 'closed', next_poll_at: null, event_count: 2, updated_at: in_ms(0), completed_at: in_ms(0) },
});
const BOTH = [200_000n, 200_000n];
const RELEASED = [100_000n, 100_000n];
const DISPATCH = 'transfer.dispatched reserved>in.transit 100000';
const RETURNED = { reserved: 'transfer.returned reserved>available 100000, reserved>available 1000' };
const RETURNED_SENT = 'transfer.returned in.transit>available 100000, reserved>available 1000';

/** Advances the clock, so that the time of the change is not that of the creation. */
function later(): void {
  clock.advance(1_000);
}

test('an intent to send is stored, and moves the amount into transit only the first time', async () => {
  later();
  const intent = {
    kind: 'sending',
    provider_account: 'two',
    provider_key: 'key-2',
    decision: DECISION,
    lease_ms: 60_000,
  } as const;
  const row = {
    provider_account: 'two',
    provider_key: 'key-2',
    decision: DECISION,
    dispatched_at: in_ms(0),
    next_poll_at: in_ms(60_000),
  };
  const first = { changed: true, row: { ...row, stage: 'dispatched' }, journals: [DISPATCH], events: [], uses: BOTH };
  assert.deepEqual(await applied(intent), first);
  const again = await applied(intent, { ...DISPATCHED(), dispatched_at: null });
  assert.deepEqual(again, { changed: true, row, journals: [], events: [], uses: BOTH });
});

test('a payout that was not taken keeps its money in transit and waits for its next account', async () => {
  later();
  const result = await applied({ kind: 'unsent', decision: DECISION, wait_ms: 7_000 }, DISPATCHED());
  assert.deepEqual(result, {
    ...{ changed: true, journals: [], events: [], uses: BOTH },
    row: { decision: DECISION, provider_ref: null, dispatched_at: null, next_poll_at: in_ms(7_000) },
  });
});

test('a payout that waits keeps its reference unless there is a new one, and has the newest note', async () => {
  later();
  const base = { changed: true, journals: [], events: [], uses: BOTH };
  const waiting = (provider_ref: string | null, note: string | null, state: Partial<TransferRow> = {}) =>
    applied({ kind: 'waiting', provider_ref, note, wait_ms: 3_000 }, { ...DISPATCHED(), ...state });
  const row = { next_poll_at: in_ms(3_000), decision: { ...DECISION, note: null } };
  assert.deepEqual(await waiting(null, null), { ...base, row });
  assert.deepEqual(await waiting('ref-2', 'n'), {
    ...base,
    row: { ...row, provider_ref: 'ref-2', decision: { ...DECISION, note: 'n' } },
  });
  assert.deepEqual(await waiting(null, 'n', { decision: null }), { ...base, row: { next_poll_at: in_ms(3_000) } });
});

test('a payout that waits keeps an earlier poll that a callback has scheduled since its provider was asked', async () => {
  later();
  const waiting = { kind: 'waiting', provider_ref: null, note: null, wait_ms: 3_000 } as const;
  const polled = async (next: number, known: number) => {
    const state = { ...DISPATCHED(), next_poll_at: in_ms(next) };
    const { changed, row } = await applied(waiting, state, { next_poll_at: in_ms(known) });
    assert.equal(changed, true);
    return row.next_poll_at?.getTime() ?? 'kept';
  };
  assert.equal(await polled(-1, 60_000), 'kept');
  assert.equal(await polled(-1, -1), in_ms(3_000).getTime(), 'it is the poll that was answered');
  assert.equal(await polled(9_000, 60_000), in_ms(3_000).getTime(), 'it would be later');
});

test('a success takes amount and fee for good, still counts, and publishes the transfer as it is then', async () => {
  later();
  for (const resolution of [undefined, { ...RESOLUTION, as: 'succeeded' } as const]) {
    const occurrence = { kind: 'succeeded', provider_ref: 'ref-9', ...(resolution && { resolution }) } as const;
    const row = { ...ENDED('succeeded'), provider_ref: 'ref-9', ...(resolution && { resolution }) };
    const { events, ...result } = await applied(occurrence, DISPATCHED());
    assert.deepEqual(result, {
      ...{ changed: true, row, uses: BOTH },
      journals: ['transfer.succeeded in.transit>clearing 100000, reserved>fee_income 1000'],
    });
    const data = presentTransfer('live', { ...made, ...row } as TransferRow);
    assert.deepEqual(events, [{ type: 'transfer.succeeded', sequence: 2, data: JSON.parse(JSON.stringify(data)) }]);
  }
});

test('a failure and a cancellation return amount and fee from where they are, and count no more', async () => {
  later();
  const failed = { kind: 'failed', reason: 'invalid_recipient', message: 'no' } as const;
  const ends: [TransferOccurrence, Partial<TransferRow>][] = [
    [failed, { reason: 'invalid_recipient', message: 'no' }],
    [
      { ...failed, reason: null, resolution: RESOLUTION },
      { message: 'no', resolution: RESOLUTION },
    ],
    [{ kind: 'cancelled', message: 'given up' }, { message: 'given up' }],
  ];
  for (const [occurrence, fields] of ends) {
    for (const [state, journal] of [
      [{}, RETURNED.reserved],
      [DISPATCHED(), RETURNED_SENT],
    ] as const) {
      const row = { ...ENDED(occurrence.kind as 'failed'), ...fields };
      const { events, ...result } = await applied(occurrence, state);
      assert.deepEqual(result, { changed: true, row, journals: [journal], uses: RELEASED });
      const data = presentTransfer('live', { ...made, ...row } as TransferRow);
      assert.deepEqual(events, [{ type: `transfer.${occurrence.kind}`, sequence: 2, data: JSON.parse(JSON.stringify(data)) }]);
    }
  }
  const uncounted = await applied(failed, { counted_day: null });
  assert.deepEqual(uncounted.uses, BOTH, 'what was never counted is not released');
});

test('a transfer without cover fails for lack of money, and no money moves', async () => {
  later();
  const { events, ...result } = await applied({ kind: 'uncovered' }, { stage: 'closed', next_poll_at: null });
  const row = {
    ...{ status: 'failed', event_count: 2, updated_at: in_ms(0), completed_at: in_ms(0), reason: 'insufficient_balance' },
    message: 'The available balance does not cover the amount and the fee.',
  };
  assert.deepEqual(result, { changed: true, row, journals: [], uses: RELEASED });
  assert.deepEqual(
    events.map(({ type }) => type),
    ['transfer.failed'],
  );
});

const ANY: TransferOccurrence[] = [
  { kind: 'uncovered' },
  { kind: 'sending', provider_account: 'one', provider_key: 'key', decision: DECISION, lease_ms: 1 },
  { kind: 'unsent', decision: DECISION, wait_ms: 1 },
  { kind: 'waiting', provider_ref: 'r', note: 'n', wait_ms: 1 },
  { kind: 'succeeded', provider_ref: 'r' },
  { kind: 'failed', reason: null, message: 'm' },
  { kind: 'cancelled', message: 'm' },
];
const UNCHANGED = { changed: false, row: {}, journals: [], events: [] };

test('nothing changes a final transfer', async () => {
  for (const status of ['succeeded', 'failed', 'cancelled'] as const)
    for (const occurrence of ANY)
      assert.deepEqual(await applied(occurrence, { status, stage: 'closed' }), { ...UNCHANGED, uses: BOTH });
});

test('what is known of an earlier submission changes nothing; a success does, of the same account', async () => {
  const STALE: Record<string, [known: Partial<TransferRow>, changing: TransferOccurrence['kind'][]]> = {
    'the same': [{}, ANY.map(({ kind }) => kind)],
    'another time': [{ dispatched_at: new Date(1) }, ['succeeded']],
    'no time': [{ dispatched_at: null }, ['succeeded']],
    'another stage': [{ stage: 'reserved' }, ['succeeded']],
    'another account': [{ provider_account: 'two' }, []],
    'another claim': [{ polls: 99 }, ANY.map(({ kind }) => kind).filter((kind) => kind !== 'sending' && kind !== 'unsent')],
  };
  for (const [what, [known, changing]] of Object.entries(STALE)) {
    for (const occurrence of ANY) {
      const { changed } = await applied(occurrence, DISPATCHED(), known);
      assert.equal(changed, changing.includes(occurrence.kind), `${occurrence.kind}, ${what}`);
    }
  }
});

test('several transfers are changed at once, each by its own occurrence, and a change of none writes nothing', async () => {
  const context = { environment: 'live', at: clock.now() } as const;
  await store()
    .db.transaction(async (tx) => {
      const done = await applyTransfers(tx, context, [
        { known: made, occurrence: { kind: 'cancelled', message: 'first' } },
        { known: other, occurrence: { kind: 'failed', reason: null, message: 'second' } },
      ]);
      assert.deepEqual(
        [made, other].map(({ id }) => done.get(id)?.transfer.message),
        ['first', 'second'],
      );
      assert.deepEqual([...(await applyTransfers(tx, context, []))], []);
      assert.deepEqual(await usesOf(tx), [0n, 0n]);
      throw BACK;
    })
    .catch((error: unknown) => assert.equal(error, BACK));
});
