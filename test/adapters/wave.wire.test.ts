import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { suite, test } from 'node:test';
import { Value } from 'typebox/value';
import type { RawCallback } from '../../src/providers/adapters/contract.ts';
import { wave } from '../../src/providers/adapters/wave/index.ts';
import { CREDENTIALS, HANDLE, onWave, PAGE, payoutOnWave, refundOnWave, SESSION, waveStub } from './wave-stub.ts';
import { answered, bodyOf } from './wire-stub.ts';

const made = () => answered(200, SESSION);
const NOW = 1_763_719_200_000;

suite('requests to Wave', () => {
  test('a session: whole francs, our key, the return address of the payer, and the wallet owner', async () => {
    const { provider, calls } = waveStub(made);
    const collection = onWave(provider);
    const prepared = await provider.prepare?.(collection);
    assert.deepEqual(prepared, { kind: 'ready', handle: HANDLE });
    const [call] = calls;
    assert.deepEqual([call?.method, call?.url], ['POST', 'https://api.wave.com/v1/checkout/sessions']);
    assert.deepEqual(call?.headers, {
      authorization: 'Bearer wave_sn_prod_key',
      'content-type': 'application/json',
      'idempotency-key': collection.provider_key,
    });
    assert.deepEqual(bodyOf(call), {
      amount: '25000',
      currency: 'XOF',
      success_url: collection.return_url,
      error_url: collection.return_url,
      client_reference: collection.provider_key,
      restrict_payer_mobile: '+221771000000',
    });
  });

  test('a session is not restricted to a payer when the payer is unknown', async () => {
    const { provider, calls } = waveStub(made);
    await provider.prepare?.(onWave(provider, { payer: null }));
    assert.equal('restrict_payer_mobile' in bodyOf(calls[0]), false);
  });

  test('submitting a prepared attempt sends nothing and returns the page, also when repeated', async () => {
    const { provider, calls } = waveStub(made);
    const collection = onWave(provider, { handle: HANDLE });
    for (const said of [await provider.submit(collection), await provider.submit(collection)]) {
      assert.ok(said.kind === 'accepted');
      assert.deepEqual(said.next, { kind: 'redirect', url: PAGE });
    }
    assert.deepEqual(calls, []);
  });

  test('status queries, cancellation and refunds address the session', async () => {
    const { provider, calls } = waveStub(() => answered(200, ''));
    const collection = onWave(provider, { handle: HANDLE });
    await provider.read(collection);
    await provider.cancel?.(collection);
    await provider.refunds?.submit(refundOnWave(provider));
    await provider.refunds?.read(refundOnWave(provider));
    assert.deepEqual(
      calls.map(({ method, url, body }) => [method, url.slice('https://api.wave.com/v1/checkout/sessions/'.length), body]),
      [
        ['GET', 'cos-1', undefined],
        ['POST', 'cos-1/expire', undefined],
        ['POST', 'cos-1/refund', undefined],
        ['GET', 'cos-1', undefined],
      ],
    );
  });

  test('a payout contains our key twice, and is searched by it', async () => {
    const { provider, calls } = waveStub(() => answered(200, { result: [] }));
    const payout = payoutOnWave(provider, { description: `Salaire d'août ${'x'.repeat(60)}` });
    await provider.payouts?.submit(payout);
    await provider.payouts?.read(payout);
    const [call, search] = calls;
    assert.deepEqual([call?.method, call?.url], ['POST', 'https://api.wave.com/v1/payout']);
    assert.equal(call?.headers?.['idempotency-key'], payout.provider_key);
    assert.deepEqual(bodyOf(call), {
      currency: 'XOF',
      receive_amount: '25000',
      mobile: '+221771000000',
      client_reference: payout.provider_key,
      name: 'Awa N.',
      payment_reason: `Salaire d aout ${'x'.repeat(25)}`,
    });
    assert.equal(search?.url, `https://api.wave.com/v1/payouts/search?client_reference=${payout.provider_key}`);
  });

  test('sends nothing for a fraction of a franc, or for a recipient without a number', async () => {
    const { provider, calls } = waveStub(made);
    assert.equal((await provider.prepare?.(onWave(provider, { amount_minor: 25_50n })))?.kind, 'unavailable');
    assert.equal((await provider.payouts?.submit(payoutOnWave(provider, { amount_minor: 25_50n })))?.kind, 'unavailable');
    const recipient = { name: '', phone: null, account_number: '1', bank_code: null };
    assert.deepEqual(await provider.payouts?.submit(payoutOnWave(provider, { recipient })), {
      ...{ kind: 'failed', reason: 'invalid_recipient', message: 'not a number Wave could pay' },
    });
    assert.deepEqual(calls, []);
  });

  test('requests are signed over the time and the body without a separator, where the key requires it', async () => {
    const { provider, calls } = waveStub(made, { request_signing_secret: 'requests' }, () => NOW);
    await provider.prepare?.(onWave(provider));
    await provider.read(onWave(provider, { handle: HANDLE }));
    for (const { headers, body } of calls) {
      const mac = createHmac('sha256', 'requests')
        .update(`1763719200${body ?? ''}`)
        .digest('hex');
      assert.equal(headers?.['wave-signature'], `t=1763719200,v1=${mac}`);
    }
  });

  test('an account offers only the wallet it belongs to', () => {
    const { provider } = waveStub(made, { country: 'ci' });
    assert.deepEqual(
      provider.offers()?.map(({ channel, currency, operations }) => `${channel} ${currency} ${operations.join('+')}`),
      ['ci.wave XOF collect+payout'],
    );
    assert.equal(provider.payouts?.reaches('ci.wave', 'XOF'), true);
    assert.equal(provider.payouts?.reaches('sn.wave', 'XOF'), false);
    assert.equal(provider.payouts?.reaches('ci.wave', 'XAF'), false);
    assert.equal(provider.refunds?.extent, 'full');
    assert.equal(provider.lookup, undefined);
  });

  test('credentials with an unknown country, or with values that allow header injection, are rejected', () => {
    const fits = (changes: object) => Value.Check(wave.credentials, { ...CREDENTIALS, ...changes });
    assert.equal(fits({}), true);
    for (const changes of [{ country: 'fr' }, { api_key: 'a\r\nx: y' }, { api_key: undefined }, { webhook_shared_secret: ' ' }]) {
      assert.equal(fits(changes), false);
    }
  });
});

suite('webhooks of Wave', () => {
  const SECRET = 'webhooks';
  const { provider } = waveStub(made, { webhook_signing_secret: SECRET }, () => NOW);
  const key = onWave(provider).provider_key;
  const complete = { checkout_status: 'complete', payment_status: 'succeeded', transaction_id: 'T_1' };
  const event = (fields: object, type = 'checkout.session.completed') =>
    JSON.stringify({ id: 'EV_1', type, data: { ...SESSION, client_reference: key, ...fields } });
  const macOf = (secret: string, t: number | string, body: string) =>
    createHmac('sha256', secret).update(`${t}${body}`).digest('hex');
  const raw = (body: string, headers: RawCallback['headers']): RawCallback => ({
    ...{ method: 'POST', url: 'https://pay.example/_callbacks/pa_test', headers, body: Buffer.from(body) },
  });
  const judge = (body: string, header: string | undefined) => provider.verifyCallback?.(raw(body, { 'wave-signature': header }));
  const t = NOW / 1_000;
  const subject = { by: 'provider_key', value: key };

  test('a signed success is applied as a result', () => {
    const body = event(complete);
    assert.deepEqual(judge(body, `t=${t},v1=${macOf(SECRET, t, body)}`), {
      kind: 'signed',
      subject,
      update: { kind: 'succeeded', provider_ref: 'T_1', amount_minor: 25_000_00n, currency: 'XOF' },
    });
  });

  test('one of several signatures must match: secrets are rotated without a gap', () => {
    const body = event(complete);
    assert.equal(judge(body, `t=${t},v1=${'0'.repeat(64)},v1=${macOf(SECRET, t, body)}`)?.kind, 'signed');
  });

  for (const [what, fields] of [
    ['a try that failed', { last_payment_error: { code: 'insufficient-funds', message: 'x' } }],
    ['a success without its amount', { ...complete, amount: null }],
    ['a session we cannot read', { checkout_status: 'new' }],
  ] as const) {
    test(`${what} is not an update: the status of the session is queried`, () => {
      const body = event(fields, 'checkout.session.payment_failed');
      assert.deepEqual(judge(body, `t=${t},v1=${macOf(SECRET, t, body)}`), { kind: 'signed', subject, update: null });
    });
  }

  test('a signed event about an unknown object is ignored', () => {
    for (const body of ['{}', 'null', '{"data":{"client_reference":"42"}}', '{"type":"test.test_event","data":{}}', '[']) {
      assert.deepEqual(judge(body, `t=${t},v1=${macOf(SECRET, t, body)}`), { kind: 'signed', subject: null, update: null });
    }
  });

  const body = event(complete);
  for (const [what, header] of [
    ['no signature', undefined],
    ['an empty one', ''],
    ['a signature without a time', `v1=${macOf(SECRET, t, body)}`],
    ['a time without a signature', `t=${t}`],
    ['one under another secret', `t=${t},v1=${macOf('another', t, body)}`],
    ['one with a dot in between', `t=${t},v1=${macOf(SECRET, `${t}.`, body)}`],
    ['one over another body', `t=${t},v1=${macOf(SECRET, t, `${body} `)}`],
    ['one under another time', `t=${t},v1=${macOf(SECRET, t - 1, body)}`],
    ['one that is too short', `t=${t},v1=${macOf(SECRET, t, body).slice(2)}`],
    ['one of an older scheme', `t=${t},v0=${macOf(SECRET, t, body)}`],
    ['one of more than five minutes ago', `t=${t - 301},v1=${macOf(SECRET, t - 301, body)}`],
    ['one from further ahead than clocks differ', `t=${t + 31},v1=${macOf(SECRET, t + 31, body)}`],
    ['text', 'signed by Wave'],
  ] as const) {
    test(`${what} is forged`, () => {
      assert.equal(judge(body, header)?.kind, 'forged');
    });
  }

  test('the oldest and the furthest future timestamps that are accepted', () => {
    for (const at of [t - 300, t + 30]) assert.equal(judge(body, `t=${at},v1=${macOf(SECRET, at, body)}`)?.kind, 'signed');
  });

  test('a repeated header is invalid', () => {
    const header = `t=${t},v1=${macOf(SECRET, t, body)}`;
    assert.equal(provider.verifyCallback?.(raw(body, { 'wave-signature': [header, header] }))?.kind, 'forged');
  });

  test('a valid shared secret is only a hint; a wrong one is forged', () => {
    const shared = waveStub(made, { webhook_shared_secret: 'shared' }, () => NOW).provider;
    const heard = (authorization?: string) => shared.verifyCallback?.(raw(body, { authorization }));
    assert.deepEqual(heard('Bearer shared'), { kind: 'hint', subject, proven: true });
    for (const wrong of [undefined, '', 'shared', 'Bearer share', 'Bearer shared2']) assert.equal(heard(wrong)?.kind, 'forged');
  });

  test('without a secret a webhook only causes a poll', () => {
    assert.deepEqual(waveStub(made).provider.verifyCallback?.(raw(body, {})), { kind: 'hint', subject });
  });
});
