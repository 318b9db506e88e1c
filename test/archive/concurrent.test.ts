import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { applyAttemptCallback } from '../../src/core/charge/callback.ts';
import { lockCustomer } from '../../src/core/customers/store.ts';
import { findWithRows } from '../../src/core/payments/archived.ts';
import { pseudonymise } from '../../src/edge/erasure/pseudonymise.ts';
import { NO_IDENTITY } from '../../src/edge/erasure/redact.ts';
import { must } from '../../src/kit/errors.ts';
import { type Sql, sql, type Tx } from '../../src/kit/sql.ts';
import type { DbPool } from '../../src/platform/db/pool.ts';
import { until } from '../setup/api.ts';
import { Market, type Shop } from '../setup/market.ts';
import { type Fate, SimulatedProvider } from '../setup/simulated-provider.ts';
import { archive, openOwner, rowsOf } from './fixture.ts';

/** An archiving run between two statements of another transaction. */
const DAY_MS = 86_400_000;

let market: Market;
let owner: DbPool;
before(async () => {
  market = await Market.open();
  owner = openOwner(market.api.databases.live);
});
after(async () => {
  await owner.close();
  await market.api.stop();
});

/** A payment that can be archived. */
async function old(fate: Fate): Promise<{ own: Shop; id: string }> {
  const own = await market.shop('live', new SimulatedProvider('simulated', { collect: [fate] }));
  const { body } = await own.call('POST', '/payments', {
    ...{ amount: 20_000, currency: 'XAF', phone: '+237650000000', email: 'awa@payer.example', name: 'Awa Diop' },
    metadata: { for: 'Awa Diop' },
  });
  const { id } = body.transaction;
  await own.charge(id);
  for (let round = 0; round < 5; round++) await own.pass(60_000);
  for (const days of [2, 8, 181]) await own.pass(days * DAY_MS);
  await own.pass(1_000);
  return { own, id };
}

const archiveAll = (own: Shop) => archive(market.api, owner, 'live', own.team_id, new Date(market.clock.now() - DAY_MS));

test('a reference that a callback reports while its payment is being archived is kept', async () => {
  const { own, id } = await old('refused');
  await owner.run(sql`update attempts set provider_ref = null where team_id = ${own.team_id}`);
  const [key] = own.simulated.operations.keys();
  const waiting = async () => {
    const rows = await owner.all<{ count: number }>(sql`
      select count(*)::integer as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    return rows[0]?.count ?? 0;
  };
  let archiving: Promise<unknown> = Promise.resolve();
  let reporting: Promise<unknown> = Promise.resolve();
  await owner.transaction(async (tx) => {
    await tx.run(sql`select 1 from attempts where team_id = ${own.team_id} for update`);
    const from = { team_id: own.team_id, account_id: own.simulated.provider.account_id };
    const about = { by: 'provider_key', value: key as string, reported: { by: 'provider_ref', value: 'REF-1' } } as const;
    reporting = applyAttemptCallback(market.api.deps, own.store, from, about, null);
    await until(waiting, (count) => count === 1);
    archiving = archiveAll(own);
    await Promise.race([archiving, until(waiting, (count) => count === 2)]);
  });
  await Promise.all([archiving, reporting]);
  const { attempts } = must(await findWithRows(own.store.db, { team_id: own.team_id, id }), 'it exists');
  assert.deepEqual(
    attempts.map(({ provider_ref }) => provider_ref),
    ['REF-1'],
  );
});

test('an erasure leaves nothing of a payment that is archived while it runs', async () => {
  const { own, id } = await old('refused');
  const { customer } = await own.shown(id);
  let archived = 0;
  const beside = (tx: Tx): Tx =>
    new Proxy(tx, {
      get: (target, name: 'all') =>
        name === 'all'
          ? async (statement: Sql) => {
              if (/from "?payments"?\s+where[\s\S]*customer_id"?\s*=[\s\S]*for update/.test(statement.text))
                archived += (await archiveAll(own)).archived;
              return target.all(statement);
            }
          : target[name],
    });
  await own.store.db.transaction(async (tx) => {
    const row = must(await lockCustomer(tx, { team_id: own.team_id, id: customer }), 'it exists');
    await pseudonymise(beside(tx), market.api.deps.secrets, 'live', { ...row, name: 'Deleted User 7' }, NO_IDENTITY);
  });
  assert.equal(archived, 0);
  const rows = (await rowsOf(owner, own.team_id)).join('\n');
  for (const trace of ['Awa', 'Diop', 'awa@payer', '650000000']) assert.ok(!rows.includes(trace), trace);
});
