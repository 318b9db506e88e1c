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

test('personal data is redacted where it is URL-encoded', () => {
  for (const [sent, clean] of [
    ['?name=Aminata%20Traor%C3%A9&a=1', '?name=[erased]%20[erased]&a=1'],
    ['?name=traore%CC%81%2Caminata', '?name=[erased]%2C[erased]'],
    ['?name=%41minata%', '?name=[erased]%'],
    ['?to=%2B237%20650%2077%2088%2099&n=Li+Xu', '?to=[erased]&n=[erased]'],
    ['?n=Li%20Xu&e=a.traore%2bshop%40mail.example', '?n=[erased]&e=[erased]'],
    ['100% %zz %ff%20 aminata', '100% %zz %ff%20 [erased]'],
  ] as const) {
    assert.equal(redactor.text(sent), clean);
  }
});

test('names of many payments are redacted in milliseconds, not in seconds', () => {
  const word = (n: number) => `w${n.toString(36)}`;
  const names = Array.from({ length: 200 }, (_, i) => Array.from({ length: 60 }, (_, j) => word(1_000 + 60 * i + j)).join(' '));
  const started = performance.now();
  const many = new Redactor({ names, emails: [], phones: [] });
  for (let i = 0; i < 200; i++)
    assert.equal(many.text(`for ${word(1_000 + i)} of ${word(20_000)}`), `for [erased] of ${word(20_000)}`);
  assert.ok(performance.now() - started < 5_000);
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
