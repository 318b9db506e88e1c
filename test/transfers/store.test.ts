import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { returnToAccount } from '../../src/core/transfers/callback-store.ts';
import { fundSandbox } from '../../src/core/transfers/fund.ts';
import type { TransferRow } from '../../src/core/transfers/schema.ts';
import * as transfers from '../../src/core/transfers/store.ts';
import { transferSweep } from '../../src/core/transfers/sweeps.ts';
import { must } from '../../src/kit/errors.ts';
import { type Sql, sql, type Tx } from '../../src/kit/sql.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { FakeClock } from '../setup/api.ts';
import { inTableOrder, takenBack } from '../setup/taken-back.ts';
import { book, type Books, openBooks } from '../ledger/books.ts';

/** The statements about transfers, on rows that differ from the wanted one in one thing each. */
const AT = new Date('2030-01-01T00:00:00Z');
const later = (ms: number) => new Date(AT.getTime() + ms);
let books: Books;
before(async () => {
  books = await openBooks();
});
after(() => books.close());

/** Runs the work as the owner of the tables, whom no policy confines to a team, and takes it back. */
function trial(rows: Partial<TransferRow>[], work: (tx: Tx) => Promise<void>): Promise<void> {
  return takenBack(books.owner, async (tx) => {
    await inTableOrder(tx);
    for (const row of rows) await insert(tx, row);
    await work(tx);
  });
}

async function insert(tx: Tx, changes: Partial<TransferRow>): Promise<void> {
  const row = { ...ROW, ...changes };
  await transfers.insertTransfer(tx, row, { key_id: 'key_1', request_id: 'req_1' });
  await tx.run(sql`
    update transfers set provider_account = ${row.provider_account}, provider_ref = ${row.provider_ref}, dispatched_at = ${row.dispatched_at},
      polls = ${row.polls}, paid_late_at = ${row.paid_late_at} where team_id = ${row.team_id} and id = ${row.id}`);
}

const ROW = {
  ...{ team_id: 1n, id: 'po_1', reference: 'ref', amount_minor: 1_000n, fee_minor: 10n, currency: 'XAF', status: 'processing' },
  ...{
    reason: null,
    message: null,
    description: 'wages',
    beneficiary_id: 'ben_1',
    account_id: null,
    channel: 'cm.mtn',
    metadata: { a: 1 },
  },
  recipient: {
    name: 'Awa',
    phone: '+237650000000',
    account_number: '1000',
    bank_code: null,
    country: 'CM',
    email: 'a@b.example',
  },
  ...{ provider_account: 'one', provider_key: 'key', provider_ref: 'pref', resolution: null, stage: 'dispatched' },
  decision: { explanation: {}, candidates: [], tried: [], resent: false, note: null },
  ...{ counted_day: '2030-01-01', event_count: 1, polls: 3, next_poll_at: later(60_000), created_at: AT, updated_at: AT },
  ...{ dispatched_at: later(-1_000), completed_at: null, paid_late_at: null },
} as TransferRow;

const find = (tx: Tx, id: string, team_id = 1n) => transfers.findTransfer(tx, { team_id, id });

test('a transfer is read as it was inserted, with or without what may be absent', async () => {
  const bare = { ...ROW, id: 'po_2', reference: null, description: null, beneficiary_id: null, metadata: null, decision: null };
  await trial([ROW, bare, { ...ROW, team_id: 2n, reference: 'of another team' }], async (tx) => {
    assert.deepEqual(await find(tx, 'po_1'), ROW);
    assert.deepEqual(await find(tx, 'po_2'), bare);
    const absent = await tx.all(
      sql`select metadata is null as metadata, decision is null as decision from transfers where id = 'po_2'`,
    );
    assert.deepEqual(absent, [{ metadata: true, decision: true }]);
    assert.equal(await find(tx, 'po_3'), undefined);
  });
});

test('a change writes every field that may change, and no other', async () => {
  const fixed = ['team_id', 'id', 'reference', 'amount_minor', 'fee_minor', 'currency', 'description', 'beneficiary_id'] as const;
  const kept = [
    ...fixed,
    'account_id',
    'recipient',
    'channel',
    'metadata',
    'counted_day',
    'polls',
    'created_at',
    'paid_late_at',
  ] as const;
  const changed = {
    ...{ ...ROW, status: 'failed', reason: 'invalid_recipient', message: 'no', stage: 'closed', event_count: 2 },
    ...{ provider_account: 'two', provider_key: 'key-2', provider_ref: 'pref-2', decision: { ...ROW.decision, note: 'n' } },
    resolution: { as: 'failed', evidence: 'e', author: 'a', at: '2030-01-01T00:00:00Z' },
    ...{ next_poll_at: null, updated_at: later(1), dispatched_at: later(2), completed_at: later(3) },
  } as TransferRow;
  const different = { ...changed, ...{ reference: 'x', amount_minor: 1n, fee_minor: 1n, currency: 'XOF', polls: 99 } };
  await trial([ROW, { id: 'po_2' }, { team_id: 2n }], async (tx) => {
    await transfers.updateTransfers(tx, [different]);
    assert.deepEqual(await find(tx, 'po_1'), changed);
    assert.deepEqual(await find(tx, 'po_2'), { ...ROW, id: 'po_2' });
    assert.deepEqual(await find(tx, 'po_1', 2n), { ...ROW, team_id: 2n });
  });
  assert.deepEqual(
    Object.keys(transfers.COLUMNS).filter((name) => (ROW as never)[name] === (changed as never)[name]),
    [...kept].sort((a, b) => Object.keys(transfers.COLUMNS).indexOf(a) - Object.keys(transfers.COLUMNS).indexOf(b)),
  );
});

test('locked transfers are those that are named by team and id, in that order', async () => {
  await trial([{ team_id: 2n }, { id: 'po_2' }, { id: 'po_1' }, { id: 'po_3' }], async (tx) => {
    const refs = [2n, 1n, 1n].map((team_id, i) => ({ team_id, id: ['po_1', 'po_2', 'po_1'][i] as string }));
    const rows = await transfers.lockTransfers(tx, refs);
    assert.deepEqual(
      rows.map(({ team_id, id }) => [team_id, id]),
      [
        [1n, 'po_1'],
        [1n, 'po_2'],
        [2n, 'po_1'],
      ],
    );
  });
});

/** A source of callbacks whose keys are our ids. */
function from(account_id: string): transfers.TransferSource {
  return { team_id: 1n, account_id, keyOf: (id) => id };
}

test('a callback makes due what it names, of its team and account, while it is with the provider or has ended there without money', async () => {
  const rows: Partial<TransferRow>[] = [
    { id: 'po_1', provider_key: 'key' },
    { id: 'key', provider_key: 'po_1' },
    { id: 'po_1', provider_key: 'key', team_id: 2n },
  ];
  for (const [by, value, hit] of [
    ['id', 'po_1', 'po_1'],
    ['provider_key', 'key', 'po_1'],
    ['provider_key', 'po_1', 'key'],
  ] as const) {
    await trial(rows, async (tx) => {
      await transfers.pollNow(tx, from('one'), { by, value }, AT);
      const due = await tx.all<{ team_id: bigint; id: string }>(
        sql`select team_id, id from transfers where next_poll_at = ${AT}`,
      );
      assert.deepEqual(due, [{ team_id: 1n, id: hit }]);
    });
  }
  const others: Partial<TransferRow>[] = [
    { provider_account: 'two' },
    { stage: 'reserved' },
    { stage: 'closed' },
    { status: 'succeeded' },
    { status: 'failed', stage: 'closed', provider_account: null },
    { status: 'failed', stage: 'closed', paid_late_at: AT },
  ];
  for (const status of ['failed', 'cancelled'] as const) {
    await trial([{ status, stage: 'closed' }], async (tx) => {
      await transfers.pollNow(tx, from('two'), { by: 'id', value: 'po_1' }, AT);
      assert.deepEqual((await find(tx, 'po_1'))?.next_poll_at, ROW.next_poll_at);
      await transfers.pollNow(tx, from('one'), { by: 'id', value: 'po_1' }, AT);
      const { next_poll_at, polls } = (await find(tx, 'po_1')) ?? {};
      assert.deepEqual([next_poll_at, polls], [AT, 0]);
    });
  }
  for (const other of others) {
    await trial([other], async (tx) => {
      await transfers.pollNow(tx, from('one'), { by: 'id', value: 'po_1' }, AT);
      assert.deepEqual((await find(tx, 'po_1'))?.next_poll_at, ROW.next_poll_at);
    });
  }
});

test('a callback from an account that had turned a transfer away has it read there, unless it was sent elsewhere since or a key is used up', async () => {
  const decision = { ...must(ROW.decision, 'it has one'), candidates: ['one', 'two'] };
  const waiting: Partial<TransferRow> = { provider_account: 'two', dispatched_at: null, decision };
  const source = { team_id: 1n, account_id: 'one', keyOf: (id: string) => `key of ${id}` };
  const byId = { by: 'id', value: 'po_1' } as const;
  await trial([waiting, { ...waiting, id: 'po_2' }, { ...waiting, team_id: 2n }], async (tx) => {
    assert.deepEqual(await returnToAccount(tx, source, byId, later(5)), { id: 'po_1', recipient: ROW.recipient });
    assert.deepEqual(await find(tx, 'po_1'), {
      ...{ ...ROW, provider_account: 'one', provider_key: 'key of po_1', provider_ref: null },
      ...{ dispatched_at: later(5), next_poll_at: later(5), decision: { ...decision, recalled: true, asked: ['two'] } },
    });
    assert.deepEqual(await find(tx, 'po_2'), { ...ROW, ...waiting, id: 'po_2' });
    assert.deepEqual(await find(tx, 'po_1', 2n), { ...ROW, ...waiting, team_id: 2n });
  });
  // Routing leaves an account out that is down by the time another is asked.
  const asked = { ...decision, candidates: ['two'], asked: ['one'] };
  const keyed: Partial<TransferRow> = { ...waiting, decision: asked, provider_key: 'the key of both' };
  await trial([keyed, { ...keyed, team_id: 2n }], async (tx) => {
    assert.equal((await returnToAccount(tx, source, { by: 'provider_key', value: 'the key of both' }, later(5)))?.id, 'po_1');
    const { provider_account, provider_key, dispatched_at } = must(await find(tx, 'po_1'), 'it is there');
    assert.deepEqual([provider_account, provider_key, dispatched_at], ['one', 'the key of both', later(5)]);
    assert.deepEqual(await find(tx, 'po_1', 2n), { ...ROW, ...keyed, team_id: 2n });
    assert.equal(await returnToAccount(tx, source, { by: 'provider_key', value: 'another' }, later(5)), undefined);
  });
  const others: Partial<TransferRow>[] = [
    { dispatched_at: later(-1_000) },
    { decision: { ...decision, spent: 1 } },
    { decision: { ...decision, candidates: ['two'] } },
    { stage: 'reserved' },
    { status: 'failed' },
  ];
  for (const other of others) {
    await trial([{ ...waiting, ...other }], async (tx) => {
      assert.equal(await returnToAccount(tx, source, byId, later(5)), undefined);
      assert.deepEqual(await find(tx, 'po_1'), { ...ROW, ...waiting, ...other });
    });
  }
});

test('a claim takes due transfers, the oldest first, counts the poll and passes over accounts and channels that are full', async () => {
  const rows: Partial<TransferRow>[] = [
    { id: 'po_1', next_poll_at: later(0) },
    { id: 'po_2', next_poll_at: later(-2), provider_account: null },
    { id: 'po_3', next_poll_at: later(-1) },
    { id: 'po_4', next_poll_at: later(1) },
    { id: 'po_5', next_poll_at: null },
  ];
  const claimed = async (limit: number, skip: string[]) => {
    let ids: string[] = [];
    await trial(rows, async (tx) => {
      const taken = await transfers.claimDueTransfers(tx, AT, 60_000, limit, skip);
      for (const row of taken) assert.deepEqual([row.polls, row.next_poll_at], [4, later(60_000)]);
      ids = taken.map(({ id }) => id).sort();
      for (const id of rows.map((row) => row.id as string))
        if (!ids.includes(id)) assert.deepEqual((await find(tx, id))?.polls, 3);
    });
    return ids;
  };
  assert.deepEqual(await claimed(9, []), ['po_1', 'po_2', 'po_3']);
  assert.deepEqual(await claimed(1, []), ['po_2']);
  assert.deepEqual(await claimed(2, []), ['po_2', 'po_3']);
  assert.deepEqual(await claimed(9, ['1 one']), ['po_2']);
  assert.deepEqual(await claimed(9, ['1 cm.mtn']), ['po_1', 'po_3']);
  assert.deepEqual(await claimed(9, ['2 one']), ['po_1', 'po_2', 'po_3']);
});

const SEARCHED = ['po_1', 'ref', 'wages', 'Awa', '+237650000000', '1000', 'a@b.example'];
const EMPTY = { name: null, phone: null, account_number: null, bank_code: '10', country: 'CM', email: null };
for (const text of SEARCHED) {
  test(`a search for ${text} finds the transfer that has it`, async () => {
    const bare = { id: 'x', reference: null, description: null, recipient: EMPTY };
    await trial([ROW, bare], async (tx) => {
      const query = { search: text.toUpperCase() };
      const position = { kind: 'offset', page: 1, per_page: 9 } as const;
      const found = await transfers.listTransfers(tx, 'live', 1n, query, position);
      assert.deepEqual([found.map(({ id }) => id), await transfers.countTransfers(tx, 'live', 1n, query)], [['po_1'], 1]);
    });
  });
}

test('a list is read from its position: newest first, or oldest first back from a position, without other teams', async () => {
  const rows = ['po_2', 'po_4', 'po_1', 'po_3'].map((id) => ({ id }));
  await trial([...rows, { id: 'po_3', team_id: 2n }, { id: 'po_9', team_id: 2n }], async (tx) => {
    const list = async (position: Parameters<typeof transfers.listTransfers>[4], query = {}) =>
      (await transfers.listTransfers(tx, 'live', 1n, query, position)).map(({ id, team_id }) => {
        assert.equal(team_id, 1n);
        return id;
      });
    assert.deepEqual(await list({ kind: 'offset', page: 1, per_page: 9 }), ['po_4', 'po_3', 'po_2', 'po_1']);
    assert.deepEqual(await list({ kind: 'offset', page: 2, per_page: 3 }), ['po_1']);
    assert.deepEqual(await list({ kind: 'older', than: 'po_3', per_page: 9 }), ['po_2', 'po_1']);
    assert.deepEqual(await list({ kind: 'newer', than: 'po_2', inclusive: false, per_page: 9 }), ['po_3', 'po_4']);
    assert.equal(await transfers.countTransfers(tx, 'live', 1n, {}), 4);
    assert.equal(await transfers.countTransfers(tx, 'live', 3n, {}), 0);
  });
});

test('a list is filtered by each field of its query', async () => {
  const other: Partial<TransferRow> = {
    id: 'po_2',
    status: 'failed',
    beneficiary_id: 'ben_2',
    channel: 'cm.orange',
    amount_minor: 2_000n,
  };
  await trial([ROW, other], async (tx) => {
    const count = (query: object) => transfers.countTransfers(tx, 'live', 1n, query);
    const queries = [
      { status: 'failed' },
      { beneficiary: 'ben_2' },
      { channel: 'cm.orange' },
      { amount_min: 10.01 },
      { amount_max: 19.99 },
    ];
    for (const query of queries) assert.equal(await count(query), 1, JSON.stringify(query));
  });
});

test('a shift of time moves the poll and the submission of what is open, and counts what becomes due', async () => {
  const rows: Partial<TransferRow>[] = [
    { id: 'po_1', next_poll_at: later(1_000) },
    { id: 'po_2', next_poll_at: later(1_001) },
    { id: 'po_3', status: 'succeeded' },
    { id: 'po_1', team_id: 2n },
  ];
  await trial(rows, async (tx) => {
    const shifted = await transfers.shiftTransfers(tx, { team_id: 1n, by_ms: 1_000, now: AT });
    assert.deepEqual(shifted, { moved: 2, due: 1 });
    const times = async (id: string, team_id?: bigint) => {
      const row = await find(tx, id, team_id);
      return [row?.next_poll_at, row?.dispatched_at];
    };
    assert.deepEqual(await times('po_1'), [AT, later(-2_000)]);
    assert.deepEqual(await times('po_3'), [ROW.next_poll_at, ROW.dispatched_at]);
    assert.deepEqual(await times('po_1', 2n), [ROW.next_poll_at, ROW.dispatched_at]);
  });
});

test('a locked transfer is locked: by those who change it, and not by a claim, which passes over it', async () => {
  await books.owner.transaction((tx) => insert(tx, { id: 'po_lock', next_poll_at: AT }));
  await books.owner.transaction(async (tx) => {
    await transfers.lockTransfers(tx, [{ team_id: 1n, id: 'po_lock' }]);
    const free: Sql = { text: `select id from transfers where id = 'po_lock' for update skip locked`, values: [] };
    assert.deepEqual(await books.owner.all(free), []);
    assert.deepEqual(await transfers.claimDueTransfers(books.owner, AT, 1, 9, []), []);
  });
  assert.equal((await transfers.claimDueTransfers(books.owner, AT, 1, 9, [])).length, 1);
  await books.owner.run(sql`delete from transfers`);
});

test('the sweep of a store has a name, its environment and a pause', () => {
  const sweep = transferSweep({} as Parameters<typeof transferSweep>[0], { environment: 'live' } as Store);
  assert.deepEqual([sweep.name, sweep.environment, sweep.idle_ms], ['transfers', 'live', 250]);
});

test('test money comes from clearing, repays an advance first, and has an entry in the audit trail', async () => {
  const store = { environment: 'sandbox', db: books.app } as Store;
  const clock = new FakeClock();
  await books.app.transaction((tx) => book(tx, [['credit', 'clearing', 30n]]));
  await fundSandbox({ clock }, store, 1n, 'XAF', 100n, WORKER);
  const [journal, repaid] = await books.app.all<{ source_id: string; subject_id: string }>(sql`
    select j.kind, j.source_id, j.subject_id, p.debit, p.credit, p.amount_minor from journals j join postings p on p.journal_id = j.id
    where j.kind <> 'payment.succeeded' order by j.id`);
  const from = { source_id: journal?.source_id, subject_id: journal?.source_id };
  assert.deepEqual(journal, { ...from, kind: 'sandbox.funded', debit: 'clearing', credit: 'available', amount_minor: 100n });
  const repaying = { kind: 'credit.repaid:XAF:available', debit: 'available', credit: 'credit', amount_minor: 30n };
  assert.deepEqual(repaid, { ...from, ...repaying });
  const entries = await books.app.all(sql`select action, resource_id, created_at from audit_entries`);
  assert.deepEqual(entries, [{ action: 'balance.fund', resource_id: journal?.source_id, created_at: new Date(clock.now()) }]);
});
