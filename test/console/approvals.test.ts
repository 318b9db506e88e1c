import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type Api, startApi } from '../setup/api.ts';
import { fund } from '../transfers/support.ts';
import {
  askRefund,
  approvalPath,
  decidedOnly,
  countApprovals,
  openShop,
  press,
  refundForm,
  refunds,
  sale,
  type Shop,
  stored,
  trail,
} from './approvals.ts';
import { signedIn } from './people.ts';

let api: Api;
let shop: Shop;

before(async () => {
  api = await startApi();
  shop = await openShop(api);
});
after(() => api.stop());

describe('a refund above the threshold', () => {
  test('waits for a second person, runs once as theirs, and both are in the audit trail', async () => {
    const payment = await sale(shop);
    const path = await askRefund(shop, payment);
    assert.deepEqual(await refunds(shop, payment), []);
    const asked = (await shop.maker.get(path)).text;
    assert.match(asked, /20,000/);
    assert.match(asked, /somebody else decides/);
    assert.ok(!asked.includes('/approve'));
    const seen = (await shop.checker.get(path)).text;
    for (const shown of ['20,000', payment, 'Mado Maker', 'Paid twice', '/approve', '/reject'])
      assert.ok(seen.includes(shown), shown);
    const done = await press(shop.checker, path, 'approve');
    assert.deepEqual([done.status, done.to], [303, `${path}?done=approve`]);
    assert.deepEqual(await refunds(shop, payment), [[20_000, 'duplicate']]);
    const row = await stored(shop, path);
    assert.deepEqual([row.decision, row.decided_by, row.outcome], ['approved', shop.checker.id, 'done']);
    const id = path.split('/').at(-1) ?? '';
    assert.deepEqual(await trail(shop, id), [`approval.ask ${shop.maker.id}`, `approval.approve ${shop.checker.id}`]);
    const entries = await api.deps.stores.sandbox.db.all<{ actor_id: string }>(
      sql`select actor_id from audit_entries where action = 'refund.create' and resource_id = ${row.result}`,
    );
    assert.equal(entries[0]?.actor_id.split(':')[0], shop.checker.id);
    assert.match((await shop.maker.get(path)).text, new RegExp(`Done[\\s\\S]*Chris Checker[\\s\\S]*${row.result}`));
  });

  test('is asked for once for each form, also when the form is sent again after the decision', async () => {
    const payment = await sale(shop);
    const count = await countApprovals(shop);
    const { path: form, values } = await refundForm(shop, shop.maker, payment, '20000');
    const [first, second] = await Promise.all([shop.maker.post(form, values), shop.maker.post(form, values)]);
    const path = approvalPath(first);
    assert.equal(approvalPath(second), path);
    await press(shop.checker, path, 'approve');
    assert.equal(approvalPath(await shop.maker.post(form, values)), path);
    assert.equal(await countApprovals(shop), count + 1);
    assert.equal((await refunds(shop, payment)).length, 1);
  });

  test('runs at once up to the threshold itself, and waits above it', async () => {
    const payment = await sale(shop);
    const equal = await refundForm(shop, shop.maker, payment, '10000');
    assert.equal((await shop.maker.post(equal.path, equal.values)).to, `${shop.base}/payments/${payment}?done=refund`);
    const above = await refundForm(shop, shop.maker, payment, '10001');
    approvalPath(await shop.maker.post(above.path, above.values));
    assert.deepEqual(await refunds(shop, payment), [[10_000, 'duplicate']]);
  });

  test('without an amount is all that is left', async () => {
    const payment = await sale(shop);
    for (const all of [undefined, '0', '']) {
      const { path, values } = await refundForm(shop, shop.maker, payment, '');
      approvalPath(await shop.maker.post(path, { ...values, ...(all === undefined ? {} : { all }) }));
    }
    assert.deepEqual(await refunds(shop, payment), []);
    const { path: form, values } = await refundForm(shop, shop.maker, payment, '');
    // The first one waits with the same amount.
    const path = approvalPath(await shop.maker.post(form, { ...values, sure: 'yes' }));
    await press(shop.checker, path, 'approve');
    assert.deepEqual(await refunds(shop, payment), [[25_000, 'duplicate']]);
  });

  test('that the API would reject for its form is rejected before anybody is asked', async () => {
    const payment = await sale(shop);
    const count = await countApprovals(shop);
    const { path, values } = await refundForm(shop, shop.maker, payment, '20000');
    const wrong = await shop.maker.post(path, { ...values, reason: 'because' });
    assert.deepEqual([wrong.status, /id="f-reason-error"/.test(wrong.text)], [422, true]);
    assert.equal(await countApprovals(shop), count);
  });

  test('of one form moves money once, although the threshold came in between', async () => {
    const other = await openShop(api, null);
    const payment = await sale(other);
    const { path, values } = await refundForm(other, other.maker, payment, '12000');
    assert.match((await other.maker.post(path, values)).to ?? '', /done=refund/);
    await api.control.run(
      sql`insert into approval_thresholds (team_id, currency, above_minor) values (${other.team.id}, 'XAF', 0)`,
    );
    assert.match((await other.maker.post(path, values)).to ?? '', /done=refund/, 'it is answered with what it did');
    assert.deepEqual([await countApprovals(other), (await refunds(other, payment)).length], [0, 1]);
  });

  test('of a form without an amount that ran before the threshold is not asked for, either', async () => {
    const other = await openShop(api, null);
    const payment = await sale(other);
    const { path, values } = await refundForm(other, other.maker, payment, '');
    const empty = { ...values, all: '0' };
    assert.match((await other.maker.post(path, empty)).to ?? '', /done=refund/);
    await api.control.run(
      sql`insert into approval_thresholds (team_id, currency, above_minor) values (${other.team.id}, 'XAF', 0)`,
    );
    assert.match((await other.maker.post(path, empty)).to ?? '', /done=refund/);
    assert.deepEqual([await countApprovals(other), (await refunds(other, payment)).length], [0, 1]);
  });

  test('that a second person rejected is not made by the same form, although the threshold is higher by then', async () => {
    const other = await openShop(api);
    const payment = await sale(other);
    const { path: form, values } = await refundForm(other, other.maker, payment, '12000');
    const path = approvalPath(await other.maker.post(form, values));
    await api.control.run(sql`update approval_thresholds set above_minor = 99999900 where team_id = ${other.team.id}`);
    assert.equal(approvalPath(await other.maker.post(form, values)), path);
    await press(other.checker, path, 'reject');
    assert.equal(approvalPath(await other.maker.post(form, values)), path);
    assert.deepEqual(await refunds(other, payment), []);
  });

  test('needs a second person in every currency without a threshold of its own', async () => {
    const other = await openShop(api, null);
    await api.control.run(
      sql`insert into approval_thresholds (team_id, currency, above_minor) values (${other.team.id}, 'XOF', 99999900)`,
    );
    const payment = await sale(other);
    const { path, values } = await refundForm(other, other.maker, payment, '1');
    approvalPath(await other.maker.post(path, values));
  });
});

describe('a decision', () => {
  test('is never made by whoever asked: neither by the page nor in the database', async () => {
    const payment = await sale(shop);
    const path = await askRefund(shop, payment);
    for (const name of ['approve', 'reject'] as const) {
      const own = await press(shop.maker, path, name);
      assert.deepEqual([own.status, /Nobody decides on what they asked for/.test(own.text)], [403, true]);
    }
    const id = path.split('/').at(-1);
    await assert.rejects(
      api.control.run(sql`
        update approvals set decision = 'approved', decided_by = asked_by, decided_session = 'ses_x', decided_at = now() where id = ${id}`),
      /approvals_second_person/,
    );
    assert.deepEqual(await refunds(shop, payment), []);
  });

  test('by two people at once is one decision and one refund, and stays', async () => {
    const payment = await sale(shop);
    const path = await askRefund(shop, payment);
    // Each browser gets its cookie first.
    await Promise.all([shop.checker, shop.owner].map((person) => person.get(path)));
    const presses = [
      ...[shop.checker, shop.owner, shop.checker, shop.owner].map((by) => [by, 'approve'] as const),
      [shop.owner, 'reject'] as const,
    ];
    const answers = await Promise.all(
      presses.map(async ([by, name]) => ({ who: `${by.id} ${name}`, ...(await press(by, path, name)) })),
    );
    const decided = new Set(answers.filter(({ status }) => status === 303).map(({ who }) => who));
    assert.equal(decided.size, 1);
    for (const { who, status, text } of answers) {
      if (decided.has(who)) assert.equal(status, 303, 'a second press of the same decision');
      else assert.match(text, /Somebody has decided already/);
    }
    const { decision } = await stored(shop, path);
    assert.equal((await refunds(shop, payment)).length, decision === 'approved' ? 1 : 0);
    const id = path.split('/').at(-1);
    await assert.rejects(
      api.control.run(sql`update approvals set decision = 'rejected', decided_by = ${shop.checker.id} where id = ${id}`),
      /is decided/,
    );
  });

  test('against it leaves everything as it is', async () => {
    const payment = await sale(shop);
    const path = await askRefund(shop, payment);
    assert.equal((await press(shop.checker, path, 'reject')).to, `${path}?done=reject`);
    for (const name of ['approve', 'run'] as const) assert.equal((await press(shop.owner, path, name)).status, 409);
    assert.deepEqual(await refunds(shop, payment), []);
    assert.match((await shop.maker.get(path)).text, /It was rejected\. Nothing has happened/);
  });

  test('is not made after three days, nor after whoever asked took it back', async () => {
    const payment = await sale(shop);
    const late = await askRefund(shop, payment);
    await api.control.run(sql`update approvals set expires_at = now() where id = ${late.split('/').at(-1)}`);
    const expired = await press(shop.checker, late, 'approve');
    assert.deepEqual([expired.status, /The time for it is over/.test(expired.text)], [409, true]);
    const taken = await askRefund(shop, payment);
    assert.equal((await press(shop.checker, taken, 'withdraw')).status, 403);
    assert.equal((await press(shop.maker, taken, 'withdraw')).to, `${taken}?done=withdraw`);
    assert.equal((await press(shop.checker, taken, 'approve')).status, 409);
    assert.deepEqual(await refunds(shop, payment), []);
  });

  test('needs a role that may, in this team, and whoever asked still being allowed to', async () => {
    const payment = await sale(shop);
    const path = await askRefund(shop, payment);
    const support = await signedIn(api, 'support', shop.team);
    assert.equal((await press(support, path, 'approve')).status, 403);
    const stranger = await openShop(api);
    const foreign = path.replace(shop.base, stranger.base);
    assert.equal((await stranger.checker.get(foreign)).status, 404);
    assert.equal((await press(stranger.checker, foreign, 'approve')).status, 404);
    assert.equal((await shop.checker.get(path.replace('/sandbox/', '/live/'))).status, 404);
    const gone = await signedIn(api, 'finance', shop.team);
    for (const [i, change] of [
      sql`update memberships set role = 'read_only' where user_id = ${gone.id}`,
      sql`update users set disabled_at = now() where id = ${gone.id}`,
      sql`delete from memberships where user_id = ${gone.id}`,
    ].entries()) {
      await api.control.run(sql`update users set disabled_at = null where id = ${gone.id}`);
      await api.control.run(sql`update memberships set role = 'finance' where user_id = ${gone.id}`);
      const asked = await askRefund(shop, payment, String(15_000 + i), gone);
      await api.control.run(change);
      const refused = await press(shop.checker, asked, 'approve');
      assert.deepEqual([refused.status, /may not do this any more/.test(refused.text)], [409, true]);
      assert.equal((await stored(shop, asked)).decision, null);
    }
    assert.deepEqual(await refunds(shop, payment), []);
  });

  test('needs a fresh factor', async () => {
    const path = await askRefund(shop, await sale(shop));
    const stale = await signedIn(api, 'finance', shop.team);
    await api.control.run(sql`update console_sessions set proved_at = now() - interval '1 hour' where user_id = ${stale.id}`);
    const pressed = await press(stale, path, 'approve');
    assert.deepEqual([pressed.status, /<h1>Confirm it is you/.test(pressed.text)], [403, true]);
    assert.equal((await stored(shop, path)).decision, null);
  });
});

describe('an approved refund', () => {
  test('that the process did not run is run by a button, and by nobody who asked', async () => {
    const payment = await sale(shop);
    const path = await askRefund(shop, payment);
    await decidedOnly(shop, path);
    assert.match((await shop.owner.get(path)).text, /The answer is not known[\s\S]*\/run/);
    assert.equal((await press(shop.maker, path, 'run')).status, 403);
    const [one, two] = await Promise.all([press(shop.owner, path, 'run'), press(shop.checker, path, 'run')]);
    assert.ok([one, two].some(({ status }) => status === 303));
    assert.deepEqual(await refunds(shop, payment), [[20_000, 'duplicate']]);
    assert.equal((await stored(shop, path)).outcome, 'done');
  });

  test('that ran before the process ended is not run again, however late', async () => {
    for (const days of [0, 2]) {
      const payment = await sale(shop);
      const path = await askRefund(shop, payment);
      await decidedOnly(shop, path);
      const row = await api.control.maybe<{ form_key: string }>(
        sql`select form_key from approvals where id = ${path.split('/').at(-1)}`,
      );
      const body = { payment, reason: 'duplicate', amount: 20_000 };
      const ran = await api.call('POST', '/refunds', {
        key: shop.key,
        body,
        headers: { 'Idempotency-Key': row?.form_key ?? '' },
      });
      assert.equal(ran.status, 201);
      await api.deps.stores.sandbox.db.run(sql`
        update idempotency_keys set created_at = created_at - ${days}::integer * interval '1 day' where key = ${row?.form_key}`);
      await press(shop.checker, path, 'run');
      const { outcome, result } = await stored(shop, path);
      // The answer is kept for a day: later it is known that it ran, not what it made.
      assert.deepEqual([outcome, result], ['done', days === 0 ? ran.body.refund.id : null]);
      assert.equal((await refunds(shop, payment)).length, 1);
    }
  });

  test('that the API rejects has failed, with the message, and is not run again', async () => {
    const payment = await sale(shop);
    const path = await askRefund(shop, payment);
    const all = { payment, reason: 'duplicate' };
    assert.equal((await api.call('POST', '/refunds', { key: shop.key, body: all })).status, 201);
    assert.equal((await press(shop.checker, path, 'approve')).status, 303);
    const { decision, outcome, message } = await stored(shop, path);
    assert.deepEqual([decision, outcome], ['approved', 'failed']);
    assert.ok(message);
    const page = (await shop.maker.get(path)).text;
    assert.ok(page.includes('Failed') && page.includes('cannot be refunded'));
    assert.equal((await press(shop.owner, path, 'run')).status, 409);
  });

  test('is not run by somebody whose asker has lost the role meanwhile', async () => {
    const gone = await signedIn(api, 'finance', shop.team);
    const payment = await sale(shop);
    const path = await askRefund(shop, payment, '20000', gone);
    await decidedOnly(shop, path);
    await api.control.run(sql`update memberships set role = 'read_only' where user_id = ${gone.id}`);
    assert.equal((await press(shop.owner, path, 'run')).status, 409);
    assert.deepEqual(await refunds(shop, payment), []);
  });
});

test('lists and the navigation show what waits, to those who may see it', async () => {
  const other = await openShop(api);
  const payment = await sale(other);
  const path = await askRefund(other, payment);
  const count = /<span class="count">1<span class="quiet"> waiting for you/;
  assert.match((await other.checker.get(`${other.base}/payments`)).text, count);
  assert.doesNotMatch((await other.maker.get(`${other.base}/payments`)).text, count);
  assert.match((await other.checker.get(other.base)).text, /Approvals that wait for your decision: 1/);
  const list = (await other.checker.get(`${other.base}/approvals`)).text;
  assert.ok(list.includes(path) && list.includes('20,000') && list.includes('Mado Maker'));
  assert.match(list, /Waits for you/);
  assert.doesNotMatch((await other.maker.get(`${other.base}/approvals`)).text, /Waits for you/);
  await press(other.checker, path, 'reject');
  for (let i = 0; i < 26; i++) await press(other.maker, await askRefund(other, payment, '11000'), 'withdraw');
  const first = (await other.checker.get(`${other.base}/approvals`)).text;
  assert.ok(first.includes('Nothing waits for a second person') && !first.includes(path));
  const next = /rel="next" href="([^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&');
  assert.ok((await other.checker.get(next ?? '')).text.includes(path));
});

test('the navigation counts nothing that the person may not decide on: what they asked for, or their own membership', async () => {
  const other = await openShop(api);
  const people = `${other.base}/people`;
  const second = await signedIn(api, 'owner', other.team, 'Bea Owner');
  approvalPath(await other.owner.submit(people, `${people}/${second.id}/role`, { role: 'admin' }));
  const count = /<span class="count">(\d+)/;
  const seen = async (person: typeof second) => count.exec((await person.get(`${other.base}/approvals`)).text)?.[1] ?? '0';
  assert.deepEqual([await seen(other.owner), await seen(second), await seen(other.checker)], ['0', '0', '1']);
  assert.doesNotMatch((await second.get(other.base)).text, /wait for your decision/);
  assert.doesNotMatch((await second.get(`${other.base}/approvals`)).text, /Waits for you/);
});

test('a payout goes to the recipient as it was when it was asked for, or nowhere', async () => {
  const { team, key, maker, checker, base } = shop;
  await fund(api, team, 100_000);
  const wallet = { name: 'Awa Ngo', channel: 'cm.mtn', phone: '650000000' };
  const { body: made } = await api.call('POST', '/beneficiaries', { key, body: wallet });
  const { id: beneficiary } = made.beneficiary;
  const asked = async () => {
    const to = 'Awa Ngo · +237650000000';
    const values = { beneficiary, to, amount: '20000', currency: 'XAF', reference: 'rent', sure: 'yes' };
    return approvalPath(await maker.submit(`${base}/payouts/new`, `${base}/payouts/send`, values));
  };
  const good = await asked();
  assert.match((await checker.get(good)).text, /Recipient when it was asked for[\s\S]*Awa Ngo/);
  await press(checker, good, 'approve');
  const { outcome, result } = await stored(shop, good);
  assert.deepEqual([outcome, /^po_test_/.test(result ?? '')], ['done', true]);
  // The fee counts for the threshold, and is not paid to the recipient.
  const { transfer } = (await api.call('GET', `/transfers/${result}`, { key })).body;
  assert.deepEqual([transfer.amount, transfer.amount_total > transfer.amount, transfer.reference], [20_000, true, 'rent']);
  const bad = await asked();
  await api.call('PATCH', `/beneficiaries/${beneficiary}`, { key, body: { phone: '677000001' } });
  assert.match((await checker.get(bad)).text, /The recipient has changed since/);
  await press(checker, bad, 'approve');
  assert.equal((await stored(shop, bad)).outcome, 'failed');
  const { body } = await api.call('GET', '/transfers', { key });
  assert.deepEqual(
    body.items.map(({ id }: { id: string }) => id),
    [result],
  );
});
