import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { newBrowser } from '../../src/edge/pages/browser.ts';
import { openLinkPages, showLink, submitLink } from '../../src/edge/links/handlers.ts';
import { sql } from '../../src/kit/sql.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';
import { untilLocked } from '../setup/locks.ts';
import { LinkBrowser, newLink, payBy } from './browser.ts';

const clock = new FakeClock();
const api = await startApi({ clock });
after(() => api.stop());

const merchant = await api.newMerchant({ verification_level: 1 });
const key = merchant.live.secret;

const paymentsOf = async (id: string) => (await api.call('GET', `/links/${id}/payments`, { key })).body.items;
const linkOf = async (id: string) => (await api.call('GET', `/links/${id}`, { key })).body.link;
const change = (id: string, body: object) => api.call('PATCH', `/links/${id}`, { key, body });
const later = (ms: number) => new Date(clock.now() + ms).toISOString();

test('200 the page shows merchant, purpose, amount, fields and language, and loads nothing from elsewhere', async () => {
  const { url } = await newLink(api, key, { description: 'Mondays <b>at six</b>', collect: ['name', 'phone', 'email'] });
  const { status, text, headers } = await new LinkBrowser(url).open({ 'accept-language': 'fr-CM,fr;q=0.9' });
  assert.equal(status, 200);
  assert.match(text, /<html lang="fr">/);
  for (const part of ['Chez Awa', 'Evening class', '1\u202f000', 'Numéro de téléphone', 'Continuer'])
    assert.ok(text.includes(part), part);
  assert.ok(text.includes('Mondays &lt;b&gt;at six&lt;/b&gt;'));
  assert.doesNotMatch(text, /(src|href)="https?:/);
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.match(headers.get('set-cookie') ?? '', /HttpOnly; SameSite=Lax/);
  assert.match((await new LinkBrowser(url).open({ 'accept-language': 'de' })).text, /<html lang="en">/);
  assert.equal((await fetch(url, { method: 'HEAD' })).status, 200);
  assert.equal(headers.get('content-encoding'), 'gzip', 'as small as it can be, as the browser wishes');
});

test('the merchant sets language and colour; the payer can choose another language, which is kept on the next page', async () => {
  const { url } = await newLink(api, key, { theming: { color: '#7a1f5c', locale: 'fr' } });
  const { text, headers } = await new LinkBrowser(url).open({ 'accept-language': 'en' });
  assert.match(text, /<html lang="fr">/);
  assert.match(text, /--brand:#7a1f5c/);
  const style = /<style>(:root\{--brand[^<]*)<\/style>/.exec(text)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  assert.ok(headers.get('content-security-policy')?.includes(hash), 'the policy allows the merchant’s colours');
  const browser = new LinkBrowser(`${url}?lang=en`);
  assert.match((await browser.open()).text, /<html lang="en">/);
  const page = await browser.submit({ phone: '670100000' });
  assert.match(page.headers.get('location') ?? '', /\/pay\/[^?]+\?lang=en$/);
  assert.equal((await new LinkBrowser(`${url}?lang=xx`).open()).headers.get('content-language'), 'fr');
});

test('303 to the hosted page of a new payment, with the data of the link and of the payer', async () => {
  const { id, url } = await newLink(api, key, {
    collect: ['name', 'email'],
    callback: 'https://shop.example/thanks',
    metadata: { course: 'evening' },
  });
  const { status, headers } = await payBy(url, { name: 'Awa Ngo', email: 'awa@example.com', phone: 'not asked' });
  assert.equal(status, 303);
  assert.match(headers.get('location') ?? '', new RegExp(`^${api.url}/pay/`));
  assert.equal((await fetch(headers.get('location') ?? '')).status, 200);
  const [payment] = await paymentsOf(id);
  const { transaction } = (await api.call('GET', `/payments/${payment.id}`, { key })).body;
  const { amount, currency, status: state, description, callback, metadata, customer } = transaction;
  assert.deepEqual(
    { amount, currency, state, description, callback, metadata },
    {
      amount: 1_000,
      currency: 'XAF',
      state: 'pending',
      description: 'Evening class',
      callback: 'https://shop.example/thanks',
      metadata: { course: 'evening', link: id },
    },
  );
  const { name, email, phone } = (await api.call('GET', `/customers/${customer}`, { key })).body.customer;
  assert.deepEqual({ name, email, phone }, { name: 'Awa Ngo', email: 'awa@example.com', phone: null });
  const counted = await linkOf(id);
  assert.deepEqual([counted.payments, counted.payments_open, counted.payments_succeeded], [1, 1, 0]);
});

test('422 for an amount that no channel collects, on a link without bounds', async () => {
  const { url } = await newLink(api, key, { amount: null });
  const page = await payBy(url, { amount: '50000001', phone: '670100001' });
  assert.equal(page.status, 422);
  assert.match(page.text, /The merchant cannot take this amount in one payment\./);
});

test('a link without an amount accepts what the payer enters, within its bounds', async (t) => {
  const { id, url } = await newLink(api, key, { amount: null, min_amount: 500, max_amount: 5_000_000 });
  const tries: [string, number, number?][] = [
    ['500', 303, 500],
    ['5 000', 303, 5_000],
    ['5\u202f000', 303, 5_000],
    ['750,00', 303, 750],
    ['499', 422],
    ['5000001', 422],
    ['5,001', 303, 5_001],
    ['5.002', 303, 5_002],
    ['5,00,0', 422],
    ['700.50', 422],
    ['-500', 422],
    ['1e3', 422],
    ['', 422],
    ['5000 XAF', 422],
    ['99999999999999999999', 422],
  ];
  for (const [typed, status, amount] of tries) {
    // Ids of one millisecond are in no order.
    clock.advance(1);
    await t.test(`${status} for "${typed}"`, async () => {
      const page = await payBy(url, { amount: typed, phone: '670100000' });
      assert.equal(page.status, status);
      if (amount !== undefined) assert.equal((await paymentsOf(id))[0].amount, amount);
      else assert.match(page.text, /aria-invalid/);
    });
  }
});

test('a link without bounds rejects less than the minimum of a channel, with a message', async () => {
  const { url } = await newLink(api, key, { amount: null });
  assert.match((await new LinkBrowser(url).open({ 'accept-language': 'en' })).text, /At least FCFA\s100\./);
  assert.equal((await payBy(url, { amount: '99', phone: '670100000' })).status, 422);
  assert.equal((await payBy(url, { amount: '100', phone: '670100000' })).status, 303);
});

test('422 invalid input returns the form with an error at the field, escaped, and creates nothing', async () => {
  const { id, url } = await newLink(api, key, { collect: ['name', 'email', 'phone'] });
  const good = { name: 'Awa', email: 'awa@example.com', phone: '670100000' };
  const tries: [string, string][] = [
    ['name', '   '],
    ['name', '"><script>alert(1)</script>\u0000'],
    ['name', '4242 4242 4242 4242'],
    ['email', 'awa'],
    ['email', ''],
    ['phone', '12'],
    ['phone', '4242424242424242'],
    ['phone', 'call me'],
  ];
  for (const [field, value] of tries) {
    const { status, text } = await payBy(url, { ...good, [field]: value });
    assert.equal(status, 422, `${field} ${value}`);
    assert.match(text, new RegExp(`id="${field}"[^>]*aria-invalid`));
    assert.ok(!text.includes('<script>alert'));
  }
  assert.deepEqual(await paymentsOf(id), []);
  assert.equal((await linkOf(id)).payments, 0);
});

test('a double tap, or a form sent again from the history, is one payment; changed input is another', async () => {
  const { id, url } = await newLink(api, key);
  const browser = new LinkBrowser(url);
  await browser.open();
  const pages = await Promise.all(Array.from({ length: 8 }, () => browser.submit({ phone: '670100000' })));
  const places = new Set(pages.map(({ headers }) => headers.get('location')));
  assert.deepEqual([places.size, pages[0]?.status], [1, 303]);
  assert.equal((await browser.submit({ phone: '670100000' })).headers.get('location'), pages[0]?.headers.get('location'));
  assert.equal((await linkOf(id)).payments, 1);
  await browser.submit({ phone: '670100001' });
  await browser.open();
  await browser.submit({ phone: '670100000' });
  assert.equal((await linkOf(id)).payments, 3);
});

test('403 a form without its token, or from another browser, link or site', async () => {
  const [one, two] = [await newLink(api, key), await newLink(api, key)];
  const [mine, theirs, elsewhere] = [new LinkBrowser(one.url), new LinkBrowser(one.url), new LinkBrowser(two.url)];
  for (const browser of [mine, theirs, elsewhere]) await browser.open();
  const status = async (browser: LinkBrowser, headers = {}) => (await browser.submit({ phone: '670100000' }, headers)).status;
  const stolen = new LinkBrowser(one.url);
  stolen.hidden = { ...mine.hidden };
  assert.equal(await status(stolen), 403, 'no cookie');
  stolen.hidden = { ...mine.hidden };
  stolen.cookie = theirs.cookie;
  assert.equal(await status(stolen), 403, 'the cookie of another');
  elsewhere.hidden = { ...mine.hidden };
  assert.equal(await status(elsewhere), 403, 'the form of another link');
  assert.equal(await status(mine, { origin: 'https://evil.example' }), 403, 'another site');
  const nonce = new LinkBrowser(one.url);
  await nonce.open();
  nonce.hidden.nonce = 'A'.repeat(22);
  assert.equal(await status(nonce), 403, 'a nonce of its own');
  assert.deepEqual([(await linkOf(one.id)).payments, (await linkOf(two.id)).payments], [0, 0]);
});

test('404 an address that is not a link or is incomplete, without asking for a key', async () => {
  const { url } = await newLink(api, key);
  const last = url.at(-3) === 'A' ? 'B' : 'A';
  for (const wrong of [
    `${url.slice(0, -3)}${last}${url.slice(-2)}`,
    `${api.url}/l/x`,
    `${api.url}/l/`,
    `${api.url}/l/a/b`,
    `${url}0`,
  ]) {
    const page = await new LinkBrowser(wrong).open();
    assert.deepEqual([page.status, page.headers.get('content-type')], [404, 'text/html; charset=utf-8'], wrong);
    assert.equal((await fetch(wrong, { method: 'POST', body: new URLSearchParams({ phone: '1' }) })).status, 404, wrong);
  }
});

test('410 while a link is switched off, and 200 after it is switched on again', async () => {
  const { id, url } = await newLink(api, key);
  const browser = new LinkBrowser(url);
  await browser.open();
  await change(id, { active: false });
  assert.equal((await new LinkBrowser(url).open()).status, 410);
  assert.equal((await browser.submit({ phone: '670100000' })).status, 410, 'a form that was open before');
  await change(id, { active: true });
  assert.equal((await browser.submit({ phone: '670100000' })).status, 303);
});

test('409 when the amount is changed while a form is submitted: nothing is created at the old one, and the form has the new one', async () => {
  const { id, url } = await newLink(api, key);
  const browser = new LinkBrowser(url);
  await browser.open();
  const owner = openPool({ url: api.databases.live, size: 1, log: api.deps.log });
  const submitted = await owner.transaction(async (tx) => {
    await tx.run(sql`update links set amount_minor = 150000 where id = ${id}`);
    const page = browser.submit({ phone: '670100000' });
    await untilLocked(api.databases.live, 'from links');
    return { page };
  });
  await owner.close();
  const { status, text } = await submitted.page;
  assert.deepEqual([status, (await linkOf(id)).payments], [409, 0]);
  assert.match(text, /role="alert">The merchant has changed the amount/);
  assert.match(text, /1,500/);
  assert.equal((await browser.submit({ phone: '670100000' })).status, 303);
  assert.deepEqual(
    (await paymentsOf(id)).map(({ amount }: { amount: number }) => amount),
    [1_500],
  );
});

test('410 from the expiry on; the worker emits one event; a later expiry reopens the link', async () => {
  const { id, url } = await newLink(api, key, { expires_at: later(60_000) });
  const browser = new LinkBrowser(url);
  await browser.open();
  clock.advance(60_000);
  assert.equal((await browser.submit({ phone: '670100000' })).status, 410);
  const link = await until(
    () => linkOf(id),
    ({ status }) => status === 'expired',
  );
  const all = (await api.call('GET', '/events?type=link.updated', { key })).body.items;
  const events = all.filter(({ data }: { data: { id: string } }) => data.id === id);
  assert.deepEqual(
    events.map(({ data }: { data: object }) => data),
    [link],
  );
  assert.deepEqual(Object.keys((await change(id, { active: true })).body.errors), ['expires_at']);
  assert.equal((await change(id, { expires_at: later(60_000) })).body.link.status, 'active');
  assert.equal((await browser.open()).status, 200);
});

test('402 with an explanation for a team that is not verified', async () => {
  const team = await api.newMerchant();
  const { id, url } = await newLink(api, team.live.secret);
  const { status, text } = await new LinkBrowser(url).open();
  assert.equal(status, 402);
  assert.match(text, /cannot take payments yet/);
  const browser = new LinkBrowser((await newLink(api, key)).url);
  await browser.open();
  assert.equal((await api.call('GET', `/links/${id}/payments`, { key: team.live.secret })).body.meta.total, 0);
});

test('422 above the transaction limit of the team, and for a blocked customer: the form shows a message', async () => {
  const high = await newLink(api, key, { amount: 500_001 });
  assert.equal((await payBy(high.url)).status, 422);
  const { body } = await api.call('POST', '/customers', { key, body: { phone: '+237670100077' } });
  await api.call('POST', `/customers/${body.customer.id}/block`, { key });
  const open = await newLink(api, key);
  const { status, text } = await payBy(open.url, { phone: '670100077' });
  assert.equal(status, 422);
  assert.match(text, /role="alert"/);
  assert.deepEqual([(await linkOf(high.id)).payments, (await linkOf(open.id)).payments], [0, 0]);
});

test('429 for too many submits of one link from one address; other links still accept them', async () => {
  clock.advance(60_000);
  const { url } = await newLink(api, key);
  const browser = new LinkBrowser(url);
  await browser.open();
  for (let i = 0; i < 20; i++) assert.equal((await browser.submit({ phone: 'x' })).status, 422);
  const page = await browser.submit({ phone: '670100000' });
  assert.equal(page.status, 429);
  assert.ok(Number(page.headers.get('retry-after')) > 0);
  assert.equal((await payBy((await newLink(api, key)).url)).status, 303);
});

/** The link's desk without the framework, so that requests can come from any address. */
function deskOf(url: string) {
  const context = openLinkPages(api.deps);
  const token = url.slice(url.lastIndexOf('/') + 1);
  const from = (ip: string) => ({
    ...{ token, language: 'en' as const, chosen: null, accepts: undefined, browser: newBrowser(), known: true, crossSite: false },
    ...{ ip, request_id: 'req_1' },
  });
  const post = async (ip: string, forged = false) => {
    const visit = from(ip);
    const shown = await showLink(context, visit);
    assert.ok('page' in shown);
    const hidden = [...shown.page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
    const fields = forged ? {} : Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
    const answer = await submitLink(context, visit, { ...fields, phone: 'x' });
    return 'status' in answer ? answer.status : 303;
  };
  return { post, read: async (ip: string) => ((await showLink(context, from(ip))) as { status: number }).status };
}

test('429 for too many submits of one link in a minute, from any addresses', async () => {
  clock.advance(60_000);
  const { post } = deskOf((await newLink(api, key)).url);
  const statuses: number[] = [];
  for (let i = 0; i <= 120; i++) statuses.push(await post(`192.0.2.${i}`));
  assert.deepEqual([statuses.slice(0, 120).every((status) => status === 422), statuses[120]], [true, 429]);
});

test('posts without a form of ours count against nobody: a payer at the same address still pays', async () => {
  clock.advance(60_000);
  const { post } = deskOf((await newLink(api, key)).url);
  for (let i = 0; i < 140; i++) assert.equal(await post(`2001:db8:0:1::${i.toString(16)}`, true), 403);
  assert.equal(await post('2001:db8:0:1::1'), 422);
  assert.equal(await post('2001:db8:0:2::1'), 422);
});

test('a /64 of IPv6 is one address: the twenty-first submit from anywhere in it is 429, and one from beside it is not', async () => {
  clock.advance(60_000);
  const { post } = deskOf((await newLink(api, key)).url);
  for (let i = 0; i < 20; i++) assert.equal(await post(`2001:db8:0:1:${i}::1`), 422);
  assert.equal(await post('2001:db8:0:1::ffff'), 429);
  assert.equal(await post('2001:db8:0:2::1'), 422);
});

test('429 for more than 300 requests for the page from one address; others still read it', async () => {
  clock.advance(60_000);
  const { read } = deskOf((await newLink(api, key)).url);
  for (let i = 0; i < 300; i++) assert.equal(await read('192.0.2.1'), 200);
  assert.deepEqual([await read('192.0.2.1'), await read('192.0.2.2')], [429, 200]);
  clock.advance(60_000);
  assert.equal(await read('192.0.2.1'), 200);
});

test('a payment created through a link can be charged for 30 minutes', async () => {
  clock.advance(60_000);
  const { url, id } = await newLink(api, key, { max_uses: 1 });
  await payBy(url);
  const [{ id: payment }] = await paymentsOf(id);
  const { created_at, expires_at } = (await api.call('GET', `/payments/${payment}`, { key })).body.transaction;
  assert.equal(Date.parse(expires_at) - Date.parse(created_at), 1_800_000);
});

test('concurrent payers of several links with the same new contact become one customer', async () => {
  clock.advance(60_000);
  const links = await Promise.all(Array.from({ length: 6 }, () => newLink(api, key)));
  const pages = await Promise.all([...links, ...links].map(({ url }) => payBy(url, { phone: '671999999' })));
  assert.ok(pages.every(({ status }) => status === 303));
  const { items } = (await api.call('GET', '/customers?search=671999999', { key })).body;
  assert.equal(items.length, 1);
});

test('a body that is not a form is rejected and is never a 5xx', async () => {
  const { url } = await newLink(api, key);
  const post = async (body: string, type: string) =>
    (await fetch(url, { method: 'POST', body, headers: { 'content-type': type }, redirect: 'manual' })).status;
  assert.equal(await post('{"phone":"670100000"}', 'application/json'), 400);
  assert.equal(await post('x', 'text/plain'), 400);
  assert.equal(await post(`phone=${'9'.repeat(20_000)}`, 'application/x-www-form-urlencoded'), 400);
  assert.equal(await post('nonce=a&nonce=b&form_token=', 'application/x-www-form-urlencoded'), 403);
});

test('303 for exactly the maximum of a link, 422 above it', async () => {
  const { url } = await newLink(api, key, { amount: null, max_amount: 5_000 });
  assert.equal((await payBy(url, { amount: '5000', phone: '670100000' })).status, 303);
  assert.equal((await payBy(url, { amount: '5001', phone: '670100000' })).status, 422);
});
