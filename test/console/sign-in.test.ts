import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { passwordHashing } from '../../src/tenants/people/hashing.ts';
import { hashPassword } from '../../src/tenants/people/passwords.ts';
import { insertMembership, insertUser } from '../../src/tenants/people/store.ts';
import { type Api, startApi } from '../setup/api.ts';
import { formToken, Person, type Shown } from './people.ts';

const PASSWORD = 'correct horse battery';
let api: Api;
let second: Api | undefined;

before(async () => {
  api = await startApi({ workers: false });
});
after(async () => {
  await second?.stop();
  await api.stop();
});

/** A member who has a password and signs in by it. */
async function member(more: { disabled?: boolean; password?: string | null } = {}): Promise<{ id: string; email: string }> {
  const id = newId('usr', 'live', Date.now());
  const email = `${id}@shop.example`;
  const password = more.password === null ? null : await hashPassword(more.password ?? PASSWORD);
  await insertUser(api.deps.stores.control, { id, email, name: 'Awa Ngo', password, locale: 'en', operator: false });
  await insertMembership(api.deps.stores.control, api.team.id, id, 'owner');
  if (more.disabled) await api.control.run(sql`update users set disabled_at = now() where id = ${id}`);
  return { id, email };
}

function enter(person: Person, email: string, password = PASSWORD, to = ''): Promise<Shown> {
  return person.submit('/console/sign-in', '/console/sign-in', { email, password, to });
}

const home = () => `/console/${api.team.id}/sandbox/payments`;

/** What a page says above its form. */
function alertOf({ text }: Shown): string {
  return /role="(?:alert|status)">([^<]*)</.exec(text.replace(/<p class="alert"[^>]*data-failure[^>]*>[^<]*/g, ''))?.[1] ?? '';
}

/** A page without what differs each time it is shown. */
function steady(text: string): string {
  return text
    .replace(/value="[0-9A-Za-z]{22}\.[^"]+"/g, '')
    .replace(/data-options="[^"]+"/g, '')
    .replace(/value="[^"]*@shop.example"/g, '');
}

function fieldIn({ text }: Shown, name: string): string {
  return (new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '').replaceAll('&amp;', '&');
}

/** Turns codes on for somebody who has just signed in. Returns the secret, the code that proved it and the recovery codes. */
async function turnOn(person: Person): Promise<{ secret: string; code: string; recovery: string[] }> {
  const page = await person.get('/console/account/codes');
  const secret = (/<code>([A-Z2-7 ]{20,})<\/code>/.exec(page.text)?.[1] ?? '').replaceAll(' ', '');
  const code = codeOf(secret);
  const values = { ...formToken(page.text), sealed: fieldIn(page, 'sealed'), code };
  const shown = await person.post('/console/account/codes', values);
  assert.equal(shown.status, 200, shown.text);
  return { secret, code, recovery: [...shown.text.matchAll(/<li><code>([^<]+)</g)].map(([, one]) => one as string) };
}

/** The code of an authenticator app: `steps` of thirty seconds from now. */
function codeOf(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
}

test('a person signs in with address and password, and out again', async () => {
  const { email, id } = await member();
  const person = new Person(api.url);
  const asked = await person.get(home());
  assert.equal(asked.to, `/console/sign-in?to=${encodeURIComponent(home())}`);
  const done = await enter(person, email.toUpperCase(), PASSWORD, home());
  // Without a second factor, a person is asked to set one up first.
  assert.deepEqual([done.status, done.to], [303, `/console/account/codes?to=${encodeURIComponent(home())}`]);
  assert.match((await person.get(done.to as string)).text, new RegExp(`href="${home()}">Later`));
  assert.equal((await person.get(home())).status, 200);
  assert.equal((await person.get('/console/sign-in')).to, '/console/');
  const cookie = person.cookies.get('pirogue_session') as string;
  const out = await person.submit(home(), '/console/sign-out');
  assert.equal(out.to, '/console/sign-in?done=out');
  assert.equal(person.cookies.has('pirogue_session'), false);
  person.setCookie('pirogue_session', cookie);
  assert.match((await person.get(home())).to ?? '', /sign-in/, 'the session has ended on the server too');
  const entries = await api.control.all<{ action: string }>(
    sql`select action from audit_entries where starts_with(actor_id, ${id}) order by id`,
  );
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['session.open', 'session.close'],
  );
});

test('an unknown address, a wrong password, no password and a disabled user get the same answer after the same work', async () => {
  const { email } = await member();
  const none = await member({ password: null });
  const disabled = await member({ disabled: true });
  const tries = [
    ['nobody@shop.example', PASSWORD],
    [email, 'wrong horse battery'],
    [none.email, PASSWORD],
    [disabled.email, PASSWORD],
    [email, 'x'.repeat(5_000)],
    ['not an address', ''],
    [`${'a'.repeat(3_000)}@shop.example`, PASSWORD],
  ] as const;
  const answers: string[] = [];
  for (const [address, password] of tries) {
    const before = passwordHashing.started;
    const shown = await enter(new Person(api.url), address, password);
    assert.equal(passwordHashing.started - before, 1, `one hash for ${address.slice(0, 30)}`);
    answers.push(
      `${shown.status} ${steady(shown.text)
        .replace(/name="email"[^>]*>/, '')
        .replace(/(?: autofocus)/g, '')}`,
    );
    assert.equal(
      shown.headers.getSetCookie().some((line) => line.includes('session')),
      false,
    );
  }
  assert.match(answers[0] as string, /^422 .*E-mail address or password is wrong/s);
  assert.equal(new Set(answers).size, 1);
});

test('a session of before the sign-in is never kept, and its forms are not valid after it', async () => {
  const { email } = await member();
  const person = new Person(api.url);
  person.setCookie('pirogue_session', 'A'.repeat(43));
  const before = formToken((await person.get('/console/sign-in')).text);
  await enter(person, email);
  const first = person.cookies.get('pirogue_session') as string;
  assert.match(first, /^[0-9A-Za-z]{43}$/);
  assert.notEqual(first, 'A'.repeat(43));
  assert.equal((await person.post('/console/account/profile', { ...before, name: 'X' })).status, 403);
  // A second sign-in in the same browser makes another session and ends the first.
  person.setCookie('pirogue_session', 'B'.repeat(43));
  await enter(person, email);
  assert.notEqual(person.cookies.get('pirogue_session'), first);
});

test('the sign-in leads to paths of the console only', async () => {
  const { email } = await member();
  for (const to of [
    '//evil.example',
    'https://evil.example/console',
    '/\\evil.example',
    '/console/../x',
    'javascript:alert(1)',
  ]) {
    const { to: led } = await enter(new Person(api.url), email, PASSWORD, to);
    assert.equal(led, `/console/account/codes?to=${encodeURIComponent('/console/')}`, to);
  }
});

test('a form of another site signs nobody in', async () => {
  const { email } = await member();
  const person = new Person(api.url);
  const values = { email, password: PASSWORD, ...formToken((await person.get('/console/sign-in')).text) };
  assert.equal((await person.post('/console/sign-in', values, { 'sec-fetch-site': 'cross-site' })).status, 403);
  assert.equal((await new Person(api.url).post('/console/sign-in', values)).status, 403, 'another browser');
});

test('guesses are limited by account across processes, and the owner is not locked out of their own browser', async () => {
  const other = await startApi({ workers: false, beside: api });
  second = other;
  const { email } = await member();
  const owner = new Person(api.url);
  assert.equal((await enter(owner, email)).status, 303);
  await owner.submit(home(), '/console/sign-out');
  const guess = (at: Api, address: string) => enter(new Person(at.url), address, 'a wrong guess here');
  const statuses = async (address: string) => {
    const shown = await Promise.all(Array.from({ length: 14 }, (_, i) => guess(i % 2 ? api : other, address)));
    return [200, 422, 429].map((status) => shown.filter((one) => one.status === status).length);
  };
  assert.deepEqual(await statuses(email), [0, 10, 4]);
  assert.deepEqual(await statuses('nobody-2@shop.example'), [0, 10, 4], 'an unknown address is limited the same');
  const limited = await enter(new Person(api.url), email);
  assert.deepEqual(
    [limited.status, /Too many attempts/.test(limited.text)],
    [429, true],
    'the right password does not pass either',
  );
  assert.equal((await enter(owner, email)).status, 303, 'but it does in the browser that is known');
});

test('no other spelling of an address leads to its account: it would be a limit of its own', async () => {
  const { id } = await member();
  const email = `kofi-${id}@limits.example`;
  await api.control.run(sql`update users set email = ${email} where id = ${id}`);
  for (const spelling of [email.replace('i', 'İ'), email.replace('limits', 'lİmİts')]) {
    assert.deepEqual((await enter(new Person(api.url), spelling)).status, 422, spelling);
    const reset = await new Person(api.url).submit('/console/reset', '/console/reset', { email: spelling });
    assert.equal(reset.status, 200);
  }
  assert.deepEqual(await api.control.all(sql`select id from user_mails where recipient = ${email}`), []);
  for (const spelling of [email.toUpperCase(), email.replace('k', '\u212A')]) {
    assert.equal((await enter(new Person(api.url), spelling)).status, 303, spelling);
  }
});

test('guesses are limited by address, whatever the accounts', async () => {
  const name = 'address|127.0.0.1';
  await api.control.run(sql`
    insert into sign_in_failures (name, failures, since) values (${name}, 100, now())
    on conflict (name) do update set failures = 100, since = now()`);
  const before = passwordHashing.started;
  assert.equal((await enter(new Person(api.url), 'someone@shop.example')).status, 429);
  assert.equal(passwordHashing.started, before, 'nothing is hashed for an attempt that is not permitted');
  await api.control.run(sql`update sign_in_failures set since = now() - interval '16 minutes' where name = ${name}`);
  assert.equal((await enter(new Person(api.url), 'someone@shop.example')).status, 422, 'until the period has passed');
  await api.control.run(sql`delete from sign_in_failures where name = ${name}`);
});

test('the addresses of one IPv6 subscriber share a limit', async () => {
  const proxied = await startApi({ workers: false, beside: api, env: { TRUST_PROXY: '127.0.0.1' } });
  for (const address of ['2001:db8:1:2::5', '2001:db8:1:2:ffff:4:5:6']) {
    const person = new Person(proxied.url);
    const token = formToken((await person.get('/console/sign-in')).text);
    const values = { ...token, email: 'nobody-6@shop.example', password: PASSWORD };
    assert.equal((await person.post('/console/sign-in', values, { 'x-forwarded-for': address })).status, 422);
  }
  await proxied.stop();
  const rows = await api.control.all(sql`select failures from sign_in_failures where starts_with(name, 'address|2001')`);
  assert.deepEqual(rows, [{ failures: 2 }]);
});

test('with codes on, the password alone is not enough, and no code works twice', async () => {
  const { email, id } = await member();
  const person = new Person(api.url);
  await enter(person, email);
  const { secret, code: first, recovery } = await turnOn(person);
  assert.equal(new Set(recovery).size, 10);
  const stored = await api.control.maybe<{ totp_sealed: string }>(sql`select totp_sealed from users where id = ${id}`);
  assert.ok(stored?.totp_sealed.startsWith('s2.') && !stored.totp_sealed.includes(secret));

  const other = new Person(api.url);
  const asked = await enter(other, email, PASSWORD, home());
  assert.deepEqual([asked.status, other.cookies.has('pirogue_session')], [200, false]);
  const send = async (code: string, shown = asked) =>
    other.post('/console/sign-in/code', {
      ...formToken(shown.text),
      half: fieldIn(shown, 'half'),
      to: fieldIn(shown, 'to'),
      code,
    });
  const wrong = await send('000000');
  assert.deepEqual([wrong.status, alertOf(wrong)], [422, 'The code is wrong, or was used already. Wait for the next one.']);
  // That of the present moment may be the next one by now.
  assert.equal((await send(first)).status, 422, 'the code that proved the app is used up');
  const next = codeOf(secret, 1);
  const done = await send(next);
  assert.deepEqual([done.status, done.to], [303, home()]);

  const third = new Person(api.url);
  const again = await enter(third, email);
  const values = { ...formToken(again.text), half: fieldIn(again, 'half') };
  assert.equal((await third.post('/console/sign-in/code', { ...values, code: next })).status, 422, 'replayed');
  const code = (recovery[0] as string).toUpperCase().replaceAll('-', ' ');
  assert.equal((await third.post('/console/sign-in/code', { ...values, code })).status, 303);
  const fourth = await enter(new Person(api.url), email);
  assert.equal(fourth.status, 200);
  const late = new Person(api.url);
  const lateForm = await enter(late, email);
  const lateValues = { ...formToken(lateForm.text), half: fieldIn(lateForm, 'half') };
  assert.equal((await late.post('/console/sign-in/code', { ...lateValues, code })).status, 422, 'a recovery code works once');
});

test('the proof of the first step belongs to one browser, one password and a few minutes', async () => {
  const { email, id } = await member();
  const person = new Person(api.url);
  await enter(person, email);
  const { secret } = await turnOn(person);
  const victim = new Person(api.url);
  const half = fieldIn(await enter(victim, email), 'half');
  const thief = new Person(api.url);
  const thiefForm = formToken((await thief.get('/console/sign-in')).text);
  const expired = /This took too long/;
  const code = codeOf(secret, 1);
  assert.match((await thief.post('/console/sign-in/code', { ...thiefForm, half, code })).text, expired);
  const [user, at, mac] = half.split('.') as [string, string, string];
  const own = formToken((await victim.get('/console/sign-in')).text);
  for (const forged of [
    `${user}.${Number(at) + 1}.${mac}`,
    `${user}.${at}.`,
    `${user}.NaN.${mac}`,
    '',
    '..',
    `${user}.${at}.${mac}x`,
  ]) {
    assert.match((await victim.post('/console/sign-in/code', { ...own, half: forged, code })).text, expired, forged);
  }
  await api.control.run(sql`update users set password = ${await hashPassword('another password here')} where id = ${id}`);
  assert.match((await victim.post('/console/sign-in/code', { ...own, half, code })).text, expired);
});

test('codes are limited, also when many are sent at the same time', async () => {
  const { email } = await member();
  const person = new Person(api.url);
  await enter(person, email);
  const { secret } = await turnOn(person);
  const guesser = new Person(api.url);
  const shown = await enter(guesser, email);
  const values = { ...formToken(shown.text), half: fieldIn(shown, 'half') };
  const sent = await Promise.all(
    Array.from({ length: 12 }, () => guesser.post('/console/sign-in/code', { ...values, code: '123456' })),
  );
  assert.deepEqual(
    [422, 429].map((status) => sent.filter((one) => one.status === status).length),
    [5, 7],
  );
  assert.equal((await guesser.post('/console/sign-in/code', { ...values, code: codeOf(secret, 1) })).status, 429);
});

test('what needs a fresh factor leads to the confirmation and back, with the second factor of whoever has one', async () => {
  const { email, id } = await member();
  const person = new Person(api.url);
  await enter(person, email);
  const { secret } = await turnOn(person);
  const stale = () =>
    api.control.run(sql`update console_sessions set proved_at = now() - interval '11 minutes' where user_id = ${id}`);
  await stale();
  const asked = await person.get('/console/account/password');
  assert.equal(asked.to, '/console/confirm?to=%2Fconsole%2Faccount%2Fpassword');
  const page = await person.get(asked.to as string);
  const token = formToken(page.text);
  const confirm = (values: Record<string, string>) =>
    person.post('/console/confirm', { ...token, to: '/console/account/password', ...values });
  assert.equal((await confirm({ password: PASSWORD })).status, 422, 'the password alone');
  assert.equal((await confirm({ password: 'wrong horse battery', code: codeOf(secret, 1) })).status, 422);
  assert.equal((await person.get('/console/account/password')).status, 303);
  const done = await confirm({ password: PASSWORD, code: codeOf(secret, 1) });
  assert.deepEqual([done.status, done.to], [303, '/console/account/password']);
  assert.equal((await person.get('/console/account/password')).status, 200);
  await stale();
  const posted = await person.post('/console/account/codes/off?from=//evil.example', token);
  assert.equal(posted.to, '/console/confirm?to=%2F%2Fevil.example');
  assert.match((await person.get(posted.to as string)).text, /name="to" value="\/console\/"/);
  const user = await api.control.maybe<{ on: boolean }>(sql`select totp_sealed is not null as on from users where id = ${id}`);
  assert.equal(user?.on, true, 'nothing was turned off without the confirmation');
});
