import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { suite, test } from 'node:test';
import { Value } from 'typebox/value';
import { uuidOf } from '../../src/kit/ids.ts';
import type { Collection, RawCallback } from '../../src/providers/adapters/contract.ts';
import { cinetpay } from '../../src/providers/adapters/cinetpay/index.ts';
import { UNPRINTABLE } from './hostile.ts';
import { answered, type Answering, bodyOf, collectionFor, payoutFor, short, stubOf, taken } from './wire-stub.ts';

const CREDENTIALS = {
  ...{ apikey: 'the-key', site_id: '445160', secret_key: 'the-secret', currency: 'XAF' },
  ...{ transfer_password: 'the-password', contact_email: 'payouts@shop.example' },
};
const KEY = uuidOf('att_01k3tz9f7a0123456789abcdef').replaceAll('-', '');
const opened = (data: object = {}) =>
  answered(200, {
    code: '201',
    message: 'CREATED',
    data: { payment_token: 't1', payment_url: 'https://checkout.cinetpay.com/payment/t1', ...data },
  });
const stubbed = (answer: Answering, now?: () => number) => stubOf(cinetpay, CREDENTIALS, answer, now);

/** The transfer API, in order: token, contact, transfer. */
const transferring: Answering = ({ url }) => {
  if (url.includes('/auth/login')) return answered(200, { code: 0, data: { token: 'token-1' } });
  if (url.includes('/transfer/contact')) return answered(200, { code: 726, data: [] });
  return answered(200, { code: 0, data: [[{ transaction_id: 'EA7', treatment_status: 'NEW' }]] });
};
const formOf = (body: unknown) => Object.fromEntries(new URLSearchParams(String(body)));

suite('requests to CinetPay', () => {
  test('a page for one number: whole francs, plain description, no name of the payer', async () => {
    const { provider, calls } = stubbed(() => opened());
    assert.deepEqual(await taken(provider), {
      kind: 'accepted',
      provider_ref: null,
      next: { kind: 'redirect', url: 'https://checkout.cinetpay.com/payment/t1' },
      poll_after_ms: 5_000,
    });
    const [call] = calls;
    assert.deepEqual([call?.method, call?.url], ['POST', 'https://api-checkout.cinetpay.com/v2/payment']);
    assert.deepEqual(call?.headers, { 'user-agent': 'Mozilla/5.0 (compatible; Pirogue)', 'content-type': 'application/json' });
    assert.deepEqual(bodyOf(call), {
      ...{ apikey: 'the-key', site_id: '445160', transaction_id: KEY, amount: 25000, currency: 'XAF' },
      ...{ channels: 'MOBILE_MONEY', lang: 'fr', description: 'Facture n 42 l ete' },
      ...{ notify_url: collectionFor(provider).callback_url, return_url: 'https://pay.example/pay/token/card' },
      ...{
        customer_name: 'Client',
        customer_surname: 'Pirogue',
        customer_phone_number: '+237653000000',
        lock_phone_number: true,
      },
    });
  });

  test('a status check uses our own key', async () => {
    const { provider, calls } = stubbed(() => answered(200, { code: '662', data: { status: 'WAITING_FOR_CUSTOMER' } }));
    await provider.read(collectionFor(provider, { handle: 'https://x.example/' }));
    assert.equal(calls[0]?.url, 'https://api-checkout.cinetpay.com/v2/payment/check');
    assert.deepEqual(bodyOf(calls[0]), { apikey: 'the-key', site_id: '445160', transaction_id: KEY });
  });

  test('a page that was never stored was shown to no payer: it is not created, without a status query', async () => {
    const { provider, calls } = stubbed(() => opened());
    assert.deepEqual(await provider.read(collectionFor(provider)), { kind: 'not_found' });
    assert.equal((await provider.submit(collectionFor(provider))).kind, 'unavailable');
    assert.deepEqual(calls, []);
  });

  test('a page that is unknown to CinetPay stays pending until it can no longer be paid, then it has ended', async () => {
    const expires_at = 1_000_000_000;
    let now = expires_at;
    const { provider } = stubbed(
      () => answered(200, { code: '723', message: 'TRANSACTION_NOT_FOUND' }),
      () => now,
    );
    const kept = collectionFor(provider, { handle: 'https://x.example/', expires_at });
    assert.equal((await provider.read(kept)).kind, 'pending');
    now += 600_000;
    assert.deepEqual(await provider.read(kept), { kind: 'expired' });
  });

  test('Wave opens the wallet section of the page', async () => {
    const { provider, calls } = stubOf(cinetpay, { ...CREDENTIALS, currency: 'XOF' }, () => opened());
    const channel = { id: 'sn.wave', kind: 'mobile_money', country: 'SN' } as const;
    await taken(provider, { channel, currency: 'XOF', payer: '+221770000000' });
    assert.equal(bodyOf(calls[0]).channels, 'WALLET');
  });

  for (const payment_url of [undefined, 'javascript:alert(1)', 'http://checkout.example/', 7]) {
    test(`the page URL ${payment_url} is rejected: no payer is redirected, and another provider may be tried`, async () => {
      const { provider } = stubbed(() => opened({ payment_url }));
      assert.equal((await taken(provider)).kind, 'unavailable');
    });
  }

  test('a transfer: token, contact, order; prefix and number in separate fields', async () => {
    const { provider, calls } = stubbed(transferring);
    const payout = payoutFor(provider, {
      recipient: { name: 'Awa N. Ngono', phone: '+237653000000', account_number: null, bank_code: null },
    });
    assert.deepEqual(await provider.payouts?.submit(payout), { kind: 'pending', provider_ref: 'EA7', poll_after_ms: 5_000 });
    assert.deepEqual(
      calls.map(({ url }) => url),
      [
        'https://client.cinetpay.com/v1/auth/login?lang=fr',
        'https://client.cinetpay.com/v1/transfer/contact?token=token-1',
        'https://client.cinetpay.com/v1/transfer/money/send/contact?token=token-1',
      ],
    );
    assert.deepEqual(formOf(calls[0]?.body), { apikey: 'the-key', password: 'the-password' });
    assert.deepEqual(JSON.parse(formOf(calls[1]?.body).data ?? ''), [
      { prefix: '237', phone: '653000000', name: 'N. Ngono', surname: 'Awa', email: 'payouts@shop.example' },
    ]);
    const [order] = JSON.parse(formOf(calls[2]?.body).data ?? '');
    assert.deepEqual(order, {
      ...{ prefix: '237', phone: '653000000', amount: 25000, client_transaction_id: payout.provider_key },
      ...{ notify_url: payout.callback_url, payment_method: 'MTNCM' },
    });
    await provider.payouts?.read(payout);
    assert.equal(calls.length, 4, 'the token is kept');
    assert.match(calls[3]?.url ?? '', /\/v1\/transfer\/check\/money\?token=token-1&client_transaction_id=[0-9a-f]{32}$/);
  });

  for (const [what, result] of [
    ['the code 705', answered(200, { code: 705, message: 'EXPIRED_TOKEN' })],
    ['the code 706', answered(200, { code: 706, message: 'INVALID_TOKEN' })],
    ['HTTP 401', answered(401, '')],
  ] as const) {
    test(`a token rejected with ${what} is renewed once`, async () => {
      let minted = 0;
      const { provider, calls } = stubbed((request) => {
        if (request.url.includes('/auth/login')) return answered(200, { code: 0, data: { token: `token-${++minted}` } });
        return request.url.includes('token=token-1') ? result : transferring(request);
      });
      assert.equal(short(await provider.payouts?.submit(payoutFor(provider))), 'pending');
      assert.equal(minted, 2);
      assert.equal(calls.length, 5);
      const stubborn = stubbed(({ url }) =>
        url.includes('/auth/login') ? answered(200, { code: 0, data: { token: 'x' } }) : result,
      );
      assert.equal(short(await stubborn.provider.payouts?.submit(payoutFor(provider))), 'unavailable');
      assert.equal(stubborn.calls.length, 4);
    });
  }

  test('a token is valid for five minutes and is renewed before its expiry', async () => {
    let now = 1_000_000;
    const { provider, calls } = stubbed(transferring, () => now);
    const minted = () => calls.filter(({ url }) => url.includes('/auth/login')).length;
    await provider.payouts?.read(payoutFor(provider));
    now += 149_999;
    await provider.payouts?.read(payoutFor(provider));
    assert.equal(minted(), 1);
    now += 1;
    await provider.payouts?.read(payoutFor(provider));
    assert.equal(minted(), 2);
  });

  test('sends nothing when the amount, the channel or the number is invalid', async () => {
    const { provider, calls } = stubbed(() => opened());
    const unfit: Partial<Collection>[] = [
      ...[25_001_00n, 95_00n, 1_500_005_00n].map((amount_minor) => ({ amount_minor })),
      { currency: 'XOF' },
    ];
    for (const changes of unfit) assert.equal((await taken(provider, changes)).kind, 'unavailable', String(Object.keys(changes)));
    assert.equal((await taken(provider, { payer: null })).kind, 'refused');
    const abroad = { name: 'Awa N.', phone: '+221770000000', account_number: null, bank_code: null };
    assert.equal(short(await provider.payouts?.submit(payoutFor(provider, { recipient: abroad }))), 'failed(invalid_recipient)');
    assert.equal(short(await provider.payouts?.submit(payoutFor(provider, { amount_minor: 1_50n }))), 'unavailable');
    assert.deepEqual(calls, []);
  });
});

suite('accounts of CinetPay', () => {
  const offersOf = (credentials: Record<string, string>) => {
    const { provider } = stubOf(cinetpay, credentials, () => opened());
    return { provider, offers: provider.offers() ?? [] };
  };

  test('the currency of the account decides its channels, the transfer password whether it pays out', () => {
    const { provider, offers } = offersOf(CREDENTIALS);
    assert.deepEqual(
      offers.map(({ channel, operations, min_minor, max_minor, step_minor }) => [
        channel,
        operations[0],
        min_minor,
        max_minor,
        step_minor,
      ]),
      [
        ['cm.orange', 'collect', 100_00n, 1_500_000_00n, 5_00n],
        ['cm.orange', 'payout', 200_00n, 1_500_000_00n, 5_00n],
        ['cm.mtn', 'collect', 100_00n, 1_500_000_00n, 5_00n],
        ['cm.mtn', 'payout', 200_00n, 1_500_000_00n, 5_00n],
      ],
    );
    assert.equal(provider.payouts?.reaches('cm.mtn', 'XAF'), true);
    assert.equal(provider.payouts?.reaches('ci.mtn', 'XOF'), false);
    // CinetPay rejects a recipient without an address. Earlier payouts can still be read.
    const { contact_email: _email, ...nameless } = CREDENTIALS;
    const unaddressed = offersOf(nameless);
    assert.ok(unaddressed.provider.payouts);
    assert.deepEqual([...new Set(unaddressed.offers.flatMap(({ operations }) => operations))], ['collect']);
    const { transfer_password: _, ...collecting } = CREDENTIALS;
    const only = offersOf({ ...collecting, currency: 'GNF' });
    assert.deepEqual([only.provider.payouts, only.provider.balance, only.provider.refunds], [undefined, undefined, undefined]);
    assert.deepEqual(
      only.offers.map(({ channel }) => channel),
      ['gn.orange'],
    );
    assert.ok(!offersOf({ ...CREDENTIALS, currency: 'XOF' }).offers.some(({ channel }) => channel.endsWith('.card')));
  });

  test('credentials without a key, or with an unsupported currency, are rejected', () => {
    const fits = (credentials: object) => Value.Check(cinetpay.credentials, credentials);
    assert.equal(fits(CREDENTIALS), true);
    assert.equal(fits({ ...CREDENTIALS, currency: 'NGN' }), false);
    for (const name of ['apikey', 'site_id', 'secret_key', 'currency'])
      assert.equal(fits({ ...CREDENTIALS, [name]: undefined }), false, name);
    for (const field of Object.values(cinetpay.credentials.properties)) assert.ok('description' in field);
  });
});

suite('notifications of CinetPay', () => {
  const { provider } = stubbed(() => opened());
  const FIELDS: Record<string, string> = {
    ...{
      cpm_site_id: '445160',
      cpm_trans_id: KEY,
      cpm_trans_date: '2026-11-21',
      cpm_amount: '25000',
      cpm_currency: 'XAF',
      signature: 's',
    },
    ...{ payment_method: 'MTNCM', cel_phone_num: '653000000', cpm_phone_prefixe: '237', cpm_language: 'fr', cpm_version: 'V4' },
    ...{ cpm_payment_config: 'SINGLE', cpm_page_action: 'PAYMENT', cpm_designation: 'd', cpm_error_message: 'SUCCES' },
  };
  /** In the order of the documentation; cpm_custom is missing, and counts as empty. */
  const token = createHmac('sha256', 'the-secret')
    .update(`445160${KEY}2026-11-2125000XAFsMTNCM653000000237frV4SINGLEPAYMENTdSUCCES`)
    .digest('hex');
  const raw = (body: string, headers: RawCallback['headers'] = {}, method = 'POST'): RawCallback => ({
    ...{ method, url: 'https://pay.example/_callbacks/pa_test', headers, body: Buffer.from(body) },
  });
  const form = (changes: Record<string, string> = {}) => new URLSearchParams({ ...FIELDS, ...changes }).toString();
  const about = (value: string | null) => ({ kind: 'hint', subject: value === null ? null : { by: 'provider_key', value } });

  test('a payment callback with a valid token is only a hint, whatever amount or status it carries', () => {
    assert.deepEqual(provider.verifyCallback?.(raw(form(), { 'x-token': token })), { ...about(KEY), proven: true });
    assert.deepEqual(provider.verifyCallback?.(raw(form(), { 'x-token': token.toUpperCase() })), { ...about(KEY), proven: true });
  });

  for (const name of Object.keys(FIELDS)) {
    test(`the token is invalid for another ${name}`, () => {
      assert.equal(provider.verifyCallback?.(raw(form({ [name]: 'other' }), { 'x-token': token })).kind, 'forged');
    });
  }

  test('a callback without a token, with two, or with one of another secret is forged', () => {
    for (const headers of [{}, { 'x-token': [token, token] }, { 'x-token': '' }, { 'x-token': token.replace(/.$/, 'x') }])
      assert.equal(provider.verifyCallback?.(raw(form(), headers)).kind, 'forged');
    assert.equal(provider.verifyCallback?.(raw('', { 'x-token': 'x' })).kind, 'forged');
    const unprintable = JSON.stringify({ cpm_site_id: UNPRINTABLE });
    assert.equal(provider.verifyCallback?.(raw(unprintable, { 'x-token': 'x' })).kind, 'forged');
  });

  test('a token proves nothing about a transaction that it does not cover', () => {
    const other = payoutFor(provider).provider_key;
    // The token covers the fields without separators: moved from one to the next, the same text names no payment.
    const moved = form({ cpm_site_id: `445160${KEY}`, cpm_trans_id: '', client_transaction_id: other });
    assert.deepEqual(provider.verifyCallback?.(raw(moved, { 'x-token': token })), { ...about(null), proven: true });
  });

  test('a transfer callback has no token and is a form or JSON; the preceding probe gets a response', () => {
    const id = payoutFor(provider).provider_key;
    assert.deepEqual(
      provider.verifyCallback?.(raw(JSON.stringify({ client_transaction_id: id, treatment_status: 'VAL' }))),
      about(id),
    );
    assert.deepEqual(provider.verifyCallback?.(raw(`client_transaction_id=${id}&treatment_status=VAL`)), about(id));
    assert.deepEqual(provider.verifyCallback?.(raw('', {}, 'GET')), about(null));
    assert.deepEqual(provider.verifyCallback?.(raw('client_transaction_id=1')), about(null));
    assert.deepEqual(provider.verifyCallback?.(raw('{"client_transaction_id":{}}')), about(null));
  });
});
