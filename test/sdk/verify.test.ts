import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, test } from 'node:test';
import { Pirogue, type VerificationFault, verifyWebhook, WebhookVerificationError } from '../../sdk/src/index.ts';
import { startApi } from '../setup/api.ts';
import { type Received, startReceiver } from '../setup/receiver.ts';

const api = await startApi();
const receiver = await startReceiver();
after(async () => {
  await receiver.close();
  await api.stop();
});

const pirogue = new Pirogue(api.keys.sandbox.secret, { baseUrl: api.url });
const { secret = '' } = await pirogue.webhooks.create({ url: receiver.url, events: ['payment.created'] });
const { transaction } = await pirogue.payments.create({
  amount: 25_000,
  currency: 'XAF',
  phone: '+237650000000',
  description: 'Deux paniers de mangues — été',
});
const [delivery] = (await receiver.waitFor(1)) as [Received];

async function refused(fault: VerificationFault, ...given: Parameters<typeof verifyWebhook>): Promise<void> {
  await assert.rejects(verifyWebhook(...given), (error: unknown) => {
    assert.ok(error instanceof WebhookVerificationError);
    assert.equal(error.fault, fault);
    return true;
  });
}

/** Headers for a body of ours, signed as docs/contract/webhooks-and-signatures.md says. */
function signed(body: string, timestamp: string, key = secret): Record<string, string> {
  const digest = createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex');
  return { 'x-service-signature': `v1=${digest}`, 'x-service-timestamp': timestamp };
}

const nowSeconds = () => Math.floor(Date.now() / 1000);

test('accepts a real delivery as bytes, text and ArrayBuffer, with Node or web headers in any case', async () => {
  const { body, headers } = delivery;
  const event = await pirogue.webhooks.verify(body, headers, secret);
  assert.ok(event.event === 'payment.created');
  assert.deepEqual([event.data.id, event.data.amount, event.livemode], [transaction.id, 25_000, false]);
  const copy = new Uint8Array(body).buffer;
  assert.deepEqual(await verifyWebhook(copy, new Headers(headers), secret), event);
  const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
  assert.deepEqual(await verifyWebhook(body.toString(), shouted, secret), event);
});

test('accepts a signature by either secret during a rotation', async () => {
  const { body, headers } = delivery;
  await verifyWebhook(body, headers, ['whsec_new', secret]);
  await refused('signature_mismatch', body, headers, ['whsec_new', 'whsec_other']);
});

test('rejects a wrong signature of any length or case', async () => {
  const { body, headers } = delivery;
  const right = headers['x-service-signature'] ?? '';
  const wrong = [right.replace(/.$/, (last) => (last === '0' ? '1' : '0')), right.slice(0, -1), `${right}0`, 'v1='];
  for (const signature of [...wrong, right.toUpperCase().replace('V1', 'v1')]) {
    await refused('signature_mismatch', body, { ...headers, 'x-service-signature': signature }, secret);
  }
  await refused('signature_mismatch', body, headers, `${secret}x`);
});

test('rejects a prefix other than v1=', async () => {
  const { body, headers } = delivery;
  const digest = headers['x-service-signature']?.slice(3) ?? '';
  for (const signature of [digest, `v2=${digest}`, `V1=${digest}`, '']) {
    await refused('signature_malformed', body, { ...headers, 'x-service-signature': signature }, secret);
  }
});

test('rejects a changed body, even if its JSON is equal', async () => {
  const { body, headers } = delivery;
  await refused('signature_mismatch', body.toString().replace('25000', '25001'), headers, secret);
  await refused('signature_mismatch', JSON.stringify(delivery.event, null, 1), headers, secret);
  await refused('signature_mismatch', '', headers, secret);
});

test('rejects a delivery whose signature or timestamp header is missing', async () => {
  const { 'x-service-signature': signature, 'x-service-timestamp': timestamp } = delivery.headers;
  await refused('signature_missing', delivery.body, { 'x-service-timestamp': timestamp }, secret);
  await refused('timestamp_missing', delivery.body, { 'x-service-signature': signature }, secret);
  await refused('signature_missing', delivery.body, new Headers(), secret);
});

test('rejects a valid signature with a timestamp missing or more than 300 seconds in the past or future', async () => {
  const now = Date.now();
  const body = '{}';
  for (const [offset, fits] of [
    [-300, true],
    [300, true],
    [-302, false],
    [302, false],
  ] as const) {
    const at = String(Math.floor(now / 1000) + offset);
    const options = { now: Math.floor(now / 1000) * 1000 };
    if (fits) await verifyWebhook(body, signed(body, at), secret, options);
    else await refused('timestamp_out_of_tolerance', body, signed(body, at), secret, options);
  }
  for (const at of ['', 'now', '1e99', '-5', ` ${nowSeconds()}`]) {
    await refused('timestamp_out_of_tolerance', body, signed(body, at), secret);
  }
  const minute = String(nowSeconds() - 60);
  await refused('timestamp_out_of_tolerance', body, signed(body, minute), secret, { toleranceSeconds: 30 });
  await refused('timestamp_out_of_tolerance', body, signed(body, minute), secret, { toleranceSeconds: Number.NaN });
});

test('checks the signature before the timestamp, and the body after both', async () => {
  await refused('signature_mismatch', '{}', signed('{}', '1', 'whsec_other'), secret);
  await refused('timestamp_out_of_tolerance', 'not JSON', signed('not JSON', '1'), secret);
  await refused('body_malformed', 'not JSON', signed('not JSON', String(nowSeconds())), secret);
});

test('a mistake in the program is not a refused delivery', async () => {
  const { body, headers, event } = delivery;
  await assert.rejects(verifyWebhook(body, headers, ''), TypeError);
  await assert.rejects(verifyWebhook(body, headers, []), TypeError);
  for (const guessable of [null, undefined, 'null', 'undefined', 'whsec_', 12, [secret, null]]) {
    const signedWithIt = signed(body.toString(), String(nowSeconds()), String(guessable));
    await assert.rejects(verifyWebhook(body, signedWithIt, guessable as string), TypeError, String(guessable));
  }
  await assert.rejects(verifyWebhook(event, headers, secret), /not what a parser made/);
});
