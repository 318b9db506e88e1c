import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { findAttempt } from '../../src/core/attempts/store.ts';
import { applyAttemptCallback } from '../../src/core/charge/callback.ts';
import { reportOfReading } from '../../src/core/charge/reports.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { apply } from '../../src/core/payments/apply.ts';
import { must } from '../../src/kit/errors.ts';
import { NO_PROVIDER } from '../../src/providers/adapters/polling.ts';
import type { Reading } from '../../src/providers/adapters/contract.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { untilLocked } from '../setup/locks.ts';
import { Registry } from '../setup/providers.ts';
import { ACCEPTED, Scripted } from '../setup/scripted.ts';

/** A charge that its provider turned away is paid after all, when another one of its payment is being sent or is under way. */
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

const store = () => api.deps.stores.live;
const call = (method: string, path: string, body?: object) =>
  api.call(method, path, { key: merchant.live.secret, ...(body ? { body } : {}) });
const shown = async (id: string) => (await call('GET', `/payments/${id}`)).body.transaction;
let phone = 650_400_000;
const MTN = () => ({ channel: 'cm.mtn', data: { phone: String(++phone) } });
const BANK = () => ({ channel: 'cm.bank', data: { account_number: '10003 00100 01234567890 27' } });

async function newPayment(amount: number, bearer = 'merchant'): Promise<string> {
  clock.advance(1);
  return (await call('POST', '/payments', { amount, currency: 'XAF', phone: '1', bearer })).body.transaction.id;
}

type Asked = typeof provider.last;

/** Charges a payment whose provider says that it is unavailable. Returns what it was asked. */
async function turnAway(id: string, how: object): Promise<Asked> {
  provider.submission = { kind: 'unavailable', message: 'closed' };
  await call('POST', `/payments/${id}`, how);
  provider.submission = ACCEPTED;
  return provider.last;
}

const paidOf = ({ amount_minor, currency }: Asked): Reading => ({
  kind: 'succeeded',
  provider_ref: 'paid',
  amount_minor,
  currency,
});

/** A callback that says that a charge is paid, and proves it. */
function prove(asked: Asked) {
  const from = { team_id: merchant.team.id, account_id: provider.name };
  return applyAttemptCallback(api.deps, store(), from, { by: 'provider_key', value: asked.provider_key }, paidOf(asked));
}

const BY: Record<string, (asked: Asked) => Promise<unknown>> = {
  'its provider': prove,
  'a person': ({ attempt_id: id }) => {
    const decision = { as: 'succeeded', evidence: 'statement', author: 'ops' } as const;
    return resolveAttempt(api.deps, store(), { team_id: merchant.team.id, id }, decision, WORKER);
  },
};

for (const [who, report] of Object.entries(BY))
  for (const bearer of ['merchant', 'customer'])
    for (const [first, then, fee] of [
      [MTN, BANK, 200],
      [BANK, MTN, 150],
    ] as const)
      test(`a payment has the fee and the channel of the charge that is paid first, as ${who} says: ${fee}, borne by the ${bearer}`, async () => {
        const id = await newPayment(10_000, bearer);
        const turned = await turnAway(id, first());
        assert.equal((await call('POST', `/payments/${id}`, then())).status, 202);
        const second = provider.last;
        await report(turned);
        const total = bearer === 'customer' ? 10_000 + fee : 10_000;
        const after = await shown(id);
        assert.deepEqual([after.status, after.channel, after.fee], ['succeeded', first().channel, fee]);
        assert.deepEqual([after.amount_total, after.amount_captured], [total, total]);
        // The other one is returned whole.
        await prove(second);
        assert.deepEqual([(await shown(id)).status, (await shown(id)).amount_captured], ['succeeded', total]);
        const row = await findAttempt(store().db, merchant.team.id, second.attempt_id);
        assert.deepEqual([row?.status, row?.must_return], ['succeeded', true]);
      });

test('a charge of the whole amount is not sent once a tranche before it is paid', async () => {
  const id = await newPayment(900_000);
  const tranche = await turnAway(id, MTN());
  assert.equal(tranche.amount_minor, 45_000_000n);
  provider.onPrepare = async ({ amount_minor }) => {
    if (amount_minor === 90_000_000n) await prove(tranche);
  };
  const sent = provider.submitted.length;
  await call('POST', `/payments/${id}`, BANK());
  assert.deepEqual(
    provider.submitted.slice(sent).filter(({ amount_minor }) => amount_minor > 45_000_000n),
    [],
  );
  assert.deepEqual([(await shown(id)).status, (await shown(id)).amount_captured], ['partial', 450_000]);
});

test('a charge is not sent when the payment was paid while it waited for the locks of the attempts', async () => {
  const id = await newPayment(1_000);
  const turned = await turnAway(id, MTN());
  const reported = Promise.withResolvers<void>();
  let committed: Promise<void> = Promise.resolve();
  provider.onPrepare = async () => {
    committed = store().db.transaction(async (tx) => {
      const place = { config: api.deps.config, environment: 'live' } as const;
      const context = { environment: 'live', at: clock.now(), listeners: api.deps.listeners } as const;
      const known = must(await findAttempt(tx, merchant.team.id, turned.attempt_id), 'it was charged');
      const poll = { capabilities: NO_PROVIDER, polled_at: clock.now(), due: null };
      await apply(tx, context, [reportOfReading(place, known, paidOf(turned), poll)]);
      reported.resolve();
      await untilLocked(api.databases.live);
    });
    await reported.promise;
  };
  const sent = provider.submitted.length;
  const { status } = await call('POST', `/payments/${id}`, MTN());
  await committed;
  assert.equal(provider.submitted.length, sent);
  assert.notEqual(status, 202);
  assert.deepEqual([(await shown(id)).status, (await shown(id)).amount_captured], ['succeeded', 1_000]);
});

test('a code is not sent for the whole amount once a tranche before it is paid', async () => {
  const id = await newPayment(900_000);
  const tranche = await turnAway(id, MTN());
  provider.submission = { kind: 'accepted', provider_ref: 'ref-2', next: { kind: 'otp' }, poll_after_ms: 1_000 };
  assert.equal((await call('POST', `/payments/${id}`, BANK())).status, 202);
  await prove(tranche);
  assert.equal((await shown(id)).status, 'partial');
  const bank = BANK();
  const { status } = await call('POST', `/payments/${id}`, { ...bank, data: { ...bank.data, otp: '123456' } });
  assert.deepEqual([status, provider.continued.length], [400, 0]);
});
