import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { createLog } from '../../src/kit/log.ts';
import { unpack } from '../../src/kit/packing.ts';
import { sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { type Answer, type Api, startApi } from '../setup/api.ts';

/** The week after an upgrade, in which nodes of the release before may look for stored responses with their keys. */
let api: Api;
let owner: DbPool;
before(async () => {
  api = await startApi({ workers: false });
  owner = openPool({ url: api.databases.sandbox, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  await owner.run(
    sql`create or replace function pirogue_answers_apart() returns boolean language sql stable parallel safe return false`,
  );
});
after(async () => {
  await owner.close();
  await api.stop();
});

const customerOf = (key: string) => ({ name: 'Awa', email: `${key}@payer.example` });

const make = (key: string, unknown: object = {}) =>
  api.call('POST', '/customers', { body: { ...customerOf(key), ...unknown }, headers: { 'idempotency-key': key } });

const copies = (key: string) =>
  owner.maybe(sql`
    select k.answer = a.answer as same, k.resource_id = a.resource_id as about_same
    from idempotency_keys k join idempotency_answers a using (team_id, route, key, created_at) where key = ${key}`);

function isReplay(again: Answer, first: Answer): void {
  assert.equal(again.status, 201);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(JSON.stringify(again.body), JSON.stringify(first.body));
}

test('a response is stored with its key too, the same to the byte and about the same object', async () => {
  const first = await make('both');
  assert.equal(first.status, 201);
  assert.deepEqual(await copies('both'), { same: true, about_same: true });
  isReplay(await make('both'), first);
});

test('a response that the release before stored with its key is replayed to the byte', async () => {
  const first = await make('before');
  await owner.run(sql`delete from idempotency_answers where key = 'before'`);
  isReplay(await make('before'), first);
});

test('a response that the release before clears with its key is gone, and its key stays spent', async () => {
  await make('cleared');
  await owner.run(sql`update idempotency_keys set answer = null where key = 'cleared'`);
  assert.equal(await copies('cleared'), undefined);
  const again = await make('cleared');
  assert.equal(again.status, 422);
  assert.match(again.body.message, /data was erased/); // not yet a day old, so that only an erasure clears it
  assert.deepEqual(await owner.all(sql`select from customers where email_key = 'cleared@payer.example'`), [{}]);
});

/** Stores another response of a key than this release did, and repeats its request. */
async function replayOf(key: string, body: object): Promise<Answer> {
  const row = await owner.maybe<{ answer: Buffer }>(sql`select answer from idempotency_answers where key = ${key}`);
  const reply = JSON.parse(unpack(row?.answer as Buffer));
  // Uncompressed JSON is read as it is.
  const answer = Buffer.from(JSON.stringify({ ...reply, body: { ...reply.body, ...body } })).toString('base64');
  await owner.run(sql`update idempotency_answers set answer = decode(${answer}, 'base64') where key = ${key}`);
  // Not by `make`, which compares responses with the document of this release.
  const request = http.request(`${api.url}/customers`, {
    method: 'POST',
    headers: { authorization: api.keys.sandbox.secret, 'idempotency-key': key },
  });
  request.end(JSON.stringify({ ...customerOf(key), zeta: 1 }));
  const [again] = (await once(request, 'response')) as [http.IncomingMessage];
  const headers = new Headers({ 'idempotent-replayed': String(again.headers['idempotent-replayed']) });
  return { status: again.statusCode ?? 0, headers, body: (await json(again)) as Answer['body'] };
}

test('a response that was stored before a field existed is replayed without that field', async () => {
  const first = await make('older', { zeta: 1 }); // with a warning, an optional field that is not the last one
  const { phone: _, ...customer } = first.body.customer;
  isReplay(await replayOf('older', { customer }), { ...first, body: { ...first.body, customer } });
});

test('a response with a field that has another type since is replayed as it is', async () => {
  const first = await make('typed', { zeta: 1 });
  const customer = { ...first.body.customer, name: { first: 'Awa' } };
  const again = await replayOf('typed', { customer });
  assert.equal(again.status, 201);
  assert.deepEqual(again.body, { ...first.body, customer });
});
