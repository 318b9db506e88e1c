import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeFrom, openHosted } from '../../src/core/charge/hosted.ts';
import { fitCharge, readInstrument } from '../../src/core/charge/instrument.ts';
import { sha256 } from '../../src/kit/crypto.ts';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import type { Submission } from '../../src/providers/adapters/contract.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { newPayment, Payer } from './payer.ts';

const CONFIRM: Submission = { kind: 'accepted', provider_ref: null, next: { kind: 'confirm' }, poll_after_ms: 3_600_000 };
const CLOSED: Submission = { kind: 'unavailable', message: 'closed' };

/** Answers what the test wants, and never ends by itself. */
let providerAnswer: Submission = CONFIRM;
const provider: TestProvider = {
  name: 'scripted',
  collects: () => true,
  submit: async () => providerAnswer,
  read: async () => ({ kind: 'pending', poll_after_ms: 3_600_000 }),
};

const clock = new FakeClock();
let api: Api;
before(async () => {
  api = await startApi({ clock, providers: new Registry({ sandbox: [provider], live: [provider] }) });
});
after(() => api.stop());

const FORM = { channel: 'cm.mtn', phone: '650123456' };

async function browsers(count: number) {
  const payment = await newPayment(api, {
    phone: '650123456',
    description: 'For Awa',
    items: [{ name: 'Ring' }],
    email: 'awa@example.com',
  });
  const payers = Array.from({ length: count }, () => new Payer(payment.url));
  for (const payer of payers) await payer.get();
  return { ...payment, payers: payers as [Payer, Payer, Payer] };
}

/** A payment whose first browser got a 502: claimed, charged on the number, nothing under way. */
async function claimedAndIdle() {
  const { payers, ...rest } = await browsers(2);
  providerAnswer = CLOSED;
  assert.equal((await payers[0].submit(FORM)).status, 502);
  return { holder: payers[0], other: payers[1], ...rest };
}

async function claimOf(id: string): Promise<Buffer | null> {
  return (
    (await api.deps.stores.sandbox.db.maybe<{ claim: Buffer | null }>(sql`select claim from payments where id = ${id}`))?.claim ??
    null
  );
}

test('the cookie is random, HttpOnly and limited to this page; only its hash is stored', async () => {
  providerAnswer = CONFIRM;
  const {
    payers: [payer, other],
    id,
    token,
  } = await browsers(2);
  assert.match(
    payer.setCookie ?? '',
    new RegExp(`^pirogue_pay=[0-9A-Za-z]{43}; Max-Age=\\d+; Path=/pay/${token.replaceAll('.', '\\.')}; HttpOnly; SameSite=Lax$`),
  );
  assert.notEqual(payer.cookie, other.cookie);
  assert.equal(await claimOf(id), null, 'looking is not claiming');
  await payer.submit({ ...FORM, phone: '1' });
  assert.equal(await claimOf(id), null, 'bad input does not claim');
  await payer.submit(FORM);
  assert.deepEqual(await claimOf(id), sha256(payer.cookie?.split('=')[1] ?? ''));
});

test('a browser whose charge is refused does not hold the page', async () => {
  providerAnswer = CONFIRM;
  const { id, token } = await newPayment(api);
  const { deps, keys, call } = api;
  assert.equal(
    (
      await call('POST', `/payments/${id}`, {
        key: keys.sandbox.secret,
        body: { channel: 'cm.mtn', data: { phone: '650123456' } },
      })
    ).status,
    202,
  );
  const hosted = must(await openHosted(deps, token), 'the token is ours');
  const instrument = readInstrument('sandbox', { channel: 'cm.mtn', data: { phone: '650123456' } });
  const wanted = fitCharge(deps.config, hosted.payment, instrument, { client_ip: null, by: WORKER, prompted_by: 'page' });
  await assert.rejects(chargeFrom(deps, hosted, 'a browser', wanted), /cannot be charged/);
  assert.equal(await claimOf(id), null);
});

test('the cookie is Secure when the pages are served by https, and its path is that of the pages', async () => {
  const secure = await startApi({ env: { PUBLIC_URL: 'https://pay.example/pirogue' }, workers: false });
  try {
    const port = secure.config.port;
    const { token } = await newPayment({
      ...secure,
      call: (method, path, options) => callPort(port, method, path, options?.key ?? '', options?.body),
    });
    const payer = new Payer(`http://127.0.0.1:${port}/pay/${token}`);
    const { body } = await payer.get();
    assert.match(payer.setCookie ?? '', /Path=\/pirogue\/pay\/[^;]+; HttpOnly; Secure; SameSite=Lax$/);
    assert.match(body, new RegExp(`action="/pirogue/pay/${token.replaceAll('.', '\\.')}"`));
  } finally {
    await secure.stop();
  }
});

async function callPort(port: number, method: string, path: string, key: string, body: unknown) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

test('other browsers see the status, and no data of the payer', async () => {
  providerAnswer = CONFIRM;
  const {
    payers: [holder, other],
  } = await browsers(2);
  await holder.submit(FORM);
  assert.match(
    (await holder.get()).body,
    /\+237(?:\s|&nbsp;)6(?:\s|&nbsp;)50(?:\s|&nbsp;)12(?:\s|&nbsp;)34(?:\s|&nbsp;)56/,
    'the holder sees the number that is charged',
  );
  for (const page of [await other.get(), await new Payer(other.url).get()]) {
    assert.equal(page.status, 200);
    assert.match(page.body, /Payment started in another browser/);
    assert.doesNotMatch(page.body.replaceAll(/\s|&nbsp;/g, ''), /650123456|ForAwa/);
    assert.doesNotMatch(page.body, /650123456|For Awa|Ring|awa@example|<form/);
  }
  assert.equal((await other.submit(FORM)).status, 403);
  const json = await other.json({ channel: 'cm.mtn', data: { phone: '650123456' } });
  assert.deepEqual([json.status, json.body.message], [403, 'The payment is being made in another browser.']);
});

test('a browser that enters the charged number takes over the page when no charge is in progress', async () => {
  const { holder, other, id } = await claimedAndIdle();
  const seen = await other.get();
  assert.match(seen.body, /Did you start this payment\?/);
  assert.doesNotMatch(seen.body, /650123456/);
  const wrong = await other.submit({ phone: '650999999' });
  assert.equal(wrong.status, 403);
  assert.match(wrong.body, /id="phone-error">This is not the number used for this payment\./);
  const untyped = await other.submit({ channel: 'cm.card' });
  assert.equal(untyped.status, 403);
  assert.doesNotMatch(untyped.body, /id="phone-error"/, 'nothing was typed that could be wrong');
  assert.equal((await other.submit({ phone: '+237 6 50 12 34 56' })).status, 303);
  assert.deepEqual(await claimOf(id), sha256(other.cookie?.split('=')[1] ?? ''));
  assert.match((await other.get()).body, /How would you like to pay/);
  assert.match((await holder.get()).body, /another browser/);
  providerAnswer = CONFIRM;
  assert.equal((await other.submit(FORM)).status, 303);
});

test('a card charge that no provider took keeps no other browser out, because there is no number that it could enter', async () => {
  const {
    payers: [first, other],
    id,
  } = await browsers(2);
  const numbersIn = (page: string) => page.replaceAll(/\s|&nbsp;/g, '');
  providerAnswer = CLOSED;
  const card = { channel: 'cm.card', number: '4242 4242 4242 4242', expiry: '12/30', cvc: '123' };
  assert.equal((await first.submit(card)).status, 502);
  assert.match(numbersIn((await first.get()).body), /650123456/);
  const seen = await other.get();
  assert.match(seen.body, /How would you like to pay/);
  assert.doesNotMatch(numbersIn(seen.body), /650123456/, 'the number is for the browser that began');
  providerAnswer = CONFIRM;
  assert.equal((await other.submit(FORM)).status, 303);
  assert.deepEqual(await claimOf(id), sha256(other.cookie?.split('=')[1] ?? ''));
  assert.equal((await first.submit(FORM)).status, 403, 'a provider has the charge of the other browser');
});

test('no browser takes over the page of a payment that has ended, even with the number', async () => {
  const { holder, other, id } = await claimedAndIdle();
  await api.deps.stores.sandbox.db.run(sql`update payments set status = 'succeeded' where id = ${id}`);
  const { status, body } = await other.json({ data: { phone: '650123456' } });
  assert.deepEqual([status, body.message], [400, 'The payment is succeeded and cannot be charged.']);
  assert.deepEqual(await claimOf(id), sha256(holder.cookie?.split('=')[1] ?? ''));
});

test('a browser that charges the charged number takes over the page at once; one that charges another number does not', async () => {
  const { other, id } = await claimedAndIdle();
  providerAnswer = CONFIRM;
  assert.equal((await other.json({ channel: 'cm.mtn', data: { phone: '650999999' } })).status, 403);
  assert.equal((await other.json({ channel: 'cm.mtn', data: { phone: '650123456' } })).status, 202);
  assert.deepEqual(await claimOf(id), sha256(other.cookie?.split('=')[1] ?? ''));
});

test('no browser takes over while a charge is in progress, even with the number', async () => {
  providerAnswer = CONFIRM;
  const {
    payers: [holder, other],
    id,
  } = await browsers(2);
  await holder.submit(FORM);
  assert.equal((await other.submit({ phone: '650123456' })).status, 403);
  assert.deepEqual(await claimOf(id), sha256(holder.cookie?.split('=')[1] ?? ''));
});

test('of several browsers that submit at once, exactly one charges and owns the page', async () => {
  providerAnswer = CONFIRM;
  const { payers, id } = await browsers(8);
  const answers = await Promise.all(payers.map((payer, i) => payer.json({ channel: 'cm.mtn', data: { phone: `65000001${i}` } })));
  const winner = answers.findIndex(({ status }) => status === 202);
  assert.deepEqual(answers.map(({ status }) => status).filter((status) => status === 202).length, 1);
  assert.ok(answers.every(({ status }) => [202, 400, 403].includes(status)));
  assert.deepEqual(await claimOf(id), sha256(payers[winner]?.cookie?.split('=')[1] ?? ''));
  assert.equal((await api.call('GET', `/payments/${id}`)).body.transaction.attempts.length, 1);
});

test('a double submit from one browser charges once', async () => {
  providerAnswer = CONFIRM;
  const {
    payers: [payer],
    id,
  } = await browsers(1);
  const answers = await Promise.all([payer.submit(FORM), payer.submit(FORM)]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [303, 303],
  );
  assert.equal((await api.call('GET', `/payments/${id}`)).body.transaction.attempts.length, 1);
});

test('303 to the page for a form posted by a provider that sends the payer back; its fields are ignored', async () => {
  const { payers, id } = await browsers(1);
  const payer = payers[0];
  const back = await payer.submit({ card_number: '4242424242424242' }, '/card', { origin: 'https://provider.example' });
  assert.deepEqual(
    [back.status, new URL(back.headers.get('location') as string, payer.url).pathname],
    [303, new URL(payer.url).pathname],
  );
  const { status, attempts } = (await api.call('GET', `/payments/${id}`)).body.transaction;
  assert.deepEqual([status, attempts], ['pending', []]);
});

test('403 for a submit from another site', async () => {
  const {
    payers: [payer],
    id,
  } = await browsers(1);
  const headers: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'nonsense' },
  ];
  for (const header of headers) {
    assert.equal((await payer.submit(FORM, '', header)).status, 403, JSON.stringify(header));
    assert.equal((await payer.json({ channel: 'cm.mtn', data: { phone: '650123456' } }, '', header)).status, 403);
  }
  assert.equal((await api.call('GET', `/payments/${id}`)).body.transaction.status, 'pending');
  providerAnswer = CONFIRM;
  assert.equal(
    (await payer.submit(FORM, '', { origin: 'null', 'sec-fetch-site': 'same-origin' })).status,
    303,
    'what our own form sends',
  );
});

test('403 for a form without its token, or with that of another browser or page; the form is shown again', async () => {
  const {
    payers: [payer, other],
    id,
  } = await browsers(2);
  const elsewhere = new Payer((await newPayment(api)).url);
  await elsewhere.get();
  for (const form_token of ['', 'x', other.formToken, elsewhere.formToken]) {
    const { status, body } = await payer.submit({ ...FORM, form_token: form_token ?? '' });
    assert.equal(status, 403);
    assert.match(body, /role="alert">The page was open for too long/);
    assert.match(body, /value="650123456"/, 'what was typed is still there');
  }
  assert.equal((await new Payer(payer.url).submit({ ...FORM, form_token: payer.formToken ?? '' })).status, 403, 'no cookie');
  assert.equal((await api.call('GET', `/payments/${id}`)).body.transaction.status, 'pending');
});

test('429 with a page and Retry-After above 30 submits of one page in a minute; other pages are not limited', async () => {
  const {
    payers: [payer],
  } = await browsers(1);
  const wrong = { channel: 'cm.mtn', data: { phone: '1' } };
  clock.advance(60_000 - (clock.now() % 60_000));
  for (let i = 0; i < 30; i++) assert.equal((await payer.json(wrong)).status, 422);
  const { status, headers, body } = await payer.submit(FORM, '', { 'accept-language': 'fr' });
  assert.equal(status, 429);
  assert.match(body, /Trop de tentatives/);
  assert.match(body, /rechargez la page pour voir l’état actuel/);
  assert.doesNotMatch(body, /Rien n’a été payé/, 'an earlier submit may have charged');
  assert.equal(headers.get('retry-after'), '60');
  assert.equal((await payer.json(wrong)).body.retry_after, 60);
  assert.equal((await payer.get()).status, 200, 'looking is free');
  assert.equal((await new Payer((await newPayment(api)).url).json(wrong)).status, 422);
  clock.advance(60_000);
  assert.equal((await payer.json(wrong)).status, 422);
});
