import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import type { OutgoingMail } from '../../src/edge/mail/outgoing.ts';
import { userMailSweep } from '../../src/edge/mail/people-sweeps.ts';
import type { Role } from '../../src/tenants/people/roles.ts';
import { insertMembership, listMemberships } from '../../src/tenants/people/store.ts';
import type { Team } from '../../src/tenants/teams/schema.ts';
import { type Api, startApi } from '../setup/api.ts';
import { formToken, hiddenOf, Person, type Shown, signedIn } from './people.ts';

const PASSWORD = 'four new words together';
let api: Api;
const sent: OutgoingMail[] = [];

before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());

const people = (team: Team) => `/console/${team.id}/sandbox/people`;

/** The role of a person in a team, read from the database. */
async function roleOf(person: Person, team: Team): Promise<Role | undefined> {
  return (await listMemberships(api.deps.stores.control, person.id)).find(({ team_id }) => team_id === team.id)?.role;
}

async function invite(by: Person, team: Team, email: string, role: string): Promise<Shown> {
  return by.submit(`${people(team)}/invite`, `${people(team)}/invite`, { email, role });
}

async function linkTo(email: string): Promise<string> {
  const sweep = userMailSweep(api.deps, {
    send: async (mail) => {
      sent.push(mail);
      return { kind: 'sent' };
    },
  });
  while ((await sweep.round()) > 0);
  const mail = sent.findLast(({ to }) => to === email);
  return new URL(/http\S+\/console\/link\/\S+/.exec(mail?.text ?? '')?.[0] ?? 'http://none.invalid/').pathname;
}

test('an invitation by mail makes a person, who signs in with the role of the invitation', async () => {
  const { team } = await api.newMerchant();
  const owner = await signedIn(api, 'owner', team, 'Awa Ngo');
  const email = 'finance@shop.example';
  const done = await invite(owner, team, email, 'finance');
  assert.equal(done.to, `${people(team)}?done=invited`);
  assert.match((await owner.get(people(team))).text, /finance@shop\.example/);
  const path = await linkTo(email);
  assert.match(sent.at(-1)?.text ?? '', /Awa Ngo invites you to join Chez Awa in the Pirogue console, as: finance/);
  const guest = new Person(api.url);
  const refused = await guest.submit(path, path, { name: '  ', new_password: PASSWORD, new_password_again: PASSWORD });
  assert.deepEqual([refused.status, /id="f-name-error"/.test(refused.text)], [422, true]);
  const joined = await guest.submit(path, path, { name: 'Blaise', new_password: PASSWORD, new_password_again: PASSWORD });
  assert.equal(joined.to, `/console/account/codes?to=${encodeURIComponent(`/console/${team.id}/sandbox`)}`);
  const list = (await guest.get(people(team))).text;
  assert.match(list, /Blaise.*Finance/s);
  assert.ok(!list.includes('/people/invite'), 'finance invites nobody');
  assert.equal((await new Person(api.url).get(path)).status, 404, 'the link is used');
  const entries = await api.control.all<{ action: string }>(sql`
    select action from audit_entries where team_id = ${team.id} and action like 'person.%' order by id`);
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['person.invite', 'person.join'],
  );
});

test('a person who has an account joins with it, and only the person who was invited', async () => {
  const { team } = await api.newMerchant();
  const owner = await signedIn(api, 'owner', team);
  const known = await signedIn(api, 'support', api.team);
  const stranger = await signedIn(api, 'support', api.team);
  await invite(owner, team, `${known.id}@SHOP.example`, 'admin');
  const path = await linkTo(`${known.id}@SHOP.example`);
  assert.match((await new Person(api.url).get(path)).text, /sign-in\?to=/);
  assert.match((await stranger.get(path)).text, /you are signed in with another address/);
  assert.equal((await stranger.submit(path, path)).status, 200);
  assert.equal(await roleOf(stranger, team), undefined);
  assert.equal((await known.submit(path, path)).to, `/console/${team.id}/sandbox`);
  assert.deepEqual([await roleOf(known, team), await roleOf(known, api.team)], ['admin', 'support']);
  assert.equal((await invite(owner, team, `${known.id}@shop.example`, 'owner')).status, 409, 'they are in the team already');
});

test('an invitation adds nobody who is in the team by now', async () => {
  const { team } = await api.newMerchant();
  const owner = await signedIn(api, 'owner', team);
  const known = await signedIn(api, 'support', api.team);
  await invite(owner, team, `${known.id}@shop.example`, 'admin');
  const path = await linkTo(`${known.id}@shop.example`);
  const { text } = await known.get(path);
  await api.control.run(sql`insert into memberships (team_id, user_id, role) values (${team.id}, ${known.id}, 'support')`);
  assert.equal((await known.post(path, formToken(text))).to, `/console/${team.id}/sandbox`);
  assert.equal(await roleOf(known, team), 'support');
  const joins = await api.control.all(sql`
    select id from audit_entries where team_id = ${team.id} and action = 'person.join' and resource_id = ${known.id}`);
  assert.deepEqual(joins, []);
});

test('a second invitation to an address replaces the first, which may be to another role', async () => {
  const { team } = await api.newMerchant();
  const owner = await signedIn(api, 'owner', team);
  await invite(owner, team, 'bob@shop.example', 'admin');
  const first = await linkTo('bob@shop.example');
  await invite(owner, team, 'Bob@shop.example', 'read_only');
  assert.equal((await new Person(api.url).get(first)).status, 404);
  assert.equal((await new Person(api.url).get(await linkTo('Bob@shop.example'))).status, 200);
});

/** Mails with an invitation that were queued for an address. */
async function mailsTo(email: string): Promise<number> {
  return (await api.control.all(sql`select id from user_mails where kind = 'invitation' and recipient = ${email}`)).length;
}

test('a form is one invitation and one mail, however often it is submitted, and its link stays valid', async () => {
  const { team } = await api.newMerchant();
  const owner = await signedIn(api, 'owner', team);
  const email = 'once@shop.example';
  const path = `${people(team)}/invite`;
  const form = { ...formToken((await owner.get(path)).text), email, role: 'support' };
  const answers = await Promise.all([owner.post(path, form), owner.post(path, form)]);
  answers.push(await owner.post(path, form));
  assert.deepEqual(new Set(answers.map(({ to }) => to)), new Set([`${people(team)}?done=invited`]));
  assert.equal(await mailsTo(email), 1);
  const link = await linkTo(email);
  const guest = new Person(api.url);
  const joined = await guest.submit(link, link, { name: 'Ona', new_password: PASSWORD, new_password_again: PASSWORD });
  assert.equal(joined.status, 303);
  assert.equal((await owner.post(path, form)).status, 303, 'also after the person has joined');
  // With something else typed it is another invitation.
  assert.equal((await owner.post(path, { ...form, email: 'twice@shop.example' })).status, 303);
  assert.deepEqual([await mailsTo(email), await mailsTo('twice@shop.example')], [1, 1]);
});

test('an invitation is sent again once for each form', async () => {
  const { team } = await api.newMerchant();
  const owner = await signedIn(api, 'owner', team);
  const email = 'again@shop.example';
  await invite(owner, team, email, 'support');
  const [row] = await api.control.all<{ id: string }>(sql`select id from user_links where email = ${email}`);
  const path = `${people(team)}/invitations/${row?.id}/resend`;
  for (const mails of [2, 3]) {
    const form = formToken((await owner.get(people(team))).text);
    const answers = await Promise.all([owner.post(path, form), owner.post(path, form)]);
    answers.push(await owner.post(path, form));
    assert.deepEqual(new Set(answers.map(({ to }) => to)), new Set([`${people(team)}?done=invited`]));
    assert.equal(await mailsTo(email), mails);
  }
});

test('an invitation is sent again, withdrawn, and ends with the role of whoever sent it', async () => {
  const { team } = await api.newMerchant();
  const owner = await signedIn(api, 'owner', team);
  const admin = await signedIn(api, 'admin', team);
  await invite(admin, team, 'guest@shop.example', 'support');
  const path = await linkTo('guest@shop.example');
  const id = /ulk_\w+/.exec(path)?.[0] as string;
  await api.control.run(sql`update user_links set expires_at = now() + interval '1 minute' where id = ${id}`);
  const action = (name: string) => owner.submit(people(team), `${people(team)}/invitations/${id}/${name}`);
  assert.equal((await action('resend')).status, 303);
  assert.equal(await linkTo('guest@shop.example'), path);
  const [row] = await api.control.all<{ renewed: boolean }>(sql`
    select expires_at > now() + interval '6 days' as renewed from user_links where id = ${id}`);
  assert.equal(row?.renewed, true);
  await api.control.run(sql`update user_links set expires_at = now() - interval '1 minute' where id = ${id}`);
  assert.equal((await action('resend')).status, 404, 'the page does not show it');
  await api.control.run(sql`update user_links set expires_at = now() + interval '1 minute' where id = ${id}`);
  assert.equal((await action('withdraw')).status, 303);
  assert.equal((await new Person(api.url).get(path)).status, 404);
  assert.deepEqual([(await action('resend')).status, (await action('withdraw')).status], [404, 303], 'it is withdrawn already');
  await invite(admin, team, 'friend@shop.example', 'support');
  const other = await linkTo('friend@shop.example');
  assert.equal((await new Person(api.url).get(other)).status, 200);
  await owner.submit(`${people(team)}/${admin.id}`, `${people(team)}/${admin.id}/remove`);
  assert.equal((await new Person(api.url).get(other)).status, 404);
  const foreign = await signedIn(api, 'owner', (await api.newMerchant()).team);
  assert.equal((await foreign.submit('/console/account', `${people(team)}/invitations/${id}/resend`)).status, 404);
});

test('an invitation of somebody who was disabled is not valid until somebody else sends it again', async () => {
  const { team } = await api.newMerchant();
  const [owner, admin] = [await signedIn(api, 'owner', team), await signedIn(api, 'admin', team)];
  const email = 'accomplice@shop.example';
  await invite(admin, team, email, 'admin');
  const path = await linkTo(email);
  const guest = new Person(api.url);
  const { text } = await guest.get(path);
  await api.control.run(sql`update users set disabled_at = now() where id = ${admin.id}`);
  const fields = { name: 'Accomplice', new_password: PASSWORD, new_password_again: PASSWORD };
  assert.equal((await guest.post(path, { ...formToken(text), ...fields })).status, 404);
  assert.equal((await guest.get(path)).status, 404);
  const id = /link\/(ulk_\w+)\./.exec(path)?.[1];
  assert.equal((await owner.submit(people(team), `${people(team)}/invitations/${id}/resend`)).status, 303);
  assert.equal((await guest.submit(path, path, fields)).status, 303);
});

test('only owners appoint owners, a team keeps one, and nobody raises their own role', async () => {
  const { team } = await api.newMerchant();
  const owner = await signedIn(api, 'owner', team);
  const admin = await signedIn(api, 'admin', team);
  const finance = await signedIn(api, 'finance', team);
  const give = (by: Person, to: Person, role: string) =>
    by.submit(`${people(team)}/${to.id}`, `${people(team)}/${to.id}/role`, { role });
  const remove = (by: Person, whom: Person) => by.submit(`${people(team)}/${whom.id}`, `${people(team)}/${whom.id}/remove`);
  const attempts: [string, () => Promise<Shown>, RegExp][] = [
    ['an admin makes an owner', () => give(admin, finance, 'owner'), /Only an owner/],
    ['an admin demotes an owner', () => give(admin, owner, 'support'), /Only an owner/],
    ['an admin removes an owner', () => remove(admin, owner), /Only an owner/],
    ['an admin invites an owner', () => invite(admin, team, 'x@shop.example', 'owner'), /Only an owner/],
    ['an admin becomes owner', () => give(admin, admin, 'owner'), /Nobody raises/],
    ['the last owner steps down', () => give(owner, owner, 'admin'), /keeps at least one owner/],
    ['the last owner leaves', () => remove(owner, owner), /keeps at least one owner/],
  ];
  for (const [name, act, text] of attempts) {
    const shown = await act();
    assert.deepEqual([shown.status, text.test(shown.text)], [409, true], name);
  }
  assert.deepEqual(
    [await roleOf(owner, team), await roleOf(admin, team), await roleOf(finance, team)],
    ['owner', 'admin', 'finance'],
  );
  for (const role of ['king', '', 'operator']) assert.equal((await give(owner, finance, role)).status, 404, role);
  assert.equal((await give(owner, admin, 'owner')).status, 303);
  assert.equal((await give(admin, owner, 'read_only')).status, 303);
  assert.equal((await give(owner, finance, 'admin')).status, 403, 'the former owner, in a session that was open before');
});

test('two owners who remove each other at the same time leave one', async () => {
  for (let round = 0; round < 5; round++) {
    const { team } = await api.newMerchant();
    const [a, b] = [await signedIn(api, 'owner', team), await signedIn(api, 'owner', team)];
    const token = async (person: Person) => formToken((await person.get(people(team))).text);
    const [tokenA, tokenB] = [await token(a), await token(b)];
    await Promise.all([
      a.post(`${people(team)}/${b.id}/remove`, tokenA),
      b.post(`${people(team)}/${a.id}/role`, { ...tokenB, role: 'support' }),
    ]);
    const [left] = await api.control.all<{ owners: number }>(sql`
      select count(*)::integer as owners from memberships where team_id = ${team.id} and role = 'owner'`);
    assert.equal(left?.owners, 1);
  }
});

test('whoever is removed loses the team at once, in a session that is open', async () => {
  const { team } = await api.newMerchant();
  const owner = await signedIn(api, 'owner', team);
  const support = await signedIn(api, 'support', team);
  const page = `/console/${team.id}/live/payments`;
  const token = formToken((await support.get(page)).text);
  const removal = formToken((await owner.get(`${people(team)}/${support.id}`)).text);
  for (let i = 0; i < 2; i++) {
    assert.equal((await owner.post(`${people(team)}/${support.id}/remove`, removal)).to, `${people(team)}?done=removed`);
  }
  const stranger = await signedIn(api, 'support');
  assert.equal((await owner.post(`${people(team)}/${stranger.id}/remove`, removal)).status, 404, 'who never was in the team');
  assert.equal((await support.get(page)).status, 404);
  assert.equal((await support.post(`${people(team)}/${owner.id}/remove`, token)).status, 404);
  assert.equal((await support.get('/console/account')).status, 200, 'the account stays');
});

for (const [name, values] of [
  ['remove', {}],
  ['role', { role: 'finance' }],
] as const)
  test(`409 for a form (${name}) of somebody who has left and joined again since it was opened: nothing changes`, async () => {
    const { team } = await api.newMerchant();
    const owner = await signedIn(api, 'owner', team);
    const support = await signedIn(api, 'support', team);
    const page = `${people(team)}/${support.id}`;
    const submit = async (form: Record<string, string>) => owner.post(`${page}/${name}`, { ...form, ...values });
    const form = hiddenOf(await owner.get(page));
    assert.equal((await submit(form)).status, 303);
    await api.control.run(sql`delete from memberships where user_id = ${support.id}`);
    await insertMembership(api.control, team.id, support.id, 'support');
    const again = await submit(form);
    assert.deepEqual([again.status, /joined it again since you opened the page/.test(again.text)], [409, true]);
    assert.equal(await roleOf(support, team), 'support');
    assert.equal((await submit(hiddenOf(again))).status, 303, 'the page that says so shows the present membership');
    assert.notEqual(await roleOf(support, team), 'support');
  });

test('people are changed only after a fresh factor', async () => {
  const { team } = await api.newMerchant();
  const owner = await signedIn(api, 'owner', team);
  const other = await signedIn(api, 'support', team);
  const token = formToken((await owner.get(people(team))).text);
  await api.control.run(sql`update console_sessions set proved_at = now() - interval '11 minutes' where user_id = ${owner.id}`);
  for (const path of ['/invite', `/${other.id}/role`, `/${other.id}/remove`]) {
    const shown = await owner.post(`${people(team)}${path}?from=${people(team)}`, {
      ...token,
      role: 'admin',
      email: 'y@shop.example',
    });
    assert.deepEqual([shown.status, /<h1>Confirm it is you/.test(shown.text)], [403, true], path);
  }
  assert.equal(await roleOf(other, team), 'support');
  assert.match((await owner.get(`${people(team)}/invite`)).to ?? '', /^\/console\/confirm/);
});

test('operators see all teams, and nobody else does', async () => {
  const operator = await signedIn(api, 'read_only');
  assert.equal((await operator.get('/console/operator')).status, 404);
  await api.control.run(sql`update users set operator = true where id = ${operator.id}`);
  const { team } = await api.newMerchant();
  const shown = await operator.get('/console/operator');
  assert.equal(shown.status, 200);
  assert.ok(shown.text.includes(String(team.id)));
  assert.equal((await operator.get(`/console/${team.id}/sandbox/payments`)).status, 404, 'seeing a team is not being in it');
});
