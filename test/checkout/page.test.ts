import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type Api, FakeClock, startApi, until } from '../setup/api.ts';
import { newPayment, Payer } from './payer.ts';

const clock = new FakeClock();
let api: Api;
before(async () => {
  api = await startApi({ clock });
});
after(() => api.stop());

const text = (page: string) =>
  page
    .replace(/<(style|script)>[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

/** The bytes of an answer as they go over the wire, headers included. */
function wireBytes(url: string, encoding: string): Promise<number> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { agent: false, headers: { 'accept-encoding': encoding } }, (response) => {
        const { socket } = response;
        response.resume().on('end', () => resolve(socket.bytesRead));
      })
      .on('error', reject);
  });
}

test('200 shows merchant, amount, description, reference, items and payment methods', async () => {
  const { url } = await newPayment(api, {
    description: 'Two baskets',
    reference: 'ORDER-7',
    items: [{ name: 'Mango', quantity: 2 }, { description: 'Basket' }],
  });
  const { status, body } = await new Payer(url).get();
  assert.equal(status, 200);
  assert.match(body, /<html lang="en">/);
  assert.match(body, /<title>Pay Chez Awa<\/title>/);
  for (const wanted of [
    'Chez Awa',
    'FCFA 25,000',
    'Two baskets',
    'ORDER-7',
    '2 × Mango',
    'Basket',
    'Mobile money',
    'Card',
    'Bank transfer',
    'Test mode',
  ]) {
    assert.ok(text(body).includes(wanted), wanted);
  }
});

test('200 offers only channels of the currency, those of the phone’s country first, and derives the operator from the number', async () => {
  const { url } = await newPayment(api, { phone: '690000000' });
  const { body } = await new Payer(url).get();
  assert.match(body, /Operator <span class="soft">from your number<\/span>/);
  assert.match(
    body,
    /data-n="237,,9,"[\s\S]*value="cm\.orange" data-p="69 655[^"]*"><svg[^/]*\/><text[^>]*>O<\/text><\/svg><span>Orange Money/,
  );
  assert.match(body, /name="phone" value="690000000"/);
  assert.match(body, /value="cm\.mtn"[\s\S]*<details class="more"><summary>Other countries<\/summary>[\s\S]*<h3>Gabon<\/h3>/);
  assert.doesNotMatch(body, /value="sn\./);
});

test('200 shows fee and total of each payment method before confirmation when the customer bears the fee', async () => {
  const { url } = await newPayment(api, { bearer: 'customer' });
  const page = text((await new Payer(url).get()).body);
  assert.match(page, /Fee FCFA\s500 Total to pay FCFA\s25,500 Pay FCFA\s25,500/);
  assert.match(page, /Fee FCFA\s875 Total to pay FCFA\s25,875/);
  assert.match(page, /Fee FCFA\s375 Total to pay FCFA\s25,375/);
});

test('200 without a payment method whose maximum is below the total with the fee that the customer bears', async () => {
  const { url } = await newPayment(api, { amount: 1_500_000, bearer: 'customer' });
  const page = text((await new Payer(url).get()).body);
  assert.match(page, /Total to pay FCFA\s1,530,000/, 'mobile money, in tranches');
  assert.match(page, /Total to pay FCFA\s1,522,500/, 'bank');
  assert.doesNotMatch(page, /1,552,500/, 'a card takes 1,500,000');
});

test('200 in French for a payer who prefers it', async () => {
  const { url } = await newPayment(api);
  const { body, headers } = await new Payer(url).get('', { 'accept-language': 'de-DE, fr-CM;q=0.9, en;q=0.8' });
  assert.match(body, /<html lang="fr">/);
  assert.equal(headers.get('content-language'), 'fr');
  assert.match(text(body), /Comment souhaitez-vous payer/);
  assert.match(text(body), /25\s000\sFCFA/);
  assert.match((await new Payer(url).get('', { 'accept-language': 'fr;q=0, sw' })).body, /<html lang="en">/);
});

test('200 has a policy that forbids all foreign content, and is never cached', async () => {
  const { headers, body } = await new Payer((await newPayment(api)).url).get();
  const policy = headers.get('content-security-policy') ?? '';
  for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"])
    assert.ok(policy.includes(rule), rule);
  assert.doesNotMatch(policy, /unsafe/);
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.doesNotMatch(body, /(src|href)="https?:/, 'nothing from elsewhere');
});

test('200 weighs at most 7.9 kB with 500 items and every operator of XOF, so that a logo fits below 15 kB', async () => {
  const items = Array.from({ length: 500 }, () => ({ name: 'n'.repeat(255), quantity: 1 }));
  const { url } = await newPayment(api, {
    currency: 'XOF',
    phone: undefined,
    email: 'p@example.com',
    items,
    description: 'd'.repeat(500),
  });
  const [br, gzip] = [await wireBytes(url, 'br'), await wireBytes(url, 'gzip')];
  assert.ok(br < 7_400, `${br} bytes`);
  assert.ok(gzip < 7_900, `${gzip} bytes`);
});

test('200 escapes the texts of merchants', async () => {
  const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>\'&';
  const { url } = await newPayment(api, { description: evil, reference: evil, phone: '"><b>', items: [{ name: evil }] });
  const { body } = await new Payer(url).get();
  assert.doesNotMatch(body, /<img|<script>alert|"><b>/);
  assert.match(body, /&lt;script&gt;alert\(1\)/);
});

test('200 to HEAD, as sent by link previews, does not change the payment', async () => {
  const { url, id } = await newPayment(api);
  const response = await fetch(url, { method: 'HEAD' });
  assert.equal(response.status, 200);
  assert.equal((await api.call('GET', `/payments/${id}`)).body.transaction.status, 'pending');
});

test('200 without payment methods when no channel supports the amount', async () => {
  const { url } = await newPayment(api, { amount: 0.5 });
  assert.match(text((await new Payer(url).get()).body), /cannot be paid online/);
});

test('404 with a page for an unknown, modified or empty token', async () => {
  const { token } = await newPayment(api);
  const last = token.at(-1) === 'A' ? 'B' : 'A';
  const tampered = [
    token.slice(0, -1) + last,
    token.replace('test_', ''),
    token.replace(/^(test_.{25})(.)/, (_, head, random) => head + (random === 'z' ? 'y' : 'z')),
    'x',
    'x'.repeat(400),
    `${token}%00`,
    '%E2%82%AC',
    '%0d%0a',
    '..%2f..',
    '',
  ];
  for (const wrong of tampered) {
    const { status, body } = await new Payer(`${api.url}/pay/${wrong}`).get('', { 'accept-language': 'fr' });
    assert.equal(status, 404, wrong);
    assert.match(body, /Lien de paiement introuvable/, wrong);
  }
  for (const wrong of ['x', '%E2%82%AC', '%0d%0a']) {
    const payer = new Payer(`${api.url}/pay/${wrong}`);
    for (const step of ['/otp', '/cancel']) assert.equal((await payer.get(step)).status, 404, `${wrong}${step}`);
    const { status } = await fetch(`${api.url}/pay/${wrong}/card`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    assert.equal(status, 404, `${wrong}: a card from another site`);
  }
  assert.equal((await new Payer(`${api.url}/pay/x/status`).get()).status, 404);
  assert.equal((await new Payer(`${api.url}/pay/x/card`).get()).status, 404);
  assert.equal((await new Payer(`${api.url}/pay/x`).json({ channel: 'cm.mtn' })).body.message, 'Payment Not Found');
  assert.equal((await new Payer(`${api.url}/pay/${token}/nothing/here`).get()).status, 404);
});

test('an expired payment whose tranches were returned says so, and no longer that they will be', async () => {
  const { id, url } = await newPayment(api);
  const { db } = api.deps.stores.sandbox;
  await db.run(sql`update payments set status = 'expired', captured_minor = 50000, refunded_minor = 20000 where id = ${id}`);
  assert.match((await new Payer(url).get()).body, /will be (returned|refunded)/);
  await db.run(sql`update payments set refunded_minor = 50000 where id = ${id}`);
  const { body } = await new Payer(url).get();
  assert.match(body, /500 was refunded\./);
  assert.doesNotMatch(body, /will be (returned|refunded)/);
});

test('410 for a cancelled and for an expired link, the latter also before the expiry sweep', async () => {
  const cancelled = await newPayment(api, { callback: 'https://shop.example/back' });
  await api.call('DELETE', `/payments/${cancelled.id}`);
  const page = await new Payer(cancelled.url).get();
  assert.equal(page.status, 410);
  assert.match(page.body, /Payment cancelled/);
  assert.match(page.body, /href="https:\/\/shop\.example\/back\?id=trx_test_\w+&amp;trxref=trx_test_\w+&amp;status=cancelled"/);

  const expired = await newPayment(api, { expires: { in: 5 } });
  clock.advance(5 * 60_000);
  const over = await new Payer(expired.url).get();
  assert.equal(over.status, 410);
  assert.match(over.body, /Payment link expired/);
  assert.equal((await new Payer(expired.url).json({ channel: 'cm.mtn', data: { phone: '650000000' } })).status, 400);
  await until(
    () => new Payer(expired.url).get('/status'),
    ({ body }) => body.status === 'expired',
  );
});

test('200 the status is small and contains no personal data', async () => {
  const { url } = await newPayment(api);
  const { body, headers } = await new Payer(url).get('/status');
  assert.deepEqual(body, { status: 'pending', step: 'none', attempt: 0 });
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.ok((await wireBytes(`${url}/status`, 'gzip')) < 700);
});

test('the callback URL keeps its own query and fragment, and only http and https URLs are linked', async () => {
  const { url, id } = await newPayment(api, { reference: 'A&B', callback: 'https://shop.example/done?cart=7&q=a%20b#top' });
  await api.call('DELETE', `/payments/${id}`);
  const link = /class="button" href="([^"]+)"/.exec((await new Payer(url).get()).body)?.[1]?.replaceAll('&amp;', '&');
  assert.equal(link, `https://shop.example/done?cart=7&q=a%20b&id=${id}&reference=A%26B&trxref=${id}&status=cancelled#top`);
});
