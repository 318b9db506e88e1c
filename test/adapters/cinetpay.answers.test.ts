import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { SendResult } from '../../src/kit/fetch.ts';
import type { Provider } from '../../src/providers/adapters/contract.ts';
import { cinetpay } from '../../src/providers/adapters/cinetpay/index.ts';
import { CODES } from '../../src/providers/adapters/cinetpay/codes.ts';
import { compareGolden } from '../setup/golden.ts';
import { answered, type Answering, collectionFor, failure, payoutFor, short, stubOf, taken } from './wire-stub.ts';

const CREDENTIALS = { apikey: 'key', site_id: '1', secret_key: 'secret', currency: 'XAF', transfer_password: 'word' };
const TOKEN = answered(200, { code: 0, message: 'OPERATION_SUCCES', data: { token: 'token-1' } });
const CONTACT = answered(200, { code: 0, message: 'OPERATION_SUCCES', data: [[{ code: 0, status: 'success' }]] });

/** Tokens are granted and contacts made; everything else is answered by the function. */
function stubbed(answer: Answering): Provider {
  return stubOf(cinetpay, CREDENTIALS, (request) => {
    if (request.url.includes('/auth/login')) return TOKEN;
    return request.url.includes('/transfer/contact') ? CONTACT : answer(request);
  }).provider;
}

/** What is said of a payment and of a transfer when every call is answered so. */
async function saidTo(result: SendResult) {
  const provider = stubbed(() => result);
  return {
    submit: [await taken(provider), await provider.payouts?.submit(payoutFor(provider))],
    read: [
      await provider.read(collectionFor(provider, { handle: 'https://x.example/' })),
      await provider.payouts?.read(payoutFor(provider)),
    ],
  };
}

const kinds = (said: ({ kind: string } | undefined)[]) => said.map(short).join(' | ');
const coded = (code: string | number, data: unknown, status = 200) => answered(status, { code, message: 'IN_WORDS', data });

suite('interpretation of responses of CinetPay', () => {
  test('every code, for a payment and a transfer', async () => {
    const lines: string[] = [];
    for (const code of [...CODES, '999', 'x', '__proto__']) {
      const said = await saidTo(coded(code, { status: 'REFUSED', amount: '25000', currency: 'XAF' }));
      const numbered = Number.isInteger(Number(code)) ? await saidTo(coded(Number(code), [])) : said;
      lines.push(code, `  to a creation: ${kinds(said.submit)}`, `  to a check: ${kinds(said.read)}`);
      assert.deepEqual(kinds(numbered.submit), kinds(said.submit), 'a code is text or a number');
    }
    compareGolden('cinetpay-codes.txt', lines);
  });

  test('every response status, to a creation and to a read', async () => {
    const lines: string[] = [];
    for (const status of [200, 201, 204, 302, 400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503, 504]) {
      const { submit, read } = await saidTo(answered(status, 'error code: 1010'));
      lines.push(`${status} with a page`, `  creation: ${kinds(submit)}`, `  read: ${kinds(read)}`);
    }
    compareGolden('cinetpay-statuses.txt', lines);
  });

  test('a request that may have been sent is unknown; only one that was never sent is unavailable', async () => {
    // Of a page whose answer was lost nobody is told; a transfer may have been made.
    assert.equal(kinds((await saidTo(failure(true))).submit), 'unavailable | unknown');
    assert.equal(kinds((await saidTo(failure(false))).submit), 'unavailable | unavailable');
    for (const sent of [true, false]) assert.equal(kinds((await saidTo(failure(sent))).read), 'unreadable | unknown');
  });

  for (const [code, status, expected] of [
    ['00', 'ACCEPTED', 'succeeded'],
    ['00', 'REFUSED', 'unreadable'],
    ['00', undefined, 'unreadable'],
    ['600', 'ACCEPTED', 'unreadable'],
    ['662', 'WAITING_FOR_CUSTOMER', 'pending'],
    ['999', 'WAITING_FOR_CUSTOMER', 'pending'],
    ['999', 'REFUSED', 'failed(operator_declined)'],
    ['999', 'CANCELED', 'cancelled(payer_declined)'],
    ['600', 'CANCELLED', 'cancelled(payer_declined)'],
    ['999', 'NEW_STATUS', 'unreadable'],
    ['603', undefined, 'unreadable'],
    ['602', undefined, 'unreadable'],
    ['627', undefined, 'unreadable'],
    ['627', 'REFUSED', 'cancelled(payer_declined)'],
    ['625', undefined, 'pending'],
    ['625', 'REFUSED', 'expired'],
  ] as const) {
    test(`a payment with code ${code} and status ${status} is ${expected}`, async () => {
      const { read } = await saidTo(coded(code, { status, amount: '25000', currency: 'XAF', operator_id: 'MP1' }));
      assert.equal(short(read[0]), expected);
    });
  }

  test('a paid payment requires a readable amount and currency; code 00 after a 5xx does not count', async () => {
    const read = async (changes: object, status = 200) => {
      const data = { status: 'ACCEPTED', amount: '25000', currency: 'XAF', operator_id: 'MP1', ...changes };
      return (await saidTo(coded('00', data, status))).read[0];
    };
    const paid = { kind: 'succeeded', provider_ref: 'MP1', amount_minor: 25_000_00n, currency: 'XAF' };
    assert.deepEqual(await read({}), paid);
    assert.deepEqual(await read({ amount: 24_995 }), { ...paid, amount_minor: 24_995_00n }, 'told as it stands');
    for (const changes of [{ amount: '25 000' }, { amount: null }, { currency: 'francs' }, { currency: undefined }])
      assert.equal((await read(changes))?.kind, 'unreadable', JSON.stringify(changes));
    assert.equal((await read({}, 502))?.kind, 'unreadable');
    const provider = stubbed(() => coded('00', { status: 'ACCEPTED', amount: '25000', currency: 'XAF' }));
    const said = await provider.read(collectionFor(provider, { handle: 'https://x.example/' }));
    assert.ok(said.kind === 'succeeded' && said.provider_ref === collectionFor(provider).provider_key);
  });

  for (const [entry, expected] of [
    [{ treatment_status: 'NEW' }, 'pending'],
    [{ treatment_status: 'REC' }, 'pending'],
    [{ treatment_status: 'NOS' }, 'pending'],
    [{ treatment_status: 'VAL' }, 'succeeded'],
    [{ treatment_status: 'REJ', comment: 'no' }, 'failed(null)'],
    [{ treatment_status: 'ODD' }, 'unknown'],
    [{ treatment_status: 'VAL', amount: 'much' }, 'unknown'],
    [{ treatment_status: 'VAL', client_transaction_id: 'another' }, 'unknown'],
    [{}, 'unknown'],
  ] as const) {
    test(`a transfer with ${JSON.stringify(entry)} is ${expected}`, async () => {
      for (const data of [[entry], [[entry]]]) assert.equal(short((await saidTo(coded(0, data))).read[1]), expected);
    });
  }

  test('a transfer reports the amount it was created with, otherwise the requested amount', async () => {
    const read = async (entry: object) => (await saidTo(coded(0, [{ treatment_status: 'VAL', ...entry }]))).read[1];
    const made = { kind: 'succeeded', provider_ref: 'OP1', amount_minor: 25_000_00n, currency: 'XAF' };
    assert.deepEqual(await read({ operator_transaction_id: 'OP1', transaction_id: 'EA1' }), made);
    const less = await read({ operator_transaction_id: 'OP1', amount: '24990' });
    assert.deepEqual(less, { ...made, amount_minor: 24_990_00n });
  });

  test('each entry of a list has its own code', async () => {
    assert.equal(short((await saidTo(coded(0, [[{ code: 805 }]]))).submit[1]), 'pending');
    assert.equal(short((await saidTo(coded(0, [[{ code: 724 }]]))).submit[1]), 'failed(invalid_recipient)');
    assert.equal(short((await saidTo(coded(0, [[{ code: 602 }]]))).submit[1]), 'unavailable');
  });

  for (const [what, result, expected] of [
    ['that is there already', coded(726, []), 'pending'],
    ['with a wrong number', coded(802, []), 'failed(invalid_recipient)'],
    ['nobody answered about', failure(true), 'unavailable'],
    ['that broke', answered(500, 'x'), 'unavailable'],
  ] as const) {
    test(`contact ${what}: the transfer is ${expected}`, async () => {
      const { provider, calls } = stubOf(cinetpay, CREDENTIALS, ({ url }) => {
        if (url.includes('/auth/login')) return TOKEN;
        return url.includes('/transfer/contact') ? result : coded(0, [[{ transaction_id: 'EA1', treatment_status: 'NEW' }]]);
      });
      assert.equal(short(await provider.payouts?.submit(payoutFor(provider))), expected);
      assert.equal(
        calls.some(({ url }) => url.includes('/money/send')),
        expected === 'pending',
      );
    });
  }

  test('reads the balance of the transfer wallet', async () => {
    const held = stubbed(() => coded(0, { amount: 1000, inUsing: 10, available: 990 }));
    assert.deepEqual(await held.balance?.(), {
      kind: 'held',
      floats: [{ currency: 'XAF', amount_minor: 990_00n, use: 'payout' }],
    });
    for (const result of [coded(0, {}), coded(709, {}), failure(true)])
      assert.equal((await stubbed(() => result).balance?.())?.kind, 'unreadable');
  });
});
