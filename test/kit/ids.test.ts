import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idPrefix, isId, lowestIdAt, newId } from '../../src/kit/ids.ts';

const NOW = Date.parse('2026-11-21T04:05:06.789Z');

test('a live id is a prefix and 26 characters; a sandbox id has test_ between them', () => {
  assert.match(newId('trx', 'live', NOW), /^trx_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.match(newId('trx', 'sandbox', NOW), /^trx_test_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.equal(idPrefix('po', 'sandbox'), 'po_test_');
  assert.equal(idPrefix('po', 'live'), 'po_');
});

test('ids sort by creation time', () => {
  const moments = [0, 1, 31, 32, 1_000, NOW - 1, NOW, NOW + 1, NOW + 86_400_000, Date.parse('9999-12-31')];
  const ids = moments.map((at) => newId('trx', 'sandbox', at));
  assert.deepEqual([...ids].sort(), ids);
});

test('100,000 ids of one millisecond are all different', () => {
  const ids = new Set(Array.from({ length: 100_000 }, () => newId('evt', 'live', NOW)));
  assert.equal(ids.size, 100_000);
});

test('80 bits are random: each character of the random part takes all 32 values', () => {
  const ids = Array.from({ length: 2_000 }, () => newId('trx', 'live', NOW).slice('trx_'.length + 10));
  for (let i = 0; i < 16; i++) assert.equal(new Set(ids.map((id) => id[i])).size, 32, `character ${i}`);
});

test('the lowest id of a millisecond is above every earlier id and not above any id of that millisecond', () => {
  for (let i = 0; i < 200; i++) {
    const floor = lowestIdAt('trx', 'sandbox', NOW);
    assert.ok(newId('trx', 'sandbox', NOW - 1) < floor);
    assert.ok(newId('trx', 'sandbox', NOW) >= floor);
  }
});

const FORMS: [text: string, isOne: boolean][] = [
  ['trx_test_01m7y5hwfy29pze9s1mjv4rn7r', true],
  ['trx_01m7y5hwfy29pze9s1mjv4rn7r', false],
  ['trx_test_01m7y5hwfy29pze9s1mjv4rn7', false],
  ['trx_test_01m7y5hwfy29pze9s1mjv4rn7rr', false],
  ['trx_test_01M7Y5HWFY29PZE9S1MJV4RN7R', false],
  ['trx_test_01m7y5hwfy29pze9s1mjv4rn7i', false],
  ['evt_test_01m7y5hwfy29pze9s1mjv4rn7r', false],
  ['trx_test_01m7y5hwfy29pze9s1mjv4rn7r\n', false],
  [' trx_test_01m7y5hwfy29pze9s1mjv4rn7r', false],
  ['', false],
];

for (const [text, isOne] of FORMS) {
  test(`${JSON.stringify(text)} is ${isOne ? 'an' : 'no'} id of a sandbox payment`, () => {
    assert.equal(isId('trx', 'sandbox', text), isOne);
  });
}
