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
