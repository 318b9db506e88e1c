// Own process: it takes about a minute or more.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, afterEach, before, test } from 'node:test';
import { recordEvents } from '../../src/money/webhooks/record-store.ts';
import { type Api, freePort, type Merchant, startApi } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';
import { type Received, type Receiver, startReceiver, verify } from '../setup/receiver.ts';
import { pirogue } from './command.ts';
import { Listening, merchantEnv, Shop } from './listening.ts';

let api: Api;
let shop: Shop;
let running: Listening[] = [];
before(async () => {
  api = await startApi();
  shop = new Shop();
  await shop.open();
});
after(async () => {
  await shop.close();
  await api.stop();
});
afterEach(async () => {
  await Promise.all(running.map((listening) => listening.stop()));
  running = [];
  shop.received.length = 0;
  shop.status = 200;
});

async function listen(merchant: Merchant, args: string[] = [], env: Record<string, string> = {}) {
  const listening = new Listening(args, { ...merchantEnv(api, merchant.sandbox.secret), ...env });
  running.push(listening);
  return { listening, greeting: await listening.ready() };
}

let made = 0;
/** Events of payments that nobody made. @param at when their change began */
async function announce(merchant: Merchant, count: number, at = Date.now()): Promise<void> {
  const { db, environment } = api.deps.stores.sandbox;
  const events = Array.from({ length: count }, () => {
    const id = `trx_test_${++made}`;
    return { team_id: merchant.team.id, type: 'payment.created' as const, resource_id: id, sequence: 1, data: { id } };
  });
  await db.transaction((tx) => recordEvents(tx, environment, at, events));
}

const typesOf = (received: readonly Received[]) => received.map(({ event }) => event.event);
const reported = (lines: Listening['lines']) => lines.slice(1).map(({ type }) => type);

test('each event is delivered once, in order, to http on localhost, signed and with the headers of a real delivery', async () => {
  const merchant = await api.newMerchant();
  const key = merchant.sandbox.secret;
  const receiver: Receiver = await startReceiver();
  await announce(merchant, 3);
  await api.call('POST', '/webhooks', { key, body: { url: receiver.url } });
  const { listening, greeting } = await listen(merchant, ['--forward-to', shop.url]);
  assert.match(greeting.secret, /^whsec_\w{43,}$/);
  const payment = await paid(api, { key });
  const types = ['customer.created', 'payment.created', 'payment.processing', 'payment.succeeded'];
  const lines = await listening.until((seen) => seen.length > types.length);
  assert.deepEqual([...typesOf(shop.received)].sort(), types);
  for (const received of shop.received) assert.equal(verify(received, greeting.secret), null);
  const real = await receiver.waitFor(types.length);
  for (const mine of shop.received) {
    const theirs = real.find(({ event }) => event.id === mine.event.id) as Received;
    assert.deepEqual(mine.event, theirs.event);
    assert.deepEqual(Object.keys(mine.headers).sort(), Object.keys(theirs.headers).sort());
    const same = ['content-type', 'user-agent', 'x-service-event', 'x-service-sequence'];
    for (const name of same) assert.equal(mine.headers[name], theirs.headers[name], name);
    assert.match(mine.headers['x-service-delivery-id'] as string, /^whd_test_/);
  }
  const sequences = shop.received
    .filter(({ event }) => event.data.id === payment)
    .map(({ headers }) => headers['x-service-sequence']);
  assert.deepEqual(sequences, ['1', '2', '3']);
  assert.deepEqual([lines.at(-1).type, lines.at(-1).status, lines.at(-1).resource], ['payment.succeeded', 200, payment]);
  assert.equal(await listening.stop(), 0);
  await receiver.close();
});

test('a change that started earlier and was committed later is not skipped', async () => {
  const merchant = await api.newMerchant();
  await announce(merchant, 2);
  const { listening } = await listen(merchant, ['--forward-to', shop.url]);
  await announce(merchant, 1);
  await listening.until((lines) => lines.length === 2);
  await announce(merchant, 1, Date.now() - 15_000);
  const lines = await listening.until((seen) => seen.length === 3);
  assert.ok(lines[2].created < lines[1].created);
  assert.equal(new Set(shop.received.map(({ event }) => event.id)).size, 2);
});

test('more events than fit on one page are all delivered, once each', async () => {
  const merchant = await api.newMerchant();
  const { listening } = await listen(merchant);
  await announce(merchant, 230);
  const lines = await listening.until((seen) => seen.length === 231);
  assert.equal(new Set(lines.map(({ event }) => event)).size, 231);
});

test('--events delivers only the given types; --since delivers earlier events too, or those after a given event', async () => {
  const merchant = await api.newMerchant();
  await paid(api, { key: merchant.sandbox.secret });
  const some = await listen(merchant, ['--events', 'payment.created,customer.*', '--since', '10m']);
  const lines = await some.listening.until((seen) => seen.length === 3);
  assert.deepEqual(reported(lines).sort(), ['customer.created', 'payment.created']);
  const last = lines.at(-1).event;
  const next = await listen(merchant, ['--since', last]);
  const rest = await next.listening.until((seen) => reported(seen).includes('payment.succeeded'));
  assert.ok(rest.every(({ event }) => event === undefined || event > last));
});

test('a receiver that is down or rejects an event gets it once it is back, and then the next one', async () => {
  const merchant = await api.newMerchant();
  const { listening } = await listen(merchant, ['--forward-to', shop.url]);
  shop.status = 500;
  await announce(merchant, 1);
  await listening.until((lines) => lines.length >= 2);
  await shop.close();
  await announce(merchant, 1);
  await listening.until((lines) => lines.at(-1).error === 'refused');
  shop.status = 200;
  await shop.open();
  const lines = await listening.until((seen) => seen.filter(({ status }) => status === 200).length === 2);
  const [first, second] = lines.filter(({ status }) => status === 200);
  assert.ok(first.event < second.event);
  assert.deepEqual(new Set(lines.slice(1).map(({ delivery_id }) => delivery_id)).size, lines.length - 1);
});

test('with nothing listening, it says so at the start, and the retries of one event do not hold up the next ones', async () => {
  const merchant = await api.newMerchant();
  const address = `http://127.0.0.1:${await freePort()}/hook`;
  const { listening } = await listen(merchant, ['--forward-to', address]);
  const absence = `nothing listens at ${address} (connection refused): start your server there, or give its address with --forward-to\n`;
  await listening.until(() => listening.stderr === absence);
  await announce(merchant, 4);
  await listening.until(() => listening.stderr.split('given up').length === 5);
  const tries = Map.groupBy(listening.lines.slice(1), ({ event }) => event);
  assert.deepEqual(
    [...tries.values()].map((lines) => lines.length),
    [4, 1, 1, 1],
  );
  assert.equal(listening.stderr.split('nothing listens').length, 2, 'said once');
});

test('when the receiver is back, events are retried again', async () => {
  const merchant = await api.newMerchant();
  await shop.close();
  const { listening } = await listen(merchant, ['--forward-to', shop.url]);
  await announce(merchant, 1);
  await listening.until(() => listening.stderr.includes('given up'));
  await shop.open();
  await announce(merchant, 1);
  await listening.until((lines) => lines.at(-1).status === 200);
  shop.status = 500;
  await announce(merchant, 1);
  const lines = await listening.until((seen) => seen.filter(({ status }) => status === 500).length >= 2);
  assert.equal(lines.filter(({ error }) => error === 'refused').length, 4);
});

test('a receiver that never accepts: delivery stops with the command to resend, and that command works', async () => {
  const merchant = await api.newMerchant();
  shop.status = 400;
  const { listening, greeting } = await listen(merchant, ['--forward-to', shop.url]);
  await announce(merchant, 1);
  const lines = await listening.until((seen) => seen.length === 5 && listening.stderr.includes('given up'));
  const { event } = lines[1];
  assert.match(
    listening.stderr,
    new RegExp(`given up; when the receiver works again: pirogue events resend ${event} --forward-to http://`),
  );
  const env = merchantEnv(api, merchant.sandbox.secret);
  const refused = await pirogue(['events', 'resend', event, '--forward-to', shop.url], env);
  assert.deepEqual([refused.code, refused.stdout], [1, '']);
  assert.match(refused.stderr, /did not accept it: 400/);
  shop.status = 200;
  assert.equal((await pirogue(['events', 'resend', event, '--forward-to', shop.url], env)).code, 0);
  const again = shop.received.at(-1) as Received;
  assert.deepEqual([again.event.id, again.headers['x-service-sequence'], verify(again, greeting.secret)], [event, '1', null]);
});

test('a restart or a rate limit of the service loses no event and repeats none', async () => {
  const merchant = await api.newMerchant();
  const gate = new Gate(api.url);
  await gate.open();
  const { listening } = await listen(merchant, ['--forward-to', shop.url], { PIROGUE_URL: gate.url });
  await announce(merchant, 1);
  await listening.until((lines) => lines.length === 2);
  await gate.close();
  await announce(merchant, 2);
  await listening.until(() => /does not respond/.test(listening.stderr));
  gate.refusals = [502, 429];
  await gate.open();
  const lines = await listening.until((seen) => seen.length === 4);
  await announce(merchant, 1);
  await listening.until((seen) => seen.length === 5);
  assert.equal(new Set(shop.received.map(({ event }) => event.id)).size, shop.received.length);
  assert.equal(lines.length, 4);
  assert.match(listening.stderr, /the service responds again/);
  await listening.stop();
  await gate.close();
});

test('the signing secret is the same on every start, and differs between keys', async () => {
  const [one, two] = [await api.newMerchant(), await api.newMerchant()];
  const secrets = [];
  for (const merchant of [one, one, two]) secrets.push((await listen(merchant)).greeting.secret);
  assert.equal(secrets[0], secrets[1]);
  assert.notEqual(secrets[0], secrets[2]);
});

test('a live key, a public key, an unknown key and an unreachable service are rejected at start', async () => {
  const merchant = await api.newMerchant();
  const run = (env: Record<string, string>, ...args: string[]) => pirogue(['listen', ...args], env);
  const cases: [string, RegExp][] = [
    [merchant.live.secret, /this is a live key/],
    [merchant.sandbox.public, /this is a public key/],
    ['whsec_canary', /this is not an API key/],
    [`sk_test.${'canary'.padEnd(43, '0')}`, /returned 401/],
  ];
  for (const [key, wanted] of cases) {
    const { code, stdout, stderr } = await run(merchantEnv(api, key));
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, wanted);
    assert.ok(!stderr.includes(key), 'the key is not printed');
  }
  const gone = await run(merchantEnv(api, merchant.sandbox.secret), '--url', `http://127.0.0.1:${await freePort()}`);
  assert.match(gone.stderr, /service at http:\/\/127.* does not respond.*\. Start it with "npm start"/);
});

/** A way to the service that can be shut, and that can answer for it. */
class Gate {
  readonly #target: string;
  refusals: number[] = [];
  #server: Server | undefined;
  #port = 0;

  constructor(target: string) {
    this.#target = target;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async open(): Promise<void> {
    this.#server = createServer(async (request, response) => {
      const refusal = this.refusals.shift();
      if (refusal === 502) return response.writeHead(502).end('<html>');
      if (refusal) return response.writeHead(refusal, { 'retry-after': '1' }).end('{"message":"Too Many Requests"}');
      const { authorization = '' } = request.headers;
      const answer = await fetch(this.#target + request.url, { headers: { authorization } });
      const sequence = answer.headers.get('x-service-sequence') ?? '';
      response.writeHead(answer.status, { 'x-service-sequence': sequence }).end(await answer.text());
    });
    // One that the system gives to nobody while the gate is shut.
    if (this.#port === 0) this.#port = await freePort();
    await new Promise<void>((resolve) => this.#server?.listen(this.#port, '127.0.0.1', resolve));
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server?.close(() => resolve());
      this.#server?.closeAllConnections();
    });
  }
}
