import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import type { Provider, Submission } from '../../src/providers/adapters/contract.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { sandboxProvider } from '../../src/providers/adapters/sandbox/index.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { type Api, dumpDatabase, type Merchant, startApi, until } from '../setup/api.ts';
import { newPayment, Payer } from './payer.ts';

const CARD = '4242 4242 4242 4242';
const THREE_D_SECURE = '4000002500003155';

/** A live provider that answers what the test wants. */
let liveAnswer: Submission = { kind: 'unavailable', message: 'closed' };
const pending: Provider['read'] = async () => ({ kind: 'pending', poll_after_ms: 60_000 });
let liveReading = pending;
const live: TestProvider = {
  name: 'scripted',
  collects: () => true,
  submit: async () => liveAnswer,
  read: (collection) => liveReading(collection),
};

/** Whether payers in the sandbox take their time to pay. */
let payersWait = false;

const logged: string[] = [];
let api: Api;
let verified: Merchant;
before(async () => {
  const stream = new PassThrough().on('data', (line) => logged.push(String(line)));
  const { read, ...others } = sandboxProvider({ clock: systemClock, delay_ms: 50 });
  const sandbox: Provider = {
    ...others,
    read: async (collection) => (payersWait ? { kind: 'pending', poll_after_ms: 50 } : read(collection)),
  };
  api = await startApi({ log: pino({ level: 'debug' }, stream), providers: new Registry({ sandbox: [sandbox], live: [live] }) });
  // A payment in pieces is above the ceiling of level 1.
  verified = await api.newMerchant({ verification_level: 2 });
});
after(() => api.stop());

async function statusOf(id: string, key = api.keys.sandbox.secret): Promise<string> {
  return (await api.call('GET', `/payments/${id}`, { key })).body.transaction.status;
}

/** A payer on the page, with its cookie and form. */
async function onPage(changes: object = {}, key?: string) {
  const payment = await newPayment(api, changes, key);
  const payer = new Payer(payment.url);
  await payer.get();
  return { ...payment, payer };
}

test('303 after a submit, then the page follows the payment until it ends', async () => {
  const { id, payer } = await onPage({ callback: 'https://shop.example/b', reference: 'R1' });
  const submitted = await payer.submit({ channel: 'cm.mtn', phone: '6 50 00 00 00' });
  assert.equal(submitted.status, 303);
  assert.equal(submitted.headers.get('location'), new URL(payer.url).pathname);
  assert.match((await payer.get()).body, /Confirm on your phone|Payment successful/);
  await until(
    () => payer.get('/status'),
    ({ body }) => body.status === 'succeeded',
  );
  const done = await payer.get();
  assert.equal(done.status, 200);
  assert.match(done.body, /Payment successful/);
  assert.match(done.body, /<noscript><meta http-equiv="refresh" content="6;url=https:\/\/shop\.example\/b\?id=/);
  assert.match(done.body, new RegExp(`id=${id}&amp;reference=R1&amp;trxref=${id}&amp;status=succeeded`));
  assert.doesNotMatch(done.body, /650000000/, 'nothing of the payer');
});

test('202 as JSON with the action and the public fields of the payment', async () => {
  const { id, url } = await newPayment(api);
  const { status, body } = await new Payer(url).json({ channel: 'cm.mtn', data: { phone: '650000000' } });
  assert.equal(status, 202);
  assert.deepEqual([body.code, body.status, body.action], [202, 'Accepted', { kind: 'confirm' }]);
  assert.deepEqual([body.transaction.id, body.transaction.status, body.transaction.channel], [id, 'processing', 'cm.mtn']);
  assert.ok(!('customer' in body.transaction) && !('attempts' in body.transaction) && !('callback' in body.transaction));
});

test('202 as JSON for a form too, when Accept requests JSON', async () => {
  const { payer } = await onPage();
  payersWait = true;
  const { status, body } = await payer.submit({ channel: 'cm.bank', account_number: '00010002000000' }, '', {
    accept: 'application/json',
  });
  assert.equal(status, 202);
  assert.equal(body.action.kind, 'transfer');
  const page = (await payer.get()).body;
  payersWait = false;
  assert.ok(
    [body.action.instructions.account_number, body.action.instructions.reference, 'Sandbox Bank'].every((part) =>
      page.includes(part),
    ),
  );
});

test('402 as JSON with payer_message in the language of the payer, and the payment is failed', async () => {
  const { id, url } = await newPayment(api);
  const { status, body } = await new Payer(url).json({ channel: 'cm.mtn', data: { phone: '650000001' } }, '', {
    'accept-language': 'fr',
  });
  assert.equal(status, 402);
  assert.deepEqual([body.error_code, body.payer_message], ['insufficient_funds', 'Le solde du compte est insuffisant.']);
  assert.equal(await statusOf(id), 'failed');
});

test('a decline ends on the result page, which gives the reason and leads back to the merchant', async () => {
  const { payer } = await onPage({ callback: 'https://shop.example/' });
  assert.equal((await payer.submit({ channel: 'cm.mtn', phone: '650000002' })).status, 303);
  const { status, body } = await payer.get('', { 'accept-language': 'fr' });
  assert.equal(status, 200);
  assert.match(body, /L’opérateur a refusé le paiement\./);
  assert.match(body, /href="https:\/\/shop\.example\/\?id=[^"]*status=failed"/);
  assert.doesNotMatch(body, /<form/, 'a failed payment is final');
});

test('422 shows the form again with the message beside the field and the values typed, and the payment stays pending', async () => {
  const { id, payer } = await onPage();
  const { status, body } = await payer.submit({ channel: 'cm.mtn', phone: '<b>12' });
  assert.equal(status, 422);
  assert.match(body, /id="phone" aria-describedby="phone-error pin-help" aria-invalid="true" autofocus/);
  assert.match(body, /id="phone-error">This is not a phone number of the chosen country \(Cameroon\)/);
  assert.match(body, /value="&lt;b&gt;12"/);
  assert.equal((await payer.submit({ channel: 'cm.bank', account_number: '' })).status, 422);
  assert.match((await payer.submit({ channel: 'sn.orange', phone: '770000000' })).body, /Choose one from the list/);
  assert.equal(await statusOf(id), 'pending');
  assert.equal((await payer.submit({ channel: 'cm.mtn', phone: '650000000' })).status, 303, 'the same form goes on');
});

test('422 as JSON names the fields as the API does', async () => {
  const { url } = await newPayment(api);
  const wrong = async (body: unknown) => {
    const answer = await new Payer(url).json(body);
    assert.equal(answer.status, 422, JSON.stringify(answer.body));
    return Object.keys(answer.body.errors);
  };
  assert.deepEqual(await wrong({}), ['channel']);
  assert.deepEqual(await wrong({ channel: 'xx.nobody' }), ['channel']);
  assert.deepEqual(await wrong({ channel: 'sn.orange', data: { phone: '770000000' } }), ['channel']);
  assert.deepEqual(await wrong({ channel: 'cm.mtn' }), ['data.phone']);
  assert.deepEqual(await wrong({ channel: 'cm.mtn', phone: 650000000 }), ['data.phone']);
  assert.deepEqual(await wrong({ channel: 'cm.bank', account_number: '12\u000034' }), ['data.account_number']);
  assert.deepEqual(await wrong({ channel: 'cm.bank', account_number: '1'.repeat(65) }), ['data.account_number']);
});

test('400 for a payment that has ended or is in progress: JSON for a script, a page for a browser', async () => {
  const { payer } = await onPage();
  await payer.json({ channel: 'cm.mtn', data: { phone: '650000003' } });
  assert.equal((await payer.json({ channel: 'cm.mtn', data: { phone: '650000003' } })).status, 400);
  await until(
    () => payer.get('/status'),
    ({ body }) => body.status === 'failed',
  );
  assert.equal((await payer.json({ channel: 'cm.mtn', data: { phone: '650000000' } })).status, 400);
  assert.equal((await payer.submit({ channel: 'cm.mtn', phone: '650000000' })).status, 303);
  assert.match((await payer.get()).body, /was not confirmed in time/);
});

test('400 for a body that is neither a form nor a JSON object, and for one that is too large', async () => {
  const { url } = await newPayment(api);
  const payer = new Payer(url);
  assert.equal((await payer.json([1])).status, 400);
  assert.equal((await payer.json({ channel: 'x'.repeat(20_000) })).status, 400);
  assert.equal((await payer.json({}, '', { 'content-type': 'text/plain' })).status, 400);
  assert.match((await payer.json({}, '', { 'content-type': 'text/plain', accept: 'text/html' })).body, /Request refused/);
});

test('410 with a page when the payer cancels on the phone', async () => {
  const { payer } = await onPage();
  await payer.submit({ channel: 'cm.orange', phone: '690000004' });
  await until(
    () => payer.get('/status'),
    ({ body }) => body.status === 'cancelled',
  );
  assert.match((await payer.get()).body, /Payment cancelled/);
});

test('cards: one test card is paid at once, another is declined with its reason', async () => {
  const { payer, id } = await onPage();
  const form = { channel: 'cm.card', number: CARD, expiry: '12/30', cvc: '123' };
  assert.equal((await payer.submit(form)).status, 303);
  assert.equal(await statusOf(id), 'succeeded');
  const { url } = await newPayment(api);
  const declined = await new Payer(url).json({ channel: 'cm.card', card: { number: '4000000000000069' } });
  assert.deepEqual([declined.status, declined.body.error_code], [402, 'expired_card']);
});

test('422 sandbox_test_card_required for any other card, whose number is not repeated', async () => {
  const { payer, id, url } = await onPage();
  const shown = await payer.submit({ channel: 'cm.card', number: '4111111111111111', expiry: '12/30', cvc: '987' });
  assert.equal(shown.status, 422);
  assert.match(shown.body, /<details class="means" name="means" open><summary>Card/);
  assert.match(shown.body, /id="number-error">This is not a test card/);
  assert.doesNotMatch(shown.body, /4111|987/);
  const { body } = await new Payer(url).json({ channel: 'cm.card', number: '4111111111111111' });
  assert.equal(body.error_code, 'sandbox_test_card_required');
  assert.doesNotMatch(JSON.stringify(body), /4111/);
  assert.equal(await statusOf(id), 'pending');
});

test('3-D Secure: the step page, approved and declined', async () => {
  for (const [answer, status] of [
    ['approve', 'succeeded'],
    ['refuse', 'failed'],
  ] as const) {
    const { payer, id } = await onPage();
    await payer.submit({ channel: 'cm.card', number: THREE_D_SECURE, expiry: '12/30', cvc: '123' });
    assert.equal((await payer.get()).headers.get('location'), `${new URL(payer.url).pathname}/card`);
    const step = await payer.get('/card?step=3ds');
    assert.match(step.body, /Your bank asks you to approve/);
    assert.equal((await payer.json({ authentication: 'perhaps' }, '/card')).status, 422);
    assert.equal((await payer.submit({ authentication: answer }, '/card')).status, 303);
    assert.equal(await statusOf(id), status);
    assert.equal((await payer.get('/card')).status, 303, 'nothing waits there any more');
  }
});

test('a card charge by API leads to the card page, which accepts the test card', async () => {
  const { id, url, token } = await newPayment(api);
  const { body } = await api.call('POST', `/payments/${id}`, { body: { channel: 'cm.card' } });
  assert.deepEqual(body.action, { kind: 'redirect', url: `${url}/card` });
  const payer = new Payer(url);
  const page = await payer.get('/card');
  assert.equal(page.status, 200);
  assert.match(page.body, new RegExp(`action="/pay/${token.replaceAll('.', '\\.')}/card"`));
  assert.match((await payer.submit({ number: '4111111111111111' }, '/card')).body, /This is not a test card/);
  assert.equal((await payer.json({ authentication: 'approve' }, '/card')).status, 422, 'no card, no authentication');
  assert.equal((await payer.submit({ number: THREE_D_SECURE }, '/card')).status, 303);
  await payer.get('/card');
  assert.equal((await payer.json({ authentication: 'approve' }, '/card')).body.transaction.status, 'succeeded');
});

test('a charge by API shows the next step to whoever opens the page, without the number', async () => {
  const { id, url } = await newPayment(api, { phone: undefined, email: 'p@example.com' });
  await api.call('POST', `/payments/${id}`, { body: { channel: 'cm.mtn', data: { phone: '650000003' } } });
  const { body } = await new Payer(url).get();
  assert.match(body, /Confirm on your phone/);
  assert.doesNotMatch(body, /650000003/);
});

test('502 leaves the payment pending and shows the form again; the same browser can continue', async () => {
  const { id, payer } = await onPage({ phone: '650000000' }, verified.live.secret);
  liveAnswer = { kind: 'unavailable', message: 'closed' };
  const { status, body } = await payer.submit({ channel: 'cm.mtn', phone: '650000000' });
  assert.equal(status, 502);
  assert.match(body, /role="alert">This payment method is not responding/);
  assert.doesNotMatch(body, /Test mode/);
  assert.equal((await payer.json({ channel: 'cm.mtn', data: { phone: '650000000' } })).status, 502);
  assert.equal(await statusOf(id, verified.live.secret), 'pending');
  liveAnswer = { kind: 'unknown', message: 'no answer' };
  assert.equal((await payer.submit({ channel: 'cm.mtn', phone: '650000000' })).status, 303);
  assert.match((await payer.get()).body, /We are checking your payment/);
});

test('a payment in tranches: the page shows the tranches, and after a declined one the payer continues there', async () => {
  const { payer, id } = await onPage({ amount: 1_200_000, bearer: 'customer' }, verified.live.secret);
  let left = 1;
  // The first tranche stays under way until the page has shown it.
  let seen = false;
  liveAnswer = { kind: 'accepted', provider_ref: 'p', next: { kind: 'confirm' }, poll_after_ms: 50 };
  liveReading = async ({ return_url, amount_minor, currency }) => {
    // Attempts of other tests are asked about too.
    if (!return_url.startsWith(payer.url)) return { kind: 'pending', poll_after_ms: 60_000 };
    if (!seen) return { kind: 'pending', poll_after_ms: 50 };
    if (left-- > 0) return { kind: 'succeeded', provider_ref: `p${left}`, amount_minor, currency };
    return { kind: 'failed', reason: 'insufficient_funds', message: 'no' };
  };
  assert.equal((await payer.submit({ channel: 'cm.mtn', phone: '650000000' })).status, 303);
  assert.match((await payer.get()).body, /This is a part of FCFA\s1,224,000/);
  seen = true;
  const stopped = await until(
    () => payer.get(),
    ({ body }) => body.includes('<form'),
  );
  assert.match(stopped.body, /role="alert">There is not enough money on the account/);
  assert.match(stopped.body, /<span class="sum">FCFA\s816,000<\/span>[\s\S]*408,000 of FCFA\s1,224,000 has been received so far/);
  assert.match(stopped.body, /<button>Pay FCFA\s816,000<\/button>/, 'the fee of the first charge is in it');
  left = 2;
  assert.equal((await payer.submit({ channel: 'cm.orange', phone: '690000000' })).status, 303);
  await until(
    () => payer.get('/status'),
    ({ body }) => body.status === 'succeeded',
  );
  assert.equal(await statusOf(id, verified.live.secret), 'succeeded');
  liveReading = pending;
});

test('live: no card field, raw card data is rejected, and a card channel leads to the page of the provider', async () => {
  const { payer } = await onPage({}, verified.live.secret);
  assert.doesNotMatch((await payer.get()).body, /name="(number|cvc|expiry)"/);
  const raw = await payer.json({ channel: 'cm.card', number: '4242424242424242' });
  assert.deepEqual([raw.status, raw.body.error_code], [422, 'raw_card_data_not_accepted']);
  liveAnswer = {
    kind: 'accepted',
    provider_ref: 'p1',
    next: { kind: 'redirect', url: 'https://cards.example/p?a=1&b=2' },
    poll_after_ms: 60_000,
  };
  const submitted = await payer.submit({ channel: 'cm.card' });
  assert.match(submitted.headers.get('location') ?? '', /\?go=1$/);
  assert.match(
    (await payer.get('?go=1')).body,
    /<meta http-equiv="refresh" content="0;url=https:\/\/cards\.example\/p\?a=1&amp;b=2">/,
  );
  assert.equal((await payer.get('/card')).status, 303, 'coming back from the provider');
  const waiting = (await payer.get()).body;
  assert.match(waiting, /class="button" href="https:\/\/cards\.example\/p\?a=1&amp;b=2"/);
  assert.doesNotMatch(waiting, /content="0;/, 'no loop');
});

test('no card number, code or page secret is stored in the database or logged', async () => {
  const { store, payer } = { store: api.deps.stores, ...(await onPage()) };
  await payer.submit({ channel: 'cm.card', number: '5555 5555 5555 4444', expiry: '11/29', cvc: '739' });
  const all = [...(await Promise.all([api.control, store.sandbox.db, store.live.db].map(dumpDatabase))), ...logged].join('\n');
  assert.match(all, /card_mastercard_succeeds/, 'the token is there');
  for (const secret of [
    '5555555555554444',
    '5555 5555 5555 4444',
    '4242424242424242',
    CARD,
    '4111111111111111',
    THREE_D_SECURE,
    '11/29',
  ]) {
    assert.ok(!all.includes(secret), secret);
  }
  assert.ok(!all.includes(payer.cookie?.split('=')[1] ?? '?'), 'only the hash of the cookie is kept');
});
