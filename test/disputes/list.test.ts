import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { changeDispute, openDispute } from '../../src/core/disputes/service.ts';
import { type Api, startApi } from '../setup/api.ts';
import { Listing } from '../setup/listing.ts';
import { paid } from '../setup/pay.ts';

let api: Api;
/** Each has had one dispute; the first has a second one, after the first was won. */
const payments: string[] = [];
let listing: Listing;

before(async () => {
  api = await startApi();
  listing = new Listing(api, '/disputes', () => api.keys.sandbox.secret);
  for (let i = 0; i < 2; i++) payments.push(await paid(api));
  const [first, second] = payments as [string, string];
  await open(first);
  await change('provider_decided_won');
  await open(second);
  await change('provider_decided_lost');
  await open(first);
});
after(() => api.stop());

async function open(payment_id: string): Promise<void> {
  const { id } = await openDispute(api.deps, api.deps.stores.sandbox, { team_id: api.team.id, payment_id, reason: 'fraudulent' });
  listing.ids.push(id);
}

const change = (trigger: 'provider_decided_won' | 'provider_decided_lost') =>
  changeDispute(api.deps, api.deps.stores.sandbox, { team_id: api.team.id, id: listing.ids.at(-1) as string }, trigger);

const found = (query: Record<string, string>) => listing.found(query);

test('200 newest first, each as GET returns it, and only the team’s own', async () => {
  await listing.checkItems('dispute', (await api.newMerchant()).sandbox.secret);
});

test('200 filters by payment and status, together too', async () => {
  const [first, second] = payments as [string, string];
  assert.deepEqual(await found({ payment: first }), [2, 0]);
  assert.deepEqual(await found({ payment: second }), [1]);
  assert.deepEqual(await found({ status: 'won' }), [0]);
  assert.deepEqual(await found({ status: 'lost' }), [1]);
  assert.deepEqual(await found({ status: 'needs_response' }), [2]);
  assert.deepEqual(await found({ payment: second, status: 'won' }), []);
});

test('200 both kinds of pagination, forwards and backwards', () => listing.checkPages());
