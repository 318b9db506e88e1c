import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cut, normalized, withoutMarks } from '../../src/kit/unicode.ts';

const FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const;

test('text that people write is normalised as Unicode specifies', () => {
  for (const text of ['Aïcha Ngo Bâ', 'Ọlọ́run ẹ̀kọ́', 'Nguyễn', '한국어', 'ｶﾞ', 'हिन्दी', '\ufdfa', 'a\u0316\u0301\u0345']) {
    for (const form of FORMS) assert.equal(normalized(text, form), text.normalize(form), text);
  }
});

test('a run of 31 combining marks is split, with one result in any order of normalising', () => {
  const run = `e${'\u0301\u0316'.repeat(1000)}`;
  assert.notEqual(normalized(run, 'NFD'), run.normalize('NFD'));
  assert.equal(normalized(normalized(run, 'NFD'), 'NFD'), normalized(run, 'NFD'));
  assert.equal(withoutMarks(run), 'e');
});

test('only combining marks normalise to combining marks alone, so every run is split', () => {
  const escaping = Array.from({ length: 0x110000 }, (_, code) => code)
    .filter((code) => (code < 0xd800 || code > 0xdfff) && code !== 0xff9e && code !== 0xff9f)
    .map((code) => String.fromCodePoint(code))
    .filter((character) => !/\p{M}/u.test(character) && /^\p{M}+$/u.test(character.normalize('NFKD')));
  assert.deepEqual(escaping, []);
});

test('a text is not cut within a character', () => {
  assert.deepEqual([cut('ab😀', 3), cut('ab😀', 4), cut('ab😀', 2), cut('abcd', 3), cut('', 3)], ['ab', 'ab😀', 'ab', 'abc', '']);
});
