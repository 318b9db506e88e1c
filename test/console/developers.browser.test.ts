import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axeFaults } from '../pages/axe.ts';
import { keepPicture } from '../pages/pictures.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { DESKTOP, type Found, newVisitor, openBrowser } from '../setup/browser.ts';
import { type Receiver, startReceiver } from '../setup/receiver.ts';
import { type Person, signedIn } from './people.ts';

const HANDSET = { width: 360, height: 740 };
const found: Found = await openBrowser();
let api: Api;
let receiver: Receiver;
let owner: Person;
let base: string;
let pages: Record<string, string>;

before(async () => {
  receiver = await startReceiver();
  receiver.behave(503, '/hooks/accounting');
  api = await startApi();
  owner = await signedIn(api, 'owner', api.team, 'Awa Ngo');
  base = `/console/${api.team.id}/sandbox`;
  const url = `${receiver.url}/hooks/accounting`;
  const { webhook } = (await api.call('POST', '/webhooks', { body: { url, events: ['payment.*', 'customer.created'] } })).body;
  await api.call('POST', '/customers', { body: { name: 'Moussa Diop', email: 'moussa@payer.example' } });
  const deliveries = () => api.call('GET', `/webhooks/${webhook.id}/deliveries`).then(({ body }) => body.items);
  const [delivery] = await until(deliveries, (items) => items.length > 0);
  const { id: key } = await api.newKey(api.team, 'sandbox', 'restricted', {
    scopes: ['payment.read'],
    allowed_ips: ['10.0.0.0/8'],
  });
  const [endpoints, keys] = [`${base}/developers/endpoints`, `${base}/developers/keys`];
  pages = {
    ...{ endpoints, 'endpoint-new': `${endpoints}/new`, endpoint: `${endpoints}/${webhook.id}` },
    ...{ rotate: `${endpoints}/${webhook.id}/rotate`, delete: `${endpoints}/${webhook.id}/delete` },
    ...{ events: `${base}/developers/events`, event: `${base}/developers/events/${delivery.event_id}` },
    ...{ keys, 'key-new': `${keys}/new`, key: `${keys}/${key}`, roll: `${keys}/${key}/roll`, revoke: `${keys}/${key}/revoke` },
    ...{ sandbox: `${base}/developers/sandbox`, settings: `${base}/settings` },
  };
});
after(async () => {
  await found.browser?.close();
  await api.stop();
  await receiver.close();
});

const LOOKS = {
  desktop: { viewport: DESKTOP },
  handset: { viewport: HANDSET, colorScheme: 'dark', locale: 'fr-FR' },
} as const;

async function signedInBrowser(options: Parameters<typeof newVisitor>[1]) {
  const visitor = await newVisitor(found.browser as NonNullable<Found['browser']>, options);
  await visitor.context.addCookies([...owner.cookies].map(([name, value]) => ({ name, value, url: api.url })));
  return visitor;
}

for (const [look, options] of Object.entries(LOOKS)) {
  test(`pages for developers are accessible and fit: ${look}`, { skip: found.missing }, async () => {
    const { context, page, complaints } = await signedInBrowser(options);
    for (const [name, path] of Object.entries(pages)) {
      const response = await page.goto(api.url + path);
      assert.equal(response?.status(), 200, name);
      assert.ok(((await response?.request().sizes())?.responseBodySize ?? Number.NaN) <= 40_000, name);
      assert.deepEqual(await axeFaults(page), [], name);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, `${name} is too wide`);
    }
    assert.deepEqual(complaints, []);
    if (look === 'desktop') {
      await page.goto(api.url + pages.endpoint);
      await keepPicture(page, 'console-endpoint');
    }
    await context.close();
  });
}

test('a restricted key is made, copied from the page and used, without script too', { skip: found.missing }, async () => {
  for (const javaScriptEnabled of [true, false]) {
    const { context, page, complaints } = await signedInBrowser({ viewport: DESKTOP, javaScriptEnabled });
    await page.goto(`${api.url}${base}/developers/keys/new`);
    await page.getByLabel('Read, resource.read').check();
    await page.getByRole('button', { name: 'Create a key' }).click();
    const key = await page.locator('.secret code').innerText();
    assert.match(key, /^rk_test\.[0-9A-Za-z]{43}$/);
    assert.equal((await api.call('GET', '/channels', { key })).status, 200);
    assert.equal((await api.call('GET', '/payments', { key })).status, 403);
    await page.getByRole('link', { name: 'I have stored it' }).click();
    await page.getByRole('link', { name: 'Roll the key' }).waitFor();
    assert.ok(!(await page.content()).includes(key));
    assert.deepEqual(complaints, []);
    await context.close();
  }
});
