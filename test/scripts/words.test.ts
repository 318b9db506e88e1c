import assert from 'node:assert/strict';
import test from 'node:test';
import { allFaults, EXCEPTIONS, wordFaults } from '../../scripts/words.ts';

const PLANTED: [line: string, instead: string][] = [
  ['/** The last happening of a payment. */', 'event, trigger or update'],
  ["const kind = 'giveback';", 'automatic reversal'],
  ['function readGlimpses() {}', 'snapshot'],
  ['const purse = 0;', 'wallet'],
  ["throw new Error('it can not be read');", 'cannot'],
  ['const MOST_TRIES = 3;', 'MAX_ or MIN_'],
  ['interface LinkDesk {}', 'handler, service or context'],
  ['/** A twin of the provider. */', 'simulator'],
  ['function limitStrangers() {}', 'unauthenticated caller'],
  ['// Charged in vain.', 'failed'],
  ["log.info('the merchant is told once');", 'is notified, is reported'],
];

test('a planted word is reported with its line and the term to use', () => {
  for (const [line, instead] of PLANTED) {
    const [fault, ...more] = wordFaults('src/edge/planted.ts', `\n${line}\n`);
    assert.deepEqual(
      [fault?.startsWith('src/edge/planted.ts:2: '), fault?.endsWith(`write ${instead}`), more.length],
      [true, true, 0],
      line,
    );
  }
});

test('similar words are accepted', () => {
  for (const line of [
    'a desktop browser',
    'it can not only fail',
    '`npm run twins`',
    'happened twice',
    'const almost = MOSTLY;',
  ]) {
    assert.deepEqual(wordFaults('planted.md', line), [], line);
  }
});

test('in test files only titles are checked', () => {
  assert.deepEqual(wordFaults('test/planted.test.ts', 'const purse = 1;'), []);
  const call = 'test(';
  assert.equal(wordFaults('test/planted.test.ts', `${call}'a purse is empty')`).length, 1);
});

test('an exception applies in its file only', () => {
  const line = "kind = 'giveback'";
  assert.deepEqual(wordFaults('src/core/refunds/store.ts', line), []);
  assert.equal(wordFaults('src/core/disputes/store.ts', line).length, 1);
});

test('the repository contains no such word, and every exception has a reason and is used', () => {
  assert.deepEqual(allFaults(), []);
  assert.ok(EXCEPTIONS.every(({ reason }) => reason.length > 0));
});
