import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Format, FORMATS, HOLE, Packing, unpack } from '../../src/kit/packing.ts';

/** A packing for each format that this release writes. */
const WRITTEN = FORMATS.filter(({ pack }) => pack).map(({ number }) => {
  const packing = new Packing(FORMATS);
  packing.permit(number);
  return packing;
});
const NEWEST = WRITTEN.at(-1) as Packing;
const packWhole = (text: string) => NEWEST.packWhole(text);

/** As the statement that writes a row puts it together. */
const stored = (text: string, ...values: (string | number)[]) => {
  const packed = NEWEST.packForStatement(text);
  return Buffer.concat([Buffer.from(`${[packed[0], ...values].join('|')}\n`), Buffer.from(packed.slice(1), 'base64')]);
};

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

const DECISION = JSON.stringify({
  ...{ at: '2026-11-21T13:44:03.456Z', operation: 'collect', channel: 'cm.mtn', currency: 'XAF', amount: 25_000, rule: null },
  ...{ by: 'built_in', draw: null },
  accounts: [
    {
      ...{ name: 'sandbox', account_id: 'sandbox', provider: 'sandbox', verdict: 'chosen', place: 1 },
      ...{ why: 'it comes with the sandbox', health: null },
    },
  ],
});

/** As the API returns it, with texts that no dictionary was made from. */
const PAYMENT = JSON.stringify({
  code: 202,
  message: 'Payment is processing',
  body: {
    action: { kind: 'confirm' },
    transaction: {
      ...{ id: 'trx_01m7z5k2m0v159b648bmcr09rt', reference: 'Q-7731', amount: 25_000, currency: 'XAF', status: 'processing' },
      ...{
        channel: 'cm.mtn',
        description: 'Deux paniers',
        sandbox: false,
        created_at: '2026-11-21T13:44:03.456Z',
        settled: false,
      },
      ...{ reason: null, metadata: null, amount_total: 25_000, amount_captured: 0, amount_refunded: 0, fee: 500 },
      ...{ bearer: 'merchant', message: null, customer: 'cus_01m7z5k2m0qn5d2g0e926zcd1c', payment_method: null, account: null },
      ...{ callback: null, items: null, address: null, shipping: null, theming: null, expires_at: '2026-11-22T13:44:03.456Z' },
      ...{ completed_at: null, updated_at: '2026-11-21T13:44:04.001Z', attempts: [] },
    },
  },
  version: '2026-08-01',
});

/** Stored forms of {@link BODY} by the number of their dictionary. */
const KEPT = {
  1: 'MQpDyr0GhrnmVabZRrkGZqnFFcYZZal5VQaFyYUGWZTla7jVJiZWBsZ6JqZmUaRmdUOSsjrCI2kZFclZaWZFJQbmaRXFZVlYcz9CeZmhqWWSmYlFUm5ykYFlUQlSJjbCkYtRc6dLammFQkFiXmZqUbHC4QUKOZlloJSPkr9qa2sB',
  2: 'Mgpyr50MIicT0pnnI1HHcELEGieUyzyIg6CK2IUmW0CKSOGkcQ+IcFJ0JnwQRmxKVQspZQ+yOFjXihJMneJDiJ8MnGORTRTDRgjBs1D7JBz4YNCH6KDxQkmTyzV23J5RDwvnJh1tNHeJYb3792IaNRTrFdKs8UKQkJAQgIr399ABbsfRszMSXHbBrwAA2DzJenxy5/4O0ACImJVK2BongBld',
  3: 'Mwp0cF2JEEcu/+0Xv8kUIn4SrkAikkW0kXD3j+RWCY7VYJpx0xpQf6srGj8NLfRIbPOh/lCwTSk63UsnYGPA/DLTtSJU/LJJ9mfrtFSBai2Lb8BYJKTk5MCAivf30AFux9GzMxJcdsGvAADYPMl6fHLn/g7QAIiYlUrYGieAGV0=',
};
/** Their hashes. */
const DICTIONARIES = {
  2: '0d2546c8487bfc61396c2721802973fe9fae63bdbbcdd7376b22f0ffbdd21ed6',
  3: 'da90f74e529bf729a11b702a8b9c54c9ed809eca3ab0df23835c97b8ae5317a3',
};

/** What each format makes of a text. */
const restored = (text: string) => new Set(WRITTEN.map((packing) => unpack(packing.packWhole(text))));

test('any JSON is unpacked byte for byte', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
      assert.deepEqual(restored(text), new Set([text]));
    }),
  );
});

test('any JSON with ids and times, and what looks like them, is unpacked byte for byte', () => {
  const chars = fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyzZ');
  const id = fc.string({ unit: chars, minLength: 24, maxLength: 60 });
  const ulid = fc.tuple(
    fc.constantFrom(...'0178'),
    fc.string({ unit: fc.constantFrom(...'017akz'), minLength: 25, maxLength: 25 }),
  );
  const digits = (length: number) => fc.string({ unit: fc.constantFrom(...'0123459'), minLength: length, maxLength: length });
  const time = fc
    .tuple(digits(4), digits(2), digits(2), digits(2), digits(2), digits(2), digits(3))
    .map(([year, month, day, hour, minute, second, ms]) => `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
  const value = fc.oneof(
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    ...[
      time,
      id,
      ulid.map((parts) => parts.join('')),
      ulid.map((parts) => `trx_test_${parts.join('')}`),
      fc.string({ unit: 'binary' }),
    ],
    ...[fc.double(), fc.constant('\u0001 \u0002 \u0003'), fc.constant(BODY), fc.constant(BODY.repeat(20))],
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(value, fc.dictionary(fc.string(), value))), (values) => {
      const text = JSON.stringify(values);
      assert.deepEqual(restored(text), new Set([text]));
    }),
    { numRuns: 1_000 },
  );
});

test('even a text that is not JSON is unpacked byte for byte', () => {
  for (const text of ['', 'é\u0002', '\u0003'.repeat(3_000), `${BODY}\u0002`]) assert.deepEqual(restored(text), new Set([text]));
});

test('a text of many kilobytes is deflated, as a caller can send many of them', () => {
  const values = Array.from({ length: 1_000 }, (_, i) => new Date(1_790_000_000_000 + i * 37).toISOString());
  const text = JSON.stringify(values);
  const packed = packWhole(text);
  assert.deepEqual([packed[2], unpack(packed)], [0xff, text]);
});

test('a text that repeats itself is packed by what it repeats', () => {
  const text = JSON.stringify(Array.from({ length: 200 }, () => 'Zyx wvutsrq 98765'));
  assert.ok(packWhole(text).length < 200, `${packWhole(text).length} bytes`);
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

test('rows from years ago stay readable: the dictionaries never change', () => {
  for (const [number, kept] of Object.entries(KEPT)) assert.equal(unpack(Buffer.from(kept, 'base64')), BODY, number);
  for (const [number, hash] of Object.entries(DICTIONARIES)) {
    const dictionary = fs.readFileSync(path.join(import.meta.dirname, `../../src/kit/packing-${number}.json`));
    assert.equal(createHash('sha256').update(dictionary).digest('hex'), hash, number);
  }
});

test('a response and a routing decision are packed to a sixth of their size, a short event to less than half', () => {
  for (const text of [PAYMENT, DECISION]) {
    assert.ok(packWhole(text).length <= text.length / 6, `${packWhole(text).length} of ${text.length} bytes`);
  }
  assert.ok(packWhole(BODY).length < BODY.length / 2, `${packWhole(BODY).length} of ${BODY.length} bytes`);
});

test('an unknown format is an error', () => {
  assert.throws(() => unpack(Buffer.from('9\nxx')), /format 9/);
});

test('a field that a release adds between others costs what it takes by itself', () => {
  const added = PAYMENT.replace('"callback":', '"added_in_between":null,"callback":').replace(
    '"bearer":',
    '"another":null,"bearer":',
  );
  const [before, after] = [packWhole(PAYMENT), packWhole(added)];
  assert.ok(after.length - before.length < 45, `${after.length - before.length} bytes`);
});

/** A format of a later release. */
const LATER: Format = {
  number: 4,
  pack: (text) => Buffer.from(text).reverse(),
  unpack: (packed) => Buffer.from(packed).reverse().toString(),
};

test('a format is written only where it is permitted, so that nodes of the previous release can read it', () => {
  const [older, newer] = [new Packing(FORMATS), new Packing([...FORMATS, LATER])];
  for (const permitted of [undefined, 2]) {
    if (permitted) newer.permit(permitted);
    assert.equal(older.unpack(newer.packWhole(BODY)), BODY);
    assert.equal(newer.packForStatement(BODY)[0], '2');
  }
  newer.permit(4);
  assert.equal(newer.packWhole(BODY).toString('latin1', 0, 2), '4\n');
  assert.equal(newer.packForStatement(BODY)[0], '4');
  assert.throws(() => older.unpack(newer.packWhole(BODY)), /format 4/);
  older.permit(4);
  assert.equal(older.packForStatement(BODY)[0], '3', 'a release writes what it knows');
  for (const from of [older, newer]) assert.equal(newer.unpack(from.packWhole(BODY)), BODY);
});
