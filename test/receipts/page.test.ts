import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newPayment, Payer } from '../checkout/payer.ts';
import { type Api, FakeClock, startApi, until } from '../setup/api.ts';
import { readPdf } from './read-pdf.ts';

const clock = new FakeClock();
let api: Api;
before(async () => {
  api = await startApi({ clock });
});
after(() => api.stop());

const ORDER = {
  reference: 'ORDER-1042',
  description: 'Deux paniers de mangues',
  items: [{ name: 'Panier <b>', quantity: 2 }, { description: 'Livraison à Bonanjo' }],
};

/** A payment made on the page by this payer's browser. */
async function paidPage(fields: object = {}, phone = '650123467'): Promise<{ id: string; payer: Payer; url: string }> {
  const { id, url } = await newPayment(api, { ...ORDER, ...fields });
  const payer = new Payer(url);
  await payer.get();
  assert.equal((await payer.submit({ phone, channel: 'cm.mtn' })).status, 303);
  await until(
    () => {
      clock.advance(1_000);
      return payer.get('/status');
    },
    ({ body }) => body.status === 'succeeded',
  );
  return { id, payer, url };
}

async function pdf(payer: Payer, headers: Record<string, string> = {}) {
  const response = await fetch(`${payer.url}/receipt.pdf`, {
    redirect: 'manual',
    headers: { ...(payer.cookie ? { cookie: payer.cookie } : {}), ...headers },
  });
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
}

async function refund(payment: string, amount: number): Promise<void> {
  const answer = await api.call('POST', '/refunds', { body: { payment, amount, reason: 'wrong_amount' } });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  await until(
    () => {
      clock.advance(1_000);
      return api.call('GET', `/refunds/${answer.body.refund.id}`);
    },
    ({ body }) => body.refund.status === 'succeeded',
  );
}

const flat = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

test('200 the receipt shows payee, amount, local time, description and payment method', async () => {
  const { id, payer } = await paidPage();
  const { status, body, headers } = await payer.get('/receipt');
  assert.equal(status, 200);
  const text = flat(body);
  for (const part of ['Chez Awa', 'FCFA 25,000', 'ORDER-1042', id, 'Deux paniers de mangues', 'Livraison à Bonanjo', 'Paid']) {
    assert.ok(text.includes(part), part);
  }
  assert.match(text, /2 × Panier &lt;b&gt;/);
  assert.match(text, /<dd>\d{1,2} \w+ \d{4} at \d\d:\d\d \(UTC\+1\)<\/dd>/, 'Douala, where the money came');
  assert.match(text, /Test mode: no real money moves/);
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.equal(headers.get('cache-control'), 'no-store');
});

test('200 the last digits of the number are shown in the browser that paid, and nothing of it in any other', async () => {
  const { payer, url } = await paidPage();
  const stranger = new Payer(url);
  const seen = { own: (await payer.get('/receipt')).body, other: (await stranger.get('/receipt')).body };
  assert.match(seen.own, /<dd>[^<]+ •••• 67<\/dd>/);
  assert.doesNotMatch(seen.own, /650123467/);
  assert.doesNotMatch(seen.other, /••••|67<|650123467/);
  assert.match(readPdf((await pdf(payer)).bytes).text, /•••• 67/);
  assert.doesNotMatch(readPdf((await pdf(stranger)).bytes).text, /••••/);
});

test('303 to the payment page while there is no receipt: not started, and failed', async () => {
  const open = new Payer((await newPayment(api)).url);
  const failed = new Payer((await newPayment(api)).url);
  await failed.get();
  await failed.submit({ phone: '650000001', channel: 'cm.mtn' });
  for (const payer of [open, failed]) {
    for (const answer of [await payer.get('/receipt'), await pdf(payer)]) {
      assert.equal(answer.status, 303);
      assert.equal(answer.headers.get('location'), new URL(payer.url).pathname);
    }
  }
  assert.doesNotMatch((await failed.get()).body, /\/receipt/);
});

test('200 the result links to the receipt, also after a refund', async () => {
  const { id, payer } = await paidPage();
  const path = new URL(payer.url).pathname;
  const link = `href="${path}/receipt"`;
  assert.ok((await payer.get()).body.includes(link));
  await refund(id, 10_000);
  assert.ok((await payer.get()).body.includes(link));
});

test('200 refunds are listed below the payment, and the date of the payment does not change', async () => {
  const { id, payer } = await paidPage();
  const date = (body: string) => /<dt>Date<\/dt><dd>([^<]*)/.exec(body)?.[1];
  const before = date((await payer.get('/receipt')).body);
  clock.advance(3 * 86_400_000);
  await refund(id, 10_000);
  const after = (await payer.get('/receipt')).body;
  assert.match(flat(after), /Paid, partly refunded.*Total paid<\/dt><dd>FCFA 25,000<.*Refunded on [^<]*<\/dt><dd>-FCFA 10,000</s);
  assert.equal(date(after), before);
  await refund(id, 15_000);
  const whole = flat((await payer.get('/receipt')).body);
  assert.match(whole, /Paid and refunded/);
  assert.match(whole, /-FCFA 10,000.*-FCFA 15,000/s);
  assert.match(
    flat(readPdf((await pdf(payer)).bytes).text),
    /Refunded on [^\n]*\n-FCFA 10,000\nRefunded on [^\n]*\n-FCFA 15,000/,
  );
});

test('200 refunds beyond the number that a receipt lists are shown as one sum', async () => {
  const { id, payer } = await paidPage();
  for (let i = 0; i < 22; i++) await refund(id, 100);
  const text = flat((await payer.get('/receipt')).body);
  assert.equal(text.match(/Refunded on/g)?.length, 20);
  assert.match(text, /Other refunds<\/dt><dd>-FCFA 200</);
});

test('200 a fee that the payer bore is shown separately', async () => {
  const { payer } = await paidPage({ bearer: 'customer' });
  assert.match(
    flat((await payer.get('/receipt')).body),
    /Amount<\/dt><dd>FCFA 25,000.*Fee<\/dt><dd>FCFA 500.*Total paid<\/dt><dd>FCFA 25,500/s,
  );
  const merchants = flat((await (await paidPage()).payer.get('/receipt')).body);
  assert.doesNotMatch(merchants, /<dt>Fee/);
});

test('200 for an order with 500 items the receipt lists 60 and the number of the others', async () => {
  const items = Array.from({ length: 500 }, (_, i) => ({ name: `Ligne ${i} ${'x'.repeat(240)}` }));
  const { payer } = await paidPage({ items });
  const { body } = await payer.get('/receipt');
  assert.ok(body.includes('Ligne 59') && !body.includes('Ligne 60') && body.includes('and 440 more'));
  const { bytes } = await pdf(payer);
  const { text } = readPdf(bytes);
  assert.ok(text.includes('Ligne 59') && text.includes('and 440 more'));
  assert.ok(bytes.length < 25_000, `${bytes.length} bytes`);
});

test('200 a receipt switched to French has a French PDF', async () => {
  const { payer } = await paidPage();
  const chosen = await payer.get('/receipt?lang=fr');
  assert.equal(chosen.status, 303);
  assert.equal(chosen.headers.get('location'), `${new URL(payer.url).pathname}/receipt`);
  const cookie = `${chosen.headers.get('set-cookie')?.split(';')[0]}`;
  const { body } = await payer.get('/receipt', { cookie });
  assert.match(body, /<html lang="fr">/);
  assert.match(flat(body), /Reçu.*Payé.*Total payé<\/dt><dd>25 000 FCFA/s);
  const { text, structure } = readPdf((await pdf(payer, { cookie })).bytes);
  assert.match(flat(text), /25 000 FCFA[\s\S]*Reçu · Payé[\s\S]*Référence\nORDER-1042/);
  assert.match(structure, /\/Lang \(fr\)/);
});

test('200 the PDF has the same name and the same bytes until the payment changes', async () => {
  const { id, payer } = await paidPage();
  const [first, second] = [await pdf(payer), await pdf(payer)];
  assert.equal(first.status, 200);
  assert.equal(first.headers.get('content-type'), 'application/pdf');
  assert.equal(first.headers.get('content-disposition'), `attachment; filename="receipt-${id}.pdf"`);
  assert.equal(first.headers.get('cache-control'), 'no-store');
  assert.equal(first.headers.get('x-content-type-options'), 'nosniff');
  assert.deepEqual(first.bytes, second.bytes);
  assert.ok(first.bytes.length < 8_000, `${first.bytes.length} bytes`);
  const { structure } = readPdf(first.bytes);
  assert.match(structure, /\/Marked true/);
  assert.match(structure, /\/S \/H1/);
  assert.match(structure, /\/DisplayDocTitle true/);
});

test('429 after ten PDFs of one receipt in a minute, with Retry-After; other receipts are not limited', async () => {
  const { payer } = await paidPage();
  const others = await paidPage();
  for (let i = 0; i < 10; i++) assert.equal((await pdf(payer)).status, 200);
  const { status, headers } = await pdf(payer);
  assert.equal(status, 429);
  assert.ok(Number(headers.get('retry-after')) > 0);
  assert.equal((await payer.get('/receipt')).status, 200);
  assert.equal((await pdf(others.payer)).status, 200);
  clock.advance(60_000);
  assert.equal((await pdf(payer)).status, 200);
});

test('404 for an incomplete URL', async () => {
  const { payer } = await paidPage();
  const broken = new Payer(payer.url.slice(0, -1));
  assert.equal((await broken.get('/receipt')).status, 404);
  assert.equal((await pdf(broken)).status, 404);
});

test('200 after erasure the receipt has no personal data of the payer, even in their own browser', async () => {
  const { id, payer } = await paidPage({ name: 'Awa Ngo', email: 'awa@buyers.example', description: 'For Awa Ngo' });
  const { customer } = (await api.call('GET', `/payments/${id}`)).body.transaction;
  assert.equal((await api.call('DELETE', `/customers/${customer}`)).status, 200);
  const { status, body } = await payer.get('/receipt');
  assert.equal(status, 200);
  assert.doesNotMatch(body, /Awa Ngo|awa@buyers|650123467/);
});
