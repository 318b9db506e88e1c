import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { setVerification } from '../../src/core/accounts/service.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';

let api: Api;
let clock: FakeClock;
before(async () => {
  clock = new FakeClock();
  api = await startApi({ clock, workers: false });
});
after(() => api.stop());

async function link(): Promise<{ id: string; url: string }> {
  const body = { name: 'Boutique <Awa>', email: 'awa@shop.example' };
  const { id } = (await api.call('POST', '/accounts', { body })).body.account;
  const { onboarding } = (await api.call('POST', `/accounts/${id}/onboarding`)).body;
  return { id, url: onboarding.url };
}

async function open(url: string, language = 'en'): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { headers: { 'accept-language': language } });
  return { status: response.status, text: await response.text() };
}

test('200 the page shows the known details and the verification status, in both languages', async () => {
  const { id, url } = await link();
  const pending = await open(url);
  assert.equal(pending.status, 200);
  assert.match(pending.text, /We are checking your details/);
  assert.match(pending.text, /Boutique &lt;Awa&gt;/);
  assert.match((await open(url, 'fr')).text, /Nous vérifions vos informations/);
  await setVerification(api.deps, api.deps.stores.sandbox, { team_id: api.team.id, id }, 'verified', WORKER);
  assert.match((await open(url)).text, /Your account is verified/);
});

test('404 for a link this server did not create, 410 after its expiry', async () => {
  const { url } = await link();
  assert.equal((await open(`${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`)).status, 404);
  assert.equal((await open(`${api.url}/onboarding/x`)).status, 404);
  clock.advance(25 * 3_600_000);
  assert.equal((await open(url)).status, 410);
});
