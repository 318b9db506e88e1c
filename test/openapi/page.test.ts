import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { buildDocument } from '../../src/edge/openapi/document.ts';
import { VERIFYING } from '../../src/edge/openapi/page/verifying.ts';
import { allRoutes } from '../../src/program/program.ts';
import { type Api, startApi } from '../setup/api.ts';
import { DESKTOP, type Found, newVisitor, openBrowser, PHONE } from '../setup/browser.ts';

const FOLDER = process.env.PICTURES ?? '.cache/pictures';

const found: Found = await openBrowser();
let api: Api;
before(async () => {
  fs.mkdirSync(FOLDER, { recursive: true });
  api = await startApi();
});
after(async () => {
  await found.browser?.close();
  await api.stop();
});

test('200 /openapi.json without a key: the document, with this installation as its server', async () => {
  const { status, headers, body } = await api.call('GET', '/openapi.json', { key: null });
  assert.equal(status, 200);
  assert.match(headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(headers.get('access-control-allow-origin'), '*');
  assert.deepEqual(body, JSON.parse(JSON.stringify(buildDocument(allRoutes(api.deps), api.url))));
  assert.equal(body.servers[0].url, api.url);
});

for (const target of ['/openapi.json', '/docs']) {
  test(`304 ${target} when the caller has the current version, 200 when it has another`, async () => {
    const etag = (await api.call('GET', target, { key: null })).headers.get('etag') as string;
    assert.match(etag, /^W\/"[\w-]{22}"$/);
    const again = await api.call('GET', target, { key: null, headers: { 'if-none-match': etag } });
    assert.deepEqual([again.status, again.body, again.headers.get('etag')], [304, '', etag]);
    const other = await api.call('GET', target, { key: null, headers: { 'if-none-match': 'W/"other"' } });
    assert.equal(other.status, 200);
  });

  test(`200 ${target} compressed for callers that accept it, with the same text for all`, async () => {
    const plain = await fetch(api.url + target, { headers: { 'accept-encoding': 'identity' } });
    assert.equal(plain.headers.get('content-encoding'), null);
    assert.equal(plain.headers.get('vary'), 'Accept-Encoding');
    const text = await plain.text();
    for (const encoding of ['br', 'gzip']) {
      const squeezed = await fetch(api.url + target, { headers: { 'accept-encoding': encoding } });
      assert.equal(squeezed.headers.get('content-encoding'), encoding);
      assert.equal(await squeezed.text(), text);
    }
    assert.throws(() => gunzipSync(Buffer.from(text)));
  });
}

test('the page allows only its own script and loads nothing from elsewhere', async () => {
  const { headers, body } = await api.call('GET', '/docs', { key: null });
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|\*|https:/);
  assert.equal(headers.get('x-frame-options'), 'DENY');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.deepEqual(body.match(/<(?:script|link|img|iframe)[^>]*(?:src|href)="(?!data:)[^"]*"/g), null);
  assert.doesNotMatch(body, / style="| on[a-z]+="/);
});

test('every operation, event type and object is on the page, and every link resolves', async () => {
  const { body: page } = await api.call('GET', '/docs', { key: null });
  const document = buildDocument(allRoutes(api.deps), api.url);
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]: string[]) => id));
  for (const methods of Object.values(document.paths))
    for (const { operationId, tags } of Object.values(methods))
      assert.ok(tags.includes('Subaccounts') || ids.has(operationId), operationId);
  for (const type of Object.keys(document.webhooks)) assert.ok(page.includes(`<code>${type}</code>`), type);
  const [words = ''] = page.split('<script>');
  const broken = [...words.matchAll(/href="#([^"]+)"/g)].map(([, id]: string[]) => id).filter((id) => !ids.has(id));
  assert.deepEqual(broken, []);
});

test('the code for signature verification on the page is correct', async () => {
  const { isOurs } = await import(`data:text/javascript,${encodeURIComponent(VERIFYING)}`);
  const at = String(Math.floor(Date.now() / 1000));
  const sign = (time: string, body: string) => `v1=${createHmac('sha256', 'whsec_a').update(`${time}.${body}`).digest('hex')}`;
  const headers = (signature: string, time = at) => ({ 'x-service-signature': signature, 'x-service-timestamp': time });
  assert.equal(isOurs(headers(sign(at, '{}')), '{}', 'whsec_a'), true);
  assert.equal(isOurs(headers(sign(at, '{}')), '{ }', 'whsec_a'), false);
  assert.equal(isOurs(headers(sign(at, '{}')), '{}', 'whsec_b'), false);
  assert.equal(isOurs(headers(sign(at, '{}').slice(3)), '{}', 'whsec_a'), false);
  assert.equal(isOurs(headers(sign(at, '{}').slice(0, -1)), '{}', 'whsec_a'), false);
  assert.equal(isOurs(headers(sign('1000', '{}'), '1000'), '{}', 'whsec_a'), false);
});

describe('in a browser', { skip: found.missing ?? false }, () => {
  const visit = (options: object) => newVisitor(found.browser as NonNullable<Found['browser']>, options);

  for (const [name, options] of Object.entries({
    'docs-desktop': { viewport: { width: 1440, height: 900 } },
    'docs-dark': { viewport: DESKTOP, colorScheme: 'dark' },
    'docs-phone': { viewport: { width: 390, height: 780 }, deviceScaleFactor: 2 },
    'docs-smallest': { viewport: PHONE },
    'docs-no-script': { viewport: DESKTOP, javaScriptEnabled: false },
  })) {
    test(`${name}: nothing is wider than the screen, too low in contrast or too small`, async () => {
      const { page, context, complaints } = await visit(options);
      await page.goto(`${api.url}/docs`);
      await page.screenshot({ path: path.join(FOLDER, `${name}.png`) });
      await page.goto(`${api.url}/docs#createPayment`);
      await page.locator('#createPayment').waitFor();
      await page.screenshot({ path: path.join(FOLDER, `${name}-operation.png`) });
      assert.deepEqual(complaints, []);
      if (name !== 'docs-no-script') assert.deepEqual(await page.evaluate(FAULTS), []);
      await context.close();
    });
  }

  test('the search shows entries that contain the words, and all entries when it is cleared', async () => {
    const { page, context, complaints } = await visit({ viewport: DESKTOP });
    await page.goto(`${api.url}/docs`);
    const shown = () => page.locator('main section:visible h3').allTextContents();
    const all = (await shown()).length;
    await page.keyboard.press('/');
    await page.keyboard.type('refund a payment');
    assert.deepEqual(await shown(), ['List the refunds of a payment', 'Refund a payment']);
    await page.locator('#search').fill('insufficient_balance');
    assert.ok((await shown()).includes('Create a transfer'));
    await page.locator('#search').fill('no such words at all');
    assert.deepEqual([await shown(), await page.locator('.nothing').isVisible()], [[], true]);
    await page.locator('#search').press('Escape');
    assert.equal((await shown()).length, all);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  test('a payment is created and read with a public sandbox key, which only this tab stores', async () => {
    const { page, context, complaints } = await visit({ viewport: DESKTOP });
    await page.goto(`${api.url}/docs#createPayment`);
    const form = page.locator('#createPayment .try');
    await form.locator('summary').click();
    await form.getByLabel('Public sandbox key').fill(api.keys.sandbox.public);
    await form.getByRole('button', { name: 'Send' }).click();
    await form.locator('.result .good').waitFor();
    assert.match((await form.locator('.result').textContent()) ?? '', /^201 .*req_/);
    assert.match((await form.getByRole('link').getAttribute('href')) ?? '', /\/pay\//);
    await page.screenshot({ path: path.join(FOLDER, 'docs-try.png') });
    const other = page.locator('#retrievePayment .try');
    await other.locator('summary').click();
    await other.getByRole('button', { name: 'Send' }).click();
    await other.locator('.result .good').waitFor();
    assert.match((await other.locator('.result pre').textContent()) ?? '', /"status": "pending"/);
    const kept = await page.evaluate('[JSON.stringify(sessionStorage), localStorage.length, document.cookie]');
    assert.deepEqual(kept, [JSON.stringify({ 'pirogue-sandbox-key': api.keys.sandbox.public }), 0, '']);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  test('a secret key is neither sent nor stored', async () => {
    const { page, context } = await visit({ viewport: DESKTOP });
    const sent: string[] = [];
    page.on('request', (request) => sent.push(new URL(request.url()).pathname));
    await page.goto(`${api.url}/docs#listPayments`);
    const form = page.locator('#listPayments .try');
    await form.locator('summary').click();
    await form.getByLabel('Public sandbox key').fill(api.keys.sandbox.secret);
    await form.getByRole('button', { name: 'Send' }).click();
    assert.match((await form.locator('.result').textContent()) ?? '', /public sandbox key/);
    assert.deepEqual(sent, ['/docs']);
    assert.equal(await page.evaluate('sessionStorage.length'), 0);
    await context.close();
  });
});

/** Runs in the page: what is cut off, too small for a thumb (44 px; links of the contents 24) or too pale to read (4.5:1). */
const FAULTS = `(() => {
  const faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push('wider than the screen: ' + document.documentElement.scrollWidth);
  const shown = (element) => element.checkVisibility();
  for (const control of [...document.querySelectorAll('button, summary, input, textarea')].filter(shown)) {
    const { width, height } = control.getBoundingClientRect();
    if (height < 44 || width < 44) faults.push('small: ' + control.outerHTML.slice(0, 80) + ' ' + width + 'x' + height);
  }
  const numbers = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (color) => {
    const [r, g, b] = numbers(color).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const color = element ? getComputedStyle(element).backgroundColor : 'rgb(255, 255, 255)';
    return numbers(color)[3] === 0 ? behind(element.parentElement) : color;
  };
  for (const element of [...document.body.querySelectorAll('*')].filter(shown)) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join('').trim();
    if (!text || /^(SCRIPT|STYLE|NOSCRIPT)$/.test(element.tagName)) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) faults.push('pale: ' + text.slice(0, 60) + ' ' + ((a + 0.05) / (b + 0.05)).toFixed(2));
  }
  if (document.querySelectorAll('h1').length !== 1) faults.push('not exactly one h1');
  for (const control of document.querySelectorAll('input, textarea')) if (control.labels.length !== 1) faults.push('no label: ' + control.outerHTML);
  const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
  if (new Set(ids).size !== ids.length) faults.push('an id twice: ' + ids.filter((id, i) => ids.indexOf(id) !== i));
  return [...new Set(faults)].slice(0, 20);
})()`;
