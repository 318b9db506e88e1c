import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { type Journal, post } from '../../src/money/ledger/post.ts';
import type { Change } from '../../src/core/payments/change.ts';
import { applyOne } from '../../src/core/payments/applier.ts';
import { startApi, until } from '../setup/api.ts';

const api = await startApi();
after(() => api.stop());

const store = api.deps.stores.sandbox;
const { db } = store;

async function paid(key: string, amount = 1000): Promise<string> {
  const { id } = (await api.call('POST', '/payments', { key, body: { amount, currency: 'XAF', phone: '1' } })).body.transaction;
  await api.call('POST', `/payments/${id}`, {
    key,
    body: { channel: 'cm.mtn', data: { phone: '650000000' } },
  });
  return id;
}

const statusOf = async (id: string, key: string) => (await api.call('GET', `/payments/${id}`, { key })).body.transaction.status;

/** What the postings alone say: the balances have to say the same. */
async function fromPostings(team_id: bigint): Promise<Map<string, bigint>> {
  const rows = await db.all<{ account: string; amount_minor: bigint }>(sql`
    select account, sum(amount_minor)::bigint as amount_minor from (
      select credit as account, amount_minor from postings where team_id = ${team_id}
      union all select debit, -amount_minor from postings where team_id = ${team_id}
    ) both_sides group by account`);
  return new Map(
    rows.filter(({ amount_minor }) => amount_minor !== 0n).map(({ account, amount_minor }) => [account, amount_minor]),
  );
}

async function balancesOf(team_id: bigint): Promise<Map<string, bigint>> {
  return new Map([...(await readBalances(db, team_id, 'XAF'))].filter(([, amount_minor]) => amount_minor !== 0n));
}

test('60 concurrent payments while deltas are folded: every balance is exact and the ledger sums to zero', async () => {
  const { team, sandbox } = await api.newMerchant();
  const key = sandbox.secret;
  const ids = await Promise.all(Array.from({ length: 60 }, (_, i) => paid(key, 1000 + i)));
  let looks = 0;
  const watch = (async () => {
    for (let done = false; !done; looks++) {
      const [balances, { settled } = { settled: 0n }] = await Promise.all([
        balancesOf(team.id),
        db.maybe<{ settled: bigint }>(sql`select count(*) as settled from journals where team_id = ${team.id}`),
      ]);
      assert.equal(
        [...balances.values()].reduce((sum, value) => sum + value, 0n),
        0n,
        'zero at every moment',
      );
      done = settled === 60n;
    }
  })();
  await Promise.all(
    ids.map((id) =>
      until(
        () => statusOf(id, key),
        (status) => status === 'succeeded',
      ),
    ),
  );
  await watch;
  assert.ok(looks > 1);
  const balances = await balancesOf(team.id);
  assert.deepEqual(balances, await fromPostings(team.id));
  const [charged, fees] = [
    60 * 1000 + (60 * 59) / 2,
    ids.reduce((sum, _, i) => sum + Math.floor((2 * (1000 + i) + 50) / 100), 0),
  ];
  assert.deepEqual(
    [balances.get('available'), balances.get('fee_income'), balances.get('clearing')],
    [charged - fees, fees, -charged].map((major) => BigInt(major) * 100n),
  );
  const left = await until(
    () => db.all(sql`select 1 from balance_deltas where team_id = ${team.id}`),
    (rows) => rows.length === 0,
  );
  assert.equal(left.length, 0, 'all deltas are folded');
  assert.deepEqual(await balancesOf(team.id), balances, 'folding changed nothing');
});

test('the same update applied again, 10 times at once, posts nothing and emits no event', async () => {
  const { team, sandbox } = await api.newMerchant();
  const id = await paid(sandbox.secret);
  await until(
    () => statusOf(id, sandbox.secret),
    (status) => status === 'succeeded',
  );
  const [before, events] = [await balancesOf(team.id), await db.all(sql`select id from events where team_id = ${team.id}`)];
  const [attempt] = (await api.call('GET', `/payments/${id}`, { key: sandbox.secret })).body.transaction.attempts;
  const change: Change = {
    team_id: team.id,
    payment_id: id,
    attempt: { id: attempt.id, update: { status: 'succeeded', next_poll_at: null } },
    occurrences: [{ kind: 'captured', attempt_id: attempt.id, amount_minor: 100_000n, available_at: null }],
  };
  const applied = await Promise.all(Array.from({ length: 10 }, () => applyOne(api.deps, store, change)));
  assert.ok(applied.every(({ changed }) => !changed));
  assert.deepEqual(await balancesOf(team.id), before);
  assert.deepEqual(await db.all(sql`select id from events where team_id = ${team.id}`), events);
});

function journal(team_id: bigint, changes: Partial<Journal> = {}): Journal {
  return {
    team_id,
    kind: 'test',
    source_id: 's1',
    subject_id: 'x',
    currency: 'XAF',
    postings: [{ debit: 'clearing', credit: 'available', amount_minor: 100n }],
    ...changes,
  };
}

test('a journal of the same kind and source is posted once, also with 20 at once', async () => {
  const { team } = await api.newMerchant();
  await Promise.all(Array.from({ length: 20 }, () => db.transaction((tx) => post(tx, [journal(team.id)]))));
  await db.transaction((tx) => post(tx, [journal(team.id, { source_id: 's2' })]));
  assert.deepEqual(
    await balancesOf(team.id),
    new Map([
      ['available', 200n],
      ['clearing', -200n],
    ]),
  );
});

test('available never goes below zero under concurrent debits', async () => {
  const { team } = await api.newMerchant();
  await db.transaction((tx) => post(tx, [journal(team.id)]));
  const take = (n: number) =>
    db.transaction((tx) =>
      post(tx, [
        journal(team.id, {
          kind: 'take',
          source_id: `t${n}`,
          postings: [{ debit: 'available', credit: 'reserved', amount_minor: 30n }],
        }),
      ]),
    );
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => take(n)));
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 3);
  assert.deepEqual(
    await balancesOf(team.id),
    new Map([
      ['available', 10n],
      ['reserved', 90n],
      ['clearing', -100n],
    ]),
  );
  assert.deepEqual(await balancesOf(team.id), await fromPostings(team.id));
});

test('a posting of zero or of a negative amount is rejected, and a posted line cannot be changed', async () => {
  const { team } = await api.newMerchant();
  await db.transaction((tx) =>
    post(tx, [journal(team.id, { postings: [{ debit: 'clearing', credit: 'available', amount_minor: 0n }] })]),
  );
  assert.deepEqual(await balancesOf(team.id), new Map());
  await db.transaction((tx) => post(tx, [journal(team.id)]));
  for (const statement of [
    'update postings set amount_minor = 1',
    'delete from postings',
    'update journals set kind = kind',
    'delete from journals',
  ]) {
    await assert.rejects(db.run({ text: statement, values: [] }), /permission denied/, statement);
  }
});
