import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { CURRENCIES, isMovable, MAX_AMOUNT, wireFromMinor } from '../../src/kit/money.ts';
import {
  type Channel,
  CHANNELS,
  channelById,
  channelsFor,
  checkAmount,
  limitsOf,
} from '../../src/providers/reference/channels.ts';
import { COUNTRIES, countryByCode } from '../../src/providers/reference/countries.ts';
import { OPERATORS } from '../../src/providers/reference/operators.ts';
import { isUpdatingGolden } from '../setup/golden.ts';

const GOLDEN = new URL('../golden/channels.txt', import.meta.url);

function the(id: string): Channel {
  const channel = channelById(id);
  assert.ok(channel, id);
  return channel;
}

test('every channel is named <country>.<operator> and is found by that name', () => {
  for (const channel of CHANNELS) {
    assert.match(channel.id, /^[a-z]{2}\.[a-z]+$/);
    assert.equal(channel.id.slice(0, 2).toUpperCase(), channel.country);
    assert.equal(channelById(channel.id), channel);
  }
  assert.equal(new Set(CHANNELS.map((channel) => channel.id)).size, CHANNELS.length);
  assert.equal(channelById('cm.none'), undefined);
});

test('every published operator has a channel', () => {
  for (const { id } of OPERATORS) assert.equal(the(id).kind, 'mobile_money');
});

test('every country has a bank and a card channel', () => {
  for (const { code } of COUNTRIES) {
    assert.equal(the(`${code.toLowerCase()}.bank`).kind, 'bank');
    assert.equal(the(`${code.toLowerCase()}.card`).kind, 'card');
  }
});

test('every currency has a channel', () => {
  for (const currency of CURRENCIES) assert.notEqual(channelsFor({ currency }).length, 0, currency);
});

test('a channel accepts the currencies of its country and has limits for each', () => {
  for (const channel of CHANNELS) {
    assert.deepEqual(channel.currencies, countryByCode(channel.country)?.currencies);
    for (const currency of channel.currencies) assert.ok(limitsOf(channel, currency));
    assert.equal(limitsOf(channel, 'XXX'), undefined);
  }
});

test('limits are multiples of the step, movable, and allow any larger amount to be split into charges', () => {
  for (const channel of CHANNELS) {
    for (const currency of channel.currencies) {
      const { min_minor, max_minor, step_minor } = limitsOf(channel, currency) ?? assert.fail();
      const label = `${channel.id} ${currency}`;
      assert.ok(min_minor > 0n && max_minor >= 2n * min_minor, label);
      assert.ok(wireFromMinor(max_minor) <= MAX_AMOUNT, label);
      assert.equal(min_minor % step_minor, 0n, label);
      assert.equal(max_minor % step_minor, 0n, label);
      assert.ok(isMovable(step_minor, currency), label);
    }
  }
});

test('no two channels of a country have the same prefix', () => {
  for (const { code } of COUNTRIES) {
    const prefixes = channelsFor({ country: code }).flatMap((channel) => channel.prefixes);
    assert.equal(new Set(prefixes).size, prefixes.length, code);
    for (const prefix of prefixes) assert.match(prefix, /^\d{1,4}$/);
  }
});

test('channels are listed by country, currency and kind', () => {
  const ids = (filter: Parameters<typeof channelsFor>[0]) => channelsFor(filter).map((channel) => channel.id);
  assert.deepEqual(ids({ country: 'CM' }), ['cm.mtn', 'cm.orange', 'cm.bank', 'cm.card']);
  assert.deepEqual(ids({ country: 'cm', kind: 'card' }), ['cm.card']);
  assert.deepEqual(ids({ country: 'CM', currency: 'XOF' }), []);
  assert.deepEqual(ids({ country: 'XX' }), []);
  assert.deepEqual(ids({ currency: 'USD', kind: 'mobile_money' }), ['cd.vodacom', 'cd.airtel', 'cd.orange']);
  assert.equal(ids({}).length, CHANNELS.length);
});

test('the filter by amount excludes channels whose minimum, maximum or step does not allow it', () => {
  const ids = (amount_minor: bigint) => channelsFor({ country: 'CM', currency: 'XAF', amount_minor }).map(({ id }) => id);
  assert.deepEqual(ids(99_00n), []);
  assert.deepEqual(ids(100_00n), ['cm.mtn', 'cm.orange', 'cm.bank', 'cm.card']);
  assert.deepEqual(ids(100_50n), []);
  assert.deepEqual(ids(1_500_001_00n), ['cm.mtn', 'cm.orange', 'cm.bank']);
  assert.deepEqual(ids(50_000_001_00n), ['cm.mtn', 'cm.orange']);
});

test('without a currency an amount matches a channel if it is valid in one of its currencies', () => {
  const ids = channelsFor({ country: 'CD', amount_minor: 2_00n }).map((channel) => channel.id);
  assert.ok(ids.includes('cd.airtel'));
});

const AMOUNTS: [id: string, currency: string, amount: bigint, message: string | null][] = [
  ['cm.mtn', 'XAF', 1n, 'must be at least 100 XAF on cm.mtn'],
  ['cm.mtn', 'XAF', 99_99n, 'must be at least 100 XAF on cm.mtn'],
  ['cm.mtn', 'XAF', 25_000_50n, 'must be a whole number of XAF on cm.mtn'],
  ['cm.mtn', 'XAF', 25_000_00n, null],
  ['cm.mtn', 'XAF', 500_001_00n, null],
  ['cm.mtn', 'XOF', 1n, null],
  ['cm.card', 'XAF', 1_500_000_00n, null],
  ['cm.card', 'XAF', 1_500_001_00n, 'must be at most 1500000 XAF on cm.card'],
  ['gn.orange', 'GNF', 1_500_00n, 'must be a multiple of 1000 GNF on gn.orange'],
  ['gn.orange', 'GNF', 12_000_00n, null],
  ['gn.card', 'GNF', 1_500_00n, null],
  ['ke.mpesa', 'KES', 10_50n, null],
  ['us.card', 'USD', 49n, 'must be at least 0.5 USD on us.card'],
  ['us.card', 'USD', 50n, null],
  ['cd.orange', 'USD', 99n, 'must be at least 1 USD on cd.orange'],
  ['cd.orange', 'CDF', 99_00n, 'must be at least 100 CDF on cd.orange'],
];

for (const [id, currency, amount, message] of AMOUNTS) {
  test(`${wireFromMinor(amount)} ${currency} on ${id}: ${message ?? 'accepted'}`, () => {
    assert.equal(checkAmount(the(id), currency, amount), message);
  });
}

test('the channels are those of the golden listing (UPDATE_GOLDEN=1 rewrites it)', () => {
  const listing = `${CHANNELS.map(line).join('\n')}\n`;
  if (isUpdatingGolden()) writeFileSync(GOLDEN, listing);
  assert.equal(listing, readFileSync(GOLDEN, 'utf8'));
});

function line(channel: Channel): string {
  const limits = channel.currencies.map((currency) => {
    const { min_minor, max_minor, step_minor } = limitsOf(channel, currency) ?? assert.fail();
    return `${currency} ${wireFromMinor(min_minor)}..${wireFromMinor(max_minor)} step ${wireFromMinor(step_minor)}`;
  });
  const prefixes = channel.prefixes.length > 0 ? [`prefixes ${channel.prefixes.join(' ')}`] : [];
  const ussd = channel.ussd_hint ? [`dial ${channel.ussd_hint}`] : [];
  return [channel.id, channel.kind, channel.name, ...limits, ...prefixes, ...ussd].join(' | ');
}
