import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { findWithRows } from '../../src/core/payments/archived.ts';
import { readSnapshots } from '../../src/core/payments/snapshots-store.ts';
import { makeToken } from '../../src/core/payments/token.ts';
import { restoreNamed, restorePeriod } from '../../src/core/archive/restore.ts';
import type { Tally } from '../../src/core/archive/schema.ts';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import type { DbPool } from '../../src/platform/db/pool.ts';
import { Market, type Shop } from '../setup/market.ts';
import { type Fate, SimulatedProvider } from '../setup/simulated-provider.ts';
import { archive, countArchived, openOwner, OPERATOR, rowsOf } from './fixture.ts';

const DAY_MS = 86_400_000;

let market: Market;
let owner: DbPool;
before(async () => {
  market = await Market.open({ CREDIT_CAP_LIVE: '1000000' });
  owner = openOwner(market.api.databases.live);
});
after(async () => {
  await owner.close();
  await market.api.stop();
});

function shop(fates: { collect?: Fate[]; refund?: Fate[] } = {}): Promise<Shop> {
  return market.shop('live', new SimulatedProvider('simulated', fates));
}

/** A payment with everything that a merchant can send, so that a value which is lost shows. */
async function order(own: Shop, more: object = {}): Promise<string> {
  const { body } = await own.call('POST', '/payments', {
    ...{
      amount: 20_000,
      currency: 'XAF',
      phone: '+237650000000',
      email: 'awa@payer.example',
      name: 'Awa Diop',
      reference: 'INV-7',
    },
    ...{ description: 'Deux pagnes', callback: 'https://shop.example/back', metadata: { order: '7', naïve: [1, null] } },
    ...{
      items: [{ name: 'Pagne', quantity: 2 }],
      address: { line1: 'Rue 12' },
      shipping: { name: 'Awa Diop', phone: '650000000' },
    },
    ...more,
  });
  return body.transaction.id;
}

async function paid(own: Shop, more: object = {}): Promise<string> {
  const id = await order(own, more);
  await own.charge(id);
  for (let round = 0; round < 5; round++) await own.pass(2_000);
  return id;
}

/** Money is released, and the number of the payer is no longer needed. */
async function ages(own: Shop): Promise<void> {
  for (const days of [2, 8, 181]) await own.pass(days * DAY_MS);
  await own.pass(1_000);
}

function archiveAll(own: Shop, dry_run = false): Promise<Tally> {
  return archive(market.api, owner, 'live', own.team_id, new Date(market.clock.now() - DAY_MS), dry_run);
}

async function archived(own: Shop): Promise<void> {
  await ages(own);
  const tally = await archiveAll(own);
  assert.deepEqual([tally.left, tally.archived > 0], [{}, true]);
  assert.ok(tally.bytes_after < tally.bytes_before, JSON.stringify(tally));
}

const READS = ['', '/events', '/refunds'].map((path) => (id: string) => `/payments/${id}${path}`);
const LISTS = [
  ...[
    '/payments',
    '/payments?status=succeeded',
    '/payments?search=Diop',
    '/payments?search=INV',
    '/payments?amount_min=1&per_page=1',
  ],
  ...['/events', '/balance', '/refunds', '/disputes'],
];

async function everything(own: Shop, ids: readonly string[]): Promise<unknown[]> {
  const paths = [...ids.flatMap((id) => READS.map((path) => path(id))), ...LISTS];
  const seen: unknown[] = [];
  for (const path of paths) {
    const { status, body } = await own.call('GET', path);
    seen.push([path, status, body]);
  }
  for (const id of ids) {
    const ref = { team_id: own.team_id, id };
    const { claim: _, ...payment } = must(await findWithRows(own.store.db, ref), 'it exists').payment as { claim: unknown };
    const { attempts } = must(await findWithRows(own.store.db, ref), 'it exists');
    seen.push([payment, attempts, await readSnapshots(own.store.db, [ref])]);
    seen.push(await pageOf(own, id));
  }
  return seen;
}

async function pageOf(own: Shop, id: string): Promise<string> {
  const token = makeToken(market.api.deps.secrets, { environment: 'live', team_id: own.team_id, payment_id: id });
  const { status, body } = await market.api.call('GET', `/pay/${token}`, { key: null });
  return `${status} ${typeof body === 'string' ? body.replace(/nonce="[^"]*"/g, '') : JSON.stringify(body)}`;
}

test('an archived payment is retrieved, listed, searched and shown exactly as before, without being restored', async () => {
  const own = await shop({ collect: ['at_once', 'refused', 'at_once'] });
  const ids = [await paid(own), await paid(own), await order(own)];
  await ages(own);
  const seen = await everything(own, ids);
  const rows = await rowsOf(owner, own.team_id);
  const tally = await archiveAll(own);
  assert.deepEqual([tally.archived, tally.left], [3, {}]);
  assert.deepEqual(await everything(own, ids), seen);
  assert.equal(await countArchived(owner, own.team_id), 3);
  assert.deepEqual(await own.differences(), []);
  assert.deepEqual(await archiveAll(own), { archived: 0, before: 3, left: {}, bytes_before: 0, bytes_after: 0 });

  const restoring = { deps: market.api.deps, store: { ...own.store, db: owner }, team_id: own.team_id, by: OPERATOR };
  assert.equal(await restoreNamed(restoring, [ids[0] as string, 'trx_nothing']), 1);
  const period = { from: new Date(0), before: new Date(market.clock.now()) };
  assert.equal(await restorePeriod(restoring, period, () => undefined), 2);
  assert.deepEqual(await rowsOf(owner, own.team_id), rows);
  assert.deepEqual(await own.differences(), []);
});

test('a refund restores the payment and is paid, and nothing differs', async () => {
  const own = await shop();
  const id = await paid(own);
  await paid(own);
  await archived(own);
  await own.refund(id, 5_000);
  assert.equal(await countArchived(owner, own.team_id), 1, 'the other payment stays archived');
  for (let round = 0; round < 4; round++) await own.pass(60_000);
  const { status, amount_refunded, metadata, attempts } = await own.shown(id);
  assert.deepEqual([status, amount_refunded, attempts.length], ['partially_refunded', 5_000, 1]);
  assert.deepEqual(metadata, { order: '7', naïve: [1, null] });
  assert.deepEqual(await own.differences(), []);
});

test('of two refunds at once of all its money exactly one is made', async () => {
  const own = await shop();
  const id = await paid(own);
  await archived(own);
  const made = await Promise.all([own.refund(id, 20_000), own.refund(id, 20_000), own.refund(id, 20_000)]);
  assert.equal(made.filter((refund) => refund !== null).length, 1);
  for (let round = 0; round < 4; round++) await own.pass(60_000);
  assert.equal((await own.shown(id)).status, 'refunded');
  const attempts = await owner.all(sql`select 1 from attempts where payment_id = ${id}`);
  assert.equal(attempts.length, 1);
  assert.deepEqual(await own.differences(), []);
});

test('money that arrives late is found by a callback, posted and returned', async () => {
  const own = await shop({ collect: ['late'] });
  const id = await order(own);
  await own.charge(id);
  for (let round = 0; round < 5; round++) await own.pass(60_000);
  assert.equal((await own.shown(id)).status, 'failed');
  await archived(own);
  await own.notify(must(own.simulated.succeedLate(), 'it was refused').key);
  const { amount_captured, attempts } = await own.shown(id);
  assert.deepEqual([amount_captured, attempts[0].status], [20_000, 'succeeded']);
  assert.equal(await countArchived(owner, own.team_id), 0);
  assert.deepEqual((await archiveAll(own)).left, { changed_recently: 1 });
  for (let round = 0; round < 5; round++) await own.pass(60_000);
  assert.deepEqual(await own.differences(), []);
});

test('a callback about an attempt that does not exist restores nothing', async () => {
  const own = await shop();
  await paid(own);
  await archived(own);
  await own.notify('att_00000000000000000000000000');
  assert.equal(await countArchived(owner, own.team_id), 1);
});

test('a dispute restores the payment and is decided', async () => {
  const own = await shop();
  const id = await paid(own);
  await archived(own);
  const dispute = must(await own.dispute(id), 'it was opened');
  assert.equal(await countArchived(owner, own.team_id), 0);
  await own.pass(2 * DAY_MS);
  assert.deepEqual((await archiveAll(own)).left, { dispute_open: 1 });
  assert.equal((await own.decide(dispute, 'provider_decided_lost')).status, 'lost');
  assert.deepEqual(await own.differences(), []);
});

test('an attempt is resolved by hand', async () => {
  const own = await shop({ collect: ['refused'] });
  const id = await paid(own);
  const attempt = (await own.shown(id)).attempts[0].id;
  await archived(own);
  const resolution = { as: 'succeeded', evidence: 'statement of 2024-02-01, line 7', author: 'awa' } as const;
  await resolveAttempt(market.api.deps, own.store, { team_id: own.team_id, id: attempt }, resolution, OPERATOR);
  assert.equal((await own.shown(id)).attempts[0].status, 'succeeded');
  for (let round = 0; round < 5; round++) await own.pass(60_000);
  assert.deepEqual(await own.differences(), []);
});

test('an erasure restores the payments of the customer and leaves nothing of them', async () => {
  const own = await shop({ collect: ['at_once', 'refused'] });
  const ids = [await paid(own), await paid(own, { metadata: { for: 'Awa Diop' } })];
  await archived(own);
  const { customer } = await own.shown(ids[0] as string);
  assert.equal((await own.call('DELETE', `/customers/${customer}`)).status, 200);
  assert.equal(await countArchived(owner, own.team_id), 0);
  const rows = (await rowsOf(owner, own.team_id)).join('\n');
  for (const trace of ['Awa', 'Diop', 'awa@payer', '650000000', 'Rue 12']) assert.ok(!rows.includes(trace), trace);
  await own.pass(2 * DAY_MS);
  await archiveAll(own);
  const shown = await own.shown(ids[1] as string);
  assert.deepEqual(shown.metadata, { for: '[erased] [erased]' });
});

test('what may still move money or is still needed is left, each with its reason', async () => {
  const own = await shop({ collect: ['at_once', 'late', 'at_once', 'at_once', 'lost'], refund: ['late'] });
  await paid(own);
  const late = await order(own);
  await own.charge(late);
  const refunded = await paid(own);
  const disputed = await paid(own);
  await own.pass(2 * DAY_MS);
  await own.refund(refunded, 1_000, true);
  await own.dispute(disputed);
  const waiting = await order(own);
  market.clock.advance(1);
  const at = new Date(market.clock.now());
  const { left, archived } = await archive(market.api, owner, 'live', own.team_id, at, true);
  assert.equal(left.not_final, 1, waiting);
  assert.equal(left.dispute_open, 1);
  assert.equal(left.refund_open, 1);
  assert.equal(left.payer_needed, 2);
  assert.equal(archived, 0);
  assert.deepEqual((await archive(market.api, owner, 'live', own.team_id, new Date(0))).left, {});
  const recent = await archive(market.api, owner, 'live', own.team_id, new Date(market.clock.now() - DAY_MS));
  assert.deepEqual(recent.left, { payer_needed: 1, changed_recently: 3 });
});

test('a payment that another transaction has locked is left, and nothing waits for it', async () => {
  const own = await shop();
  const id = await paid(own);
  await paid(own);
  await ages(own);
  const { left, archived } = await owner.transaction(async (tx) => {
    await tx.run(sql`select 1 from payments where team_id = ${own.team_id} and id = ${id} for update`);
    return archiveAll(own);
  });
  assert.deepEqual([left, archived], [{ in_use: 1 }, 1]);
  assert.equal((await archiveAll(own)).archived, 1);
});

test('a run that is killed between two of its statements has changed nothing, and the next one completes it', async () => {
  const own = await shop();
  await paid(own);
  await ages(own);
  const rows = await rowsOf(owner, own.team_id);
  for (const last of [1, 2, 3]) {
    let statements = 0;
    const killed = {
      ...owner,
      transaction: <T>(work: (tx: never) => Promise<T>) =>
        owner.transaction((tx) => {
          const counted = new Proxy(tx, {
            get: (target, name: 'all') =>
              name === 'all'
                ? async (statement: never) => {
                    const found = await target.all(statement);
                    if (++statements === last) throw new Error('killed');
                    return found;
                  }
                : target[name],
          });
          return work(counted as never);
        }),
    };
    await assert.rejects(
      archive(market.api, killed as never, 'live', own.team_id, new Date(market.clock.now() - DAY_MS)),
      /killed/,
    );
    assert.deepEqual(await rowsOf(owner, own.team_id), rows);
  }
  assert.equal((await archiveAll(own)).archived, 1);
});

test('the database refuses every change of an archived payment that was not restored, as by a process of an earlier release', async () => {
  const own = await shop();
  const id = await paid(own);
  await archived(own);
  const { db } = own.store;
  const rejected = /is archived: restore it before it is changed/;
  await assert.rejects(db.run(sql`update payments set refunded_minor = 1 where id = ${id}`), rejected);
});

test('archiving and refunding at the same time leaves one of both orders, and nothing differs', async () => {
  const own = await shop();
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) ids.push(await paid(own));
  await ages(own);
  const before = new Date(market.clock.now() - DAY_MS);
  const archiving = Promise.all([1, 2].map(() => archive(market.api, owner, 'live', own.team_id, before)));
  const refunds = await Promise.all(ids.map((id) => own.refund(id, 20_000)));
  const tallies = await archiving;
  assert.ok(refunds.every((refund) => refund !== null));
  assert.equal(await countArchived(owner, own.team_id), 0, JSON.stringify(tallies));
  for (let round = 0; round < 4; round++) await own.pass(60_000);
  for (const id of ids) assert.equal((await own.shown(id)).status, 'refunded');
  assert.deepEqual(await own.differences(), []);
});

test('the comparison of the books finds an archived payment whose attempts are not those that were booked', async () => {
  const own = await shop();
  const [id, other] = [await paid(own), await paid(own, { amount: 30_000 })];
  await archived(own);
  assert.deepEqual(await own.differences(), []);
  await owner.transaction(async (tx) => {
    await tx.run(sql`set local session_replication_role = replica`);
    await tx.run(sql`
      update payments set archived = (select archived from payments where id = ${other}) where id = ${id}`);
  });
  const found = await own.differences();
  assert.deepEqual(
    found.map(({ check, subject }) => [check, subject]),
    [
      ['clearing', id],
      ['suspense', id],
    ],
  );
});

test('another team finds nothing of an archived payment', async () => {
  const [own, other] = [await shop(), await shop()];
  const id = await paid(own);
  await archived(own);
  assert.equal((await other.call('GET', `/payments/${id}`)).status, 404);
  assert.deepEqual(await other.store.db.all(sql`select 1 from archived_attempts where team_id = ${other.team_id}`), []);
  const [key] = own.simulated.operations.keys();
  await other.notify(key as string);
  assert.equal(await countArchived(owner, own.team_id), 1);
});
