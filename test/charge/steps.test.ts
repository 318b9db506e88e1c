import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { type Api, FakeClock, startApi, until } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import { Scripted } from '../setup/scripted.ts';

/** A one-time code that is sent under an Idempotency-Key. */
const CODED = { kind: 'accepted', provider_ref: 'p', next: { kind: 'otp' }, poll_after_ms: 60_000 } as const;
const clock = new FakeClock();
const provider = new Scripted();
let api: Api;
before(async () => {
  api = await startApi({ clock, workers: false, providers: new Registry({ sandbox: [provider], live: [] }) });
});
after(() => api.stop());
afterEach(() => provider.reset());

async function waitingForCode(): Promise<string> {
  clock.advance(1);
  const { id } = (await api.call('POST', '/payments', { body: { amount: 1000, currency: 'XAF', phone: '1' } })).body.transaction;
  provider.submission = CODED;
  await api.call('POST', `/payments/${id}`, { body: { channel: 'cm.mtn', data: { phone: '650000000' } } });
  return id;
}
const send = (id: string, key: string, otp = '123456') =>
  api.call('POST', `/payments/${id}`, {
    body: { channel: 'cm.mtn', data: { phone: '650000000', otp } },
    headers: { 'idempotency-key': key },
  });
const dropAnswer = (key: string) => api.deps.stores.sandbox.db.run(sql`delete from idempotency_answers where key = ${key}`);

test('202 for a repeated code: the same response, and the provider receives the code once', async () => {
  const id = await waitingForCode();
  const first = await send(id, 'code');
  assert.deepEqual([first.status, first.body.action.kind], [202, 'confirm']);
  const second = await send(id, 'code');
  assert.deepEqual([second.status, second.body, second.headers.get('idempotent-replayed')], [202, first.body, 'true']);
  assert.equal(provider.continued.length, 1);
  assert.equal((await send(id, 'code', '654321')).status, 422, 'another code is another request');
});

test('202 for ten concurrent requests with one key: the provider receives the code once', async () => {
  const id = await waitingForCode();
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(id, 'ten')));
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(10).fill(202),
  );
  assert.equal(provider.continued.length, 1);
});

test('202 for a request that finds the code already taken by a concurrent request with its key', async (t) => {
  const id = await waitingForCode();
  const first = await send(id, 'overtaken');
  const owner = openPool({ url: api.databases.sandbox, size: 2, log: createLog({ level: 'silent', format: 'json' }) });
  t.after(() => owner.close());
  const key = await owner.maybe<{ row: string }>(sql`
    with gone as (delete from idempotency_keys where key = 'overtaken' returning *) select to_jsonb(gone)::text as row from gone`);
  const second = await owner.transaction(async (tx) => {
    // The second request finds no key, then waits here for the attempts of the payment; meanwhile the first one commits.
    await tx.run(sql`lock table attempts in access exclusive mode`);
    await tx.run(
      sql`insert into idempotency_keys select * from jsonb_populate_record(null::idempotency_keys, ${key?.row}::jsonb)`,
    );
    const overtaken = send(id, 'overtaken');
    await until(
      () => owner.all(sql`select 1 from pg_locks where relation = 'attempts'::regclass and not granted`),
      (waiting) => waiting.length > 0,
    );
    return { overtaken };
  });
  const { status, body } = await second.overtaken;
  assert.deepEqual([status, body], [202, first.body]);
  assert.equal(provider.continued.length, 1);
});

test('502 does not consume the key: the code can be sent again with it', async () => {
  const id = await waitingForCode();
  provider.further = { kind: 'unavailable', message: 'closed' };
  assert.equal((await send(id, 'later')).status, 502);
  provider.reset();
  assert.equal((await send(id, 'later')).status, 202);
});

test('202 after a crash that follows the response of the provider: rebuilt from the attempt', async () => {
  const id = await waitingForCode();
  await send(id, 'crashed');
  await dropAnswer('crashed');
  const { status, body } = await send(id, 'crashed');
  assert.deepEqual([status, body.action.kind, provider.continued.length], [202, 'confirm', 1]);
});

test('202 after a crash before the provider received the code: a minute later the same key sends it', async () => {
  const id = await waitingForCode();
  provider.further = CODED;
  await send(id, 'unheard');
  await dropAnswer('unheard');
  provider.further = { ...CODED, next: { kind: 'confirm' } };
  clock.advance(60_000);
  const { status, body } = await send(id, 'unheard');
  assert.deepEqual([status, body.action.kind, provider.continued.length], [202, 'confirm', 2]);
});
