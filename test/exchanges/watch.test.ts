import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Send, SendOptions, SendResult } from '../../src/kit/fetch.ts';
import { sql } from '../../src/kit/sql.ts';
import type { Collection, Provider } from '../../src/providers/adapters/contract.ts';
import { ExchangeLog } from '../../src/providers/exchanges/log.ts';
import { exchangesOf } from '../../src/providers/exchanges/store.ts';
import { ExchangeWatch } from '../../src/providers/exchanges/watch.ts';
import { type Api, dumpDatabase, startApi } from '../setup/api.ts';

const DEADLINE_MS = 10_000;
const PHONE = '+2250701020304';
const TEAM = 9_101n;

let api: Api;
before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());

const answered = (body: string, status = 200): SendResult => ({
  ...{ kind: 'answered', status, headers: { 'x-payer': PHONE }, body, truncated: false, duration_ms: 12 },
});

/** Sends one request for an attempt through a provider that is watched. @returns what is stored of it */
async function exchanged(attempt_id: string, body: string, result: SendResult) {
  const { sandbox, live } = api.deps.stores;
  const log = new ExchangeLog({ sandbox: sandbox.db, live: live.db }, () => assert.fail('lost'));
  const watch = new ExchangeWatch((exchange) => log.add(exchange), api.deps.clock);
  const send: Send = watch.send(async () => result);
  const request: SendOptions = {
    method: 'POST',
    url: `https://provider.example/v1/pay/${PHONE}?number=${PHONE}`,
    ...{ body, guard: 'none' },
    ...{ timeout_ms: 1, max_bytes: 1, headers: { authorization: 'Bearer canary-token' } },
  };
  const bare = {
    ...{ name: 'hostile', account_id: 'pa_1', capabilities: {}, offers: () => null, keyOf: (id: string) => id },
    ...{ submit: () => send(request), read: () => send(request) },
  } as unknown as Provider;
  const provider = watch.provider(bare, { environment: 'live', team_id: TEAM });
  assert.deepEqual(await provider.submit({ attempt_id, payer: PHONE } as Collection), result);
  await send(request); // about nothing
  await log.close(DEADLINE_MS);
  return exchangesOf(live.of(TEAM).db, TEAM, [attempt_id], '', 10);
}

const HOSTILE: readonly [name: string, body: string][] = [
  [
    'unknown fields',
    JSON.stringify({ status: 'FAILED', holder: 'canary Awa Traore', PHONE, [PHONE]: 'canary', deep: { msisdn: PHONE } }),
  ],
  ['known fields', JSON.stringify({ id: PHONE, reference: '0701020304', status: 'canary Awa', amount: PHONE, data: [PHONE] })],
  ['HTML', `<html><title>canary ${PHONE}</title></html>`],
  ['binary', `\u0000\u0001\ufffd canary ${PHONE}`],
  ['huge', JSON.stringify({ status: 'x', canary: PHONE.repeat(100_000) })],
  ['a text that ends early', `{"status":"FAILED","holder":"canary ${PHONE}`],
  ['a prototype', `{"__proto__":{"status":"canary"},"constructor":"canary ${PHONE}","status":"FAILED"}`],
];

for (const [i, [name, body]] of HOSTILE.entries()) {
  test(`a response with the payer's data is stored without it: ${name}`, async () => {
    const rows = await exchanged(
      `att_hostile_${i}`,
      JSON.stringify({ amount: '5000', phoneNumber: PHONE, apikey: 'canary' }),
      answered(body, 422),
    );
    assert.equal(rows.length, 1);
    const [row] = rows;
    assert.deepEqual([row?.path, row?.status, row?.response_bytes], ['/v1/pay/…', 422, Buffer.byteLength(body)]);
    assert.equal(row?.request, '{"amount":"5000","phoneNumber":"…","apikey":"…"}');
    const dump = await dumpDatabase(api.deps.stores.live.db);
    for (const secret of ['canary', '0701020304', '701020304', 'Traore']) assert.ok(!dump.includes(secret), secret);
  });
}

test('a request without a response is stored with its reason', async () => {
  const failed: SendResult = {
    kind: 'failed',
    error: 'timeout',
    sent: true,
    detail: `no answer for ${PHONE}`,
    duration_ms: 20_000,
  };
  const [row] = await exchanged('att_failed', '', failed);
  assert.deepEqual([row?.status, row?.error, row?.request, row?.response], [null, 'timeout', null, null]);
});

test('exchanges of another team are not read', async () => {
  const { live } = api.deps.stores;
  const read = (team: bigint) => exchangesOf(live.of(team).db, TEAM, ['att_failed'], '', 10);
  assert.deepEqual([(await read(TEAM)).length, (await read(TEAM + 1n)).length], [1, 0]);
  const n = await live.db.maybe(sql`select count(*)::integer as n from provider_exchanges where team_id = ${TEAM}`);
  assert.deepEqual(n, { n: HOSTILE.length + 1 });
});
