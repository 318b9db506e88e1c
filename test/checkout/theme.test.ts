import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sha256 } from '../../src/kit/crypto.ts';
import { type LogoHost, mark, startLogoHost } from '../pages/logo.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { newPayment, Payer } from './payer.ts';

const LOGO = mark(96, [180, 83, 9]);
const HEAVY = Buffer.concat([LOGO, Buffer.alloc(8_000)]);
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

const clock = new FakeClock();
let api: Api;
let host: LogoHost;
before(async () => {
  host = await startLogoHost({ '/logo.png': LOGO, '/heavy.png': HEAVY, '/x.svg': SVG, '/late.png': LOGO });
  api = await startApi({ clock });
});
after(async () => {
  host.close();
  await api.stop();
});

async function themed(theming: object, key?: string): Promise<Payer> {
  return new Payer((await newPayment(api, { theming }, key)).url);
}

test('200 in the colours of the merchant, in a style that the policy allows by its hash', async () => {
  const { body, headers } = await (await themed({ color: '#d97706' })).get();
  const style = /<style>(:root\{--brand:#[0-9a-f]{6}[^<]*)<\/style>/.exec(body)?.[1] ?? '';
  assert.doesNotMatch(style, /#d97706/, 'too light for white text: darkened');
  assert.ok(headers.get('content-security-policy')?.includes(sha256(style).toString('base64')));
  assert.match(body, new RegExp(`theme-color" content="${/--brand:(#\w+)/.exec(style)?.[1]}"`));
  const plain = (await (await themed({})).get()).headers.get('content-security-policy') ?? '';
  assert.ok(!plain.includes(sha256(style).toString('base64')));
});

test('200 with title and texts of the merchant beside its name and the amount, never instead of them', async () => {
  const evil = '<img src=x onerror=alert(1)>';
  const { body } = await (await themed({ title: `Bank ${evil}`, button_text: 'Donate' })).get();
  assert.match(body, /<title>Pay Chez Awa<\/title>/);
  assert.match(body, /Chez Awa<\/span> <span class="sum">FCFA.25,000/);
  assert.match(body, /<b>Bank &lt;img src=x/);
  assert.match(body, /<button>Donate · FCFA.25,000<\/button>/);
  assert.doesNotMatch(body, /<img/);
});

test('201 and 200 for any theme: an invalid colour, address or language is ignored', async () => {
  for (const theming of [
    { color: 'red;}', logo: 'http://x.example/l.png', title: 7, button_text: null, locale: 'xx' },
    { color: { r: 1 }, logo: ['https://x.example'], locale: { toString: 'fr' } },
    { __proto__: { color: '#ffffff' }, constructor: 'x' },
  ]) {
    const { status, body } = await (await themed(theming)).get();
    assert.equal(status, 200);
    assert.match(body, /<html lang="en">/);
    assert.doesNotMatch(body, /<img|<style>:root\{--brand:/);
    assert.match(body, /<button>Pay FCFA/);
  }
});

test("200 in the payment's language, unless the payer chose another on the page", async () => {
  const payer = await themed({ locale: 'fr-CM' });
  const shown = await payer.get('', { 'accept-language': 'en' });
  assert.match(shown.body, /<html lang="fr">/);
  assert.equal(shown.headers.get('content-language'), 'fr');
  assert.match(shown.body, /href="[^"]+\?lang=en" lang="en" hreflang="en">English</);
  const chosen = await payer.get('?lang=en');
  assert.deepEqual([chosen.status, chosen.headers.get('location')], [303, new URL(payer.url).pathname]);
  assert.match(
    chosen.headers.get('set-cookie') ?? '',
    /^pirogue_lang=en; Max-Age=\d+; Path=\/pay\/[^;]+; HttpOnly; SameSite=Lax$/,
  );
  assert.match((await new Payer(payer.url).get('', { cookie: 'pirogue_lang=en' })).body, /<html lang="en">/);
  assert.match((await new Payer(payer.url).get('', { cookie: 'pirogue_lang=xx' })).body, /<html lang="fr">/);
  assert.match((await new Payer(payer.url).get('?lang=xx')).body, /<html lang="fr">/);
  assert.equal((await new Payer(`${api.url}/pay/x?lang=fr`).get()).status, 404);
});

test('402 as JSON in the language of the payment too', async () => {
  const payer = await themed({ locale: 'fr' });
  const { body } = await payer.json({ channel: 'cm.mtn', data: { phone: '650000001' } });
  assert.equal(body.payer_message, 'Le solde du compte est insuffisant.');
});

test('200 the logo is served from our own address, fetched once for all payers, and only as an image', async () => {
  const payer = await themed({ logo: `${host.url}/logo.png` });
  assert.match((await payer.get()).body, /<img src="\/pay\/[^"]+\/logo" alt="" width="44" height="44">/);
  const before = host.asked.length;
  const answers = await Promise.all(Array.from({ length: 5 }, () => fetch(`${payer.url}/logo`)));
  for (const answer of answers) {
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/png']);
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(LOGO), 'byte for byte');
  }
  const [{ headers }] = answers as [Response];
  assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox");
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
  assert.equal(headers.get('cache-control'), 'private, max-age=86400');
  assert.equal(host.asked.length - before, 1);
  clock.advance(3_600_001);
  await fetch(`${payer.url}/logo`);
  assert.equal(host.asked.length - before, 2, 'after an hour it is looked at again');
});

test('404 for a logo that is too large, not an image, redirected, deleted or missing', async () => {
  for (const path of ['/heavy.png', '/x.svg', '/moved', '/gone.png']) {
    const payer = await themed({ logo: `${host.url}${path}` });
    const before = host.asked.length;
    assert.equal((await payer.get('/logo')).status, 404, path);
    assert.equal((await payer.get('/logo')).status, 404, path);
    assert.equal(host.asked.length - before, 1, 'not asked again by every payer');
  }
  assert.ok(!host.asked.includes('/logo.png?'), 'a redirect is not followed');
  assert.equal((await (await themed({})).get('/logo')).status, 404);
  assert.equal((await new Payer(`${api.url}/pay/x/logo`).get()).status, 404);
  assert.equal((await (await themed({ logo: 'https://127.0.0.1:9/logo.png' })).get('/logo')).status, 404);
});

test('404 for a logo of a live payment on an address that is not public: it is never requested', async () => {
  const { live } = await api.newMerchant({ verification_level: 1 });
  for (const origin of [host.url, host.url.replace('127.0.0.1', 'localhost'), host.url.replace('127.0.0.1', '[::1]')]) {
    const payer = await themed({ logo: `${origin}/late.png` }, live.secret);
    assert.equal((await payer.get('/logo')).status, 404);
  }
  assert.ok(!host.asked.includes('/late.png'));
});
