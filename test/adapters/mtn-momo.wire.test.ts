import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Ajv } from 'ajv';
import { Value } from 'typebox/value';
import type { SendOptions } from '../../src/kit/fetch.ts';
import { uuidOf } from '../../src/kit/ids.ts';
import type { RawCallback } from '../../src/providers/adapters/contract.ts';
import { mtnMomo } from '../../src/providers/adapters/mtn-momo/index.ts';
import { collection, CREDENTIALS, stubbed } from './mtn-momo-stub.ts';
import { answered, payoutFor, refundFor } from './wire-stub.ts';

const accepting = () => answered(202, '');
const bodyOf = (call: SendOptions | undefined) => JSON.parse(String(call?.body));

suite('requests to MTN MoMo', () => {
  test('a request to pay: our key, the market, the payer without a plus, and no other fields', async () => {
    const { provider, calls } = stubbed(accepting);
    const said = await provider.submit(collection(provider));
    assert.deepEqual(said, {
      kind: 'accepted',
      provider_ref: null,
      next: { kind: 'confirm', hint: '*126#' },
      poll_after_ms: provider.capabilities.polls.first_ms,
    });
    const [call] = calls;
    assert.equal(call?.method, 'POST');
    assert.equal(call?.url, 'https://proxy.momoapi.mtn.com/collection/v1_0/requesttopay');
    const key = uuidOf(collection(provider).attempt_id);
    assert.deepEqual(call?.headers, {
      authorization: 'Bearer token-1',
      'ocp-apim-subscription-key': 'collecting',
      'x-target-environment': 'mtncameroon',
      'content-type': 'application/json',
      'x-reference-id': key,
      'x-callback-url': collection(provider).callback_url,
    });
    assert.deepEqual(bodyOf(call), {
      amount: '25000',
      currency: 'XAF',
      externalId: key,
      payer: { partyIdType: 'MSISDN', partyId: '237653000000' },
      payerMessage: 'Order 42',
      payeeNote: 'Order 42',
    });
  });

  test('a transfer names the payee, a refund the original payment; both use the disbursement product', async () => {
    const { provider, calls } = stubbed(accepting);
    await provider.payouts?.submit(payoutFor(provider));
    await provider.refunds?.submit(refundFor(provider));
    assert.deepEqual(
      calls.map(({ url, headers }) => [new URL(url).pathname, headers?.['ocp-apim-subscription-key']]),
      [
        ['/disbursement/v1_0/transfer', 'disbursing'],
        ['/disbursement/v1_0/refund', 'disbursing'],
      ],
    );
    assert.deepEqual(bodyOf(calls[0]).payee, { partyIdType: 'MSISDN', partyId: '237653000000' });
    assert.equal(bodyOf(calls[1]).referenceIdToRefund, collection(provider).provider_key);
    assert.equal(bodyOf(calls[1]).amount, '10000');
  });

  for (const [text, sent] of [
    ["Facture n° 42 — l'été (à payer)", 'Facture n 42 l ete a payer'],
    ['Cœur & Cie <script>', 'Coeur Cie script'],
    ['  a\n\tb  ', 'a b'],
    ['دفع', 'Payment'],
    ['', 'Payment'],
    ['x'.repeat(500), 'x'.repeat(160)],
    [`${'x'.repeat(159)} y`, 'x'.repeat(159)],
  ] as const) {
    test(`the text ${JSON.stringify(text.slice(0, 40))} is sent as letters and digits that pass the firewall`, async () => {
      const { provider, calls } = stubbed(accepting);
      await provider.submit(collection(provider, { description: text }));
      assert.deepEqual([bodyOf(calls[0]).payerMessage, bodyOf(calls[0]).payeeNote], [sent, sent]);
    });
  }

  for (const [target_environment, currency, amount_minor, sent] of [
    ['mtncameroon', 'XAF', 25_000_00n, '25000'],
    ['mtnghana', 'GHS', 12_50n, '12.50'],
    ['mtnghana', 'GHS', 5n, '0.05'],
    ['mtnghana', 'GHS', 1_234_567_00n, '1234567'],
    ['sandbox', 'EUR', 99_01n, '99.01'],
  ] as const) {
    test(`${amount_minor} hundredths of ${currency} are sent as ${sent} and read back exactly`, async () => {
      const credentials = { ...CREDENTIALS, target_environment };
      const { provider, calls } = stubbed(
        ({ method }) =>
          method === 'POST'
            ? accepting()
            : answered(200, { status: 'SUCCESSFUL', amount: sent, currency, financialTransactionId: '7' }),
        { credentials },
      );
      const wanted = collection(provider, { currency, amount_minor });
      await provider.submit(wanted);
      assert.equal(bodyOf(calls[0]).amount, sent);
      assert.deepEqual(await provider.read(wanted), { kind: 'succeeded', provider_ref: '7', amount_minor, currency });
    });
  }

  test('sends nothing when the amount has decimals that the currency lacks, or the number is invalid', async () => {
    const { provider, calls } = stubbed(accepting);
    assert.equal((await provider.submit(collection(provider, { amount_minor: 25_50n }))).kind, 'unavailable');
    assert.equal((await provider.submit(collection(provider, { payer: null }))).kind, 'refused');
    assert.equal((await provider.submit(collection(provider, { payer: '../balance' }))).kind, 'refused');
    const recipient = { name: 'Awa N.', phone: null, account_number: '123', bank_code: null };
    assert.deepEqual(await provider.payouts?.submit(payoutFor(provider, { recipient })), {
      kind: 'failed',
      reason: 'invalid_recipient',
      message: 'not a number MTN MoMo could pay',
    });
    assert.deepEqual(await provider.lookup?.('cm.mtn', 'nobody'), { kind: 'not_found' });
    assert.deepEqual(calls, []);
  });

  test('a callback address that MTN rejects is omitted for ten minutes, and payers can still pay', async () => {
    let now = 0;
    const { provider, calls } = stubbed(
      ({ headers }) => (headers?.['x-callback-url'] ? answered(500, { code: 'INVALID_CALLBACK_URL_HOST' }) : accepting()),
      { now: () => now },
    );
    const addresses = () => calls.splice(0).map(({ headers }) => headers?.['x-callback-url'] !== undefined);
    assert.equal((await provider.submit(collection(provider))).kind, 'accepted');
    assert.deepEqual(addresses(), [true, false]);
    now = 599_999;
    assert.equal((await provider.submit(collection(provider))).kind, 'accepted');
    assert.deepEqual(addresses(), [false]);
    now = 600_000;
    await provider.submit(collection(provider));
    assert.deepEqual(addresses(), [true, false]);
    now = -3_000_000;
    await provider.submit(collection(provider));
    assert.deepEqual(addresses(), [true, false], 'after the clock was set back');
  });

  test('polls start at five seconds and back off to five minutes', async () => {
    const now = 1_000_000;
    const { provider } = stubbed(() => answered(200, { status: 'PENDING' }), { now: () => now });
    const wait = async (age: number | null) => {
      const reading = await provider.read(collection(provider, { submitted_at: age === null ? null : now - age }));
      return reading.kind === 'pending' ? reading.poll_after_ms : reading.kind;
    };
    assert.deepEqual(await Promise.all([null, 0, 10_000, 60_000, 3_600_000].map(wait)), [5_000, 5_000, 5_000, 30_000, 300_000]);
  });
});

suite('accounts of MTN MoMo', () => {
  const { collection_subscription_key, disbursement_subscription_key, ...common } = CREDENTIALS as Record<string, string>;
  const offersOf = (credentials: Record<string, string | undefined>) => {
    const { provider } = stubbed(accepting, { credentials: JSON.parse(JSON.stringify(credentials)) });
    const offers = provider.offers() ?? [];
    return {
      provider,
      said: offers.map(({ channel, currency, operations }) => `${channel} ${currency} ${operations.join('+')}`),
    };
  };

  test('each subscription key enables its product', () => {
    const both = offersOf(CREDENTIALS);
    assert.deepEqual(both.said, ['cm.mtn XAF collect+payout']);
    assert.equal(both.provider.payouts?.reaches('cm.mtn', 'XAF'), true);
    assert.equal(both.provider.payouts?.reaches('cm.mtn', 'EUR'), false);
    assert.equal(both.provider.payouts?.reaches('cm.orange', 'XAF'), false);
    const collecting = offersOf({ ...common, collection_subscription_key });
    assert.deepEqual(collecting.said, ['cm.mtn XAF collect']);
    assert.deepEqual([collecting.provider.payouts, collecting.provider.refunds], [undefined, undefined]);
    const disbursing = offersOf({ ...common, disbursement_subscription_key });
    assert.deepEqual(disbursing.said, ['cm.mtn XAF payout']);
    assert.deepEqual(offersOf(common).said, []);
  });

  test('a product without a subscription key receives no requests', async () => {
    const { provider } = offersOf({ ...common, disbursement_subscription_key });
    const said = await provider.submit(collection(provider));
    assert.deepEqual(said, { kind: 'unavailable', message: 'the account has no collection product' });
  });

  test('the target environment decides channel and currency; the MTN sandbox uses EUR everywhere', () => {
    assert.deepEqual(offersOf({ ...CREDENTIALS, target_environment: 'mtnghana' }).said, ['gh.mtn GHS collect+payout']);
    const sandbox = offersOf({ ...CREDENTIALS, target_environment: 'sandbox', base_url: 'http://127.0.0.1:9' }).said;
    assert.ok(sandbox.includes('cm.mtn EUR collect+payout') && sandbox.every((offer) => offer.includes(' EUR ')));
    assert.deepEqual(offersOf({ ...CREDENTIALS, target_environment: 'mtnatlantis' }).said, []);
  });

  test('credentials without a product, with an unknown market, or with values that allow header injection are rejected', () => {
    const check = new Ajv({ allErrors: true }).compile(mtnMomo.credentials);
    const fits = (credentials: unknown) => {
      assert.equal(Value.Check(mtnMomo.credentials, credentials), check(credentials));
      return check(credentials);
    };
    assert.equal(fits(CREDENTIALS), true);
    assert.equal(fits({ ...common, collection_subscription_key }), true);
    assert.equal(fits(common), false);
    assert.equal(fits({ ...CREDENTIALS, target_environment: 'mtnatlantis' }), false);
    assert.equal(fits({ ...CREDENTIALS, collection_subscription_key: 'a\r\nx: y' }), false);
    for (const field of Object.values(mtnMomo.credentials.properties)) assert.ok('description' in field);
  });
});

suite('callbacks of MTN MoMo', () => {
  const { provider } = stubbed(accepting);
  const ours = collection(provider);
  const raw = (url: string, body: string, method = 'POST'): RawCallback => ({
    method,
    url,
    headers: {},
    body: Buffer.from(body),
  });
  const about = (value: string | null) => ({ kind: 'hint', subject: value === null ? null : { by: 'provider_key', value } });

  for (const [what, given, value] of [
    ['a POST to the address of an attempt', raw(ours.callback_url, '{"status":"SUCCESSFUL"}'), ours.provider_key],
    ['a PUT to it', raw(ours.callback_url, '{}', 'PUT'), ours.provider_key],
    ['one without a body', raw(`${ours.callback_url}?a=b`, ''), ours.provider_key],
    ['one whose body names another', raw(ours.callback_url, JSON.stringify({ externalId: uuidOf('other') })), ours.provider_key],
    ['one for a transfer', raw(payoutFor(provider).callback_url, '{}'), payoutFor(provider).provider_key],
    [
      'one for a refund, whose key only externalId has',
      raw(refundFor(provider).callback_url, JSON.stringify({ externalId: refundFor(provider).provider_key })),
      refundFor(provider).provider_key,
    ],
    [
      'one to the address of the account',
      raw('https://pay.example/_callbacks/pa_test', JSON.stringify({ externalId: ours.provider_key })),
      ours.provider_key,
    ],
    ['an attempt of the other store', raw(ours.callback_url.replace('att_', 'att_test_'), '{}'), null],
    ['an externalId that is not our kind of key', raw('/x', '{"externalId":"42"}'), null],
    ['text', raw('/x', 'SUCCESSFUL'), null],
    ['null', raw('/x', 'null'), null],
  ] as const) {
    test(`${what} is a hint ${value ? 'to look' : 'to nothing'}, whatever amount or status it carries`, () => {
      assert.deepEqual(provider.verifyCallback?.(given), about(value));
    });
  }
});
