import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { hashPassword } from '../../src/tenants/people/passwords.ts';
import { insertMembership, insertUser } from '../../src/tenants/people/store.ts';
import { axeFaults } from '../pages/axe.ts';
import { type Api, startApi } from '../setup/api.ts';
import { type Found, newVisitor, openBrowser } from '../setup/browser.ts';

const PASSWORD = 'correct horse battery';
const found: Found = await openBrowser();
let api: Api;
/** Passkeys need a host name. */
let origin: string;

before(async () => {
  api = await startApi({ workers: false });
  origin = `http://localhost:${new URL(api.url).port}`;
});
after(async () => {
  await found.browser?.close();
  await api.stop();
});

async function member(): Promise<{ id: string; email: string }> {
  const id = newId('usr', 'live', Date.now());
  const email = `${id}@shop.example`;
  const user = { id, email, name: 'Awa Ngo', password: await hashPassword(PASSWORD), locale: 'en', operator: false };
  await insertUser(api.deps.stores.control, user);
  await insertMembership(api.deps.stores.control, api.team.id, id, 'owner');
  return { id, email };
}

/** An authenticator that verifies its user, as a phone does by a fingerprint. */
async function authenticatorOf(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
  });
  return { session, authenticatorId };
}

async function enter(page: Page, email: string): Promise<void> {
  await page.goto(`${origin}/console/sign-in`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test('a passkey is registered, signs in and confirms, and is removed', { skip: found.missing }, async () => {
  const { id, email } = await member();
  const { page, context, complaints } = await newVisitor(found.browser as NonNullable<Found['browser']>);
  const { session, authenticatorId } = await authenticatorOf(page);
  await enter(page, email);
  await page.goto(`${origin}/console/account/passkeys`);
  assert.deepEqual(await axeFaults(page), []);
  await page.getByLabel('Name of the device').fill('Test phone');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor();
  assert.equal(await page.locator('.codes li').count(), 10);
  await page.getByRole('link', { name: 'I have kept them' }).click();
  await page.getByText('1 registered').waitFor();
  assert.deepEqual(await axeFaults(page), []);

  // The password alone does not sign in any more.
  await page.getByRole('button', { name: 'Sign out' }).last().click();
  await enter(page, email);
  await page.getByRole('heading', { name: 'Confirm it is you' }).waitFor();
  await page.goto(`${origin}/console/sign-in?to=/console/account`);
  assert.deepEqual(await axeFaults(page), []);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('heading', { name: 'Your account' }).waitFor();

  await api.control.run(sql`update console_sessions set proved_at = now() - interval '11 minutes' where user_id = ${id}`);
  await page.goto(`${origin}/console/account/passkeys`);
  await page.getByRole('heading', { name: 'Confirm it is you' }).waitFor();
  await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
  await page.getByText('Test phone').waitFor();
  // A form whose factor has expired is carried out with the passkey.
  await page.goto(`${origin}/console/${api.team.id}/live/settings/languages`);
  await page.getByLabel('Language', { exact: true }).selectOption('pt');
  await api.control.run(sql`update console_sessions set proved_at = now() - interval '11 minutes' where user_id = ${id}`);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Confirm it is you' }).waitFor();
  assert.deepEqual(await axeFaults(page), []);
  await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
  await page.getByText('The language was saved.').waitFor();
  assert.equal(await page.getByLabel('Language', { exact: true }).inputValue(), 'pt');
  await page.goto(`${origin}/console/account/passkeys`);

  const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
  assert.equal(credentials.length, 1);

  await page.getByRole('button', { name: 'Remove Test phone' }).click();
  await page.getByText('None yet').waitFor();
  await context.clearCookies();
  await page.goto(`${origin}/console/sign-in`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.locator('main > .alert').waitFor();
  assert.match((await page.locator('main > .alert').textContent()) ?? '', /The passkey was not used/);
  const actions = await api.control.all<{ action: string }>(sql`
    select action from audit_entries where resource_id = ${id} order by id`);
  assert.deepEqual(
    actions.map(({ action }) => action),
    ['person.passkey_add', 'person.passkey_remove'],
  );
  assert.deepEqual(complaints, []);
  await context.close();
});

test('an answer of a passkey is accepted once, in its browser, and not after its time', { skip: found.missing }, async () => {
  const { email } = await member();
  const { page, context } = await newVisitor(found.browser as NonNullable<Found['browser']>);
  await authenticatorOf(page);
  await enter(page, email);
  await page.goto(`${origin}/console/account/passkeys`);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor();

  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/sign-in/passkey')) sent.push(request.postData() ?? '');
  });
  await page.goto(`${origin}/console/account`);
  await page.getByRole('button', { name: 'Sign out' }).last().click();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.waitForURL(/sandbox|console\/?$/);
  const answer = new URLSearchParams(sent[0]).get('answer') as string;
  assert.match(answer, /"type":"public-key"/);

  const cookies = await context.cookies();
  const replay = async (jar: string) => {
    const page_ = await fetch(`${origin}/console/sign-in`, { headers: { cookie: jar, 'accept-language': 'en' } });
    const browser = page_.headers.getSetCookie().map((line) => line.split(';')[0])[0] ?? jar;
    const _form = /name="_form" value="([^"]+)"/.exec(await page_.text())?.[1] as string;
    const response = await fetch(`${origin}/console/sign-in/passkey`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: browser, 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'en' },
      body: new URLSearchParams({ _form, answer }).toString(),
    });
    return response.status;
  };
  const own = cookies.find(({ name }) => name === 'pirogue_browser');
  assert.equal(await replay(`pirogue_browser=${own?.value}`), 422, 'replayed in the same browser');
  assert.equal(await replay('pirogue_lang=en'), 422, 'in another browser');
  await context.close();
});

test('without a host name there are no passkeys, and the page works by password', { skip: found.missing }, async () => {
  const { email } = await member();
  const { page, context, complaints } = await newVisitor(found.browser as NonNullable<Found['browser']>, {
    javaScriptEnabled: false,
  });
  await page.goto(`${api.url}/console/sign-in`);
  assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).count(), 0);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('link', { name: 'Later' }).click();
  await page.goto(`${origin}/console/sign-in`);
  assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible(), false, 'without script');
  assert.deepEqual(complaints, []);
  await context.close();
});
