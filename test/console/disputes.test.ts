import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openDispute } from '../../src/core/disputes/service.ts';
import { type Api, startApi } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';
import { formToken, type Person, type Shown, signedIn } from './people.ts';

let api: Api;
let support: Person;
let base: string;

before(async () => {
  api = await startApi();
  support = await signedIn(api, 'support');
  base = `/console/${api.team.id}/sandbox/disputes`;
});
after(() => api.stop());

const disputeAt = async (page: string) => (await api.call('GET', `/disputes/${page.split('/').at(-1)}`)).body.dispute;

/** The form in the contents of a page; the frame has others. */
function tokenOf({ text }: Shown): Record<string, string> {
  return formToken(text.slice(text.indexOf('<main')));
}

/** Opens a dispute about a payment. @returns the path of its page, and the payment */
async function disputed(amount = 25_000): Promise<{ page: string; payment: string }> {
  const payment = await paid(api, { amount });
  const store = api.deps.stores.sandbox.of(api.team.id);
  const { id } = await openDispute(api.deps, store, { team_id: api.team.id, payment_id: payment, reason: 'fraudulent' });
  return { page: `${base}/${id}`, payment };
}

const GOOD = {
  explanation: 'Two baskets of mangoes,\r\ndelivered <b>by hand</b>.',
  delivered_on: '2026-11-20',
  tracking_number: '',
  documents: 'https://shop.example/receipt.pdf\r\nhttps://shop.example/note.jpg',
};

test('the list has how long there is to answer, in words, and links to the payment', async () => {
  assert.match((await support.get(base)).text, /No disputes/);
  const { page, payment } = await disputed();
  const { text } = await support.get(base);
  assert.ok(text.includes(page) && text.includes(`/payments/${payment}"`));
  assert.match(text, /in 7 days|in 6 days/);
  assert.match((await support.get(`${base}?status=won`)).text, /No dispute matches/);
  assert.ok((await support.get(`${base}?payment=${payment}`)).text.includes(page));
  const shown = (await support.get(`/console/${api.team.id}/sandbox/payments/${payment}`)).text;
  assert.ok(shown.includes(`href="${page}"`), 'the payment leads to its dispute');
});

test('evidence is submitted once; what is rejected is beside its field with what was typed', async () => {
  const { page } = await disputed();
  const wrong: [Record<string, string>, string][] = [
    [{ explanation: ' ' }, 'explanation'],
    [{ documents: 'javascript:alert(1)' }, 'documents'],
    [{ documents: 'https://shop.example/a '.repeat(21) }, 'documents'],
  ];
  for (const [changes, field] of wrong) {
    const { status, text } = await support.submit(page, `${page}/evidence`, { ...GOOD, ...changes });
    assert.equal(status, 422);
    assert.ok(text.includes(`id="f-${field}-error"`) && text.includes('value="2026-11-20"'));
  }
  assert.deepEqual([(await disputeAt(page)).status, (await disputeAt(page)).evidence], ['needs_response', null]);
  const token = tokenOf(await support.get(page));
  assert.equal((await support.post(`${page}/evidence`, { ...token, ...GOOD })).to, `${page}?done=evidence`);
  const { status, evidence } = await disputeAt(page);
  assert.equal(status, 'under_review');
  assert.deepEqual(evidence, {
    explanation: 'Two baskets of mangoes,\ndelivered <b>by hand</b>.',
    delivered_on: '2026-11-20',
    documents: ['https://shop.example/receipt.pdf', 'https://shop.example/note.jpg'],
  });
  const shown = await support.get(`${page}?done=evidence`);
  assert.ok(shown.text.includes('delivered &lt;b&gt;by hand') && !shown.text.includes('<b>by hand'));
  const again = await support.post(`${page}/evidence`, { ...token, ...GOOD, explanation: 'Another' });
  assert.equal(again.status, 400);
  assert.match(again.text, /not possible any more/);
  assert.deepEqual((await disputeAt(page)).evidence, evidence);
});

test('a dispute is accepted when its amount was typed, with a fresh factor', async () => {
  const { page } = await disputed(12_500);
  for (const confirm of ['', '12,500', '1250', 'yes', page]) {
    const { status, text } = await support.submit(`${page}/accept`, `${page}/accept`, { confirm });
    assert.equal(status, 422, confirm);
    assert.ok(text.includes('id="f-confirm-error"'));
  }
  await api.control.run({
    text: `update console_sessions set proved_at = proved_at - interval '1 hour' where user_id = $1`,
    values: [support.id],
  });
  const token = tokenOf(await support.get(page));
  const stale = await support.post(`${page}/accept?from=${page}/accept`, { ...token, confirm: '12500' });
  assert.deepEqual([stale.status, /<h1>Confirm it is you/.test(stale.text)], [403, true]);
  assert.equal((await disputeAt(page)).status, 'needs_response');
  await api.control.run({ text: 'update console_sessions set proved_at = now() where user_id = $1', values: [support.id] });
  const done = await support.submit(`${page}/accept`, `${page}/accept`, { confirm: '12 500' });
  assert.equal(done.to, `${page}?done=accept`);
  assert.equal((await disputeAt(page)).status, 'lost');
  assert.equal((await support.get(`${page}/accept`)).to, page);
});

test('who reads only sees no form; an answer that is late is said to be', async () => {
  const { page } = await disputed();
  const reader = await signedIn(api, 'read_only');
  const { text } = await reader.get(page);
  assert.ok(!/<main[\s\S]*<form/.test(text) && !text.includes('/accept"'));
  for (const action of ['evidence', 'accept']) {
    assert.equal((await reader.post(`${page}/${action}`, { ...formToken(text), ...GOOD, confirm: '25000' })).status, 403);
  }
  assert.equal((await disputeAt(page)).status, 'needs_response');
  const due = (left: string) =>
    api.deps.stores.sandbox.db.run({ text: 'update disputes set due_at = now() + $1::interval', values: [left] });
  for (const [left, words] of [
    ['47 hours 30 minutes', /in 47 hours/],
    ['59 minutes 30 seconds', /in 59 minutes/],
  ] as const) {
    await due(left);
    assert.match((await reader.get(page)).text, words);
  }
  await due('-1 minute');
  for (const path of [page, base]) assert.match((await reader.get(path)).text, /The time to answer is over/);
  const other = await signedIn(api, 'owner', (await api.newMerchant()).team);
  assert.equal((await other.get(page)).status, 404);
});
