import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { changeAccount } from '../../src/core/accounts/service.ts';
import { openDispute } from '../../src/core/disputes/service.ts';
import { sql } from '../../src/kit/sql.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { untilLocked } from '../setup/locks.ts';
import { paid } from '../setup/pay.ts';
import { fund } from '../transfers/support.ts';
import { approvalPath, decidedOnly, openShop, press, type Shop, stored } from './approvals.ts';
import { formToken, signedIn } from './people.ts';

let api: Api;
let shop: Shop;

before(async () => {
  api = await startApi();
  shop = await openShop(api);
});
after(() => api.stop());

const SELLER = {
  name: 'Ateliers Mbarga',
  email: 'atelier@sellers.example',
  split_type: 'percentage',
  split_value: '7,5',
  channel: 'cm.mtn',
  account_number: '+237650000009',
};

describe('where the money of a subaccount goes', () => {
  const pages = () => `${shop.base}/subaccounts`;
  const accountAt = async (id: string) => (await api.call('GET', `/accounts/${id}`, { key: shop.key })).body.account;
  const count = async () => (await api.call('GET', '/accounts', { key: shop.key })).body.items.length;

  async function seller(): Promise<string> {
    const { name, email } = SELLER;
    const body = { name, email, settlement: { channel: 'cm.mtn', account_number: '+237650000009' } };
    return (await api.call('POST', '/accounts', { key: shop.key, body })).body.account.id;
  }

  const change = (id: string, fields: Record<string, string>) =>
    shop.maker.submit(`${pages()}/${id}/edit`, `${pages()}/${id}/edit`, {
      ...{ ...SELLER, split_type: '', split_value: '' },
      ...fields,
    });

  test('is changed by a second person, who sees the former destination; other details need nobody', async () => {
    const id = await seller();
    const asked = approvalPath(await change(id, { account_number: '+237 677 00 00 01' }));
    assert.equal((await accountAt(id)).settlement.account_number, '+237650000009');
    const seen = (await shop.checker.get(asked)).text;
    for (const shown of [id, '+237 677 00 00 01', '+237650000009', '/approve']) assert.ok(seen.includes(shown), shown);
    assert.equal((await press(shop.maker, asked, 'approve')).status, 403);
    await press(shop.checker, asked, 'approve');
    assert.deepEqual((await accountAt(id)).settlement, { channel: 'cm.mtn', account_number: '+237677000001' });
    assert.equal((await stored(shop, asked)).outcome, 'done');
    const renamed = await change(id, { name: 'Mbarga et fils', account_number: '+237677000001' });
    assert.match(renamed.to ?? '', /done=update/);
    approvalPath(await change(id, { account_number: '+237677000001', split_type: 'percentage', split_value: '0' }));
    assert.equal((await accountAt(id)).split, null);
  });

  test('is all that an approval changes, when somebody changed the name meanwhile', async () => {
    const id = await seller();
    const asked = approvalPath(await change(id, { email: 'other@sellers.example', account_number: '+237677000004' }));
    await api.call('PATCH', `/accounts/${id}`, { key: shop.key, body: { name: 'Mbarga SARL', phone: '+237650000010' } });
    await press(shop.checker, asked, 'approve');
    const { name, email, phone, settlement } = await accountAt(id);
    assert.deepEqual([name, phone, email], ['Mbarga SARL', '+237650000010', 'other@sellers.example']);
    assert.equal(settlement.account_number, '+237677000004');
  });

  test('of a new one too', async () => {
    const before = await count();
    const asked = approvalPath(await shop.maker.submit(`${pages()}/new`, pages(), SELLER));
    assert.equal(await count(), before);
    await press(shop.checker, asked, 'approve');
    const { outcome, result } = await stored(shop, asked);
    assert.equal(outcome, 'done');
    assert.deepEqual((await accountAt(result ?? '')).split, { type: 'percentage', value: 7.5 });
    const plain = { ...SELLER, split_type: '', split_value: '', channel: '', account_number: '' };
    assert.match((await shop.maker.submit(`${pages()}/new`, pages(), plain)).to ?? '', /done=create/);
  });

  test('is not set back by what was approved before a later change', async () => {
    const id = await seller();
    const [first, second] = [
      approvalPath(await change(id, { account_number: '+237677000001' })),
      approvalPath(await change(id, { account_number: '+237677000002' })),
    ];
    await decidedOnly(shop, first);
    await press(shop.checker, second, 'approve');
    await press(shop.owner, first, 'run');
    assert.equal((await stored(shop, first)).outcome, 'failed');
    assert.equal((await accountAt(id)).settlement.account_number, '+237677000002');
  });

  test('is not set back by an approval that waits for a change to be committed', async () => {
    const id = await seller();
    const asked = approvalPath(await change(id, { account_number: '+237677000005' }));
    let approved: Promise<unknown> = Promise.resolve();
    await api.deps.stores.sandbox.db.transaction(async (tx) => {
      const context = { environment: 'sandbox', at: Date.now() } as const;
      const settlement = { channel: 'cm.mtn', account_number: '+237677000006' };
      await changeAccount(tx, context, { team_id: shop.team.id, id }, { settlement });
      approved = press(shop.checker, asked, 'approve');
      await untilLocked(api.databases.sandbox, 'accounts');
    });
    await approved;
    const { outcome, message } = await stored(shop, asked);
    assert.deepEqual([outcome, message], ['failed', 'Where its money goes has changed since: ask again.']);
    assert.equal((await accountAt(id)).settlement.account_number, '+237677000006');
  });
});

describe('a dispute above the threshold', () => {
  async function disputed(amount: number): Promise<string> {
    const payment = await paid(api, { key: shop.key, amount });
    const store = api.deps.stores.sandbox.of(shop.team.id);
    return (await openDispute(api.deps, store, { team_id: shop.team.id, payment_id: payment, reason: 'fraudulent' })).id;
  }
  const accept = (id: string, confirm: string) => {
    const path = `${shop.base}/disputes/${id}/accept`;
    return shop.maker.submit(path, path, { confirm });
  };
  const statusOf = async (id: string) => (await api.call('GET', `/disputes/${id}`, { key: shop.key })).body.dispute.status;

  test('is accepted by a second person, once', async () => {
    const small = await disputed(10_000);
    assert.match((await accept(small, '10000')).to ?? '', /done=accept/);
    const id = await disputed(25_000);
    const asked = approvalPath(await accept(id, '25000'));
    assert.equal(await statusOf(id), 'needs_response');
    assert.ok((await shop.checker.get(asked)).text.includes(id));
    await press(shop.checker, asked, 'approve');
    assert.deepEqual([await statusOf(id), (await stored(shop, asked)).outcome], ['lost', 'done']);
  });

  test('that was accepted below it is done when its form is submitted again above a lower one', async () => {
    const id = await disputed(9_000);
    const path = `${shop.base}/disputes/${id}/accept`;
    const values = { ...formToken((await shop.maker.get(path)).text), confirm: '9000' };
    const lower = (above: bigint) =>
      api.control.run(sql`update approval_thresholds set above_minor = ${above} where team_id = ${shop.team.id}`);
    await shop.maker.post(path, values);
    await lower(0n);
    assert.match((await shop.maker.post(path, values)).to ?? '', /done=accept/);
    await lower(1_000_000n);
    assert.equal(await statusOf(id), 'lost');
  });

  test('that was accepted before the process ended is done; one that was decided otherwise has failed', async () => {
    const [ran, decided] = [await disputed(25_000), await disputed(25_000)];
    const paths = [approvalPath(await accept(ran, '25000')), approvalPath(await accept(decided, '25000'))] as const;
    for (const path of paths) await decidedOnly(shop, path);
    await api.call('POST', `/disputes/${ran}/accept`, { key: shop.key });
    await api.deps.stores.sandbox.db.run(sql`update disputes set status = 'won', closed_at = now() where id = ${decided}`);
    for (const path of paths) await press(shop.owner, path, 'run');
    assert.deepEqual([(await stored(shop, paths[0])).outcome, (await stored(shop, paths[1])).outcome], ['done', 'failed']);
  });
});

describe('keys', () => {
  const keys = () => `${shop.base}/developers/keys`;

  test('that change where money goes or accept disputes need a second person; public ones do not', async () => {
    for (const scope of ['account.write', 'dispute.write']) {
      approvalPath(await shop.owner.submit(`${keys()}/new`, keys(), { kind: 'restricted', scopes: scope }));
    }
    assert.equal((await shop.owner.submit(`${keys()}/new`, keys(), { kind: 'public' })).status, 200);
  });

  test('that are replaced or activated show what they may do to whoever decides', async () => {
    const { id } = await api.newKey(shop.team, 'sandbox', 'secret');
    const roll = approvalPath(
      await shop.owner.submit(`${keys()}/${id}/roll`, `${keys()}/${id}/roll`, { overlap: '1h', expires: '' }),
    );
    await api.control.run(sql`update api_keys set active = false where id = ${id}`);
    const activation = approvalPath(await shop.owner.submit(keys(), `${keys()}/${id}/activate`));
    for (const path of [roll, activation]) assert.match((await shop.checker.get(path)).text, /Secret/);
  });

  test('are not activated for somebody whose role does not permit them any more', async () => {
    const admin = await signedIn(api, 'admin', shop.team);
    const { id } = await api.newKey(shop.team, 'live', 'secret');
    await api.control.run(sql`update api_keys set active = false where id = ${id}`);
    const live = keys().replace('/sandbox/', '/live/');
    const asked = approvalPath(await admin.submit(live, `${live}/${id}/activate`));
    // Developers write keys, and not those that move money in live.
    await api.control.run(sql`update memberships set role = 'developer' where user_id = ${admin.id}`);
    await press(shop.checker, asked, 'approve');
    const row = await api.control.maybe<{ active: boolean }>(sql`select active from api_keys where id = ${id}`);
    assert.deepEqual([row?.active, (await stored(shop, asked)).outcome], [false, 'failed']);
  });
});

test('an invitation that is renewed shows for whom, and as what', async () => {
  const people = `${shop.base}/people`;
  const fields = { email: 'renewed@shop.example', role: 'admin' };
  await press(shop.checker, approvalPath(await shop.owner.submit(`${people}/invite`, `${people}/invite`, fields)), 'approve');
  const row = await api.control.maybe<{ id: string }>(sql`select id from user_links where email = 'renewed@shop.example'`);
  const asked = approvalPath(await shop.owner.submit(people, `${people}/invitations/${row?.id}/resend`));
  assert.match((await shop.checker.get(asked)).text, /renewed@shop\.example[\s\S]*Admin/);
});

test('a recipient that changes while an approved payout runs is not paid', async () => {
  const { team, key, maker, checker, base } = shop;
  await fund(api, team, 100_000);
  const wallet = { name: 'Awa Ngo', channel: 'cm.mtn', phone: '650000000' };
  const { id: beneficiary } = (await api.call('POST', '/beneficiaries', { key, body: wallet })).body.beneficiary;
  const values = { beneficiary, to: 'Awa Ngo · +237650000000', amount: '20000', currency: 'XAF' };
  const path = approvalPath(await maker.submit(`${base}/payouts/new`, `${base}/payouts/send`, values));
  const { db } = api.deps.stores.sandbox;
  let pressed: Promise<unknown> = Promise.resolve();
  // The operation waits for its idempotency key, after everything that is verified before it runs.
  await db.transaction(async (tx) => {
    await tx.run(sql`lock table idempotency_keys in exclusive mode`);
    pressed = press(checker, path, 'approve');
    await until(
      () => db.all(sql`select from pg_locks where not granted and relation = 'idempotency_keys'::regclass`),
      (waiting) => waiting.length > 0,
    );
    await db.run(sql`update beneficiaries set phone = '+237677000001' where id = ${beneficiary}`);
  });
  await pressed;
  assert.equal((await stored(shop, path)).outcome, 'failed');
  assert.deepEqual((await api.call('GET', '/transfers', { key })).body.items, []);
});
