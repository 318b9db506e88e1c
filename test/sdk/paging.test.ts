import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Pirogue } from '../../sdk/src/index.ts';
import { startApi } from '../setup/api.ts';
import { startWeather } from './weather.ts';

const api = await startApi({ workers: false });
const weather = await startWeather(api.url);
after(async () => {
  await weather.close();
  await api.stop();
});

const COUNT = 60;
const merchant = await api.newMerchant();
const pirogue = new Pirogue(merchant.sandbox.secret, { baseUrl: weather.url });
const make = (reference: string) => pirogue.payments.create({ amount: 100, currency: 'XAF', phone: '1', reference });
const made = await Promise.all(Array.from({ length: COUNT }, (_, i) => make(`row-${i}`)));
const ids = made
  .map(({ transaction }) => transaction.id)
  .sort()
  .reverse();

test('60 rows are listed once each, newest first, whatever is added in the meantime', async () => {
  weather.next();
  const seen: string[] = [];
  for await (const payment of pirogue.payments.list({ per_page: 25, search: 'row-' })) {
    seen.push(payment.id);
    if (seen.length === 10) await make('row-later');
  }
  assert.deepEqual(seen, ids);
  const asked = weather.seen.filter(({ method }) => method === 'GET').map(({ path }) => path);
  assert.equal(asked.length, 3);
  // By page number every page would cost a count of all rows.
  for (const path of asked) assert.match(path, /[?&]cursor=/);
});

test('pages are requested only when they are read', async () => {
  weather.next();
  const list = pirogue.payments.list({ per_page: 10, search: 'row-' });
  assert.equal(weather.seen.length, 0);
  assert.equal((await list.toArray({ limit: 15 })).length, 15);
  assert.equal(weather.seen.length, 2);
  assert.deepEqual(await list.toArray({ limit: 0 }), []);
});

test('one page: by number with the total, by cursor without the total', async () => {
  const first = await pirogue.payments.list({ per_page: 20 }).page();
  assert.ok('total' in first.meta && first.meta.total >= COUNT);
  const second = await pirogue.payments.list({ per_page: 20, page: 2 }).page();
  const byCursor = await pirogue.payments.list({ per_page: 20, cursor: first.meta.next_cursor }).page();
  assert.deepEqual(byCursor.items, second.items);
});

test('iteration continues from a numbered page', async () => {
  const rest = await pirogue.payments.list({ per_page: 25, page: 2, search: 'row-' }).toArray();
  const whole = await pirogue.payments.list({ per_page: 100, search: 'row-' }).toArray();
  assert.deepEqual(rest, whole.slice(25));
});

test('pages keep their filters, and an empty list ends the iteration', async () => {
  assert.equal((await pirogue.payments.list({ status: 'pending', per_page: 7 }).toArray()).length, COUNT + 1);
  assert.deepEqual(await pirogue.payments.list({ status: 'succeeded' }).toArray(), []);
});

test('a page whose request failed is requested again', async () => {
  weather.next('pass', 'lose_answer', 'cut_answer');
  assert.equal((await pirogue.payments.list({ per_page: 50 }).toArray()).length, COUNT + 1);
});
