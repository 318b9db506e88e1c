import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { after, test } from 'node:test';
import { Payer } from '../checkout/payer.ts';
import { freePort, startApi, until } from '../setup/api.ts';
import { type Received, startReceiver } from '../setup/receiver.ts';
import { startWeather } from './weather.ts';

const api = await startApi({ env: { WEBHOOK_RETRY_SCHEDULE: '100ms,100ms,100ms,100ms,100ms' } });
/** The shop calls the service this way, so that the test sees what it asks. */
const weather = await startWeather(api.url);
/** The proxy with a certificate in front of the shop. */
const proxy = await startReceiver();
const stops: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const stop of stops) await stop();
  await Promise.all([weather.close(), proxy.close()]);
  await api.stop();
});

interface Try {
  event_id: string;
  response_status: number | null;
}

interface Shop {
  url: string;
  secret: string;
}

async function startShop(file: string, path: string): Promise<Shop> {
  const body = { url: `${proxy.url}${path}`, events: ['payment.succeeded'] };
  const { secret } = (await api.call('POST', '/webhooks', { body })).body.webhook;
  const port = String(await freePort());
  const env = { PORT: port, PIROGUE_URL: weather.url, PIROGUE_KEY: api.keys.sandbox.secret, PIROGUE_WEBHOOK_SECRET: secret };
  const child = spawn(process.execPath, [file], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  stops.push(() => new Promise((resolve) => child.once('exit', resolve) && child.kill()));
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`${file} ended`)));
    child.stdout.once('data', () => resolve());
  });
  const url = `http://127.0.0.1:${port}`;
  proxy.behave((response, delivery) => void forward(url, delivery).then((status) => response.writeHead(status).end()), path);
  return { url, secret };
}

async function forward(shop: string, { headers, body }: Pick<Received, 'headers' | 'body'>): Promise<number> {
  const { host: _, connection: __, 'content-length': ___, ...passed } = headers;
  return (await fetch(`${shop}/webhooks`, { method: 'POST', headers: passed, body: new Uint8Array(body) })).status;
}

const order = (shop: Shop, fields: Record<string, string>) =>
  fetch(`${shop.url}/orders`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
const orderPage = async (shop: Shop, id: string) => (await fetch(`${shop.url}/orders/${id}`)).text();

/** Fills in the shop's form. @returns the order and where it is paid */
async function buy(shop: Shop): Promise<{ id: string; payAt: string }> {
  const page = await (await fetch(shop.url)).text();
  const id = /name="id" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const answer = await order(shop, { id, quantity: '2', phone: '+237650000000' });
  assert.equal(answer.status, 303);
  return { id, payAt: answer.headers.get('location') ?? '' };
}

async function pay(payAt: string, phone: string): Promise<void> {
  const payer = new Payer(payAt);
  await payer.get();
  assert.equal((await payer.submit({ channel: 'cm.mtn', phone })).status, 303);
}

const paymentsOf = async (id: string) => (await api.call('GET', `/payments?search=${id}`)).body.items;

for (const file of ['examples/shop-sdk/server.ts', 'examples/shop-fetch/server.mjs']) {
  const path = `/${file.split('/')[1]}/webhooks`;
  const shop = await startShop(file, path);

  test(`${file} has fewer than 150 lines`, () => {
    assert.ok(fs.readFileSync(file, 'utf8').split('\n').length <= 150);
  });

  test(`${file}: an order is created, paid, confirmed by a verified webhook, and marked as paid`, async () => {
    const { id, payAt } = await buy(shop);
    assert.match(await orderPage(shop, id), /not paid yet/);
    weather.next();
    await pay(payAt, '650000000');
    await until(
      () => answersTo(path, id),
      (statuses) => statuses.includes(200),
    );
    assert.match(await orderPage(shop, id), /paid, thank you/);
    assert.deepEqual(weather.seen, [], 'the webhook told it, nobody asked');
  });

  test(`${file}: without a webhook the payment is polled when the payer returns`, async () => {
    proxy.behave(500, path);
    const { id, payAt } = await buy(shop);
    await pay(payAt, '650000000');
    await until(
      () => orderPage(shop, id),
      (page) => page.includes('paid, thank you'),
    );
    const declined = await buy(shop);
    await pay(declined.payAt, '650000001');
    assert.match(await orderPage(shop, declined.id), /not paid yet/);
  });

  test(`${file}: an order whose payment failed gets another payment, also when its number was corrected`, async () => {
    const { id, payAt } = await buy(shop);
    await pay(payAt, '650000001');
    await until(
      async () => (await paymentsOf(id))[0].status,
      (status) => status === 'failed',
    );
    const fields = { id, quantity: '2', phone: '+237650000009' };
    const [again, twice] = await Promise.all([order(shop, fields), order(shop, fields)]);
    const next = again.headers.get('location') ?? '';
    assert.notEqual(next, payAt);
    assert.equal(twice.headers.get('location'), next, 'two clicks are one payment');
    await pay(next, '650000000');
    await until(
      () => orderPage(shop, id),
      (page) => page.includes('paid, thank you'),
    );
    assert.equal((await paymentsOf(id)).length, 2);
    const done = await order(shop, fields);
    assert.equal(done.headers.get('location'), `/orders/${id}`);
  });

  test(`${file}: two clicks with a lost response in between create one payment`, async () => {
    weather.next('lose_answer');
    const fields = { id: randomUUID(), quantity: '2', phone: '+237650000000' };
    const answers = [await order(shop, fields), await order(shop, fields)];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303],
    );
    const [payment, ...others] = await paymentsOf(fields.id);
    assert.deepEqual([payment.amount, others], [25_000, []]);
  });

  test(`${file}: a forged webhook, or one with another amount, pays nothing`, async () => {
    const { id } = await buy(shop);
    const [payment] = await paymentsOf(id);
    const event = (amount: number) => ({
      id: `evt_${randomUUID()}`,
      event: 'payment.succeeded',
      data: { id: payment.id, reference: id, status: 'succeeded', amount, currency: 'XAF' },
    });
    assert.equal(await deliver(event(25_000), 'whsec_forged', shop), 400);
    assert.equal(await deliver(event(100), shop.secret, shop), 200);
    assert.match(await orderPage(shop, id), /not paid yet/);
    assert.equal(await deliver(event(25_000), shop.secret, shop), 200);
    assert.match(await orderPage(shop, id), /paid, thank you/);
  });

  test(`${file}: invalid input is rejected`, async () => {
    for (const fields of [
      { id: 'x' },
      { id: randomUUID(), phone: '' },
      { id: randomUUID(), quantity: '0' },
      { id: randomUUID(), quantity: '1e3' },
    ]) {
      assert.equal((await order(shop, { quantity: '1', phone: '1', ...fields })).status, 400);
    }
    assert.equal((await fetch(`${shop.url}/orders/${randomUUID()}`)).status, 404);
  });
}

/** What the shop answered to the news of an order, as the service saw it. */
async function answersTo(path: string, order_id: string): Promise<(number | null)[]> {
  const event_id = proxy.received.find((one) => one.path === path && one.event.data.reference === order_id)?.event.id;
  const { items } = (await api.call('GET', '/webhooks')).body;
  const { id } = items.find(({ url }: { url: string }) => url.endsWith(path));
  const tries: Try[] = (await api.call('GET', `/webhooks/${id}/deliveries`)).body.items;
  return tries.filter((one) => one.event_id === event_id).map(({ response_status }) => response_status);
}

function deliver(event: object, secret: string, shop: Shop): Promise<number> {
  const body = Buffer.from(JSON.stringify(event));
  const timestamp = String(Math.floor(Date.now() / 1000));
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return forward(shop.url, { headers: { 'x-service-timestamp': timestamp, 'x-service-signature': `v1=${digest}` }, body });
}
