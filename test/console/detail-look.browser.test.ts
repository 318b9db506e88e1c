import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { axeFaults } from '../pages/axe.ts';
import { keepPicture } from '../pages/pictures.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { type Found, openBrowser } from '../setup/browser.ts';
import { type LiveShop, openLiveShop } from '../setup/live-shop.ts';
import { type Receiver, startReceiver } from '../setup/receiver.ts';
import { browsingAs, LOOKS } from './browsing.ts';
import { type Person, signedIn } from './people.ts';

/** Pages that show what happened in detail: requests, exchanges with providers and their callbacks, and events that are sent again. */
const MAX_PAGE_BYTES = 40_000;
const PHONE = '+237650000000';

const found: Found = await openBrowser();
const skip = found.missing ?? false;
let api: Api;
let shop: LiveShop;
let receiver: Receiver;
let owner: Person;
let base: string;
let ids: { payment: string; payout: string; endpoint: string };

before(async () => {
  receiver = await startReceiver();
  // The receiver keeps deliveries waiting until a browser has drawn a page.
  const env = { WEBHOOK_TIMEOUT_MS: '60000', PROVIDER_EXCHANGES: 'on', REQUEST_LOG: '1000', HOLD_MOBILE_MONEY: '0s' };
  api = await startApi({ env });
  shop = await openLiveShop(api, ['pawapay']);
  owner = await signedIn(api, 'owner', shop.merchant.team, 'Awa Ndiaye');
  base = `/console/${shop.merchant.team.id}`;
  // pawaPay's keys are read when its first callback comes; those that follow are verified.
  await untilShown(`/live/payments/${await paid()}`, ['POST /_callbacks/']);
  const payment = await paid();
  const refund = { payment, amount: 1_000, reason: 'requested_by_customer' };
  await ended(`/refunds/${(await call('POST', '/refunds', refund)).refund.id}`, 'refund');
  const transfer = { amount: 500, currency: 'XAF', channel: 'cm.mtn', recipient: PHONE };
  const payout = (await call('POST', '/transfers', transfer)).transfer.id;
  await ended(`/transfers/${payout}`, 'transfer');
  // Callbacks come, and are stored, after what they are about has ended.
  await untilShown(`/live/payments/${payment}`, ['POST /v2/refunds', 'POST /_callbacks/', 'Signature valid']);
  await untilShown(`/live/payouts/${payout}`, ['POST /v2/payouts', 'POST /_callbacks/']);
  await call('POST', '/payments', { amount: '25 000', currency: 'XAF' });
  await until(
    () => owner.get(`${base}/live/developers/requests?status=4xx`),
    ({ text }) => text.includes('422'),
  );
  ids = { payment, payout, endpoint: await endpoint('/shown') };
  // Deliveries of the next hour: they wait as long as this test lasts.
  await api.deps.stores.sandbox.db.run(sql`
    with e as (
      update webhook_endpoints set resend_started_at = pirogue_now() + interval '1 hour', resend_events = 1840
      where id = ${ids.endpoint} returning team_id, id, resend_started_at
    )
    insert into deliveries (team_id, endpoint_id, event_id, due_at)
    select team_id, id, 'evt_x', resend_started_at + interval '1265 milliseconds' from e`);
});
after(async () => {
  await found.browser?.close();
  await shop.stop();
  await api.stop();
  await receiver.close();
});

const call = async (method: string, path: string, body?: object, key = shop.key) =>
  (await api.call(method, path, { key, ...(body ? { body } : {}) })).body;

/** Calls in the sandbox, where an endpoint may be on this machine. */
const rehearse = (method: string, path: string, body: object) => call(method, path, body, shop.merchant.sandbox.secret);

const ended = (path: string, name: string) =>
  until(
    () => call('GET', path),
    (body) => body[name].status === 'succeeded',
  );

const untilShown = (path: string, parts: readonly string[]) =>
  until(
    () => owner.get(base + path),
    ({ text }) => parts.every((part) => text.includes(part)),
  );

async function paid(): Promise<string> {
  const { id } = (await call('POST', '/payments', { amount: 5_000, currency: 'XAF', phone: PHONE, reference: 'CMD-118' }))
    .transaction;
  await call('POST', `/payments/${id}`, { channel: 'cm.mtn', data: { phone: PHONE } });
  await ended(`/payments/${id}`, 'transaction');
  return id;
}

const endpoint = async (path: string) =>
  (await rehearse('POST', '/webhooks', { url: receiver.url + path, events: ['customer.*'] })).webhook.id as string;

/** Pages by the name of their picture, with what each must show. */
const PAGES: Record<string, { path: () => string; shows: readonly string[] }> = {
  'console-requests': {
    path: () => '/live/developers/requests?method=POST',
    shows: ['POST /payments 422', 'POST /refunds 201', 'POST /transfers 201'],
  },
  'console-exchanges': {
    path: () => `/live/payments/${ids.payment}`,
    shows: ['POST /v2/deposits', 'POST /v2/refunds', 'POST /_callbacks/pa_', 'Signature valid'],
  },
  'console-payout-exchanges': { path: () => `/live/payouts/${ids.payout}`, shows: ['POST /v2/payouts', 'POST /_callbacks/pa_'] },
  'console-resend': { path: () => `/sandbox/developers/endpoints/${ids.endpoint}`, shows: ['1,264', '1,840'] },
};

/** Those of the documentation; the others are looked at. */
const KEPT = ['console-requests', 'console-exchanges', 'console-resend'];

for (const [name, { path, shows }] of Object.entries(PAGES)) {
  for (const { ending, width, colorScheme, locale } of LOOKS) {
    test(`${name}${ending}: complete, accessible, small, and fits its window`, { skip }, async () => {
      const { context, page, complaints } = await browsingAs(owner, found, {
        viewport: { width, height: 900 },
        colorScheme,
        locale,
      });
      const answer = await page.goto(api.url + base + path());
      assert.equal(answer?.status(), 200);
      const { responseBodySize } = (await answer?.request().sizes()) ?? { responseBodySize: 0 };
      assert.ok(responseBodySize > 0 && responseBodySize <= MAX_PAGE_BYTES, `${responseBodySize} bytes`);
      await page.evaluate("for (const one of document.querySelectorAll('.timeline details')) one.open = true");
      const main = (await page.locator('main').innerText()).replaceAll(/(\d)[\u202f\u00a0](\d)/g, '$1,$2');
      const text = main.replaceAll(/\s+/g, ' ');
      for (const shown of shows) assert.ok(text.includes(shown), `${shown} in ${text}`);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(overflow) <= 0, `${overflow} px too wide`);
      assert.deepEqual(await axeFaults(page), []);
      assert.deepEqual(complaints, []);
      // Of what was opened, a picture has the callbacks.
      await page.evaluate(
        "for (const one of document.querySelectorAll('.timeline details')) one.open = /_callbacks/.test(one.innerText)",
      );
      if (process.env.PICTURES !== 'docs/pictures' || (ending === '' && KEPT.includes(name)))
        await keepPicture(page, name + ending);
      await context.close();
    });
  }
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'by itself' : 'without script by a link';
  test(`how many events were sent again is shown ${how}`, { skip }, async () => {
    const path = `/again-${javaScriptEnabled}`;
    const id = await endpoint(path);
    const name = `${javaScriptEnabled}`;
    for (const n of [1, 2, 3]) await rehearse('POST', '/customers', { name: `Awa ${n}`, email: `${name}-${n}@payer.example` });
    const delivered = () => receiver.received.filter((one) => one.path === path).length;
    await until(
      async () => delivered(),
      (n) => n === 3,
    );
    // The receiver does not answer until the page was seen.
    const waiting: ServerResponse[] = [];
    receiver.behave((response) => void waiting.push(response), path);
    const { context, page, complaints } = await browsingAs(owner, found, { locale: 'en-GB', javaScriptEnabled });
    const address = `${api.url}${base}/sandbox/developers/endpoints/${id}`;
    await page.goto(address);
    await page.getByText('Send events again').click();
    await page.getByLabel('Type').selectOption('customer.created');
    await page.getByRole('button', { name: 'Send again' }).click();
    const status = page.locator('.progress');
    await status.getByText(/^0 of \d+ sent\.$/).waitFor();
    if (javaScriptEnabled) await page.evaluate('window.same = true');
    receiver.behave(200, path);
    for (const response of waiting) response.writeHead(200).end('ok');
    const all = status.getByText(/^(\d+) of \1 sent\. All were sent\. The responses are below\.$/);
    if (javaScriptEnabled) await all.waitFor();
    else {
      await until(
        async () => {
          const link = page.getByRole('link', { name: 'Refresh' });
          if ((await link.count()) > 0) await link.click();
          return all.count();
        },
        (n) => n === 1,
      );
    }
    assert.equal(await page.getByRole('link', { name: 'Refresh' }).count(), 0);
    if (javaScriptEnabled) assert.equal(await page.evaluate('window.same'), true, 'the page was not loaded again');
    assert.deepEqual(complaints, []);
    await context.close();
  });
}
