import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Check } from 'typebox/value';
import type { Call } from '../../src/tenants/api/route.ts';
import { envelope } from '../../src/kit/envelope.ts';
import { Problem } from '../../src/kit/errors.ts';
import { referenceRoutes, type StandingOf } from '../../src/providers/reference/routes.ts';

interface Body {
  items: { id?: string; code?: string; currency?: string; min?: number; status?: string }[];
  meta: { current_page: number; last_page: number; total: number };
  channel: { id: string; currency: string; min: number; max: number; status: string; currencies: unknown[] };
}

const CALLER = { team: { id: 7n }, store: { environment: 'live' } };

/** Calls a route's handler and holds its answer against the schema it declares. */
async function get(
  path: string,
  query: object = {},
  params: Record<string, string> = {},
  standingOf?: StandingOf,
): Promise<Body> {
  const route = referenceRoutes(standingOf).find((candidate) => candidate.path === path) ?? assert.fail(path);
  const { code, message, body } = await route.handle({ query, params, caller: CALLER } as unknown as Call<never, never>);
  const schema = route.replies[code] ?? assert.fail(`${path} declares no ${code}`);
  assert.ok(Check(schema, envelope(code, message, body)), `${path} keeps its schema`);
  return body as unknown as Body;
}

test('every route is a read that every kind of key can call', () => {
  for (const { method, access, scope } of referenceRoutes()) {
    assert.deepEqual({ method, access, scope }, { method: 'GET', access: 'public', scope: 'resource.read' });
  }
});

test('GET /channels filters by country, currency and amount', async () => {
  const { items, meta } = await get('/channels', { country: 'cm', currency: 'XAF', amount: 2_000_000 });
  assert.deepEqual(
    items.map((item) => item.id),
    ['cm.mtn', 'cm.orange', 'cm.bank'],
  );
  assert.deepEqual(meta, { current_page: 1, last_page: 1, per_page: 3, total: 3 });
});

test('GET /channels returns an empty page when nothing matches', async () => {
  const { items, meta } = await get('/channels', { country: 'CM', currency: 'KES' });
  assert.deepEqual(items, []);
  assert.deepEqual(meta, { current_page: 1, last_page: 1, per_page: 1, total: 0 });
});

test('GET /channels shows the limits of the requested currency', async () => {
  const { items } = await get('/channels', { country: 'CD', currency: 'USD' });
  assert.deepEqual([items[0]?.currency, items[0]?.min], ['USD', 1]);
});

test('GET /channels returns 422 for an amount with three decimals', async () => {
  await assert.rejects(
    get('/channels', { amount: 1.005 }),
    (error) => error instanceof Problem && error.status === 422 && error.details.errors?.amount !== undefined,
  );
});

test('GET /channels/:id returns amounts in major units', async () => {
  const { channel } = await get('/channels/:id', {}, { id: 'cm.mtn' });
  assert.deepEqual([channel.currency, channel.min, channel.max, channel.status], ['XAF', 100, 500_000, 'operational']);
});

test('GET /channels returns the status of each channel for this team and environment', async () => {
  const asked: unknown[] = [];
  const standingOf: StandingOf = async (environment, team_id, channel) => {
    asked.push([environment, team_id]);
    return channel === 'cm.orange' ? 'down' : 'degraded';
  };
  const { items } = await get('/channels', { country: 'CM' }, {}, standingOf);
  assert.deepEqual(
    items.map(({ id, status }) => [id, status]),
    [
      ['cm.mtn', 'degraded'],
      ['cm.orange', 'down'],
      ['cm.bank', 'degraded'],
      ['cm.card', 'degraded'],
    ],
  );
  assert.equal((await get('/channels/:id', {}, { id: 'cm.orange' }, standingOf)).channel.status, 'down');
  for (const one of asked) assert.deepEqual(one, ['live', 7n]);
});

test('GET /channels/:id returns Resource Not Found for an unknown channel', async () => {
  await assert.rejects(get('/channels/:id', {}, { id: 'cm.none' }), { status: 404, message: 'Resource Not Found' });
});

test('every list is paginated on request', async () => {
  const pages = { per_page: 5, page: 2 };
  const { items, meta } = await get('/channels', { country: 'CI', ...pages });
  assert.deepEqual([items.map(({ id }) => id), meta], [['ci.card'], { current_page: 2, last_page: 2, per_page: 5, total: 6 }]);
  for (const path of ['/countries', '/currencies', '/banks']) {
    const all = await get(path);
    const second = await get(path, pages);
    assert.deepEqual(second.items, all.items.slice(5, 10), path);
    assert.deepEqual(second.meta, {
      current_page: 2,
      last_page: Math.ceil(all.meta.total / 5),
      per_page: 5,
      total: all.meta.total,
    });
  }
});

test('GET /countries, /currencies and /banks', async () => {
  assert.equal((await get('/countries')).items[0]?.code, 'CM');
  assert.equal((await get('/currencies')).meta.total, 17);
  assert.equal(
    (await get('/banks', { country: 'KE' })).items.some((bank) => bank.code === '68'),
    true,
  );
});
