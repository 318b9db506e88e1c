import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { SendResult } from '../../src/kit/fetch.ts';
import type { Provider, Refund } from '../../src/providers/adapters/contract.ts';
import { flutterwave } from '../../src/providers/adapters/flutterwave/index.ts';
import { PHRASES } from '../../src/providers/adapters/flutterwave/codes.ts';
import { uuidOf } from '../../src/kit/ids.ts';
import { compareGolden } from '../setup/golden.ts';
import { answered, collectionFor, failure, payoutFor, refundFor, short, stubOf, type Answering } from './wire-stub.ts';

const CREDENTIALS = { secret_key: 'FLWSECK-1', secret_hash: 'hash', customer_email: 'payments@shop.example' };
const stubbed = (answer: Answering, now?: () => number) => stubOf(flutterwave, CREDENTIALS, answer, now);

const KEY = uuidOf('att_01k3tz9f7a0123456789abcdef');
const PAID = { id: 17, tx_ref: KEY, amount: 25000, currency: 'XAF', status: 'successful' };
const enveloped = (data: unknown, more: object = {}) => answered(200, { status: 'success', message: 'ok', data, ...more });
const refused = (status: number, message: string) => answered(status, { status: 'error', message, data: null });

/** What is said of a charge, a transfer and a refund (of a charge that succeeded) when every call is answered so. */
async function saidTo(result: SendResult, changes: { provider_ref?: string | null } = {}) {
  const { provider } = stubbed(() => result);
  const refunding = stubbed(({ method, url }) => (method === 'GET' && url.includes('verify_by') ? enveloped(PAID) : result));
  const { payouts, refunds } = provider;
  return {
    submit: [
      await provider.submit(collectionFor(provider)),
      await payouts?.submit(payoutFor(provider)),
      await refunding.provider.refunds?.submit(cardRefund(provider)),
    ],
    read: [
      await provider.read(collectionFor(provider)),
      await payouts?.read(payoutFor(provider, changes)),
      await refunds?.read(cardRefund(provider, { provider_ref: '17' })),
    ],
  };
}

const kinds = (said: ({ kind: string } | undefined)[]) => said.map(short).join(' | ');

/** A wallet would be paid back by a transfer. */
const cardRefund = (provider: Provider, changes: Partial<Refund> = {}) =>
  refundFor(provider, {
    collection: collectionFor(provider, { channel: { id: 'cm.card', kind: 'card', country: 'CM' }, payer: null }),
    ...changes,
  });

suite('interpretation of responses of Flutterwave', () => {
  test('every documented message, for a charge, a transfer and a refund', async () => {
    const lines: string[] = [];
    for (const phrase of [...PHRASES, 'Something nobody has seen', '']) {
      const text = `The bank said: ${phrase.toUpperCase()}!`;
      const { provider } = stubbed(({ url }) => {
        if (url.includes('/refunds/')) return enveloped({ id: 17, status: 'failed', comments: text });
        const key = url.includes('/transfers') ? payoutFor(provider).provider_key : KEY;
        return enveloped({
          id: 17,
          tx_ref: key,
          reference: key,
          status: 'FAILED',
          processor_response: text,
          complete_message: text,
        });
      });
      const read = [
        await provider.read(collectionFor(provider)),
        await provider.payouts?.read(payoutFor(provider, { provider_ref: '17' })),
        await provider.refunds?.read(cardRefund(provider, { provider_ref: '17' })),
      ];
      const { submit } = await saidTo(refused(400, text));
      lines.push(phrase || '(nothing)', `  failed: ${kinds(read)}`, `  HTTP 400 to a creation: ${kinds(submit)}`);
    }
    compareGolden('flutterwave-reasons.txt', lines);
  });

  test('every response status, to a creation and to a read', async () => {
    const lines: string[] = [];
    for (const status of [200, 201, 202, 204, 302, 400, 401, 403, 404, 405, 408, 409, 422, 429, 500, 502, 503, 504]) {
      const { submit, read } = await saidTo(answered(status, '<html><h1>Sorry</h1></html>'));
      lines.push(`${status} with a page`, `  creation: ${kinds(submit)}`, `  read: ${kinds(read)}`);
    }
    for (const [status, message] of [
      [400, 'Transfer with this reference already exists'],
      [404, 'No transaction was found for this id'],
      [400, 'No transaction was found for this id'],
      [401, 'Invalid authorization key'],
      [429, 'Too many requests'],
      [503, 'An error occurred. Please contact support'],
      [200, 'An error with status 200'],
    ] as const) {
      const { submit, read } = await saidTo(refused(status, message));
      lines.push(`${status} ${message}`, `  creation: ${kinds(submit)}`, `  read: ${kinds(read)}`);
    }
    compareGolden('flutterwave-statuses.txt', lines);
  });

  test('a request that may have been sent is unknown; only one that was never sent is unavailable', async () => {
    assert.equal(kinds((await saidTo(failure(true))).submit), 'unknown | unknown | unknown');
    assert.equal(kinds((await saidTo(failure(false))).submit), 'unavailable | unavailable | unavailable');
    for (const sent of [true, false]) assert.equal(kinds((await saidTo(failure(sent))).read), 'unreadable | unknown | unknown');
  });

  test('a charge is paid only when the response concerns that charge and is complete', async () => {
    const read = async (changes: object) => {
      const { provider } = stubbed(() => enveloped({ ...PAID, ...changes }));
      return provider.read(collectionFor(provider));
    };
    const paid = { kind: 'succeeded', provider_ref: '17', amount_minor: 25_000_00n, currency: 'XAF' };
    assert.deepEqual(await read({}), paid);
    assert.deepEqual(
      await read({ amount: 24_999.5 }),
      { ...paid, amount_minor: 24_999_50n },
      'told as it stands, for the core to judge',
    );
    assert.deepEqual(await read({ currency: 'NGN' }), { ...paid, currency: 'NGN' });
    for (const changes of [
      { tx_ref: 'another' },
      { tx_ref: undefined },
      { amount: undefined },
      { amount: 1e21 },
      { currency: 'francs' },
      { id: undefined },
      { status: 'approved' },
      { status: null },
    ]) {
      assert.equal((await read(changes)).kind, 'unreadable', JSON.stringify(changes));
    }
    assert.equal((await read({ status: 'success-pending-validation' })).kind, 'pending');
  });

  test('an unpaid page is pending until a few minutes after its expiry, then expired', async () => {
    let now = 1_000_000;
    const { provider } = stubbed(
      () => refused(404, 'No transaction was found for this id'),
      () => now,
    );
    const taken = collectionFor(provider, { provider_ref: KEY, expires_at: 2_000_000, submitted_at: now });
    assert.equal((await provider.read({ ...taken, provider_ref: null })).kind, 'not_found');
    const page = { provider_ref: null, handle: '{"kind":"redirect","url":"https://x.example/"}' };
    const card = { ...taken, ...page, channel: { id: 'cm.card', kind: 'card', country: 'CM' } as const };
    // A process may have died after it stored the page, and before it could show it.
    const next = { kind: 'redirect', url: 'https://x.example/' };
    assert.deepEqual(await provider.read(card), { kind: 'pending', poll_after_ms: 5_000, next });
    assert.deepEqual(await provider.read(taken), { kind: 'pending', poll_after_ms: 5_000 });
    now = 2_599_999;
    assert.equal((await provider.read(taken)).kind, 'pending');
    now = 2_600_000;
    assert.deepEqual(await provider.read(taken), { kind: 'expired' });
    assert.deepEqual(await provider.read(card), { kind: 'expired' });
  });

  for (const [what, result] of [
    ['was lost', failure(true)],
    ['never left', failure(false)],
    ['is an error of the gateway', refused(503, 'An error occurred. Please contact support')],
    ['is half of one', answered(200, '{"status":"succ')],
    ['turns the account away', refused(401, 'Invalid authorization key')],
  ] as const) {
    test(`a page or account whose response ${what} was shown to no payer: another provider may be tried, without a query`, async () => {
      for (const channel of [
        { id: 'cm.card', kind: 'card', country: 'CM' },
        { id: 'ng.bank', kind: 'bank', country: 'NG' },
      ] as const) {
        const { provider, calls } = stubbed(() => result);
        const currency = channel.kind === 'card' ? 'XAF' : 'NGN';
        const collection = collectionFor(provider, { channel, currency, payer: null });
        assert.equal((await provider.prepare?.(collection))?.kind, 'unavailable');
        assert.equal(calls.length, 1);
        assert.equal((await provider.submit(collection)).kind, 'unavailable');
        assert.equal((await provider.read(collection)).kind, 'not_found');
        assert.equal(calls.length, 1);
      }
    });
  }

  test('a prompt has no prepare step: nothing is sent before submission', async () => {
    const { provider, calls } = stubbed(() => failure(true));
    assert.deepEqual(await provider.prepare?.(collectionFor(provider)), { kind: 'ready', handle: null });
    assert.deepEqual(calls, []);
  });

  test('a transfer is looked up by reference, and a list of other transfers proves nothing', async () => {
    const listed = async (data: unknown) => {
      const { provider } = stubbed(() => enveloped(data));
      return short(await provider.payouts?.read(payoutFor(provider)));
    };
    const ours = {
      id: 9,
      reference: uuidOf('po_01k3tz9f7a0123456789abcdef'),
      amount: 25000,
      currency: 'XAF',
      status: 'SUCCESSFUL',
    };
    assert.equal(await listed([{ ...ours, reference: 'another' }, ours]), 'succeeded');
    assert.equal(await listed([{ ...ours, status: 'NEW' }]), 'pending');
    assert.equal(await listed([{ ...ours, status: 'FAILED', complete_message: 'DISBURSE FAILED' }]), 'failed(null)');
    assert.equal(await listed([{ ...ours, reference: 'another' }]), 'unknown');
    assert.equal(await listed([]), 'not_found');
    assert.equal(await listed({}), 'unknown');
  });

  test('a refund is made when its own number and amount say so, and one whose number was lost is never "not found"', async () => {
    const data = { id: 17, amount_refunded: 10000, status: 'completed-momo' };
    const said = async (changes: object, provider_ref: string | null = '17') => {
      const { provider } = stubbed(() => enveloped({ ...data, ...changes }));
      return short(await provider.refunds?.read(cardRefund(provider, { provider_ref })));
    };
    assert.equal(await said({}), 'succeeded');
    for (const status of ['bank-transfer', 'momo', 'mpgs', 'offline', 'preauth']) {
      assert.equal(await said({ status: `completed-${status}` }), 'succeeded', status);
    }
    for (const status of ['completed', 'processing', 'pending-momo', 'new'])
      assert.equal(await said({ status }), 'pending', status);
    for (const status of ['complete', 'completed-later', 'completed-']) assert.equal(await said({ status }), 'unknown', status);
    assert.equal(await said({ amount_refunded: 9999 }), 'unknown');
    assert.equal(await said({ id: 18 }), 'unknown');
    assert.equal(await said({ status: 'pending' }), 'pending');
    assert.equal(await said({ status: 'odd' }), 'unknown');
    assert.equal(await said({}, null), 'unknown');
  });

  test('only a succeeded charge can be refunded', async () => {
    for (const [status, expected] of [
      ['pending', 'unavailable'],
      ['failed', 'failed(provider_error)'],
      ['successful', 'pending'],
    ]) {
      const charge = { ...PAID, status };
      const { provider, calls } = stubbed(({ method, url }) => {
        if (method === 'POST') return enveloped({ id: 3, amount_refunded: 10000, status: 'completed' });
        return enveloped(url.includes('/verify_by_reference') ? charge : [charge]);
      });
      assert.equal(short(await provider.refunds?.submit(cardRefund(provider))), expected);
      assert.equal(calls.filter(({ method }) => method === 'POST').length, status === 'successful' ? 1 : 0);
    }
  });

  test('a refund that asks for more than is left was refunded otherwise: only a person can say what the payer has', async () => {
    for (const [message, expected] of [
      ['Refund amount is more than what is left', 'needs a person'],
      ['Refund amount exceeds the transaction amount', 'needs a person'],
      ['Transaction has already been refunded', 'needs a person'],
      ['Duplicate request', 'unknown'],
      ['Invalid comments', 'failed(provider_error)'],
      ['Amount must be greater than 100', 'failed(provider_error)'],
      ['Transactions more than 30 days old cannot be refunded', 'failed(provider_error)'],
    ] as const) {
      const { provider } = stubbed(({ method }) =>
        method === 'GET' ? enveloped(PAID) : answered(400, { status: 'error', message, data: null }),
      );
      const outcome = await provider.refunds?.submit(cardRefund(provider));
      const needsPerson = outcome?.kind === 'unknown' && outcome.needs_person === true && outcome.message.includes(message);
      assert.equal(needsPerson ? 'needs a person' : short(outcome), expected, message);
    }
  });

  test('a charge or transfer that fails immediately is reported as failed', async () => {
    const { provider } = stubbed(() =>
      enveloped({ id: 1, status: 'failed', processor_response: 'Insufficient Funds', complete_message: '' }),
    );
    assert.equal(short(await provider.submit(collectionFor(provider))), 'refused(insufficient_funds)');
    const failing = stubbed(() => enveloped({ id: 1, status: 'FAILED', complete_message: 'MSISDN is not found' })).provider;
    assert.equal(short(await failing.payouts?.submit(payoutFor(failing))), 'failed(recipient_unregistered)');
  });

  for (const text of [
    'DISBURSE FAILED: Request timed out',
    'Timeout',
    'Gateway time-out',
    'No response from operator',
    'Request expired',
    'Transaction not approved',
    'Transfer is being processed',
    'Insufficient response: operator timeout',
  ]) {
    test(`a transfer that failed with "${text}" may have been paid: it is read again, and neither ended nor sent again`, async () => {
      const { provider } = stubbed(({ method, url }) => {
        const { provider_key } = url.includes(refundFor(provider).provider_key) ? refundFor(provider) : payoutFor(provider);
        const transfer = { id: 1, status: 'FAILED', reference: provider_key, complete_message: text };
        return enveloped(method === 'GET' ? [transfer] : transfer);
      });
      const { payouts, refunds } = provider;
      assert.equal(short(await payouts?.submit(payoutFor(provider))), 'pending');
      assert.equal(short(await payouts?.read(payoutFor(provider))), 'unknown');
      assert.equal(short(await refunds?.submit(refundFor(provider))), 'pending');
      assert.equal(short(await refunds?.read(refundFor(provider))), 'unknown');
    });
  }

  test('a charge that fails at once for want of a response is read before it counts as failed', async () => {
    for (const processor_response of ['Timeout', 'No response from operator', 'The request is being processed']) {
      const { provider } = stubbed(() => enveloped({ id: 1, status: 'failed', processor_response }));
      assert.equal(short(await provider.submit(collectionFor(provider))), 'unknown');
    }
  });

  test('a transfer or refund of a wallet that fails for our own empty float is unfunded, which only a read may say', async () => {
    const { provider } = stubbed(({ method, url }) => {
      const { provider_key } = url.includes(refundFor(provider).provider_key) ? refundFor(provider) : payoutFor(provider);
      const transfer = { id: 1, status: 'FAILED', reference: provider_key, complete_message: 'Insufficient balance' };
      return enveloped(method === 'GET' ? [transfer] : transfer);
    });
    const { payouts, refunds } = provider;
    assert.equal(short(await payouts?.submit(payoutFor(provider))), 'pending');
    assert.equal(short(await payouts?.read(payoutFor(provider))), 'unfunded');
    assert.equal(short(await refunds?.submit(refundFor(provider))), 'pending');
    assert.equal(short(await refunds?.read(refundFor(provider))), 'unfunded');
  });

  test('reads the balance of each wallet; a response that is not a list is unreadable', async () => {
    const held = stubbed(() => enveloped([{ currency: 'XAF', available_balance: 1000.5 }, { currency: 'x' }])).provider;
    assert.deepEqual(await held.balance?.(), {
      kind: 'held',
      floats: [{ currency: 'XAF', amount_minor: 1_000_50n, use: 'both' }],
    });
    assert.equal((await stubbed(() => enveloped({})).provider.balance?.())?.kind, 'unreadable');
    assert.equal((await stubbed(() => failure(true)).provider.balance?.())?.kind, 'unreadable');
  });
});
