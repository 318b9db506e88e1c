import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { SendResult } from '../../src/kit/fetch.ts';
import { mpesaDaraja } from '../../src/providers/adapters/mpesa-daraja/index.ts';
import { ERROR_CODES, RESULT_CODES } from '../../src/providers/adapters/mpesa-daraja/codes.ts';
import { compareGolden } from '../setup/golden.ts';
import { answered, collectionFor, failure, short, stubOf } from './wire-stub.ts';

const CREDENTIALS = { consumer_key: 'key', consumer_secret: 'secret', shortcode: '174379', passkey: 'pass' };
const KENYA = {
  ...{ channel: { id: 'ke.mpesa', kind: 'mobile_money', country: 'KE' } as const, currency: 'KES', amount_minor: 1_500_00n },
  payer: '+254708374149',
};
const ID = 'ws_CO_191220191020363925';

/** What is said of a prompt when every call but the one for a token is answered so. */
async function saidTo(result: SendResult, provider_ref: string | null = ID) {
  const { provider, calls } = stubOf(mpesaDaraja, CREDENTIALS, ({ url }) =>
    url.includes('/oauth/') ? answered(200, { access_token: 'token-1', expires_in: '3599' }) : result,
  );
  const collection = collectionFor(provider, KENYA);
  return { submit: await provider.submit(collection), read: await provider.read({ ...collection, provider_ref }), calls };
}

const told = (changes: object) =>
  answered(200, {
    ResponseCode: '0',
    ResponseDescription: 'ok',
    CheckoutRequestID: ID,
    ResultCode: '0',
    ResultDesc: 'in words',
    ...changes,
  });

suite('interpretation of responses of M-Pesa Daraja', () => {
  test('every result of a prompt', async () => {
    const lines: string[] = [];
    for (const code of ['0', ...RESULT_CODES, '424242', '__proto__']) {
      lines.push(`${code}: ${short((await saidTo(told({ ResultCode: code }))).read)}`);
    }
    compareGolden('mpesa-daraja-results.txt', lines);
    assert.equal(short((await saidTo(told({ ResultCode: 1032 }))).read), 'cancelled(payer_declined)', 'a number says the same');
  });

  test('every error, to a prompt and to a status query', async () => {
    const lines: string[] = [];
    for (const errorCode of [...ERROR_CODES, '500.002.1001', '']) {
      for (const status of [400, 500]) {
        const { submit, read } = await saidTo(answered(status, { requestId: 'r', errorCode, errorMessage: 'in words' }));
        lines.push(`${errorCode || '(none)'} with HTTP ${status}: prompt ${short(submit)}, question ${short(read)}`);
      }
    }
    for (const [errorCode, errorMessage] of [
      ['400.002.02', 'Bad Request - Invalid PhoneNumber'],
      ['400.002.02', 'Bad Request - Invalid Amount'],
      ['500.001.1001', 'The transaction is being processed'],
      ['500.001.1001', 'Unable to lock subscriber, a transaction is already in process for the current subscriber'],
    ]) {
      const { submit, read } = await saidTo(answered(500, { requestId: 'r', errorCode, errorMessage }));
      lines.push(`${errorCode} ${errorMessage}: prompt ${short(submit)}, question ${short(read)}`);
    }
    compareGolden('mpesa-daraja-errors.txt', lines);
  });

  test('every status of a response that does not come from Daraja', async () => {
    const lines: string[] = [];
    for (const status of [200, 201, 204, 302, 400, 401, 403, 404, 408, 409, 429, 500, 502, 503, 504]) {
      const { submit, read } = await saidTo(answered(status, '<html><h1>Sorry</h1></html>'));
      lines.push(`${status} with a page: prompt ${short(submit)}, question ${short(read)}`);
    }
    compareGolden('mpesa-daraja-statuses.txt', lines);
  });

  test('a request that may have been sent is unknown; only one that was never sent is unavailable', async () => {
    assert.equal(short((await saidTo(failure(true))).submit), 'unknown');
    assert.equal(short((await saidTo(failure(false))).submit), 'unavailable');
    for (const sent of [true, false]) assert.equal(short((await saidTo(failure(sent))).read), 'unreadable');
  });

  test('1037 ends an attempt only when it is still said three minutes after the prompt was sent', async () => {
    const sent = 1_000_000;
    const ask = async (now: number) => {
      const answer = told({ ResultCode: '1037', ResultDesc: 'DS timeout user cannot be reached' });
      const { provider } = stubOf(
        mpesaDaraja,
        CREDENTIALS,
        ({ url }) => (url.includes('/oauth/') ? answered(200, { access_token: 'token-1', expires_in: '3599' }) : answer),
        () => now,
      );
      return short(await provider.read(collectionFor(provider, { ...KENYA, provider_ref: ID, submitted_at: sent })));
    };
    assert.equal(await ask(sent + 60_000), 'pending');
    assert.equal(await ask(sent + 179_999), 'pending');
    assert.equal(await ask(sent + 180_000), 'failed(authorization_timeout)');
  });

  for (const changes of [
    { CheckoutRequestID: 'ws_CO_another' },
    { CheckoutRequestID: undefined },
    { ResponseCode: '1' },
    { ResultCode: null },
    { ResultCode: '' },
    { ResultCode: {} },
  ]) {
    test(`a response with ${JSON.stringify(changes)} proves nothing about our prompt`, async () => {
      assert.equal(short((await saidTo(told(changes))).read), 'unreadable');
    });
  }

  test('an accepted prompt is returned with its number; without a number its status cannot be queried', async () => {
    const taken = { MerchantRequestID: 'm', CheckoutRequestID: ID, ResponseCode: '0', CustomerMessage: 'ok' };
    const { submit } = await saidTo(answered(200, taken));
    assert.deepEqual(submit, { kind: 'accepted', provider_ref: ID, next: { kind: 'confirm' }, poll_after_ms: 5_000 });
    for (const changes of [
      { CheckoutRequestID: '' },
      { CheckoutRequestID: 'a b' },
      { ResponseCode: '1' },
      { ResponseCode: undefined },
    ])
      assert.equal(short((await saidTo(answered(200, { ...taken, ...changes }))).submit), 'unknown', JSON.stringify(changes));
    const lost = await saidTo(told({}), null);
    assert.equal(short(lost.read), 'unreadable');
    assert.equal(lost.calls.filter(({ url }) => url.includes('query')).length, 0);
  });
});
