import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { APP_ROLE, type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { JOURNALS } from '../../src/money/ledger/seal.ts';
import { sealNext } from '../../src/platform/chain/store.ts';
import { book, closed, PAYMENT } from '../ledger/books.ts';
import { type CommandLine, openCommandLine } from './command.ts';

const TRX = `trx_test_${'0'.repeat(25)}1`;
const PO = `po_${'0'.repeat(25)}1`;
const RELEASE = `req_${'0'.repeat(25)}1`;

let cli: CommandLine;
let sandbox: DbPool;
let live: DbPool;
before(async () => {
  cli = await openCommandLine();
  const log = createLog({ level: 'silent', format: 'json' });
  const open = (url: string) => {
    const pool = openPool({ url, size: 2, log, role: APP_ROLE });
    return { ...pool, ...pool.seeing('all_teams') };
  };
  [sandbox, live] = [open(cli.databases.sandbox), open(cli.databases.live)];
  await sandbox.transaction((tx) => book(tx, PAYMENT, { team_id: 7n, source_id: 'att_test_1', subject_id: TRX }));
  await sandbox.transaction((tx) =>
    book(tx, [['pending', 'available', 24_500n]], {
      team_id: 7n,
      kind: 'hold.released:XAF:available',
      source_id: RELEASE,
      subject_id: RELEASE,
    }),
  );
  await sandbox.transaction((tx) =>
    book(tx, [['available', 'refund_clearing', 1_050n]], {
      team_id: 7n,
      kind: 'refund.drawn',
      source_id: 'rfd_test_1',
      subject_id: TRX,
    }),
  );
  await live.transaction((tx) =>
    book(tx, [['clearing', 'available', 9_007_199_254_740_00n]], {
      team_id: 8n,
      kind: 'sandbox.funded',
      source_id: 'a,"b"',
      subject_id: 'x',
      currency: 'NGN',
    }),
  );
  await live.transaction((tx) =>
    book(tx, [['available', 'reserved', 100_01n]], {
      team_id: 8n,
      kind: 'transfer.reserved',
      source_id: PO,
      subject_id: PO,
      currency: 'NGN',
    }),
  );
  await insertRows();
  await closed(live);
  await sealNext(live, JOURNALS, 100, 0);
});

/** What the books above are about: without it, verification would find that they are about nothing. */
async function insertRows(): Promise<void> {
  await sandbox.run(sql`
    insert into payments (team_id, id, amount_minor, fee_minor, captured_minor, currency, status, key_id, request_id, created_at, updated_at, expires_at)
    values (7, ${TRX}, 25000, 500, 25000, 'XAF', 'succeeded', 'key', 'req', now(), now(), now())`);
  await sandbox.run(sql`
    insert into attempts (team_id, id, payment_id, provider, channel, status, amount_minor, currency, provider_key, created_at)
    values (7, 'att_test_1', ${TRX}, 'sandbox', 'cm.mtn', 'succeeded', 25000, 'XAF', 'att_test_1', now())`);
  await sandbox.run(sql`
    insert into settlement_items (team_id, payment_id, account_id, currency, share_minor, amount_minor, released_minor, release_at, released_at, released_by)
    values (7, ${TRX}, '', 'XAF', 24500, 0, 24500, now(), now(), ${RELEASE})`);
  await sandbox.run(sql`
    insert into refunds (team_id, id, payment_id, kind, legs, amount_minor, currency, status, reason, draws, created_at, updated_at)
    values (7, 'rfd_test_1', ${TRX}, 'merchant', '[{"attempt_id":"att_test_1","amount_minor":"1050","status":"sent"}]', 1050, 'XAF', 'processing',
      'duplicate', '[{"account_id":"","bucket":"available","amount_minor":"1050"}]', now(), now())`);
  await live.run(sql`
    insert into transfers (team_id, id, amount_minor, fee_minor, currency, status, recipient, channel, provider_key, stage, key_id, request_id,
      created_at, updated_at)
    values (8, ${PO}, 9901, 100, 'NGN', 'processing', '{}', 'ng.mtn', ${PO}, 'reserved', 'key', 'req', now(), now())`);
}
after(async () => {
  await Promise.all([sandbox.close(), live.close()]);
  await cli.close();
});

test('ledger verify exits with 0 for a correct ledger and reports what it checked', async () => {
  const { ok, stores } = await cli.json('ledger', 'verify');
  assert.equal(ok, true);
  const [first, second] = stores;
  assert.deepEqual(first, {
    environment: 'sandbox',
    ok: true,
    teams: 1,
    journals: 3,
    lines: 4,
    seals: 0,
    last_seal: null,
    last_seals: [],
    differences_found: 0,
    differences: [],
  });
  const { last_seal, last_seals, ...rest } = second;
  assert.match(last_seal, /^[0-9a-f]{64}$/);
  assert.deepEqual(
    last_seals.map(({ hash }: { hash: string }) => hash),
    [last_seal],
  );
  assert.deepEqual(rest, {
    environment: 'live',
    ok: true,
    teams: 1,
    journals: 2,
    lines: 2,
    seals: 1,
    differences_found: 0,
    differences: [],
  });
  const { code, stdout } = await cli.run('ledger', 'verify');
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^sandbox {2}the books balance: 3 journals, 4 lines of 1 team, 0 seals\nlive +the books balance: .*1 seal\n +last seals, .*:\n +group [0-9]+: [0-9a-f]{64}\n/,
  );
});

test('ledger verify exits with 1 and prints each difference with advice; it can be limited to one store', async () => {
  const owner = openPool({ url: cli.databases.sandbox, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  const change = (by: number) =>
    owner.run(sql`update balances set posted_minor = posted_minor + ${by} where account = 'available'`);
  await change(100);
  try {
    const text = await cli.run('ledger', 'verify');
    assert.equal(text.code, 1);
    assert.match(
      text.stdout,
      /DIFFERENCE {2}sandbox, team 7, XAF available: balance_drift\n {2}expected {2}234\.50\n {2}found {5}235\.50\n {2}→ Payouts trust/,
    );
    assert.match(text.stdout, /\nsandbox {2}2 differences: /);
    const { code, stdout } = await cli.run('ledger', 'verify', '--environment', 'sandbox', '--json');
    assert.equal(code, 1);
    const {
      ok,
      stores: [store, ...others],
    } = JSON.parse(stdout);
    assert.deepEqual([ok, others, store.environment, store.differences_found], [false, [], 'sandbox', 2]);
    const { advice, ...difference } = store.differences[0];
    assert.deepEqual(difference, {
      check: 'balance_drift',
      team_id: '7',
      what: 'XAF available',
      expected: '234.50',
      found: '235.50',
    });
    assert.match(advice, /stop those of this team/);
    assert.equal((await cli.run('ledger', 'verify', '--environment', 'live')).code, 0);
  } finally {
    await change(-100);
    await owner.close();
  }
});

test('ledger verify compares the books with the rows too, and names the payment', async () => {
  const owner = openPool({ url: cli.databases.sandbox, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  const change = (by: number) => owner.run(sql`update payments set fee_minor = fee_minor + ${by} where id = ${TRX}`);
  await change(100);
  try {
    const text = await cli.run('ledger', 'verify', '--environment', 'sandbox');
    assert.equal(text.code, 1);
    assert.match(
      text.stdout,
      new RegExp(
        `DIFFERENCE {2}sandbox, team 7, XAF fee_income of ${TRX}: fee_income\n {2}expected {2}6\\.00\n {2}found {5}5\\.00\n`,
      ),
    );
    const { stdout } = await cli.run('ledger', 'verify', '--environment', 'sandbox', '--json');
    const [store] = JSON.parse(stdout).stores;
    assert.deepEqual(
      store.differences.map(({ check, subject }: Record<string, string>) => [check, subject]),
      [['fee_income', TRX]],
    );
  } finally {
    await change(-100);
    await owner.close();
  }
});

test('ledger show prints every entry of a payment, including its refund and who released its retention', async () => {
  const { id, environment, team_id, lines, released_by } = await cli.json('ledger', 'show', TRX);
  assert.deepEqual(
    { id, environment, team_id, released_by },
    { id: TRX, environment: 'sandbox', team_id: '7', released_by: [RELEASE] },
  );
  assert.deepEqual(
    lines.map(({ journal: _, created_at: __, ...line }: Record<string, unknown>) => line),
    [
      {
        team_id: '7',
        line: 1,
        kind: 'payment.succeeded',
        source: 'att_test_1',
        subject: TRX,
        currency: 'XAF',
        debit: 'clearing',
        credit: 'pending',
        amount: 250,
      },
      {
        team_id: '7',
        line: 2,
        kind: 'payment.succeeded',
        source: 'att_test_1',
        subject: TRX,
        currency: 'XAF',
        debit: 'pending',
        credit: 'fee_income',
        amount: 5,
      },
      {
        team_id: '7',
        line: 1,
        kind: 'refund.drawn',
        source: 'rfd_test_1',
        subject: TRX,
        currency: 'XAF',
        debit: 'available',
        credit: 'refund_clearing',
        amount: 10.5,
      },
    ],
  );
  const { code, stdout } = await cli.run('ledger', 'show', TRX);
  assert.equal(code, 0);
  assert.match(
    stdout,
    new RegExp(
      `^${TRX} of team 7, sandbox\n\n[\\dTZ:.-]+ {2}payment\\.succeeded by att_test_1 \\(journal \\d+\\)\n {2}clearing → pending {5}250\\.00 XAF\n {2}pending {2}→ fee_income {4}5\\.00 XAF\n\n`,
    ),
  );
  assert.match(stdout, new RegExp(`released in a batch with others: pirogue ledger show ${RELEASE}\n$`));
});

test('ledger show of a refund prints only its entries; the id of a live transfer selects the live store', async () => {
  assert.deepEqual(
    (await cli.json('ledger', 'show', 'rfd_test_1')).lines.map(({ amount }: { amount: number }) => amount),
    [10.5],
  );
  const { environment, lines } = await cli.json('ledger', 'show', PO);
  assert.deepEqual([environment, lines.length, lines[0].amount], ['live', 1, 100.01]);
});

test('ledger show exits with 1 for an object without entries', async () => {
  const { code, stdout, stderr } = await cli.run('ledger', 'show', 'trx_404', '--json');
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^pirogue: nothing was posted for trx_404 in live\. Check the id\. .*\n$/);
});

test('ledger export writes CSV with stable columns and exact amounts', async () => {
  const { code, stdout, stderr } = await cli.run('ledger', 'export');
  assert.deepEqual([code, stderr], [0, '']);
  const [head, first, second, end] = stdout.split('\n');
  assert.equal(head, 'team_id,journal,line,created_at,kind,source,subject,currency,debit,credit,amount');
  assert.match(
    first as string,
    /^8,\d+,1,\d{4}-\d\d-\d\dT[\d:.]+Z,sandbox\.funded,"a,""b""",x,NGN,clearing,available,9007199254740\.00$/,
  );
  assert.match(second as string, /,available,reserved,100\.01$/);
  assert.equal(end, '');
});

test('ledger export writes JSON for one team or one period, and an empty list when nothing was posted', async () => {
  const read = async (...args: string[]) =>
    JSON.parse((await cli.run('ledger', 'export', '--format', 'json', '--environment', 'sandbox', ...args)).stdout);
  // The days of the first and the last line: midnight may have come since, or between them.
  const [from, to] = [(await read()).at(0), (await read()).at(-1)].map(({ created_at }) => created_at.slice(0, 10));
  const all = await read('--from', from, '--to', to);
  assert.equal(all.length, 4);
  assert.deepEqual(Object.keys(all[0]), [
    'team_id',
    'journal',
    'line',
    'created_at',
    'kind',
    'source',
    'subject',
    'currency',
    'debit',
    'credit',
    'amount',
  ]);
  assert.deepEqual(await read('--team', '7'), all);
  assert.deepEqual(await read('--team', '404'), []);
  assert.deepEqual(await read('--to', '2020-02-29'), []);
  assert.deepEqual(await read('--from', '2999-01-01'), []);
  const csv = await cli.run('ledger', 'export', '--environment', 'sandbox', '--to', '2020-02-29');
  assert.equal(csv.stdout, 'team_id,journal,line,created_at,kind,source,subject,currency,debit,credit,amount\n');
});

test('ledger export rejects an invalid date and a period that ends before it starts', async () => {
  const wrong = await cli.run('ledger', 'export', '--from', '2026-02-30');
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /Use a day such as 2026-01-31/);
  const reversed = await cli.run('ledger', 'export', '--from', '2026-02-02', '--to', '2026-02-01');
  assert.equal(reversed.code, 2);
  assert.match(reversed.stderr, /--to is before --from/);
});

test('ledger export reads a ledger of any length in pages', async () => {
  const count = 12_345;
  await sandbox.run(sql`
    with made as (
      insert into journals (team_id, kind, source_id, subject_id) select 9, 'payment.succeeded', 'long_' || i, 'trx_' || i from generate_series(1, ${count}) i
      returning id
    ) insert into postings select 9, id, 1, 'XAF', 'clearing', 'pending', 1 from made`);
  const { stdout } = await cli.run('ledger', 'export', '--environment', 'sandbox', '--team', '9');
  const sources = stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[5]);
  assert.equal(sources.length, count);
  assert.equal(new Set(sources).size, count);
});
