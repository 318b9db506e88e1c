import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import type { Wanted } from '../../src/tenants/approvals/schema.ts';
import { sealWanted, wantedOf } from '../../src/tenants/approvals/wanted.ts';
import { findApproval } from '../../src/tenants/approvals/store.ts';
import { listThresholds } from '../../src/tenants/approvals/threshold-store.ts';
import { must } from '../../src/kit/errors.ts';
import { type Api, startApi } from '../setup/api.ts';
import { approvalPath, openShop, press, type Shop, stored, trail } from './approvals.ts';
import { type Person, signedIn } from './people.ts';

/** Requests that are approved after somebody has changed the same role, invitation, threshold or key. */
let api: Api;
let shop: Shop;
let guest: Person;
before(async () => {
  api = await startApi();
});
after(() => api.stop());
beforeEach(async () => {
  shop = await openShop(api);
  guest = await signedIn(api, 'support', shop.team);
});

const roleOf = async ({ id }: Person) =>
  (await api.control.maybe<{ role: string }>(sql`select role from memberships where user_id = ${id}`))?.role;

const askRole = async (role: string) => {
  const people = `${shop.base}/people`;
  return approvalPath(await shop.owner.submit(people, `${people}/${guest.id}/role`, { role }));
};

const thresholds = async () => {
  const all = await listThresholds(api.control, shop.team.id);
  return Object.fromEntries(all.map(({ currency, above_minor }) => [currency, Number(above_minor) / 100]));
};

/** @param above undefined: the threshold is removed */
const askThreshold = async (currency: string, above?: string) => {
  const page = `${shop.base}/settings/approvals`;
  const values = above === undefined ? { currency } : { currency, above };
  return approvalPath(await shop.owner.submit(page, above === undefined ? `${page}/remove` : page, values));
};

const askInvitation = async (email: string, role: string) => {
  const page = `${shop.base}/people/invite`;
  return approvalPath(await shop.owner.submit(page, page, { email, role }));
};

/** Returns the roles of the open invitations to an address. */
const invited = async (email: string) => {
  const rows = await api.control.all<{ role: string }>(sql`
    select role from user_links where team_id = ${shop.team.id} and email = ${email} and used_at is null and revoked_at is null`);
  return rows.map(({ role }) => role);
};

const approve = (path: string) => press(shop.checker, path, 'approve');

const isActive = async (id: string) =>
  (await api.control.maybe<{ active: boolean }>(sql`select active from api_keys where id = ${id}`))?.active;

/** Returns a secret key that is not active. */
async function inactiveKey(): Promise<string> {
  const { id } = await api.newKey(shop.team, 'sandbox', 'secret');
  await switchOff(id);
  return id;
}

async function switchOff(id: string): Promise<void> {
  const page = `${shop.base}/developers/keys/${id}`;
  assert.equal((await shop.owner.submit(page, `${page}/deactivate`)).status, 303);
  assert.equal(await isActive(id), false);
}

const askKey = async (id: string) => {
  const page = `${shop.base}/developers/keys/${id}`;
  return approvalPath(await shop.owner.submit(page, `${page}/activate`));
};

async function outcomeOf(path: string): Promise<string> {
  const { outcome, message } = await stored(shop, path);
  return message ?? String(outcome);
}

/** Stores a request as an earlier release did. */
async function storeWithout(path: string, name: keyof Wanted): Promise<void> {
  const ref = { team_id: shop.team.id, environment: 'sandbox', id: path.split('/').at(-1) ?? '' } as const;
  const { secrets } = api.deps;
  const { [name]: seen, ...wanted } = wantedOf(secrets, must(await findApproval(api.control, ref), 'it was asked for'));
  assert.ok(seen !== undefined);
  const sealed = sealWanted(secrets, ref, wanted as Wanted);
  await api.control.run(sql`update approvals set body_sealed = ${sealed} where id = ${ref.id}`);
}

const ROLE_CHANGED = 'The role of this person has changed since: ask again.';
const INVITED = 'This address was invited to another role since: ask again.';
const THRESHOLD_CHANGED = 'The threshold has changed since: ask again.';
const KEY_CHANGED = 'The key has changed since: ask again.';

test('a role that was approved later is not replaced, and the page of the older request says so', async () => {
  const [older, later] = [await askRole('finance'), await askRole('read_only')];
  assert.doesNotMatch((await shop.checker.get(older)).text, /has changed since/);
  await approve(later);
  assert.match((await shop.checker.get(older)).text, /The role of this person has changed since: an approval will fail\./);
  await approve(older);
  assert.deepEqual([await outcomeOf(older), await roleOf(guest)], [ROLE_CHANGED, 'read_only']);
  assert.match(
    (await shop.checker.get(older, { 'accept-language': 'fr' })).text,
    /Le rôle de cette personne a été modifié depuis/,
  );
});

test('an invitation that was approved later is not replaced by an older one to another role, and its page says so', async () => {
  const [same, older, later] = [
    await askInvitation('new@shop.example', 'finance'),
    await askInvitation('New@shop.example', 'developer'),
    await askInvitation('new@shop.example', 'finance'),
  ];
  assert.doesNotMatch((await shop.checker.get(older)).text, /since: an approval will fail/);
  await approve(later);
  assert.match((await shop.checker.get(older)).text, /This address was invited to another role since: an approval will fail\./);
  assert.match(
    (await shop.checker.get(older, { 'accept-language': 'fr' })).text,
    /Cette adresse a été invitée depuis avec un autre rôle/,
  );
  await approve(older);
  assert.deepEqual([await outcomeOf(older), await invited('new@shop.example')], [INVITED, ['finance']]);
  await approve(same);
  assert.equal(await outcomeOf(same), 'done');
  const next = await askInvitation('new@shop.example', 'developer');
  await approve(next);
  assert.deepEqual([await outcomeOf(next), await invited('new@shop.example')], ['done', ['developer']]);
});

test('a threshold that was approved later is neither replaced nor removed', async () => {
  const [older, removal, later] = [
    await askThreshold('XAF', '900000'),
    await askThreshold('XAF'),
    await askThreshold('XAF', '5000'),
  ];
  await approve(later);
  for (const path of [older, removal]) {
    assert.match((await shop.checker.get(path)).text, /The threshold has changed since: an approval will fail\./);
    await approve(path);
    assert.equal(await outcomeOf(path), THRESHOLD_CHANGED);
  }
  assert.deepEqual(await thresholds(), { XAF: 5_000 });
});

test('a threshold that was removed, or set for the first time in its currency, is not replaced either', async () => {
  const [higher, removal] = [await askThreshold('XAF', '900000'), await askThreshold('XAF')];
  const [first, second] = [await askThreshold('XOF', '7000'), await askThreshold('XOF', '8000')];
  for (const path of [first, removal, higher, second]) await approve(path);
  assert.deepEqual(await Promise.all([higher, second].map(outcomeOf)), [THRESHOLD_CHANGED, THRESHOLD_CHANGED]);
  assert.deepEqual(await thresholds(), { XOF: 7_000 });
});

test('a role that was approved later is not replaced when it is again that of the request', async () => {
  const [first, older] = [await askRole('finance'), await askRole('finance')];
  await approve(first);
  await approve(await askRole('support'));
  assert.match((await shop.checker.get(older)).text, /The role of this person has changed since: an approval will fail\./);
  await approve(older);
  assert.deepEqual([await outcomeOf(older), await roleOf(guest)], [ROLE_CHANGED, 'support']);
});

test('a threshold that was approved later is not replaced when it is again that of the request, or none', async () => {
  const [raised, higher] = [await askThreshold('XAF', '900000'), await askThreshold('XAF', '900000')];
  const [set, again] = [await askThreshold('XOF', '7000'), await askThreshold('XOF', '7000')];
  for (const path of [raised, set]) await approve(path);
  for (const path of [await askThreshold('XAF', '10000'), await askThreshold('XOF')]) await approve(path);
  for (const path of [higher, again]) {
    assert.match((await shop.checker.get(path)).text, /The threshold has changed since: an approval will fail\./);
    await approve(path);
    assert.equal(await outcomeOf(path), THRESHOLD_CHANGED);
  }
  assert.deepEqual(await thresholds(), { XAF: 10_000 });
});

test('a key that was activated and deactivated later is not activated again, and the page of the older request says so', async () => {
  const id = await inactiveKey();
  const [first, older] = [await askKey(id), await askKey(id)];
  assert.doesNotMatch((await shop.checker.get(older)).text, /has changed since/);
  await approve(first);
  await switchOff(id);
  assert.match((await shop.checker.get(older)).text, /The key has changed since: an approval will fail\./);
  await approve(older);
  assert.deepEqual([await outcomeOf(first), await outcomeOf(older), await isActive(id)], ['done', KEY_CHANGED, false]);
  assert.match((await shop.checker.get(older, { 'accept-language': 'fr' })).text, /La clé a été modifiée depuis/);
  const next = await askKey(id);
  await approve(next);
  assert.deepEqual([await outcomeOf(next), await isActive(id)], ['done', true]);
});

test('a key that is already active is done, and its activation is recorded once', async () => {
  const id = await inactiveKey();
  const paths = [await askKey(id), await askKey(id)];
  for (const path of paths) {
    assert.doesNotMatch((await shop.checker.get(path)).text, /has changed since/);
    await approve(path);
    assert.equal(await outcomeOf(path), 'done');
  }
  assert.equal(await isActive(id), true);
  assert.deepEqual(await trail(shop, id), [`key.deactivate ${shop.owner.id}`, `key.activate ${shop.checker.id}`]);
});

test('of two approvals at once one is done', async () => {
  const pairs = [
    [await askRole('finance'), await askRole('read_only')],
    [await askThreshold('XAF', '900000'), await askThreshold('XAF', '5000')],
  ] as const;
  for (const [one, other] of pairs) {
    await Promise.all([press(shop.checker, one, 'approve'), press(shop.maker, other, 'approve')]);
    const outcomes = await Promise.all([stored(shop, one), stored(shop, other)]);
    assert.deepEqual(outcomes.map(({ outcome }) => outcome).sort(), ['done', 'failed']);
  }
});

test('a role or a threshold that already is as requested is done, with what else has changed', async () => {
  const roles = [await askRole('finance'), await askRole('finance')];
  const values = [await askThreshold('XAF', '5000'), await askThreshold('XAF', '5000'), await askThreshold('XOF', '5000')];
  for (const path of [...roles, ...values]) await approve(path);
  for (const path of [...roles, ...values]) assert.equal(await outcomeOf(path), 'done');
  assert.deepEqual([await roleOf(guest), await thresholds()], ['finance', { XAF: 5_000, XOF: 5_000 }]);
});

test('an approval of what already is as requested is no change: a request from between the two is done', async () => {
  await approve(await askThreshold('XOF', '7000'));
  const [set, setAgain] = [await askThreshold('XAF', '5000'), await askThreshold('XAF', '5000')];
  const [removal, removalAgain] = [await askThreshold('XOF'), await askThreshold('XOF')];
  for (const path of [set, removal]) await approve(path);
  const between = [await askThreshold('XAF', '900000'), await askThreshold('XOF', '8000')];
  for (const path of [setAgain, removalAgain, ...between]) {
    assert.doesNotMatch((await shop.checker.get(path)).text, /has changed since/);
    await approve(path);
    assert.equal(await outcomeOf(path), 'done');
  }
  assert.deepEqual(await thresholds(), { XAF: 900_000, XOF: 8_000 });
});

test('a request of an earlier release, which does not have the number of changes, is compared by its value', async () => {
  const [first, older] = [await askRole('finance'), await askRole('finance')];
  await storeWithout(older, 'changes');
  await approve(first);
  await approve(await askRole('support'));
  await approve(older);
  assert.deepEqual([await outcomeOf(older), await roleOf(guest)], ['done', 'finance']);
});

test('requests of an earlier release, which do not have the former state, run as they did', async () => {
  const id = await inactiveKey();
  const [role, threshold] = [await askRole('finance'), await askThreshold('XAF', '900000')];
  const [first, key] = [await askKey(id), await askKey(id)];
  await storeWithout(role, 'role');
  await storeWithout(threshold, 'threshold');
  await storeWithout(key, 'changes');
  const invitation = await askInvitation('other@shop.example', 'developer');
  await storeWithout(invitation, 'invitation');
  await approve(await askInvitation('other@shop.example', 'finance'));
  await approve(await askRole('read_only'));
  await approve(await askThreshold('XAF', '5000'));
  await approve(first);
  await switchOff(id);
  for (const path of [role, threshold, key, invitation]) {
    assert.doesNotMatch((await shop.checker.get(path)).text, /has changed since/);
    await approve(path);
    assert.equal(await outcomeOf(path), 'done');
  }
  assert.deepEqual([await roleOf(guest), await thresholds(), await isActive(id)], ['finance', { XAF: 900_000 }, true]);
  assert.deepEqual(await invited('other@shop.example'), ['developer']);
});
