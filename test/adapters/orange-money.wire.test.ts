import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Value } from 'typebox/value';
import { orangeMoneyCameroon } from '../../src/providers/adapters/orange-money/cameroon/index.ts';
import { orangeMoney } from '../../src/providers/adapters/orange-money/index.ts';
import { startSimulator } from '../../simulators/kit/simulator.ts';
import { orangeMoneySimulator } from '../../simulators/orange-money/index.ts';
import { tools } from './fixture.ts';
import {
  cameroonStub,
  CM_CREDENTIALS,
  CM_HANDLE,
  LINK,
  onOrange,
  WEB_CREDENTIALS,
  WEB_HANDLE,
  webStub,
} from './orange-money-stub.ts';
import { answered, bodyOf } from './wire-stub.ts';

const BASIC = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

suite('requests to Orange Money, by page', () => {
  const made = () => answered(201, LINK);

  test('a token, then an order: whole francs, our key and our addresses', async () => {
    const { provider, calls, mints } = webStub(made);
    const collection = onOrange(provider);
    assert.equal((await provider.prepare?.(collection))?.kind, 'ready');
    const [mint] = mints;
    assert.equal(mint?.url, 'https://api.orange.com/oauth/v3/token');
    assert.equal(mint?.headers?.authorization, BASIC('client', 'secret'));
    assert.equal(mint?.body, 'grant_type=client_credentials');
    const [call] = calls;
    assert.equal(call?.url, 'https://api.orange.com/orange-money-webpay/cm/v1/webpayment');
    assert.equal(call?.headers?.authorization, 'Bearer token-1');
    assert.deepEqual(bodyOf(call), {
      merchant_key: 'merchant',
      currency: 'XAF',
      order_id: collection.provider_key,
      amount: 25000,
      return_url: collection.return_url,
      cancel_url: collection.return_url,
      notif_url: collection.callback_url,
      lang: 'fr',
      reference: 'Facture n 42 l ete',
    });
    assert.match(collection.provider_key, /^[0-9a-f]{30}$/);
  });

  test('a status query contains the order, its amount and its token', async () => {
    const { provider, calls } = webStub(made);
    const collection = onOrange(provider, { handle: WEB_HANDLE });
    await provider.read(collection);
    assert.equal(calls[0]?.url, 'https://api.orange.com/orange-money-webpay/cm/v1/transactionstatus');
    assert.deepEqual(bodyOf(calls[0]), { order_id: collection.provider_key, amount: 25000, pay_token: 'v1abc' });
  });

  test('the sandbox of Orange uses the currency OUV on every channel', async () => {
    const { provider, calls } = webStub(made, { ...WEB_CREDENTIALS, country: 'dev' });
    await provider.prepare?.(onOrange(provider, { currency: 'XOF' }));
    assert.equal(calls[0]?.url, 'https://api.orange.com/orange-money-webpay/dev/v1/webpayment');
    assert.equal(bodyOf(calls[0]).currency, 'OUV');
  });

  test('an Orange sandbox account serves every channel in our sandbox, and none in live', () => {
    const offered = (environment: 'live' | 'sandbox') => {
      const credentials = { ...WEB_CREDENTIALS, country: 'dev' };
      const offers = orangeMoney.connect({ id: 'pa_test', environment, credentials }, tools).offers();
      return offers?.map(({ channel, currency }) => `${channel} ${currency}`);
    };
    assert.deepEqual(offered('live'), []);
    assert.deepEqual(offered('sandbox'), [
      ...['cm.orange XAF', 'ci.orange XOF', 'sn.orange XOF', 'ml.orange XOF', 'bf.orange XOF', 'gn.orange GNF', 'cd.orange CDF'],
    ]);
  });

  test('an address above 120 characters is replaced by our front page, and the order is created', async () => {
    const { provider, calls } = webStub(made);
    const callback_url = `https://pay.example/_callbacks/${'x'.repeat(100)}`;
    assert.equal((await provider.prepare?.(onOrange(provider, { callback_url })))?.kind, 'ready');
    assert.equal(bodyOf(calls[0]).notif_url, 'https://pay.example');
  });

  test('sends nothing for a fraction of a franc', async () => {
    const { provider, calls, mints } = webStub(made);
    assert.equal((await provider.prepare?.(onOrange(provider, { amount_minor: 25_50n })))?.kind, 'unavailable');
    assert.deepEqual([calls, mints], [[], []]);
  });

  test('a rejected token is renewed once, and the call is repeated', async () => {
    let turned_down = 0;
    const { provider, calls, mints } = webStub(() => (turned_down++ === 0 ? answered(401, { code: 42 }) : made()));
    assert.equal((await provider.prepare?.(onOrange(provider)))?.kind, 'ready');
    assert.deepEqual([calls.length, mints.length], [2, 2]);
  });

  test('the key of another merchant creates no page', async () => {
    const simulator = await startSimulator(orangeMoneySimulator);
    try {
      const credentials = { ...simulator.credentials, merchant_key: 'somebody-elses' };
      const provider = orangeMoney.connect({ id: 'pa_test', environment: 'live', credentials }, tools);
      assert.deepEqual(await provider.prepare?.(onOrange(provider)), {
        kind: 'unavailable',
        message: 'HTTP 403: code 50: Access denied: Access denied.',
      });
    } finally {
      await simulator.stop();
    }
  });

  test('the adapter defines no payouts, refunds, cancellation, balance or lookup', () => {
    for (const { provider } of [webStub(made), cameroonStub(made)]) {
      const { payouts, refunds, cancel, balance, lookup } = provider;
      assert.deepEqual([payouts, refunds, cancel, balance, lookup], [undefined, undefined, undefined, undefined, undefined]);
      assert.ok(provider.offers()?.every(({ operations }) => operations.join() === 'collect'));
    }
  });
});

suite('requests to Orange Money Cameroon, by prompt', () => {
  const accepting = () => answered(200, { message: 'OK', data: { payToken: CM_HANDLE, status: 'PENDING' } });

  test('a token without a body, then the request to pay under it', async () => {
    const { provider, calls, mints } = cameroonStub(accepting);
    const collection = onOrange(provider);
    assert.deepEqual(await provider.prepare?.(collection), { kind: 'ready', handle: CM_HANDLE });
    const said = await provider.submit({ ...collection, handle: CM_HANDLE });
    assert.ok(said.kind === 'accepted');
    assert.deepEqual(said.next, { kind: 'confirm', hint: '#150*50#' });
    assert.equal(mints[0]?.url, 'https://api-s1.orange.cm/token');
    assert.equal(mints[0]?.headers?.authorization, BASIC('consumer', 'secret'));
    const [init, pay] = calls;
    assert.deepEqual([init?.url, init?.body], ['https://api-s1.orange.cm/omcoreapis/1.0.2/mp/init', undefined]);
    assert.equal(pay?.url, 'https://api-s1.orange.cm/omcoreapis/1.0.2/mp/pay');
    for (const call of calls) {
      assert.equal(call.headers?.['x-auth-token'], Buffer.from('user:password').toString('base64'));
      assert.equal(call.headers?.authorization, 'Bearer token-1');
    }
    assert.deepEqual(bodyOf(pay), {
      notifUrl: collection.callback_url,
      channelUserMsisdn: '691000001',
      amount: '25000',
      subscriberMsisdn: '691000002',
      pin: '73190462',
      orderId: collection.provider_key,
      description: 'Facture n 42 l ete',
      payToken: CM_HANDLE,
    });
  });

  test('a status query uses the token', async () => {
    const { provider, calls } = cameroonStub(accepting);
    await provider.read(onOrange(provider, { handle: CM_HANDLE }));
    const { method, url, body } = calls[0] ?? {};
    const address = `https://api-s1.orange.cm/omcoreapis/1.0.2/mp/paymentstatus/${CM_HANDLE}`;
    assert.deepEqual([method, url, body], ['GET', address, undefined]);
  });

  test('sends nothing for a fraction of a franc, another currency or a foreign number', async () => {
    const { provider, calls, mints } = cameroonStub(accepting);
    for (const changes of [{ amount_minor: 25_50n }, { currency: 'XOF' }]) {
      assert.equal((await provider.prepare?.(onOrange(provider, changes)))?.kind, 'unavailable');
    }
    for (const payer of [null, '', '+221771000002', '+2376910000021']) {
      for (const handle of [null, CM_HANDLE]) {
        const said = await (handle
          ? provider.submit(onOrange(provider, { payer, handle }))
          : provider.prepare?.(onOrange(provider, { payer })));
        assert.deepEqual(said, { kind: 'refused', reason: 'invalid_number', message: 'not a number of Cameroon' });
      }
    }
    assert.deepEqual([calls, mints], [[], []]);
  });
});

suite('accounts and callbacks of Orange Money', () => {
  test('credentials with a missing field, an unknown country, or values that allow header injection are rejected', () => {
    const web = (changes: object) => Value.Check(orangeMoney.credentials, { ...WEB_CREDENTIALS, ...changes });
    assert.deepEqual([web({}), web({ country: 'dev' })], [true, true]);
    for (const changes of [{ country: 'xx' }, { client_id: 'a\r\nx: y' }, { merchant_key: undefined }, { base_url: 'ftp://x' }]) {
      assert.equal(web(changes), false);
    }
    const cm = (changes: object) => Value.Check(orangeMoneyCameroon.credentials, { ...CM_CREDENTIALS, ...changes });
    assert.equal(cm({}), true);
    for (const changes of [{ channel_pin: 'abcd' }, { channel_msisdn: '237691000001' }, { channel_user: 'é' }]) {
      assert.equal(cm(changes), false);
    }
  });

  test('a callback is a hint to the attempt of its address, whatever it contains', () => {
    for (const { provider } of [webStub(() => answered(200, '')), cameroonStub(() => answered(200, ''))]) {
      const { callback_url, provider_key } = onOrange(provider);
      const heard = (url: string, text: string) =>
        provider.verifyCallback?.({ method: 'POST', url, headers: {}, body: Buffer.from(text) });
      for (const text of ['{"status":"SUCCESS","notif_token":"n1","txnid":"MP1"}', '', 'null', '{']) {
        assert.deepEqual(heard(callback_url, text), { kind: 'hint', subject: { by: 'provider_key', value: provider_key } });
      }
      assert.deepEqual(heard('https://pay.example/', '{"status":"SUCCESS"}'), { kind: 'hint', subject: null });
      assert.deepEqual(heard(callback_url.replace('att_', 'att_test_'), '{}'), { kind: 'hint', subject: null });
    }
  });
});
