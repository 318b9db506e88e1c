import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type Api, startApi } from '../setup/api.ts';
import { askRefund, countApprovals, openShop, press, refunds, sale, type Shop, stored } from './approvals.ts';
import { formToken, type Shown, signedIn } from './people.ts';

/** Forms that are submitted again. */
let api: Api;
before(async () => {
  api = await startApi();
});
after(() => api.stop());

/** A form that runs in a team without a threshold: the page that shows it, where it is sent, and what is typed. */
interface Form {
  page: string;
  send: string;
  values?: Record<string, string>;
  /** Status of each further submit. Default: that of the first. */
  again?: number;
}

const SELLER = { name: 'Seller', email: 's@sellers.example', split_type: '', split_value: '' };
const PAID = { channel: 'cm.mtn', account_number: '+237650000009' };

async function invited({ owner, base, team }: Shop): Promise<string> {
  const form = `${base}/people/invite`;
  await owner.submit(form, form, { email: 'guest@shop.example', role: 'support' });
  const [link] = await api.control.all<{ id: string }>(sql`select id from user_links where team_id = ${team.id}`);
  return link?.id ?? '';
}

const FORMS: Record<string, (shop: Shop) => Promise<Form>> = {
  'a secret key': async ({ base }) => {
    const send = `${base}/developers/keys`;
    return { page: `${send}/new`, send, values: { kind: 'secret' }, again: 409 };
  },
  'a rolled key': async ({ base, team }) => {
    const page = `${base}/developers/keys/${(await api.newKey(team, 'sandbox', 'secret')).id}/roll`;
    return { page, send: page, values: { overlap: '1h', expires: '' }, again: 409 };
  },
  'an activated key': async ({ base, team }) => {
    const { id } = await api.newKey(team, 'sandbox', 'secret');
    await api.control.run(sql`update api_keys set active = false where id = ${id}`);
    const page = `${base}/developers/keys/${id}`;
    return { page, send: `${page}/activate` };
  },
  'a subaccount': async ({ base }) => {
    const send = `${base}/subaccounts`;
    return { page: `${send}/new`, send, values: { ...SELLER, ...PAID } };
  },
  'the destination of a subaccount': async ({ base, key }) => {
    const { body } = await api.call('POST', '/accounts', { key, body: { name: SELLER.name, email: SELLER.email } });
    const page = `${base}/subaccounts/${body.account.id}/edit`;
    return { page, send: page, values: { ...SELLER, ...PAID } };
  },
  'an invitation': async ({ base }) => {
    const page = `${base}/people/invite`;
    return { page, send: page, values: { email: 'guest@shop.example', role: 'support' } };
  },
  'an invitation that is sent again': async (shop) => {
    const people = `${shop.base}/people`;
    return { page: people, send: `${people}/invitations/${await invited(shop)}/resend` };
  },
  'a role': async ({ base, team }) => {
    const guest = await signedIn(api, 'support', team);
    const page = `${base}/people/${guest.id}`;
    return { page, send: `${page}/role`, values: { role: 'developer' } };
  },
  'a removal': async ({ base, team }) => {
    const page = `${base}/people/${(await signedIn(api, 'support', team)).id}`;
    return { page, send: `${page}/remove` };
  },
  'the first threshold': async ({ base }) => {
    const page = `${base}/settings/approvals`;
    return { page, send: page, values: { currency: 'XAF', above: '10000' } };
  },
};

/** What these forms change. */
async function stateOf({ team, key }: Shop) {
  const { body } = await api.call('GET', '/accounts', { key });
  const rows = await Promise.all([
    api.control.all(sql`select id, active, expires_at from api_keys where team_id = ${team.id} order by id`),
    api.control.all(sql`select id, revoked_at, expires_at from user_links where team_id = ${team.id} order by id`),
    api.control.all(sql`select user_id, role from memberships where team_id = ${team.id} order by user_id`),
  ]);
  return [body.items.map(({ id, settlement }: { id: string; settlement: unknown }) => ({ id, settlement })), ...rows];
}

for (const [name, formOf] of Object.entries(FORMS)) {
  test(`a form that ran asks nobody when it is submitted again: ${name}`, async () => {
    const shop = await openShop(api, null);
    const { page, send, values = {}, again } = await formOf(shop);
    const { text } = await shop.owner.get(page);
    const form = { ...formToken(text.slice(text.indexOf('<main'))), ...values };
    const submit = (): Promise<Shown> => shop.owner.post(send, form);
    const first = await submit();
    assert.ok(first.status === 200 || first.status === 303, first.text);
    const plain = await submit();
    const state = await stateOf(shop);
    await api.control.run(sql`
      insert into approval_thresholds (team_id, currency, above_minor) values (${shop.team.id}, 'XAF', 1000000) on conflict do nothing`);
    const held = await submit();
    const without = ({ to }: Shown) => to?.replace('done=same', 'done=set');
    for (const one of [plain, held])
      assert.deepEqual([one.status, without(one)], [again ?? first.status, without(first)], one.text);
    assert.equal(await countApprovals(shop), 0);
    assert.deepEqual(await stateOf(shop), state);
  });
}

for (const [name, decision, made] of [
  ['approve', 'approved', 1],
  ['reject', 'rejected', 0],
  ['withdraw', 'withdrawn', 0],
] as const) {
  test(`a decision that is submitted again leads to the same result, but not that of somebody else: ${name}`, async () => {
    const shop = await openShop(api);
    const payment = await sale(shop);
    const path = await askRefund(shop, payment);
    const by = name === 'withdraw' ? shop.maker : shop.checker;
    const { text } = await by.get(path);
    const form = formToken(text.slice(text.indexOf('<main')));
    const submit = () => by.post(`${path}/${name}`, form);
    for (const { status, to } of [...(await Promise.all([submit(), submit()])), await submit()]) {
      assert.deepEqual([status, to], [303, `${path}?done=${name}`]);
    }
    assert.deepEqual([(await stored(shop, path)).decision, (await refunds(shop, payment)).length], [decision, made]);
    assert.equal((await press(shop.owner, path, name)).status, 409);
    for (const other of ['approve', 'reject', 'withdraw'] as const) {
      if (other !== name) assert.equal((await press(by, path, other)).status, 409, other);
    }
  });
}
