import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openHosted } from '../../src/core/charge/hosted.ts';
import { retryPayment } from '../../src/edge/checkout/retry.ts';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { newPayment, Payer } from './payer.ts';
import { CALLBACK, DECLINED, PAID, Retries } from './retries.ts';

/** Another try on the hosted page after a decline, for payments that the API created. */
const clock = new FakeClock();
let api: Api;
let retries: Retries;
before(async () => {
  api = await startApi({ clock });
  retries = new Retries(api, clock, await api.newMerchant({ hosted_retry: true }));
});
after(() => api.stop());

const get = (id: string) => retries.get(id);
const becomes = (id: string, status: string) => retries.becomes(id, status);
const declined = (...given: Parameters<Retries['declined']>) => retries.declined(...given);
const follow = (payer: Payer, location: string | null) => retries.follow(payer, location);
const listed = async () => (await api.call('GET', '/payments?per_page=100', { key: retries.key })).body.items as { id: string }[];

test('after a decline the payer pays with another number: a payment of its own, with the same order', async () => {
  const { id, payer } = await declined();
  const page = await payer.get('', { 'accept-language': 'en' });
  assert.equal(page.status, 200);
  assert.match(page.body, /Payment didn’t go through\..*Nothing was charged/s);
  assert.match(page.body, /href="https:\/\/shop\.example\/thanks\?cart=7&amp;id=trx_test_\w+&amp;reference=order-7/);
  const before = await get(id);
  const answer = await payer.submit(PAID);
  assert.equal(answer.status, 303);
  const first = await get(id);
  const second = await becomes(first.retried_by, 'succeeded');
  assert.deepEqual([first.status, first.reason, first.retry_of], ['failed', 'insufficient_funds', null]);
  assert.deepEqual([second.retry_of, second.retried_by], [id, null]);
  for (const field of ['reference', 'amount', 'currency', 'customer', 'metadata', 'callback', 'description', 'expires_at'])
    assert.deepEqual(second[field], before[field], field);
  assert.notEqual(second.customer, null);
  const done = await follow(payer, answer.headers.get('location'));
  const { body } = await done.get('', { 'accept-language': 'en' });
  assert.match(body, new RegExp(`id=${second.id}&amp;reference=order-7&amp;trxref=${second.id}&amp;status=succeeded`));
});

test('the old address leads to the last payment, whoever opens it; only the browser that paid keeps the page', async () => {
  const { id, payer, url } = await declined();
  const answer = await payer.submit(DECLINED);
  const second = await follow(payer, answer.headers.get('location'));
  const last = await second.submit(DECLINED);
  const location = last.headers.get('location');
  const own = new Payer(url);
  own.cookie = payer.cookie;
  const led = await own.get();
  assert.deepEqual([led.status, led.headers.get('location')], [303, location]);
  assert.match(own.setCookie ?? '', new RegExp(`Path=${location?.replaceAll('.', '\\.')};`));
  assert.equal(own.cookie, payer.cookie, 'the same secret through the whole chain');
  const other = new Payer(url);
  const shown = await other.get();
  assert.deepEqual([shown.headers.get('location'), other.cookie], [location, null]);
  const page = await (await follow(other, location)).get();
  assert.doesNotMatch(page.body, /<form/, 'another browser is offered nothing');
  const { retried_by } = await get(id);
  assert.equal((await get(retried_by)).retry_of, id);
});

test('events carry the chain: payment.created of the second names the first, payment.failed of the first is as ever', async () => {
  const { id, payer } = await declined();
  await payer.submit(PAID);
  const { retried_by } = await get(id);
  await becomes(retried_by, 'succeeded');
  const { body } = await api.call('GET', '/events?per_page=100', { key: retries.key });
  const of = (resource: string) =>
    body.items.filter(({ data }: { data: { id: string } }) => data.id === resource).map((e: { event: string }) => e.event);
  assert.deepEqual(of(id).sort(), ['payment.created', 'payment.failed']);
  assert.deepEqual(of(retried_by).sort(), ['payment.created', 'payment.processing', 'payment.succeeded']);
  const succeeded = body.items.find(
    ({ data, event }: { event: string; data: { id: string } }) => data.id === retried_by && event === 'payment.succeeded',
  );
  assert.deepEqual(succeeded.data, await get(retried_by));
  assert.equal(succeeded.data.retry_of, id);
});

test('a reload of a submit, and a script that sends it again, are led to the payment that followed', async () => {
  const { id, payer } = await declined();
  const cookie = payer.cookie;
  await payer.submit(PAID);
  const { retried_by } = await get(id);
  payer.cookie = cookie;
  const again = await payer.json(PAID);
  assert.deepEqual([again.status, again.body.transaction.id], [200, retried_by]);
  assert.equal((await listed()).filter((payment) => payment.id === retried_by).length, 1);
});

test('a browser that does not hold the payment which followed learns nothing of it from a submit to the old address', async () => {
  const { id, payer, url } = await declined();
  await payer.submit(PAID);
  const { retried_by } = await get(id);
  const stranger = new Payer(url);
  await stranger.get();
  for (const body of [{}, PAID, { phone: '650000009' }]) {
    const answer = await stranger.json(body);
    assert.deepEqual([answer.status, answer.body.transaction], [403, undefined]);
    assert.doesNotMatch(JSON.stringify(answer.body), new RegExp(`${retried_by}|cart`));
  }
  const led = await stranger.submit(PAID);
  assert.deepEqual([led.status, led.body], [303, ''], 'a page shows the payment as it shows it to all');
  assert.equal((await get(retried_by)).attempts.length, 1);
});

test('a try whose charge was rejected before it was stored keeps no other browser out; the first that is charged holds the page', async () => {
  const { id, payer, url, token } = await declined({ phone: '+237677123456' });
  // As when a limit rejects the charge, or the process ends here.
  const hosted = must(await openHosted(api.deps, token), 'the token is ours');
  await retryPayment(api.deps, hosted, payer.cookie?.split('=')[1] ?? '', 'req_1');
  const { retried_by } = await get(id);
  const location = (await payer.get()).headers.get('location');
  const first = await follow(payer, location);
  assert.equal((await new Payer(url).json(PAID)).status, 403, 'a script at the old address still learns nothing');
  const other = await follow(new Payer(url), location);
  const pages = [(await first.get()).body, (await other.get()).body].map((page) => page.replaceAll(/\s|&nbsp;/g, ''));
  assert.deepEqual(
    pages.map((page) => [page.includes('<form'), page.includes('677123456')]),
    [
      [true, true],
      [true, false],
    ],
  );
  assert.equal((await other.submit(PAID)).status, 303);
  assert.equal((await first.json({ ...PAID, phone: '650000007' })).status, 403);
  assert.equal((await becomes(retried_by, 'succeeded')).attempts.length, 1);
});

test('a script gets the new payment in the answer: 202, and 402 with the reason when it is declined', async () => {
  const { id, payer } = await declined();
  const refused = await payer.json(DECLINED);
  assert.deepEqual([refused.status, refused.body.error_code], [402, 'insufficient_funds']);
  const { retried_by } = await get(id);
  const token = payer.setCookie?.match(/Path=(\S+);/)?.[1] ?? null;
  const second = await follow(payer, token);
  const accepted = await second.json(PAID);
  assert.equal(accepted.status, 202);
  assert.equal((await get(retried_by)).retried_by, accepted.body.transaction.id);
});

test('five more payments at most; the page of the sixth leads back to the shop', async () => {
  let { id, payer } = await declined();
  for (let tries = 1; tries <= 5; tries++) {
    const answer = await payer.submit(DECLINED);
    id = (await get(id)).retried_by;
    assert.equal((await get(id)).status, 'failed');
    payer = await follow(payer, answer.headers.get('location'));
  }
  const page = await payer.get('', { 'accept-language': 'en' });
  assert.doesNotMatch(page.body, /<form/);
  assert.match(page.body, /Nothing was charged\. Go back to/);
  assert.equal((await payer.json(PAID)).status, 400);
  assert.equal((await get(id)).retried_by, null);
});

test('bad input makes no payment: the form is shown again with the error', async () => {
  const { id, payer } = await declined();
  const page = await payer.submit({ channel: 'cm.mtn', phone: '1' });
  assert.equal(page.status, 422);
  assert.match(page.body, /aria-invalid="true"/);
  assert.equal((await get(id)).retried_by, null);
  assert.equal((await payer.submit({ ...PAID, form_token: 'x' })).status, 403);
  assert.equal((await get(id)).retried_by, null);
});

test('a payer who refused the charge on the phone may try again; a payment that the merchant cancelled or that expired is over', async () => {
  const { id, payer } = await declined({}, { channel: 'cm.mtn', phone: '650000004' });
  await becomes(id, 'cancelled');
  const page = await payer.get('', { 'accept-language': 'en' });
  assert.deepEqual([page.status, /<form/.test(page.body)], [200, true]);
  await payer.submit(PAID);
  await becomes((await get(id)).retried_by, 'succeeded');

  const cancelled = await newPayment(api, {}, retries.key);
  await api.call('DELETE', `/payments/${cancelled.id}`, { key: retries.key });
  const late = await declined({ expires: { in: 5 } });
  clock.advance(300_001);
  for (const [payment, status] of [
    [cancelled, 410],
    [late, 200],
  ] as const) {
    const answer = await new Payer(payment.url).get();
    assert.deepEqual([answer.status, /<form/.test(answer.body)], [status, false]);
  }
  assert.equal((await late.payer.json(PAID)).status, 400);
});

test('a payment that a provider calls fraud is not offered again', async () => {
  const { id, payer } = await declined({}, { channel: 'cm.card', number: '4100000000000019' });
  assert.equal((await get(id)).reason, 'fraud_blocked');
  assert.doesNotMatch((await payer.get()).body, /<form/);
  assert.equal((await payer.json(PAID)).status, 400);
});

test('where references are unique, the chain shares one, and nobody else gets it', async () => {
  const strict = (await api.newMerchant({ hosted_retry: true, unique_references: true })).sandbox.secret;
  const { payer } = await declined({}, DECLINED, strict);
  assert.equal((await payer.submit(PAID)).status, 303);
  const { body } = await api.call('GET', '/payments', { key: strict });
  assert.deepEqual(
    body.items.map(({ reference }: { reference: string }) => reference),
    ['order-7', 'order-7'],
  );
  const other = { amount: 100, currency: 'XAF', phone: '650000000', reference: 'order-7' };
  assert.equal((await api.call('POST', '/payments', { key: strict, body: other })).status, 409);
});

test('a blocked customer is not offered another try', async () => {
  const { id, payer } = await declined({ phone: '+237650111222' });
  const { customer } = await get(id);
  assert.equal((await api.call('POST', `/customers/${customer}/block`, { key: retries.key })).status, 200);
  assert.doesNotMatch((await payer.get()).body, /<form/);
  assert.equal((await payer.json(PAID)).status, 400);
});

test('off until the team switches it on: the page says that nothing was charged and leads back', async () => {
  const off = await api.newMerchant();
  const payment = await newPayment(api, { callback: CALLBACK }, off.sandbox.secret);
  const payer = new Payer(payment.url);
  await payer.get();
  await payer.submit(DECLINED);
  const page = await payer.get('', { 'accept-language': 'fr' });
  assert.match(page.body, /Rien n’a été débité/);
  assert.match(page.body, /href="https:\/\/shop\.example\/thanks\?cart=7&amp;id=trx_test_/);
  assert.doesNotMatch(page.body, /<form/);
  const refused = await payer.json(PAID);
  assert.equal(refused.status, 400);
  await api.setTeam(off.team, { hosted_retry: true });
  assert.equal((await payer.json(PAID)).status, 202);
});

test('the audit trail names the try, by the payer', async () => {
  const { id, payer } = await declined();
  await payer.submit(PAID);
  const rows = await api.deps.stores.sandbox.db.all(sql`
    select actor from audit_entries where action = 'payment.retry' and resource_id = ${id}`);
  assert.deepEqual(rows, [{ actor: 'payer' }]);
});

test('the chosen language goes along to the page of the second payment', async () => {
  const { payer, url } = await declined();
  const cookies = `${payer.cookie}; pirogue_lang=pt`;
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookies },
    body: new URLSearchParams({ ...PAID, form_token: payer.formToken ?? '' }),
  });
  const location = response.headers.get('location');
  const set = response.headers.getSetCookie().filter((cookie) => cookie.includes(`Path=${location};`));
  assert.deepEqual(set.map((cookie) => cookie.split('=')[0]).sort(), ['pirogue_lang', 'pirogue_pay']);
});
