import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startApi } from '../setup/api.ts';
import { newLink } from './browser.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const { key, other } = { key: api.keys.live.secret, other: (await api.newMerchant()).live.secret };
const call = (method: string, path: string, body?: object, headers = {}) =>
  api.call(method, path, { key, headers, ...(body ? { body } : {}) });

const WHOLE = {
  title: 'Evening class',
  description: 'Mondays at six.',
  reference: 'class-08',
  amount: 15_000,
  currency: 'XAF',
  expires_at: '2099-01-01T00:00:00.000Z',
  max_uses: 20,
  collect: ['name', 'email'],
  callback: 'https://shop.example/thanks',
  theming: { color: '#0b4a5e' },
  metadata: { course: 'evening' },
};

test('201 a link with every field, returned the same by GET', async () => {
  const { status, body } = await call('POST', '/links', WHOLE);
  assert.equal(status, 201);
  const { id, url, created_at, updated_at, ...rest } = body.link;
  assert.match(id, /^lnk_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.ok(url.startsWith(`${api.url}/l/${id.slice(4)}.`));
  assert.equal(created_at, updated_at);
  assert.deepEqual(rest, {
    ...WHOLE,
    min_amount: null,
    max_amount: null,
    status: 'active',
    payments: 0,
    payments_open: 0,
    payments_succeeded: 0,
    amount_collected: 0,
    sandbox: false,
  });
  assert.deepEqual((await call('GET', `/links/${id}`)).body.link, body.link);
});

test('201 a link with the fewest fields: the payer chooses the amount and enters a phone number', async () => {
  const { body } = await call('POST', '/links', { title: 'Gift', currency: 'XOF' });
  const { amount, collect, max_uses, expires_at } = body.link;
  assert.deepEqual(
    { amount, collect, max_uses, expires_at },
    { amount: null, collect: ['phone'], max_uses: null, expires_at: null },
  );
});

const WRONG: [name: string, body: object, fields: string[]][] = [
  ['nothing', {}, ['currency', 'title']],
  ['a title of spaces', { title: '  ' }, ['title']],
  ['an amount with three decimals', { currency: 'KES', amount: 1.001 }, ['amount']],
  ['hundredths where there are none', { amount: 100.5, currency: 'XAF' }, ['amount']],
  ['an amount of nothing', { amount: 0 }, ['amount']],
  ['an amount that no channel takes', { amount: 99 }, ['amount']],
  ['a bound below what any channel takes', { amount: null, max_amount: 99 }, ['max_amount']],
  ['an amount beside its bounds', { amount: 500, min_amount: 100 }, ['amount']],
  ['bounds the wrong way round', { amount: null, min_amount: 500, max_amount: 100 }, ['max_amount']],
  ['an end in the past', { expires_at: '2001-01-01T00:00:00Z' }, ['expires_at']],
  ['an end that is no moment', { expires_at: 'tomorrow' }, ['expires_at']],
  ['no use at all', { max_uses: 0 }, ['max_uses']],
  ['half a use', { max_uses: 1.5 }, ['max_uses']],
  ['nobody who could be told', { collect: ['name'] }, ['collect']],
  ['nothing asked for', { collect: [] }, ['collect']],
  ['something else asked for', { collect: ['pet'] }, ['collect.0']],
  ['a script to return to', { callback: 'javascript:alert(1)' }, ['callback']],
  ['a line break in where to return', { callback: 'https://shop.example/\r\nx' }, ['callback']],
  ['theming of 17 KB', { theming: { title: 'x'.repeat(17_000) } }, ['theming']],
  ['metadata of 51 keys', { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i])) }, ['metadata']],
  ['an unknown currency', { currency: 'JPY' }, ['currency']],
  ['half a surrogate pair', { description: '\ud800' }, ['description']],
];

test('422 names every field that is wrong', async (t) => {
  for (const [name, wrong, fields] of WRONG) {
    await t.test(name, async () => {
      const body = name === 'nothing' ? {} : { title: 'Class', amount: 1_000, currency: 'XAF', ...wrong };
      const answer = await call('POST', '/links', body);
      assert.deepEqual([answer.status, Object.keys(answer.body.errors ?? {}).sort()], [422, fields]);
    });
  }
});

test('422 raw card data in any field of a link', async () => {
  const { status, body } = await call('POST', '/links', { ...WHOLE, metadata: { note: '4242424242424242' } });
  assert.deepEqual([status, body.error_code], [422, 'raw_card_data_not_accepted']);
});

test('PATCH changes only the given fields', async () => {
  const { id } = await newLink(api, key, WHOLE);
  const { body } = await call('PATCH', `/links/${id}`, { title: 'Morning class', amount: null, min_amount: 500, callback: null });
  const { title, amount, min_amount, callback, description, metadata } = body.link;
  assert.deepEqual(
    { title, amount, min_amount, callback, description, metadata },
    {
      title: 'Morning class',
      amount: null,
      min_amount: 500,
      callback: null,
      description: WHOLE.description,
      metadata: WHOLE.metadata,
    },
  );
});

test('422 PATCH of the currency, of an expiry in the past, and of values that conflict with the rest', async () => {
  const { id } = await newLink(api, key);
  const fields = async (body: object) => Object.keys((await call('PATCH', `/links/${id}`, body)).body.errors ?? {});
  assert.deepEqual(await fields({ currency: 'XOF' }), ['currency']);
  assert.deepEqual(await fields({ currency: 'XAF' }), []);
  assert.deepEqual(await fields({ expires_at: '2001-01-01T00:00:00Z' }), ['expires_at']);
  assert.deepEqual(await fields({ min_amount: 5 }), ['amount']);
});

test('active switches a link off and on again; the same value twice changes nothing', async () => {
  const { id } = await newLink(api, key);
  const status = async (active: boolean) => (await call('PATCH', `/links/${id}`, { active })).body.link.status;
  assert.deepEqual(
    [await status(false), await status(false), await status(true), await status(true)],
    ['inactive', 'inactive', 'active', 'active'],
  );
});

test('404 Link Not Found for an unknown id, another team and a sandbox id', async () => {
  const { id } = await newLink(api, other);
  for (const wrong of [id, 'lnk_01kym0h8v0a1b2c3d4e5f6g7h8', 'lnk_test_01kym0h8v0a1b2c3d4e5f6g7h8', 'x']) {
    for (const [method, path, body] of [
      ['GET', `/links/${wrong}`],
      ['PATCH', `/links/${wrong}`, { title: 'Mine' }],
      ['GET', `/links/${wrong}/payments`],
    ] as const) {
      const answer = await call(method, path, body);
      assert.deepEqual([answer.status, answer.body.message], [404, 'Link Not Found'], `${method} ${path}`);
    }
  }
  assert.equal((await api.call('GET', `/links/${id}`, { key: other })).body.link.title, 'Evening class');
});

test('403 with a test key, 406 with a public key, 403 without the scope, 405 for DELETE', async () => {
  const sandbox = await api.call('POST', '/links', { key: api.keys.sandbox.secret, body: WHOLE });
  assert.deepEqual([sandbox.status, sandbox.body.error_code], [403, 'live_only_feature']);
  assert.equal((await api.call('GET', '/links', { key: api.keys.live.public })).status, 406);
  const reader = (await api.newKey(api.team, 'live', 'restricted', { scopes: ['link.read'] })).key;
  const { id } = await newLink(api, key);
  assert.equal((await api.call('GET', `/links/${id}`, { key: reader })).status, 200);
  for (const [method, path] of [
    ['POST', '/links'],
    ['PATCH', `/links/${id}`],
    ['GET', `/links/${id}/payments`],
  ] as const) {
    const { status, body } = await api.call(method, path, { key: reader, ...(method === 'GET' ? {} : { body: WHOLE }) });
    assert.deepEqual([status, body.error_code], [403, 'scope_missing'], path);
  }
  assert.equal((await call('DELETE', `/links/${id}`)).status, 405);
});

test('201 replayed for the same Idempotency-Key, 422 for a different payload', async () => {
  const headers = { 'idempotency-key': 'link-1' };
  const first = await call('POST', '/links', WHOLE, headers);
  const second = await call('POST', '/links', WHOLE, headers);
  assert.deepEqual([second.status, second.headers.get('idempotent-replayed')], [201, 'true']);
  assert.deepEqual(second.body, first.body);
  const third = await call('POST', '/links', { ...WHOLE, title: 'Other' }, headers);
  assert.deepEqual([third.status, third.body.error_code], [422, 'idempotency_key_reused']);
});

test('lists page by offset and by cursor, newest first, and filter by status and text', async () => {
  const team = await api.newMerchant();
  const mine = team.live.secret;
  const list = async (query: string) => (await api.call('GET', `/links?${query}`, { key: mine })).body;
  const ids: string[] = [];
  for (const title of ['Course 100 %', 'Gift', 'Dinner_1'])
    ids.unshift((await newLink(api, mine, { title, reference: `r-${title}` })).id);
  await api.call('PATCH', `/links/${ids[1]}`, { key: mine, body: { active: false } });
  const shown = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);
  const first = await list('per_page=2');
  assert.deepEqual([shown(first), first.meta.total, first.meta.last_page], [ids.slice(0, 2), 3, 2]);
  assert.deepEqual(shown(await list(`cursor=${first.meta.next_cursor}`)), ids.slice(2));
  assert.deepEqual(shown(await list('per_page=2&page=2')), ids.slice(2));
  assert.deepEqual(shown(await list('status=inactive')), [ids[1]]);
  assert.deepEqual(shown(await list('search=100%20%25')), [ids[2]]);
  assert.deepEqual(shown(await list('search=dinner_')), [ids[0]]);
  assert.deepEqual(shown(await list('search=nothing')), []);
  assert.deepEqual(
    (await api.call('GET', '/links', { key: other })).body.items.filter(({ id }: { id: string }) => ids.includes(id)),
    [],
  );
  assert.equal((await api.call('GET', '/links?status=deleted', { key: mine })).status, 422);
});

test('events report creation and changes, with the same data as GET', async () => {
  const { id } = await newLink(api, key);
  const { body } = await call('PATCH', `/links/${id}`, { title: 'Changed' });
  const events = (await call('GET', '/events?per_page=100')).body.items.filter(
    (event: { data: { id: string } }) => event.data.id === id,
  );
  assert.deepEqual(
    events.map(({ event }: { event: string }) => event),
    ['link.updated', 'link.created'],
  );
  assert.deepEqual(events[0].data, body.link);
});

test('201 a link of the least amount that a channel takes, and with it as the maximum', async () => {
  for (const fields of [{ amount: 100 }, { max_amount: 100 }])
    assert.equal((await call('POST', '/links', { title: 'Tea', currency: 'XAF', ...fields })).status, 201);
});
