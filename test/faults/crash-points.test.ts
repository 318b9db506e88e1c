import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Store } from '../../src/platform/db/stores.ts';
import type { Deps } from '../../src/program/deps.ts';
import { sql } from '../../src/kit/sql.ts';
import { must } from '../../src/kit/errors.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { charge } from '../../src/core/charge/charge.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { expirySweep, pollSweep, trancheSweep } from '../../src/core/charge/sweeps.ts';
import type { Provider } from '../../src/providers/adapters/contract.ts';
import { Registry, withProviders } from '../setup/providers.ts';
import { sandboxProvider } from '../../src/providers/adapters/sandbox/index.ts';
import { channelById } from '../../src/providers/reference/channels.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { createRefund } from '../../src/core/refunds/service.ts';
import { refundSweep } from '../../src/core/refunds/sweeps.ts';
import { returnSweep } from '../../src/core/returns/sweeps.ts';
import { retentionSweep } from '../../src/core/payments/sweeps.ts';
import { createTransfer } from '../../src/core/transfers/create.ts';
import { transferSweep } from '../../src/core/transfers/sweeps.ts';
import { createLog } from '../../src/kit/log.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { Book, bookkeeping } from './bookkeeping.ts';
import { checkBooks } from './books.ts';
import { fund, refundCall, transferCall } from './calls.ts';
import { Crash, crashingStore, Fuse } from './crashing-store.ts';

/**
 * Every flow that moves money is cut at every step it takes (each statement, each commit, each call of a provider).
 * Afterwards only the workers go on. Nothing may be lost, doubled or left open, whatever the step was.
 */
let api: Api;
let clock: FakeClock;

before(async () => {
  clock = new FakeClock();
  api = await startApi({
    workers: false,
    clock,
    env: { CREDIT_CAP_LIVE: '0', SANDBOX_DELAY_MS: '100', HOLD_MOBILE_MONEY: '1h' },
  });
});
after(() => api.stop());

interface World {
  deps: Deps;
  store: Store;
  team_id: bigint;
  book: Book;
}

/** A fresh team whose provider keeps a book; the provider's calls count as steps too. */
async function newWorld(fuse: Fuse): Promise<{ mortal: World; survivors: World }> {
  const { team } = await api.newMerchant({ verification_level: 4 });
  const book = new Book();
  const world = (store: Store, registry: Registry): World => ({
    deps: { ...api.deps, log: createLog({ level: 'silent', format: 'json' }), ...withProviders(registry) },
    store,
    team_id: team.id,
    book,
  });
  const healthy = sandboxProvider({ clock, delay_ms: 100 });
  const of = (provider: Provider) => new Registry({ sandbox: [provider], live: [provider] });
  return {
    mortal: world(crashingStore(api.deps.stores.live, fuse), of(bookkeeping(healthy, book, fuse))),
    survivors: world(api.deps.stores.live, of(bookkeeping(healthy, book, new Fuse(0)))),
  };
}

/** Workers alone, with time passing, until nothing is due any more. */
async function recover({ deps, store }: World): Promise<void> {
  const sweeps = [
    expirySweep(deps, store),
    pollSweep(deps, store),
    trancheSweep(deps, store),
    returnSweep(deps, store),
    refundSweep(deps, store),
    transferSweep(deps, store),
    retentionSweep(deps, store),
  ];
  for (let quiet = 0; quiet < 8; ) {
    clock.advance(120_000);
    let handled = 0;
    for (const sweep of sweeps) handled += await sweep.round();
    quiet = handled === 0 ? quiet + 1 : 0;
  }
}

/** Runs the flow without dying to count its steps, then once for each step, dying there. */
function cutEverywhere(
  name: string,
  flow: (world: World, prepared: string) => Promise<void>,
  prepare: (world: World) => Promise<string>,
  check: (world: World, prepared: string) => Promise<void>,
): void {
  test(`${name}: interrupted at every step, nothing is lost or doubled and processing resumes automatically`, async () => {
    const whole = new Fuse(0);
    const first = await newWorld(whole);
    const prepared = await prepare(first.survivors);
    await flow(first.mortal, prepared);
    await recover(first.survivors);
    await check(first.survivors, prepared);
    assert.ok(whole.steps > 4, `${name} takes steps`);
    for (let at = 1; at <= whole.steps; at++) {
      const fuse = new Fuse(at);
      const { mortal, survivors } = await newWorld(fuse);
      const subject = await prepare(survivors);
      await assert.rejects(dying(flow(mortal, subject), fuse), Crash, `dies at step ${at}`);
      await recover(survivors);
      await check(survivors, subject).catch((error: Error) => {
        throw new Error(`${name}, cut at step ${at} of ${whole.steps}: ${error.message}`, { cause: error });
      });
    }
    assert.deepEqual(await checkBooks(api.deps.stores.live.db), []);
  });
}

/** A sweep logs what fails and goes on; a dead process does not. */
async function dying(flow: Promise<void>, fuse: Fuse): Promise<void> {
  await flow;
  if (fuse.blown) throw new Crash('died inside a round');
}

async function newPayment({ store, team_id }: World, amount: number): Promise<string> {
  const { payment } = await api.deps.creators.live.create({
    caller: { team: { id: team_id, verification_level: 4, unique_references: false }, store, key_id: 'key' },
    body: { amount, currency: 'XAF', phone: '+237650000000', expires: { in: 60 } },
    params: {},
    query: {},
    idempotency_key: null,
    sync: null,
    request_id: 'req',
    at: clock.now(),
  } as unknown as Parameters<Deps['creators']['live']['create']>[0]);
  return payment.id;
}

const cmMtn = () => must(channelById('cm.mtn'), 'cm.mtn');

async function chargeNow({ deps, store, team_id }: World, id: string): Promise<void> {
  await charge(
    deps,
    store,
    { team_id, id },
    {
      channel: cmMtn(),
      payer: '+237650000000',
      currency: 'XAF',
      tranche_minor: 100_000n,
      left_minor: 100_000n,
      borne_minor: null,
      client_ip: null,
      by: WORKER,
      prompted_by: null,
    },
  );
}

async function paid(world: World, amount: number): Promise<string> {
  const id = await newPayment(world, amount);
  await chargeNow(world, id);
  await recover(world);
  return id;
}

/** Sweeps work for every team of the store: only what was asked for this one counts. */
async function moved(
  { store, team_id }: World,
  book: Map<string, bigint>,
  table: 'attempts' | 'refunds' | 'transfers',
): Promise<bigint> {
  const keys =
    table === 'refunds'
      ? `leg->>'provider_key' as key from refunds, json_array_elements(legs) leg`
      : `provider_key as key from ${table}`;
  const rows = await store.db.all<{ key: string }>({ text: `select ${keys} where team_id = $1`, values: [team_id] });
  return rows.reduce((sum, { key }) => sum + (book.get(key) ?? 0n), 0n);
}

interface PaymentState {
  status: string;
  captured_minor: bigint;
  refunded_minor: bigint;
  settled: boolean;
}

async function stateOf({ store, team_id }: World, id: string): Promise<PaymentState> {
  return must(
    await store.db.maybe<PaymentState>(sql`
    select status, captured_minor, refunded_minor, settled from payments where team_id = ${team_id} and id = ${id}`),
    'the payment exists',
  );
}

/** What the service believes was collected is what the provider's book says of succeeded attempts. */
async function collectedOnce({ store, team_id, book }: World, id: string): Promise<void> {
  const rows = await store.db.all<{ provider_key: string; amount_minor: bigint }>(sql`
    select provider_key, amount_minor from attempts where team_id = ${team_id} and payment_id = ${id} and status = 'succeeded'`);
  for (const row of rows) assert.ok(book.collected.has(row.provider_key), 'an attempt that succeeded was sent');
  const open = await store.db.all(
    sql`select 1 from attempts where team_id = ${team_id} and payment_id = ${id} and status in ('created', 'open', 'unknown')`,
  );
  assert.equal(open.length, 0, 'nothing is left open');
}

cutEverywhere(
  'a charge',
  chargeNow,
  (world) => newPayment(world, 25_000),
  async (world, id) => {
    // Beyond the window: whoever was never charged is told so.
    clock.advance(3_700_000);
    await recover(world);
    await collectedOnce(world, id);
    const { status, captured_minor } = await stateOf(world, id);
    const taken = await moved(world, world.book.collected, 'attempts');
    assert.equal(captured_minor, taken, 'what the provider took is what we booked');
    // Cut before it was sent, the payment ends without money: the window closed on it, or the provider never heard of it.
    assert.ok(taken === 0n ? ['expired', 'failed'].includes(status) : status === 'succeeded', status);
  },
);

cutEverywhere(
  'the next tranche',
  async ({ deps, store }) => {
    await trancheSweep(deps, store).round();
  },
  async (world) => {
    const id = await newPayment(world, 1_200_000);
    await chargeNow(world, id);
    clock.advance(200);
    await pollSweep(world.deps, world.store).round();
    return id;
  },
  async (world, id) => {
    await collectedOnce(world, id);
    const { status, captured_minor } = await stateOf(world, id);
    assert.deepEqual([status, captured_minor], ['succeeded', 120_000_000n]);
    assert.equal(await moved(world, world.book.collected, 'attempts'), 120_000_000n, 'never more than was asked');
  },
);

cutEverywhere(
  'a refund',
  async (world, id) => {
    const { refund } = await createRefund(
      world.deps,
      refundCall(world, clock, { payment: id, amount: 10_000, reason: 'duplicate' }),
    );
    assert.ok(refund);
    await refundSweep(world.deps, world.store).round();
  },
  async (world) => {
    await fund(world);
    return paid(world, 25_000);
  },
  async (world, id) => {
    const { refunded_minor, status } = await stateOf(world, id);
    const returned = await moved(world, world.book.returned, 'refunds');
    assert.equal(refunded_minor, returned, 'the payment shows what went back');
    assert.ok(
      (refunded_minor === 1_000_000n && status === 'partially_refunded') || (refunded_minor === 0n && status === 'succeeded'),
    );
  },
);

cutEverywhere(
  'a refund in parts of which the second is refused',
  async (world, id) => {
    await createRefund(world.deps, refundCall(world, clock, { payment: id, amount: 1_200_000, reason: 'duplicate' }));
    for (let round = 0; round < 3; round++) {
      clock.advance(3_000);
      await refundSweep(world.deps, world.store).round();
    }
  },
  async (world) => {
    await fund(world);
    return paid(world, 1_200_000);
  },
  async (world, id) => {
    const { refunded_minor, status } = await stateOf(world, id);
    const returned = await moved(world, world.book.returned, 'refunds');
    assert.equal(refunded_minor, returned, 'the payment shows what went back');
    // Cut before it was made there is no refund; else the first part goes back and the third is never sent.
    assert.ok(
      (returned === 40_000_000n && status === 'partially_refunded') || (returned === 0n && status === 'succeeded'),
      `${returned} ${status}`,
    );
    const balances = await readBalances(world.store.db, world.team_id, 'XAF');
    const bucket = (name: string) => balances.get(name as 'pending') ?? 0n;
    assert.equal(bucket('refund_clearing'), 0n);
    assert.equal(bucket('pending') + bucket('available') + returned, 10_000_000n + 117_600_000n, 'the rest returned once');
  },
);

cutEverywhere(
  'a transfer',
  async (world) => {
    await createTransfer(world.deps, transferCall(world, clock));
    await transferSweep(world.deps, world.store).round();
  },
  async (world) => {
    await fund(world);
    return '';
  },
  async (world) => {
    const { store, team_id, book } = world;
    const rows = await store.db.all<{ status: string; amount_minor: bigint }>(
      sql`select status, amount_minor from transfers where team_id = ${team_id}`,
    );
    assert.ok(rows.length <= 1);
    assert.ok(
      rows.every((row) => row.status === 'succeeded'),
      JSON.stringify(rows.map((row) => row.status)),
    );
    const out = await moved(world, book.paid, 'transfers');
    assert.equal(
      out,
      rows.reduce((sum, row) => sum + row.amount_minor, 0n),
      'the provider paid what the transfers say',
    );
  },
);

cutEverywhere(
  'a release',
  async (world) => {
    clock.advance(3_700_000);
    await retentionSweep(world.deps, world.store).round();
  },
  async (world) => {
    const id = await newPayment(world, 25_000);
    await chargeNow(world, id);
    clock.advance(200);
    await pollSweep(world.deps, world.store).round();
    return id;
  },
  async (world, id) => {
    clock.advance(3_700_000);
    await recover(world);
    assert.equal((await stateOf(world, id)).settled, true);
  },
);

cutEverywhere(
  'a return, by a refund that fails and then by payout',
  async ({ deps, store }) => {
    for (let round = 0; round < 4; round++) {
      await returnSweep(deps, store).round();
      await refundSweep(deps, store).round();
      clock.advance(5_000);
    }
  },
  async ({ deps, store, team_id }) => {
    const id = await newPayment({ deps, store, team_id, book: new Book() }, 25_000);
    await chargeNow({ deps, store, team_id, book: new Book() }, id);
    // Refunds to this number fail in the sandbox, payouts succeed.
    await store.db.run(sql`update attempts set payer = '+237650000009' where payment_id = ${id}`);
    const found = await store.db.maybe<{ id: string }>(sql`select id from attempts where payment_id = ${id}`);
    const ref = { team_id, id: must(found, 'it was charged').id };
    for (const as of ['failed', 'succeeded'] as const)
      await resolveAttempt(deps, store, ref, { as, evidence: 'statement of the day', author: 'ops' }, WORKER);
    return id;
  },
  async (world, id) => {
    const [row] = await world.store.db.all<{ state: string }>(sql`select state from returns where payment_id = ${id}`);
    const paidOut = await moved(world, world.book.paid, 'refunds');
    assert.deepEqual([row?.state, paidOut, (await stateOf(world, id)).refunded_minor], ['returned', 2_500_000n, 2_500_000n]);
  },
);
