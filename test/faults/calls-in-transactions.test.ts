import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { after, before, test } from 'node:test';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { pollSweep } from '../../src/core/charge/sweeps.ts';
import { refundSweep } from '../../src/core/refunds/sweeps.ts';
import { returnSweep } from '../../src/core/returns/sweeps.ts';
import { transferSweep } from '../../src/core/transfers/sweeps.ts';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import type { Store, WholeStore } from '../../src/platform/db/stores.ts';
import type { RefundOutcome, Submission } from '../../src/providers/adapters/contract.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { startPayment } from '../setup/pay.ts';
import { fund } from './calls.ts';

/** The first invariant of ARCHITECTURE.md: whoever calls a provider has no transaction open. */
const transaction = new AsyncLocalStorage<true>();
const inside: string[] = [];
const outside = new Set<string>();

async function called<Result>(name: string, result: Result): Promise<Result> {
  if (transaction.getStore()) inside.push(name);
  outside.add(name);
  return result;
}

const LATER = { provider_ref: 'ref', poll_after_ms: 1_000 };
const REFUSED: RefundOutcome = { kind: 'failed', reason: 'operator_declined', message: 'refused' };
let next: Extract<Submission, { kind: 'accepted' }>['next'] = { kind: 'confirm' };
let isPaid = true;
let refunded: RefundOutcome = { kind: 'succeeded', provider_ref: 'ref' };

const provider: TestProvider = {
  name: 'noted',
  prepare: () => called('prepare', { kind: 'ready', handle: null }),
  submit: () => called('submit', { kind: 'accepted', next, ...LATER }),
  continue: () => called('continue', { kind: 'accepted', next: { kind: 'confirm' }, ...LATER }),
  read: ({ amount_minor, currency }) =>
    called('read', isPaid ? { kind: 'succeeded', amount_minor, currency, ...LATER } : { kind: 'pending', ...LATER }),
  cancel: () => called('cancel', { kind: 'unknown', message: 'busy' }),
  payouts: {
    reaches: () => true,
    submit: () => called('payout', { kind: 'pending', ...LATER }),
    read: ({ amount_minor, currency }) => called('read of a payout', { kind: 'succeeded', amount_minor, currency, ...LATER }),
  },
  refunds: {
    extent: 'partial',
    submit: () => called('refund', { kind: 'pending', ...LATER }),
    read: () => called('read of a refund', refunded),
  },
};

/** The same store, whose transactions are known to what runs in them. */
function marked<Kind extends Store>(store: Kind): Kind {
  const { db } = store;
  return { ...store, db: { ...db, transaction: (work) => db.transaction((tx) => transaction.run(true, () => work(tx))) } };
}

const clock = new FakeClock();
let api: Api;
let store: WholeStore;
before(async () => {
  api = await startApi({ clock, workers: false, providers: new Registry({ sandbox: [provider], live: [] }) });
  const whole = api.deps.stores.sandbox;
  const of = whole.of;
  Object.assign(whole, { of: (team_id: bigint) => marked(of(team_id)) });
  store = marked(whole);
});
after(() => api.stop());

async function work(): Promise<void> {
  const sweeps = [pollSweep, returnSweep, refundSweep, transferSweep].map((sweep) => sweep(api.deps, store));
  for (let round = 0; round < 6; round++) {
    clock.advance(120_000);
    for (const sweep of sweeps) await sweep.round();
  }
}

const statusOf = async (id: string) => (await api.call('GET', `/payments/${id}`)).body.transaction.status;

test('no call of a provider is made inside a transaction: charges, codes, polls, refunds, payouts and returns', async () => {
  await fund({ deps: api.deps, store: api.deps.stores.sandbox, team_id: api.team.id });
  next = { kind: 'otp' };
  const { id } = await startPayment(api);
  const code = await api.call('POST', `/payments/${id}`, {
    body: { channel: 'cm.mtn', data: { phone: '650000000', otp: '1234' } },
  });
  assert.equal(code.status, 202, JSON.stringify(code.body));
  await work();
  assert.equal(await statusOf(id), 'succeeded');
  await api.call('POST', '/refunds', { body: { payment: id, amount: 1_000, reason: 'duplicate' } });
  const transfer = { amount: 5_000, currency: 'XAF', recipient: '+237650000000', channel: 'cm.mtn' };
  assert.equal((await api.call('POST', '/transfers', { body: transfer })).status, 201);
  await work();
  assert.equal(await statusOf(id), 'partially_refunded');

  [next, isPaid, refunded] = [{ kind: 'confirm' }, false, REFUSED];
  const late = await startPayment(api, { fields: { expires: { in: 5 } } });
  await work();
  const row = must(
    await store.db.maybe<{ id: string }>(sql`select id from attempts where payment_id = ${late.id}`),
    'it was charged',
  );
  for (const as of ['failed', 'succeeded'] as const)
    await resolveAttempt(
      api.deps,
      store,
      { team_id: api.team.id, id: row.id },
      { as, evidence: 'statement', author: 'ops' },
      WORKER,
    );
  await work();
  const returned = await store.db.maybe<{ state: string }>(sql`select state from returns where payment_id = ${late.id}`);
  assert.equal(returned?.state, 'returned');

  assert.deepEqual(inside, []);
  const all = ['cancel', 'continue', 'payout', 'prepare', 'read', 'read of a payout', 'read of a refund', 'refund', 'submit'];
  assert.deepEqual([...outside].sort(), all, 'every call was made');
});
