import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Value } from 'typebox/value';
import { uuidOf } from '../../src/kit/ids.ts';
import type { Collection, Provider, RawCallback, Refund } from '../../src/providers/adapters/contract.ts';
import { faultsOf } from '../../src/providers/provider-accounts/service.ts';
import { flutterwave } from '../../src/providers/adapters/flutterwave/index.ts';
import { tools } from './fixture.ts';
import { answered, type Answering, bodyOf, collectionFor, payoutFor, refundFor, short, stubOf, taken } from './wire-stub.ts';

const CREDENTIALS = { secret_key: 'FLWSECK-1', secret_hash: 'the-hash', customer_email: 'payments@shop.example' };
const stubbed = (answer: Answering, now?: () => number) => stubOf(flutterwave, CREDENTIALS, answer, now);
const success = (data: unknown, authorization?: object) =>
  answered(200, { status: 'success', message: 'ok', data, ...(authorization ? { meta: { authorization } } : {}) });

const NOW = 1_000_000;
const KEY = uuidOf('att_01k3tz9f7a0123456789abcdef');
const CARD: Partial<Collection> = {
  channel: { id: 'cm.card', kind: 'card', country: 'CM' },
  payer: null,
  expires_at: NOW + 90_001,
};
const BANK: Partial<Collection> = {
  channel: { id: 'ng.bank', kind: 'bank', country: 'NG' },
  ...{ currency: 'NGN', amount_minor: 1_234_56n, payer: null, expires_at: NOW + 3_600_000 },
};
const ACCOUNT = { transfer_bank: 'A Bank', transfer_account: '0067', transfer_reference: 'R1', transfer_amount: '1234.56' };

/** A wallet would be paid back by a transfer. */
const cardRefund = (provider: Provider, changes: Partial<Refund> = {}) =>
  refundFor(provider, {
    collection: collectionFor(provider, { channel: { id: 'cm.card', kind: 'card', country: 'CM' }, payer: null }),
    ...changes,
  });

suite('requests to Flutterwave', () => {
  test('a card: a separate page, open as long as the payment, without personal data of the payer', async () => {
    const { provider, calls } = stubbed(
      () => success({ link: 'https://checkout.flutterwave.com/v3/hosted/pay/x' }),
      () => NOW,
    );
    assert.deepEqual(await taken(provider, CARD), {
      kind: 'accepted',
      provider_ref: null,
      next: { kind: 'redirect', url: 'https://checkout.flutterwave.com/v3/hosted/pay/x' },
      poll_after_ms: 5_000,
    });
    assert.deepEqual([calls[0]?.method, calls[0]?.url], ['POST', 'https://api.flutterwave.com/v3/payments']);
    assert.deepEqual(calls[0]?.headers, { authorization: 'Bearer FLWSECK-1', 'content-type': 'application/json' });
    assert.deepEqual(bodyOf(calls[0]), {
      ...{ tx_ref: KEY, amount: 25000, currency: 'XAF', redirect_url: 'https://pay.example/pay/token/card' },
      ...{ payment_options: 'card', max_retry_attempt: 1, session_duration: 2, customer: { email: 'payments@shop.example' } },
      configurations: { max_retry_attempt: 1, session_duration: 2 },
    });
  });

  test('a page is open for at most an hour and at least a minute', async () => {
    const { provider, calls } = stubbed(
      () => success({ link: 'https://x.example/' }),
      () => NOW,
    );
    await taken(provider, { ...CARD, expires_at: NOW + 100 * 3_600_000 });
    await taken(provider, { ...CARD, expires_at: NOW - 1 });
    assert.deepEqual(
      calls.map((call) => bodyOf(call).session_duration),
      [60, 1],
    );
  });

  for (const link of [undefined, 'javascript:alert(1)', 'http://checkout.example/', 'nonsense', 7]) {
    test(`the page URL ${link} is rejected: no payer is redirected, and another provider may be tried`, async () => {
      const { provider } = stubbed(() => success({ link }));
      assert.equal((await taken(provider, CARD)).kind, 'unavailable');
    });
  }

  test('a bank transfer: an account for this payment, returned with its bank and reference', async () => {
    const { provider, calls } = stubbed(
      () => success(undefined, ACCOUNT),
      () => NOW,
    );
    const said = await taken(provider, BANK);
    assert.deepEqual(said.kind === 'accepted' && said.next, {
      kind: 'transfer',
      instructions: { bank: 'A Bank', account_number: '0067', reference: 'R1' },
    });
    assert.equal(calls[0]?.url, 'https://api.flutterwave.com/v3/charges?type=bank_transfer');
    assert.deepEqual(bodyOf(calls[0]), {
      ...{ tx_ref: KEY, amount: 1234.56, currency: 'NGN', redirect_url: 'https://pay.example/pay/token/card' },
      ...{ email: 'payments@shop.example', expires: 3_600, is_permanent: false },
    });
  });

  test('an account for another amount, or an invalid one, is not shown to the payer', async () => {
    for (const changes of [
      { transfer_amount: '1260.00' },
      { transfer_amount: undefined },
      { transfer_account: '' },
      { transfer_bank: null },
    ]) {
      const { provider } = stubbed(() => success(undefined, { ...ACCOUNT, ...changes }));
      assert.equal((await taken(provider, BANK)).kind, 'unavailable', JSON.stringify(changes));
    }
  });

  for (const [channel, currency, type, fields] of [
    ['cm.mtn', 'XAF', 'mobile_money_franco', { network: 'MTN', country: 'CM' }],
    ['cm.orange', 'XAF', 'mobile_money_franco', { network: 'ORANGEMONEY', country: 'CM' }],
    ['ci.moov', 'XOF', 'mobile_money_franco', { network: 'MOOV', country: 'CI' }],
    ['sn.orange', 'XOF', 'mobile_money_franco', { network: 'ORANGEMONEY', country: 'SN' }],
    ['gh.mtn', 'GHS', 'mobile_money_ghana', { network: 'MTN' }],
    ['rw.airtel', 'RWF', 'mobile_money_rwanda', { network: 'AIRTEL', order_id: KEY }],
    ['gh.telecel', 'GHS', 'mobile_money_ghana', { network: 'VODAFONE' }],
    ['ug.airtel', 'UGX', 'mobile_money_uganda', { network: 'AIRTEL' }],
    ['tz.vodacom', 'TZS', 'mobile_money_tanzania', { network: 'VODACOM' }],
    ['zm.mtn', 'ZMW', 'mobile_money_zambia', { network: 'MTN' }],
    ['ke.mpesa', 'KES', 'mpesa', {}],
  ] as const) {
    test(`${channel} is submitted as a charge of type ${type}`, async () => {
      const { provider, calls } = stubbed(() => success({ id: 7, status: 'pending' }, { mode: 'callback' }));
      const [cc = ''] = channel.split('.');
      const collection = collectionFor(provider, {
        currency,
        channel: { id: channel, kind: 'mobile_money', country: cc.toUpperCase() },
      });
      const said = await provider.submit(collection);
      assert.ok(said.kind === 'accepted' && said.next.kind === 'confirm' && said.provider_ref === '7');
      assert.equal(calls[0]?.url, `https://api.flutterwave.com/v3/charges?type=${type}`);
      assert.deepEqual(bodyOf(calls[0]), {
        ...{ tx_ref: KEY, amount: 25000, currency, redirect_url: collection.return_url },
        ...{ email: 'payments@shop.example', phone_number: '237653000000', ...fields },
      });
    });
  }

  for (const authorization of [
    { mode: 'redirect', redirect: 'https://ops.example/x' },
    { mode: 'redirect', redirect_url: 'https://ops.example/x' },
  ]) {
    test(`a prompt on a page of the operator (${Object.keys(authorization)[1]})`, async () => {
      const { provider } = stubbed(() => success(undefined, authorization));
      const said = await provider.submit(collectionFor(provider));
      assert.deepEqual(said.kind === 'accepted' && said.next, { kind: 'redirect', url: 'https://ops.example/x' });
    });
  }

  test('transfers to wallets, and to Nigerian banks by their code', async () => {
    const { provider, calls } = stubbed(() => success({ id: 5, status: 'NEW' }));
    const { payouts } = provider;
    const wallet = payoutFor(provider);
    assert.deepEqual(await payouts?.submit(wallet), { kind: 'pending', provider_ref: '5', poll_after_ms: 5_000 });
    assert.deepEqual(bodyOf(calls[0]), {
      ...{ account_bank: 'MTN', account_number: '237653000000', amount: 25000, currency: 'XAF', debit_currency: 'XAF' },
      ...{ reference: wallet.provider_key, narration: 'Salary', beneficiary_name: 'Awa N.', callback_url: wallet.callback_url },
    });
    const recipient = { name: '', phone: null, account_number: '0690000031', bank_code: '044' };
    const bank = payoutFor(provider, { recipient, currency: 'NGN', channel: { id: 'ng.bank', kind: 'bank', country: 'NG' } });
    await payouts?.submit(bank);
    const { account_bank, account_number, beneficiary_name } = bodyOf(calls[1]);
    assert.deepEqual([account_bank, account_number, beneficiary_name], ['044', '0690000031', 'Recipient']);
    assert.equal(
      short(await payouts?.submit({ ...bank, recipient: { ...recipient, bank_code: null } })),
      'failed(invalid_recipient)',
    );
    assert.equal(calls.length, 2);
  });

  test('a callback address above 100 characters is omitted: the webhook of the dashboard carries the same updates', async () => {
    const { provider, calls } = stubbed(() => success({ id: 5, status: 'NEW' }));
    const payout = payoutFor(provider);
    const base = 'https://pay.example/';
    await provider.payouts?.submit({ ...payout, callback_url: base.padEnd(100, 'x') });
    await provider.payouts?.submit({ ...payout, callback_url: base.padEnd(101, 'x') });
    assert.deepEqual(
      calls.map((call) => 'callback_url' in bodyOf(call)),
      [true, false],
    );
  });

  test('M-Pesa of Kenya receives the name of the sender; an account without a sender name makes no payouts there', async () => {
    const channel = { id: 'ke.mpesa', kind: 'mobile_money', country: 'KE' } as const;
    const change = { channel, currency: 'KES' };
    const { provider, calls } = stubOf(
      flutterwave,
      { ...CREDENTIALS, sender_name: 'Shop Ltd', sender_country: 'KE', sender_phone: '254700000000' },
      () => success({ id: 5, status: 'NEW' }),
    );
    assert.equal((await provider.payouts?.submit(payoutFor(provider, change)))?.kind, 'pending');
    const { meta, account_bank } = bodyOf(calls[0]);
    assert.deepEqual([account_bank, meta], ['MPS', { sender: 'Shop Ltd', sender_country: 'KE', mobile_number: '254700000000' }]);
    const nameless = stubbed(() => success({ id: 5, status: 'NEW' }));
    assert.equal(nameless.provider.payouts?.reaches('ke.mpesa', 'KES'), false);
    assert.equal((await nameless.provider.payouts?.submit(payoutFor(provider, change)))?.kind, 'unavailable');
    assert.deepEqual(nameless.calls, []);
  });

  for (const [channel, currency, phone, network] of [
    ['cm.orange', 'XAF', '+237690111111', 'ORANGEMONEY'],
    ['ci.mtn', 'XOF', '+2250503111111', 'FMM'],
    ['ci.orange', 'XOF', '+2250703111111', 'orangemoney'],
    ['ci.moov', 'XOF', '+2250103111111', 'Moov'],
    ['sn.orange', 'XOF', '+221771111111', 'ORANGEMONEY'],
    ['gh.at', 'GHS', '+233271111111', 'AIRTELTIGO'],
    ['ug.airtel', 'UGX', '+256701111111', 'AIRTEL'],
    ['tz.halotel', 'TZS', '+255621111111', 'HALOPESA'],
    ['rw.mtn', 'RWF', '+250781111111', 'MTN'],
    ['zm.mtn', 'ZMW', '+260961111111', 'MPS'],
  ] as const) {
    test(`a payout on ${channel} goes by ${network}`, async () => {
      const { provider, calls } = stubbed(() => success({ id: 5, status: 'NEW' }));
      const recipient = { name: 'Awa N.', phone, account_number: null, bank_code: null };
      const country = channel.slice(0, 2).toUpperCase();
      await provider.payouts?.submit(
        payoutFor(provider, { recipient, currency, channel: { id: channel, kind: 'mobile_money', country } }),
      );
      assert.deepEqual(
        calls.map((call) => bodyOf(call).account_bank),
        [network],
      );
    });
  }

  test('nothing is paid out to Burkina Faso, which no list of networks names', () => {
    assert.equal(stubbed(() => success({})).provider.payouts?.reaches('bf.orange', 'XOF'), false);
  });

  test('a reference that already exists is a transfer that is processing', async () => {
    const { provider } = stubbed(() =>
      answered(400, { status: 'error', message: 'Transfer with this reference already exists' }),
    );
    assert.deepEqual(await provider.payouts?.submit(payoutFor(provider)), {
      kind: 'pending',
      provider_ref: null,
      poll_after_ms: 5_000,
    });
  });

  test('a refund uses the number of the charge, with our key visible in the dashboard', async () => {
    const { provider, calls } = stubbed(({ method }) =>
      method === 'GET'
        ? success({ id: 908790, tx_ref: KEY, amount: 25000, currency: 'XAF', status: 'successful' })
        : success({ id: 75923, amount_refunded: 10000, status: 'completed' }),
    );
    const refund = cardRefund(provider);
    assert.deepEqual(await provider.refunds?.submit(refund), { kind: 'pending', provider_ref: '75923', poll_after_ms: 5_000 });
    assert.deepEqual(
      calls.map(({ url }) => url),
      [
        `https://api.flutterwave.com/v3/transactions/verify_by_reference?tx_ref=${KEY}`,
        'https://api.flutterwave.com/v3/transactions/908790/refund',
      ],
    );
    assert.deepEqual(bodyOf(calls[1]), { amount: 10000, comments: refund.provider_key });
  });

  test('a wallet is refunded by a transfer under the key of the refund', async () => {
    const { provider, calls } = stubbed(() => success({ id: 5, status: 'NEW' }));
    const refund = refundFor(provider);
    assert.deepEqual(await provider.refunds?.submit(refund), { kind: 'pending', provider_ref: '5', poll_after_ms: 5_000 });
    assert.equal(calls[0]?.url, 'https://api.flutterwave.com/v3/transfers');
    const { reference, account_number, amount, account_bank } = bodyOf(calls[0]);
    assert.deepEqual([reference, account_number, amount, account_bank], [refund.provider_key, '237653000000', 10000, 'MTN']);
    await provider.refunds?.read(refund);
    assert.equal(calls[1]?.url, `https://api.flutterwave.com/v3/transfers?reference=${refund.provider_key}`);
  });

  test('a refund to a wallet whose number was forgotten meanwhile stays a transfer: nothing is sent twice under another way', async () => {
    const { provider, calls } = stubbed(() => success([]));
    const base = refundFor(provider);
    const forgotten = { ...base, collection: { ...base.collection, payer: null } };
    assert.equal(short(await provider.refunds?.submit(forgotten)), 'failed(operator_declined)');
    assert.equal(calls.length, 0);
    await provider.refunds?.read(forgotten);
    assert.equal(calls[0]?.url, `https://api.flutterwave.com/v3/transfers?reference=${base.provider_key}`);
  });

  test('sends nothing when the amount, the channel or the number is invalid', async () => {
    const { provider, calls } = stubbed(() => success({}));
    assert.equal((await provider.submit(collectionFor(provider, { amount_minor: 25_50n }))).kind, 'unavailable');
    assert.equal((await provider.submit(collectionFor(provider, { currency: 'XOF' }))).kind, 'unavailable');
    assert.equal((await provider.submit(collectionFor(provider, { payer: null }))).kind, 'refused');
    assert.equal((await provider.submit(collectionFor(provider, { payer: '../x' }))).kind, 'refused');
    const nobody = { name: 'Awa N.', phone: null, account_number: null, bank_code: null };
    assert.equal(short(await provider.payouts?.submit(payoutFor(provider, { recipient: nobody }))), 'failed(invalid_recipient)');
    assert.deepEqual(calls, []);
  });
});

suite('accounts of Flutterwave', () => {
  const { provider } = stubbed(() => success({}));

  test('an account requires a key, a hash and a merchant address; values that allow header injection are rejected', () => {
    const fits = (credentials: object) => Value.Check(flutterwave.credentials, credentials);
    assert.equal(fits(CREDENTIALS), true);
    assert.equal(fits({ ...CREDENTIALS, secret_key: 'a\r\nx: y' }), false);
    assert.equal(fits({ ...CREDENTIALS, customer_email: 'nobody' }), false);
    assert.equal(fits({ ...CREDENTIALS, sender_name: 'Shop', sender_country: 'KE', sender_phone: '254700000000' }), true);
    for (const name of Object.keys(CREDENTIALS)) assert.equal(fits({ ...CREDENTIALS, [name]: undefined }), false, name);
    for (const field of Object.values(flutterwave.credentials.properties)) assert.ok('description' in field);
  });

  for (const [secret_key, environment, more, serves] of [
    ['FLWSECK-1', 'live', {}, true],
    ['FLWSECK_TEST-1', 'live', {}, false],
    ['FLWSECK-1', 'sandbox', {}, false],
    ['FLWSECK_TEST-1', 'sandbox', {}, true],
    ['FLWSECK_TEST-1', 'live', { base_url: 'http://127.0.0.1:9' }, true],
  ] as const) {
    const where = 'base_url' in more ? 'at another address' : 'at Flutterwave';
    test(`a key ${secret_key} ${where} ${serves ? 'serves' : 'offers nothing and is a fault'} in ${environment}`, async () => {
      const credentials = { ...CREDENTIALS, secret_key, ...more };
      const offers = flutterwave.connect({ id: 'pa_test', environment, credentials }, tools).offers();
      assert.equal(offers?.length !== 0, serves);
      const mode = environment === 'live' ? 'test' : 'live';
      const fault = `secret_key is of Flutterwave's ${mode} mode, but the account is in ${environment}`;
      assert.deepEqual(await faultsOf(flutterwave, environment, credentials), serves ? [] : [fault]);
    });
  }

  test('an account lists the channels it pays out to and those it only collects on', () => {
    const said = new Map((provider.offers() ?? []).map(({ channel, operations }) => [channel, operations.join('+')]));
    assert.deepEqual(
      ['cm.mtn', 'ci.moov', 'gh.telecel', 'ng.bank', 'gh.bank', 'cm.card'].map((id) => said.get(id)),
      ['collect+payout', 'collect+payout', 'collect+payout', 'collect+payout', 'collect', 'collect'],
    );
    for (const { channel, currency, operations } of provider.offers() ?? [])
      assert.equal(provider.payouts?.reaches(channel, currency), operations.includes('payout'), channel);
    assert.equal(provider.payouts?.reaches('cm.mtn', 'XOF'), false);
  });
});

suite('webhooks of Flutterwave', () => {
  const { provider } = stubbed(() => success({}));
  const raw = (body: unknown, hash?: string | string[]): RawCallback => ({
    ...{ method: 'POST', url: 'https://pay.example/_callbacks/pa_test', body: Buffer.from(JSON.stringify(body)) },
    headers: hash === undefined ? {} : { 'verif-hash': hash },
  });
  const charge = { event: 'charge.completed', data: { tx_ref: KEY, status: 'successful', amount: 25000 } };
  const subject = (value: string | null) => (value === null ? null : { by: 'provider_key', value });
  const about = (value: string | null) => ({ kind: 'hint', subject: subject(value), proven: true });

  test('a callback with the right hash is a hint to its charge or transfer, whatever amount or status it carries', () => {
    assert.deepEqual(provider.verifyCallback?.(raw(charge, 'the-hash')), about(KEY));
    assert.deepEqual(provider.verifyCallback?.(raw({ data: { reference: KEY } }, 'the-hash')), about(KEY));
    assert.deepEqual(provider.verifyCallback?.(raw({ data: { tx_ref: "' or 1" } }, 'the-hash')), about(null));
    assert.deepEqual(provider.verifyCallback?.(raw(null, 'the-hash')), about(null));
  });

  for (const hash of [undefined, '', 'the-hasH', 'the-hash ', ['the-hash', 'the-hash']]) {
    test(`a callback with ${JSON.stringify(hash)} is forged`, () => {
      assert.equal(provider.verifyCallback?.(raw(charge, hash)).kind, 'forged');
    });
  }
});
