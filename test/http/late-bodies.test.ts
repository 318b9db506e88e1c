import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { KEY_CACHE_MS } from '../../src/tenants/keys/service.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';

/** Requests whose body comes long after their headers. */
const clock = new FakeClock();
let api: Api;
before(async () => {
  api = await startApi({ workers: false, clock });
});
after(() => api.stop());

const BODY = JSON.stringify({ amount: 1_000, currency: 'XAF', phone: '1' });

/**
 * Sends the headers of POST /payments and, when they were admitted and `meanwhile` has happened, the body. Returns the answer.
 * @param before happens when the process knows the key, before the headers are sent
 */
async function post(
  key: string,
  meanwhile: () => Promise<unknown>,
  before: () => Promise<unknown> = async () => undefined,
): Promise<{ status: number; body: { transaction?: { id: string } } }> {
  // The key is known to the process, so that the headers are admitted before the answer to Expect.
  assert.equal((await api.call('GET', '/payments', { key })).status, 200);
  await before();
  const socket = net.connect(api.config.port, '127.0.0.1').setEncoding('utf8');
  let got = '';
  socket.on('data', (text) => {
    got += text;
  });
  const until = async (what: RegExp) => {
    while (!what.test(got)) await new Promise((resolve) => socket.once('data', resolve));
  };
  socket.write(
    `POST /payments HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: ${BODY.length}\r\n\r\n`,
  );
  await until(/100 Continue\r\n\r\n/);
  await meanwhile();
  socket.write(BODY);
  await until(/\}$/);
  socket.destroy();
  const [head = '', body = ''] = got.replace(/^.*?100 Continue\r\n\r\n/s, '').split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body: JSON.parse(body) };
}

/** Revokes the keys of other merchants. */
function revoke(): Promise<number> {
  return api.control.run(
    sql`update api_keys set revoked_at = ${new Date(clock.now())} where revoked_at is null and team_id <> ${api.team.id}`,
  );
}

test('a key that is revoked before the body has come is refused', async () => {
  const { sandbox } = await api.newMerchant();
  const { status } = await post(sandbox.secret, async () => {
    await revoke();
    clock.advance(20_000);
  });
  assert.equal(status, 401);
});

test('a key is refused a second after its end, also when its headers were admitted from the cache', async () => {
  const { sandbox } = await api.newMerchant();
  const before = async () => {
    await revoke();
    clock.advance(KEY_CACHE_MS - 1);
  };
  const { status } = await post(sandbox.secret, async () => clock.advance(1_001 - KEY_CACHE_MS), before);
  assert.equal(status, 401);
});

test('a payment whose body has come late is as old as its body, so that the total of the list counts it', async () => {
  const total = async () => (await api.call('GET', '/payments')).body.meta.total;
  const before = await total();
  const { status, body } = await post(api.keys.sandbox.secret, async () => {
    clock.advance(70_000);
    await total();
  });
  assert.equal(status, 201);
  assert.equal(await total(), before + 1);
  const { created_at } = (await api.call('GET', `/payments/${body.transaction?.id}`)).body.transaction;
  assert.equal(Date.parse(created_at), clock.now());
});
