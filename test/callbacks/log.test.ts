import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { symbols } from 'pino';
import { createLog } from '../../src/kit/log.ts';
import { type Api, startApi } from '../setup/api.ts';
import { type LiveShop, openLiveShop } from '../setup/live-shop.ts';

/** The service's own logger, its lines kept in memory instead of printed. */
const log = createLog({ level: 'debug', format: 'json' });
let lines = '';
Object.assign(log, { [symbols.streamSym]: { write: (line: string) => (lines += line) } });

let api: Api;
let shop: LiveShop;
before(async () => {
  api = await startApi({ workers: false, log });
  shop = await openLiveShop(api, ['flutterwave']);
});
after(async () => {
  await shop?.stop();
  await api?.stop();
});

test('a refused callback is logged without the secret and the data that it carried', async () => {
  const account = String(shop.accounts.flutterwave?.id);
  const headers = { 'content-type': 'application/json', 'verif-hash': 'hash-of-yesterday', 'x-token': 'token-of-yesterday' };
  const body = JSON.stringify({ data: { tx_ref: 'ref-of-yesterday', customer: { email: 'awa@yesterday.example' } } });
  const answer = await fetch(`${api.url}/_callbacks/${account}?key=key-of-yesterday`, { method: 'POST', headers, body });
  assert.equal(answer.status, 401);
  await answer.arrayBuffer();
  const [line] = lines.split('\n').filter((one) => one.includes('wrong signature'));
  assert.ok(line?.includes(account), 'the refusal names the account');
  assert.doesNotMatch(lines, /yesterday/);
});
