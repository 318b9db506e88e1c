import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { consolePagesOf } from '../../src/edge/console/pages.ts';
import { fundSandbox } from '../../src/core/transfers/fund.ts';
import { sql } from '../../src/kit/sql.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { hashPassword } from '../../src/tenants/people/passwords.ts';
import { newTotp } from '../../src/tenants/people/totp.ts';
import { type Api, startApi } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';
import { type Person, type Shown, signedIn } from './people.ts';

const PASSWORD = 'correct horse battery';

let api: Api;
let owner: Person;
let base: string;

before(async () => {
  api = await startApi();
  owner = await withPassword();
  base = `/console/${api.team.id}/sandbox`;
  await fundSandbox(api.deps, api.deps.stores.sandbox.of(api.team.id), api.team.id, 'XAF', 100_000_00n, WORKER);
});
after(() => api.stop());

/** An owner who can present a password. */
async function withPassword(): Promise<Person> {
  const person = await signedIn(api, 'owner');
  await api.control.run(sql`update users set password = ${await hashPassword(PASSWORD)} where id = ${person.id}`);
  return person;
}

async function expire(person: Person): Promise<void> {
  await api.control.run(sql`update console_sessions set proved_at = now() - interval '11 minutes' where user_id = ${person.id}`);
}

const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };

/** Hidden fields of the first form in the contents of a page, in their order, as a browser reads them. */
function hiddenOf({ text }: Shown): [string, string][] {
  const form = /<form[\s\S]*?<\/form>/.exec(text.slice(text.indexOf('<main')))?.[0] ?? '';
  const plain = (value: string) => value.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] as string);
  return [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name = '', value = '']) => [
    name,
    plain(value),
  ]);
}

/** Where the first form of a page is sent. */
function actionOf({ text }: Shown): string {
  return /<form[^>]* action="([^"]+)"/.exec(text.slice(text.indexOf('<main')))?.[1]?.replaceAll('&amp;', '&') ?? '';
}

/** The page that asks for the factor instead of the action, with what was typed. */
function assertAsks(shown: Shown, path: string, typed: readonly [string, string][], status = 403): void {
  assert.equal(shown.status, status);
  assert.match(shown.text, /name="_password"/);
  assert.equal(actionOf(shown), path);
  assert.deepEqual(hiddenOf(shown), typed);
}

const refundsOf = async (payment: string) =>
  (await api.call('GET', `/payments/${payment}/refunds`)).body.items as { amount: number; reason: string }[];

describe('an action whose factor has expired keeps what was typed', () => {
  test('a refund', async () => {
    const payment = await paid(api);
    const form = `${base}/payments/${payment}/refund`;
    const opened = hiddenOf(await owner.get(form));
    const typed: [string, string][] = [...opened, ['amount', '1 500'], ['reason', 'duplicate']];
    await expire(owner);
    const path = `${form}?from=${encodeURIComponent(form)}`;
    const asked = await owner.post(path, typed);
    assertAsks(asked, path, typed);
    const wrong = await owner.post(path, [...hiddenOf(asked), ['_password', 'wrong horse <battery>']]);
    assertAsks(wrong, path, typed, 422);
    assert.ok(!wrong.text.includes('wrong horse'), 'no secret is repeated');
    const stranger = await withPassword();
    const stolen = await stranger.post(path, [...hiddenOf(asked), ['_password', PASSWORD]]);
    assert.deepEqual([stolen.status, stolen.text.includes('1 500')], [403, false]);
    assert.deepEqual(await refundsOf(payment), []);

    const sent = [...hiddenOf(asked), ['_password', PASSWORD]] as [string, string][];
    const both = await Promise.all([owner.post(path, sent), owner.post(path, sent)]);
    const again = await owner.post(path, typed);
    for (const { to } of [...both, again]) assert.equal(to, `${base}/payments/${payment}?done=refund`);
    const made = (await refundsOf(payment)).map(({ amount, reason }) => [amount, reason]);
    assert.deepEqual(made, [[1500, 'duplicate']]);
  });

  test('a payout', async () => {
    const opened = hiddenOf(await owner.get(`${base}/payouts/new`));
    const ama = {
      name: 'Ama Ngono',
      channel: 'cm.mtn',
      number: '650 00 00 00',
      amount: '12 500',
      currency: 'XAF',
      reference: 'P-1',
    };
    const shown = await owner.post(`${base}/payouts/new`, [...opened, ...Object.entries(ama)]);
    assert.equal(shown.status, 200);
    const [path, typed] = [actionOf(shown), hiddenOf(shown)];
    assert.ok(path.startsWith(`${base}/payouts/send`));
    await expire(owner);
    const asked = await owner.post(path, typed);
    assertAsks(asked, path, typed);
    const made = async () => (await api.call('GET', '/transfers?search=P-1')).body.items as { amount: number }[];
    assert.deepEqual(await made(), []);
    const sent = [...hiddenOf(asked), ['_password', PASSWORD]] as [string, string][];
    const both = await Promise.all([owner.post(path, sent), owner.post(path, sent)]);
    assert.equal(new Set(both.map(({ to }) => to)).size, 1);
    assert.deepEqual(
      (await made()).map(({ amount }) => amount),
      [12_500],
    );
  });

  test('a key, of which rights are sent more than once', async () => {
    const keys = `${base}/developers/keys`;
    const opened = hiddenOf(await owner.get(`${keys}/new`));
    const typed: [string, string][] = [
      ...opened,
      ['kind', 'restricted'],
      ['scopes', 'resource.read'],
      ['scopes', 'refund.write'],
      ['addresses', '203.0.113.7, 203.0.113.8'],
    ];
    const made = () =>
      api.control.all<{ kind: string; scopes: string[]; ips: number }>(sql`
        select kind, scopes, cardinality(allowed_ips) as ips from api_keys where idempotency_key is not null`);
    await expire(owner);
    const asked = await owner.post(keys, typed);
    assertAsks(asked, keys, typed);
    assert.deepEqual(await made(), []);
    const shown = await owner.post(keys, [...hiddenOf(asked), ['_password', PASSWORD]]);
    assert.match(shown.text, /sk_test\.|rk_test\./);
    await owner.post(keys, typed);
    assert.deepEqual(await made(), [{ kind: 'restricted', scopes: ['resource.read', 'refund.write'], ips: 2 }]);
  });
});

test('a form that is submitted twice with one code is carried out once, and neither answer says that it failed', async () => {
  const person = await withPassword();
  const { sealed, secret } = newTotp(api.deps.secrets, { id: person.id, email: 'codes@shop.example' });
  await api.control.run(sql`update users set totp_sealed = ${sealed} where id = ${person.id}`);
  const payment = await paid(api);
  const path = `${base}/payments/${payment}/refund`;
  const typed: [string, string][] = [...hiddenOf(await person.get(path)), ['amount', '1500'], ['reason', 'duplicate']];
  await expire(person);
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const sent: [string, string][] = [...typed, ['_password', PASSWORD], ['_code', code]];
  const answers = await Promise.all([person.post(path, sent), person.post(path, sent), person.post(path, sent)]);
  for (const { to } of answers) assert.equal(to, `${base}/payments/${payment}?done=refund`);
  assert.equal((await refundsOf(payment)).length, 1);

  await expire(person);
  const replayed = await person.post(path, sent);
  assert.deepEqual([replayed.status, replayed.text.includes('name="_password"')], [422, true], 'the code is used up');
});

test('every action of a team that needs a fresh factor asks for it with all that was typed, writes nothing, and then runs', async () => {
  const person = await withPassword();
  const live = `/console/${api.team.id}/live`;
  const token = hiddenOf(await person.get(`${live}/settings`)).filter(([name]) => name === '_form');
  const typed: [string, string][] = [
    ...token,
    ['note', ' <b>"l\u2019été"</b> & co\r\nligne 2 '],
    ['email', 'not an address'],
    ['list', 'a'],
    ['list', 'b'],
    ['empty', ''],
  ];
  const written = async () => {
    const counts = [api.control, api.deps.stores.live.db].map((db) =>
      db.all<{ n: number }>(sql`select count(*)::integer as n from audit_entries where starts_with(actor_id, ${person.id})`),
    );
    return (await Promise.all(counts)).map(([row]) => row?.n);
  };
  const actions = consolePagesOf(api.deps).filter((page) => page.who === 'team' && page.method === 'POST' && page.fresh);
  assert.ok(actions.length > 25, `${actions.length} actions`);
  for (const { path: pattern } of actions) {
    const path = `${live}${pattern.replace(/:\w+/g, 'nothing')}?from=${encodeURIComponent(`${live}/payments`)}`;
    await expire(person);
    const before = await written();
    const asked = await person.post(path, typed);
    assertAsks(asked, path, typed);
    assert.deepEqual(await written(), before, path);
    const done = await person.post(path, [...hiddenOf(asked), ['_password', PASSWORD]]);
    assert.ok(!done.text.includes('name="_password"'), path);
    assert.ok(done.status < 500, `${done.status} ${path}`);
  }
});

test('no form of a team has a secret that the page would repeat', async () => {
  for (const page of consolePagesOf(api.deps)) {
    if (page.who !== 'team' || page.method !== 'GET' || page.path.includes(':')) continue;
    const { text } = await owner.get(`${base}${page.path}`);
    assert.ok(!text.includes('type="password"'), page.path);
  }
});

test('a form of one’s own account, whose fields are secrets, is opened again after the confirmation', async () => {
  const person = await withPassword();
  const opened = hiddenOf(await person.get('/console/account/password'));
  await expire(person);
  const secret = { password: 'a new horse battery', again: 'a new horse battery' };
  const shown = await person.post('/console/account/password?from=/console/account/password', [
    ...opened,
    ...Object.entries(secret),
  ]);
  assert.equal(shown.to, '/console/confirm?to=%2Fconsole%2Faccount%2Fpassword');
});
