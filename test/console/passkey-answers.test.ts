import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { Problem } from '../../src/kit/errors.ts';
import { listPasskeys } from '../../src/tenants/people/factor-store.ts';
import { addPasskey, type Expected, newChallenge, provePasskey } from '../../src/tenants/people/passkeys.ts';
import { type Api, startApi } from '../setup/api.ts';
import { androidAttestation, selfAttestation, SoftPasskey } from './passkey-answers.ts';
import { signedIn } from './people.ts';

/** Answers that a person, or somebody in front of the sign-in, writes instead of a browser. */
const SITE = { host: 'localhost', origin: 'http://localhost:8080' };
const BROWSER = 'browser-1';

let api: Api;
let user: string;
before(async () => {
  api = await startApi({ workers: false });
  user = (await signedIn(api, 'read_only')).id;
});
after(() => api.stop());

const control = () => api.deps.stores.control;
const expected = (): Expected => ({ secrets: api.deps.secrets, site: SITE, browser: BROWSER, at: Date.now() });
const challenge = () => newChallenge(api.deps.secrets, BROWSER, Date.now());
const add = (answer: string) => addPasskey(control(), expected(), user, 'laptop', answer);
const isRejected = (error: unknown) => error instanceof Problem && error.status === 422;

test('a passkey is registered whose browser removed what its authenticator says of itself, or whose key signs for itself', async () => {
  for (const options of [{}, { attestation: selfAttestation }]) {
    const passkey = await SoftPasskey.make();
    await add(await passkey.made(SITE, { challenge: challenge() }, options));
    const proof = await passkey.proof(SITE, { challenge: challenge() });
    assert.equal((await provePasskey(control(), expected(), proof))?.user_id, user);
    assert.equal(await provePasskey(control(), expected(), proof), null, 'a challenge is answered once');
  }
});

test('422 for certificates in an answer, and no address that they name is visited', async (t) => {
  let visits = 0;
  const server = http.createServer((_, response) => {
    visits += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const attestation = androidAttestation(`http://127.0.0.1:${(server.address() as AddressInfo).port}/crl`);
  const answer = await (await SoftPasskey.make()).made(SITE, { challenge: challenge() }, { attestation });
  await assert.rejects(add(answer), isRejected);
  assert.equal(visits, 0);
});

test('422 for a challenge that is no text, and for an id that is not the one that was signed', async () => {
  const passkey = await SoftPasskey.make();
  for (const fields of [{}, { challenge: 7 }, { challenge: { a: 1 } }, { challenge: '' }])
    await assert.rejects(add(await passkey.made(SITE, fields)), isRejected, JSON.stringify(fields));
  const long = await SoftPasskey.make(3_000);
  await assert.rejects(add(await long.made(SITE, { challenge: challenge() }, { id: 'short' })), isRejected);
  await assert.rejects(add(await long.made(SITE, { challenge: challenge() })), isRejected, 'longer than an id may be');
});

test('transports that are no list of names are left out', async () => {
  for (const transports of ['usb', null, ['usb', ['nfc'], 7, 'US B']]) {
    const passkey = await SoftPasskey.make();
    await add(await passkey.made(SITE, { challenge: challenge() }, { transports }));
    const stored = (await listPasskeys(control(), user)).find(({ id }) => id === passkey.id.toString('base64url'));
    assert.deepEqual(stored?.transports, Array.isArray(transports) ? ['usb'] : []);
  }
});

test('a proof without a challenge, or with one that is no text, proves nothing', async () => {
  const passkey = await SoftPasskey.make();
  await add(await passkey.made(SITE, { challenge: challenge() }));
  for (const fields of [{}, { challenge: 7 }, { challenge: null }])
    assert.equal(await provePasskey(control(), expected(), await passkey.proof(SITE, fields)), null);
});
