import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashPassword } from '../../src/tenants/people/passwords.ts';
import { newId } from '../../src/kit/ids.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { byCode } from '../../src/tenants/people/attempts.ts';
import { insertPasskey } from '../../src/tenants/people/factor-store.ts';
import { linkPath, makeLink } from '../../src/tenants/people/links.ts';
import type { Session } from '../../src/tenants/people/schema.ts';
import { attemptCode, confirmSession } from '../../src/tenants/people/sign-in.ts';
import { revokeSessions } from '../../src/tenants/people/session-store.ts';
import { insertMembership, insertUser, setDisabled, setPassword } from '../../src/tenants/people/store.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { formToken, Person, type Shown } from './people.ts';

const PASSWORD = 'correct horse battery';
const NEW = 'four new words together';
let api: Api;
let hash: string;

before(async () => {
  api = await startApi({ workers: false });
  hash = await hashPassword(PASSWORD);
});
after(() => api.stop());

async function member(): Promise<{ id: string; email: string }> {
  const id = newId('usr', 'live', Date.now());
  const email = `${id}@shop.example`;
  await insertUser(api.deps.stores.control, { id, email, name: 'Awa Ngo', password: hash, locale: 'en', operator: false });
  await insertMembership(api.deps.stores.control, api.team.id, id, 'owner');
  return { id, email };
}

/**
 * Sends a request while a transaction holds the row of a person, and ends the transaction once the request waits for it: what the
 * request had read before is out of date by then.
 */
async function during(id: string, request: () => Promise<Shown>, change: (tx: Tx) => Promise<unknown>): Promise<Shown> {
  const { answer } = await api.deps.stores.control.transaction(async (tx) => {
    await tx.run(sql`select 1 from users where id = ${id} for update`);
    const answer = request();
    await until(
      () => api.control.all(sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
      (waiting) => waiting.length > 0,
    );
    await change(tx);
    await revokeSessions(tx, id);
    return { answer };
  });
  return answer;
}

const openSessions = (id: string) =>
  api.control.all(sql`select id from console_sessions where user_id = ${id} and revoked_at is null`);

async function passwordForm(person: Person, email: string) {
  return { ...formToken((await person.get('/console/sign-in')).text), email, password: PASSWORD, to: '' };
}

test('a password that is replaced while it is compared opens no session', async () => {
  const { id, email } = await member();
  const thief = new Person(api.url);
  const form = await passwordForm(thief, email);
  const other = await hashPassword(NEW);
  const shown = await during(
    id,
    () => thief.post('/console/sign-in', form),
    (tx) => setPassword(tx, id, other),
  );
  assert.deepEqual([shown.status, /has changed meanwhile/.test(shown.text)], [409, true]);
  assert.deepEqual(await openSessions(id), []);
  assert.equal(thief.cookies.has('pirogue_session'), false);
});

test('a person who is disabled while they sign in has no session', async () => {
  const { id, email } = await member();
  const person = new Person(api.url);
  const form = await passwordForm(person, email);
  const shown = await during(
    id,
    () => person.post('/console/sign-in', form),
    (tx) => setDisabled(tx, id, true),
  );
  assert.equal(shown.status, 409);
  await api.control.run(sql`update users set disabled_at = null where id = ${id}`);
  assert.deepEqual(await openSessions(id), []);
});

test('a second factor that is added while a sign-in link is used is asked for', async () => {
  const { id, email } = await member();
  const link = { kind: 'sign_in', email, user_id: id, team_id: api.team.id, role: null, invited_by: null } as const;
  const path = linkPath(api.deps.secrets, await makeLink(api.deps.stores.control, link, Date.now()));
  const thief = new Person(api.url);
  const form = formToken((await thief.get(path)).text);
  const passkey = {
    id: `passkey of ${id}`,
    user_id: id,
    public_key: Buffer.from([1]),
    counter: 0n,
    transports: [],
    name: 'phone',
  };
  const shown = await during(
    id,
    () => thief.post(path, form),
    (tx) => insertPasskey(tx, passkey),
  );
  assert.deepEqual([shown.status, /name="half"/.test(shown.text)], [200, true]);
  assert.deepEqual(await openSessions(id), []);
});

test('a session that is ended by a new password does not set another one', async () => {
  const { id, email } = await member();
  const thief = new Person(api.url);
  await thief.post('/console/sign-in', await passwordForm(thief, email));
  const { text } = await thief.get('/console/account/password');
  const other = await hashPassword(NEW);
  const mine = 'a password of the thief';
  const shown = await during(
    id,
    () => thief.post('/console/account/password', { ...formToken(text), new_password: mine, new_password_again: mine }),
    (tx) => setPassword(tx, id, other),
  );
  assert.deepEqual([shown.status, /signed out/.test(shown.text)], [403, true]);
  const [row] = await api.control.all<{ password: string }>(sql`select password from users where id = ${id}`);
  assert.equal(row?.password, other);
});

test('attempts that are counted while another is forgotten wait for each other in one order', async () => {
  const { id } = await member();
  const { control } = api.deps.stores;
  const from = { ip: '127.0.0.7', agent: 'test', browser: 'one', request_id: 'req_x', at: Date.now(), language: 'en' };
  const waiting = (count: number) =>
    until(
      () => api.control.all(sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
      (rows) => rows.length >= count,
    );
  const session = { id: 'ses_x', user: { id } } as Session;
  await attemptCode(api.deps, id, from);
  let runs = 0;
  const { confirmed, counted } = await control.transaction(async (tx) => {
    await tx.run(sql`select 1 from sign_in_failures where name = ${byCode(id).name} for update`);
    const confirmed = control.transaction((other) => {
      runs++;
      return confirmSession(other, session, from);
    });
    await waiting(1);
    const counted = attemptCode(api.deps, id, from);
    await waiting(2);
    return { confirmed, counted };
  });
  await confirmed;
  assert.deepEqual([await counted, runs], [0, 1]);
});
