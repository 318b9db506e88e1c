import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openOwner } from '../archive/fixture.ts';
import { axeFaults } from '../pages/axe.ts';
import { keepPicture } from '../pages/pictures.ts';
import { type Api, startApi } from '../setup/api.ts';
import { type Found, newContext, openBrowser } from '../setup/browser.ts';
import { fillFigures } from './figures.ts';
import { type Person, signedIn } from './people.ts';

const found: Found = await openBrowser();
let api: Api;
let owner: Person;
before(async () => {
  api = await startApi({ workers: false });
  const db = openOwner(api.databases.live);
  await fillFigures(db, api.team.id, Date.now());
  await db.close();
  owner = await signedIn(api, 'owner', api.team, 'Awa Ndiaye');
});
after(async () => {
  await found.browser?.close();
  await api.stop();
});

const LOOKS = [
  { name: 'console-home', width: 1280, colorScheme: 'light', javaScriptEnabled: true },
  { name: 'console-home-dark', width: 1280, colorScheme: 'dark', javaScriptEnabled: true },
  { name: 'console-home-390', width: 390, colorScheme: 'light', javaScriptEnabled: false },
  { name: 'console-home-360-dark', width: 360, colorScheme: 'dark', javaScriptEnabled: true },
] as const;

for (const { name, width, colorScheme, javaScriptEnabled } of LOOKS) {
  test(`the home page is accessible and fits its window: ${name}`, { skip: found.missing ?? false }, async () => {
    const context = await newContext(found.browser, { viewport: { width, height: 800 }, colorScheme, javaScriptEnabled });
    await context.addCookies([...owner.cookies].map(([cookie, value]) => ({ name: cookie, value, url: api.url })));
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(`${api.url}/console/${api.team.id}/live`);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    assert.ok(Number(overflow) <= 0, `${overflow} px too wide`);
    await page.getByText('Show as a table').first().click();
    assert.equal(await page.locator('table:visible', { hasText: 'Collected by day' }).locator('tbody tr').count(), 30);
    assert.ok(await page.getByRole('img', { name: /^Bar chart: FCFA [\d,]+ collected in 30 days/ }).isVisible());
    if (javaScriptEnabled) assert.deepEqual(await axeFaults(page), []);
    assert.deepEqual(errors, []);
    await page.getByText('Show as a table').first().click();
    await keepPicture(page, name);
    await context.close();
  });
}
