import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { parsed, pirogue } from '../cli/command.ts';
import { startPage } from '../../src/edge/start-page/view.ts';
import { call, newFolder, type Program, startProgram } from '../ops/program.ts';
import { until } from '../setup/api.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';
import { BROWSER, request, Visitor } from './visitor.ts';

const folders = [newFolder(), newFolder()];
const databases: Databases[] = [];
let local: Program;
let production: Program;
before(async () => {
  for (const _ of folders) databases.push(await cloneDatabases());
  const [dataDir, other] = folders as [string, string];
  local = await startProgram({ dataDir, databases: databases[0] as Databases });
  const env = { PROFILE: 'production', PUBLIC_URL: 'https://pay.example', SECRETS_KEY: randomBytes(32).toString('base64') };
  production = await startProgram({ dataDir: other, databases: databases[1] as Databases, env });
});
after(async () => {
  await Promise.all([local?.stop(), production?.stop()]);
  for (const each of databases) await each.drop();
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
});

const payments = async (): Promise<{ id: string; amount: number; reference: string }[]> =>
  (await call(local.url, local.keys.sandbox.secret, 'GET', '/payments?per_page=100')).body.items;
const TOKEN = /^\/pay\/test_[\w.-]+$/;

test('a browser gets a page that leads on, with a strict policy and nothing from elsewhere', async () => {
  const { status, headers, text } = await new Visitor(`${local.url}/`).open();
  assert.equal(status, 200);
  assert.match(headers['content-type'] as string, /^text\/html/);
  assert.match(
    headers['content-security-policy'] as string,
    /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'self';/,
  );
  assert.doesNotMatch(headers['content-security-policy'] as string, /script|unsafe/);
  assert.equal(headers['cache-control'], 'no-store');
  assert.match(headers['set-cookie']?.[0] as string, /HttpOnly; SameSite=Lax/);
  assert.doesNotMatch(text, /<script|https?:\/\/(?!www\.w3\.org)/);
  assert.match(text, /href="\/docs"/);
  assert.ok(text.includes(path.join(folders[0] as string, 'keys.json')));
  assert.match(text, new RegExp(`teams set ${local.keys.team} --public-keys pay-only`));
  assert.match(text, /href="\/console\/"/);
  for (const key of [...Object.values(local.keys.sandbox), ...Object.values(local.keys.live)]) assert.ok(!text.includes(key));
  for (const link of text.matchAll(/href="(\/[^"]*)"/g)) {
    const { status } = await request(`${local.url}${link[1]}`, 'GET', BROWSER);
    assert.ok(status === 200 || status === 303, `${link[1]} ${status}`);
  }
});

test('a console on a host of its own is linked there, and one that is off is not', () => {
  const scene = { language: 'en', form: null, address: '' } as const;
  assert.match(
    startPage({ ...scene, console: 'https://console.shop.example/console/' }).text,
    /href="https:\/\/console\.shop\.example\/console\/"/,
  );
  assert.doesNotMatch(startPage({ ...scene, console: null }).text, /console/i);
});

test('it speaks the language of the browser, or that of the link', async () => {
  const visitor = new Visitor(`${local.url}/`);
  assert.match((await visitor.open({ 'accept-language': 'fr-CM' })).text, /<html lang="fr">[\s\S]*Faire un paiement de test/);
  const chosen = await request(`${local.url}/?lang=pt`, 'GET', BROWSER);
  assert.match(chosen.text, /<html lang="pt">[\s\S]*Fazer um pagamento de teste/);
});

for (const [who, headers] of [
  ['curl', { accept: '*/*' }],
  ['a caller without Accept', {}],
  ['a JSON client', { accept: 'application/json' }],
  ['a client with a wrong key that accepts HTML', { ...BROWSER, authorization: 'sk_test.wrong' }],
] as const) {
  test(`${who} gets what the API says at /`, async () => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, text } = await request(`${local.url}/`, method, headers);
      assert.deepEqual([status, JSON.parse(text).status], [401, 'Unauthorized'], method);
    }
    assert.equal((await call(local.url, local.keys.sandbox.secret, 'GET', '/')).status, 404);
  });
}

test('HEAD is answered like GET; other methods of a browser are the API’s', async () => {
  const head = await request(`${local.url}/`, 'HEAD', BROWSER);
  assert.deepEqual([head.status, head.text], [200, '']);
  for (const method of ['PUT', 'OPTIONS']) assert.equal((await request(`${local.url}/`, method, BROWSER)).status, 401, method);
});

test('production says the name and nothing more, to everyone', async () => {
  for (const headers of [BROWSER, { ...BROWSER, host: 'pay.example' }]) {
    const { status, headers: sent, text } = await request(`${production.url}/`, 'GET', headers);
    assert.equal(status, 200);
    assert.equal(sent['set-cookie'], undefined);
    const shown = (text.split('<body>')[1] as string).replace(/<[^>]+>/g, ' ');
    assert.equal(shown.trim(), 'Pirogue');
    assert.doesNotMatch(text, /\d+\.\d+\.\d+|href="\/|<form/);
  }
  assert.equal((await new Visitor(`${production.url}/`).press()).status, 401, 'there is no form to send');
});

test('the button creates one sandbox payment of the demo team and leads to its page', async () => {
  const visitor = new Visitor(`${local.url}/`);
  await visitor.open();
  const before = await payments();
  const first = await visitor.press();
  assert.equal(first.status, 303);
  assert.match(first.headers.location as string, TOKEN);
  const page = await request(local.url + first.headers.location, 'GET', BROWSER);
  assert.equal(page.status, 200);
  assert.match(page.text, /25,000/);
  const made = (await payments()).filter(({ id }) => !before.some((earlier) => earlier.id === id));
  assert.deepEqual(
    made.map(({ amount }) => amount),
    [25_000],
  );
});

test('a form that is sent twice, also at once, is one payment; a new form is another', async () => {
  const visitor = new Visitor(`${local.url}/`);
  await visitor.open();
  const before = (await payments()).length;
  const answers = await Promise.all([visitor.press(), visitor.press(), visitor.press()]);
  assert.equal(new Set(answers.map(({ headers }) => headers.location)).size, 1);
  assert.match(answers[0]?.headers.location as string, TOKEN);
  assert.equal((await payments()).length, before + 1);
  await visitor.open();
  await visitor.press();
  assert.equal((await payments()).length, before + 2);
});

test('what does not come from a form of this browser on this machine creates nothing', async () => {
  const visitor = new Visitor(`${local.url}/`);
  await visitor.open();
  const stranger = new Visitor(`${local.url}/`);
  await stranger.open();
  const before = (await payments()).length;
  const attempts = {
    'no cookie': visitor.press({ cookie: '' }),
    'the cookie of another browser': visitor.press({ cookie: stranger.cookie }),
    'no token': visitor.press({}, { form_token: '' }),
    'the token of another form': visitor.press({}, { form_token: stranger.hidden.form_token as string }),
    'another nonce': visitor.press({}, { nonce: 'x'.repeat(22) }),
    'a long nonce': visitor.press({}, { nonce: 'x'.repeat(500) }),
    'a page of another site': visitor.press({ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }),
    'a page of another port': visitor.press({ 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:9' }),
    'a site that rebinds its name': visitor.press({ host: 'evil.example' }),
    'a proxy on this machine': visitor.press({ 'x-forwarded-for': '203.0.113.9' }),
  };
  for (const [what, attempt] of Object.entries(attempts)) {
    const { status, headers } = await attempt;
    assert.deepEqual([status, headers.location], [403, undefined], what);
  }
  const json = await visitor.press({ 'content-type': 'application/json' });
  assert.ok(json.status >= 400 && json.status < 500, String(json.status));
  const long = await visitor.press({}, { more: 'x'.repeat(10_000) });
  assert.ok(long.status >= 400 && long.status < 500, String(long.status));
  assert.equal((await payments()).length, before);
});

for (const [who, headers] of [
  ['a site that rebinds its name', { host: 'evil.example' }],
  ['a name that only begins like ours', { host: 'localhost.evil.example' }],
  ['the address of another machine', { host: '192.168.1.20:8080' }],
  ['a tunnel', { host: '127.0.0.1', 'x-forwarded-host': 'me.tunnel.example' }],
  ['a proxy', { host: '127.0.0.1', via: '1.1 proxy' }],
] as const) {
  test(`${who} gets neither the button nor the place of the keys`, async () => {
    const { status, headers: sent, text } = await new Visitor(`${local.url}/`).open(headers);
    assert.equal(status, 200);
    assert.equal(sent['set-cookie'], undefined);
    assert.doesNotMatch(text, /<form|keys\.json|pay-only/);
    assert.match(text, /href="\/docs"/);
  });
}

test('an unconfigured nginx gets neither: it speaks HTTP/1.0 to a loopback Host, and names no sender', async () => {
  const { port } = new URL(local.url);
  for (const [route, hidden] of [
    ['/', /<form|keys\.json|pay-only/],
    ['/docs', new RegExp(local.keys.sandbox.public)],
  ] as const) {
    const socket = net.connect(Number(port), '127.0.0.1');
    socket.end(`GET ${route} HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\nAccept: text/html\r\nConnection: close\r\n\r\n`);
    const answer = await text(socket);
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.doesNotMatch(answer, hidden, route);
  }
});

test('every name of this machine gets the button', async () => {
  const { port } = new URL(local.url);
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'LOCALHOST']) {
    assert.match((await new Visitor(`${local.url}/`).open({ host })).text, /<form/, host);
  }
});

test('a revoked demo key creates nothing, and the page says so', async () => {
  const visitor = new Visitor(`${local.url}/`);
  await visitor.open();
  const { secret } = local.keys.sandbox;
  const [control, sandbox, live] = [databases[0]?.control, databases[0]?.sandbox, databases[0]?.live] as [string, string, string];
  const env = {
    DATA_DIR: folders[0] as string,
    CONTROL_DATABASE_URL: control,
    SANDBOX_DATABASE_URL: sandbox,
    LIVE_DATABASE_URL: live,
  };
  const keys = parsed(await pirogue(['keys', 'list', '--team', local.keys.team, '--json'], env));
  const { id } = keys.find((key: { last4: string }) => key.last4 === secret.slice(-4));
  await pirogue(['keys', 'revoke', id], env);
  const { status, text } = await visitor.press();
  assert.equal(status, 409);
  assert.match(text, /No payment was created/);
  await until(
    async () => local.log(),
    (log) => log.includes('no test payment was created'),
  );
});
