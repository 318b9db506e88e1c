import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redactor } from '../../src/edge/erasure/redact.ts';
import { eraseObject } from '../../src/edge/erasure/rules.ts';
import { excessOf } from '../setup/growth.ts';

/** Names of about 2,000 payments. */
const MAX_CHARS = 800_000;
/** It is 2 to 11; it was 300 when all names were one regular expression. */
const MAX_RATIO = 100;

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
    '650/77/88/99',
    '650_77_88_99',
    '650·77•88·99',
    '650\u200b77\u200b88\u200b99',
    '650\u221277\u221288\u221299',
    String.fromCodePoint(...[6, 5, 0, 7, 7, 8, 8, 9, 9].map((digit) => 0x1e950 + digit)),
    '\uff16\uff15\uff10\uff17\uff17\uff18\uff18\uff19\uff19',
    '\u0666\u0665\u0660\u0667\u0667\u0668\u0668\u0669\u0669',
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

test('a field with a name that every object inherits has no rule of its own', () => {
  const object = JSON.parse('{"constructor": "for Aminata", "__proto__": "Li Xu", "note": "Aminata"}');
  const erased = eraseObject(object, { plain: '', rules: { note: { becomes: 'null' } } }, { pseudonym: null, redactor });
  assert.deepEqual(Object.entries(erased), [
    ['constructor', 'for [erased]'],
    ['__proto__', '[erased]'],
    ['note', null],
  ]);
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

/** A line for each payment: its name, of dozens of words. */
const paymentsOf = (length: number) => {
  const word = (n: number) => `w${n.toString(36).padStart(5, '0')}`;
  const lines: string[] = [];
  for (let chars = 0, n = 0; chars < length; chars += lines.at(-1)?.length ?? 0) {
    lines.push(Array.from({ length: 60 }, () => word(n++)).join(' '));
  }
  return lines.join('\n');
};

const redactorOf = (payments: string) => new Redactor({ names: payments.split('\n'), emails: [], phones: [] });

test('a redactor of the names of many payments is made about as fast as that much text is redacted', () => {
  const payments = paymentsOf(20_000);
  const fastest = (work: () => unknown) =>
    Math.min(
      ...Array.from({ length: 5 }, () => {
        const started = performance.now();
        work();
        return performance.now() - started;
      }),
    );
  // With a text, because some of it may be made at its first use.
  const [made, redacted] = [fastest(() => redactorOf(payments).text('nobody')), fastest(() => redactor.text(payments))];
  assert.ok(made < MAX_RATIO * redacted, `${made / redacted} times as long`);
});

test('the time to redact a text does not grow with the number of names', () => {
  const redactors = new Map<string, Redactor>();
  const made = (length: number) => {
    const payments = paymentsOf(length);
    redactors.set(payments, redactorOf(payments));
    redactors.get(payments)?.text('nobody');
    return payments;
  };
  // A text of each payment: four times as many of them take four times as long, or sixteen times if they depend on the names.
  const redactEach = (payments: string) =>
    payments.split('\n').map((name) => redactors.get(payments)?.text(`for ${name.slice(0, 6)} of wzzzzz`));
  assert.deepEqual(new Set(redactEach(made(20_000))), new Set(['for [erased] of wzzzzz']));
  assert.equal(excessOf(redactEach, made, MAX_CHARS), null);
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
