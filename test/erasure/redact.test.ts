import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redactor } from '../../src/edge/erasure/redact.ts';

const redactor = new Redactor({
  names: ['Aminata Traoré', 'Li Xu'],
  emails: ['a.traore+shop@mail.example'],
  phones: ['+237 650 77 88 99', '0712 345 678'],
});

test('personal data is redacted in every spelling', () => {
  const spellings = [
    'aminata',
    'TRAORE',
    'Traore\u0301',
    'traoré,',
    'Li Xu',
    'xu li',
    'A.TRAORE+SHOP@mail.example',
    'a.traore%2Bshop%40mail.example',
    '+237650778899',
    '00237 650-77-88-99',
    '(650) 77.88.99',
    '0650778899',
    '0712345678',
    '+254 712 345 678',
    '254712345678',
  ];
  for (const spelling of spellings) {
    const clean = redactor.text(`for ${spelling} now`);
    assert.match(clean, /^for \S*\[erased\]\S*( \[erased\])?,? now$/, spelling);
    assert.doesNotMatch(clean, /ami|tra|xu|mail|77|345/i, spelling);
  }
});

test('similar text that is not personal data is kept', () => {
  for (const text of [
    'Li and Xuan',
    'contraorden',
    'aminatas',
    '6507788990',
    '16507788',
    '2026-11-21 07:12:34',
    'Two mangoes, é',
  ]) {
    assert.equal(redactor.text(text), text);
  }
});

test('objects are redacted in values, numbers and field names', () => {
  assert.deepEqual(redactor.value({ 'Aminata Traoré': [237650778899, 12, true, null, { to: 'li xu' }], kept: 'Basket' }), {
    '[erased] [erased]': ['[erased]', 12, true, null, { to: '[erased]' }],
    kept: 'Basket',
  });
});

test('an identity too short to be distinctive redacts nothing', () => {
  const nobody = new Redactor({ names: ['A'], emails: [], phones: ['123'] });
  assert.equal(nobody.text('A 123 é'), 'A 123 é');
});
