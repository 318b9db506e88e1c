import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { sql } from '../../src/kit/sql.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';
import { openLiveShop } from '../setup/live-shop.ts';
import { LinkBrowser, newLink, type Page, payBy } from './browser.ts';

/** Payments through links in live, end to end over a provider's simulator. */
const clock = new FakeClock();
const api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s' } });
const shop = await openLiveShop(api, ['pawapay']);
const { key } = shop;
after(async () => {
  await api.stop();
  await shop.stop();
});
const { db } = api.deps.stores.live;

const linkOf = async (id: string) => (await api.call('GET', `/links/${id}`, { key })).body.link;
const payment = async (id: string) => (await api.call('GET', `/payments/${id}`, { key })).body.transaction;
const idOf = async (link: string) => (await api.call('GET', `/links/${link}/payments`, { key })).body.items[0].id as string;
const counts = async (id: string) => {
  const { payments, payments_open, payments_succeeded, amount_collected } = await linkOf(id);
  return [payments, payments_open, payments_succeeded, amount_collected];
};

async function becomes(id: string, status: string, step_ms = 1_000) {
  return until(
    async () => {
      clock.advance(step_ms);
      return payment(id);
    },
    (transaction) => transaction.status === status,
    60_000,
  );
}

/** Pays on the hosted page that the link led to. */
async function payOn(page: Page, phone = '670100000'): Promise<number> {
  const response = await fetch(page.headers.get('location') as string, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ channel: 'cm.mtn', phone }),
  });
  return response.status;
}

/** What the counters of a link have to be, told from its payments. */
async function recounted(id: string): Promise<unknown[]> {
  const [row] = await db.all<Record<string, bigint>>(sql`
    select count(*) as made, count(*) filter (where status in ('pending', 'processing', 'partial')) as open,
      count(*) filter (where status in ('succeeded', 'refunded', 'partially_refunded')) as succeeded,
      coalesce(sum(amount_minor) filter (where status in ('succeeded', 'refunded', 'partially_refunded')), 0) as minor
    from payments where key_id = ${id}`);
  return [Number(row?.made), Number(row?.open), Number(row?.succeeded), Number(row?.minor) / 100];
}

test('a payer opens the link and pays on the hosted page, and the succeeded payment counts as a use', async () => {
  const { id, url } = await newLink(api, key);
  const page = await payBy(url);
  assert.equal(page.status, 303);
  assert.deepEqual(await counts(id), [1, 1, 0, 0]);
  assert.equal(await payOn(page), 202);
  const paid = await becomes(await idOf(id), 'succeeded');
  assert.deepEqual([paid.metadata, paid.settled], [{ link: id }, true]);
  assert.deepEqual(await counts(id), [1, 0, 1, 1_000]);
  const refund = { payment: paid.id, amount: 500, reason: 'requested_by_customer' };
  assert.equal((await api.call('POST', '/refunds', { key, body: refund })).status, 201);
  await becomes(paid.id, 'partially_refunded');
  assert.deepEqual(await counts(id), [1, 0, 1, 1_000], 'what was collected stays what it was');
});

test('410 after max_uses payments have succeeded; a higher max_uses reopens the link', async () => {
  const { id, url } = await newLink(api, key, { max_uses: 1 });
  await payOn(await payBy(url));
  await becomes(await idOf(id), 'succeeded');
  const page = await new LinkBrowser(url).open();
  assert.equal(page.status, 410);
  assert.match(page.text, /has been used/);
  const less = await api.call('PATCH', `/links/${id}`, { key, body: { max_uses: 1, title: 'The same' } });
  assert.equal(less.status, 200);
  await api.call('PATCH', `/links/${id}`, { key, body: { max_uses: 2 } });
  await payOn(await payBy(url));
  assert.deepEqual(Object.keys((await api.call('PATCH', `/links/${id}`, { key, body: { max_uses: 1 } })).body.errors), [
    'max_uses',
  ]);
  await becomes(await idOf(id), 'succeeded');
  assert.deepEqual(await counts(id), [2, 0, 2, 2_000]);
});

test('40 concurrent payers for 5 uses: five are charged, the others get 409, and never more than five succeed', async () => {
  const { id, url } = await newLink(api, key, { max_uses: 5 });
  const browsers = Array.from({ length: 40 }, () => new LinkBrowser(url));
  await Promise.all(browsers.map((browser) => browser.open()));
  const [first, second] = [browsers.slice(0, 20), browsers.slice(20)];
  const send = (group: LinkBrowser[]) => Promise.all(group.map((browser) => browser.submit({ phone: '670100000' })));
  const pages = await send(first);
  clock.advance(60_000);
  pages.push(...(await send(second)));
  assert.ok(pages.every(({ status }) => status === 303));
  const answers = await Promise.all(pages.map((page, i) => payOn(page, `6701000${String(i).padStart(2, '0')}`)));
  assert.deepEqual(
    [answers.filter((status) => status === 202).length, answers.filter((status) => status === 409).length],
    [5, 35],
  );
  await until(
    async () => {
      clock.advance(1_000);
      return counts(id);
    },
    ([, , succeeded]) => succeeded === 5,
    60_000,
  );
  assert.deepEqual(await counts(id), [40, 35, 5, 5_000]);
  assert.deepEqual(await recounted(id), await counts(id));
  assert.equal((await new LinkBrowser(url).open()).status, 410);
});

test('a payment that ends unpaid no longer counts as open: declined, cancelled by the merchant, expired', async () => {
  const { id, url } = await newLink(api, key, { max_uses: 1 });
  await payOn(await payBy(url), '670000002');
  await becomes(await idOf(id), 'failed');
  assert.deepEqual(await counts(id), [1, 0, 0, 0]);
  clock.advance(60_000);
  await payBy(url);
  assert.equal((await api.call('DELETE', `/payments/${await idOf(id)}`, { key })).status, 200);
  assert.deepEqual(await counts(id), [2, 0, 0, 0]);
  // Ids of one millisecond are in no order.
  clock.advance(1);
  await payBy(url);
  await becomes(await idOf(id), 'expired', 600_000);
  assert.deepEqual(await counts(id), [3, 0, 0, 0]);
  assert.equal((await new LinkBrowser(url).open()).status, 200);
  assert.deepEqual(await recounted(id), await counts(id));
});

test('a success that arrives after the payment failed is reversed and is not a use of the link', async () => {
  const { id, url } = await newLink(api, key, { max_uses: 1 });
  await payOn(await payBy(url), '670000002');
  const failed = await becomes(await idOf(id), 'failed');
  const ref = { team_id: shop.merchant.team.id, id: failed.attempts[0].id };
  const verdict = { as: 'succeeded', evidence: 'statement', author: 'awa' } as const;
  await resolveAttempt(api.deps, api.deps.stores.live, ref, verdict, WORKER);
  assert.deepEqual(await counts(id), [1, 0, 0, 0]);
  assert.deepEqual(await recounted(id), await counts(id));
});

test('payments in progress continue when the link is switched off', async () => {
  const { id, url } = await newLink(api, key);
  const page = await payBy(url);
  await api.call('PATCH', `/links/${id}`, { key, body: { active: false } });
  assert.equal(await payOn(page), 202);
  await becomes(await idOf(id), 'succeeded');
  assert.deepEqual([await counts(id), (await linkOf(id)).status], [[1, 0, 1, 1_000], 'inactive']);
});

test('many payments of two links that end together are counted exactly, without a deadlock', async () => {
  const links = [await newLink(api, key, { amount: 700 }), await newLink(api, key, { amount: 900 })];
  clock.advance(60_000);
  const pages = await Promise.all(Array.from({ length: 24 }, (_, i) => payBy((links[i % 2] as { url: string }).url)));
  assert.ok(pages.every(({ status }) => status === 303));
  // Each from a number of its own: no phone is rung that often.
  const numbers = pages.map((_, i) => (i % 3 === 0 ? `67${i % 8}000001` : `6701001${String(i).padStart(2, '0')}`));
  await Promise.all(pages.map((page, i) => payOn(page, numbers[i])));
  for (const { id } of links) {
    await until(
      async () => {
        clock.advance(500);
        return counts(id);
      },
      ([, open]) => open === 0,
      60_000,
    );
    assert.deepEqual(await counts(id), await recounted(id));
    assert.equal((await counts(id))[0], 12);
  }
});

test('another team gets 404 for the payments of a link, and does not list them', async () => {
  const other = (await api.newMerchant({ verification_level: 1 })).live.secret;
  const { id, url } = await newLink(api, key);
  await payBy(url);
  const { body } = await api.call('GET', '/payments', { key: other });
  assert.deepEqual(body.items, []);
  assert.equal((await api.call('GET', `/links/${id}/payments`, { key: other })).status, 404);
});
