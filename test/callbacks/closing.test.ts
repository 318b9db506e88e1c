import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { callbackPages } from '../../src/edge/callbacks/pages.ts';
import { buildServer } from '../../src/edge/http/server.ts';
import { newId } from '../../src/kit/ids.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { ExchangeLog } from '../../src/providers/exchanges/log.ts';
import { callbackUrl } from '../../src/providers/provider-accounts/callback-address.ts';
import { type Api, startApi } from '../setup/api.ts';
import { type LiveShop, openLiveShop } from '../setup/live-shop.ts';

let api: Api;
let shop: LiveShop;
before(async () => {
  api = await startApi({ workers: false });
  shop = await openLiveShop(api, ['flutterwave']);
});
after(async () => {
  await shop?.stop();
  await api?.stop();
});

test('a callback that is stored after its answer is stored before the server has closed, and is not lost', async () => {
  const { sandbox, live } = api.deps.stores;
  let lost = 0;
  const exchangeLog = new ExchangeLog({ sandbox: sandbox.db, live: live.db }, (_, rows) => {
    lost += rows;
  });
  const deps = { ...api.deps, exchangeLog, service: { leaving: false } };
  const server = buildServer(deps, [], [callbackPages(deps)]);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const owner = openPool({ url: api.databases.live, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  const id = newId('rtn', 'live', Date.now());
  const { pathname } = new URL(callbackUrl(api.deps, String(shop.accounts.flutterwave?.id), id));
  let closed = Promise.resolve();
  await owner.transaction(async (tx) => {
    // What a callback about a return is stored with is read once it was answered.
    await tx.run(sql`lock table returns in access exclusive mode`);
    const answer = await fetch(url + pathname, { method: 'POST', headers: { 'verif-hash': 'wrong' }, body: '{}' });
    assert.equal(answer.status, 401);
    await answer.arrayBuffer();
    deps.service.leaving = true;
    closed = server.close().then(() => exchangeLog.close(30_000));
    await Promise.race([closed, sleep(500)]);
  });
  await closed;
  const rows = await live.db.all(sql`select callback from provider_exchanges where subject_id = ${id}`);
  assert.deepEqual([rows, lost], [[{ callback: 'forged' }], 0]);
  await owner.close();
});
