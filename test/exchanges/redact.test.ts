import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import { redactedBody, redactedPath } from '../../src/providers/exchanges/redact.ts';

const PHONE = '+2250701020304';
const shown = (body: unknown, numbers: readonly string[] | null = [PHONE]) => {
  const text = redactedBody(JSON.stringify(body), numbers);
  return text === null ? null : JSON.parse(text);
};

test('statuses, codes, amounts, times and ids are kept', () => {
  const body = {
    ...{ depositId: 'f4401bd2-1568-4140-bf2d-eb77d2b2b639', status: 'COMPLETED', amount: '15000', currency: 'XOF' },
    ...{ clientReferenceId: newId('att', 'live', Date.now()), created: '2026-11-23T10:00:00.123Z', ResultCode: 1032 },
    ...{ providerTransactionId: 'MP261123.1000.A12345', financialTransactionId: '1000234567', errorCode: '500.001.1001' },
    failureReason: { failureCode: 'PAYER_NOT_FOUND' },
  };
  assert.deepEqual(shown(body), body);
});

test('fields that name a person or a secret are named without their value, and others are only counted', () => {
  const body = {
    payer: { type: 'MMO', accountDetails: { phoneNumber: '2250701020304', provider: 'ORANGE_CIV' } },
    ...{ customerMessage: 'Pour Awa', access_token: 'secret', message: 'Awa Traore has no money' },
    ...{ full_name: 'Awa Traore', '+2250701020304': 1, Awa: { status: 'x' } },
  };
  assert.deepEqual(shown(body), {
    payer: { type: 'MMO', accountDetails: { phoneNumber: '…', provider: 'ORANGE_CIV' } },
    ...{ customerMessage: '…', access_token: '…', message: '…', '…': 3 },
  });
});

const PERSONAL = [
  '2250701020304',
  '+225 07 01 02 03 04',
  '0701020304',
  'id-0701020304',
  'awa@payer.example',
  'Awa Traore',
  'Awa',
];

test('a value in a known field is hidden when it could be of the payer', () => {
  for (const value of PERSONAL) {
    for (const field of ['id', 'externalId', 'reference', 'amount', 'created']) {
      assert.deepEqual(shown({ [field]: value }), { [field]: '…' }, `${field}: ${value}`);
    }
  }
  for (const value of PERSONAL) assert.deepEqual(shown({ status: value }), { status: '…' }, value);
  assert.deepEqual(shown({ id: 2250701020304, amount: 701020304 }), { id: '…', amount: '…' });
});

test('without the number of the payer, no long number is kept', () => {
  assert.deepEqual(shown({ id: '2250701020304', amount: '15000' }, null), { id: '…', amount: '15000' });
  assert.deepEqual(shown({ id: '2250701020304' }, ['12']), { id: '…' });
});

test('a number is recognised by the phone number only: beside an account or a token, no long number is kept', () => {
  for (const numbers of [['0123456789012'], ['tok_1234567890'], ['0123456789012', '12']]) {
    assert.deepEqual(shown({ id: '2250701020304' }, numbers), { id: '…' }, numbers.join());
  }
  assert.deepEqual(shown({ id: '0123456789012', amount: '15000' }, [PHONE, '0123456789012']), { id: '…', amount: '15000' });
});

test('card numbers, names that are joined, and a number of the person at the provider are hidden', () => {
  for (const card of ['4242424242424242', '4242-4242-4242-4242', '5555555555554444']) {
    assert.deepEqual(shown({ id: card, transactionId: card, status: card }), { id: '…', transactionId: '…', status: '…' }, card);
  }
  for (const name of ['Awa-Traore', 'Awa.Traore', 'Awa_Traore-Kone']) assert.deepEqual(shown({ status: name }), { status: '…' });
  assert.deepEqual(shown({ customer: { id: 252759, created_at: '2026-11-23T10:00:00Z' } }), { customer: '…' });
});

test('what a merchant writes about a payment is hidden where a provider takes it as a reference', () => {
  for (const text of ['Awa2026', 'Loyer-Traore-12', 'order.7', '0809']) {
    assert.deepEqual(shown({ reference: text }), { reference: '…' }, text);
  }
  const ours = { reference: 'f4401bd2-1568-4140-bf2d-eb77d2b2b639' };
  assert.deepEqual(shown(ours), ours);
});

test('what is not a JSON object, too long, too deep or too wide is left out or cut', () => {
  for (const body of [
    '',
    '<html>Awa</html>',
    '\u0000\ufffd',
    '"Awa"',
    '12',
    'null',
    '{"status":',
    `{"a":"${'x'.repeat(70_000)}"}`,
  ]) {
    assert.equal(redactedBody(body, [PHONE]), null, body.slice(0, 20));
  }
  const deep = `${'{"data":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
  assert.ok((redactedBody(deep, [PHONE]) ?? '').length < 200);
  const wide = redactedBody(JSON.stringify({ data: Array.from({ length: 5_000 }, () => ({ status: 'COMPLETED' })) }), [PHONE]);
  assert.ok((wide ?? '').length <= 4_000);
  const long = redactedBody(
    JSON.stringify({ data: Array.from({ length: 10 }, () => Object.fromEntries(['a', 'b'].map((x) => [x, 1]))) }),
    null,
  );
  assert.equal(long, JSON.stringify({ data: Array.from({ length: 10 }, () => ({ '…': 2 })) }));
});

test('a path keeps words, versions and random ids, without host and query', () => {
  const id = 'f4401bd2-1568-4140-bf2d-eb77d2b2b639';
  const paths = {
    [`https://api.pawapay.example/v2/deposits/${id}?phone=${PHONE}`]: `/v2/deposits/${id}`,
    'https://momo.example/collection/v1_0/accountholder/msisdn/2250701020304/active':
      '/collection/v1_0/accountholder/msisdn/…/active',
    'https://x.example/pay/awa%40payer.example/abc123def456ghi789': '/pay/…/…',
    'not a url': '/',
  };
  for (const [url, path] of Object.entries(paths)) assert.equal(redactedPath(url), path);
});
