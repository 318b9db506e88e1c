import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { SendResult } from '../../src/kit/fetch.ts';
import { CODES } from '../../src/providers/adapters/mtn-momo/codes.ts';
import { compareGolden } from '../setup/golden.ts';
import { collection, stubbed } from './mtn-momo-stub.ts';
import { answered, payoutFor, refundFor } from './wire-stub.ts';

/** What an adapter says of a collection, a transfer and a refund when every call is answered like this. */
async function saidTo(result: SendResult) {
  const { provider } = stubbed(() => result);
  const { payouts, refunds } = provider;
  return {
    submit: [
      await provider.submit(collection(provider)),
      await payouts?.submit(payoutFor(provider)),
      await refunds?.submit(refundFor(provider)),
    ],
    read: [
      await provider.read(collection(provider)),
      await payouts?.read(payoutFor(provider)),
      await refunds?.read(refundFor(provider)),
    ],
  };
}

const short = (said: { kind: string; reason?: string | null } | undefined) =>
  said && 'reason' in said ? `${said.kind}(${said.reason})` : said?.kind;
const kinds = (said: ({ kind: string } | undefined)[]) => said.map(short).join(' | ');
const FIELDS = { amount: '25000', currency: 'XAF', externalId: 'x', payer: {}, payerMessage: '', payeeNote: '' };

suite('interpretation of responses of MTN MoMo', () => {
  test('every reason and every error, for a collection, a transfer and a refund', async () => {
    const lines: string[] = [];
    for (const word of [...CODES, 'RESOURCE_NOT_FOUND', 'SOMETHING_NEW', '__proto__']) {
      const failed = await saidTo(answered(200, { ...FIELDS, status: 'FAILED', reason: word }));
      lines.push(word, `  status FAILED: ${kinds(failed.read)}`);
      for (const status of [400, 500]) {
        const error = await saidTo(answered(status, { code: word, message: 'in words' }));
        lines.push(`  HTTP ${status} to a creation: ${kinds(error.submit)}`);
      }
    }
    compareGolden('mtn-momo-reasons.txt', lines);
  });

  for (const code of ['PAYER_NOT_FOUND', 'PAYEE_NOT_FOUND', 'NOT_ENOUGH_FUNDS']) {
    test(`an error of the server with ${code} does not prove that nothing was created`, async () => {
      for (const status of [500, 502, 503]) {
        assert.equal(kinds((await saidTo(answered(status, { code }))).submit), 'unknown | unknown | unknown');
      }
    });
  }

  test('every response status, to a creation and to a read', async () => {
    const lines: string[] = [];
    for (const status of [200, 201, 202, 204, 302, 400, 401, 403, 404, 405, 408, 409, 415, 429, 500, 502, 503, 504]) {
      const { submit, read } = await saidTo(answered(status, '<html><h1>Request Rejected</h1></html>'));
      lines.push(`${status} with a page`, `  creation: ${kinds(submit)}`, `  read: ${kinds(read)}`);
    }
    const missing = await saidTo(answered(404, { code: 'RESOURCE_NOT_FOUND', message: 'Requested resource was not found.' }));
    lines.push('404 RESOURCE_NOT_FOUND', `  creation: ${kinds(missing.submit)}`, `  read: ${kinds(missing.read)}`);
    compareGolden('mtn-momo-statuses.txt', lines);
  });

  test('a request that may have been sent is unknown; only one that was never sent is unavailable', async () => {
    const failure = (sent: boolean): SendResult => ({
      kind: 'failed',
      error: 'timeout',
      sent,
      detail: 'too late',
      duration_ms: 1,
    });
    assert.equal(kinds((await saidTo(failure(true))).submit), 'unknown | unknown | unknown');
    assert.equal(kinds((await saidTo(failure(false))).submit), 'unavailable | unavailable | unavailable');
    for (const sent of [true, false]) assert.equal(kinds((await saidTo(failure(sent))).read), 'unreadable | unknown | unknown');
  });

  for (const [what, reason, message] of [
    ['bare text', 'NOT_ENOUGH_FUNDS', 'NOT_ENOUGH_FUNDS'],
    ['an object', { code: 'NOT_ENOUGH_FUNDS', message: 'No money on +237 653 00 00 00' }, 'NOT_ENOUGH_FUNDS: No money on …'],
  ] as const) {
    test(`a reason as ${what} keeps its text without the number`, async () => {
      const { read } = await saidTo(answered(200, { ...FIELDS, status: 'FAILED', reason }));
      assert.deepEqual(read[0], { kind: 'failed', reason: 'insufficient_funds', message });
      // A transfer and a refund are paid from our own float: they are sent again.
      assert.deepEqual(read.slice(1), [
        { kind: 'unfunded', message },
        { kind: 'unfunded', message },
      ]);
    });
  }

  for (const [what, reason] of [
    ['no reason', undefined],
    ['an empty one', ''],
    ['a number', 42],
    ['an empty object', {}],
  ] as const) {
    test(`a failure with ${what} has an unknown reason`, async () => {
      const { read } = await saidTo(answered(200, { ...FIELDS, status: 'FAILED', reason }));
      assert.equal(kinds(read), 'failed(unknown) | failed(null) | failed(unknown)');
    });
  }

  for (const [amount, minor] of [
    ['25000', 25_000_00n],
    ['25000.0', 25_000_00n],
    ['25000.000', 25_000_00n],
    [25000, 25_000_00n],
    ['24999.5', 24_999_50n],
  ] as const) {
    test(`an amount written as ${JSON.stringify(amount)}`, async () => {
      const { read } = await saidTo(answered(200, { ...FIELDS, amount, status: 'SUCCESSFUL', financialTransactionId: 17 }));
      assert.deepEqual(read[0], { kind: 'succeeded', provider_ref: '17', amount_minor: minor, currency: 'XAF' });
    });
  }

  for (const fields of [
    { amount: '25,000' },
    { amount: '2.5e4' },
    { amount: '25000.005' },
    { amount: '-1' },
    { amount: null },
    { currency: 'francs' },
    { currency: null },
    { status: 'CREATED' },
    { status: null },
  ]) {
    test(`a status response with ${JSON.stringify(fields)} is unreadable`, async () => {
      const { read } = await saidTo(answered(200, { ...FIELDS, status: 'SUCCESSFUL', ...fields }));
      assert.equal(kinds(read), 'unreadable | unknown | unknown');
    });
  }

  test('a success without a number of the provider is identified by our key', async () => {
    const { provider } = stubbed(() => answered(200, { ...FIELDS, status: 'SUCCESSFUL' }));
    const reading = await provider.read(collection(provider));
    assert.ok(reading.kind === 'succeeded' && reading.provider_ref === collection(provider).provider_key);
  });

  test('a refund of an amount other than the requested one is not accepted', async () => {
    const { read } = await saidTo(answered(200, { ...FIELDS, status: 'SUCCESSFUL' }));
    assert.equal(kinds(read), 'succeeded | succeeded | unknown');
  });

  for (const [what, active, info, found] of [
    ['an object', { result: true }, { given_name: 'Awa', family_name: 'Ngono' }, { kind: 'found', name: 'Awa Ngono' }],
    ['a bare boolean', true, { given_name: 'Awa' }, { kind: 'found', name: 'Awa' }],
    ['a name that is kept from us', true, { code: 'NOT_ALLOWED' }, { kind: 'found', name: null }],
    ['an inactive wallet', { result: false }, {}, { kind: 'not_found' }],
    ['a page', '<html>', {}, { kind: 'unreadable', message: 'HTTP 200' }],
  ] as const) {
    test(`account-holder lookup: ${what}`, async () => {
      const { provider } = stubbed(({ url }) => answered(200, url.endsWith('/active') ? active : info));
      assert.deepEqual(await provider.lookup?.('cm.mtn', '+237653000000'), found);
    });
  }

  test('each product has one float; if one is missing, none is returned', async () => {
    const held = stubbed(() => answered(200, { availableBalance: '1000.5', currency: 'GHS' })).provider;
    assert.deepEqual(await held.balance?.(), {
      kind: 'held',
      floats: [
        { currency: 'GHS', amount_minor: 1000_50n, use: 'collection' },
        { currency: 'GHS', amount_minor: 1000_50n, use: 'payout' },
      ],
    });
    const half = stubbed(({ url }) =>
      url.includes('disbursement') ? answered(403, '') : answered(200, { availableBalance: '1', currency: 'GHS' }),
    );
    assert.deepEqual(await half.provider.balance?.(), { kind: 'unreadable', message: 'disbursement: HTTP 403' });
  });
});
