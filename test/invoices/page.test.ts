import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { changeTeam } from '../../src/tenants/teams/store.ts';
import { FakeClock, startApi } from '../setup/api.ts';
import { InvoiceFixture } from './fixture.ts';

const clock = new FakeClock();
const lines: string[] = [];
const write = (fields: unknown, text?: string) => lines.push(JSON.stringify([fields, text]));
const log = { info: write, warn: write, error: write, debug: write } as never;
const api = await startApi({ clock, log });
const fixture = await InvoiceFixture.open(api, clock);
after(async () => {
  await fixture.stop();
  await api.stop();
});

test('404 for an address that this server did not create, and for an invoice of another team', async () => {
  const { url } = await fixture.createSent();
  const [token = ''] = url.split('/').slice(-1);
  const [id = '', team = '', mac = ''] = token.split('.');
  const base = url.slice(0, -token.length);
  const other = mac.startsWith('A') ? `B${mac.slice(1)}` : `A${mac.slice(1)}`;
  for (const wrong of [`${id}.${team}.${other}`, `${id}.1.${mac}`, `${id}.${team}`, 'x', `${token}x`, '%00', '..%2f', '']) {
    for (const answer of [await fixture.page(base + wrong), await fixture.submit(base + wrong)]) {
      assert.equal(answer.status, 404, wrong);
      assert.ok(!answer.text.includes('Mangoes'), wrong);
    }
  }
  assert.ok((await fixture.page(`${base}nothing`, 'fr')).text.includes('Facture introuvable'));
});

test('a draft has no page, and opening its address does not create one', async () => {
  const { id } = await fixture.draft();
  const { makeInvoiceToken } = await import('../../src/edge/invoices/token.ts');
  const token = makeInvoiceToken(api.deps.secrets, { team_id: fixture.merchant.shop.merchant.team.id, id });
  assert.equal((await fixture.page(`${api.url}/invoice/${token}`)).status, 404);
  assert.equal((await fixture.submit(`${api.url}/invoice/${token}`)).status, 404);
  await fixture.call('POST', `/invoices/${id}/cancel`);
  assert.equal((await fixture.page(`${api.url}/invoice/${token}`)).status, 404);
});

test('only a rendered page counts as viewed, not a request that checks the address', async () => {
  const { id, url } = await fixture.createSent();
  assert.equal((await fetch(url, { method: 'HEAD' })).status, 200);
  assert.deepEqual([(await fixture.invoice(id)).status, (await fixture.invoice(id)).viewed_at], ['sent', null]);
  await fixture.page(url);
  assert.equal((await fixture.invoice(id)).status, 'viewed');
});

test('user input is shown on the page as text, never as markup', async () => {
  const evil = '<script>alert(1)</script>"\'&';
  const { url } = await fixture.createSent({
    items: [{ name: evil, description: evil, unit_price: 500 }],
    notes: evil,
    reference: evil,
    customer: { email: 'evil@buyers.example', name: evil },
  });
  const { text, headers } = await fixture.page(url);
  assert.ok(!text.includes('<script>alert'));
  assert.ok(text.includes('&lt;script&gt;alert(1)&lt;/script&gt;'));
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.deepEqual([headers.get('referrer-policy'), headers.get('cache-control')], ['no-referrer', 'no-store']);
  assert.equal(headers.get('content-encoding'), 'gzip', 'as small as it can be, as the browser wishes');
});

test('the page is in the language of the browser, else of the invoice, and works without scripts', async () => {
  const { url } = await fixture.createSent({ locale: 'fr' });
  assert.ok((await fixture.page(url, 'en-GB')).text.includes('Pay this invoice'));
  const french = await fixture.page(url, 'de');
  assert.ok(french.text.includes('Payer cette facture'));
  assert.equal(french.headers.get('content-language'), 'fr');
  const chosen = await fixture.page(`${url}?lang=en`, 'fr');
  assert.ok(chosen.text.includes('Pay this invoice'));
  assert.ok(french.text.includes('?lang=en"'), 'the other language is one click away');
  assert.ok((await fixture.page(`${url}?lang=de`, 'fr')).text.includes('Payer cette facture'));
});

test('the page names the seller with address and tax id, and the lines before the button', async () => {
  const { team } = fixture.merchant.shop.merchant;
  const seller = { address: '12 rue Joss\nBP 4015 Douala', tax_id: 'P012345678901X' };
  const { url } = await fixture.createSent();
  assert.doesNotMatch((await fixture.page(url)).text, /Tax ID/);
  await changeTeam(api.control, team.id, seller);
  const { text } = await fixture.page(url);
  assert.match(text, /<dt>From<\/dt><dd>[^<]+\n12 rue Joss\nBP 4015 Douala<\/dd>/);
  assert.match(text, /<dt>Tax ID<\/dt><dd>P012345678901X<\/dd>/);
  assert.ok(text.indexOf('Mangoes') < text.indexOf('Pay this invoice'));
});

test('403 for a cross-site form post', async () => {
  const { id, url } = await fixture.createSent();
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
    assert.equal((await fixture.submit(url, undefined, headers as Record<string, string>)).status, 403);
  }
  assert.equal((await fixture.invoice(id)).payment, null);
});

test('a body that is not a form, or is too large, is rejected and creates no payment', async () => {
  const { id, url } = await fixture.createSent({ allow_partial: true });
  assert.equal((await fixture.submit(url, undefined, { 'content-type': 'text/plain' })).status, 400);
  assert.equal((await fixture.submit(url, '1'.repeat(10_000))).status, 400);
  assert.equal((await fixture.submit(url, '9'.repeat(40))).status, 422);
  assert.equal((await fixture.invoice(id)).payment, null);
});

test('429 for the twenty-first submit in a minute', async () => {
  const { url } = await fixture.createSent();
  clock.advance(60_000);
  const statuses = new Set<number>();
  for (let i = 0; i < 20; i++) statuses.add((await fixture.submit(url)).status);
  assert.deepEqual([...statuses], [303]);
  assert.equal((await fixture.submit(url)).status, 429);
});

test('402 for a team that is no longer verified, 422 above its transaction limit and for a blocked customer', async () => {
  const { team } = fixture.merchant.shop.merchant;
  const { id, url } = await fixture.createSent({ items: [{ name: 'Lorry', unit_price: 600_000 }] });
  await api.setTeam(team, { verification_level: 1 });
  const above = await fixture.submit(url);
  assert.equal(above.status, 422);
  assert.ok(above.text.includes('more than the merchant may take in one payment'));
  await api.setTeam(team, { verification_level: 0 });
  const unverified = await fixture.submit(url);
  assert.equal(unverified.status, 402);
  assert.ok(unverified.text.includes('cannot take payments yet'));
  await api.setTeam(team, { verification_level: 4 });
  const { customer } = await fixture.invoice(id);
  await fixture.call('POST', `/customers/${customer}/block`);
  const blocked = await fixture.submit(url);
  assert.equal(blocked.status, 422);
  assert.ok(blocked.text.includes('does not accept this payment'));
  await fixture.call('POST', `/customers/${customer}/unblock`);
  assert.equal((await fixture.invoice(id)).payment, null, 'none of it made a payment');
});

test('the log contains no address of an invoice', async () => {
  const { url } = await fixture.createSent();
  await fixture.page(url);
  const token = url.split('/').at(-1) as string;
  assert.ok(lines.some((line) => line.includes('/invoice/[token]')));
  assert.ok(!lines.some((line) => line.includes(token)));
});

test('a team that requires unique references accepts partial payments', async () => {
  const { team } = fixture.merchant.shop.merchant;
  await api.setTeam(team, { unique_references: true });
  const { id, url } = await fixture.createSent({ allow_partial: true });
  await fixture.pay(url, '4000');
  await fixture.pay(url);
  await api.setTeam(team, { unique_references: false });
  assert.equal((await fixture.invoice(id)).status, 'paid');
  const rows = await api.deps.stores.live.db.all(sql`select 1 from payments where key_id = ${id}`);
  assert.equal(rows.length, 2);
});
