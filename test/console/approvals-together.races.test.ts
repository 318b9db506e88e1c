import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { lockMembers } from '../../src/tenants/people/member-store.ts';
import { type Api, startApi } from '../setup/api.ts';
import { untilLocked } from '../setup/locks.ts';
import { approvalPath, askRefund, openShop, sale, type Shop, stored } from './approvals.ts';
import { formToken, type Person, type Shown, signedIn } from './people.ts';

/** Approvals of different requests, and changes of people, at the same moment. */
let api: Api;
let shop: Shop;

before(async () => {
  api = await startApi();
});
after(() => api.stop());
beforeEach(async () => {
  shop = await openShop(api);
});

/** Deadlocks so far. The answer does not show one after which the transaction ran again. */
async function deadlocks(): Promise<bigint | undefined> {
  const row = await api.control.maybe<{ deadlocks: bigint }>(sql`
    select deadlocks from pg_stat_database where datname = current_database()`);
  return row?.deadlocks;
}

const askThreshold = async (currency: string) => {
  const page = `${shop.base}/settings/approvals`;
  return approvalPath(await shop.owner.submit(page, page, { currency, above: '5000' }));
};

/** Submits forms that all wait for the memberships of the team, and then run at once. */
async function together(sends: readonly (() => Promise<Shown>)[]): Promise<Shown[]> {
  const { answers } = await api.control.transaction(async (tx) => {
    await lockMembers(tx, shop.team.id);
    const answers = Promise.all(sends.map((send) => send()));
    await untilLocked(api.databases.control, 'memberships', sends.length);
    return { answers };
  });
  return answers;
}

async function approvalBy(person: Person, path: string): Promise<() => Promise<Shown>> {
  const form = formToken((await person.get(path)).text);
  return () => person.post(`${path}/approve`, form);
}

test('approvals of different thresholds at once are all done, without a deadlock', async () => {
  const paths: string[] = [];
  const sends: (() => Promise<Shown>)[] = [];
  for (const currency of ['XAF', 'XOF', 'KES', 'UGX']) {
    const path = await askThreshold(currency);
    paths.push(path);
    sends.push(await approvalBy(await signedIn(api, 'finance', shop.team), path));
  }
  const answers = await together(sends);
  assert.deepEqual(
    answers.map(({ status }) => status),
    paths.map(() => 303),
  );
  for (const path of paths) assert.equal((await stored(shop, path)).outcome, 'done');
  assert.equal(await deadlocks(), 0n);
});

test('the approval of a refund and the removal of somebody at once do not deadlock', async () => {
  // Memberships are locked in the order of these ids; the second person is looked up before the first.
  const [maker, checker] = [shop.maker, shop.checker].sort((a, b) => (a.id < b.id ? -1 : 1)) as [Person, Person];
  const refund = await askRefund(shop, await sale(shop), '20000', maker);
  const approval = await approvalBy(checker, refund);
  await api.control.run(sql`delete from approval_thresholds where team_id = ${shop.team.id}`);
  const guest = await signedIn(api, 'support', shop.team);
  const member = `${shop.base}/people/${guest.id}`;
  const form = formToken((await shop.owner.get(member)).text);
  const answers = await together([approval, () => shop.owner.post(`${member}/remove`, form)]);
  for (const { status, text } of answers) assert.equal(status, 303, text);
  assert.equal((await stored(shop, refund)).outcome, 'done');
  assert.equal(await deadlocks(), 0n);
});
