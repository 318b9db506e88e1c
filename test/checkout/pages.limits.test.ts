import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { newPayment } from './payer.ts';

const clock = new FakeClock();
let api: Api;
/** Secret key of a verified merchant in live. */
let key: string;
before(async () => {
  // Without workers, only requests read the databases.
  api = await startApi({ clock, workers: false });
  key = (await api.newMerchant({ verification_level: 3 })).live.secret;
});
after(() => api.stop());

async function newInvoice(): Promise<string> {
  const customer = { name: 'Awa Ngo', email: 'awa@buyers.example' };
  const body = { items: [{ name: 'Mangoes', unit_price: 2000 }], currency: 'XAF', customer };
  const draft = await api.call('POST', '/invoices', { key, body });
  assert.equal(draft.status, 201, JSON.stringify(draft.body));
  const sent = await api.call('POST', `/invoices/${draft.body.invoice.id}/send`, { key });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  return sent.body.invoice.url;
}

async function newOnboarding(): Promise<string> {
  const body = { name: 'Boutique Awa', email: 'awa@shop.example' };
  const { id } = (await api.call('POST', '/accounts', { key, body })).body.account;
  return (await api.call('POST', `/accounts/${id}/onboarding`, { key })).body.onboarding.url;
}

async function open(url: string, sent: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, { redirect: 'manual', ...sent });
  await response.arrayBuffer();
  return response;
}

/** Returns the status of the page and how many stores were opened for it. */
async function readsOf(url: string, sent: RequestInit = {}): Promise<{ status: number; reads: number }> {
  const { live } = api.deps.stores;
  const { of } = live;
  let reads = 0;
  live.of = (team_id) => {
    reads += 1;
    return of(team_id);
  };
  try {
    return { status: (await open(url, sent)).status, reads };
  } finally {
    live.of = of;
  }
}

const PAGES: [what: string, limit: number, make: () => Promise<string>, paths: string[]][] = [
  ['one payment', 300, async () => (await newPayment(api, {}, key)).url, ['', '/status']],
  ['one invoice', 300, newInvoice, ['']],
  ['one account’s onboarding link', 60, newOnboarding, ['']],
];

for (const [what, limit, make, paths] of PAGES) {
  test(`429 for more than ${limit} requests for the pages of ${what} in a minute, before the database is read; others go on`, async () => {
    clock.advance(60_000);
    const [page, other] = [await make(), await make()];
    for (let i = 0; i < limit - 1; i++) assert.equal((await open(page + paths[i % paths.length])).status, 200, String(i));
    const last = await readsOf(page);
    assert.deepEqual([last.status, last.reads > 0], [200, true]);
    for (const path of paths) assert.deepEqual(await readsOf(page + path), { status: 429, reads: 0 }, path);
    const text = await (await fetch(page)).text();
    assert.match(text, /Please wait a minute, then reload the page to see the current status\./);
    assert.doesNotMatch(text, /Nothing was paid/);
    assert.equal((await open(other)).status, 200);
    clock.advance(60_000);
    assert.equal((await open(page)).status, 200);
  });
}

const SUBMITS: [what: string, limit: number, make: () => Promise<string>][] = [
  ['a payment', 30, async () => (await newPayment(api, {}, key)).url],
  ['an invoice', 20, newInvoice],
];

for (const [what, limit, make] of SUBMITS) {
  test(`429 for more than ${limit} submits of ${what} in a minute, before the database is read`, async () => {
    clock.advance(60_000);
    const page = await make();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const submit = { method: 'POST', headers, body: 'amount=none' };
    const foreign = { ...submit, headers: { ...headers, 'sec-fetch-site': 'cross-site' } };
    for (let i = 0; i < limit; i++) {
      assert.equal((await open(page, foreign)).status, 403);
      assert.notEqual((await open(page, submit)).status, 429, 'what another site sends is not counted');
    }
    assert.deepEqual(await readsOf(page, submit), { status: 429, reads: 0 });
    assert.equal((await open(page)).status, 200, 'looking is free');
  });
}

test('429 for the status of a payment is JSON with the time of the next allowed request', async () => {
  clock.advance(60_000);
  const { url } = await newPayment(api, {}, key);
  for (let i = 0; i < 300; i++) await open(`${url}/status`);
  const response = await fetch(`${url}/status`, { headers: { accept: 'application/json' } });
  const { code } = (await response.json()) as { code: number };
  assert.deepEqual([response.status, code], [429, 429]);
  assert.ok(Number(response.headers.get('retry-after')) > 0);
});
