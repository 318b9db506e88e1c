import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type Api, type Merchant, startApi } from '../setup/api.ts';
import { book, type Move, nextSource, PAYMENT } from '../ledger/books.ts';

let api: Api;
let merchant: Merchant;
before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());
beforeEach(async () => {
  merchant = await api.newMerchant();
});

const move = (lines: Parameters<typeof book>[1], change: Move = {}) =>
  api.deps.stores.sandbox.db.transaction((tx) => book(tx, lines, { team_id: merchant.team.id, ...change }));

const ask = (query = '', headers: Record<string, string> = {}, key = merchant.sandbox.secret) =>
  api.call('GET', `/balance/history${query}`, { key, headers });

async function list(query = '', headers: Record<string, string> = {}, key = merchant.sandbox.secret) {
  const answer = await ask(query, headers, key);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

const short = ({ kind, bucket, amount, currency }: Record<string, unknown>) => [kind, bucket, amount, currency];

test('200 one item for each side of a journal line that touches a bucket, newest first', async () => {
  const payment = await move(PAYMENT, { subject_id: 'trx_test_1' });
  const transfer = await move(
    [
      ['pending', 'available', 200_00n],
      ['available', 'reserved', 50_00n],
    ],
    { kind: 'transfer.reserved', subject_id: 'po_test_1' },
  );
  const { code, status, message, items, meta } = await list();
  assert.deepEqual([code, status, message], [200, 'OK', 'Balance history retrieved']);
  assert.deepEqual(items.map(short), [
    ['transfer.reserved', 'available', -50, 'XAF'],
    ['transfer.reserved', 'reserved', 50, 'XAF'],
    ['transfer.reserved', 'pending', -200, 'XAF'],
    ['transfer.reserved', 'available', 200, 'XAF'],
    ['payment.succeeded', 'pending', -5, 'XAF'],
    ['payment.succeeded', 'pending', 250, 'XAF'],
  ]);
  const { id, created_at, ...rest } = items[5];
  assert.deepEqual(rest, {
    kind: 'payment.succeeded',
    bucket: 'pending',
    amount: 250,
    currency: 'XAF',
    source: payment.source_id,
    subject: 'trx_test_1',
  });
  assert.match(created_at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.equal(items[0].source, transfer.source_id);
  assert.equal(new Set(items.map((item: { id: string }) => item.id)).size, 6);
  assert.ok(id.length > 10);
  const { next_cursor, ...offset } = meta;
  assert.deepEqual(offset, { current_page: 1, last_page: 1, per_page: 25, total: 6 });
  assert.ok(next_cursor.length > 0);
});

test('the items of a bucket sum to its figure in GET /balance', async () => {
  for (let i = 1; i <= 12; i++) await move([...PAYMENT, ['pending', 'available', BigInt(100 * i)], ['available', 'hold', 7n]]);
  const { items } = await list('?per_page=100');
  const { balance } = (await api.call('GET', '/balance', { key: merchant.sandbox.secret })).body;
  for (const bucket of ['available', 'pending', 'hold', 'reserved']) {
    const sum = items
      .filter((item: { bucket: string }) => item.bucket === bucket)
      .reduce((total: number, { amount }: { amount: number }) => total + Math.round(amount * 100), 0);
    assert.equal(sum / 100, balance[bucket], bucket);
  }
});

test('an item keeps its id and position while others are added', async () => {
  await move(PAYMENT);
  const before = (await list()).items;
  await move(PAYMENT);
  assert.deepEqual((await list()).items.slice(2), before);
});

test('filters by bucket, kind and currency; the part after a colon is not shown', async () => {
  await move(PAYMENT);
  await move([['pending', 'available', 100n]], { kind: 'hold.released:XAF:available' });
  await move([['clearing', 'available', 100n]], { kind: 'sandbox.funded', currency: 'GHS' });
  const of = async (query: string) => (await list(query)).items.map(short);
  const released = [
    ['hold.released', 'pending', -1, 'XAF'],
    ['hold.released', 'available', 1, 'XAF'],
  ];
  assert.deepEqual(await of('?kind=hold.released'), released);
  assert.deepEqual(await of('?kind=payment.succeeded'), [
    ['payment.succeeded', 'pending', -5, 'XAF'],
    ['payment.succeeded', 'pending', 250, 'XAF'],
  ]);
  assert.deepEqual(await of('?bucket=available'), [['sandbox.funded', 'available', 1, 'GHS'], released[1]]);
  assert.deepEqual(await of('?bucket=available&currency=XAF'), [released[1]]);
  assert.deepEqual(await of('?bucket=available&kind=payment.succeeded'), []);
  assert.deepEqual(await of('?bucket=pending&kind=hold.released&currency=XAF'), [released[0]]);
  assert.deepEqual(await of('?currency=USD'), []);
  assert.deepEqual(await of('?kind=hold'), []);
  assert.deepEqual(await of('?kind=hold.released:XAF:available'), []);
  assert.deepEqual(await of('?bucket=in.transit'), []);
  for (const [query, total] of [
    ['?kind=hold.released', 2],
    ['?bucket=pending', 3],
    ['?currency=GHS', 1],
    ['?kind=payment.succeeded', 2],
  ]) {
    assert.equal((await list(query as string)).meta.total, total, query as string);
  }
});

test('filters by day, UTC and inclusive, also where ids and times are in different order', async () => {
  const at = async (moment: string) => {
    const source_id = nextSource();
    await api.deps.stores.sandbox.db.run(sql`
      with made as (
        insert into journals (team_id, kind, source_id, subject_id, created_at)
        values (${merchant.team.id}, 'test.funded', ${source_id}, 'x', ${new Date(moment)}) returning team_id, id
      ) insert into postings select team_id, id, 1, 'XAF', 'clearing', 'available', 100 from made`);
    return source_id;
  };
  const made = [
    await at('2026-03-01T12:00:00Z'),
    await at('2026-03-02T00:00:00.5Z'),
    await at('2026-03-01T23:59:59.999Z'),
    await at('2026-03-02T00:00:00Z'),
    await at('2026-03-03T00:00:10Z'),
    await at('2026-03-02T23:59:59.999Z'),
    await at('2026-03-05T00:00:00Z'),
  ];
  const of = async (query: string) => {
    const { items, meta } = await list(query);
    assert.equal(meta.total, items.length);
    return items.map(({ source }: { source: string }) => made.indexOf(source)).reverse();
  };
  assert.deepEqual(await of('?date_from=2026-03-02&date_to=2026-03-02'), [1, 3, 5]);
  assert.deepEqual(await of('?date_to=2026-03-01'), [0, 2]);
  assert.deepEqual(await of('?date_from=2026-03-03'), [4, 6]);
  assert.deepEqual(await of('?date_from=2026-03-04&date_to=2026-03-04'), []);
  assert.deepEqual(await of('?date_from=2026-03-02&date_to=2026-03-02&kind=test.funded&bucket=available'), [1, 3, 5]);
  assert.deepEqual(await of('?date_from=2999-01-01'), []);
});

test('a cursor is accepted whatever the name of what was booked', async () => {
  // As long as the names of a statement line can be: an account, a key and a reference, encoded.
  const longest = ['pa_0123456789abcdefghjkmnpqrs', '%7C'.repeat(128), '%20'.repeat(128)].join(':');
  for (const source_id of [`${longest} 1`, `${longest} 2`]) await move(PAYMENT, { source_id });
  const { meta } = await list('?per_page=1&cursor=');
  assert.ok(meta.next_cursor.length > 1_000);
  const { items } = await list(`?per_page=3&cursor=${meta.next_cursor}`);
  assert.equal(items.length, 3);
});

test('cursor pages list every item once, forwards and backwards', async () => {
  for (let i = 0; i < 4; i++) await move(PAYMENT);
  await move(
    [
      ['clearing', 'available', 5n],
      ['available', 'reserved', 1n],
    ],
    { kind: 'transfer.reserved' },
  );
  const all = (await list('?per_page=100')).items;
  assert.equal(all.length, 11);
  for (const filter of ['', '&kind=payment.succeeded', '&kind=transfer.reserved', '&bucket=pending']) {
    const wanted = (await list(`?per_page=100${filter}`)).items;
    const forth: object[] = [];
    const pages: { items: object[]; meta: { next_cursor: string; prev_cursor: string | null; has_more: boolean } }[] = [];
    for (let cursor = ''; ; ) {
      const page = await list(`?per_page=2&cursor=${cursor}${filter}`);
      pages.push(page);
      forth.push(...page.items);
      if (!page.meta.has_more) break;
      cursor = page.meta.next_cursor;
    }
    assert.deepEqual(forth, wanted, filter);
    assert.equal(pages[0]?.meta.prev_cursor, null);
    const end = await list(`?per_page=2&cursor=${pages.at(-1)?.meta.next_cursor}${filter}`);
    assert.deepEqual([end.items, end.meta.has_more], [[], false]);
    const back = await list(`?per_page=2&cursor=${end.meta.prev_cursor}${filter}`);
    assert.deepEqual(back.items.at(-1), wanted.at(-1));
    if (pages.length > 2)
      assert.deepEqual((await list(`?per_page=2&cursor=${pages[2]?.meta.prev_cursor}${filter}`)).items, pages[1]?.items);
  }
});

test('the cursor of an offset page continues from there', async () => {
  for (let i = 0; i < 5; i++) await move(PAYMENT);
  const all = (await list('?per_page=100')).items;
  const { items, meta } = await list('?per_page=3&page=2');
  assert.deepEqual(items, all.slice(3, 6));
  assert.deepEqual([meta.current_page, meta.last_page, meta.total], [2, 4, 10]);
  assert.deepEqual((await list(`?per_page=3&cursor=${meta.next_cursor}`)).items, all.slice(6, 9));
  assert.deepEqual((await list('?per_page=3&page=5')).items, []);
  assert.equal((await list()).meta.total, 10);
  await move(PAYMENT);
  assert.equal((await list()).meta.total, 12, 'totals are never remembered too long');
});

test('an empty history has one page and a cursor to an empty page', async () => {
  const { items, meta } = await list();
  assert.deepEqual([items, meta.total, meta.last_page], [[], 0, 1]);
  const next = await list(`?cursor=${meta.next_cursor}`);
  assert.deepEqual([next.items, next.meta.has_more], [[], false]);
});

test('X-Sync lists a connected subaccount; without it only the team itself', async () => {
  const made = await api.call('POST', '/accounts', {
    key: merchant.sandbox.secret,
    body: { name: 'Stall 7', email: 'stall@shop.example' },
  });
  const account: string = made.body.account.id;
  await move([
    ['clearing', 'pending', 100n],
    ['pending', `pending:${account}`, 40n],
  ]);
  const one = await list('', { 'x-sync': account });
  assert.deepEqual(one.items.map(short), [['payment.succeeded', 'pending', 0.4, 'XAF']]);
  assert.equal(one.meta.total, 1);
  assert.deepEqual((await list()).items.map(short), [
    ['payment.succeeded', 'pending', -0.4, 'XAF'],
    ['payment.succeeded', 'pending', 1, 'XAF'],
  ]);
  for (const wrong of [`acct_test_${'0'.repeat(26)}`, account.replace('acct_test_', 'acct_')]) {
    const { status, body } = await ask('', { 'x-sync': wrong });
    assert.deepEqual([status, body.message], [404, 'Account Not Found']);
  }
});

test("another team's and the other environment's money is never listed", async () => {
  await move(PAYMENT);
  const other = await api.newMerchant();
  assert.deepEqual((await list('', {}, other.sandbox.secret)).items, []);
  assert.deepEqual((await list('', {}, merchant.live.secret)).items, []);
  const { meta } = await list();
  const stolen = await ask(`?cursor=${meta.next_cursor}`, {}, other.sandbox.secret);
  assert.equal(stolen.status, 422);
  assert.ok(stolen.body.errors.cursor);
});

test('422 for invalid filters', async () => {
  for (const [query, field] of [
    ['?bucket=clearing', 'bucket'],
    ['?bucket=', 'bucket'],
    ['?currency=XXX', 'currency'],
    ['?date_from=2026-02-30', 'date_from'],
    ['?date_from=2026-03-02&date_to=2026-03-01', 'date_to'],
    [`?kind=${'x'.repeat(65)}`, 'kind'],
    ['?per_page=101', 'per_page'],
    ['?page=1&cursor=', 'cursor'],
    ['?cursor=abc', 'cursor'],
  ] as const) {
    const { status, body } = await ask(query);
    assert.equal(status, 422, query);
    assert.ok(body.errors[field], query);
  }
});

test('406 with a public key; 403 a restricted key without the scope', async () => {
  assert.equal((await ask('', {}, merchant.sandbox.public)).status, 406);
  const { key } = await api.newKey(merchant.team, 'sandbox', 'restricted', { scopes: ['payment.read'] });
  assert.equal((await ask('', {}, key)).status, 403);
});

test('a source name is never interpreted as SQL or as a separator', async () => {
  const source_id = `${nextSource()}'; --`;
  await move(PAYMENT, { source_id });
  const first = await list('?per_page=1&cursor=');
  assert.equal(first.items[0].source, source_id);
  assert.equal((await list(`?per_page=1&cursor=${first.meta.next_cursor}`)).items.length, 1);
});
