import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Sql } from '../../src/kit/sql.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';

let sent: Sql[] = [];
let api: Api;

before(async () => {
  const listen = (statement: Sql) => {
    sent.push(statement);
    return null;
  };
  const watch = (database: string) => (database === 'sandbox' ? listen : undefined);
  // Its clock stands: what is known of a total is kept for a while only.
  api = await startApi({ workers: false, clock: new FakeClock(), watch });
  for (const n of [1, 2]) {
    const payment = await api.call('POST', '/payments', {
      body: { amount: 100, currency: 'XAF', phone: '1', reference: 'count' },
    });
    const customer = await api.call('POST', '/customers', { body: { name: 'Awa', email: `awa${n}@example.com` } });
    assert.deepEqual([payment.status, customer.status], [201, 201]);
  }
});
after(() => api.stop());

/** Returns the statements that count rows for a numbered page. */
async function counts(path: string, query: string): Promise<string[]> {
  sent = [];
  const { status, body } = await api.call('GET', `${path}?page=1&per_page=1${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return sent.map(({ text }) => text).filter((text) => /\bcount\(\*\)/.test(text));
}

for (const path of ['/payments', '/customers']) {
  test(`an unknown query field of ${path} is not a filter: the known total is used`, async () => {
    await counts(path, ''); // counts the settled part
    const usual = await counts(path, '');
    assert.ok(usual.length > 0);
    assert.deepEqual(await counts(path, '&_=1'), usual);
  });
}

const EMPTY = [
  ['/refunds', 'payment'],
  ['/disputes', 'payment'],
  ['/transfers', 'beneficiary'],
  ['/transfers', 'channel'],
  ['/transfers', 'search'],
  ['/customers', 'search'],
  ['/payments', 'search'],
  ['/balance/history', 'kind'],
] as const;

for (const [path, field] of EMPTY) {
  test(`an empty ${field} of ${path} is not a filter: the statements are those of the whole list, and so is its total`, async () => {
    const statements = async (query: string) => {
      sent = [];
      const { status, body } = await api.call('GET', `${path}?page=2${query}`);
      return { status, meta: body.meta, texts: sent.map(({ text }) => text) };
    };
    await statements(''); // counts the settled part
    const whole = await statements('');
    assert.equal(whole.status, 200);
    assert.deepEqual(await statements(`&${field}=`), whole);
  });
}

test('422 for a character that cannot be stored, in an unknown query field too', async () => {
  const { status, body } = await api.call('GET', '/payments?_=%00');
  assert.deepEqual([status, Object.keys(body.errors)], [422, ['_']]);
});

for (const path of ['/payments', '/refunds', '/transfers', '/events', '/balance/history', '/payments/trx_test_x/refunds']) {
  test(`422 ${path} names a reversed range of days together with all other faults, before existence`, async () => {
    const { status, body } = await api.call('GET', `${path}?date_from=2026-02-02&date_to=2026-02-01&per_page=0`);
    assert.deepEqual([status, Object.keys(body.errors ?? {}).sort()], [422, ['date_to', 'per_page']]);
  });
}

test('an invalid day is not compared, and the days of a route that has none are unknown fields', async () => {
  const invalid = await api.call('GET', '/payments?date_from=x&date_to=2026-02-01');
  assert.deepEqual(Object.keys(invalid.body.errors), ['date_from']);
  assert.equal((await api.call('GET', '/customers?date_from=2026-02-02&date_to=2026-02-01')).status, 200);
});
