import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { changeDispute, openDispute } from '../../src/core/disputes/service.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';
import { type Receiver, startReceiver } from '../setup/receiver.ts';
import { formToken, type Person, signedIn } from './people.ts';

let api: Api;
let receiver: Receiver;
let finance: Person;
let base: string;

before(async () => {
  receiver = await startReceiver();
  api = await startApi();
  base = `/console/${api.team.id}/sandbox`;
  finance = await signedIn(api, 'finance');
});
after(async () => {
  await api.stop();
  await receiver.close();
});

const refundsOf = async (payment: string) => (await api.call('GET', `/payments/${payment}/refunds`)).body.items;

describe('one payment', () => {
  test('shows amounts, payer, and a timeline of charge, postings, events and requests', async () => {
    const id = await paid(api, {
      fields: { reference: 'order-7', metadata: { table: '<i>4</i>' }, items: [{ name: 'Mangues', quantity: 2 }] },
    });
    const { status, text } = await finance.get(`${base}/payments/${id}`);
    assert.equal(status, 200);
    for (const shown of ['25,000', 'order-7', '&lt;i&gt;4&lt;/i&gt;', '2 × Mangues', '+237650000000'])
      assert.ok(text.includes(shown), shown);
    for (const shown of [
      'Payment created',
      'Payment succeeded',
      'Charge on MTN',
      'Why this provider',
      'The money was collected.',
    ]) {
      assert.ok(text.includes(shown), shown);
    }
    assert.ok(!text.includes('<i>4</i>'));
    const journals = await api.deps.stores.sandbox.db.all<{ kind: string }>({
      text: 'select kind from journals where subject_id = $1',
      values: [id],
    });
    assert.ok(journals.length > 0);
    for (const { kind } of journals) assert.ok(text.includes(`<code>${kind}</code>`), kind);
    assert.match(text, /<code>payment\.charge<\/code> by API key/);
    assert.match(text, /request <span class="id" data-copy="req_/);
    assert.match(text, /\/pay\/[^"]+\/receipt"/);
  });

  test('an amount that a provider reported in what is no currency is shown as it was reported', async () => {
    const id = await paid(api);
    const mismatch = { amount_minor: '2550', currency: 'FCFA<i>', provider_ref: 'r-1', at: new Date().toISOString() };
    await api.deps.stores.sandbox.db.run({
      text: 'update attempts set mismatch = $2 where payment_id = $1',
      values: [id, JSON.stringify(mismatch)],
    });
    const { status, text } = await finance.get(`${base}/payments/${id}`);
    assert.equal(status, 200);
    assert.match(text, /25\.50 FCFA&lt;i&gt; arrived instead/);
  });

  test('a payment without a choice says what it waits for', async () => {
    const { body } = await api.call('POST', '/payments', { body: { amount: 900, currency: 'XAF', phone: '+237650000000' } });
    const waits = (await finance.get(`${base}/payments/${body.transaction.id}`)).text;
    assert.match(waits, /The payer has not chosen how to pay yet/);
    assert.match(waits, /Cancel payment/);
    assert.ok(!waits.includes('/refund"'));
  });

  test('404 for another environment, another team and an invented id', async () => {
    const id = await paid(api);
    const { team, sandbox } = await api.newMerchant();
    const foreign = await paid(api, { key: sandbox.secret });
    assert.equal((await finance.get(`/console/${api.team.id}/live/payments/${id}`)).status, 404);
    assert.equal((await finance.get(`${base}/payments/${foreign}`)).status, 404);
    assert.equal((await finance.get(`${base}/payments/nothing`)).status, 404);
    const owner = await signedIn(api, 'owner', team);
    assert.equal((await owner.get(`/console/${team.id}/sandbox/payments/${foreign}`)).status, 200);
  });

  test('who lacks the permission sees neither the audit trail nor the buttons', async () => {
    const id = await paid(api);
    const support = await signedIn(api, 'support');
    const reader = await signedIn(api, 'read_only');
    const asSupport = (await support.get(`${base}/payments/${id}`)).text;
    assert.ok(!asSupport.includes('payment.charge') && !asSupport.includes('req_'), 'requests belong to the audit trail');
    assert.match(asSupport, /\/refund"/);
    const asReader = (await reader.get(`${base}/payments/${id}`)).text;
    assert.match(asReader, /Payment succeeded/);
    assert.ok(!asReader.includes('/refund"') && !/<main[\s\S]*<form method="post"/.test(asReader));
    const token = formToken(asReader);
    for (const action of ['refund', 'cancel']) {
      assert.equal(
        (await reader.post(`${base}/payments/${id}/${action}`, { ...token, reason: 'duplicate' })).status,
        403,
        action,
      );
    }
    assert.deepEqual(await refundsOf(id), []);
  });
});

describe('a refund', () => {
  const form = (id: string) => `${base}/payments/${id}/refund`;

  test('of one form that was shown is made once, however often it is submitted', async () => {
    const id = await paid(api);
    const { text } = await finance.get(form(id));
    assert.match(text, /name="amount"[^>]*value="25000"/);
    const values = { ...token(text), amount: '10 000', reason: 'duplicate' };
    const [first, second] = await Promise.all([finance.post(form(id), values), finance.post(form(id), values)]);
    const again = await finance.post(form(id), values);
    for (const { status, to } of [first, second, again]) {
      assert.deepEqual([status, to], [303, `${base}/payments/${id}?done=refund`]);
    }
    assert.deepEqual(
      (await refundsOf(id)).map(({ amount, reason }: { amount: number; reason: string }) => [amount, reason]),
      [[10_000, 'duplicate']],
    );
    const page = (await finance.get(`${base}/payments/${id}?done=refund`)).text;
    assert.match(page, /The refund was created/);
    assert.match(page, /Refund succeeded/);
    assert.match(page, /<code>refund\.create<\/code> by you/);
    const owner = await signedIn(api, 'owner');
    assert.match((await owner.get(`${base}/payments/${id}`)).text, /<code>refund\.create<\/code> by finance person/);
  });

  test('that the API rejects is shown with its form, the fault beside the field and what was typed', async () => {
    const id = await paid(api);
    const much = await finance.submit(form(id), form(id), { amount: '30000', reason: 'duplicate' });
    assert.equal(much.status, 422);
    assert.match(much.text, /id="f-amount-error">is more than what is left to refund</);
    assert.match(much.text, /name="amount"[^>]*value="30000"/);
    assert.match(much.text, /<option value="duplicate" selected>/);
    for (const amount of ['25,000', '-5', '1e3', 'all', '10.001']) {
      const odd = await finance.submit(form(id), form(id), { amount, reason: 'duplicate' });
      assert.equal(odd.status, 422, amount);
      assert.match(odd.text, /id="f-amount-error">is not an amount/, amount);
    }
    const reason = await finance.submit(form(id), form(id), { amount: '5', reason: 'because' });
    assert.match(reason.text, /id="f-reason-error"/);
    assert.deepEqual(await refundsOf(id), []);
    await finance.submit(form(id), form(id), { amount: '', reason: 'duplicate' });
    const gone = await finance.submit(form(id), form(id), { amount: '', reason: 'duplicate' });
    assert.equal(gone.status, 400);
    assert.match(gone.text, /class="alert bad"[^>]*>The payment is refunded and cannot be refunded/);
    assert.equal((await refundsOf(id)).length, 1);
  });

  const amountOf = (text: string) => Number(/name="amount"[^>]*value="([^"]*)"/.exec(text)?.[1]);

  /** Stores a refund of 10,000 that is processing, with these parts. */
  async function storeRefund(payment: string, kind: 'merchant' | 'giveback', parts: [amount: number, status: string][]) {
    const { db } = api.deps.stores.sandbox;
    const [attempt] = await db.all<{ id: string }>(sql`select id from attempts where payment_id = ${payment}`);
    const id = newId('rfd', 'sandbox', Date.now());
    const legs = parts.map(([amount, status], n) => {
      return {
        attempt_id: attempt?.id,
        amount_minor: String(amount * 100),
        provider_key: `${id}-${n}`,
        provider_ref: null,
        status,
      };
    });
    await db.run(sql`
      insert into refunds (team_id, id, payment_id, kind, legs, amount_minor, currency, status, reason, created_at, updated_at)
      values (${api.team.id}, ${id}, ${payment}, ${kind}, ${JSON.stringify(legs)}, 1000000, 'XAF', 'processing', 'duplicate', now(), now())`);
  }

  test('offers what the API would refund: a part that has succeeded is counted once', async () => {
    const id = await paid(api);
    await storeRefund(id, 'merchant', [
      [6_000, 'succeeded'],
      [4_000, 'sent'],
    ]);
    await api.deps.stores.sandbox.db.run(
      sql`update payments set status = 'partially_refunded', refunded_minor = 600000 where id = ${id}`,
    );
    assert.equal(amountOf((await finance.get(form(id))).text), 15_000);
    const more = await finance.submit(form(id), form(id), { amount: '15001', reason: 'duplicate' });
    assert.match(more.text, /is more than what is left to refund/);
    assert.equal((await finance.submit(form(id), form(id), { amount: '15000', reason: 'duplicate' })).status, 303);
  });

  test('offers the whole payment beside an automatic reversal, which returns other money and is no refund of the same amount', async () => {
    const id = await paid(api);
    await storeRefund(id, 'giveback', [[10_000, 'sent']]);
    assert.equal(amountOf((await finance.get(form(id))).text), 25_000);
    assert.equal((await finance.submit(form(id), form(id), { amount: '10000', reason: 'duplicate' })).status, 303);
    const again = await finance.submit(form(id), form(id), { amount: '10000', reason: 'duplicate' });
    assert.deepEqual([again.status, /name="sure"/.test(again.text)], [422, true]);
  });

  test('needs a fresh proof of the person', async () => {
    const id = await paid(api);
    const person = await signedIn(api, 'support');
    await api.control.run({
      text: `update console_sessions set proved_at = now() - interval '1 hour' where user_id = $1`,
      values: [person.id],
    });
    assert.match((await person.get(form(id))).to ?? '', /^\/console\/confirm\?to=/);
    const sent = await person.submit(`${base}/payments`, `${form(id)}?from=${form(id)}`, { reason: 'duplicate' });
    assert.deepEqual([sent.status, /<h1>Confirm it is you/.test(sent.text)], [403, true]);
    assert.deepEqual(await refundsOf(id), []);
  });
});

test('a pending payment is cancelled, once for each form; of another the page says why not', async () => {
  const { body } = await api.call('POST', '/payments', { body: { amount: 900, currency: 'XAF', phone: '+237650000000' } });
  const page = `${base}/payments/${body.transaction.id}`;
  const { text } = await finance.get(page);
  const done = await finance.post(`${page}/cancel`, token(text));
  assert.deepEqual([done.status, done.to], [303, `${page}?done=cancel`]);
  assert.match((await finance.get(`${page}?done=cancel`)).text, /The payment was cancelled\.[\s\S]*Payment cancelled/);
  assert.equal((await finance.post(`${page}/cancel`, token(text))).to, `${page}?done=cancel`);
  const late = await finance.post(`${base}/payments/${await paid(api)}/cancel`, token(text));
  assert.equal(late.status, 400);
  assert.match(late.text, /class="alert bad"/);
});

test('a dispute is shown, and the refund of a disputed payment says why it is not possible', async () => {
  const payment_id = await paid(api);
  const store = api.deps.stores.sandbox.of(api.team.id);
  const { id } = await openDispute(api.deps, store, { team_id: api.team.id, payment_id, reason: 'fraudulent' });
  const { text } = await finance.get(`${base}/payments/${payment_id}`);
  assert.ok(text.includes(id) && text.includes('Needs an answer') && text.includes('Dispute opened'));
  const form = `${base}/payments/${payment_id}/refund`;
  const refused = await finance.submit(form, form, { amount: '', reason: 'duplicate' });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /in a dispute/);
});

test('what a dispute took is not part of the net amount; what it left, or gave back, is', async () => {
  const store = api.deps.stores.sandbox.of(api.team.id);
  const netOf = async (payment: string) =>
    /<dt>Net<\/dt><dd><strong>([^<]*)</
      .exec((await finance.get(`${base}/payments/${payment}`)).text)?.[1]
      ?.replaceAll(/[^\d.]/g, '');
  const disputed = async (outcome: 'provider_decided_lost' | 'provider_decided_won') => {
    const payment_id = await paid(api);
    const opening = { team_id: api.team.id, payment_id, amount_minor: 1_000_000n, reason: 'fraudulent' };
    const { id } = await openDispute(api.deps, store, opening);
    await changeDispute(api.deps, store, { team_id: api.team.id, id }, outcome);
    return netOf(payment_id);
  };
  // 25,000 less a fee of 500, and 10,000 that were charged back.
  assert.equal(await disputed('provider_decided_lost'), '14500');
  assert.equal(await disputed('provider_decided_won'), '24500');
});

test('an event shows what was sent and what was answered, and is sent again once for each form', async () => {
  const hostile = '<script>alert(1)</script>';
  receiver.behave((response) => response.writeHead(500).end(hostile), '/broken');
  receiver.behave(200, '/working');
  for (const path of ['/broken', '/working']) {
    const made = await api.call('POST', '/webhooks', { body: { url: receiver.url + path, events: ['payment.created'] } });
    assert.equal(made.status, 201, JSON.stringify(made.body));
  }
  const { body } = await api.call('POST', '/payments', { body: { amount: 900, currency: 'XAF', phone: '+237650000000' } });
  const id = body.transaction.id as string;
  await receiver.waitFor(2);
  const page = await until(
    () => finance.get(`${base}/payments/${id}`),
    ({ text }) => /delivered to 1 of 2, next attempt/.test(text),
  );
  const [path = ''] = /\/console\/[^"]+\/events\/evt_[^"]+/.exec(page.text) ?? [];
  const { status, text } = await finance.get(path);
  assert.equal(status, 200);
  for (const shown of [
    `${receiver.url}/broken`,
    `${receiver.url}/working`,
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '&quot;payment.created&quot;',
  ]) {
    assert.ok(text.includes(shown), shown);
  }
  assert.ok(!text.includes(hostile));
  assert.ok(!text.includes('/resend"'), 'finance does not send events');
  const developer = await signedIn(api, 'developer');
  const values = token((await developer.get(path)).text);
  const before = receiver.received.filter((one) => one.path === '/working').length;
  for (let i = 0; i < 3; i++) {
    assert.deepEqual((await developer.post(`${path}/resend`, values)).to, `${path}?done=resend`);
  }
  await until(
    async () => receiver.received.filter((one) => one.path === '/working').length,
    (count) => count === before + 1,
  );
  assert.equal((await finance.get(path.replace(id, await paid(api)))).status, 404, 'an event of another payment');
});

test('the search of the frame leads to what has the id, or to the list', async () => {
  const owner = await signedIn(api, 'owner');
  const id = await paid(api, { fields: { email: 'ama@shop.example', reference: 'R-1' } });
  const { body } = await api.call('POST', '/refunds', { body: { payment: id, reason: 'duplicate', amount: 100 } });
  const { customer } = (await api.call('GET', `/payments/${id}`)).body.transaction;
  const event = (await api.call('GET', '/events?type=refund.succeeded&per_page=1')).body.items[0].id;
  const leads = async (q: string) => (await owner.get(`${base}/search?q=${encodeURIComponent(q)}`)).to;
  assert.equal(await leads(` ${id} `), `${base}/payments/${id}`);
  assert.equal(await leads(body.refund.id), `${base}/payments/${id}`);
  assert.equal(await leads(customer), `${base}/customers/${customer}`);
  assert.equal(await leads(event), `${base}/developers/events/${event}`);
  for (const other of ['R-1', id.replace(/.$/, (last) => (last === '0' ? '1' : '0')), '//evil.example', 'trx_test_../../x']) {
    assert.equal(await leads(other), `${base}/payments?${new URLSearchParams({ search: other })}`, other);
  }
  assert.equal(await leads(''), `${base}/payments`);
});

/** The token of the form in the contents; the frame has others. */
function token(page: string): Record<string, string> {
  return formToken(page.slice(page.indexOf('<main')));
}
