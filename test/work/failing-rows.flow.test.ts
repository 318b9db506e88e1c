import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expirySweep } from '../../src/core/charge/sweeps.ts';
import { retentionSweep } from '../../src/core/payments/sweeps.ts';
import { linkSweep } from '../../src/edge/links/sweeps.ts';
import { type Sql, sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import type { Sweep } from '../../src/platform/work/sweep.ts';
import type { Deps } from '../../src/program/deps.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { newLink } from '../links/browser.ts';

/** Rows that a sweep changes many of in one transaction, when the database rejects the change of one. */
const clock = new FakeClock();
const MINUTE_MS = 60_000;
let api: Api;
let merchant: Merchant;
let owner: DbPool;
before(async () => {
  api = await startApi({ workers: false, clock });
  merchant = await api.newMerchant({ verification_level: 4 });
  owner = openPool({ url: api.databases.live, size: 1, log: api.deps.log });
});
after(async () => {
  await owner.close();
  await api.stop();
});

const text = (statement: string): Sql => ({ text: statement, values: [] });

async function newPayment(): Promise<string> {
  const body = { amount: 1_000, currency: 'XAF', phone: '+237650000000', expires: { in: 5 } };
  return (await api.call('POST', '/payments', { key: merchant.live.secret, body })).body.transaction.id;
}

async function newRetained(): Promise<string> {
  const id = await newPayment();
  await owner.run(sql`
    insert into settlement_items (team_id, payment_id, account_id, currency, share_minor, amount_minor, release_at)
    values (${merchant.team.id}, ${id}, '', 'XAF', 100, 100, ${new Date(clock.now())})`);
  return id;
}

interface Kind {
  what: string;
  sweepOf(deps: Deps, store: Store): Sweep;
  make(): Promise<string>;
  table: string;
  key: string;
  /** SQL of a row that has been changed. */
  done: string;
}

const KINDS: Kind[] = [
  {
    ...{ what: 'payment to expire', sweepOf: expirySweep, make: newPayment },
    ...{ table: 'payments', key: 'id', done: `status = 'expired'` },
  },
  {
    ...{ what: 'link to expire', sweepOf: linkSweep },
    make: async () =>
      (await newLink(api, merchant.live.secret, { expires_at: new Date(clock.now() + 5 * MINUTE_MS).toISOString() })).id,
    ...{ table: 'links', key: 'id', done: `status = 'expired'` },
  },
  {
    ...{ what: 'payment whose retention ends', sweepOf: retentionSweep, make: newRetained },
    ...{ table: 'settlement_items', key: 'payment_id', done: 'released_at is not null' },
  },
];

for (const { what, sweepOf, make, table, key, done } of KINDS)
  test(`a ${what}, but cannot be changed, is logged and does not hold up the others`, async () => {
    const logged: unknown[] = [];
    const log = { ...api.deps.log, error: ({ id }: { id: string }) => logged.push(id) } as unknown as Deps['log'];
    const sweep = sweepOf({ ...api.deps, log }, api.deps.stores.live);
    const ids = [await make(), await make(), await make()];
    const [damaged = '', ...others] = ids;
    const changed = async () =>
      (await owner.all<{ id: string }>(text(`select ${key} as id from ${table} where ${done}`)))
        .map(({ id }) => id)
        .filter((id) => ids.includes(id))
        .sort();
    await owner.run(
      text(`alter table ${table} add constraint damaged check (not (${key} = '${damaged}' and ${done})) not valid`),
    );
    clock.advance(5 * MINUTE_MS);
    assert.equal(await sweep.round(), others.length);
    assert.deepEqual(await changed(), others.sort());
    assert.deepEqual(logged, [damaged]);
    assert.equal(await sweep.round(), 0);
    assert.deepEqual(logged, [damaged], 'the next rounds leave it out');
    await owner.run(text(`alter table ${table} drop constraint damaged`));
    clock.advance(MINUTE_MS);
    assert.equal(await sweep.round(), 1);
    assert.deepEqual(await changed(), ids.sort());
  });
