import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { EVENT_TYPES } from '../../src/money/events/catalogue.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { formToken, type Person, signedIn } from './people.ts';

const REPEATED = /^webhook\.test$|^dispute\.(updated|closed)$|\.(updated|deleted)$/;

let api: Api;
let developer: Person;
let page: string;

before(async () => {
  api = await startApi();
  page = `/console/${api.team.id}/sandbox/developers/sandbox`;
  developer = await signedIn(api, 'developer');
});
after(() => api.stop());

const statusOf = async (id: string) => (await api.call('GET', `/payments/${id}`)).body.transaction.status;
const count = async () => (await api.call('GET', '/payments?page=1')).body.meta.total;

test('the page lists every number and card of docs/sandbox.md', async () => {
  const docs = readFileSync('docs/sandbox.md', 'utf8');
  const { text } = await developer.get(page);
  const endings = [...docs.matchAll(/^\| (\d{6}) \|/gm)].map(([, digits = '']) => digits);
  const cards = [...docs.matchAll(/\d{4} \d{4} \d{4} \d{4}/g)].map(([number]) => number);
  assert.deepEqual([endings.length, cards.length], [6, 9]);
  for (const shown of [...endings, ...cards]) assert.ok(text.includes(`<code>${shown}</code>`), shown);
});

test('a test payment has the outcome of its number, and one form makes one', async () => {
  const outcomes = { '000000': 'succeeded', '000001': 'failed', '000004': 'cancelled' };
  for (const [ending, status] of Object.entries(outcomes)) {
    const form = { ...formToken((await developer.get(page)).text), ending };
    const before = await count();
    const { to } = await developer.post(`${page}/payment`, form);
    const id = /\/payments\/(trx_test_[0-9a-z]+)$/.exec(to ?? '')?.[1] ?? '';
    assert.equal((await developer.post(`${page}/payment`, form)).to, to);
    assert.equal(await count(), before + 1);
    await until(
      () => statusOf(id),
      (now) => now === status,
    );
  }
  const { status, text } = await developer.submit(page, `${page}/payment`, { ending: '123456' });
  assert.equal(status, 422);
  assert.match(text, /id="f-ending-error"/);
});

test('an event of the sandbox needs what causing it needs, and does not exist in live', async () => {
  const support = await signedIn(api, 'support');
  const refused = await support.submit(page, `${page}/event`, { event: 'transfer.created' });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /transfer\.write/);
  const owner = await signedIn(api, 'owner');
  const live = `/console/${api.team.id}/live`;
  const token = formToken((await owner.get(`${live}/payments`)).text);
  assert.equal((await owner.post(`${live}/developers/sandbox/event`, { ...token, event: 'payment.succeeded' })).status, 501);
  const unknown = await owner.submit(page, `${page}/event`, { event: 'constructor' });
  assert.equal(unknown.status, 422);
});

test('advancing the clock lets a payment of the team expire, and none of another team', async () => {
  const body = { amount: 1_000, currency: 'XAF', phone: '+237650000000', expires: { in: 30 } };
  const other = await api.newMerchant();
  const [ours, theirs] = await Promise.all([
    api.call('POST', '/payments', { body }),
    api.call('POST', '/payments', { body, key: other.sandbox.secret }),
  ]);
  assert.equal((await developer.submit(page, `${page}/clock`, { span: '100y' })).status, 422);
  assert.equal((await developer.submit(page, `${page}/clock`, { span: '10m' })).to, `${page}?done=clock`);
  assert.equal(await statusOf(ours.body.transaction.id), 'pending');
  await developer.submit(page, `${page}/clock`, { span: '1h' });
  await until(
    () => statusOf(ours.body.transaction.id),
    (now) => now === 'expired',
  );
  const { id } = theirs.body.transaction;
  assert.equal((await api.call('GET', `/payments/${id}`, { key: other.sandbox.secret })).body.transaction.status, 'pending');
  const entries = await api.deps.stores.sandbox.db.all<{ actor_id: string }>({
    text: `select actor_id from audit_entries where action = 'clock.advance'`,
    values: [],
  });
  assert.equal(entries.length, 2);
  for (const { actor_id } of entries) assert.ok(actor_id.startsWith(`${developer.id}:ses_`));
});

test('a form of the clock that is submitted again, also at the same time, advances it once; with another time it is another advance', async () => {
  const made = await api.call('POST', '/payments', {
    body: { amount: 1_000, currency: 'XAF', phone: '1', expires: { in: 300 } },
  });
  const { id } = made.body.transaction;
  const expiry = async () => Date.parse((await api.call('GET', `/payments/${id}`)).body.transaction.expires_at);
  const before = await expiry();
  const form = formToken((await developer.get(page)).text);
  const submit = (span: string) => developer.post(`${page}/clock`, { ...form, span });
  const answers = [...(await Promise.all([submit('1h'), submit('1h')])), await submit('1h')];
  assert.deepEqual(
    answers.map(({ to }) => to),
    Array(3).fill(`${page}?done=clock`),
  );
  assert.equal(before - (await expiry()), 3_600_000);
  await submit('10m');
  assert.equal(before - (await expiry()), 4_200_000);
});

test('live has neither test payments nor a clock that moves', async () => {
  const owner = await signedIn(api, 'owner');
  const live = page.replace('/sandbox/developers', '/live/developers');
  const { text } = await owner.get(live);
  assert.match(text, /belong to the sandbox/);
  assert.ok(!text.includes('<form method="post" action="/console/') || !text.includes(`${live}/clock`));
  const before = (await api.call('GET', '/payments?page=1', { key: api.keys.live.secret })).body.meta.total;
  for (const [action, values] of [
    ['clock', { span: '31d' }],
    ['payment', { ending: '000000' }],
  ] as const) {
    const refused = await owner.submit(live, `${live}/${action}`, values);
    assert.equal(refused.status, 501, action);
    assert.match(refused.text, /<h1>This cannot be done|Not available in the live environment/);
    assert.ok(!refused.text.includes('on our side'), 'nothing went wrong');
  }
  assert.equal((await api.call('GET', '/payments?page=1', { key: api.keys.live.secret })).body.meta.total, before);
});

test('every event that the sandbox can make happens, and one form makes one', { timeout: 540_000 }, async () => {
  const { text } = await developer.get(page);
  const types = [...text.matchAll(/<option value="([a-z_]+\.[a-z_]+)"/g)].map(([, type]) => type as string);
  assert.deepEqual(
    types,
    [...EVENT_TYPES].filter((type) => types.includes(type)),
  );
  const missing = [...EVENT_TYPES].filter((type) => !types.includes(type) && !/^(invoice|link)\./.test(type));
  assert.deepEqual(missing, ['payment.late_success', 'payment.return_required']);
  const none = await developer.submit(page, `${page}/event`, { event: 'webhook.test' });
  assert.equal(none.status, 422);
  assert.match(none.text, /No webhook endpoint is active/);
  assert.equal((await api.call('POST', '/webhooks', { body: { url: 'https://127.0.0.1:9/hook', events: ['*'] } })).status, 201);
  for (const event of types) {
    const form = { ...formToken(text), event };
    const token = { ...form, ...formToken((await developer.get(page)).text) };
    const { to } = await developer.post(`${page}/event`, token);
    const id = /\/developers\/events\/(evt_test_[0-9a-z]+)$/.exec(to ?? '')?.[1] ?? '';
    assert.equal((await api.call('GET', `/events/${id}`)).body.event.event, event);
    const again = await developer.post(`${page}/event`, token);
    // Changes have no idempotency key: a change that was made before is made again, or is not possible any more.
    if (REPEATED.test(event)) assert.ok(again.status === 303 || again.status === 422, `${event} again: ${again.status}`);
    else assert.equal(again.to, to, `${event} again`);
  }
});
