import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { insertExchanges } from '../../src/providers/exchanges/store.ts';
import type { ExchangeRow, NewExchange } from '../../src/providers/exchanges/schema.ts';
import { callbackUrl } from '../../src/providers/provider-accounts/callback-address.ts';
import { type Api, dumpDatabase, startApi, until } from '../setup/api.ts';
import { type LiveShop, openLiveShop } from '../setup/live-shop.ts';

/** Callbacks are stored for the page of what they are about, without what is personal or secret, and within a maximum. */
const PHONE = '+237650000000';
const MAX = 10;

let api: Api;
let shop: LiveShop;
before(async () => {
  api = await startApi({ workers: false, env: { PROVIDER_EXCHANGES: 'on' } });
  shop = await openLiveShop(api, ['mtn-momo', 'flutterwave']);
});
after(async () => {
  await shop?.stop();
  await api?.stop();
});

const live = () => api.deps.stores.live;
const accountOf = (name: string) => String(shop.accounts[name]?.id);

/** Charges a payment on MTN, whose simulator sends no callback of its own. @returns its attempt */
async function charged(): Promise<{ id: string; provider_key: string }> {
  const { key, simulators } = shop;
  simulators['mtn-momo']?.faults.script({ fault: 'stuck', doing: 'create' });
  const made = await api.call('POST', '/payments', { key, body: { amount: 5000, currency: 'XAF', phone: PHONE } });
  const { id } = made.body.transaction;
  const { status, body } = await api.call('POST', `/payments/${id}`, {
    key,
    body: { channel: 'cm.mtn', data: { phone: PHONE } },
  });
  assert.equal(status, 202, JSON.stringify(body));
  const row = await live().db.maybe<{ id: string; provider_key: string }>(
    sql`select id, provider_key from attempts where payment_id = ${id}`,
  );
  return row ?? assert.fail();
}

async function post(url: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<number> {
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
  await answer.arrayBuffer();
  return answer.status;
}

type Stored = Pick<ExchangeRow, 'callback' | 'method' | 'path' | 'status' | 'request' | 'response_bytes'>;

const stored = (subject_id: string) =>
  live().db.all<Stored>(sql`
    select callback, method, path, status, request, response_bytes from provider_exchanges
    where subject_id = ${subject_id} and callback is not null order by id`);

/** Waits until this many callbacks are stored; more would have come with them. */
const storedOf = (subject_id: string, n: number) =>
  until(
    () => stored(subject_id),
    (rows) => rows.length >= n,
  );

const bytes = (...parts: (string | number[])[]) => Uint8Array.from(parts.flatMap((part) => [...Buffer.from(part)]));

const HOSTILE: readonly [name: string, body: string | Uint8Array<ArrayBuffer>, stored: string | null][] = [
  [
    'the payer in listed fields',
    `{"externalId":"${PHONE}","status":"canary Awa","amount":"650000000","payer":{"partyIdType":"MSISDN","partyId":"650000000"}}`,
    '{"externalId":"…","status":"…","amount":"…","payer":{"partyIdType":"MSISDN","partyId":"…"}}',
  ],
  ['unknown fields', `{"status":"FAILED","canary":"Awa","${PHONE}":1}`, '{"status":"FAILED","…":2}'],
  ['deep JSON', `${'['.repeat(30_000)}"canary"${']'.repeat(30_000)}`, '[[[[[["…"]]]]]]'],
  ['deep objects', `${'{"data":'.repeat(7_000)}"canary"${'}'.repeat(7_000)}`, null],
  ['invalid UTF-8', bytes('{"status":"', [0xff, 0xfe, 0xc3], '","canary":1}'), '{"status":"…","…":1}'],
  ['NUL in JSON', '{"status":"FAILED\\u0000canary","id":"\\u0000"}', '{"status":"…","id":"…"}'],
  ['NUL bytes', bytes([0, 0, 0], 'canary'), null],
  ['no JSON', `<html>canary ${PHONE}</html>`, null],
  ['nothing', '', null],
];

test('what arrived is stored without the payer, secrets and anything unlisted, whatever it is', async () => {
  const { id } = await charged();
  const address = callbackUrl(api.deps, accountOf('mtn-momo'), id);
  for (const [name, body] of HOSTILE) {
    const status = await post(`${address}?token=canary`, body, { authorization: 'canary', 'x-signature': 'canary' });
    assert.equal(status, 200, name);
  }
  assert.equal(await post(address, 'x'.repeat(1024 * 1024)), 400);
  const rows = await storedOf(id, HOSTILE.length);
  assert.equal(rows.length, HOSTILE.length);
  for (const [i, [name, body, expected]] of HOSTILE.entries()) {
    const row = rows[i];
    assert.deepEqual([row?.callback, row?.method, row?.status], ['address', 'POST', 200], name);
    assert.equal(row?.path, `/_callbacks/${accountOf('mtn-momo')}/${id}/…`);
    assert.equal(row?.response_bytes, Buffer.byteLength(body), name);
    if (name === 'deep objects') assert.equal(row?.request, `${'{"data":'.repeat(6)}"…"${'}'.repeat(6)}`);
    else assert.equal(row?.request, expected, name);
  }
  const dump = await dumpDatabase(live().db);
  assert.ok(!dump.includes('canary'));
  assert.ok(!dump.includes(address.split('/').at(-1) ?? ''), 'the secret of the address');
});

test('a callback that nobody signed counts apart: it displaces none that came to the secret address', async () => {
  const { id, provider_key } = await charged();
  const account = `${api.url}/_callbacks/${accountOf('mtn-momo')}`;
  const guessed = JSON.stringify({ externalId: provider_key, financialTransactionId: '2250701020304', status: 'SUCCESSFUL' });
  const statuses = await Promise.all(Array.from({ length: 3 * MAX }, () => post(account, guessed)));
  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.equal(await post(callbackUrl(api.deps, accountOf('mtn-momo'), id), '{"status":"SUCCESSFUL"}'), 200);
  const rows = await storedOf(id, MAX + 1);
  assert.deepEqual(
    rows.map(({ callback }) => callback),
    [...Array.from({ length: MAX }, () => 'unverified'), 'address'],
  );
  const request = JSON.stringify({ externalId: provider_key, financialTransactionId: '…', status: 'SUCCESSFUL' });
  assert.equal(rows[0]?.request, request, 'no long number of anybody');
  assert.equal(rows[0]?.path, `/_callbacks/${accountOf('mtn-momo')}`);
});

test('a wrong signature is stored only where the address says what it is about; what matches nothing never is', async () => {
  const { id } = await charged();
  const count = async () =>
    (await live().db.maybe<{ n: number }>(sql`select count(*)::integer as n from provider_exchanges where callback is not null`))
      ?.n;
  const before_it = await count();
  const account = accountOf('flutterwave');
  assert.equal(await post(`${api.url}/_callbacks/${account}`, '{"data":{"tx_ref":"x"}}', { 'verif-hash': 'wrong' }), 401);
  const unknown = { externalId: '6b1ad1a6-2b1b-4d3c-8e7e-4f1f7c0f0a11', status: 'FAILED' };
  assert.equal(await post(`${api.url}/_callbacks/${accountOf('mtn-momo')}`, JSON.stringify(unknown)), 200);
  assert.equal(await post(callbackUrl(api.deps, account, id).replace(/.$/, '!'), '{}'), 404);
  assert.equal(await post(callbackUrl(api.deps, account, id), '{"event":"charge.completed"}', { 'verif-hash': 'wrong' }), 401);
  const rows = await storedOf(id, 1);
  assert.deepEqual(
    rows.map(({ callback, status, request }) => [callback, status, request]),
    [['forged', 401, '{"event":"charge.completed"}']],
  );
  assert.equal(await count(), (before_it ?? 0) + 1);
});

test('of 10,000 callbacks about one attempt, written by any number of processes, the maximum of each kind is stored', async () => {
  const id = newId('att', 'live', Date.now());
  const row = (i: number, callback: NewExchange['callback']): NewExchange => ({
    ...{ id: newId('pex', 'live', Date.now() + i), environment: 'live', team_id: shop.merchant.team.id, subject_id: id },
    ...{
      provider: 'mtn-momo',
      account_id: 'pa_1',
      callback,
      method: 'POST',
      path: '/',
      status: 200,
      error: null,
      duration_ms: 1,
    },
    ...{ request: null, response: null, response_bytes: 0, at: Date.now() },
  });
  for (let batch = 0; batch < 100; batch++) {
    const rows = Array.from({ length: 100 }, (_, i) => row(batch * 100 + i, i % 2 ? 'unverified' : 'signed'));
    await insertExchanges(live().db, batch === 0 ? [...rows, row(0, null), row(1, null)] : rows);
  }
  const counts = await live().db.all(sql`
    select callback, count(*)::integer as n from provider_exchanges where subject_id = ${id} group by callback order by callback`);
  assert.deepEqual(counts, [
    { callback: 'signed', n: MAX },
    { callback: 'unverified', n: MAX },
    { callback: null, n: 2 },
  ]);
});

test('a callback about the payout of a return is stored about the refund that the payer sees', async () => {
  const [id, refund] = [newId('rtn', 'live', Date.now()), newId('rfd', 'live', Date.now())];
  await live().db.run(sql`
    insert into returns (team_id, id, payment_id, attempt_id, amount_minor, currency, state, payout_id, created_at, updated_at)
    values (${shop.merchant.team.id}, ${id}, 'trx_x', 'att_x', 500, 'XAF', 'paying_out', ${refund}, now(), now())`);
  assert.equal(await post(callbackUrl(api.deps, accountOf('mtn-momo'), id), '{"status":"FAILED"}'), 200);
  assert.deepEqual(
    (await storedOf(refund, 1)).map(({ callback, request }) => [callback, request]),
    [['address', '{"status":"FAILED"}']],
  );
});

describe('at the address of the account, where only our key says what a callback is about', () => {
  const NOBODY = '7f0c2f0e-57a5-4f0c-9d3e-1a2b3c4d5e6f';
  const about = (externalId: string) =>
    post(`${api.url}/_callbacks/${accountOf('mtn-momo')}`, JSON.stringify({ externalId, status: 'SUCCESSFUL' }));
  const kinds = (rows: Stored[]) => rows.map(({ callback, request }) => [callback, request]);
  const told = (externalId: string) => [['unverified', JSON.stringify({ externalId, status: 'SUCCESSFUL' })]];

  /** A refund, or the payout of a return, that its provider has. */
  async function refunded(
    attempt_id: string,
    changes: { way?: string; status?: string; return_id?: string; part?: object } = {},
  ) {
    const { way = 'refund', status = 'processing', return_id = null, part = {} } = changes;
    const [id, provider_key] = [newId('rfd', 'live', Date.now()), randomUUID()];
    const legs = [{ attempt_id, amount_minor: '500', provider_key, provider_ref: null, sent_at: null, status: 'sent', ...part }];
    await live().db.run(sql`
      insert into refunds (team_id, id, payment_id, kind, return_id, way, legs, amount_minor, currency, status, reason, created_at, updated_at)
      values (${shop.merchant.team.id}, ${id}, 'trx_x', 'merchant', ${return_id}, ${way}, ${JSON.stringify(legs)}, 500, 'XAF', ${status},
        'duplicate', now(), now())`);
    return { id, provider_key };
  }

  test('one about a payout that has ended is stored with the payout', async () => {
    const [id, key] = [newId('po', 'live', Date.now()), randomUUID()];
    await live().db.run(sql`
      insert into transfers (team_id, id, amount_minor, fee_minor, currency, status, recipient, channel, provider_account, provider_key, stage,
        key_id, request_id, created_at, updated_at)
      values (${shop.merchant.team.id}, ${id}, 500, 0, 'XAF', 'succeeded', '{}', 'cm.mtn', ${accountOf('mtn-momo')}, ${key}, 'closed', 'key_1',
        'req_1', now(), now())`);
    assert.equal(await about(key), 200);
    assert.deepEqual(kinds(await storedOf(id, 1)), told(key));
  });

  test('one about a refund makes it due for a reading and is stored with it, also after its key was replaced and sent again', async () => {
    const attempt = await charged();
    const { id, provider_key } = await refunded(attempt.id);
    assert.equal(await about(provider_key), 200);
    assert.deepEqual(kinds(await storedOf(id, 1)), told(provider_key));
    const due = () => live().db.maybe(sql`select next_poll_at <= pirogue_now() as due from refunds where id = ${id}`);
    assert.deepEqual(await due(), { due: true });
    await live().db.run(sql`
      update refunds set legs = replace(legs::text, ${provider_key}, ${NOBODY})::json, next_poll_at = null where id = ${id}`);
    assert.equal(await about(NOBODY), 200);
    assert.deepEqual(await due(), { due: true });
    assert.equal((await storedOf(id, 2)).length, 2);
  });

  test('one about a refund that failed makes the worker read it again, before its money goes back another way', async () => {
    const attempt = await charged();
    const return_id = newId('rtn', 'live', Date.now());
    const { id, provider_key } = await refunded(attempt.id, { status: 'failed', return_id, part: { status: 'failed' } });
    await live().db.run(sql`
      insert into returns (team_id, id, payment_id, attempt_id, amount_minor, currency, state, refund_id, created_at, updated_at)
      values (${shop.merchant.team.id}, ${return_id}, 'trx_x', ${attempt.id}, 500, 'XAF', 'paying_out', ${id}, now(), now())`);
    assert.equal(await about(provider_key), 200);
    assert.deepEqual(await live().db.maybe(sql`select recheck from returns where id = ${return_id}`), { recheck: true });
    assert.deepEqual(kinds(await storedOf(id, 1)), told(provider_key));
  });

  test('one about the payout of a return makes the return due, and is stored with the refund that the payer sees', async () => {
    const return_id = newId('rtn', 'live', Date.now());
    const attempt_id = newId('att', 'live', Date.now());
    const part = { provider_account: accountOf('mtn-momo') };
    const { id, provider_key } = await refunded(attempt_id, { way: 'payout', return_id, part });
    await live().db.run(sql`
      insert into returns (team_id, id, payment_id, attempt_id, amount_minor, currency, state, payout_id, created_at, updated_at)
      values (${shop.merchant.team.id}, ${return_id}, 'trx_x', ${attempt_id}, 500, 'XAF', 'paying_out', ${id}, now(), now())`);
    assert.equal(await about(provider_key), 200);
    const due = await live().db.maybe(sql`select next_step_at <= pirogue_now() as due from returns where id = ${return_id}`);
    assert.deepEqual(due, { due: true });
    assert.deepEqual(kinds(await storedOf(id, 1)), told(provider_key));
  });

  test('one from another account of the team is about nothing', async () => {
    const { id, provider_key } = await refunded('att_x', { way: 'payout', part: { provider_account: accountOf('flutterwave') } });
    assert.equal(await about(provider_key), 200);
    const attempt = await charged();
    assert.equal(await about(attempt.provider_key), 200);
    await storedOf(attempt.id, 1);
    assert.deepEqual(await stored(id), []);
  });
});

test('a callback is answered and applied although it cannot be stored', async () => {
  const { id } = await charged();
  const { exchangeLog } = api.deps;
  api.deps.exchangeLog = {
    add: () => {
      throw new Error('no room');
    },
  } as never;
  try {
    assert.equal(await post(callbackUrl(api.deps, accountOf('mtn-momo'), id), '{"status":"SUCCESSFUL"}'), 200);
    const due = await live().db.maybe<{ due: boolean }>(
      sql`select next_poll_at <= pirogue_now() as due from attempts where id = ${id}`,
    );
    assert.deepEqual(due, { due: true });
    assert.equal(await post(`${api.url}/_callbacks/${accountOf('mtn-momo')}`, '{}'), 200, 'the process goes on');
  } finally {
    api.deps.exchangeLog = exchangeLog;
  }
  assert.deepEqual(await stored(id), []);
});
