import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const { db } = api.deps.stores.sandbox;

interface Row {
  name: string;
  at: string;
  amount: number;
  status: string;
}

/** Payments by reference; each has words of its own to be searched by. */
const ROWS: Row[] = [
  { name: 'oldest', at: '2026-01-31T23:59:59.999Z', amount: 0.01, status: 'expired' },
  { name: 'first_of_feb', at: '2026-02-01T00:00:00.000Z', amount: 10, status: 'failed' },
  { name: 'end_of_feb', at: '2026-02-28T23:59:59.999Z', amount: 10.01, status: 'cancelled' },
  { name: 'first_of_march', at: '2026-03-01T00:00:00.000Z', amount: 99.99, status: 'succeeded' },
  { name: '100%', at: '2026-03-01T00:00:00.001Z', amount: 100, status: 'processing' },
  { name: 'newest', at: '2026-03-02T12:00:00.000Z', amount: 9_007_199_254_740, status: 'pending' },
];

for (const { name, at, amount, status } of ROWS) {
  const id = newId('trx', 'sandbox', Date.parse(at));
  await db.run(sql`
    insert into payments (team_id, id, reference, amount_minor, currency, status, description, name, email, phone, key_id, request_id,
      created_at, updated_at, expires_at)
    values (${api.team.id}, ${id}, ${name}, ${BigInt(Math.round(amount * 100))}, 'XAF', ${status}, ${`Description of ${name}`},
      ${`Person ${name}`}, ${`${name.replace(/\W/g, '')}@shop.example`}, ${`+2376500${name.length}`}, 'k', 'r', ${at}, ${at}, ${at})`);
}

async function names(query: string, key?: string): Promise<string[]> {
  const { status, body } = await api.call('GET', `/payments${query}`, key ? { key } : {});
  assert.equal(status, 200, JSON.stringify(body));
  if (body.meta.total !== undefined) assert.equal(body.meta.total, body.items.length, 'the total counts what the filter finds');
  return body.items.map((item: { reference: string }) => item.reference).reverse();
}

const ALL = ROWS.map(({ name }) => name);

const FOUND: [query: string, names: string[]][] = [
  ['', ALL],
  ['?status=succeeded', ['first_of_march']],
  ['?status=refunded', []],
  ['?date_from=2026-02-01', ALL.slice(1)],
  ['?date_to=2026-02-01', ALL.slice(0, 2)],
  ['?date_from=2026-02-01&date_to=2026-02-28', ['first_of_feb', 'end_of_feb']],
  ['?date_from=2026-03-01&date_to=2026-03-01', ['first_of_march', '100%']],
  ['?date_from=2026-03-03', []],
  ['?date_to=2026-01-30', []],
  ['?date_from=0001-01-01&date_to=9999-12-31', ALL],
  ['?date_from=2028-02-29', []],
  ['?amount_min=10', ALL.slice(1)],
  ['?amount_min=10.01', ALL.slice(2)],
  ['?amount_min=10.001', ALL.slice(2)],
  ['?amount_max=10', ALL.slice(0, 2)],
  ['?amount_max=10.009', ALL.slice(0, 2)],
  ['?amount_min=10&amount_max=99.99', ['first_of_feb', 'end_of_feb', 'first_of_march']],
  ['?amount_min=100&amount_max=10', []],
  ['?amount_min=0', ALL],
  ['?amount_max=0', []],
  ['?amount_max=1e300', ALL],
  ['?amount_min=1e300', []],
  ['?amount_min=9007199254740', ['newest']],
  ['?search=end_of', ['end_of_feb']],
  ['?search=END_OF', ['end_of_feb']],
  ['?search=100%25', ['100%']],
  ['?search=%25', ['100%']],
  ['?search=_of_', ['first_of_feb', 'end_of_feb', 'first_of_march']],
  ['?search=%5C', []],
  ["?search='", []],
  ['?search=Description%20of%20newest', ['newest']],
  ['?search=Person%20oldest', ['oldest']],
  ['?search=newest@shop.example', ['newest']],
  ['?search=%2B23765004', ['100%']],
  ['?search=shop.example', ALL],
  ['?search=nobody', []],
  ['?search=', ALL],
  ['?search=of&status=cancelled&date_from=2026-02-01&amount_min=10.01', ['end_of_feb']],
  ['?unknown=1&Status=failed', ALL],
];

for (const [query, expected] of FOUND) {
  test(`200 ${query || 'no filter'}: ${expected.length} found`, async () => {
    assert.deepEqual(await names(query), expected);
    const cursor = `${query}${query ? '&' : '?'}cursor=`;
    assert.deepEqual(await names(cursor), expected, 'the same by cursor');
  });
}

const PUBLIC_SEARCHES: [search: string, names: string[]][] = [
  ['end_of', ['end_of_feb']],
  ['trx_test_', ALL],
  ['Description', []],
  ['Person', []],
  ['shop.example', []],
  ['%2B2376500', []],
];

for (const [search, expected] of PUBLIC_SEARCHES) {
  test(`200 a public key that searches ${search}: ${expected.length} found by id and reference only`, async () => {
    assert.deepEqual(await names(`?search=${search}`, api.keys.sandbox.public), expected);
  });
}

test('200 a payment is found by its id', async () => {
  const { id } = (await api.call('GET', '/payments?search=newest')).body.items[0];
  assert.deepEqual(await names(`?search=${id}`), ['newest']);
  assert.deepEqual(await names(`?search=${id.slice(-12)}`), ['newest']);
});

test('200 an item has exactly the fields of the contract, for every type of key', async () => {
  for (const key of [api.keys.sandbox.secret, api.keys.sandbox.public]) {
    const { body } = await api.call('GET', '/payments?search=first_of_march', { key });
    assert.deepEqual(
      { ...body, items: [], meta: 0 },
      { code: 200, status: 'OK', message: 'Payments retrieved', items: [], meta: 0 },
    );
    const { id, ...item } = body.items[0];
    assert.match(id, /^trx_test_/);
    assert.deepEqual(item, {
      reference: 'first_of_march',
      amount: 99.99,
      currency: 'XAF',
      status: 'succeeded',
      channel: null,
      description: 'Description of first_of_march',
      sandbox: true,
      created_at: '2026-03-01T00:00:00.000Z',
    });
  }
});

const REFUSED: [query: string, fields: string[]][] = [
  ['per_page=0', ['per_page']],
  ['per_page=101', ['per_page']],
  ['per_page=-1', ['per_page']],
  ['per_page=1.5', ['per_page']],
  ['per_page=ten', ['per_page']],
  ['per_page=Infinity', ['per_page']],
  ['per_page=', ['per_page']],
  ['per_page=5&per_page=6', ['per_page']],
  ['page=0', ['page']],
  ['page=-1', ['page']],
  ['page=x', ['page']],
  ['page=1e12', ['page']],
  ['page=Infinity', ['page']],
  ['page=1e400', ['page']],
  ['page=99999999999999999999', ['page']],
  ['page=1&cursor=', ['cursor', 'page']],
  ['cursor=x', ['cursor']],
  [`cursor=${'x'.repeat(301)}`, ['cursor']],
  ['cursor=a&cursor=b', ['cursor']],
  [`search=${'s'.repeat(256)}`, ['search']],
  ['search=a&search=b', ['search']],
  ['search=%00', ['search']],
  ['status=paid', ['status']],
  ['status=', ['status']],
  ['status=SUCCEEDED', ['status']],
  ['status=pending&status=failed', ['status']],
  ['date_from=2026-02-30', ['date_from']],
  ['date_from=2027-02-29', ['date_from']],
  ['date_from=2026-13-01', ['date_from']],
  ['date_from=2026-2-1', ['date_from']],
  ['date_from=01/02/2026', ['date_from']],
  ['date_from=2026-02-01T00:00:00Z', ['date_from']],
  ['date_from=', ['date_from']],
  ['date_to=tomorrow', ['date_to']],
  ['date_from=2026-02-02&date_to=2026-02-01', ['date_to']],
  ['amount_min=-0.01', ['amount_min']],
  ['amount_min=x', ['amount_min']],
  ['amount_min=', ['amount_min']],
  ['amount_max=NaN', ['amount_max']],
  ['amount_min=Infinity', ['amount_min']],
  ['amount_max=1e400', ['amount_max']],
  ['amount_min=1&amount_min=2', ['amount_min']],
  ['per_page=0&status=x&date_from=y&amount_min=-1', ['amount_min', 'date_from', 'per_page', 'status']],
];

for (const [query, fields] of REFUSED) {
  test(`422 ${query.slice(0, 60)}: the error names ${fields.join(', ')}`, async () => {
    const { status, body } = await api.call('GET', `/payments?${query}`);
    assert.deepEqual([status, body.code], [422, 422], JSON.stringify(body));
    assert.deepEqual(Object.keys(body.errors).sort(), fields);
  });
}
