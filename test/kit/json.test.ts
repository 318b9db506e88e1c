import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, jsonText } from '../../src/kit/json.ts';

/** The same value with the fields of every object in another order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, turned(field)]),
  );
}

test('the order of keys does not matter, at any depth', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => assert.equal(canonicalJson(turned(value)), canonicalJson(value))));
});

test('the canonical text parses back to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain = JSON.parse(JSON.stringify(value));
      assert.deepEqual(JSON.parse(canonicalJson(value)), plain);
    }),
  );
});

test('two values have the same canonical text only if they are equal', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const [left, right] = [JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))];
      let equal = true;
      try {
        assert.deepStrictEqual(left, right);
      } catch {
        equal = false;
      }
      assert.equal(canonicalJson(left) === canonicalJson(right), equal);
    }),
    { numRuns: 500 },
  );
});

const DIFFERENT: [a: unknown, b: unknown][] = [
  [{ a: 1 }, { a: '1' }],
  [{ a: null }, {}],
  [
    [1, 2],
    [2, 1],
  ],
  [{ a: { b: 1 }, c: 2 }, { a: { b: 1, c: 2 } }],
  [{ 'a":1,"b': 2 }, { a: 1, b: 2 }],
  [[], {}],
  ['', null],
  [1, 1.01],
];

for (const [a, b] of DIFFERENT) {
  test(`${JSON.stringify(a)} and ${JSON.stringify(b)} are different`, () => {
    assert.notEqual(canonicalJson(a), canonicalJson(b));
  });
}

test('JSON for PostgreSQL has neither NUL nor half a character, and keeps everything else', () => {
  const given = { text: `a\0b\ud83d`, list: [{ of: '\ude00 é 😀' }], amount: 10n, none: null };
  assert.deepEqual(JSON.parse(jsonText(given)), { text: 'ab\ufffd', list: [{ of: '\ufffd é 😀' }], amount: '10', none: null });
});
