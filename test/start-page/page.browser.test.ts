import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { newFolder, type Program, startProgram } from '../ops/program.ts';
import { axeFaults } from '../pages/axe.ts';
import { DESKTOP, type Found, newVisitor, openBrowser, PHONE } from '../setup/browser.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';

const dataDir = newFolder();
let databases: Databases;
let program: Program;
let found: Found;
before(async () => {
  databases = await cloneDatabases();
  program = await startProgram({ dataDir, databases });
  found = await openBrowser();
});
after(async () => {
  await found.browser?.close();
  await program.stop();
  await databases.drop();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

const FORMS: Record<string, BrowserContextOptions> = {
  'start-phone': {},
  'start-phone-fr-dark': { locale: 'fr-CM', colorScheme: 'dark' },
  'start-desktop': { viewport: DESKTOP },
  'start-desktop-pt-dark': { viewport: DESKTOP, locale: 'pt-AO', colorScheme: 'dark' },
};

async function fits(page: Page, width: number, name: string): Promise<void> {
  assert.deepEqual(await axeFaults(page), [], name);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `${name} is not wider than the screen`);
}

for (const [name, options] of Object.entries(FORMS)) {
  test(`${name}: the page fits, axe finds no fault, and the browser has nothing to complain of`, async (t) => {
    if (!found.browser) return t.skip(found.missing);
    const { width } = (options.viewport ?? PHONE) as { width: number };
    const { context, page, complaints, traffic } = await newVisitor(found.browser, options);
    await page.goto(program.url);
    const { SHOTS } = process.env;
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
    await fits(page, width, name);
    assert.equal(traffic.length, 1, 'one request');
    const stale = await page.request.post(program.url, { headers: { accept: 'text/html' }, form: { nonce: 'x' } });
    assert.equal(stale.status(), 403);
    await page.setContent(await stale.text());
    await fits(page, width, `${name} with a message`);
    assert.deepEqual(complaints, []);
    await context.close();
  });
}

for (const javaScriptEnabled of [true, false]) {
  test(`a test payment is one click away and leads back, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async (t) => {
    if (!found.browser) return t.skip(found.missing);
    const { context, page, complaints } = await newVisitor(found.browser, { viewport: DESKTOP, javaScriptEnabled });
    // Its name, while the public address is the number: the policy of the page lets the form go nowhere else.
    const { port } = new URL(program.url);
    await page.goto(`http://localhost:${port}/`);
    await page.getByRole('button', { name: 'Make a test payment' }).click();
    await page.waitForURL(/\/pay\/test_/);
    assert.equal(new URL(page.url()).hostname, 'localhost');
    await page.locator('details[open] form button').click();
    const back = page.locator(`a[href^="http://localhost:${port}/"]`);
    await back.first().waitFor();
    await back.first().click();
    await page.getByRole('button', { name: 'Make a test payment' }).waitFor();
    assert.deepEqual(complaints, []);
    await context.close();
  });
}
