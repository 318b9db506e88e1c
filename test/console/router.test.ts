import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ENVIRONMENTS, type Environment } from '../../src/kit/environment.ts';
import { sql } from '../../src/kit/sql.ts';
import type { ConsolePage } from '../../src/edge/console/page.ts';
import { consolePagesOf } from '../../src/edge/console/pages.ts';
import { isPermitted, PERMISSIONS, ROLES } from '../../src/tenants/people/roles.ts';
import type { Team } from '../../src/tenants/teams/schema.ts';
import { type Api, startApi } from '../setup/api.ts';
import { compareGolden } from '../setup/golden.ts';
import { formToken, Person, signedIn } from './people.ts';

let api: Api;
let other: Team;

before(async () => {
  api = await startApi();
  other = (await api.newMerchant()).team;
});
after(() => api.stop());

type TeamPage = Extract<ConsolePage, { who: 'team' }>;

function teamPages(): TeamPage[] {
  return consolePagesOf(api.deps).filter((page): page is TeamPage => page.who === 'team');
}

/** A path with something in place of its parameters. */
function pathOf(page: TeamPage, team: Team, environment: Environment): string {
  return `/console/${team.id}/${environment}${page.path.replace(/:\w+/g, 'nothing')}`;
}

test('the table of roles and permissions is the written one', () => {
  const mark = (role: (typeof ROLES)[number], permission: (typeof PERMISSIONS)[number]) => {
    const [sandbox, live] = ENVIRONMENTS.map((environment) => isPermitted(role, permission, environment));
    return sandbox && live ? 'both' : sandbox ? 'sandbox' : live ? 'live' : '-';
  };
  const rows = PERMISSIONS.map((permission) => [permission.padEnd(22), ...ROLES.map((role) => mark(role, permission).padEnd(9))]);
  const text = [['permission'.padEnd(22), ...ROLES.map((role) => role.padEnd(9))], ...rows];
  compareGolden(
    'roles.txt',
    text.map((row) => row.join(' ').trimEnd()),
  );
});

test('every page and action of a team: each role, another team, signed out', async () => {
  const people = await Promise.all(
    ROLES.map(async (role) => {
      const person = await signedIn(api, role);
      return { role, person, token: formToken((await person.get(`/console/${api.team.id}/sandbox/payments`)).text) };
    }),
  );
  for (const page of teamPages()) {
    for (const environment of ENVIRONMENTS) {
      const at = (team: Team) => pathOf(page, team, environment);
      const call = (person: Person, path: string, token: Record<string, string>) =>
        page.method === 'GET' ? person.get(path) : person.post(path, token);
      const stranger = new Person(api.url);
      const signedOut = await call(stranger, at(api.team), {});
      if (page.method === 'GET') assert.match(signedOut.to ?? '', /^\/console\/sign-in\?to=/, at(api.team));
      else assert.equal(signedOut.status, 403, at(api.team));
      for (const { role, person, token } of people) {
        const foreign = await call(person, at(other), token);
        assert.equal(foreign.status, 404, `${role} ${page.method} ${at(other)}`);
        assert.ok(!foreign.text.includes(other.name) || other.name === api.team.name);
        if (isPermitted(role, page.permission, environment)) continue;
        const refused = await call(person, at(api.team), token);
        assert.equal(refused.status, 403, `${role} ${page.method} ${at(api.team)}`);
      }
    }
  }
});

test('an action needs one of our own forms, of this browser and this session', async () => {
  const owner = await signedIn(api, 'owner');
  const page = `/console/${api.team.id}/sandbox/payments`;
  const { text } = await owner.get(page);
  const good = { ...formToken(text), language: 'fr', to: page };
  assert.equal((await owner.post('/console/language', { language: 'fr', to: page })).status, 403);
  assert.equal((await owner.post('/console/language', good, { 'sec-fetch-site': 'cross-site' })).status, 403);
  const neighbour = await signedIn(api, 'owner');
  assert.equal((await neighbour.post('/console/language', good)).status, 403);
  const done = await owner.post('/console/language', good);
  assert.deepEqual([done.status, done.to], [303, page]);
  assert.match((await owner.get(page)).text, /<html lang="fr">/);
});

test('a form that is sent after its session has ended says so', async () => {
  const owner = await signedIn(api, 'owner');
  const people = `/console/${api.team.id}/sandbox/people`;
  const token = formToken((await owner.get(people)).text);
  await api.control.run(sql`update console_sessions set revoked_at = pirogue_now() where user_id = ${owner.id}`);
  const shown = await owner.post(`${people}/invitations/nothing/withdraw`, token);
  assert.equal(shown.status, 403);
  assert.match(shown.text, /You are signed out: sign in and repeat what you did\./);
});

test('text that the database cannot store is refused, wherever it is sent', async () => {
  const stranger = new Person(api.url);
  const token = formToken((await stranger.get('/console/sign-in')).text);
  const open: [string, Record<string, string>][] = [
    ['/console/sign-in', { email: 'ama\0@shop.example', password: 'correct horse battery' }],
    ['/console/sign-in/code', { half: 'usr_\0.1.x', code: '123456' }],
    ['/console/reset', { email: 'ama\0@shop.example' }],
  ];
  for (const [path, values] of open) assert.equal((await stranger.post(path, { ...token, ...values })).status, 400, path);
  const owner = await signedIn(api, 'owner');
  const people = `/console/${api.team.id}/sandbox/people`;
  const own = formToken((await owner.get(people)).text);
  assert.equal((await owner.post(`${people}/invitations/%00/withdraw`, own)).status, 400);
  assert.equal((await owner.post('/console/account/sessions', { ...own, session: '\0' })).status, 400);
  assert.equal((await owner.get(`${people}?done=%00`)).status, 400);
});

test('of a form, as many fields are read as any of ours has: more only take the time of others', async () => {
  const stranger = new Person(api.url);
  const token = formToken((await stranger.get('/console/sign-in')).text);
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, '']));
  const send = (count: number) => stranger.post('/console/language', { ...fields(count), ...token, language: 'fr' });
  assert.deepEqual([(await send(500)).status, (await send(1_000)).status], [303, 403]);
});

test('a form that is larger than any of ours is rejected before a page repeats it', async () => {
  const quotes = (count: number) => "'".repeat(count);
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
  const sizes: [path: string, bytes: number, status: number][] = [
    ['/console/sign-in', 10_000, 422],
    ['/console/sign-in', 100_000, 400],
    ['/console/account/sessions', 100_000, 400],
    [`/console/${api.team.id}/sandbox/payouts/new`, 250_000, 403],
    [`/console/${api.team.id}/sandbox/payouts/new`, 400_000, 422],
    [`/console/${api.team.id}/sandbox/payouts/new`, 1_000_000, 400],
    [`/console/${api.team.id}/sandbox/payouts/bulk`, 250_000, 403],
    [`/console/${api.team.id}/sandbox/payouts/bulk`, 2_000_000, 422],
    [`/console/${api.team.id}/sandbox/payouts/bulk`, 3_000_000, 400],
  ];
  const owner = await signedIn(api, 'owner');
  await api.control.run(sql`update console_sessions set proved_at = now() - interval '11 minutes' where user_id = ${owner.id}`);
  const own = formToken((await owner.get('/console/account')).text);
  const stranger = new Person(api.url);
  const open = formToken((await stranger.get('/console/sign-in')).text);
  for (const [path, bytes, status] of sizes) {
    const [person, token] = path === '/console/sign-in' ? [stranger, open] : [owner, own];
    const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    // Sent as it is: a browser would encode the quotes.
    const body = `${new URLSearchParams(token)}&email=${quotes(bytes)}`;
    const shown = await fetch(new URL(path, api.url), { method: 'POST', headers: { ...form, cookie }, body });
    const text = await shown.text();
    assert.equal(shown.status, status, `${path} ${bytes}`);
    if (status !== 403 && path !== '/console/sign-in') assert.ok(text.length < 50_000 && text.includes('<h1'), path);
  }
});

test('the choice of a language leads back to a page, also where only a form leads', async () => {
  const owner = await signedIn(api, 'owner');
  const base = `/console/${api.team.id}/sandbox`;
  const token = formToken((await owner.get(`${base}/payments`)).text);
  const shown: [path: string, to: string][] = [
    ['/payments/trx_nothing/cancel?x=a/b', '/payments/trx_nothing'],
    ['/approvals/apv_nothing/approve', '/approvals/apv_nothing'],
    ['/people/invitations/nothing/withdraw', '/people'],
    ['/payments/trx_nothing/refund', '/payments/trx_nothing/refund'],
    [`/payments/trx_nothing/cancel?from=${encodeURIComponent(`${base}/payments`)}`, '/payments'],
  ];
  for (const [path, to] of shown) {
    const { status, text } = await owner.post(base + path, token);
    assert.ok(status >= 400, path);
    assert.equal(/name="to" value="([^"]*)"/.exec(text)?.[1], base + to, path);
  }
});

test('a form leads only to paths of the console', async () => {
  const owner = await signedIn(api, 'owner');
  const page = `/console/${api.team.id}/sandbox/payments`;
  const hostile = [
    '//evil.example',
    'https://evil.example/console/',
    '/\\evil.example',
    '/console/\\..\\..',
    '/consolery',
    '/console/../x',
  ];
  for (const to of [...hostile, '/console/%2e%2e/pay', '/console/..//evil.example']) {
    const { text } = await owner.get(page);
    const { to: led } = await owner.post('/console/language', { ...formToken(text), language: 'en', to });
    assert.match(led ?? '', /^\/console\//, to);
  }
});

test('a session ends when it is revoked, idle or old, and when its user is disabled', async () => {
  const page = `/console/${api.team.id}/sandbox/payments`;
  const ends = {
    revoked: `update console_sessions set revoked_at = now() where user_id = $1`,
    idle: `update console_sessions set seen_at = now() - interval '3 hours' where user_id = $1`,
    old: `update console_sessions set ends_at = now() where user_id = $1`,
    disabled: `update users set disabled_at = now() where id = $1`,
  };
  for (const [name, text] of Object.entries(ends)) {
    const owner = await signedIn(api, 'owner');
    assert.equal((await owner.get(page)).status, 200);
    await api.control.run({ text, values: [owner.id] });
    assert.match((await owner.get(page)).to ?? '', /sign-in/, name);
  }
});

test('pages are compressed for browsers that accept it', async () => {
  const owner = await signedIn(api, 'owner');
  const page = `/console/${api.team.id}/sandbox/payments`;
  const plain = await owner.get(page);
  assert.equal(plain.headers.get('content-encoding'), null);
  for (const encoding of ['br', 'gzip']) {
    const { headers, text } = await owner.get(page, { 'accept-encoding': encoding });
    assert.deepEqual([headers.get('content-encoding'), text.includes('<h1')], [encoding, plain.text.includes('<h1')]);
  }
});

test('pages load nothing from elsewhere, are not framed and not cached', async () => {
  const owner = await signedIn(api, 'owner');
  const { headers, text } = await owner.get(`/console/${api.team.id}/sandbox/payments`);
  const policy = headers.get('content-security-policy') ?? '';
  for (const part of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"])
    assert.ok(policy.includes(part));
  assert.ok(!policy.includes('unsafe'));
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('x-frame-options'), 'DENY');
  assert.ok(!/\s(?:style|on\w+)="/.test(text), 'the policy would drop it');
});
