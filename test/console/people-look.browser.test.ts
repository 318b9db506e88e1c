import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { firstSignIn } from '../../src/program/start/first-sign-in.ts';
import { sql } from '../../src/kit/sql.ts';
import { hashPassword } from '../../src/tenants/people/passwords.ts';
import { axeFaults } from '../pages/axe.ts';
import { keepPicture } from '../pages/pictures.ts';
import { type Api, startApi } from '../setup/api.ts';
import { DESKTOP, type Found, newVisitor, openBrowser } from '../setup/browser.ts';
import { type Person, signedIn } from './people.ts';

const HANDSET = { width: 360, height: 740 };
const found: Found = await openBrowser();
let api: Api;
let owner: Person;
let pages: Record<string, string>;

before(async () => {
  api = await startApi({ workers: false });
  owner = await signedIn(api, 'owner', api.team, 'Awa Ngo');
  await signedIn(api, 'finance', api.team, 'Blaise Mbarga');
  const hash = await hashPassword('correct horse battery');
  await api.control.run(sql`update users set password = ${hash}, operator = true where id = ${owner.id}`);
  const people = `/console/${api.team.id}/sandbox/people`;
  await owner.submit(`${people}/invite`, `${people}/invite`, { email: 'guest@shop.example', role: 'support' });
  const account = '/console/account';
  pages = {
    'sign-in': '/console/sign-in',
    reset: '/console/reset',
    link: await firstSignIn(api.deps, api.team.id, Date.now()),
    ...{ account, codes: `${account}/codes`, password: `${account}/password`, passkeys: `${account}/passkeys` },
    ...{ confirm: '/console/confirm', people, invite: `${people}/invite`, member: `${people}/${owner.id}` },
    operator: '/console/operator',
  };
});
after(async () => {
  await found.browser?.close();
  await api.stop();
});

const LOOKS = {
  desktop: { viewport: DESKTOP },
  handset: { viewport: HANDSET, colorScheme: 'dark', locale: 'fr-FR' },
} as const;

for (const [look, options] of Object.entries(LOOKS)) {
  test(`pages about people are accessible and fit: ${look}`, { skip: found.missing }, async () => {
    // Passkeys need a host name.
    const origin = `http://localhost:${new URL(api.url).port}`;
    const { context, page, complaints } = await newVisitor(found.browser as NonNullable<Found['browser']>, options);
    for (const [name, path] of Object.entries(pages)) {
      const signedOut = ['sign-in', 'reset', 'link'].includes(name);
      const value = owner.cookies.get('pirogue_session') as string;
      if (!signedOut) await context.addCookies([{ name: 'pirogue_session', value, url: origin }]);
      const response = await page.goto(origin + path);
      assert.equal(response?.status(), 200, name);
      assert.deepEqual(await axeFaults(page), [], name);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, `${name} is too wide`);
      await keepPicture(page, `console-${name}-${look}`);
    }
    assert.deepEqual(complaints, []);
    await context.close();
  });
}
