import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Store } from '../../src/platform/db/stores.ts';
import type { Reply } from '../../src/tenants/api/route.ts';
import { type Queryable, sql, type Tx } from '../../src/kit/sql.ts';
import { Registry, withProviders } from '../setup/providers.ts';
import type { Team } from '../../src/tenants/teams/schema.ts';
import { createTeam } from '../../src/tenants/teams/service.ts';
import { transferSweep } from '../../src/core/transfers/sweeps.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { assertBooks, type Bank, bank, bucketsOf, eventsOf, forgetOpenTransfers, fund, journalsOf, transfer } from './support.ts';

const clock = new FakeClock();
let api: Api;
before(async () => {
  api = await startApi({ workers: false, clock });
});
after(() => api.stop());

let team: Team;
let banks: [Bank, Bank];

/** Burns down with every step of a process; then the process is dead and does nothing any more. */
class Fuse {
  #left: number;
  dead = false;

  constructor(steps: number) {
    this.#left = steps;
  }

  step(): void {
    if (this.#left-- <= 0) this.dead = true;
    if (this.dead) throw new Error('killed');
  }
}

/** A process on a fuse: it can die before any statement, after any commit, and before and after any call of a provider. */
function processOn(fuse: Fuse): { store: Store; round: () => Promise<number> } {
  const statements = (on: Queryable): Queryable => {
    const step =
      <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
      async (...args: A) => {
        fuse.step();
        return work(...args);
      };
    return { all: step(on.all) as Queryable['all'], maybe: step(on.maybe) as Queryable['maybe'], run: step(on.run) };
  };
  const { db, environment } = api.deps.stores.sandbox;
  const store: Store = {
    environment,
    db: {
      ...statements(db),
      transaction: async (work) => {
        const result = await db.transaction((tx) => work({ ...statements(tx), inTransaction: true } as Tx));
        fuse.step();
        return result;
      },
    },
  };
  const mortal = banks.map((living) => {
    const around =
      <A, R>(call: (arg: A) => Promise<R>) =>
      async (arg: A) => {
        fuse.step();
        const answer = await call(arg);
        fuse.step();
        return answer;
      };
    const payouts = living.payouts as NonNullable<Bank['payouts']>;
    return { ...living, payouts: { ...payouts, submit: around(payouts.submit), read: around(payouts.read) } };
  });
  const deps = { ...api.deps, ...withProviders(new Registry({ sandbox: mortal, live: [] })) };
  return { store, round: transferSweep(deps, store).round };
}

function make(store: Store): Promise<Reply> {
  return transfer(api, team, store, { amount: 1_000 }, 'the-key');
}

async function statusOf(): Promise<string | undefined> {
  const rows = await api.deps.stores.sandbox.db.all<{ status: string }>(
    sql`select status from transfers where team_id = ${team.id}`,
  );
  assert.ok(rows.length <= 1, 'there is one transfer');
  return rows[0]?.status;
}

async function runToTheEnd(round: () => Promise<number>, isOver: () => boolean): Promise<void> {
  for (let n = 0; n < 100 && !isOver(); n++) {
    await round().catch(() => 0);
    if (!isOver() && (await statusOf()) !== 'processing') return;
    clock.advance(120_000);
  }
}

interface Scenario {
  name: string;
  prepare(): void;
  status: 'succeeded' | 'failed' | 'cancelled';
}

const SCENARIOS: Scenario[] = [
  { name: 'succeeds', prepare: () => {}, status: 'succeeded' },
  {
    // Once it may have got it, only the first can say what became of it: so it comes back after a while.
    name: 'meets a first provider that is down',
    prepare: () => {
      const back = clock.now() + 300_000;
      banks[0].onSubmit = () => (clock.now() < back ? { kind: 'unavailable', message: 'refused' } : undefined);
    },
    status: 'succeeded',
  },
  {
    name: 'is rejected at once',
    prepare: () => {
      banks[0].onSubmit = (payout) => {
        banks[0].taken.set(payout.provider_key, payout);
        return { kind: 'failed', reason: 'invalid_recipient', message: 'no such number' };
      };
      banks[0].onRead = () =>
        banks[0].taken.size > 0 ? { kind: 'failed', reason: 'invalid_recipient', message: 'no such number' } : undefined;
    },
    status: 'failed',
  },
  {
    name: 'is cancelled by the provider',
    prepare: () => {
      banks[0].onRead = () => (banks[0].taken.size > 0 ? { kind: 'cancelled', message: 'given up' } : undefined);
    },
    status: 'cancelled',
  },
];

for (const scenario of SCENARIOS) {
  test(`a transfer that ${scenario.name} has the same outcome wherever the process crashes`, async (t) => {
    let deaths = 0;
    for (let steps = 0; ; steps++) {
      await forgetOpenTransfers(api.deps.stores.sandbox);
      banks = [bank('one'), bank('two')];
      scenario.prepare();
      team = await createTeam(api.control, { name: 'Chez Awa', email: 'awa@shop.example' });
      await fund(api, team, 5_000);
      const survived = await live(steps);
      await check(scenario, `killed after ${steps} steps`);
      if (survived) break;
      deaths++;
    }
    assert.ok(deaths > 25, `${deaths} places to die`);
    t.diagnostic(`${deaths} deaths`);
  });
}

/** One process until it dies, then another until the end. @returns whether the first one survived */
async function live(steps: number): Promise<boolean> {
  const { sandbox } = api.deps.stores;
  const fuse = new Fuse(steps);
  const first = processOn(fuse);
  await make(first.store).catch(() => assert.ok(fuse.dead));
  await runToTheEnd(first.round, () => fuse.dead);
  await assertBooks(sandbox, team);
  const second = processOn(new Fuse(Number.POSITIVE_INFINITY));
  // The client that got no answer asks again with the same key.
  await make(second.store);
  await runToTheEnd(second.round, () => false);
  return !fuse.dead;
}

async function check({ status }: Scenario, where: string): Promise<void> {
  const { sandbox } = api.deps.stores;
  assert.equal(await statusOf(), status, where);
  const row = await sandbox.db.maybe<{ id: string }>(sql`select id from transfers where team_id = ${team.id}`);
  const id = row?.id ?? '';
  const end = status === 'succeeded' ? 'transfer.succeeded' : 'transfer.returned';
  assert.deepEqual(await journalsOf(sandbox, team, id), ['transfer.reserved', 'transfer.dispatched', end], where);
  assert.deepEqual(await eventsOf(sandbox, team, id), ['transfer.created', `transfer.${status}`], where);
  assert.equal((await bucketsOf(sandbox, team)).available, status === 'succeeded' ? 3_990 : 5_000, where);
  await assertBooks(sandbox, team);
  assert.equal(banks[0].taken.size + banks[1].taken.size, 1, `${where}: one provider has it, once`);
}
