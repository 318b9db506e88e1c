import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CountryCode, getCountryCallingCode, getExampleNumber } from 'libphonenumber-js';
import examples from 'libphonenumber-js/mobile/examples';
import { CHANNELS } from '../../src/providers/reference/channels.ts';
import { COUNTRIES, countryByCode } from '../../src/providers/reference/countries.ts';
import { detectChannel, parsePhone } from '../../src/providers/reference/phones.ts';

const ACCEPTED: [country: string, typed: string, e164: string][] = [
  ['CM', '+237650000001', '+237650000001'],
  ['CM', '237650000001', '+237650000001'],
  ['CM', '00237 6 50 00 00 01', '+237650000001'],
  ['CM', '6 50 00 00 01', '+237650000001'],
  ['CM', '(650) 00-00-01', '+237650000001'],
  ['CM', '650.00.00.01', '+237650000001'],
  ['cm', '\u202a+237\u00a0650\u00a0000\u00a0001\u202c', '+237650000001'],
  ['CM', '699000000', '+237699000000'],
  ['CI', '0700000001', '+2250700000001'],
  ['CI', '+225 05 00 00 00 01', '+2250500000001'],
  ['CI', '2250100000001', '+2250100000001'],
  ['SN', '77 000 00 01', '+221770000001'],
  ['BJ', '97000001', '+2290197000001'],
  ['BJ', '01 97 00 00 01', '+2290197000001'],
  ['BJ', '+22997000001', '+2290197000001'],
  ['BJ', '+2290197000001', '+2290197000001'],
  ['BJ', '22997000001', '+2290197000001'],
  ['BJ', '2290197000001', '+2290197000001'],
  ['BF', '04000001', '+22604000001'],
  ['ML', '20790001', '+22320790001'],
  ['TG', '+228 90 00 00 01', '+22890000001'],
  ['GA', '077 00 00 01', '+24177000001'],
  ['GA', '+241077000001', '+24177000001'],
  ['GA', '07000001', '+24107000001'],
  ['CG', '060000001', '+242060000001'],
  ['TD', '60000001', '+23560000001'],
  ['CF', '72000001', '+23672000001'],
  ['GN', '620000001', '+224620000001'],
  ['CD', '0810000001', '+243810000001'],
  ['GH', '0240000001', '+233240000001'],
  ['GH', '233240000001', '+233240000001'],
  ['NG', '0803 000 0001', '+2348030000001'],
  ['NG', '+234 0803 000 0001', '+2348030000001'],
  ['KE', '0712 000001', '+254712000001'],
  ['KE', '000254712000001', '+254712000001'],
  ['KE', '+254 (0)712 000001', '+254712000001'],
  ['KE', '712000001', '+254712000001'],
  ['UG', '0760000001', '+256760000001'],
  ['TZ', '0720000001', '+255720000001'],
  ['RW', '0780000001', '+250780000001'],
  ['ZM', '0960000001', '+260960000001'],
  ['ZA', '0821234567', '+27821234567'],
  ['MA', '0600000001', '+212600000001'],
  ['EG', '01001234567', '+201001234567'],
  ['US', '(202) 555-0123', '+12025550123'],
  ['FR', '06 12 34 56 78', '+33612345678'],
  ['GB', '07400 123456', '+447400123456'],
];

for (const [country, typed, e164] of ACCEPTED) {
  test(`${country} ${JSON.stringify(typed)} is ${e164}`, () => {
    const national = e164.slice(1 + (countryByCode(country)?.calling_code.length ?? assert.fail()));
    assert.deepEqual(parsePhone(typed, country), { e164, national });
  });
}

const REFUSED: [country: string, typed: string, why: string][] = [
  ['CM', '', 'nothing'],
  ['CM', '+', 'no digits'],
  ['CM', '+33612345678', 'of France'],
  ['CM', '+2250700000001', 'of Côte d’Ivoire'],
  ['CM', '65000000', 'too short'],
  ['CM', '6500000011', 'too long'],
  ['CM', '+23765000000', 'too short'],
  ['CM', 'call 650000001', 'words'],
  ['CM', '650000001 ext. 5', 'an extension'],
  ['CM', '650000001;650000002', 'two numbers'],
  ['CM', '+237+650000001', 'two pluses'],
  ['CI', '07000001', 'the eight digits before 2021'],
  ['SN', '+237650000001', 'of Cameroon'],
  ['BJ', '970000011', 'neither eight nor ten digits'],
  ['NG', '0803000001', 'a digit short behind the trunk 0'],
  ['KE', '07120001', 'a digit short behind the trunk 0'],
  ['GH', '024000001', 'a digit short behind the trunk 0'],
  ['US', '+14165550123', 'of Canada'],
  ['XX', '650000001', 'of an unknown country'],
];

for (const [country, typed, why] of REFUSED) {
  test(`${country} ${JSON.stringify(typed)} is rejected: ${why}`, () => assert.equal(parsePhone(typed, country), null));
}

test('calling codes, trunk digits and lengths match the numbering plans', () => {
  for (const { code, calling_code, trunk, mobile_digits } of COUNTRIES) {
    const example = getExampleNumber(code as CountryCode, examples) ?? assert.fail(code);
    assert.equal(calling_code, getCountryCallingCode(code as CountryCode));
    assert.equal(example.nationalNumber.length, mobile_digits, code);
    const dialled = example.formatNational().replace(/\D/g, '');
    // Two exceptions of form, not of plan: the US prints no 1, and Gabon's 0 came with its new numbers only.
    if (code !== 'US' && code !== 'GA') assert.equal(dialled, trunk + example.nationalNumber, code);
    assert.deepEqual(parsePhone(example.number, code)?.e164, example.number);
    assert.deepEqual(parsePhone(dialled, code)?.e164, example.number);
  }
});

test('a number with any prefix of any channel is parsed in every format and its channel is detected', () => {
  for (const channel of CHANNELS) {
    const { calling_code, trunk, mobile_digits } = countryByCode(channel.country) ?? assert.fail();
    for (const prefix of channel.prefixes) {
      const national = `${prefix.padEnd(mobile_digits - 1, '0')}1`;
      const e164 = `+${calling_code}${national}`;
      for (const typed of [e164, e164.slice(1), `00${e164.slice(1)}`, national, trunk + national]) {
        assert.equal(parsePhone(typed, channel.country)?.e164, e164, typed);
      }
      const claimedByLonger = CHANNELS.some(
        (other) =>
          other.country === channel.country &&
          other !== channel &&
          other.prefixes.some((longer) => longer.length > prefix.length && national.startsWith(longer)),
      );
      if (!claimedByLonger) assert.equal(detectChannel(e164)?.id, channel.id, e164);
    }
  }
});

const DETECTED: [e164: string, channel: string | null][] = [
  ['+237650000001', 'cm.mtn'],
  ['+237655000001', 'cm.orange'],
  ['+237640000001', 'cm.orange'],
  ['+237620000001', null],
  ['+2250500000001', 'ci.mtn'],
  ['+221720000001', null],
  ['+2290197000001', 'bj.mtn'],
  ['+2290155000001', 'bj.moov'],
  ['+22320790001', 'ml.moov'],
  ['+22320010001', 'ml.orange'],
  ['+24107000001', 'ga.airtel'],
  ['+24166000001', 'ga.moov'],
  ['+254757000001', 'ke.mpesa'],
  ['+254750000001', 'ke.airtel'],
  ['+254744000001', null],
  ['+2347025000001', 'ng.mtn'],
  ['+2347021000001', null],
  ['+33612345678', null],
  ['+1', null],
];

for (const [e164, channel] of DETECTED) {
  test(`${e164} is detected as ${channel ?? 'nothing'}`, () => assert.equal(detectChannel(e164)?.id ?? null, channel));
}
