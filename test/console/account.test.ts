import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { sql } from '../../src/kit/sql.ts';
import { hashPassword } from '../../src/tenants/people/passwords.ts';
import { type Api, startApi } from '../setup/api.ts';
import { formToken, Person, signedIn } from './people.ts';

const PASSWORD = 'correct horse battery';
const NEW = 'four new words together';
let api: Api;

before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());

/** Somebody with a password, signed in here and in another browser. */
async function twice(): Promise<{ person: Person; elsewhere: Person; email: string }> {
  const person = await signedIn(api, 'finance');
  const email = `${person.id}@shop.example`;
  const hash = await hashPassword(PASSWORD);
  await api.control.run(sql`update users set password = ${hash} where id = ${person.id}`);
  const elsewhere = new Person(api.url);
  await elsewhere.submit('/console/sign-in', '/console/sign-in', { email, password: PASSWORD });
  assert.equal((await elsewhere.get('/console/account')).status, 200);
  return { person, elsewhere, email };
}

async function mailsTo(email: string): Promise<string[]> {
  const rows = await api.control.all<{ change: string | null }>(sql`
    select facts->>'change' as change from user_mails where recipient = ${email} and kind = 'security' order by id`);
  return rows.map(({ change }) => change ?? '');
}

test('a page says what was done, and nothing for a name that is none', async () => {
  const { person } = await twice();
  assert.match((await person.get('/console/account?done=saved')).text, /role="status"/);
  for (const name of ['constructor', '__proto__', 'toString']) {
    assert.ok(!(await person.get(`/console/account?done=${name}`)).text.includes('role="status"'), name);
  }
});

test('name and language are changed, and nothing else that a form names', async () => {
  const { person } = await twice();
  const values = { name: 'Awa <b>Ngo</b>', locale: 'fr', operator: 'true', email: 'x@shop.example', role: 'owner' };
  assert.equal((await person.submit('/console/account', '/console/account/profile', values)).to, '/console/account?done=saved');
  const shown = await person.get('/console/account');
  assert.match(shown.text, /<html lang="fr">.*Awa &lt;b&gt;Ngo&lt;\/b&gt;/s);
  const [row] = await api.control.all(sql`select operator, locale, email from users where id = ${person.id}`);
  assert.deepEqual(row, { operator: false, locale: 'fr', email: `${person.id}@shop.example` });
  for (const name of ['', ' ', 'x'.repeat(101), 'a\u202eb', 'a\nb']) {
    assert.equal(
      (await person.submit('/console/account', '/console/account/profile', { name })).status,
      422,
      JSON.stringify(name),
    );
  }
});

test('a new password ends the other sessions and is reported by mail', async () => {
  const { person, elsewhere, email } = await twice();
  const page = '/console/account/password';
  const weak = await person.submit(page, page, { new_password: '123456789012', new_password_again: '123456789012' });
  assert.deepEqual([weak.status, /first that a guesser tries/.test(weak.text)], [422, true]);
  const done = await person.submit(page, page, { new_password: NEW, new_password_again: NEW });
  assert.equal(done.to, '/console/account?done=changed');
  assert.match((await elsewhere.get('/console/account')).to ?? '', /sign-in/);
  assert.equal((await person.get('/console/account')).status, 200, 'the session that changed it stays');
  assert.deepEqual(await mailsTo(email), ['password']);
});

test('sessions are listed and ended, by their own person only', async () => {
  const { person, elsewhere } = await twice();
  const other = await twice();
  const [theirs] = await api.control.all<{ id: string }>(
    sql`select id from console_sessions where user_id = ${other.person.id} limit 1`,
  );
  await person.submit('/console/account', '/console/account/sessions', { session: theirs?.id ?? '' });
  assert.equal((await other.person.get('/console/account')).status, 200);
  assert.equal((await other.elsewhere.get('/console/account')).status, 200);
  const page = (await person.get('/console/account')).text;
  const [, id] = /name="session" value="(ses_\w+)"/.exec(page) as unknown as [string, string];
  await person.post('/console/account/sessions', { ...formToken(page), session: id });
  assert.match((await elsewhere.get('/console/account')).to ?? '', /sign-in/);
  const third = await twice();
  await third.person.submit('/console/account', '/console/account/sessions', { session: 'others' });
  assert.match((await third.elsewhere.get('/console/account')).to ?? '', /sign-in/);
  assert.equal((await third.person.get('/console/account')).status, 200);
});

test('codes are turned on by a code that the app shows, with recovery codes shown once, and off again', async () => {
  const { person, elsewhere, email } = await twice();
  const page = '/console/account/codes';
  const shown = await person.get(page);
  assert.match(shown.text, /<img class="qr" src="data:image\/png;base64,/);
  const secret = (/<code>([A-Z2-7 ]{20,})<\/code>/.exec(shown.text)?.[1] ?? '').replaceAll(' ', '');
  assert.equal(secret.length, 32, '160 bits');
  const sealed = /name="sealed" value="([^"]+)"/.exec(shown.text)?.[1] as string;
  const other = await twice();
  const theirs = /name="sealed" value="([^"]+)"/.exec((await other.person.get(page)).text)?.[1] as string;
  // One of the moment: it is valid for half a minute.
  const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const send = (values: Record<string, string>) => person.post(page, { ...formToken(shown.text), ...values });
  assert.equal((await send({ sealed, code: '000000' })).status, 422);
  const changed = `${sealed.slice(0, 30)}${sealed[30] === 'A' ? 'B' : 'A'}${sealed.slice(31)}`;
  for (const forged of [theirs, 's2.x', '', changed])
    assert.equal((await send({ sealed: forged, code: code() })).to, page, forged);
  const done = await send({ sealed, code: code() });
  const codes = [...done.text.matchAll(/<li><code>([2-9a-z-]{19})</g)].map(([, one]) => one);
  assert.equal(new Set(codes).size, 10);
  assert.match((await elsewhere.get('/console/account')).to ?? '', /sign-in/);
  const again = await person.get(page);
  assert.ok(!again.text.includes(codes[0] as string) && !again.text.includes(secret), 'neither is shown again');
  const renewed = await person.submit(page, '/console/account/recovery');
  assert.ok(!renewed.text.includes(codes[0] as string) && /Keep your recovery codes/.test(renewed.text));
  assert.equal((await person.submit(page, `${page}/off`)).status, 303);
  const [left] = await api.control.all<{ codes: bigint }>(
    sql`select count(*) as codes from recovery_codes where user_id = ${person.id}`,
  );
  assert.equal(left?.codes, 0n, 'a recovery code stands for a second factor, and there is none');
  assert.deepEqual(await mailsTo(email), ['codes_on', 'recovery_renewed', 'codes_off']);
});

test('whoever has no second factor cannot make recovery codes', async () => {
  const { person } = await twice();
  assert.equal((await person.submit('/console/account', '/console/account/recovery')).to, '/console/account/codes');
});
