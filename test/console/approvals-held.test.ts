import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forgetPeopleSweep } from '../../src/edge/mail/people-sweeps.ts';
import { personText } from '../../src/edge/mail/people-text.ts';
import { clause, sql } from '../../src/kit/sql.ts';
import type { UserMailRow } from '../../src/tenants/people/mails.ts';
import { insertMembership } from '../../src/tenants/people/store.ts';
import { type Api, startApi } from '../setup/api.ts';
import {
  askRefund,
  approvalPath,
  countApprovals,
  openShop,
  press,
  refundForm,
  sale,
  type Shop,
  stored,
  trail,
} from './approvals.ts';
import { formToken, hiddenOf, type Person, signedIn } from './people.ts';

const KEY = /\b[spr]k(?:_test)?\.[0-9A-Za-z]{43}\b/;

let api: Api;
let shop: Shop;
/** Another owner: the second person for what owners ask. */
let second: Person;

before(async () => {
  api = await startApi();
  shop = await openShop(api);
  second = await signedIn(api, 'owner', shop.team, 'Sana Second');
});
after(() => api.stop());

const keysOf = async ({ team }: Shop) =>
  (await api.control.all<{ id: string }>(sql`select id from api_keys where team_id = ${team.id} order by id`)).map(
    ({ id }) => id,
  );

const thresholdsOf = ({ team }: Shop) =>
  api.control.all<{ currency: string; above_minor: bigint }>(sql`
    select currency, above_minor from approval_thresholds where team_id = ${team.id} order by currency`);

const roleOf = async ({ team }: Shop, { id }: Person) =>
  (await api.control.maybe<{ role: string }>(sql`select role from memberships where team_id = ${team.id} and user_id = ${id}`))
    ?.role;

describe('keys that may move money', () => {
  test('are made by whoever asked, once, after somebody else approved', async () => {
    const keys = `${shop.base}/developers/keys`;
    const before = await keysOf(shop);
    const form = { ...formToken((await shop.owner.get(`${keys}/new`)).text), kind: 'secret' };
    const path = approvalPath(await shop.owner.post(keys, form));
    assert.deepEqual(await keysOf(shop), before);
    assert.equal((await press(shop.owner, path, 'key')).status, 409);
    const approved = await press(second, path, 'approve');
    assert.equal(approved.to, `${path}?done=approve`);
    assert.doesNotMatch((await second.get(path)).text, KEY);
    assert.equal((await press(second, path, 'key')).status, 403);
    assert.deepEqual(await keysOf(shop), before);
    const [one, two] = await Promise.all([press(shop.owner, path, 'key'), press(shop.owner, path, 'key')]);
    assert.deepEqual([one.status, two.status].sort(), [200, 409]);
    const key = KEY.exec(one.status === 200 ? one.text : two.text)?.[0] ?? '';
    assert.equal((await api.call('GET', '/payments', { key })).status, 200);
    assert.equal((await keysOf(shop)).length, before.length + 1);
    assert.doesNotMatch((await shop.owner.get(path)).text, KEY);
    assert.equal(approvalPath(await shop.owner.post(keys, form)), path);
    assert.equal((await keysOf(shop)).length, before.length + 1);
  });

  test('are replaced and activated the same way; other keys need nobody', async () => {
    const keys = `${shop.base}/developers/keys`;
    const plain = await shop.owner.submit(`${keys}/new`, keys, { kind: 'restricted', scopes: 'payment.write' });
    assert.match(plain.text, KEY);
    for (const scope of ['refund.write', 'transfer.write', 'beneficiary.write']) {
      approvalPath(await shop.owner.submit(`${keys}/new`, keys, { kind: 'restricted', scopes: scope }));
    }
    const { id } = await api.newKey(shop.team, 'sandbox', 'secret');
    const before = (await keysOf(shop)).length;
    const roll = approvalPath(
      await shop.owner.submit(`${keys}/${id}/roll`, `${keys}/${id}/roll`, { overlap: '1h', expires: '' }),
    );
    await press(second, roll, 'approve');
    assert.equal((await keysOf(shop)).length, before);
    assert.match((await press(shop.owner, roll, 'key')).text, KEY);
    assert.equal((await keysOf(shop)).length, before + 1);
    await api.control.run(sql`update api_keys set active = false where id = ${id}`);
    const active = approvalPath(await shop.owner.submit(keys, `${keys}/${id}/activate`));
    const isActive = async () =>
      (await api.control.maybe<{ active: boolean }>(sql`select active from api_keys where id = ${id}`))?.active;
    assert.equal(await isActive(), false);
    await press(second, active, 'approve');
    assert.deepEqual([await isActive(), (await stored(shop, active)).outcome], [true, 'done']);
    const off = await shop.owner.submit(keys, `${keys}/${id}/deactivate`);
    assert.match(off.to ?? '', /done=deactivate/);
  });

  test('are not activated once they have ended: nobody is asked, and nothing is shown as done', async () => {
    const keys = `${shop.base}/developers/keys`;
    const [expired, revoked] = [
      await api.newKey(shop.team, 'sandbox', 'secret'),
      await api.newKey(shop.team, 'sandbox', 'secret'),
    ];
    await api.control.run(sql`update api_keys set expires_at = now() - interval '1 day' where id = ${expired.id}`);
    await api.control.run(sql`update api_keys set revoked_at = now() where id = ${revoked.id}`);
    const before = await countApprovals(shop);
    for (const active of [true, false]) {
      for (const { id } of [expired, revoked]) {
        await api.control.run(sql`update api_keys set active = ${active} where id = ${id}`);
        const { status, text } = await shop.owner.submit(keys, `${keys}/${id}/activate`);
        assert.deepEqual([status, /expired|revoked/.test(text)], [409, true]);
      }
    }
    assert.equal(await countApprovals(shop), before);
    assert.doesNotMatch((await shop.owner.get(`${keys}/${expired.id}`)).text, /\/activate\?/);
  });

  test('are not replaced when they are not active: nobody is asked', async () => {
    const keys = `${shop.base}/developers/keys`;
    const before = await countApprovals(shop);
    for (const end of [clause`active = false`, clause`expires_at = now() - interval '1 day'`, clause`revoked_at = now()`]) {
      const { id } = await api.newKey(shop.team, 'sandbox', 'secret');
      await api.control.run(sql`update api_keys set ${end} where id = ${id}`);
      const { status, text } = await shop.owner.submit(keys, `${keys}/${id}/roll`, { overlap: '1h', expires: '' });
      assert.deepEqual([status, /not active/.test(text)], [409, true]);
    }
    assert.equal(await countApprovals(shop), before);
    const { id } = await api.newKey(shop.team, 'sandbox', 'secret');
    const form = { ...formToken((await shop.owner.get(`${keys}/${id}/roll`)).text), overlap: '1h', expires: '' };
    const asked = approvalPath(await shop.owner.post(`${keys}/${id}/roll`, form));
    await api.control.run(sql`update api_keys set active = false where id = ${id}`);
    assert.equal(approvalPath(await shop.owner.post(`${keys}/${id}/roll`, form)), asked, 'asked for before');
  });

  test('that expire while they wait are not activated', async () => {
    const keys = `${shop.base}/developers/keys`;
    const { id } = await api.newKey(shop.team, 'sandbox', 'secret');
    await api.control.run(sql`update api_keys set active = false where id = ${id}`);
    const asked = approvalPath(await shop.owner.submit(keys, `${keys}/${id}/activate`));
    await api.control.run(sql`update api_keys set expires_at = now() - interval '1 day' where id = ${id}`);
    await press(second, asked, 'approve');
    const row = await api.control.maybe<{ active: boolean }>(sql`select active from api_keys where id = ${id}`);
    assert.deepEqual([row?.active, (await stored(shop, asked)).outcome], [false, 'failed']);
  });
});

describe('people', () => {
  test('change their role, leave and are invited only when somebody else approved', async () => {
    const people = `${shop.base}/people`;
    const guest = await signedIn(api, 'support', shop.team, 'Gina Guest');
    const role = approvalPath(await shop.owner.submit(people, `${people}/${guest.id}/role`, { role: 'developer' }));
    assert.equal(await roleOf(shop, guest), 'support');
    assert.match((await second.get(role)).text, /Gina Guest[\s\S]*Developer/);
    await press(shop.checker, role, 'approve');
    assert.equal(await roleOf(shop, guest), 'developer');
    assert.deepEqual(await trail(shop, guest.id), [`person.role ${shop.checker.id}`]);
    const invitations = async () =>
      (await api.control.all(sql`select id from user_links where team_id = ${shop.team.id} and kind = 'invitation'`)).length;
    const invited = await shop.owner.submit(`${people}/invite`, `${people}/invite`, {
      email: 'new@shop.example',
      role: 'support',
    });
    const invite = approvalPath(invited);
    assert.equal(await invitations(), 0);
    await press(second, invite, 'approve');
    assert.equal(await invitations(), 1);
    const link = (await api.control.all<{ id: string }>(sql`select id from user_links where team_id = ${shop.team.id}`))[0]?.id;
    approvalPath(await shop.owner.submit(people, `${people}/invitations/${link}/resend`));
    const removal = approvalPath(await shop.owner.submit(people, `${people}/${guest.id}/remove`));
    assert.equal(await roleOf(shop, guest), 'developer');
    await press(second, removal, 'approve');
    assert.equal(await roleOf(shop, guest), undefined);
  });

  test('do not decide on their own membership, and rules hold before anybody is asked', async () => {
    const people = `${shop.base}/people`;
    const own = approvalPath(await shop.owner.submit(people, `${people}/${shop.checker.id}/role`, { role: 'admin' }));
    const removal = approvalPath(await shop.owner.submit(people, `${people}/${shop.checker.id}/remove`));
    for (const path of [own, removal]) {
      for (const decision of ['approve', 'reject'] as const) {
        const refused = await press(shop.checker, path, decision);
        assert.deepEqual([refused.status, /their own membership/.test(refused.text)], [403, true], decision);
      }
      assert.equal((await stored(shop, path)).decision, null);
    }
    const admin = await signedIn(api, 'admin', shop.team);
    const count = await countApprovals(shop);
    const raise = await admin.submit(people, `${people}/${shop.checker.id}/role`, { role: 'owner' });
    assert.deepEqual([raise.status, /Only an owner appoints/.test(raise.text)], [409, true]);
    assert.equal(await countApprovals(shop), count);
  });

  test('who leave and join again while their removal waits stay in the team', async () => {
    const guest = await signedIn(api, 'support', shop.team);
    const page = `${shop.base}/people/${guest.id}`;
    const form = hiddenOf(await shop.owner.get(page));
    const removal = approvalPath(await shop.owner.post(`${page}/remove`, form));
    await api.control.run(sql`delete from memberships where user_id = ${guest.id}`);
    await insertMembership(api.control, shop.team.id, guest.id, 'support');
    await press(second, removal, 'approve');
    const { outcome, message } = await stored(shop, removal);
    assert.deepEqual([outcome, /joined it again/.test(message ?? '')], ['failed', true]);
    assert.equal(await roleOf(shop, guest), 'support');
  });

  test('who could approve stay two', async () => {
    const small = await openShop(api);
    await api.control.run(sql`delete from memberships where user_id = ${small.checker.id}`);
    const people = `${small.base}/people`;
    const last = await small.owner.submit(people, `${people}/${small.maker.id}/role`, { role: 'support' });
    assert.deepEqual([last.status, /two people who may approve/.test(last.text)], [409, true]);
    // Possible when it was asked for, and not any more when it is approved.
    const admin = await signedIn(api, 'admin', small.team);
    const own = approvalPath(await admin.submit(people, `${people}/${admin.id}/role`, { role: 'support' }));
    await api.control.run(sql`update users set disabled_at = now() where id = ${small.owner.id}`);
    await press(small.maker, own, 'approve');
    const { decision, outcome } = await stored(small, own);
    assert.deepEqual([decision, outcome, await roleOf(small, admin)], ['approved', 'failed', 'admin']);
  });
});

describe('thresholds', () => {
  const page = (base: string) => `${base}/settings/approvals`;
  const set = (person: Person, base: string, currency: string, above: string) =>
    person.submit(page(base), page(base), { currency, above });

  test('the first is set at once when two people may approve; every change of it needs a second person', async () => {
    const fresh = await openShop(api, null);
    await api.control.run(sql`update users set disabled_at = now() where id in (${fresh.maker.id}, ${fresh.checker.id})`);
    const alone = await set(fresh.owner, fresh.base, 'XAF', '10000');
    assert.deepEqual([alone.status, /two people who may approve/.test(alone.text)], [409, true]);
    assert.deepEqual(await thresholdsOf(fresh), []);
    await api.control.run(sql`update users set disabled_at = null where id in (${fresh.maker.id}, ${fresh.checker.id})`);
    const form = { ...formToken((await fresh.owner.get(page(fresh.base))).text), currency: 'XAF', above: '10 000' };
    for (const { to } of [await fresh.owner.post(page(fresh.base), form), await fresh.owner.post(page(fresh.base), form)]) {
      assert.match(to ?? '', /settings\/approvals\?done=(?:set|same)$/);
    }
    assert.deepEqual(await thresholdsOf(fresh), [{ currency: 'XAF', above_minor: 1_000_000n }]);
    const higher = approvalPath(await set(fresh.owner, fresh.base, 'XAF', '900000'));
    const other = approvalPath(await set(fresh.owner, fresh.base, 'XOF', '5000'));
    assert.equal((await thresholdsOf(fresh)).length, 1);
    await press(fresh.checker, higher, 'reject');
    await press(fresh.checker, other, 'approve');
    assert.deepEqual(await thresholdsOf(fresh), [
      { currency: 'XAF', above_minor: 1_000_000n },
      { currency: 'XOF', above_minor: 500_000n },
    ]);
    for (const currency of ['XAF', 'XOF']) {
      const gone = approvalPath(await fresh.owner.submit(page(fresh.base), `${page(fresh.base)}/remove`, { currency }));
      await press(fresh.checker, gone, 'approve');
    }
    assert.deepEqual(await thresholdsOf(fresh), []);
    assert.deepEqual(
      (await trail(fresh, 'XOF')).map((entry) => entry.split(' ')[0]),
      ['threshold.set', 'threshold.remove'],
    );
  });

  test('two first ones at once are one, and one that waits', async () => {
    const fresh = await openShop(api, null);
    // The browser gets its cookie first.
    await fresh.owner.get(fresh.base);
    const answers = await Promise.all([set(fresh.owner, fresh.base, 'XAF', '1000'), set(fresh.owner, fresh.base, 'XOF', '2000')]);
    assert.deepEqual(answers.map(({ to }) => /approvals\/apv_/.test(to ?? '')).sort(), [false, true]);
    assert.equal((await thresholdsOf(fresh)).length, 1);
  });

  test('what is not an amount or a currency is said beside its field', async () => {
    for (const [currency, above, field] of [
      ['XAF', '25,000', 'above'],
      ['XAF', '-1', 'above'],
      ['XAF', '10.50', 'above'],
      ['XAF', '', 'above'],
      ['BTC', '10', 'currency'],
    ] as const) {
      const wrong = await set(shop.owner, shop.base, currency, above);
      assert.deepEqual([wrong.status, wrong.text.includes(`id="f-${field}-error"`)], [422, true], `${currency} ${above}`);
    }
  });

  test('what waits when the last one is removed still waits for a second person', async () => {
    const other = await openShop(api);
    const payment = await sale(other);
    const path = await askRefund(other, payment);
    await api.control.run(sql`delete from approval_thresholds where team_id = ${other.team.id}`);
    assert.equal((await press(other.maker, path, 'approve')).status, 403);
    await press(other.checker, path, 'approve');
    assert.equal((await stored(other, path)).outcome, 'done');
  });
});

test('mails tell who may decide and whoever asked, without people, amounts or keys', async () => {
  const other = await openShop(api);
  const support = await signedIn(api, 'support', other.team);
  const path = await askRefund(other, await sale(other), '20000', other.maker);
  await press(other.checker, path, 'approve');
  const rows = await api.control.all<UserMailRow>(sql`
    select id, kind, facts, recipient from user_mails where facts ->> 'path' = ${path} order by id`);
  const urls = { link: () => '', page: (of: string) => `https://console.example${of}` };
  const sent = rows.map((row) => ({ to: row.recipient, ...personText(row, urls) }));
  const to = (person: Person) => sent.filter((mail) => mail.to === `${person.id}@shop.example`);
  assert.deepEqual([to(other.owner).length, to(other.checker).length, to(other.maker).length, to(support).length], [1, 1, 1, 0]);
  assert.match(to(other.checker)[0]?.subject ?? '', /Une validation vous attend.*An approval waits for you/);
  assert.match(to(other.maker)[0]?.subject ?? '', /Your request was approved/);
  for (const { text } of sent) {
    assert.ok(text.includes(`https://console.example${path}`));
    assert.doesNotMatch(text, /20.?000|Mado|Chris|trx_|rfd_/);
  }
});

test('somebody who asks for much at once sends one mail a minute to whoever may decide', async () => {
  const other = await openShop(api);
  const payment = await sale(other);
  const to = `${other.checker.id}@shop.example`;
  const mails = async () =>
    (await api.control.all(sql`select id from user_mails where kind = 'approval' and recipient = ${to}`)).length;
  const first = await askRefund(other, payment, '11000');
  for (const amount of ['11001', '11002']) await press(other.maker, await askRefund(other, payment, amount), 'withdraw');
  assert.equal(await mails(), 1);
  await askRefund(other, payment, '11003', other.owner);
  assert.equal(await mails(), 2, 'of each person');
  await api.control.run(sql`update approvals set asked_at = now() - interval '61 seconds' where team_id = ${other.team.id}`);
  await askRefund(other, payment, '11004');
  assert.equal(await mails(), 3);
  assert.equal((await other.checker.get(first)).status, 200);
});

test('what waits in the sandbox keeps nothing from being asked for in live, nor from being mailed, and the other way round', async () => {
  const other = await openShop(api);
  const payment = await sale(other);
  const id = (await askRefund(other, payment, '11000')).split('/').at(-1);
  const mails = async () =>
    (
      await api.control.all(
        sql`select id from user_mails where kind = 'approval' and recipient = ${`${other.checker.id}@shop.example`}`,
      )
    ).length;
  await api.control.run(sql`
    insert into approvals select (jsonb_populate_record(a, jsonb_build_object('id', 'apv_' || lpad(n::text, 26, '0'), 'form_key', 'copy' || n))).*
    from approvals a, generate_series(1, 100) n where a.id = ${id}`);
  const { path, values } = await refundForm(other, other.maker, payment, '11001');
  assert.equal((await other.maker.post(path, values)).status, 429);
  await api.control.run(sql`update approvals set environment = 'live' where team_id = ${other.team.id}`);
  const before = await mails();
  approvalPath(await other.maker.post(path, values));
  assert.equal(await mails(), before + 1);
});

test('where a key may be used is shown to whoever may read keys, decides, or asked', async () => {
  const keys = `${shop.base}/developers/keys`;
  const form = { kind: 'secret', addresses: '192.0.2.7' };
  const path = approvalPath(await shop.owner.submit(`${keys}/new`, keys, form));
  const reader = await signedIn(api, 'read_only', shop.team);
  for (const [person, sees] of [
    [shop.owner, true],
    [shop.checker, true],
    [reader, false],
  ] as const) {
    const { status, text } = await person.get(path);
    assert.deepEqual([status, text.includes('192.0.2.7')], [200, sees]);
  }
});

test('approvals are forgotten 400 days after they were asked for', async () => {
  const other = await openShop(api);
  const payment = await sale(other);
  const [old, kept] = [await askRefund(other, payment, '11000'), await askRefund(other, payment, '12000')];
  const age = (path: string, days: number) =>
    api.control.run(sql`
      update approvals set asked_at = now() - ${days}::integer * interval '1 day' where id = ${path.split('/').at(-1)}`);
  await age(old, 401);
  await age(kept, 399);
  await forgetPeopleSweep(api.deps).round();
  assert.equal((await other.checker.get(old)).status, 404);
  assert.equal((await other.checker.get(kept)).status, 200);
});

test('so many wait that nobody could look at them: no more are asked for', async () => {
  const other = await openShop(api);
  const payment = await sale(other);
  const path = await askRefund(other, payment);
  await api.control.run(sql`
    insert into approvals (id, team_id, environment, kind, operation, permission, form_key, body_sealed, amount_minor, currency, asked_by,
      asked_session, expires_at)
    select id || n, team_id, environment, kind, operation, permission, form_key || n, body_sealed, amount_minor, currency, asked_by,
      asked_session, expires_at
    from approvals, generate_series(1, 99) n where id = ${path.split('/').at(-1)}`);
  const { path: form, values } = await refundForm(other, other.maker, payment, '20001');
  const refused = await other.maker.post(form, values);
  assert.deepEqual([refused.status, /decide on those first/.test(refused.text)], [429, true]);
});
