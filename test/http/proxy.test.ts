import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { after, test } from 'node:test';
import { readConfig } from '../../src/platform/config/config.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';

function behind(trusted: string | null, env: Record<string, string> = {}, clock?: FakeClock): Promise<Api> {
  return startApi({
    workers: false,
    ...(clock && { clock }),
    env: { ...(trusted === null ? {} : { TRUST_PROXY: trusted }), ...env },
  });
}

/** The calling address as the service takes it: the only one of these that its allow-list lets through. */
async function takenFor(api: Api, forwarded: string | null, candidates: string[]): Promise<string[]> {
  const headers = forwarded === null ? {} : { 'x-forwarded-for': forwarded };
  const taken: string[] = [];
  for (const candidate of candidates) {
    const { key } = await api.newKey(api.team, 'sandbox', 'secret', { allowed_ips: [candidate] });
    const { status, body } = await api.call('GET', '/channels', { key, headers });
    if (status === 200) taken.push(candidate);
    else assert.deepEqual([status, body.error_code], [403, 'ip_not_allowed']);
  }
  return taken;
}

const CASES: [trusted: string | null, forwarded: string | null, taken: string][] = [
  // Nobody is believed unless told.
  [null, null, '127.0.0.1'],
  [null, '10.1.2.3', '127.0.0.1'],
  ['0', '10.1.2.3', '127.0.0.1'],
  // The peer is no proxy of ours: what it sends is what a caller made up.
  ['10.0.0.0/8', '10.1.2.3', '127.0.0.1'],
  ['10.0.0.0/8', '203.0.113.7, 10.0.0.1', '127.0.0.1'],
  // The peer is one: the last address that is none counts, whatever stands before it.
  ['127.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['127.0.0.0/8', '10.1.2.3, 203.0.113.7', '203.0.113.7'],
  ['127.0.0.1,10.0.0.0/8', '192.0.2.1, 203.0.113.7, 10.0.0.2, 10.0.0.1', '203.0.113.7'],
  ['127.0.0.1', null, '127.0.0.1'],
  ['127.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
  ['127.0.0.1', '2001:db8::7', '2001:db8::7'],
  ['127.0.0.1', '[2001:db8::7]:443', '2001:db8::7'],
  ['127.0.0.1', '::ffff:203.0.113.7', '203.0.113.7'],
  ['127.0.0.1,2001:db8::/32', '203.0.113.7, 2001:db8::1', '203.0.113.7'],
  // A proxy that names no address is taken itself.
  ['127.0.0.1', 'unknown', '127.0.0.1'],
  ['127.0.0.1', '203.0.113.7, garbage', '127.0.0.1'],
  ['127.0.0.1', '', '127.0.0.1'],
  // So many proxies, counted from us.
  ['1', '10.1.2.3, 203.0.113.7', '203.0.113.7'],
  ['2', '10.1.2.3, 203.0.113.7, 192.0.2.9', '203.0.113.7'],
  ['2', '203.0.113.7', '203.0.113.7'],
  ['1', null, '127.0.0.1'],
];

const CANDIDATES = ['127.0.0.1', '10.1.2.3', '203.0.113.7', '192.0.2.1', '192.0.2.9', '10.0.0.1', '10.0.0.2', '2001:db8::7'];

// All before the first test: node:test takes the file for over when it waits between tests.
const services = new Map<string | null, Api>();
for (const [trusted] of CASES) if (!services.has(trusted)) services.set(trusted, await behind(trusted));
// Its clock stands: a slow machine may need more than the minute of the limit.
const limited = await behind('127.0.0.1', { RATE_LIMITS: 'on' }, new FakeClock());
const ipv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'));
const dual = await behind(null, ipv6 ? { HOST: '::' } : {});
after(() => Promise.all([...services.values(), limited, dual].map((api) => api.stop())));

for (const [trusted, forwarded, taken] of CASES) {
  test(`TRUST_PROXY=${trusted ?? ''} and X-Forwarded-For "${forwarded ?? ''}": the caller is ${taken}`, async () => {
    assert.deepEqual(await takenFor(services.get(trusted) as Api, forwarded, CANDIDATES), [taken]);
  });
}

test('a caller on a dual-stack socket is identified by its IPv4 address', {
  skip: !ipv6 && 'this machine has no IPv6',
}, async () => {
  const { key } = await dual.newKey(dual.team, 'sandbox', 'secret', { allowed_ips: ['127.0.0.0/8'] });
  const url = `http://127.0.0.1:${dual.config.port}/channels`;
  assert.equal((await fetch(url, { headers: { authorization: key } })).status, 200);
  const six = `http://[::1]:${dual.config.port}/channels`;
  assert.equal((await fetch(six, { headers: { authorization: key } })).status, 403);
});

test('other headers that name a client address are ignored', async () => {
  const api = services.get('127.0.0.1') as Api;
  const { key } = await api.newKey(api.team, 'sandbox', 'secret', { allowed_ips: ['10.1.2.3'] });
  for (const name of ['x-real-ip', 'forwarded', 'cf-connecting-ip', 'true-client-ip', 'x-client-ip', 'x-forwarded']) {
    const { status } = await api.call('GET', '/channels', {
      key,
      headers: { [name]: name === 'forwarded' ? 'for=10.1.2.3' : '10.1.2.3' },
    });
    assert.equal(status, 403, name);
  }
});

test('a forged first address in X-Forwarded-For does not bypass a limit', async () => {
  const statuses = [];
  for (let index = 0; index < 31; index += 1) {
    const headers = { 'x-forwarded-for': `192.0.2.${index}, 203.0.113.7` };
    statuses.push((await limited.call('GET', '/payments', { key: null, headers })).status);
  }
  assert.deepEqual(statuses, [...Array(30).fill(401), 429]);
});

const REFUSED = [
  '11',
  '-1',
  '1.5',
  'yes',
  '10.0.0.0/33',
  '10.0.0.0/8;::1',
  'proxy.example',
  '0.0.0.0/0',
  '::/0',
  '10.0.0.1,0.0.0.0/00',
];

for (const value of REFUSED) {
  test(`TRUST_PROXY=${value} is rejected with one line`, () => {
    assert.throws(() => readConfig({ TRUST_PROXY: value }), /^Error: TRUST_PROXY=[^\n]+ cannot be used: it must be [^\n]+$/);
  });
}

for (const value of [
  'localhost:6379',
  'http://localhost:6379',
  'redis:///1',
  'redis:hunter2',
  'redis://a/one',
  'redis://u:%E0%A4@a',
]) {
  test(`REDIS_URL=${value} is rejected with one line that does not show it`, () => {
    assert.throws(
      () => readConfig({ REDIS_URL: value }),
      (error: Error) => /^REDIS_URL cannot be used: [^\n]+$/.test(error.message) && !error.message.includes(value),
    );
  });
}

test('by default limits are on, counted by this node, and no proxy is trusted', () => {
  const { rate_limits, redis_url, redis_timeout_ms, trust_proxy } = readConfig({});
  assert.deepEqual([rate_limits, redis_url, redis_timeout_ms, trust_proxy], [true, null, 50, 0]);
  assert.deepEqual(readConfig({ TRUST_PROXY: '10.0.0.0/8, ::1' }).trust_proxy, ['10.0.0.0/8', '::1']);
  assert.equal(readConfig({ REDIS_URL: 'rediss://user:secret@cache.example:6380/2' }).redis_url?.slice(0, 9), 'rediss://');
});
