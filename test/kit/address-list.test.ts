import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressList, isAddressOrRange, plainAddress, subscriberOf } from '../../src/kit/address-list.ts';

const PLAIN: [text: string, plain: string | null][] = [
  ['203.0.113.7', '203.0.113.7'],
  [' 203.0.113.7 ', '203.0.113.7'],
  ['203.0.113.7:4711', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
  ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
  ['2001:DB8::1', '2001:db8:0:0:0:0:0:1'],
  ['[2001:db8::1]', '2001:db8:0:0:0:0:0:1'],
  ['[2001:db8::1]:443', '2001:db8:0:0:0:0:0:1'],
  ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
  ['::1', '0:0:0:0:0:0:0:1'],
  ['::', '0:0:0:0:0:0:0:0'],
  ['', null],
  ['unknown', null],
  ['203.0.113.256', null],
  ['203.0.113.07', null],
  ['0xcb.0.113.7', null],
  ['203.0.113.7, 10.0.0.1', null],
  ['203.0.113.7/32', null],
  ['_hidden', null],
  ['localhost', null],
];

for (const [text, plain] of PLAIN) {
  test(`"${text}" is ${plain ?? 'no address'}`, () => assert.equal(plainAddress(text), plain));
}

const LISTED: [entries: string[], inside: string[], outside: string[]][] = [
  [['203.0.113.7'], ['203.0.113.7', '::ffff:203.0.113.7'], ['203.0.113.8', '::1']],
  [['203.0.113.0/24'], ['203.0.113.0', '203.0.113.255', '::ffff:203.0.113.9'], ['203.0.112.255', '203.0.114.0']],
  [
    ['10.0.0.0/8', '192.0.2.1'],
    ['10.255.0.1', '192.0.2.1'],
    ['11.0.0.1', '192.0.2.2'],
  ],
  [['203.0.113.7/32'], ['203.0.113.7'], ['203.0.113.6']],
  [['0.0.0.0/0'], ['1.2.3.4', '::ffff:1.2.3.4'], ['2001:db8::1']],
  [['2001:db8::1'], ['2001:db8::1', '2001:0DB8:0:0::1'], ['2001:db8::2', '1.2.3.4']],
  [['2001:db8::/32'], ['2001:db8:ffff::1'], ['2001:db9::1', '32.1.13.184']],
  [['::/0'], ['2001:db8::1', '::1'], ['1.2.3.4', '::ffff:1.2.3.4']],
  [['::1'], ['::1'], ['127.0.0.1', '0.0.0.1']],
  [['::ffff:203.0.113.7'], ['203.0.113.7', '::ffff:203.0.113.7'], ['203.0.113.8']],
  [['::ffff:10.0.0.0/104'], ['10.9.8.7', '::ffff:10.9.8.7'], ['11.0.0.0']],
];

for (const [entries, inside, outside] of LISTED) {
  test(`the list ${entries.join(', ')} contains ${inside.join(', ')}, not ${outside.join(', ')}`, () => {
    const list = new AddressList(entries);
    const has = (text: string) => list.has(plainAddress(text) as string);
    assert.deepEqual([inside.filter(has), outside.filter(has)], [inside, []]);
  });
}

test('a list accepts addresses and ranges only', () => {
  for (const good of ['1.2.3.4', '1.2.3.4/0', '1.2.3.4/32', '::1', '::/128']) assert.ok(isAddressOrRange(good), good);
  for (const bad of ['', '1.2.3.4/33', '1.2.3.4/', '1.2.3.4/8/8', '::/129', '1.2.3', 'a.example', '1.2.3.4/-1'])
    assert.ok(!isAddressOrRange(bad), bad);
});

test('an IPv6 caller is identified by its /64, an IPv4 caller by its address', () => {
  const subscriber = (text: string) => subscriberOf(plainAddress(text) as string);
  assert.equal(subscriber('2001:db8:0:1::1'), subscriber('2001:db8:0:1:ffff::7'));
  assert.notEqual(subscriber('2001:db8:0:1::1'), subscriber('2001:db8:0:2::1'));
  assert.equal(subscriber('::ffff:203.0.113.7'), '203.0.113.7');
});
