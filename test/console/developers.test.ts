import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { type Receiver, startReceiver } from '../setup/receiver.ts';
import { formToken, type Person, signedIn } from './people.ts';

let api: Api;
let receiver: Receiver;
let developer: Person;
let base: string;

before(async () => {
  receiver = await startReceiver();
  api = await startApi();
  base = `/console/${api.team.id}/sandbox/developers`;
  developer = await signedIn(api, 'developer');
});
after(async () => {
  await api.stop();
  await receiver.close();
});

const endpoints = async () => (await api.call('GET', '/webhooks')).body.items as { id: string; url: string; events: string[] }[];

/** Registers an endpoint by the API. */
async function endpointAt(path: string): Promise<string> {
  const { status, body } = await api.call('POST', '/webhooks', { body: { url: `${receiver.url}${path}` } });
  assert.equal(status, 201);
  return body.webhook.id;
}

test('what changes where events go needs a fresh factor', async () => {
  const late = await signedIn(api, 'developer');
  const id = await endpointAt('/late');
  const token = formToken((await late.get(`${base}/endpoints`)).text);
  await api.control.run({
    text: `update console_sessions set proved_at = pirogue_now() - interval '11 minutes' where user_id = $1`,
    values: [late.id],
  });
  const changes: Record<string, Record<string, string>> = {
    '': { url: `${receiver.url}/elsewhere` },
    [`/${id}/edit`]: { url: `${receiver.url}/elsewhere` },
    [`/${id}/rotate`]: {},
    [`/${id}/delete`]: {},
  };
  for (const [path, fields] of Object.entries(changes)) {
    const { status, text } = await late.post(`${base}/endpoints${path}`, { ...token, ...fields });
    assert.deepEqual([status, /<h1>Confirm it is you/.test(text)], [403, true], path);
  }
  const urls = (await endpoints()).map(({ url }) => url);
  assert.deepEqual([urls.includes(`${receiver.url}/late`), urls.includes(`${receiver.url}/elsewhere`)], [true, false]);
  assert.equal((await api.call('DELETE', `/webhooks/${id}`)).status, 200);
});

test('adding an endpoint shows its secret once, and one form adds one', async () => {
  const form = { ...formToken((await developer.get(`${base}/endpoints/new`)).text), api_version: '2026-08-01' };
  const wanted = { ...form, url: `${receiver.url}/added`, description: '<b>shop</b>', events: 'payment.*' };
  const made = await developer.post(`${base}/endpoints`, wanted);
  assert.equal(made.status, 200);
  const secret = /whsec_[0-9A-Za-z]{43}/.exec(made.text)?.[0];
  assert.ok(secret);
  const again = await developer.post(`${base}/endpoints`, wanted);
  assert.equal(again.status, 303);
  const added = (await endpoints()).filter(({ url }) => url === wanted.url);
  assert.deepEqual(
    added.map(({ events }) => events),
    [['payment.*']],
  );
  assert.equal(again.to, `${base}/endpoints/${added[0]?.id}?done=again`);
  const page = (await developer.get(again.to)).text;
  assert.ok(!page.includes(secret) && page.includes('&lt;b&gt;shop&lt;/b&gt;') && !page.includes('<b>shop</b>'));
  const { rows } = await audited(added[0]?.id ?? '');
  assert.deepEqual(rows, [['webhook.create', 'user']]);
});

async function audited(resource: string) {
  const rows = await api.deps.stores.sandbox.db.all<{ action: string; actor: string; actor_id: string }>({
    text: 'select action, actor, actor_id from audit_entries where resource_id = $1 order by id',
    values: [resource],
  });
  for (const { actor_id } of rows) assert.ok(actor_id.startsWith(`${developer.id}:ses_`));
  return { rows: rows.map(({ action, actor }) => [action, actor]) };
}

test('what the API rejects is shown beside its field, with what was typed', async () => {
  const before = (await endpoints()).length;
  const wrong = { url: 'http://shop.example/hook', description: 'kept text', events: 'payment.*', api_version: '2026-08-01' };
  const submit = (values: Record<string, string>) => developer.submit(`${base}/endpoints/new`, `${base}/endpoints`, values);
  const { status, text } = await submit(wrong);
  assert.equal(status, 422);
  assert.match(text, /value="http:\/\/shop\.example\/hook"[^>]*aria-invalid="true"/);
  assert.match(text, /value="kept text"/);
  assert.match(text, /value="payment\.\*" checked/);
  const { events: _, ...none } = wrong;
  assert.match((await submit(none)).text, /id="f-events-error"/);
  assert.equal((await endpoints()).length, before);
});

test('an endpoint is changed, deactivated and deleted', async () => {
  const id = await endpointAt('/edited');
  const page = `${base}/endpoints/${id}`;
  const values = { url: `${receiver.url}/moved`, events: 'refund.*', description: '', api_version: '2026-08-01' };
  const edited = await developer.submit(`${page}/edit`, `${page}/edit`, values);
  assert.equal(edited.to, `${page}?done=edit`);
  const { webhook } = (await api.call('GET', `/webhooks/${id}`)).body;
  assert.deepEqual([webhook.url, webhook.events, webhook.active], [values.url, ['refund.*'], false]);
  const inactive = await developer.submit(page, `${page}/test`);
  assert.equal(inactive.status, 400);
  assert.match(inactive.text, /class="alert bad"[^>]*>The webhook endpoint is not active\./);
  const gone = await developer.submit(`${page}/delete`, `${page}/delete`);
  assert.equal(gone.to, `${base}/endpoints?done=delete`);
  assert.equal((await api.call('GET', `/webhooks/${id}`)).status, 404);
  assert.equal((await developer.get(page)).status, 404);
});

test('an endpoint for which too many deliveries wait says so, and since when', async () => {
  const page = `${base}/endpoints/${await endpointAt('/full')}`;
  assert.doesNotMatch((await developer.get(page)).text, /too many deliveries wait/);
  await api.deps.stores.sandbox.db.run(sql`
    update webhook_endpoints set backlog_full_since = '2026-08-01T10:30:00Z' where url = ${`${receiver.url}/full`}`);
  const { text } = await developer.get(page);
  assert.match(text, /class="alert bad"[^>]*>Since [^<]*10:30[^<]* \(UTC\) new events are not queued for this endpoint/);
  assert.match((await developer.get(`${base}/endpoints`)).text, /Backlog full/);
});

test('rotating shows a new secret, with which the next delivery is signed', async () => {
  const id = await endpointAt('/rotated');
  const page = `${base}/endpoints/${id}`;
  const { text } = await developer.submit(`${page}/rotate`, `${page}/rotate`);
  const secret = /whsec_[0-9A-Za-z]{43}/.exec(text)?.[0];
  assert.ok(secret);
  assert.equal((await developer.submit(page, `${page}/test`)).to, `${page}?done=test`);
  const received = await until(
    async () => receiver.received.find(({ path }) => path === '/rotated'),
    (one) => one !== undefined,
  );
  const { createHmac } = await import('node:crypto');
  const { 'x-service-timestamp': at, 'x-service-signature': signature } = received?.headers ?? {};
  const expected = createHmac('sha256', secret)
    .update(`${at}.`)
    .update(received?.body ?? '')
    .digest('hex');
  assert.equal(signature, `v1=${expected}`);
});

test('a delivery shows what was sent, what was answered and how long it took; an event is sent again once', async () => {
  receiver.behave((response) => void response.writeHead(503).end('<closed> until noon'), '/closed');
  const id = await endpointAt('/closed');
  const { body } = await api.call('POST', '/customers', { body: { name: 'Awa Ndiaye', email: 'awa@payer.example' } });
  const shown = await until(
    async () => (await developer.get(`${base}/endpoints/${id}`)).text,
    (text) => /#whd_/.test(text),
  );
  assert.match(shown, /<span class="badge bad">503<\/span>/);
  assert.match(shown, /Next attempt:/);
  const [, path = ''] = /href="([^"]+\/events\/evt_[^"#]+)#whd_/.exec(shown) ?? [];
  const event = (await developer.get(path)).text;
  assert.ok(event.includes(body.customer.id) && event.includes('&lt;closed&gt; until noon') && / \d+ ms/.test(event));
  receiver.behave(200, '/closed');
  const sent = () => receiver.received.filter((one) => one.path === '/closed').length;
  const before = sent();
  const token = formToken(event);
  const answers = await Promise.all([developer.post(`${path}/resend`, token), developer.post(`${path}/resend`, token)]);
  assert.deepEqual(
    answers.map(({ to }) => to),
    [`${path}?done=resend`, `${path}?done=resend`],
  );
  await until(
    async () => sent(),
    (count) => count > before,
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(sent(), before + 1);
});

test('events are filtered by type and day, and those of the other environment are not shown', async () => {
  const { body } = await api.call('POST', '/customers', { body: { name: 'Moussa Diop', email: 'moussa@payer.example' } });
  const about = (query: string) => developer.get(`${base}/events?${query}`).then(({ text }) => text.includes(body.customer.id));
  assert.equal(await about('type=customer.created'), true);
  assert.equal(await about('type=payment.created'), false);
  assert.equal(await about('date_to=2020-01-01'), false);
  const wrong = await developer.get(`${base}/events?date_from=2026-02-02&date_to=2026-02-01`);
  assert.equal(wrong.status, 200);
  assert.match(wrong.text, /class="alert bad"/);
  const live = await developer.get(`/console/${api.team.id}/live/developers/events`);
  assert.match(live.text, /No events yet/);
});

test('those who only read see endpoints and events, without what changes them', async () => {
  const id = await endpointAt('/read');
  const reader = await signedIn(api, 'read_only');
  const { status, text } = await reader.get(`${base}/endpoints/${id}`);
  assert.equal(status, 200);
  assert.ok(!/\/(?:edit|rotate|delete|test)"/.test(text));
  assert.match((await reader.get(`${base}/events`)).text, /webhooks?|customer\.created/i);
  assert.equal((await reader.get(base)).to, `${base}/endpoints`);
});
