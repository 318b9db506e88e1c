import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HOLE, MARK, packText, packWhole, unpack } from '../../src/kit/packing.ts';

/** As the statement that writes a row puts it together. */
const stored = (text: string, ...values: (string | number)[]) =>
  Buffer.concat([Buffer.from(`${[MARK, ...values].join('|')}\n`), packText(text)]);

const BODY = JSON.stringify({
  id: 'evt_01m7z5k2m06esx3hvenz0qcq0j',
  event: 'payment.succeeded',
  livemode: true,
  created: '2026-11-21T13:44:03.456Z',
  api_version: '2026-08-01',
  pending_webhooks: 1,
  request: { id: null, idempotency_key: 'req_01m7z5k2m0fhxcjf6rt07fxsvj' },
  data: {
    id: 'trx_01m7z5k2m0v159b648bmcr09rt',
    amount: 25_000,
    currency: 'XAF',
    description: 'Deux paniers à livrer',
    metadata: {},
  },
});

test('any JSON is unpacked byte for byte', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
      assert.equal(unpack(packWhole(text)), text);
    }),
  );
});

test('values are filled in in order, even if a value looks like a marker', () => {
  const text = `{"pending_webhooks":${HOLE},"data":{"customer":"${HOLE}","reference":"1|2\\n$1"}}`;
  assert.equal(
    unpack(stored(text, 3, 'cus_01m7z5k2m0qn5d2g0e926zcd1c')),
    '{"pending_webhooks":3,"data":{"customer":"cus_01m7z5k2m0qn5d2g0e926zcd1c","reference":"1|2\\n$1"}}',
  );
});

test('JSON that was never packed is returned unchanged', () => {
  assert.equal(unpack(Buffer.from('{"é":1}')), '{"é":1}');
});

test('rows from years ago stay readable: the words of dictionary 1 never change', () => {
  const kept =
    'MQpDyr0GhrnmVabZRrkGZqnFFcYZZal5VQaFyYUGWZTla7jVJiZWBsZ6JqZmUaRmdUOSsjrCI2kZFclZaWZFJQbmaRXFZVlYcz9CeZmhqWWSmYlFUm5ykYFlUQlSJjbCkYtRc6dLammFQkFiXmZqUbHC4QUKOZlloJSPkr9qa2sB';
  assert.equal(unpack(Buffer.from(kept, 'base64')), BODY);
});

test('even a short event is packed to less than half its size', () => {
  assert.ok(packWhole(BODY).length < BODY.length / 2, `${packWhole(BODY).length} of ${BODY.length} bytes`);
});

test('an unknown dictionary is an error', () => {
  assert.throws(() => unpack(Buffer.from('9\nxx')), /dictionary 9/);
});
