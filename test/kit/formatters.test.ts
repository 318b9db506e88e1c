import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateFormat, displayNames, numberFormat, relativeFormat } from '../../src/kit/formatters.ts';

test('a formatter is made once for a locale and its options', () => {
  assert.equal(numberFormat('fr', { style: 'percent' }), numberFormat('fr', { style: 'percent' }));
  assert.notEqual(numberFormat('fr', { style: 'percent' }), numberFormat('en', { style: 'percent' }));
  assert.notEqual(numberFormat('fr', { style: 'percent' }), numberFormat('fr', {}));
  assert.equal(dateFormat('fr', { timeZone: 'UTC' }), dateFormat('fr', { timeZone: 'UTC' }));
  assert.notEqual(dateFormat('fr', { timeZone: 'UTC' }), dateFormat('fr', { timeZone: 'Africa/Douala' }));
  assert.equal(relativeFormat('fr', {}), relativeFormat('fr', {}));
  assert.equal(displayNames('fr', { type: 'region' }), displayNames('fr', { type: 'region' }));
});

test('a hundred formatters are kept beside each other', () => {
  const made = () => Array.from({ length: 100 }, (_, digits) => numberFormat('en', { maximumFractionDigits: digits }));
  const first = made();
  assert.ok(made().every((formatter, i) => formatter === first[i]));
});

test('formatters format as those of Intl do, and those made first are dropped when there are many', () => {
  const amounts = Intl.supportedValuesOf('currency').flatMap((currency) =>
    ['en', 'fr', 'pt', 'sw'].map((locale) => [locale, { style: 'currency', currency } as const] as const),
  );
  assert.ok(amounts.length > 600);
  const first = numberFormat('en', {});
  for (const [locale, options] of amounts) {
    assert.equal(numberFormat(locale, options).format(1234.5), new Intl.NumberFormat(locale, options).format(1234.5));
  }
  assert.notEqual(numberFormat('en', {}), first);
});
