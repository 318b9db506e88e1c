import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Answer, type Merchant, startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const COUNT = 60;
const merchant = await api.newMerchant();

async function make(key: string, count: number): Promise<void> {
  const body = { amount: 100, currency: 'XAF', phone: '1', reference: 'page' };
  const answers = await Promise.all(Array.from({ length: count }, () => api.call('POST', '/payments', { key, body })));
  for (const { status } of answers) assert.equal(status, 201);
}

await make(merchant.sandbox.secret, COUNT);

async function list(query: string, who: Merchant = merchant): Promise<Answer['body']> {
  const { status, body } = await api.call('GET', `/payments${query}`, { key: who.sandbox.secret });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const idsOf = (body: Answer['body']): string[] => body.items.map((item: { id: string }) => item.id);
const all = idsOf(await list('?per_page=100'));

test('200 newest first, every payment exactly once', () => {
  assert.equal(new Set(all).size, COUNT);
  assert.deepEqual([...all].sort().reverse(), all);
});

test('200 by default 25 on a page, and meta has the four page numbers and a cursor to continue', async () => {
  const { items, meta } = await list('');
  assert.equal(items.length, 25);
  const { next_cursor, ...figures } = meta;
  assert.deepEqual(figures, { current_page: 1, last_page: 3, per_page: 25, total: COUNT });
  assert.ok(next_cursor.length > 10);
});

for (const per_page of [7, 25, 60, 100]) {
  test(`200 pages of ${per_page} return every row once`, async () => {
    const seen: string[] = [];
    const { last_page } = (await list(`?per_page=${per_page}`)).meta;
    assert.equal(last_page, Math.ceil(COUNT / per_page));
    for (let page = 1; page <= last_page; page++) {
      const body = await list(`?per_page=${per_page}&page=${page}`);
      assert.deepEqual([body.meta.current_page, body.meta.total], [page, COUNT]);
      seen.push(...idsOf(body));
    }
    assert.deepEqual(seen, all);
    assert.deepEqual(idsOf(await list(`?per_page=${per_page}&page=${last_page + 1}`)), []);
  });

  test(`200 cursors of ${per_page} return every row once, forwards and backwards`, async () => {
    const forth: string[] = [];
    let body = await list(`?per_page=${per_page}&cursor=`);
    assert.equal(body.meta.prev_cursor, null);
    for (;;) {
      assert.deepEqual(Object.keys(body.meta).sort(), ['has_more', 'next_cursor', 'per_page', 'prev_cursor']);
      forth.push(...idsOf(body));
      if (!body.meta.has_more) break;
      body = await list(`?per_page=${per_page}&cursor=${body.meta.next_cursor}`);
    }
    assert.deepEqual(forth, all);
    const past = await list(`?per_page=${per_page}&cursor=${body.meta.next_cursor}`);
    assert.deepEqual([past.items, past.meta.has_more], [[], false]);
    assert.ok(past.meta.next_cursor.length > 10);
    const back: string[] = [];
    for (let cursor = past.meta.prev_cursor; cursor !== null; ) {
      const page = await list(`?per_page=${per_page}&cursor=${cursor}`);
      back.unshift(...idsOf(page));
      cursor = page.meta.prev_cursor;
    }
    assert.deepEqual(back, all);
  });
}

test('200 a list by offset can be continued with its cursor', async () => {
  const first = await list('?per_page=20');
  const second = await list(`?per_page=20&cursor=${first.meta.next_cursor}`);
  assert.deepEqual([...idsOf(first), ...idsOf(second)], all.slice(0, 40));
});

test('200 a cursor continues with another filter and page size', async () => {
  const first = await list('?per_page=10&cursor=&status=pending');
  const second = await list(`?per_page=50&cursor=${first.meta.next_cursor}&search=page`);
  assert.deepEqual([...idsOf(first), ...idsOf(second)], all);
});

test('200 for an empty list: one empty page, and a cursor that returns another', async () => {
  const nobody = await api.newMerchant();
  const { items, meta } = await list('', nobody);
  assert.deepEqual(
    [items, { ...meta, next_cursor: '' }],
    [[], { current_page: 1, last_page: 1, per_page: 25, total: 0, next_cursor: '' }],
  );
  assert.ok(meta.next_cursor.length > 10);
  for (const cursor of ['', meta.next_cursor]) {
    const page = await list(`?cursor=${cursor}`, nobody);
    assert.deepEqual([page.items, page.meta.has_more], [[], false]);
    assert.ok(page.meta.next_cursor.length > 10);
  }
});

test('422 for a cursor of another team, of live, or changed at any position', async () => {
  const cursor: string = (await list('?per_page=5')).meta.next_cursor;
  const [other, live] = [await api.newMerchant(), merchant.live.secret];
  for (const key of [other.sandbox.secret, other.live.secret, live]) {
    const { status, body } = await api.call('GET', `/payments?cursor=${cursor}`, { key });
    assert.deepEqual([status, Object.keys(body.errors)], [422, ['cursor']]);
  }
  for (let i = 0; i < cursor.length; i += 3) {
    const changed = cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1);
    const { status } = await api.call('GET', `/payments?cursor=${changed}`, { key: merchant.sandbox.secret });
    assert.equal(status, 422, changed);
  }
});

test('200 totals are exact while payments are created, and no page repeats or omits a row', async () => {
  const busy = await api.newMerchant();
  await make(busy.sandbox.secret, 10);
  const first = await list('?per_page=5', busy);
  for (let round = 1; round <= 5; round++) {
    await make(busy.sandbox.secret, 4);
    const [plain, filtered] = [await list('?per_page=100', busy), await list('?status=pending&per_page=100', busy)];
    assert.deepEqual([plain.meta.total, filtered.meta.total], [10 + 4 * round, 10 + 4 * round]);
    assert.deepEqual(idsOf(plain), idsOf(filtered));
  }
  const second = await list(`?per_page=5&cursor=${first.meta.next_cursor}`, busy);
  const everything = idsOf(await list('?per_page=100', busy));
  assert.deepEqual([...idsOf(first), ...idsOf(second)], everything.slice(-10));
});

test('200 a total never falls while payments are created, and includes every acknowledged payment', async () => {
  const busy = await api.newMerchant();
  let answered = 0;
  const write = (async () => {
    for (let i = 0; i < 12; i++) {
      await make(busy.sandbox.secret, 5);
      answered += 5;
    }
  })();
  let before = 0;
  for (let done = false; !done; ) {
    done = answered === 60;
    const least = answered;
    const { total } = (await list('?per_page=1', busy)).meta;
    assert.ok(total >= least && total >= before && total <= 60, `${total} after ${least}`);
    before = total;
  }
  await write;
  assert.equal((await list('', busy)).meta.total, 60);
});

test('200 a page beyond the end is empty and has the same total', async () => {
  const { items, meta } = await list('?per_page=25&page=9');
  assert.deepEqual([items, meta.total, meta.last_page], [[], COUNT, 3]);
  const filtered = await list('?per_page=25&page=9&status=pending');
  assert.deepEqual([filtered.items, filtered.meta.total], [[], COUNT]);
});
