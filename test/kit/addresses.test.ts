import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLocalhostName, isLoopbackAddress, isPublicAddress } from '../../src/kit/addresses.ts';

const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '172.15.255.255',
  '172.32.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '11.0.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80b::200e',
  '2001:200::1',
  '2003::1',
];

const NOT_PUBLIC: Record<string, string[]> = {
  'this network': ['0.0.0.0', '0.255.255.255'],
  'private use': ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  'link-local': ['169.254.0.1', 'fe80::1', 'febf::1', 'fe80::1%eth0'],
  'cloud metadata': ['169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16', 'fd00:ec2::254'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  benchmarking: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'multicast, reserved and broadcast': ['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', 'ff02::1'],
  'unique local and site-local': ['fc00::1', 'fdff::1', 'fec0::1'],
  unspecified: ['::', '0:0:0:0:0:0:0:0'],
  'IPv4 mapped': ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::FFFF:7f00:1', '0:0:0:0:0:ffff:a00:1'],
  'IPv4 compatible': ['::127.0.0.1', '::8.8.8.8'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1'],
  '6to4': ['2002:7f00:1::', '2002:808:808::1', '192.88.99.1'],
  Teredo: ['2001::1', '2001:0:53aa:64c:0:7fff:f5ff:fffe'],
  ISATAP: ['2a00:1:2:3:0:5efe:7f00:1', '2a00:1:2:3:200:5efe:10.0.0.1', '2a00:1:2:3:0:5efe::'],
  'segment routing and discard': ['5f00::1', '100::1'],
  'no address at all': ['', 'localhost', '127.1', '2130706433', '1.2.3.4.5', 'g::1'],
};

test('public addresses of both families are recognised as public', () => {
  for (const ip of PUBLIC) assert.equal(isPublicAddress(ip), true, ip);
});

for (const [kind, addresses] of Object.entries(NOT_PUBLIC)) {
  test(`not public: ${kind}`, () => {
    for (const ip of addresses) assert.equal(isPublicAddress(ip), false, ip);
  });
}

test('only 127.0.0.0/8 and ::1 are loopback', () => {
  for (const ip of ['127.0.0.1', '127.8.8.8', '::1']) assert.equal(isLoopbackAddress(ip), true, ip);
  for (const ip of ['128.0.0.1', '126.255.255.255', '::2', '::ffff:127.0.0.1', '0.0.0.0', 'localhost'])
    assert.equal(isLoopbackAddress(ip), false, ip);
});

test('localhost and its subdomains are recognised in any spelling', () => {
  for (const name of ['localhost', 'LOCALHOST', 'localhost.', 'api.localhost', 'a.b.localhost.'])
    assert.equal(isLocalhostName(name), true, name);
  for (const name of ['localhost.example.com', 'notlocalhost', 'my-localhost', ''])
    assert.equal(isLocalhostName(name), false, name);
});
