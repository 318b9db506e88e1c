import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Value } from 'typebox/value';
import type { Collection, RawCallback } from '../../src/providers/adapters/contract.ts';
import { mpesaDaraja } from '../../src/providers/adapters/mpesa-daraja/index.ts';
import { UNPRINTABLE } from './hostile.ts';
import { answered, type Answering, bodyOf, collectionFor, short, stubOf } from './wire-stub.ts';

const CREDENTIALS = { consumer_key: 'key', consumer_secret: 'secret', shortcode: '174379', passkey: 'pass' };
const KENYA: Partial<Collection> = {
  ...{ channel: { id: 'ke.mpesa', kind: 'mobile_money', country: 'KE' }, currency: 'KES', amount_minor: 1_500_00n },
  payer: '+254708374149',
};
const TOKEN = answered(200, { access_token: 'token-1', expires_in: '3599' });
const TAKEN = answered(200, { MerchantRequestID: 'm', CheckoutRequestID: 'ws_CO_1', ResponseCode: '0' });
/** 2026-11-21 22:30:05 in London is half past one of the next day in Nairobi. */
const NOW = Date.UTC(2026, 10, 21, 22, 30, 5);

const stubbed = (answer: Answering = () => TAKEN, credentials: Record<string, string> = CREDENTIALS) =>
  stubOf(
    mpesaDaraja,
    credentials,
    (request) => (request.url.includes('/oauth/') ? TOKEN : answer(request)),
    () => NOW,
  );
const PASSWORD = Buffer.from('174379pass20261122013005').toString('base64');

suite('requests to Safaricom', () => {
  test('a token for the app, then a prompt: whole shillings, Nairobi time, our key as the account reference', async () => {
    const { provider, calls } = stubbed();
    const collection = collectionFor(provider, KENYA);
    assert.equal(short(await provider.submit(collection)), 'accepted');
    const [token, prompt] = calls;
    assert.deepEqual(
      [token?.method, token?.url],
      ['GET', 'https://api.safaricom.co.ke/oauth/v1/generate?grant_type=client_credentials'],
    );
    assert.deepEqual(token?.headers, { authorization: `Basic ${Buffer.from('key:secret').toString('base64')}` });
    assert.deepEqual([prompt?.method, prompt?.url], ['POST', 'https://api.safaricom.co.ke/mpesa/stkpush/v1/processrequest']);
    assert.deepEqual(prompt?.headers, { authorization: 'Bearer token-1', 'content-type': 'application/json' });
    assert.deepEqual(bodyOf(prompt), {
      ...{ BusinessShortCode: '174379', Password: PASSWORD, Timestamp: '20261122013005', Amount: 1500 },
      ...{ TransactionType: 'CustomerPayBillOnline', PartyA: '254708374149', PartyB: '174379', PhoneNumber: '254708374149' },
      ...{ CallBackURL: collection.callback_url, AccountReference: collection.provider_key, TransactionDesc: 'Facture n 42' },
    });
    assert.match(collection.provider_key, /^[0-9A-Z]{12}$/);
  });

  test('a till number is submitted as a purchase of goods', async () => {
    const { provider, calls } = stubbed(() => TAKEN, { ...CREDENTIALS, till: '600000' });
    await provider.submit(collectionFor(provider, KENYA));
    const { TransactionType, PartyB, BusinessShortCode } = bodyOf(calls[1]);
    assert.deepEqual([TransactionType, PartyB, BusinessShortCode], ['CustomerBuyGoodsOnline', '600000', '174379']);
  });

  test('a status query uses the number from the response to the prompt', async () => {
    const { provider, calls } = stubbed();
    await provider.read(collectionFor(provider, { ...KENYA, provider_ref: 'ws_CO_1' }));
    assert.equal(calls[1]?.url, 'https://api.safaricom.co.ke/mpesa/stkpushquery/v1/query');
    assert.deepEqual(bodyOf(calls[1]), {
      ...{ BusinessShortCode: '174379', Password: PASSWORD, Timestamp: '20261122013005', CheckoutRequestID: 'ws_CO_1' },
    });
  });

  test('a payment has the amount of its prompt and is identified by its number', async () => {
    const paid = { ResponseCode: '0', CheckoutRequestID: 'ws_CO_1', ResultCode: '0' };
    const { provider } = stubbed(() => answered(200, paid));
    const said = await provider.read(collectionFor(provider, { ...KENYA, provider_ref: 'ws_CO_1' }));
    assert.deepEqual(said, { kind: 'succeeded', provider_ref: 'ws_CO_1', amount_minor: 1_500_00n, currency: 'KES' });
  });

  for (const [what, result] of [
    ['404.001.03', answered(404, { errorCode: '404.001.03', errorMessage: 'Invalid Access Token' })],
    ['401.003.01', answered(401, { errorCode: '401.003.01', errorMessage: 'Error Occurred' })],
    ['HTTP 401', answered(401, '')],
  ] as const) {
    test(`a token rejected with ${what} is renewed once`, async () => {
      let first = true;
      const { provider, calls } = stubbed(() => {
        const answer = first ? result : TAKEN;
        first = false;
        return answer;
      });
      assert.equal(short(await provider.submit(collectionFor(provider, KENYA))), 'accepted');
      assert.equal(calls.filter(({ url }) => url.includes('/oauth/')).length, 2);
      const stubborn = stubbed(() => result);
      assert.equal(short(await stubborn.provider.submit(collectionFor(stubborn.provider, KENYA))), 'unavailable');
      assert.equal(stubborn.calls.length, 4);
    });
  }

  for (const token of [{}, { access_token: 'a\r\nb', expires_in: '3599' }, { access_token: 'x', expires_in: 'soon' }]) {
    test(`the token ${JSON.stringify(token)} is invalid, and nothing is sent without a valid one`, async () => {
      const { provider, calls } = stubOf(mpesaDaraja, CREDENTIALS, () => answered(200, token));
      assert.equal(short(await provider.submit(collectionFor(provider, KENYA))), 'unavailable');
      assert.equal(calls.length, 1);
    });
  }

  test('sends nothing when the amount, the channel or the number is invalid', async () => {
    const { provider, calls } = stubbed();
    const submit = async (changes: Partial<Collection>) =>
      short(await provider.submit(collectionFor(provider, { ...KENYA, ...changes })));
    assert.equal(await submit({ amount_minor: 1_50n }), 'unavailable');
    assert.equal(await submit({ currency: 'USD' }), 'unavailable');
    assert.equal(await submit({ channel: { id: 'ke.airtel', kind: 'mobile_money', country: 'KE' } }), 'unavailable');
    for (const payer of [null, '+254208374149', '+255708374149', '../x'])
      assert.equal(await submit({ payer }), 'refused(invalid_number)');
    assert.deepEqual(calls, []);
  });
});

suite('accounts of M-Pesa Daraja', () => {
  test('an account collects, and lacks the operations without a status query', () => {
    const { provider } = stubbed();
    assert.deepEqual(
      provider.offers()?.map(({ channel, operations, step_minor }) => [channel, operations, step_minor]),
      [['ke.mpesa', ['collect'], 100n]],
    );
    const { payouts, refunds, balance, lookup, cancel } = provider;
    assert.deepEqual([payouts, refunds, balance, lookup, cancel], Array(5).fill(undefined));
  });

  test('credentials with a missing field or an invalid shortcode are rejected', () => {
    const fits = (credentials: object) => Value.Check(mpesaDaraja.credentials, credentials);
    assert.equal(fits({ ...CREDENTIALS, till: '600000' }), true);
    assert.equal(fits({ ...CREDENTIALS, shortcode: 'shop' }), false);
    for (const name of Object.keys(CREDENTIALS)) assert.equal(fits({ ...CREDENTIALS, [name]: undefined }), false, name);
    for (const field of Object.values(mpesaDaraja.credentials.properties)) assert.ok('description' in field);
  });
});

suite('callbacks of M-Pesa Daraja', () => {
  const { provider } = stubbed();
  const raw = (body: unknown): RawCallback => ({
    ...{ method: 'POST', url: 'https://pay.example/_callbacks/pa_test', headers: {}, body: Buffer.from(JSON.stringify(body)) },
  });
  const told = (CheckoutRequestID: unknown, more: object = { ResultCode: 1032 }) =>
    provider.verifyCallback?.(raw({ Body: { stkCallback: { CheckoutRequestID, ...more } } }));

  test('callbacks are unsigned: each is a hint to its prompt, whatever amount or status it carries', () => {
    assert.deepEqual(told('ws_CO_1'), { kind: 'hint', subject: { by: 'provider_ref', value: 'ws_CO_1' } });
    for (const id of [undefined, 7, "' or 1 --", 'x'.repeat(101), {}])
      assert.deepEqual(told(id), { kind: 'hint', subject: null });
    assert.deepEqual(provider.verifyCallback?.(raw(null)), { kind: 'hint', subject: null });
    for (const ResultCode of [UNPRINTABLE, [UNPRINTABLE], null])
      assert.deepEqual(told('ws_CO_1', { ResultCode }), { kind: 'hint', subject: { by: 'provider_ref', value: 'ws_CO_1' } });
  });

  test('callbacks of a success report the paid amount, or that it is unreadable', () => {
    const Item = (Value: unknown) => [
      { Name: 'MpesaReceiptNumber', Value: 'SGK1' },
      { Name: 'Amount', Value },
    ];
    const paid = (Value: unknown) => told('ws_CO_1', { ResultCode: 0, CallbackMetadata: { Item: Item(Value) } });
    const subject = { by: 'provider_ref', value: 'ws_CO_1' };
    assert.deepEqual(paid(1_500), { kind: 'hint', subject: { ...subject, paid_minor: 150_000n } });
    for (const Value of ['much', undefined, -1, {}]) {
      assert.deepEqual(paid(Value), { kind: 'hint', subject: { ...subject, paid_minor: null } });
    }
    assert.deepEqual(told('ws_CO_1', { ResultCode: 0 }), { kind: 'hint', subject: { ...subject, paid_minor: null } });
  });

  test('callbacks are acknowledged in the format that Safaricom expects', () => {
    assert.deepEqual(provider.acknowledgement, {
      ...{ status: 200, body: '{"ResultCode":0,"ResultDesc":"Accepted"}', content_type: 'application/json' },
    });
  });
});
