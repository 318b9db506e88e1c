import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CURRENCIES } from '../../src/kit/money.ts';
import { BANKS, banksOf } from '../../src/providers/reference/banks.ts';
import { COUNTRIES, countryByCode } from '../../src/providers/reference/countries.ts';
import { CURRENCY_ENTRIES } from '../../src/providers/reference/currencies.ts';

/** How a clearing code looks in each country. */
const CODE_FORMS: Record<string, RegExp> = {
  NG: /^\d{3}$/,
  GH: /^\d{3}100$/,
  KE: /^\d{2}$/,
  ZA: /^\d{6}$/,
  CM: /^1\d{4}$/,
  CI: /^CI\d{3}$/,
  SN: /^SN\d{3}$/,
};

test('countries are found by code in upper or lower case, and each is listed once', () => {
  assert.equal(countryByCode('cm')?.name, 'Cameroon');
  assert.equal(countryByCode('XX'), undefined);
  assert.equal(new Set(COUNTRIES.map((country) => country.code)).size, COUNTRIES.length);
});

test('every currency is listed with the decimals that can be paid', () => {
  assert.deepEqual(
    CURRENCY_ENTRIES.map((entry) => entry.code),
    CURRENCIES,
  );
  assert.equal(CURRENCY_ENTRIES.find((entry) => entry.code === 'XAF')?.decimals, 0);
  assert.equal(CURRENCY_ENTRIES.find((entry) => entry.code === 'GHS')?.decimals, 2);
});

test('banks have their national clearing code, and each is listed once', () => {
  for (const { country, code, name } of BANKS) {
    assert.match(code, CODE_FORMS[country] ?? assert.fail(country));
    assert.notEqual(name, '');
  }
  assert.equal(new Set(BANKS.map((bank) => `${bank.country} ${bank.code}`)).size, BANKS.length);
});

test('banks are listed by country', () => {
  assert.deepEqual(new Set(BANKS.map((bank) => bank.country)), new Set(Object.keys(CODE_FORMS)));
  assert.deepEqual(banksOf('ng'), banksOf('NG'));
  assert.ok(banksOf('NG').some((bank) => bank.code === '058' && bank.name === 'Guaranty Trust Bank'));
  assert.deepEqual(banksOf('FR'), []);
  assert.equal(banksOf(), BANKS);
});
