import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { setThreshold } from '../../src/tenants/approvals/threshold-store.ts';
import { lockMembers } from '../../src/tenants/people/member-store.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { approvalPath, openShop, type Shop } from './approvals.ts';
import { formToken, type Shown, signedIn } from './people.ts';

/** A change that is submitted while the team's first threshold is being set. */
let api: Api;

before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());

/** Submits a form while another request sets the first threshold, which is committed once the form waits for it. */
async function beside(shop: Shop, page: string, action: string, values: Record<string, string> = {}): Promise<Shown> {
  const form = { ...formToken((await shop.owner.get(page)).text), ...values };
  const { answer } = await api.deps.stores.control.transaction(async (tx) => {
    await lockMembers(tx, shop.team.id);
    const answer = shop.owner.post(action, form);
    await until(
      () => api.control.all(sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
      (waiting) => waiting.length > 0,
    );
    await setThreshold(tx, shop.team.id, 'XAF', 1_000_000n);
    return { answer };
  });
  return answer;
}

/** A team without a threshold in which the owner and a finance person may approve. */
async function openPair(): Promise<{ shop: Shop; people: string }> {
  const shop = await openShop(api, null);
  await api.control.run(sql`delete from memberships where team_id = ${shop.team.id} and user_id = ${shop.maker.id}`);
  return { shop, people: `${shop.base}/people` };
}

const rolesOf = ({ team }: Shop) =>
  api.control.all<{ user_id: string; role: string }>(sql`
    select user_id, role from memberships where team_id = ${team.id} order by user_id`);

for (const [name, path, values] of [
  ['removal', 'remove', {}],
  ['other role', 'role', { role: 'support' }],
] as const) {
  test(`the ${name} of the second of two approvers is rejected`, async () => {
    const { shop, people } = await openPair();
    const before = await rolesOf(shop);
    const member = `${people}/${shop.checker.id}`;
    const shown = await beside(shop, member, `${member}/${path}`, values);
    assert.deepEqual([shown.status, /two people who may approve/.test(shown.text)], [409, true]);
    assert.deepEqual(await rolesOf(shop), before);
  });
}

test('an invitation, a role and a key wait for the second person', async () => {
  const { shop, people } = await openPair();
  const guest = await signedIn(api, 'support', shop.team);
  const keys = `${shop.base}/developers/keys`;
  const forms: [string, string, Record<string, string>][] = [
    [`${people}/invite`, `${people}/invite`, { email: 'new@shop.example', role: 'owner' }],
    [`${people}/${guest.id}`, `${people}/${guest.id}/role`, { role: 'finance' }],
    [`${keys}/new`, keys, { kind: 'secret' }],
  ];
  const links = () => api.control.all(sql`select id from user_links where team_id = ${shop.team.id}`);
  const made = async () => [await links(), await rolesOf(shop), await keysOf(shop)];
  const before = await made();
  for (const [page, action, values] of forms) {
    approvalPath(await beside(shop, page, action, values));
    await api.control.run(sql`delete from approval_thresholds where team_id = ${shop.team.id}`);
    assert.deepEqual(await made(), before, action);
  }
});

const keysOf = ({ team }: Shop) => api.control.all(sql`select id from api_keys where team_id = ${team.id} order by id`);
