import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Payer } from '../checkout/payer.ts';
import { checkBooks } from '../faults/books.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';
import { openLiveShop } from '../setup/live-shop.ts';
import { newLink, payBy } from './browser.ts';

/** Another try after a decline on the page of a link's payment: on for every team, without a setting. */
const clock = new FakeClock();
const api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s' } });
const shop = await openLiveShop(api, ['pawapay']);
const { key } = shop;
after(async () => {
  await api.stop();
  await shop.stop();
});

const DECLINED = { channel: 'cm.mtn', phone: '670000002' };
const STUCK = { channel: 'cm.mtn', phone: '653456129' };
const get = async (id: string) => (await api.call('GET', `/payments/${id}`, { key })).body.transaction;
const counts = async (id: string) => {
  const { link } = (await api.call('GET', `/links/${id}`, { key })).body;
  return [link.payments, link.payments_open, link.payments_succeeded, link.amount_collected];
};
const becomes = (id: string, status: string) =>
  until(
    async () => {
      clock.advance(1_000);
      return get(id);
    },
    (payment) => payment.status === status,
    60_000,
  );
let number = 0;
/** A number of its own for each test: a phone is prompted a few times only. */
const paying = () => ({ channel: 'cm.mtn', phone: `6701002${String(number++).padStart(2, '0')}` });

/** A link whose payment was declined, and the payer's browser on the page of that payment. */
async function declined(fields: object = {}, phone = DECLINED.phone) {
  const link = await newLink(api, key, fields);
  const page = await payBy(link.url);
  const payer = new Payer(page.headers.get('location') as string);
  await payer.get();
  assert.equal((await payer.submit({ ...DECLINED, phone })).status, 303);
  const id = (await api.call('GET', `/links/${link.id}/payments`, { key })).body.items[0].id as string;
  await becomes(id, 'failed');
  await payer.offered(clock);
  return { link, payer, id };
}

test('the payer tries again and pays; the link is used once', async () => {
  const { link, payer, id } = await declined({ max_uses: 1 });
  assert.deepEqual(await counts(link.id), [1, 0, 0, 0]);
  const fields = paying();
  const answers = await Promise.all(Array.from({ length: 6 }, () => payer.submit(fields)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([303]));
  const second = await becomes((await get(id)).retried_by, 'succeeded');
  assert.deepEqual([second.retry_of, second.metadata, second.attempts.length], [id, { link: link.id }, 1]);
  assert.deepEqual(await counts(link.id), [2, 0, 1, 1_000]);
  assert.deepEqual(await checkBooks(api.deps.stores.live.db), []);
});

test('no other try once the link was switched off', async () => {
  const { link, payer } = await declined();
  await api.call('PATCH', `/links/${link.id}`, { key, body: { active: false } });
  assert.doesNotMatch((await payer.get()).body, /<form/);
  assert.equal((await payer.json(paying())).status, 400);
  assert.deepEqual(await counts(link.id), [1, 0, 0, 0]);
});

test('409 while another payer holds the last use of the link, and no payment is made for it', async () => {
  const { link, payer, id } = await declined({ max_uses: 1 });
  const other = new Payer((await payBy(link.url)).headers.get('location') as string);
  assert.equal((await other.json(STUCK)).status, 202);
  const full = await payer.submit(paying());
  assert.deepEqual([full.status, /role="alert"/.test(full.body), /<form/.test(full.body)], [409, true, true]);
  assert.equal((await get(id)).retried_by, null);
  assert.deepEqual(await counts(link.id), [2, 1, 0, 0]);
});

test('no other try once the last use of the link was paid', async () => {
  const { link, payer } = await declined({ max_uses: 1 });
  const other = new Payer((await payBy(link.url)).headers.get('location') as string);
  assert.equal((await other.json(paying())).status, 202);
  await until(
    async () => {
      clock.advance(1_000);
      return counts(link.id);
    },
    ([, , succeeded]) => succeeded === 1,
    60_000,
  );
  assert.doesNotMatch((await payer.get()).body, /<form/);
  assert.equal((await payer.json(paying())).status, 400);
  assert.deepEqual(await counts(link.id), [2, 0, 1, 1_000]);
});

test('the prompts of a phone count through all payments of a chain, and of the next chain', async () => {
  const phone = '678000002';
  const statuses: number[] = [];
  for (const tries of [5, 3]) {
    let { payer, id } = await declined({}, phone);
    for (let i = 0; i < tries; i++) {
      await payer.offered(clock);
      const answer = await payer.submit({ ...DECLINED, phone });
      statuses.push(answer.status);
      if (answer.status !== 303) break;
      id = (await get(id)).retried_by;
      await becomes(id, 'failed');
      const next = new Payer(new URL(answer.headers.get('location') as string, api.url).href);
      next.cookie = payer.cookie;
      payer = next;
    }
  }
  // With the first of each chain, the eighth prompt of the hour is the last one.
  assert.deepEqual(statuses, [303, 303, 303, 303, 303, 303, 429]);
});
