import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { upsertBlock } from '../../src/core/abuse/store.ts';
import { findAttempt } from '../../src/core/attempts/store.ts';
import { applyAttemptCallback } from '../../src/core/charge/callback.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { pollSweep, trancheSweep } from '../../src/core/charge/sweeps.ts';
import { payerHash } from '../../src/core/customers/payer-hash.ts';
import { must } from '../../src/kit/errors.ts';
import { newId } from '../../src/kit/ids.ts';
import { createLog } from '../../src/kit/log.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { TERMS_CACHE_MS } from '../../src/tenants/teams/charge-terms.ts';
import { setAbuseRules } from '../../src/tenants/teams/store.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import { ACCEPTED, Scripted } from '../setup/scripted.ts';

/** What else may end a payment, or charge it again, while a charge is read that its provider turned away and called back about. */
const clock = new FakeClock();
const provider = new Scripted();
let api: Api;
let merchant: Merchant;

before(async () => {
  api = await startApi({ clock, workers: false, providers: new Registry({ sandbox: [provider], live: [provider] }) });
  merchant = await api.newMerchant({ verification_level: 3 });
});
after(() => api.stop());
afterEach(() => provider.reset());

const DAY_MS = 86_400_000;
const CLOSED = { kind: 'unavailable', message: 'closed' } as const;
const PENDING = { kind: 'pending', poll_after_ms: 1_000 } as const;
const UNREADABLE = { kind: 'unreadable', message: 'an empty page' } as const;

const store = () => api.deps.stores.live;
const call = (method: string, path: string, body?: object) =>
  api.call(method, path, { key: merchant.live.secret, ...(body ? { body } : {}) });
const shown = async (id: string) => (await call('GET', `/payments/${id}`)).body.transaction;
const attempt = async (id: string) => must(await findAttempt(store().db, merchant.team.id, id), 'it was charged');
const poll = () => pollSweep(api.deps, store()).round();
let phone = 650_300_000;

async function newPayment(): Promise<string> {
  clock.advance(1);
  return (await call('POST', '/payments', { amount: 1_000, currency: 'XAF', phone: '1' })).body.transaction.id;
}

function charge(id: string, payer = String(++phone)) {
  return call('POST', `/payments/${id}`, { channel: 'cm.mtn', data: { phone: payer }, client_ip: '203.0.113.7' });
}

/** Charges a payment whose provider says that it is unavailable. Returns what it was asked. */
async function turnAway(id: string) {
  provider.submission = CLOSED;
  await charge(id);
  provider.submission = ACCEPTED;
  return provider.last;
}

type Asked = Awaited<ReturnType<typeof turnAway>>;

/** A callback that nobody signed: the provider is read. */
function callBack({ provider_key }: Asked) {
  const from = { team_id: merchant.team.id, account_id: provider.name };
  return applyAttemptCallback(api.deps, store(), from, { by: 'provider_key', value: provider_key }, null);
}

/** An invoice of 1,000 that may be paid in parts. `pay` submits its page and returns the payment that the payer is led to. */
async function sentInvoice() {
  const customer = { name: 'Awa Ngo', email: 'awa@buyers.example', phone: '+237670100000' };
  const made = { items: [{ name: 'Soap', unit_price: 1_000 }], currency: 'XAF', customer, allow_partial: true };
  const { id } = (await call('POST', '/invoices', made)).body.invoice;
  const { url } = (await call('POST', `/invoices/${id}/send`)).body.invoice;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const pay = async (amount: string) => {
    const answer = await fetch(url, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams({ amount }) });
    const token = (answer.headers.get('location') ?? '').split('/pay/')[1] ?? '';
    return `trx_${token.split('.')[0]}`;
  };
  return { id, url, pay };
}

test('a charge that is being prepared when the provider calls back about an earlier one is not sent', async () => {
  const id = await newPayment();
  const first = await turnAway(id);
  provider.readings.set(first.attempt_id, PENDING);
  provider.onPrepare = async () => void (await callBack(first));
  const sent = provider.submitted.length;
  const { status, body } = await charge(id);
  assert.deepEqual([status, body.message], [400, 'A charge of this payment is already under way.']);
  assert.equal(provider.submitted.length, sent);
  provider.onPrepare = async () => {};
  provider.paid(first);
  clock.advance(60_000);
  await poll();
  assert.deepEqual([(await shown(id)).status, (await shown(id)).amount_captured], ['succeeded', 1_000]);
});

test('an invoice keeps a payment with such a charge, and leads to it', async () => {
  const { id: invoice, url, pay } = await sentInvoice();
  const id = await pay('600');
  const asked = await turnAway(id);
  provider.readings.set(asked.attempt_id, UNREADABLE);
  await callBack(asked);
  assert.equal(await pay('400'), id, 'the payment that may already be paid');
  assert.match(await (await fetch(url)).text(), new RegExp(`/pay/${id.slice(4)}`));
  assert.equal((await call('POST', `/invoices/${invoice}/cancel`)).status, 400);
  provider.paid(asked);
  clock.advance(60_000);
  await poll();
  assert.deepEqual([(await shown(id)).status, (await shown(id)).amount_captured], ['succeeded', 600]);
});

test('an invoice whose payment has failed is offered again once its provider is no longer asked about the charge', async () => {
  const { url, pay } = await sentInvoice();
  const id = await pay('600');
  provider.submission = { kind: 'refused', reason: 'payer_declined', message: 'declined' };
  await charge(id);
  assert.equal((await shown(id)).status, 'failed');
  provider.readings.set(provider.last.attempt_id, UNREADABLE);
  await callBack(provider.last);
  assert.notEqual((await attempt(provider.last.attempt_id)).next_poll_at, null);
  assert.doesNotMatch(await (await fetch(url)).text(), /<form/);
  provider.readings.set(provider.last.attempt_id, { kind: 'failed', reason: 'payer_declined', message: 'declined' });
  clock.advance(60_000);
  await poll();
  assert.equal((await attempt(provider.last.attempt_id)).next_poll_at, null);
  assert.match(await (await fetch(url)).text(), /<form/);
});

test('fraud screening does not end a payment with such a charge', async () => {
  const id = await newPayment();
  const first = await turnAway(id);
  provider.readings.set(first.attempt_id, UNREADABLE);
  await callBack(first);
  await setAbuseRules(api.control, merchant.team.id, true);
  clock.advance(TERMS_CACHE_MS + 1);
  const blocked = '+237699999999';
  const owner = openPool({ url: api.databases.live, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  const now = clock.now();
  const value = payerHash(api.deps.secrets, merchant.team.id, blocked);
  const block = { team_id: merchant.team.id, id: newId('blk', 'live', now), kind: 'payer', value, note: null } as const;
  await owner.transaction((tx) => upsertBlock(tx, { ...block, created_at: new Date(now), expires_at: null }));
  await owner.close();
  assert.equal((await charge(await newPayment(), blocked)).body.error_code, 'fraud_blocked');
  assert.equal((await charge(id, blocked)).status, 400);
  assert.notEqual((await shown(id)).status, 'failed');
  provider.paid(first);
  clock.advance(60_000);
  await poll();
  assert.equal((await shown(id)).status, 'succeeded');
});

test('while a tranche that never arrived is read after a callback, no other is sent', async () => {
  clock.advance(1);
  const id = (await call('POST', '/payments', { amount: 600_000, currency: 'XAF', phone: '1' })).body.transaction.id;
  await charge(id);
  provider.paid(provider.last);
  clock.advance(60_000);
  await poll();
  provider.submission = { kind: 'unknown', message: 'timeout' };
  await trancheSweep(api.deps, store()).round();
  const lost = provider.last;
  clock.advance(600_000);
  await poll();
  assert.deepEqual([(await shown(id)).status, (await attempt(lost.attempt_id)).status], ['partial', 'expired']);
  const sent = provider.submitted.length;
  provider.submission = ACCEPTED;
  provider.paid(lost);
  provider.onRead = async () => void (await trancheSweep(api.deps, store()).round());
  await callBack(lost);
  await trancheSweep(api.deps, store()).round();
  assert.deepEqual([provider.submitted.length, (await shown(id)).status], [sent, 'succeeded']);
});

for (const what of ['a person has decided', 'never arrived'] as const) {
  test(`a charge that ${what} is not polled for ever after a callback because its provider cannot be read`, async () => {
    if (what === 'never arrived') provider.submission = { kind: 'unknown', message: 'timeout' };
    await charge(await newPayment());
    const asked = provider.last;
    const ref = { team_id: merchant.team.id, id: asked.attempt_id };
    if (what === 'a person has decided') {
      await resolveAttempt(api.deps, store(), ref, { as: 'failed', evidence: 'their statement', author: 'ops' }, WORKER);
    } else {
      provider.readings.set(asked.attempt_id, { kind: 'not_found' });
      clock.advance(3_600_000);
      await poll();
    }
    assert.equal((await attempt(asked.attempt_id)).next_poll_at, null);
    provider.readings.set(asked.attempt_id, UNREADABLE);
    await callBack(asked);
    assert.notEqual((await attempt(asked.attempt_id)).next_poll_at, null);
    clock.advance(80 * DAY_MS);
    await poll();
    assert.notEqual((await attempt(asked.attempt_id)).next_poll_at, null, 'its provider may have it');
    clock.advance(11 * DAY_MS);
    await poll();
    assert.equal((await attempt(asked.attempt_id)).next_poll_at, null);
  });
}

test('such a charge blocks its payment for seven days, too, when its account can no longer be used', async (t) => {
  const id = await newPayment();
  const asked = await turnAway(id);
  provider.readings.set(asked.attempt_id, UNREADABLE);
  await callBack(asked);
  const { providers } = api.deps;
  const byAccount = providers.byAccount.bind(providers);
  t.mock.method(providers, 'byAccount', async (...[environment, team_id, account]: Parameters<typeof byAccount>) =>
    account === provider.name ? undefined : byAccount(environment, team_id, account),
  );
  const polled = async (days: number) => {
    clock.advance(days * DAY_MS);
    await poll();
    return (await attempt(asked.attempt_id)).next_poll_at !== null;
  };
  assert.deepEqual([await polled(6), await polled(2)], [true, false]);
});
