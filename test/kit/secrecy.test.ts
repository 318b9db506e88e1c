import assert from 'node:assert/strict';
import { test } from 'node:test';
import { symbols } from 'pino';
import { Secrets } from '../../src/kit/crypto.ts';
import { blot, createLog } from '../../src/kit/log.ts';
import { makeToken, readToken, type TokenSubject } from '../../src/core/payments/token.ts';

const KEY = 'sk_test.0123456789abcdefghijABCDEFGHIJ0123456789abc';

const BLOTTED = [
  '4242424242424242',
  '4242 4242 4242 4242',
  '4242-4242-4242-4242',
  '4242.4242.4242.4242',
  KEY,
  KEY.replace('_test', ''),
  KEY.replace('sk', 'pk'),
  KEY.replace('sk', 'rk'),
  'whsec_0123456789abcdefghijABCDEFGHIJ',
];

for (const secret of BLOTTED) {
  test(`${secret} is redacted from a sentence`, () => {
    assert.equal(blot(`it was ${secret}, they said`), 'it was [redacted], they said');
  });
}

test('ids, amounts and short numbers are not redacted', () => {
  const line = 'trx_test_01m7y5hwfy29pze9s1mjv4rn7r 25000 XAF 2026-11-21 port 5432';
  assert.equal(blot(line), line);
});

/** A log line of what the service's own logger makes of it. */
function logged(fields: object, message: string): string {
  let written = '';
  const log = createLog({ level: 'info', format: 'json' });
  Object.assign(log, { [symbols.streamSym]: { write: (line: string) => (written += line) } });
  log.info(fields, message);
  return written;
}

test('the log redacts values of secret fields, and secrets in messages and errors', () => {
  const card = '4242424242424242';
  const error = Object.assign(new Error(`bad card ${card} for ${KEY}`, { cause: new Error(`from ${card}`) }), {
    detail: `Key (email)=(awa@shop.example)`,
    parameters: [card],
  });
  const line = logged(
    {
      authorization: KEY,
      req: { authorization: KEY, body: card },
      card_number: card,
      phone: '+237650000001',
      email: 'awa@shop.example',
      err: error,
    },
    `paid with ${card} by ${KEY}`,
  );
  assert.match(line, /paid with \[redacted\] by \[redacted\]/);
  for (const secret of [card, KEY, '+237650000001', 'awa@shop.example'])
    assert.ok(!line.includes(secret), `${secret} in ${line}`);
});

const NAMES =
  'authorization cookie secret password key token pin otp cvc cvv pan card card_number security_code phone email body'.split(' ');

test('each secret name is redacted in a line and in its objects; all else stays', () => {
  const secret = 'a-value-like-no-other';
  const own: Record<string, string> = Object.fromEntries(NAMES.map((name) => [name, secret]));
  const kept = { status: 201, path: '/payments', at: new Date(0), list: [1, 'two'], none: null, of: { name: 'Awa', deep: [3] } };
  const fields = { ...own, inner: { ...own, ...kept }, ...kept };
  const written = JSON.parse(logged(fields, 'x'));
  for (const name of NAMES) assert.deepEqual([written[name], written.inner[name]], ['[redacted]', '[redacted]'], name);
  const plain = JSON.parse(JSON.stringify(kept));
  for (const name of Object.keys(kept)) assert.deepEqual([written[name], written.inner[name]], [plain[name], plain[name]]);
  assert.equal((fields.inner as Record<string, unknown>).pin, secret, 'the object itself is not changed');
  assert.ok(!('email' in JSON.parse(logged({ email: undefined }, 'x'))));
});

test('a thrown string is redacted too', () => {
  const line = logged({ err: 'failed for 4242 4242 4242 4242' }, 'x');
  assert.ok(!line.includes('4242 4242'));
});

const secrets = new Secrets(Buffer.alloc(32, 3));
const SUBJECT: TokenSubject = {
  environment: 'sandbox',
  team_id: 140_737_488_355_329n,
  payment_id: 'trx_test_01m7y5hwfy29pze9s1mjv4rn7r',
};
const LIVE: TokenSubject = { ...SUBJECT, environment: 'live', payment_id: 'trx_01m7y5hwfy29pze9s1mjv4rn7r' };

test('a token decodes to its environment, team and payment', () => {
  assert.deepEqual(readToken(secrets, makeToken(secrets, SUBJECT)), SUBJECT);
  assert.deepEqual(readToken(secrets, makeToken(secrets, LIVE)), LIVE);
});

test('a token with one character changed, removed or added is rejected', () => {
  const token = makeToken(secrets, SUBJECT);
  for (let i = 0; i < token.length; i++) {
    const other = token[i] === 'a' ? 'b' : 'a';
    assert.equal(readToken(secrets, token.slice(0, i) + other + token.slice(i + 1)), null, `changed at ${i}`);
    assert.equal(readToken(secrets, token.slice(0, i) + token.slice(i + 1)), null, `left out at ${i}`);
  }
  for (const odd of [`${token}a`, `a${token}`, `${token}\n`, '', '.', token.toUpperCase()])
    assert.equal(readToken(secrets, odd), null);
});

test('a token of another installation is rejected, and a sandbox token never becomes live', () => {
  assert.equal(readToken(new Secrets(Buffer.alloc(32, 4)), makeToken(secrets, SUBJECT)), null);
  assert.equal(readToken(secrets, makeToken(secrets, SUBJECT).replace('test_', '')), null);
});
