import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { pollSweep, trancheSweep } from '../../src/core/charge/sweeps.ts';
import type { Payout, PayoutOutcome } from '../../src/providers/adapters/contract.ts';
import { sandboxProvider } from '../../src/providers/adapters/sandbox/index.ts';
import { claimDueAttempts } from '../../src/core/attempts/store.ts';
import { claimContinuing } from '../../src/core/payments/store.ts';
import { claimDueRefunds } from '../../src/core/refunds/store.ts';
import { claimDueReturns } from '../../src/core/obligations/store.ts';
import { claimDueTransfers } from '../../src/core/transfers/store.ts';
import { accountKey } from '../../src/platform/work/account-key.ts';
import { sql } from '../../src/kit/sql.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { returnSweep } from '../../src/core/returns/sweeps.ts';
import { refundSweep } from '../../src/core/refunds/sweeps.ts';
import { transferSweep } from '../../src/core/transfers/sweeps.ts';
import { type Sweep, startSweep } from '../../src/platform/work/sweep.ts';
import type { Worker } from '../../src/platform/work/worker.ts';
import { type Api, FakeClock, type Merchant, startApi, until } from '../setup/api.ts';
import { startPayment } from '../setup/pay.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { fund } from '../transfers/support.ts';

/** More than a claim takes and than one account has slots. */
const DEAD_ROWS = 60;
const CHANNEL = { dead: 'cm.mtn', healthy: 'cm.orange' } as const;
const PHONE = { dead: '650000000', healthy: '690000000' } as const;

/** The dead provider accepts nothing and answers nothing while this is set. */
let silence: PromiseWithResolvers<never> | null = null;
const REFUSED = { kind: 'failed', reason: 'operator_declined', message: 'refused for good' } as const;
/** Refunds are rejected for good while this is set. */
let refused = false;
let phones = 0;
const clock = new FakeClock();
let api: Api;
let merchant: Merchant;
let key: string;
let worker: Worker | undefined;

function provider(name: 'dead' | 'healthy'): TestProvider {
  const answering = sandboxProvider({ clock, delay_ms: 1_000 });
  const call = <T>(answer: () => Promise<T>): Promise<T> => (name === 'dead' && silence ? silence.promise : answer());
  const serves = (channel: string) => channel === CHANNEL[name];
  const pending = async () => ({ kind: 'pending', provider_ref: null, poll_after_ms: 1_000 }) as const;
  const { payouts } = answering;
  assert.ok(payouts);
  return {
    ...{ name, account_id: name, collects: serves },
    submit: (collection) => call(() => answering.submit(collection)),
    read: (collection) => call(() => answering.read(collection)),
    refunds: {
      extent: 'partial',
      submit: async () => (refused ? REFUSED : pending()),
      read: () => call(async () => (refused ? REFUSED : ({ kind: 'succeeded', provider_ref: 'ref' } as const))),
    },
    payouts: {
      ...payouts,
      reaches: serves,
      // A number whose charge is declined is one that the sandbox's payouts do not reach either.
      submit: (payout) => call(async () => (refused ? paidOut(payout) : payouts.submit(payout))),
      read: (payout) => call(() => payouts.read(payout)),
    },
  };
}

function paidOut({ amount_minor, currency }: Payout): PayoutOutcome {
  return { kind: 'succeeded', provider_ref: 'payout', amount_minor, currency };
}

before(async () => {
  const both = [provider('dead'), provider('healthy')];
  api = await startApi({ clock, workers: false, providers: new Registry({ sandbox: both, live: both }) });
});
beforeEach(async () => {
  merchant = await api.newMerchant({ verification_level: 4, plan: 'unlimited' });
  key = merchant.live.secret;
});
afterEach(async () => {
  silence?.reject(new Error('the dead provider hung up'));
  silence = null;
  refused = false;
  await worker?.stop();
  worker = undefined;
});
after(() => api.stop());

const store = () => api.deps.stores.live;
const start = (sweep: Sweep) => {
  worker = startSweep(sweep, api.deps);
};

/** From now on nothing comes back from the dead provider, and all that waits is due. */
function die(): void {
  silence = Promise.withResolvers<never>();
  silence.promise.catch(() => {});
  clock.advance(120_000);
}

async function charged(name: 'dead' | 'healthy', amount = 10_000): Promise<string> {
  // A phone of its own for each: one phone is not prompted that often.
  const phone = PHONE[name].slice(0, 3) + String(100_000 + phones++);
  const { id, answer } = await startPayment(api, { key, amount, channel: CHANNEL[name], phone });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return id;
}

/** The dead provider's rows first: they are due first. */
async function onBoth<T>(make: (name: 'dead' | 'healthy') => Promise<T>): Promise<T> {
  for (let made = 0; made < DEAD_ROWS; made += 10) await Promise.all(Array.from({ length: 10 }, () => make('dead')));
  clock.advance(1);
  return make('healthy');
}

interface Claimed {
  team_id: bigint;
}

/** A claim that passes over the account with the dead rows takes the healthy one and none of the dead. */
async function claimsPassOver(
  account: string,
  claim: (now: Date, limit: number, skip: readonly string[]) => Promise<Claimed[]>,
): Promise<void> {
  const claimed = async (skip: readonly string[]) => {
    const rows = await claim(new Date(clock.now()), 1_000, skip);
    return rows.filter(({ team_id }) => team_id === merchant.team.id).length;
  };
  assert.equal(await claimed([]), DEAD_ROWS + 1);
  assert.equal(await claimed([accountKey(merchant.team.id, account)]), 1);
}

async function becomes(path: string, resource: string, status: string): Promise<void> {
  await until(
    async () => (await api.call('GET', path, { key })).body[resource].status,
    (now) => now === status,
  );
}

/** A worker that was slow for a moment leaves attempts unread, which are due again when their leases end. */
async function allPaid(): Promise<void> {
  await until(
    async () => {
      clock.advance(5_000);
      while ((await pollSweep(api.deps, store()).round()) > 0);
      return store().db.all(sql`select 1 from attempts where team_id = ${merchant.team.id} and next_poll_at is not null`);
    },
    (left) => left.length === 0,
  );
}

test('polls: payments at an unresponsive provider do not delay others', async () => {
  const id = await onBoth(charged);
  die();
  await claimsPassOver('dead', (now, limit, skip) => claimDueAttempts(store().db, now, 0, limit, skip));
  start(pollSweep(api.deps, store()));
  await becomes(`/payments/${id}`, 'transaction', 'succeeded');
});

test('refunds: refunds at an unresponsive provider do not delay others', async () => {
  const payments: Record<string, string[]> = { dead: [], healthy: [] };
  await onBoth(async (name) => payments[name]?.push(await charged(name)));
  await allPaid();
  const refund = await onBoth(async (name) => {
    const body = { payment: payments[name]?.pop(), amount: 5_000, reason: 'duplicate' };
    return (await api.call('POST', '/refunds', { key, body })).body.refund.id as string;
  });
  // All have been sent, and their answers are stored: until then they have a lease of a minute.
  await until(
    () =>
      store().db.all(sql`
        select 1 from refunds where team_id = ${merchant.team.id} and status = 'processing'
          and next_poll_at <= ${new Date(clock.now() + 2_000)}`),
    (rows) => rows.length === DEAD_ROWS + 1,
  );
  die();
  await claimsPassOver('dead', (now, limit, skip) =>
    claimDueRefunds(store().db, now, 0, limit, skip).then((due) => due.map(({ refund }) => refund)),
  );
  start(refundSweep(api.deps, store()));
  await becomes(`/refunds/${refund}`, 'refund', 'succeeded');
});

test('transfers: transfers at an unresponsive provider do not delay others', async () => {
  await fund(api, merchant.team, 10_000_000, store());
  const transfer = await onBoth(async (name) => {
    const beneficiary = { name: 'Awa', phone: `+237${PHONE[name]}`, channel: CHANNEL[name] };
    const answer = await api.call('POST', '/transfers', { key, body: { amount: 1_000, currency: 'XAF', beneficiary } });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.transfer.id as string;
  });
  die();
  await claimsPassOver(CHANNEL.dead, (now, limit, skip) => claimDueTransfers(store().db, now, 0, limit, skip));
  start(transferSweep(api.deps, store()));
  await until(
    async () => {
      clock.advance(2_000);
      return (await api.call('GET', `/transfers/${transfer}`, { key })).body.transfer.status;
    },
    (status) => status === 'succeeded',
  );
});

test('tranches: the next tranche at an unresponsive provider does not delay others', async () => {
  const id = await onBoth(async (name) => {
    // The healthy one's next tranche is due last.
    if (name === 'healthy') await allPaid();
    return charged(name, 900_000);
  });
  await allPaid();
  die();
  await claimsPassOver('dead', (now, limit, skip) => claimContinuing(store().db, now, 0, limit, skip));
  start(trancheSweep(api.deps, store()));
  await until(
    async () => (await api.call('GET', `/payments/${id}`, { key })).body.transaction.attempts.length,
    (attempts) => attempts === 2,
  );
});

test('returns: automatic reversals at an unresponsive provider do not delay others', async () => {
  refused = true;
  const id = await onBoth(async (name) => {
    // The last six digits decline; the rest differs, since prompts to one number are limited.
    const phone = `${PHONE[name][0]}${name === 'dead' ? 7 : 9}${phones++ % 10}000002`;
    const declined = await startPayment(api, { key, amount: 10_000, channel: CHANNEL[name], phone });
    assert.equal(declined.answer.status, 402);
    const { attempts } = (await api.call('GET', `/payments/${declined.id}`, { key })).body.transaction;
    const ref = { team_id: merchant.team.id, id: attempts[0].id as string };
    await resolveAttempt(api.deps, store(), ref, { as: 'succeeded', evidence: 'statement', author: 'ops' }, WORKER);
    return declined.id;
  });
  await returnSweep(api.deps, store()).round();
  await returnSweep(api.deps, store()).round();
  for (let round = 0; round < 4; round++) {
    clock.advance(1_000);
    await refundSweep(api.deps, store()).round();
  }
  die();
  await claimsPassOver('dead', (now, limit, skip) => claimDueReturns(store().db, now, 0, limit, skip));
  start(returnSweep(api.deps, store()));
  await until(
    async () => {
      clock.advance(2_000);
      const { items } = (await api.call('GET', `/payments/${id}/refunds`, { key })).body;
      return items.map(({ status }: { status: string }) => status);
    },
    (statuses) => statuses.includes('succeeded'),
  );
});
