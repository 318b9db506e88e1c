import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { textsIn } from '../../src/edge/pages/language.ts';
import type { OutgoingMail } from '../../src/edge/mail/outgoing.ts';
import { mailSweep } from '../../src/edge/mail/sweeps.ts';
import { sql } from '../../src/kit/sql.ts';
import { newPayment, Payer } from '../checkout/payer.ts';
import { LinkBrowser, newLink } from '../links/browser.ts';
import { readPdf } from '../receipts/read-pdf.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { startApi } from '../setup/api.ts';

/** Numbers that end in 1 have no money; all others pay at once. */
const provider: TestProvider = {
  name: 'prompt',
  collects: () => true,
  submit: async ({ payer, amount_minor, currency }) =>
    payer?.endsWith('1')
      ? { kind: 'refused', reason: 'insufficient_funds', message: 'no' }
      : { kind: 'succeeded', provider_ref: 'p', amount_minor, currency },
  read: async () => ({ kind: 'pending', poll_after_ms: 3_600_000 }),
};

const api = await startApi({ workers: false, providers: new Registry({ sandbox: [provider], live: [provider] }) });
after(() => api.stop());
const key = (await api.newMerchant({ verification_level: 4 })).live.secret;
const live = api.deps.stores.live;
const PT = { 'accept-language': 'pt-MZ,pt;q=0.9,en;q=0.5' };

/** English sentences, which a page in another language must not show. */
const english = (function sentences(value: unknown): string[] {
  if (typeof value === 'string') return value.includes(' ') ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(sentences) : [];
})(textsIn('en'));

/** What a reader sees of a page that has to be in Portuguese. */
function readable(page: string): string {
  assert.match(page, /<html lang="pt">/);
  const text = page
    .replace(/<(style|script)[\s\S]*?<\/\1>/g, '')
    .replace(/[\u00a0\u202f]/g, ' ')
    .replaceAll('&#39;', "'");
  assert.deepEqual(
    english.filter((sentence) => text.includes(sentence)),
    [],
  );
  return text;
}

/** Mails that are due. */
async function sent(): Promise<OutgoingMail[]> {
  const mails: OutgoingMail[] = [];
  const mailer = { send: async (mail: OutgoingMail) => ({ kind: 'sent' as const, _: mails.push(mail) }) };
  await mailSweep(api.deps, live, mailer).round();
  return mails;
}

test('the payment page, its errors and its result are in Portuguese, with a switch to the other languages', async () => {
  const { url } = await newPayment(api, { bearer: 'customer', items: [{ name: 'Cesto de mangas' }] });
  const payer = new Payer(url);
  const first = await payer.get('', PT);
  assert.equal(first.headers.get('content-language'), 'pt');
  const page = readable(first.body);
  for (const part of ['Como deseja pagar?', 'Carteira móvel', 'Transferência bancária', '25 500 FCFA', 'Camarões', 'Comissão'])
    assert.ok(page.includes(part), part);
  assert.match(page, /lang="en"[^>]*>English<.*lang="fr"[^>]*>Français</);
  const wrong = await payer.submit({ phone: '12', channel: 'cm.mtn' }, '', PT);
  assert.match(readable(wrong.body), /Este número de telefone não é do país escolhido \(Camarões\)/);
  await payer.submit({ phone: '650000001', channel: 'cm.mtn' }, '', PT);
  assert.match(readable((await payer.get('', PT)).body), /Pagamento não efectuado[\s\S]*O saldo da conta é insuficiente\./);
});

test('a declined charge as JSON has its payer message in Portuguese', async () => {
  const payer = new Payer((await newPayment(api)).url);
  const { status, body } = await payer.json({ channel: 'cm.mtn', data: { phone: '650000001' } }, '', PT);
  const { error_code, payer_message } = body as never;
  assert.deepEqual([status, error_code, payer_message], [402, 'insufficient_funds', 'O saldo da conta é insuficiente.']);
});

test('theming.locale sets Portuguese for the page, the receipt, its PDF and its mail', async () => {
  const body = {
    amount: 25_000,
    currency: 'XAF',
    email: 'ana@buyers.example',
    description: 'Refeições',
    theming: { locale: 'pt-AO' },
  };
  const made = await api.call('POST', '/payments', { key, body });
  const { id } = made.body.transaction;
  await api.call('POST', `/payments/${id}`, { key, body: { channel: 'cm.mtn', data: { phone: '650000000' } } });
  const payer = new Payer(made.body.authorization_url);
  assert.match(readable((await payer.get()).body), /Pagamento efectuado[\s\S]*Pagou 25 000 FCFA a Chez Awa\./);
  assert.match(readable((await payer.get('/receipt')).body), /Comprovativo[\s\S]*Total pago<\/dt><dd>25 000 FCFA/);
  const pdf = new Uint8Array(await (await fetch(`${payer.url}/receipt.pdf`)).arrayBuffer());
  const { text, structure } = readPdf(pdf);
  assert.match(text, /Transacção\n[\s\S]*Este comprovativo não é uma factura\./);
  assert.match(text, /Refeições/);
  assert.match(structure, /\/Lang \(pt\)/);
  const [mail, ...others] = await sent();
  assert.equal(others.length, 0);
  assert.equal(mail?.subject, 'O seu comprovativo de Chez Awa');
  assert.match(mail?.text ?? '', /^Bom dia,[\s\S]*\nData: .* de .* \(UTC\+1\)\nTransacção: trx_/);
});

test('the page of a link, its errors and the page after it are in Portuguese', async () => {
  const { url } = await newLink(api, key, { collect: ['name', 'phone', 'email'] });
  const browser = new LinkBrowser(url);
  assert.match(readable((await browser.open(PT)).text), /Número de telefone[\s\S]*Na página seguinte escolhe como pagar/);
  const wrong = await browser.submit({ name: 'Ana', phone: 'x', email: 'ana' }, PT);
  assert.match(readable(wrong.text), /Este endereço de e-mail não é válido\.|Este número de telefone não é válido\./);
  assert.match(readable((await new LinkBrowser(`${url}x`).open(PT)).text), /Link não encontrado/);
});

test('an invoice with the locale pt is stored, mailed and shown in Portuguese', async () => {
  await live.db.run(sql`delete from mails`);
  const customer = { name: 'Ana Gonçalves', email: 'ana@buyers.example' };
  const items = [{ name: 'Sabão', quantity: 2, unit_price: 5_000 }];
  const body = { items, currency: 'XAF', customer, locale: 'pt', due_date: '2099-01-31' };
  const made = await api.call('POST', '/invoices', { key, body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { body: issued } = await api.call('POST', `/invoices/${made.body.invoice.id}/send`, { key });
  assert.equal(issued.invoice.locale, 'pt');
  const [mail] = await sent();
  assert.equal(mail?.subject, 'Factura INV-000001 de Chez Awa');
  assert.match((mail?.text ?? '').replace(/[\u00a0\u202f]/g, ' '), /Montante a pagar até 31 de janeiro de 2099: 10 000 FCFA/);
  // The browser names no language that is supported: the invoice's counts.
  const page = await (await fetch(issued.invoice.url, { headers: { 'accept-language': 'de' } })).text();
  assert.match(readable(page), /Data de vencimento[\s\S]*Pagar esta factura/);
});

test('422 for an invoice in a language without pages; the database accepts the code of any language', async () => {
  const body = { items: [{ name: 'Sabão', unit_price: 5_000 }], currency: 'XAF', customer: { email: 'a@buyers.example' } };
  const { status, body: answer } = await api.call('POST', '/invoices', { key, body: { ...body, locale: 'de' } });
  assert.deepEqual([status, Object.keys(answer.errors)], [422, ['locale']]);
  const { body: made } = await api.call('POST', '/invoices', { key, body });
  const { id } = made.invoice;
  await live.db.run(sql`update invoices set locale = 'sw' where id = ${id}`);
  await assert.rejects(live.db.run(sql`update invoices set locale = 'Kiswahili' where id = ${id}`), /invoices_locale_check/);
});

test('a mail without a language is in that of the country of the payment, followed by English', async () => {
  await live.db.run(sql`delete from mails`);
  for (const [currency, channel, phone] of [
    ['XAF', 'cm.mtn', '650000000'],
    ['NGN', 'ng.bank', undefined],
  ] as const) {
    const made = await api.call('POST', '/payments', { key, body: { amount: 25_000, currency, email: 'ana@buyers.example' } });
    const data = phone === undefined ? {} : { phone };
    await api.call('POST', `/payments/${made.body.transaction.id}`, { key, body: { channel, data } });
  }
  const subjects = (await sent()).map(({ subject }) => subject).sort();
  assert.deepEqual(subjects, ['Votre reçu de Chez Awa / Your receipt from Chez Awa', 'Your receipt from Chez Awa']);
});
