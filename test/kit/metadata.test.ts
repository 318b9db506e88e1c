import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFreeObjects, checkMetadata } from '../../src/kit/metadata.ts';

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
/** An object of so many bytes. */
const bytes = (count: number) => ({ a: 'x'.repeat(count - '{"a":""}'.length) });

test('an object has at most 50 keys, and 16 KB as JSON', () => {
  assert.deepEqual([checkMetadata(keys(50)), checkMetadata(keys(51))], [null, 'must have at most 50 keys']);
  assert.deepEqual([checkMetadata(bytes(16_384)), checkMetadata(bytes(16_385))], [null, 'must be at most 16 KB']);
  assert.equal(checkMetadata({ a: 'é'.repeat(8_189) }), 'must be at most 16 KB', 'bytes, not characters');
});

test('each object that is too large is named, and what is no object is left to the schema', () => {
  assert.deepEqual(checkFreeObjects({ metadata: keys(51), address: bytes(20_000), shipping: keys(1), theming: null }), {
    metadata: ['must have at most 50 keys'],
    address: ['must be at most 16 KB'],
  });
  assert.deepEqual(checkFreeObjects({ metadata: 'x'.repeat(20_000), address: undefined }), {});
});
