import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { formToken, type Person, signedIn } from './people.ts';

const DAY_MS = 86_400_000;
const KEY = /\b[spr]k(?:_test)?\.[0-9A-Za-z]{43}\b/;

const clock = new FakeClock();
let api: Api;
let owner: Person;
let keys: string;

before(async () => {
  api = await startApi({ clock });
  keys = `/console/${api.team.id}/sandbox/developers/keys`;
  owner = await signedIn(api, 'owner');
});
after(() => api.stop());

const stored = async () =>
  (await api.control.all<{ n: number }>({ text: 'select count(*)::integer as n from api_keys', values: [] }))[0]?.n;

const accepts = async (key: string, path = '/channels') => (await api.call('GET', path, { key })).status;

/** Creates a key by the form and returns its text and id. */
async function made(person: Person, values: Record<string, string>, page = keys): Promise<{ key: string; id: string }> {
  const { status, text } = await person.submit(`${page}/new`, page, values);
  assert.equal(status, 200, text);
  const key = KEY.exec(text)?.[0];
  const id = /developers\/keys\/(key_[0-9a-z_]+)"/.exec(text)?.[1];
  assert.ok(key && id);
  return { key, id };
}

async function actions(id: string): Promise<string[]> {
  const rows = await api.control.all<{ action: string; actor: string; actor_id: string }>({
    text: 'select action, actor, actor_id from audit_entries where resource_id = $1 order by id',
    values: [id],
  });
  return rows.map(({ action, actor, actor_id }) => `${action} ${actor} ${actor_id.split(':')[0]}`);
}

test('a key is shown once, works, and one form makes one, however often it is submitted', async () => {
  const form = { ...formToken((await owner.get(`${keys}/new`)).text), kind: 'secret' };
  const before = await stored();
  const answers = await Promise.all([owner.post(keys, form), owner.post(keys, form)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  assert.equal((await owner.post(keys, form)).status, 409);
  assert.equal(await stored(), (before ?? 0) + 1);
  const text = answers.find(({ status }) => status === 200)?.text ?? '';
  const key = KEY.exec(text)?.[0] ?? '';
  assert.equal(await accepts(key, '/payments'), 200);
  const id = /keys\/(key_test_[0-9a-z]+)"/.exec(text)?.[1] ?? '';
  for (const page of [keys, `${keys}/${id}`]) {
    const shown = (await owner.get(page)).text;
    assert.ok(!shown.includes(key) && shown.includes(`sk_test.…${key.slice(-4)}`), page);
  }
  assert.deepEqual(await actions(id), [`key.create user ${owner.id}`]);
});

test('a restricted key has its scopes, addresses and last day', async () => {
  const day = new Date(clock.now() + 40 * DAY_MS).toISOString().slice(0, 10);
  const values = { kind: 'restricted', scopes: 'resource.read', addresses: '127.0.0.1, 10.0.0.0/8', expires: day };
  const { key, id } = await made(owner, values);
  assert.deepEqual([await accepts(key), await accepts(key, '/payments')], [200, 403]);
  const { text } = await owner.get(`${keys}/${id}`);
  for (const shown of ['resource.read', '127.0.0.1', '10.0.0.0/8']) assert.ok(text.includes(`<code>${shown}</code>`), shown);
  const elsewhere = await made(owner, { kind: 'restricted', scopes: 'resource.read', addresses: '10.0.0.1' });
  assert.equal(await accepts(elsewhere.key), 403);
  const [row] = await api.control.all<{ expires_at: Date }>({
    text: 'select expires_at from api_keys where id = $1',
    values: [id],
  });
  assert.equal(row?.expires_at.toISOString(), new Date(Date.parse(day) + DAY_MS).toISOString());
});

test('a form with faults makes no key, and shows each beside its field', async () => {
  const before = await stored();
  const wrong: [string, Record<string, string>][] = [
    ['kind', { kind: 'master' }],
    ['scopes', { kind: 'restricted' }],
    ['scopes', { kind: 'restricted', scopes: 'everything' }],
    ['scopes', { kind: 'secret', scopes: 'payment.read' }],
    ['addresses', { kind: 'secret', addresses: '10.0.0.0/8 shop.example' }],
    ['addresses', { kind: 'secret', addresses: 'fe80::1%eth0' }],
    ['expires', { kind: 'secret', expires: '2026-02-30' }],
    ['expires', { kind: 'secret', expires: '2020-01-01' }],
    ['expires', { kind: 'secret', expires: '9999-01-01' }],
  ];
  for (const [name, values] of wrong) {
    const { status, text } = await owner.submit(`${keys}/new`, keys, values);
    assert.equal(status, 422, JSON.stringify(values));
    assert.ok(text.includes(`id="f-${name}-error"`), JSON.stringify(values));
  }
  assert.equal(await stored(), before);
});

test('a key never may do more than its maker: developers in live make none that moves money', async () => {
  const developer = await signedIn(api, 'developer');
  const live = `/console/${api.team.id}/live/developers/keys`;
  const form = (await developer.get(`${live}/new`)).text;
  assert.ok(
    !/value="(?:secret|public)"/.test(form) && !form.includes('value="payment.write"') && form.includes('value="payment.read"'),
  );
  const before = await stored();
  for (const values of [{ kind: 'secret' }, { kind: 'public' }, { kind: 'restricted', scopes: 'refund.write' }]) {
    const { status, text } = await developer.submit(`${live}/new`, live, values);
    assert.equal(status, 403, values.kind);
    assert.match(text, /class="alert bad"/);
  }
  assert.equal(await stored(), before);
  const theirs = await made(developer, { kind: 'restricted', scopes: 'webhook.write' }, live);
  assert.match(theirs.key, /^rk\./);
  const { id } = await made(owner, { kind: 'secret' }, live);
  const rolled = await developer.submit(`${live}/new`, `${live}/${id}/roll`, { overlap: '7d' });
  assert.equal(rolled.status, 403);
  const page = `${live}/${id}`;
  assert.equal((await developer.submit(page, `${page}/deactivate`)).status, 303);
  assert.equal((await developer.submit(page, `${page}/activate`)).status, 403);
  assert.deepEqual(await actions(id), [`key.create user ${owner.id}`, `key.deactivate user ${developer.id}`]);
});

test('a key is deactivated, activated, and revoked after its end was typed', async () => {
  const { key, id } = await made(owner, { kind: 'secret' });
  const page = `${keys}/${id}`;
  assert.equal((await owner.submit(page, `${page}/deactivate`)).to, `${page}?done=deactivate`);
  clock.advance(1_000); // Keys are remembered for less than a second.
  assert.equal(await accepts(key), 401);
  assert.equal((await owner.submit(page, `${page}/activate`)).to, `${page}?done=activate`);
  clock.advance(1_000);
  assert.equal(await accepts(key), 200);
  assert.equal((await owner.submit(`${page}/revoke`, `${page}/revoke`, { confirm: 'abcde' })).status, 422);
  assert.equal(await accepts(key), 200);
  assert.equal((await owner.submit(`${page}/revoke`, `${page}/revoke`, { confirm: key.slice(-4) })).to, `${page}?done=revoke`);
  clock.advance(1_000);
  assert.equal(await accepts(key), 401);
  assert.equal((await owner.submit(keys, `${page}/activate`)).status, 409);
  assert.equal(await accepts(key), 401);
  const done = ['create', 'deactivate', 'activate', 'revoke'].map((name) => `key.${name} user ${owner.id}`);
  assert.deepEqual(await actions(id), done);
});

test('keys of the other environment and of other teams are not found', async () => {
  const { id } = await made(owner, { kind: 'secret' });
  assert.equal((await owner.get(`/console/${api.team.id}/live/developers/keys/${id}`)).status, 404);
  const other = (await api.newMerchant()).team;
  const neighbour = await signedIn(api, 'owner', other);
  const there = `/console/${other.id}/sandbox/developers/keys`;
  assert.equal((await neighbour.get(`${there}/${id}`)).status, 404);
  for (const action of ['deactivate', 'revoke', 'roll']) {
    assert.equal((await neighbour.submit(`${there}/new`, `${there}/${id}/${action}`, { overlap: '1h' })).status, 404, action);
  }
  assert.deepEqual(await actions(id), [`key.create user ${owner.id}`]);
});

test('without a fresh factor nothing is changed, and the person is asked for one', async () => {
  const admin = await signedIn(api, 'admin');
  const form = { ...formToken((await admin.get(`${keys}/new`)).text), kind: 'secret' };
  await api.control.run({
    text: `update console_sessions set proved_at = now() - interval '11 minutes' where user_id = $1`,
    values: [admin.id],
  });
  const before = await stored();
  const { status, text } = await admin.post(`${keys}?from=${encodeURIComponent(`${keys}/new`)}`, form);
  assert.deepEqual([status, /<h1>Confirm it is you/.test(text)], [403, true]);
  assert.equal(await stored(), before);
  assert.equal((await admin.get(keys)).status, 200);
});

// Last: it advances the clock, by which sessions are no longer fresh.
test('a rolled key is valid for the overlap beside the new one, which has the same rights', async () => {
  const { key, id } = await made(owner, { kind: 'restricted', scopes: 'resource.read', addresses: '127.0.0.1' });
  const page = `${keys}/${id}`;
  assert.equal((await owner.submit(`${page}/roll`, `${page}/roll`, { overlap: 'for ever' })).status, 422);
  const form = { ...formToken((await owner.get(`${page}/roll`)).text), overlap: '24h' };
  const answers = await Promise.all([owner.post(`${page}/roll`, form), owner.post(`${page}/roll`, form)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  const fresh = KEY.exec(answers.map(({ text }) => text).join())?.[0] ?? '';
  assert.match(fresh, /^rk_test\./);
  assert.deepEqual([await accepts(fresh), await accepts(fresh, '/payments'), await accepts(key)], [200, 403, 200]);
  assert.deepEqual(await actions(id), [`key.create user ${owner.id}`, `key.roll user ${owner.id}`]);
  clock.advance(DAY_MS - 60_000);
  assert.deepEqual([await accepts(fresh), await accepts(key)], [200, 200]);
  clock.advance(61_000);
  assert.deepEqual([await accepts(fresh), await accepts(key)], [200, 401]);
});
