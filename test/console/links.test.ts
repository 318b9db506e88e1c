import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Secrets } from '../../src/kit/crypto.ts';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import type { OutgoingMail } from '../../src/edge/mail/outgoing.ts';
import { forgetPeopleSweep, userMailSweep } from '../../src/edge/mail/people-sweeps.ts';
import { firstSignIn } from '../../src/program/start/first-sign-in.ts';
import { linkPath } from '../../src/tenants/people/links.ts';
import { hashPassword } from '../../src/tenants/people/passwords.ts';
import { personal } from '../../src/tenants/people/personal.ts';
import { insertMembership, insertUser } from '../../src/tenants/people/store.ts';
import { type Api, startApi } from '../setup/api.ts';
import { formToken, Person } from './people.ts';

const PASSWORD = 'correct horse battery';
const NEW = 'four new words together';
let api: Api;
const sent: OutgoingMail[] = [];

before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());

/** Sends what is queued, as the worker does. */
async function mails(to: string): Promise<OutgoingMail[]> {
  const sweep = userMailSweep(api.deps, {
    send: async (mail) => {
      sent.push(mail);
      return { kind: 'sent' };
    },
  });
  while ((await sweep.round()) > 0);
  return sent.filter((mail) => mail.to === to);
}

/** The path of the link in a mail. */
function linkIn(mail: OutgoingMail | undefined): string {
  const url = /http\S+\/console\/link\/\S+/.exec(mail?.text ?? '')?.[0] ?? '';
  assert.ok(url.startsWith(`${api.url}/console/link/`), mail?.text ?? 'no mail');
  return new URL(url).pathname;
}

async function member(): Promise<{ id: string; email: string }> {
  const id = newId('usr', 'live', Date.now());
  const email = `${id}@shop.example`;
  const user = { id, email, name: 'Awa Ngo', password: await hashPassword(PASSWORD), locale: 'en', operator: false };
  await insertUser(api.deps.stores.control, user);
  await insertMembership(api.deps.stores.control, api.team.id, id, 'owner');
  return { id, email };
}

const follow = (person: Person, path: string, values: Record<string, string> = {}) => person.submit(path, path, values);

test('the link of the first start signs in the owner of the demo team, once', async () => {
  const path = await firstSignIn(api.deps, api.team.id, Date.now());
  const newcomer = new Person(api.url);
  const shown = await newcomer.get(path);
  assert.match(shown.text, /signs you in as Demo owner/);
  assert.match((await newcomer.get(path)).text, /signs you in as Demo owner/, 'opening it is not using it');
  const second = new Person(api.url);
  const token = formToken((await second.get(path)).text);
  const both = await Promise.all([follow(newcomer, path), second.post(path, token)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [303, 404], 'of two, one gets in');
  const [winner, done] = both[0]?.status === 303 ? [newcomer, both[0]] : [second, both[1]];
  assert.equal(done?.to, `/console/${api.team.id}/sandbox`);
  assert.equal((await winner.get(`${done?.to}/payments`)).status, 200);
  assert.equal((await new Person(api.url).get(path)).status, 404, 'it is used');
  const again = await firstSignIn(api.deps, api.team.id, Date.now());
  assert.notEqual(again, path);
  const [count] = await api.control.all<{ users: bigint }>(
    sql`select count(*) as users from users where email = 'owner@demo.example'`,
  );
  assert.equal(count?.users, 1n);
});

test('a link is valid for its time, and only in the installation that made it', async () => {
  const path = await firstSignIn(api.deps, api.team.id, Date.now());
  const id = /link\/(ulk_\w+)\./.exec(path)?.[1] as string;
  const foreign = linkPath(new Secrets(Buffer.alloc(32, 9)), id);
  const hostile = [
    foreign,
    `/console/link/${id}`,
    `/console/link/${id}.`,
    `${path}x`,
    `${path}.x`,
    `/console/link/${path.slice('/console/link/'.length).toUpperCase()}`,
  ];
  for (const wrong of hostile) assert.equal((await new Person(api.url).get(wrong)).status, 404, wrong);
  const person = new Person(api.url);
  const token = formToken((await person.get(path)).text);
  assert.equal((await person.post(foreign, token)).status, 404);
  await api.control.run(sql`update user_links set expires_at = now() where id = ${id}`);
  assert.equal((await person.post(path, token)).status, 404);
  assert.equal((await person.get(path)).status, 404);
});

test('a link replaces the password only: whoever has a second factor presents it too', async () => {
  const path = await firstSignIn(api.deps, api.team.id, Date.now());
  await api.control.run(sql`update users set totp_sealed = 's2.x' where email = 'owner@demo.example'`);
  const person = new Person(api.url);
  const shown = await follow(person, path);
  assert.match(shown.text, /action="\/console\/sign-in\/code"/);
  assert.equal(person.cookies.has('pirogue_session'), false);
  await api.control.run(sql`update users set totp_sealed = null where email = 'owner@demo.example'`);
});

test('a forgotten password is replaced by a link that is mailed, and every session ends', async () => {
  const { id, email } = await member();
  const signedIn = new Person(api.url);
  await signedIn.submit('/console/sign-in', '/console/sign-in', { email, password: PASSWORD });
  assert.equal((await signedIn.get('/console/account')).status, 200);

  const person = new Person(api.url);
  const asked = await person.submit('/console/reset', '/console/reset', { email: email.toUpperCase() });
  const unknown = await new Person(api.url).submit('/console/reset', '/console/reset', { email: 'nobody@shop.example' });
  const steady = (text: string) => text.replace(/value="[0-9A-Za-z]{22}\.[^"]+"/g, '');
  assert.deepEqual([asked.status, steady(asked.text)], [unknown.status, steady(unknown.text)]);
  assert.deepEqual(await mails('nobody@shop.example'), []);
  const [mail] = await mails(email);
  assert.equal(mail?.subject, 'Choose a new password');
  const path = linkIn(mail);
  const stored = await api.control.all(sql`select * from user_mails where recipient = ${email}`);
  assert.ok(!JSON.stringify(stored, (_, v) => (typeof v === 'bigint' ? String(v) : v)).includes(path.split('.').pop() as string));

  const faults = [
    { new_password: 'short', new_password_again: 'short' },
    { new_password: 'motdepasse123', new_password_again: 'motdepasse123' },
    { new_password: email, new_password_again: email },
    { new_password: NEW, new_password_again: `${NEW}!` },
  ];
  for (const values of faults) {
    const refused = await follow(person, path, values);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /id="f-new_password-error"/);
  }
  const done = await follow(person, path, { new_password: NEW, new_password_again: NEW });
  assert.equal(done.to, '/console/sign-in?done=reset');
  assert.equal((await follow(person, path, { new_password: NEW, new_password_again: NEW })).status, 404, 'used');
  assert.match((await signedIn.get('/console/account')).to ?? '', /sign-in/, 'the old session has ended');
  const enter = (password: string) => new Person(api.url).submit('/console/sign-in', '/console/sign-in', { email, password });
  assert.deepEqual([(await enter(PASSWORD)).status, (await enter(NEW)).status], [422, 303]);
  const subjects = (await mails(email)).map(({ subject }) => subject);
  assert.deepEqual(subjects, ['Choose a new password', 'How you sign in has changed', 'Sign-in from a new browser']);
  const [entry] = await api.control.all(
    sql`select actor, actor_id, resource_id from audit_entries where action = 'person.password'`,
  );
  assert.deepEqual(entry, { actor: 'user', actor_id: id, resource_id: id });
});

test('a link of somebody who was disabled afterwards changes nothing', async () => {
  const { id, email } = await member();
  const person = new Person(api.url);
  await person.submit('/console/reset', '/console/reset', { email });
  const path = linkIn((await mails(email)).at(-1));
  const { text } = await person.get(path);
  await api.control.run(sql`update users set disabled_at = now() where id = ${id}`);
  const values = { new_password: NEW, new_password_again: NEW };
  assert.equal((await person.post(path, { ...formToken(text), ...values })).status, 404);
  assert.equal((await mails(email)).length, 1, 'nothing changed, so nothing is reported');
  const enter = (password: string) => new Person(api.url).submit('/console/sign-in', '/console/sign-in', { email, password });
  await api.control.run(sql`update users set disabled_at = null where id = ${id}`);
  assert.deepEqual([(await enter(NEW)).status, (await enter(PASSWORD)).status], [422, 303]);
});

test('links to one mailbox are limited, and the answer stays the same', async () => {
  const { email } = await member();
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) {
    statuses.push((await new Person(api.url).submit('/console/reset', '/console/reset', { email })).status);
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200]);
  assert.equal((await mails(email)).length, 3);
});

test('a mail tells of a browser that is new, and not of one that is known', async () => {
  const { email } = await member();
  const enter = (person: Person) => person.submit('/console/sign-in', '/console/sign-in', { email, password: PASSWORD });
  const first = new Person(api.url);
  await enter(first);
  assert.deepEqual(await mails(email), [], 'the first of all');
  await enter(new Person(api.url));
  await enter(first);
  const [mail, ...more] = await mails(email);
  assert.equal(mail?.subject, 'Sign-in from a new browser');
  assert.match(mail?.text ?? '', /Address: 127\.0\.0\.1/);
  assert.deepEqual(more, []);
});

test('a sign-in to an account that nobody has used for longer than sessions are remembered is reported', async () => {
  const { id, email } = await member();
  const enter = (headers: Record<string, string>) => {
    const person = new Person(api.url);
    return person
      .get('/console/sign-in')
      .then(({ text }) => person.post('/console/sign-in', { ...formToken(text), email, password: PASSWORD }, headers));
  };
  await enter({});
  await api.control.run(sql`update users set created_at = now() - interval '200 days' where id = ${id}`);
  await api.control.run(sql`update console_sessions set ends_at = now() - interval '91 days' where user_id = ${id}`);
  await forgetPeopleSweep(api.deps).round();
  await enter({ 'user-agent': 'Your account is locked. Confirm at https://evil.example/now' });
  const [mail, ...more] = await mails(email);
  assert.deepEqual([mail?.subject, more], ['Sign-in from a new browser', []]);
  assert.match(mail?.text ?? '', /Browser: unknown/);
  assert.ok(!mail?.text.includes('evil'), 'whoever signs in writes no part of our mail');
  await enter({ 'user-agent': 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36' });
  assert.match((await mails(email))[1]?.text ?? '', /Browser: Chrome · Android/);
});

test('a new password withdraws the links that would replace it', async () => {
  const { email } = await member();
  const person = new Person(api.url);
  await person.submit('/console/sign-in', '/console/sign-in', { email, password: PASSWORD });
  await new Person(api.url).submit('/console/reset', '/console/reset', { email });
  const path = linkIn((await mails(email)).at(-1));
  assert.equal((await new Person(api.url).get(path)).status, 200);
  await follow(person, '/console/account/password', { new_password: NEW, new_password_again: NEW });
  assert.equal((await new Person(api.url).get(path)).status, 404);
});

test('a mail that fails is tried again later, and given up after two days', async () => {
  const { email } = await member();
  await new Person(api.url).submit('/console/reset', '/console/reset', { email });
  const sweep = userMailSweep(api.deps, { send: async () => ({ kind: 'failed', error: 'ECONNREFUSED' }) });
  await sweep.round();
  const [row] = await api.control.all<{ tries: number; error: string; later: boolean }>(
    sql`select tries, error, due_at >= created_at + interval '10 seconds' as later from user_mails where recipient = ${email}`,
  );
  assert.deepEqual(row, { tries: 1, error: 'ECONNREFUSED', later: true });
  await api.control.run(sql`
    update user_mails set due_at = now(), created_at = now() - interval '3 days' where recipient = ${email}`);
  await sweep.round();
  const [gone] = await api.control.all(sql`select due_at, sent_at from user_mails where recipient = ${email}`);
  assert.deepEqual(gone, { due_at: null, sent_at: null });
});

test('what is past its retention is forgotten, and nothing else', async () => {
  const { id, email } = await member();
  await new Person(api.url).submit('/console/sign-in', '/console/sign-in', { email, password: PASSWORD });
  await new Person(api.url).submit('/console/sign-in', '/console/sign-in', { email, password: PASSWORD });
  await new Person(api.url).submit('/console/reset', '/console/reset', { email });
  await api.control.run(
    sql`insert into used_challenges (hash, used_at) values ('\\x01', now() - interval '25 hours'), ('\\x02', now())`,
  );
  const counts = () =>
    api.control.all<Record<string, number>>(sql`
      select (select count(*)::int from console_sessions where user_id = ${id}) as sessions,
        (select count(*)::int from user_links where user_id = ${id}) as links,
        (select count(*)::int from user_mails where recipient = ${email}) as mails,
        (select count(*)::int from used_challenges) as challenges`);
  const { round } = forgetPeopleSweep(api.deps);
  await round();
  assert.deepEqual(await counts(), [{ sessions: 2, links: 1, mails: 2, challenges: 1 }]);
  await api.control.run(sql`
    update console_sessions set ends_at = now() - interval '91 days' where id = (select id from console_sessions where user_id = ${id} limit 1)`);
  await api.control.run(sql`update user_links set expires_at = now() - interval '31 days' where user_id = ${id}`);
  await api.control.run(sql`update user_mails set created_at = now() - interval '31 days' where recipient = ${email}`);
  await api.control.run(sql`update sign_in_failures set since = now() - interval '25 hours'`);
  await round();
  assert.deepEqual(await counts(), [{ sessions: 1, links: 0, mails: 0, challenges: 1 }]);
  assert.deepEqual(await api.control.all(sql`select name from sign_in_failures`), []);
  const { sign_in_failures } = personal.tables;
  assert.partialDeepStrictEqual(sign_in_failures?.rules?.name, { until: 'a day' }, 'as docs/customers.md says');
});
