import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import type { PayerInput } from '../../src/providers/adapters/contract.ts';
import { type Api, dumpDatabase, startApi } from '../setup/api.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { newPayment, Payer } from './payer.ts';

const CODE = '73519482';
/** A code that the provider rejects as malformed. */
const MALFORMED = 'abcdef';
const given: PayerInput[] = [];
const provider: TestProvider = {
  name: 'coded',
  collects: () => true,
  submit: async () => ({ kind: 'accepted', provider_ref: 'p', next: { kind: 'otp' }, poll_after_ms: 60_000 }),
  continue: async (_, input) => {
    given.push(input);
    if (input.kind === 'otp' && input.otp === MALFORMED)
      return { kind: 'unavailable', message: 'HTTP 400', input_rejected: true };
    if (input.kind === 'otp' && input.otp !== CODE) return { kind: 'refused', reason: 'authentication_failed', message: 'wrong' };
    return { kind: 'accepted', provider_ref: 'p', next: { kind: 'confirm' }, poll_after_ms: 60_000 };
  },
  read: async () => ({ kind: 'pending', poll_after_ms: 60_000 }),
};

const logged: string[] = [];
let api: Api;
before(async () => {
  const stream = new PassThrough().on('data', (line) => logged.push(String(line)));
  api = await startApi({ log: pino({ level: 'debug' }, stream), providers: new Registry({ sandbox: [provider], live: [] }) });
});
after(() => api.stop());

async function waitingForCode() {
  const { url, id } = await newPayment(api);
  const payer = new Payer(url);
  await payer.get();
  assert.equal((await payer.submit({ channel: 'cm.mtn', phone: '650000000' })).status, 303);
  const page = await payer.get();
  assert.match(page.body, /autocomplete="one-time-code"/);
  assert.doesNotMatch(page.body, /http-equiv="refresh"/, 'nothing is loaded under the fingers of someone who types');
  return { payer, id };
}

test('303 after the code, which is sent to the provider without spaces; the page continues to the confirmation', async () => {
  const { payer } = await waitingForCode();
  assert.equal((await payer.submit({ otp: '7351 9482' }, '/otp')).status, 303);
  assert.deepEqual(given.at(-1), { kind: 'otp', otp: CODE });
  assert.match((await payer.get()).body, /Confirm on your phone/);
  assert.equal((await payer.json({ otp: CODE }, '/otp')).status, 400, 'nothing waits for a code any more');
});

test('422 with a message beside the field for an invalid code; nothing is sent to the provider', async () => {
  const { payer } = await waitingForCode();
  const before = given.length;
  for (const otp of ['', '12', '1'.repeat(13), '<b>', '12-34']) {
    const { status, body } = await payer.submit({ otp }, '/otp');
    assert.equal(status, 422, otp);
    assert.match(body, /id="otp-error">Enter the code as you received it/);
  }
  assert.deepEqual(Object.keys((await payer.json({ otp: 123456 }, '/otp')).body.errors), ['otp']);
  assert.equal(given.length, before);
});

test('422 with the same message for a code that the provider rejects as malformed; another one can follow', async () => {
  const { payer } = await waitingForCode();
  const { status, body } = await payer.submit({ otp: MALFORMED }, '/otp');
  assert.equal(status, 422);
  assert.match(body, /id="otp-error">Enter the code as you received it/);
  const asJson = await payer.json({ otp: MALFORMED }, '/otp');
  assert.deepEqual([asJson.status, Object.keys(asJson.body.errors)], [422, ['otp']]);
  assert.equal((await payer.submit({ otp: CODE }, '/otp')).status, 303);
});

test('402 as JSON for a wrong code, and the payment is failed', async () => {
  const { payer, id } = await waitingForCode();
  const { status, body } = await payer.json({ otp: '111111' }, '/otp');
  assert.deepEqual([status, body.error_code], [402, 'authentication_failed']);
  assert.equal((await api.call('GET', `/payments/${id}`)).body.transaction.status, 'failed');
});

test('403 for a code from another browser, from another site, or without the token of the form', async () => {
  const { payer } = await waitingForCode();
  const before = given.length;
  const other = new Payer(payer.url);
  await other.get();
  assert.equal((await other.submit({ otp: CODE }, '/otp')).status, 403);
  assert.equal((await other.json({ otp: CODE }, '/otp')).status, 403);
  assert.equal((await payer.submit({ otp: CODE }, '/otp', { origin: 'https://evil.example' })).status, 403);
  assert.equal((await payer.submit({ otp: CODE, form_token: 'x' }, '/otp')).status, 403);
  assert.equal(given.length, before);
});

test('403 for another browser once one has sent the code of a charge by the API: it claims the page', async () => {
  const { url, id } = await newPayment(api);
  const charged = await api.call('POST', `/payments/${id}`, { body: { channel: 'cm.mtn', data: { phone: '650000000' } } });
  assert.equal(charged.status, 202);
  const [payer, other] = [new Payer(url), new Payer(url)];
  for (const browser of [payer, other]) await browser.get();
  assert.equal((await payer.submit({ otp: CODE }, '/otp')).status, 303);
  assert.equal((await other.json({ otp: CODE }, '/otp')).status, 403);
  assert.match((await other.get()).body, /another browser/i);
});

test('a one-time code is never stored', async () => {
  const { payer } = await waitingForCode();
  await payer.submit({ otp: CODE }, '/otp');
  assert.ok(!(await dumpDatabase(api.deps.stores.sandbox.db)).includes(CODE));
  assert.ok(!logged.join('').includes(CODE));
});
