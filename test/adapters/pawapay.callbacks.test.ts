import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, beforeEach, test } from 'node:test';
import type { Provider, RawCallback } from '../../src/providers/adapters/contract.ts';
import { pawapay } from '../../src/providers/adapters/pawapay/index.ts';
import { verifyMessage } from '../../src/providers/adapters/pawapay/signature.ts';
import { startSimulator, type Simulator } from '../../simulators/kit/simulator.ts';
import { pawapaySimulator } from '../../simulators/pawapay/index.ts';
import { type Line, tools } from './fixture.ts';
import { Mailbox } from './mailbox.ts';
import { collectionOn } from './pieces.ts';

const CAMEROON: Line = {
  channel: { id: 'cm.mtn', kind: 'mobile_money', country: 'CM' },
  ...{ currency: 'XAF', amount_minor: 500_000n, stem: '+237653' },
};

const mailbox = new Mailbox();
let simulator: Simulator;
let provider: Provider;
let now = 0;

before(async () => {
  simulator = await startSimulator(pawapaySimulator, { delay_ms: 20 });
  simulator.settings.set('callback_url', await mailbox.open());
});
after(async () => {
  await simulator.stop();
  await mailbox.close();
});
beforeEach(() => {
  now = Date.now();
  simulator.settings.delete('signature_encoding');
  simulator.settings.delete('signed_callbacks');
  const clock = { now: () => now };
  const account = { id: 'pa_one', environment: 'live', credentials: simulator.credentials } as const;
  provider = pawapay.connect(account, { ...tools, clock });
});

/** A callback as it came, of a payment by this number. */
async function received(digits?: string): Promise<RawCallback> {
  const collection = collectionOn(provider, CAMEROON, digits);
  await provider.submit(collection);
  return mailbox.next(collection.provider_key);
}

const judge = (raw: RawCallback) => provider.verifyCallback?.(raw) ?? assert.fail('it judges callbacks');

/** Once the public key is there. */
async function judgeKnowing(raw: RawCallback) {
  for (let tries = 0; judge(raw).kind === 'hint' && tries < 200; tries++) await sleep(10);
  return judge(raw);
}

test('a signature is accepted as DER and as raw r and s', async () => {
  assert.equal((await judgeKnowing(await received())).kind, 'signed');
  simulator.settings.set('signature_encoding', 'raw');
  assert.equal(judge(await received()).kind, 'signed');
});

test('a signed failure contains its reason', async () => {
  const callback = await judgeKnowing(await received('000001'));
  assert.ok(callback.kind === 'signed' && callback.update?.kind === 'failed');
  assert.equal(callback.update.reason, 'insufficient_funds');
});

test('before the key is known a callback only causes a poll, and callbacks cannot trigger key downloads', async () => {
  const raw = await received();
  const fetches = () => simulator.requests.filter(({ path }) => path === '/v2/public-key/http').length;
  const before = fetches();
  assert.equal(judge(raw).kind, 'hint');
  await judgeKnowing(raw);
  const input = String(raw.headers['signature-input']);
  const other = input.replace('P256_KEY:1', 'P256_KEY:2').replace(/expires=\d+/, 'expires=9999999999');
  const unknown = { ...raw, headers: { ...raw.headers, 'signature-input': other } };
  for (let i = 0; i < 50; i++) assert.equal(judge(unknown).kind, 'hint', 'a key nobody knows proves nothing');
  await sleep(50);
  assert.equal(fetches(), before + 1);
  now += 61_000;
  judge(unknown);
  for (let tries = 0; fetches() < before + 2 && tries < 200; tries++) await sleep(5);
  assert.equal(fetches(), before + 2);
  now -= 3_600_000;
  judge(unknown);
  for (let tries = 0; fetches() < before + 3 && tries < 200; tries++) await sleep(5);
  assert.equal(fetches(), before + 3, 'after the clock was set back');
});

test('a signature is invalid when it is for another URL or body, or covers too few fields', async () => {
  const raw = await received();
  assert.equal((await judgeKnowing(raw)).kind, 'signed');
  const { headers } = raw;
  const input = String(headers['signature-input']);
  const changed: Record<string, Partial<RawCallback>> = {
    'on another host': { url: raw.url.replace('127.0.0.1', 'other.example') },
    'at another address': { url: `${raw.url}/other` },
    'by another method': { method: 'PUT' },
    'over another body': { body: Buffer.from(raw.body.toString().replace('COMPLETED', 'FAILED')) },
    'with another digest': { headers: { ...headers, 'content-digest': 'sha-512=:AAAA:' } },
    'with another date': { headers: { ...headers, 'signature-date': new Date(now - 1_000).toISOString() } },
    'without the digest': { headers: { ...headers, 'signature-input': input.replace(' "content-digest"', '') } },
    'without its input': { headers: { ...headers, 'signature-input': undefined } },
    'without itself': { headers: { ...headers, signature: undefined } },
  };
  for (const [how, change] of Object.entries(changed)) assert.equal(judge({ ...raw, ...change }).kind, 'forged', how);
});

test('a callback that is verified after the end of its signature only triggers a status read, unless it was changed', async () => {
  const raw = await received();
  const signed = await judgeKnowing(raw);
  assert.ok(signed.kind === 'signed');
  for (const late_ms of [61_000, 3_600_000]) {
    now = Date.now() + late_ms;
    assert.deepEqual(judge(raw), { kind: 'hint', subject: signed.subject });
    assert.equal(judge({ ...raw, body: Buffer.from(raw.body.toString().replace('COMPLETED', 'FAILED')) }).kind, 'forged');
    const longer = String(raw.headers['signature-input']).replace(/expires=\d+/, 'expires=9999999999');
    assert.equal(judge({ ...raw, headers: { ...raw.headers, 'signature-input': longer } }).kind, 'forged');
  }
});

test('the query string of the callback address is not signed', async () => {
  const raw = await received();
  assert.equal((await judgeKnowing({ ...raw, url: `${raw.url}?a=1` })).kind, 'signed');
});

test('a callback without a signature is a hint, or forged where the account signs its callbacks', async () => {
  const raw = await received();
  const bare = { ...raw, headers: { 'content-type': 'application/json' } };
  for (let tries = 0; judge(bare).kind === 'hint' && tries < 200; tries++) await sleep(10);
  assert.equal(judge(bare).kind, 'forged');
  simulator.settings.set('signed_callbacks', 'false');
  const other = pawapay.connect({ id: 'pa_two', environment: 'live', credentials: simulator.credentials }, tools);
  const collection = collectionOn(other, CAMEROON);
  await other.submit(collection);
  const hint = other.verifyCallback?.(await mailbox.next(collection.provider_key));
  assert.deepEqual(hint, { kind: 'hint', subject: { by: 'provider_key', value: collection.provider_key } });
});

test('repeated and unordered callbacks are each parsed independently', async () => {
  simulator.faults.announce('out_of_order');
  const collection = collectionOn(provider, CAMEROON);
  await provider.submit(collection);
  await simulator.idle();
  simulator.recover();
  const all = mailbox.received.filter(({ body }) => body.includes(collection.provider_key));
  assert.equal(all.length, 2);
  await judgeKnowing(all[0] as RawCallback);
  const update = all
    .map((raw) => judge(raw))
    .map((callback) => (callback.kind === 'signed' ? callback.update?.kind : callback.kind));
  assert.deepEqual(update, ['succeeded', 'pending']);
});

test('a valid signature that does not cover the address or the body proves nothing', () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = '{"status":"COMPLETED"}';
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  const values: Record<string, string> = {
    ...{ '@method': 'POST', '@authority': 'pay.example', '@path': '/callbacks/a' },
    'content-digest': digest,
  };
  const verdictOver = (names: string[]) => {
    const covered = names.map((name) => `"${name}"`).join(' ');
    const parameters = `(${covered});alg="ecdsa-p256-sha256";keyid="K";created=${Math.floor(now / 1_000)}`;
    const base = [...names.map((name) => `"${name}": ${values[name]}`), `"@signature-params": ${parameters}`].join('\n');
    const signature = sign('sha256', Buffer.from(base), pair.privateKey).toString('base64');
    const headers = { 'content-digest': digest, 'signature-input': `s=${parameters}`, signature: `s=:${signature}:` };
    const message = { method: 'POST', url: 'https://pay.example/callbacks/a', headers, body };
    return verifyMessage(message, (id) => (id === 'K' ? pair.publicKey : undefined), now);
  };
  const all = Object.keys(values);
  assert.equal(verdictOver(all), 'right');
  for (const left of all) assert.equal(verdictOver(all.filter((name) => name !== left)), 'wrong', `without ${left}`);
  for (const twice of all) assert.equal(verdictOver([...all, twice]), 'wrong', `${twice} twice`);
});
