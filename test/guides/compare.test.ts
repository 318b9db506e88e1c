import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksOf, stepsOf } from './blocks.ts';
import { differences, lineDifferences } from './compare.ts';
import { excerpt } from './excerpts.ts';

/** That guides can turn red at all: whatever an answer may do to differ from its guide is told. */
const SHOWN = {
  code: 200,
  payment: { id: 'trx_test_…', amount: 25000, reason: null, created_at: '2026-11-21T09:15:00.114Z', tags: ['a', 'b'] },
};
const FOUND = {
  code: 200,
  payment: { id: 'trx_test_01m7', amount: 25000, reason: null, created_at: '2027-01-01T00:00:00.000Z', tags: ['a', 'b'] },
};

test('values that change on each run are not a difference', () => assert.deepEqual(differences(SHOWN, FOUND), []));

const CHANGED: Record<string, [payment: object, told: string]> = {
  'another value': [{ amount: 25001 }, 'payment.amount: 25001 is not 25000'],
  'another type': [{ amount: '25000' }, 'payment.amount: "25000" is not 25000'],
  'null instead of a value': [{ amount: null }, 'payment.amount: null is not 25000'],
  'a value instead of null': [{ reason: 'x' }, 'payment.reason: "x" is not null'],
  'no value': [{ amount: undefined }, 'payment.amount: undefined is not 25000'],
  'a new field': [{ fee: 500 }, 'payment.fee: is in the answer (500), not in the guide'],
  'an id of something else': [{ id: 'rfd_test_01m7' }, 'payment.id: "rfd_test_01m7" is not "trx_test_…"'],
  'an empty id': [{ id: 'trx_test_' }, 'payment.id: "trx_test_" is not "trx_test_…"'],
  'a moment of another form': [{ created_at: 'today' }, 'payment.created_at: "today" is not "2026-11-21T09:15:00.114Z"'],
  'an item more': [{ tags: ['a', 'b', 'c'] }, 'payment.tags: has 3 items, not 2'],
  'an item less': [{ tags: ['a'] }, 'payment.tags: has 1 items, not 2'],
  'another item': [{ tags: ['a', 'c'] }, 'payment.tags[1]: "c" is not "b"'],
  'a text instead of a list': [{ tags: 'ab' }, 'payment.tags: "ab" is not ["a","b"]'],
};

for (const [title, [change, told]] of Object.entries(CHANGED)) {
  test(`reported: ${title}`, () => {
    assert.deepEqual(differences(SHOWN, { ...FOUND, payment: { ...FOUND.payment, ...change } }), [told]);
  });
}

test('reported: a field that is missing', () => {
  const { amount: _, ...payment } = FOUND.payment;
  assert.deepEqual(differences(SHOWN, { ...FOUND, payment }), ['payment.amount: is not in the answer']);
});

test('fields that a sample omits on purpose are not required, but every field it shows is', () => {
  assert.deepEqual(differences({ code: 200, '…': '…' }, FOUND), []);
  assert.deepEqual(differences({ code: 201, '…': '…' }, FOUND), ['code: 200 is not 201']);
  assert.deepEqual(differences(['a', '…'], ['a', 'b', 'c']), []);
  assert.deepEqual(differences(['b', '…'], ['a', 'b', 'c']), ['[0]: "a" is not "b"']);
});

test('characters special in regular expressions are matched literally', () => {
  assert.deepEqual(differences('a.b (…)', 'axb (c)'), ['the answer: "axb (c)" is not "a.b (…)"']);
});

test('lines are compared one by one, and placeholders match any text', () => {
  assert.deepEqual(lineDifferences('a\nb …\n', 'a\nb c\n'), []);
  assert.deepEqual(lineDifferences('a\n…\nd\n', 'a\nb\nc\nd\n'), []);
  assert.deepEqual(lineDifferences('a\n…\n', 'a\n'), []);
  for (const printed of ['a', 'a\nc', 'b c\na', 'a\nb c\nd']) assert.equal(lineDifferences('a\nb …', printed).length, 1, printed);
  assert.equal(lineDifferences('a\n…\nd', 'a\nb\nc').length, 1);
});

const fenced = (language: string, text = 'x') => `\`\`\`${language}\n${text}\n\`\`\`\n`;

test('every block of a guide is checked: a fence without a language, an unclosed one, a response without a request', () => {
  assert.throws(() => blocksOf(fenced(''), 'a.md'), /a\.md:1: "" is not one of/);
  assert.throws(() => blocksOf(fenced('sh skip'), 'a.md'), /"sh skip" is not one of/);
  assert.throws(() => blocksOf('text\n```sh\nls\n', 'a.md'), /a\.md:2: the block is not closed/);
  assert.throws(() => stepsOf(blocksOf(fenced('json', '{}'), 'a.md')), /a\.md:1: this answers no block/);
  const twice = fenced('sh') + fenced('json', '{}') + fenced('json', '{}');
  assert.throws(() => stepsOf(blocksOf(twice, 'a.md')), /a\.md:7: this answers no block/);
});

test('a sample in another language must be part of an example file', () => {
  const [block] = blocksOf(fenced('python', 'print("made up")'), 'a.md');
  assert.ok(block);
  assert.throws(() => excerpt(block), /a\.md:1: no file of examples/);
});
