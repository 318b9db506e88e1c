import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { changeDispute, getDispute, openDispute } from '../../src/core/disputes/service.ts';
import { sql } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { type Api, type Merchant, startApi } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';

let api: Api;
before(async () => {
  api = await startApi();
});
after(() => api.stop());

async function disputed(amount = 25_000): Promise<{ merchant: Merchant; key: string; payment: string; id: string }> {
  const merchant = await api.newMerchant();
  const key = merchant.sandbox.secret;
  const payment = await paid(api, { key, amount });
  const row = await openDispute(api.deps, api.deps.stores.sandbox, {
    team_id: merchant.team.id,
    payment_id: payment,
    reason: 'fraudulent',
  });
  return { merchant, key, payment, id: row.id };
}

async function books({ team }: Merchant): Promise<Record<string, number>> {
  const balances = await readBalances(api.deps.stores.sandbox.db, team.id, 'XAF');
  return Object.fromEntries([...balances].map(([name, amount]) => [name, Number(amount) / 100]));
}

const decide = ({ merchant, id }: { merchant: Merchant; id: string }, won: boolean) =>
  changeDispute(
    api.deps,
    api.deps.stores.sandbox,
    { team_id: merchant.team.id, id },
    won ? 'provider_decided_won' : 'provider_decided_lost',
  );

test('opening a dispute moves the money to disputed; a shortfall is advanced as credit', async () => {
  const { merchant, key, id, payment } = await disputed();
  const { available, disputed: aside, credit } = await books(merchant);
  assert.deepEqual([available, aside, credit], [0, 25_000, -500]);
  const { body } = await api.call('GET', `/disputes/${id}`, { key });
  assert.deepEqual([body.dispute.status, body.dispute.amount, body.dispute.payment], ['needs_response', 25_000, payment]);
  assert.match(id, /^dsp_test_/);
  assert.equal(body.dispute.sandbox, true);
});

test('a won dispute returns the money, and the credit is repaid', async () => {
  const dispute = await disputed();
  assert.equal((await decide(dispute, true)).status, 'won');
  const { available, disputed: aside, credit } = await books(dispute.merchant);
  assert.deepEqual([available, aside, credit], [24_500, 0, 0]);
});

test('a lost dispute removes the money', async () => {
  const dispute = await disputed();
  assert.equal((await decide(dispute, false)).status, 'lost');
  const { available, disputed: aside, credit, clearing } = await books(dispute.merchant);
  assert.deepEqual([available, aside, credit, clearing], [0, 0, -500, 0]);
});

test('200 evidence sets the status to under review, accepting loses the dispute; 400 after that', async () => {
  const { key, id } = await disputed();
  const evidence = await api.call('POST', `/disputes/${id}/evidence`, {
    key,
    body: { evidence: { receipt: 'https://shop.example/r/1' } },
  });
  assert.deepEqual([evidence.status, evidence.body.dispute.status], [200, 'under_review']);
  const accept = await api.call('POST', `/disputes/${id}/accept`, { key });
  assert.deepEqual([accept.status, accept.body.dispute.status], [200, 'lost']);
  assert.equal((await api.call('POST', `/disputes/${id}/accept`, { key })).status, 400);
  assert.equal((await api.call('POST', `/disputes/${id}/evidence`, { key, body: { evidence: { a: 1 } } })).status, 400);
});

test('400 for evidence after its time; the dispute can still be accepted', async () => {
  const { key, id, merchant } = await disputed();
  await api.deps.stores.sandbox.db.run(
    sql`update disputes set due_at = pirogue_now() - interval '1 second' where id = ${id} and team_id = ${merchant.team.id}`,
  );
  const evidence = await api.call('POST', `/disputes/${id}/evidence`, { key, body: { evidence: { a: 1 } } });
  assert.deepEqual([evidence.status, evidence.body.message], [400, 'The time to send evidence is over.']);
  assert.equal((await api.call('POST', `/disputes/${id}/accept`, { key })).body.dispute.status, 'lost');
});

test('evidence is accepted until the moment at which its time is over', async () => {
  const { id, merchant } = await disputed();
  const store = api.deps.stores.sandbox;
  const ref = { team_id: merchant.team.id, id };
  const due = (await getDispute(store, ref.team_id, id)).due_at as Date;
  const send = (at: number) =>
    changeDispute({ clock: { ...api.deps.clock, now: () => at } }, store, ref, 'evidence_sent', { evidence: { a: 1 } });
  await assert.rejects(send(due.getTime()), /The time to send evidence is over/);
  assert.equal((await send(due.getTime() - 1)).status, 'under_review');
});

test('422 for evidence that is missing or too large', async () => {
  const { key, id } = await disputed();
  for (const body of [{}, { evidence: null }, { evidence: 'x' }, { evidence: { text: 'x'.repeat(17_000) } }]) {
    const answer = await api.call('POST', `/disputes/${id}/evidence`, { key, body });
    assert.equal(answer.status, 422);
    assert.ok(answer.body.errors.evidence);
  }
});

test('404 for a dispute of another team or of the other environment', async () => {
  const { id } = await disputed();
  for (const key of [api.keys.sandbox.secret, api.keys.live.secret]) {
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/accept'],
    ]) {
      const answer = await api.call(method as string, `/disputes/${id}${path}`, { key });
      assert.deepEqual([answer.status, answer.body.message], [404, 'Resource Not Found']);
    }
  }
});

test('a payment has one open dispute at a time, and never more disputed than was paid', async () => {
  const { merchant, payment } = await disputed();
  const again = openDispute(api.deps, api.deps.stores.sandbox, {
    team_id: merchant.team.id,
    payment_id: payment,
    reason: 'fraudulent',
  });
  await assert.rejects(again, /in a dispute already/);
});

test('a dispute is of a payment that exists, and of no more than was not refunded', async () => {
  const { team, sandbox } = await api.newMerchant();
  const key = sandbox.secret;
  const payment_id = await paid(api, { key });
  const open = (opening: object) =>
    openDispute(api.deps, api.deps.stores.sandbox, { team_id: team.id, payment_id, reason: 'fraudulent', ...opening });
  await assert.rejects(open({ payment_id: 'trx_test_nothing' }), /Payment Not Found/);
  await api.call('POST', '/refunds', { key, body: { payment: payment_id, amount: 10_000, reason: 'duplicate' } });
  await assert.rejects(open({ amount_minor: 1_500_001n }), { status: 422 });
});

test('a dispute of a part of a payment takes that part, and a withdrawn one returns it', async () => {
  const merchant = await api.newMerchant();
  const key = merchant.sandbox.secret;
  const payment_id = await paid(api, { key });
  const store = api.deps.stores.sandbox;
  const { id } = await openDispute(api.deps, store, {
    ...{ team_id: merchant.team.id, payment_id, reason: 'fraudulent' },
    amount_minor: 1_000_000n,
  });
  const before = await books(merchant);
  assert.deepEqual([before.available, before.disputed, before.credit ?? 0], [14_500, 10_000, 0]);
  const { status } = await changeDispute(api.deps, store, { team_id: merchant.team.id, id }, 'withdrawn');
  const { available, disputed: aside } = await books(merchant);
  assert.deepEqual([status, available, aside], ['closed', 24_500, 0]);
});

test('events: dispute.created, dispute.updated and dispute.closed, each with the data that GET returns', async () => {
  const { key, id } = await disputed();
  await api.call('POST', `/disputes/${id}/evidence`, { key, body: { evidence: { a: 1 } } });
  await api.call('POST', `/disputes/${id}/accept`, { key });
  const events = (await api.call('GET', '/events?per_page=100', { key })).body.items.filter(
    (event: { data: { id: string } }) => event.data.id === id,
  );
  assert.deepEqual(events.map((event: { event: string }) => event.event).reverse(), [
    'dispute.created',
    'dispute.updated',
    'dispute.closed',
  ]);
  assert.deepEqual(events[0].data, (await api.call('GET', `/disputes/${id}`, { key })).body.dispute);
});
