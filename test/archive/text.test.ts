import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packArchived, unpackArchived } from '../../src/core/payments/archived-text.ts';
import { newId, uuidOf } from '../../src/kit/ids.ts';

const id = fc.integer({ min: 0, max: 2 ** 41 }).map((at) => newId('att', 'live', at));
const part = fc.oneof(
  id,
  id.map((one) => `${one}","${one}`),
  id.map((one) => `${one}","${uuidOf(one)}`),
  id.map((one) => `provider-${one}x","${uuidOf(one).replaceAll('-', '')}`),
  fc.uuid(),
  fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text).slice(1, -1)),
  fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.stringMatching(/^[A-Za-z0-9+/_-]{12,40}={0,2}$/),
);

test('any text of JSON is unpacked as it was', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = `[1,["${parts.join('","')}"]]`;
      assert.equal(unpackArchived(packArchived(text)), text);
    }),
    { numRuns: 500 },
  );
});

test('a stored text stays readable: form 1 and dictionary 2', () => {
  const text =
    '[1,[],[["att_01m82zg227v4sbftxq15ykv5br","27d0c86c-9c2c-4a4e-8a9e-0d5b9b1c2d3e","AAECAwQFBgcICQoLDA0ODw","MgpjCH14gICB6/HRAQ=="]]]';
  const stored =
    'AQAeAAECAwQFBgcICQoLDA0ODw0yCmMIfXiAgIHr8dEBMgpFBK8z+gULzPikjtbk7RafSKbTkppi9NpVNMNSaZUTFqS11ExxT2mltdLpNNpVPpdQ95geTnmB5O3/QOgCjoHr8dEBt+u3Mtl4lT19CQ==';
  assert.equal(packArchived(text).toString('base64'), stored);
  assert.equal(unpackArchived(Buffer.from(stored, 'base64')), text);
});

test('a text of an unknown form is rejected', () => {
  assert.throws(() => unpackArchived(Buffer.of(2, 0, 0)), /form 2/);
});

test('what an adapter derives from the id of the attempt takes one byte', () => {
  const one = 'att_01m82zg227v4sbftxq15ykv5br';
  const length = (key: string) => packArchived(`[1,[],[["${one}","${key}"]]]`).length;
  for (const key of [one, uuidOf(one), uuidOf(one).replaceAll('-', '')]) assert.ok(length(key) <= length('x') + 4, key);
});
