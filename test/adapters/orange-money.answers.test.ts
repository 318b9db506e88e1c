import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { SendResult } from '../../src/kit/fetch.ts';
import { compareGolden } from '../setup/golden.ts';
import { cameroonStub, CM_HANDLE, LINK, onOrange, PAGE, WEB_HANDLE, webStub } from './orange-money-stub.ts';
import { answered, failure, short } from './wire-stub.ts';

const CODES = [200, 201, 204, 302, 400, 401, 403, 404, 405, 408, 409, 417, 429, 500, 502, 503, 504];

/** What is said of an attempt by page when every call is answered like this. */
async function byPage(result: SendResult) {
  const { provider } = webStub(() => result);
  return {
    prepare: await provider.prepare?.(onOrange(provider)),
    read: await provider.read(onOrange(provider, { handle: WEB_HANDLE })),
  };
}

/** The same of an attempt by prompt. */
async function byPrompt(result: SendResult) {
  const { provider } = cameroonStub(() => result);
  const prepared = onOrange(provider, { handle: CM_HANDLE });
  return {
    prepare: await provider.prepare?.(onOrange(provider)),
    submit: await provider.submit(prepared),
    read: await provider.read(prepared),
  };
}

suite('interpretation of responses of Orange Money, by page', () => {
  const status = (fields: object) => {
    const order_id = onOrange(webStub(() => failure(true)).provider).provider_key;
    return byPage(answered(201, { order_id, txnid: '', ...fields }));
  };

  test('every order status, and every response status', async () => {
    const lines: string[] = [];
    for (const word of ['INITIATED', 'PENDING', 'SUCCESS', 'FAILED', 'EXPIRED', 'SUCCESSFULL', 'CANCELLED', '__proto__']) {
      lines.push(`status ${word}: ${short((await status({ status: word })).read)}`);
    }
    for (const code of CODES) {
      const { prepare, read } = await byPage(answered(code, { code: 23, message: 'Missing body field', description: 'x' }));
      lines.push(`${code}: making a page ${short(prepare)}, read ${short(read)}`);
    }
    compareGolden('orange-money-web.txt', lines);
  });

  test('a success has the requested amount, and the number of Orange or otherwise our key', async () => {
    const money = { kind: 'succeeded', amount_minor: 25_000_00n, currency: 'XAF' };
    const { read } = await status({ status: 'SUCCESS', txnid: 'MP261121.1200.A12345' });
    assert.deepEqual(read, { ...money, provider_ref: 'MP261121.1200.A12345' });
    const unnumbered = (await status({ status: 'SUCCESS', txnid: '' })).read;
    assert.deepEqual(unnumbered, { ...money, provider_ref: onOrange(webStub(() => failure(true)).provider).provider_key });
  });

  test('a page that nobody uses expires, also when it stays INITIATED', async () => {
    const { provider } = webStub(({ url }) => {
      const { provider_key: order_id } = onOrange(provider);
      return url.endsWith('transactionstatus') ? answered(201, { order_id, status: 'INITIATED', txnid: '' }) : failure(true);
    });
    const now = Date.now();
    const read = (times: { expires_at: number; submitted_at: number | null }) =>
      provider.read(onOrange(provider, { handle: WEB_HANDLE, ...times }));
    const asked = (ended_ms: number) => read({ expires_at: now - ended_ms, submitted_at: null });
    assert.equal((await asked(0)).kind, 'pending');
    assert.equal((await asked(9 * 60_000)).kind, 'pending', 'a payment may be reported late');
    assert.equal((await asked(11 * 60_000)).kind, 'expired');
    // In a window of a day the page closes long before.
    const opened = (ago_ms: number) => read({ expires_at: now + 86_400_000, submitted_at: now - ago_ms });
    assert.equal((await opened(39 * 60_000)).kind, 'pending');
    assert.equal((await opened(41 * 60_000)).kind, 'expired');
  });

  test('a response for another order is unreadable', async () => {
    assert.equal((await status({ status: 'SUCCESS', order_id: 'another' })).read.kind, 'unreadable');
  });

  test('a page whose address was lost cannot be paid: the attempt is unavailable', async () => {
    for (const sent of [true, false]) {
      const { prepare, read } = await byPage(failure(sent));
      assert.deepEqual([prepare?.kind, read.kind], ['unavailable', 'unreadable']);
    }
  });

  for (const [what, changes] of [
    ['no address', { payment_url: 'pay here' }],
    ['a script', { payment_url: 'javascript:alert(1)' }],
    ['plain http', { payment_url: 'http://webpayment.orange-money.com/x' }],
    ['no token', { pay_token: '' }],
    ['no page', { payment_url: null }],
  ] as const) {
    test(`a page with ${what} is rejected`, async () => {
      assert.equal((await byPage(answered(201, { ...LINK, ...changes }))).prepare?.kind, 'unavailable');
    });
  }

  test('an attempt without a page did not take place and needs no status query', async () => {
    const { provider, calls } = webStub(() => answered(201, LINK));
    for (const handle of [null, '', '{', '{}', 'null']) {
      assert.deepEqual(await provider.read(onOrange(provider, { handle })), { kind: 'not_found' });
      assert.equal((await provider.submit(onOrange(provider, { handle }))).kind, 'unavailable');
    }
    assert.deepEqual(calls, []);
  });

  test('submitting a prepared attempt sends nothing and returns the page, also when repeated', async () => {
    const { provider, calls } = webStub(() => answered(201, LINK));
    const prepared = await provider.prepare?.(onOrange(provider));
    assert.deepEqual(prepared, { kind: 'ready', handle: WEB_HANDLE });
    calls.splice(0);
    const collection = onOrange(provider, { handle: WEB_HANDLE });
    for (const said of [await provider.submit(collection), await provider.submit(collection)]) {
      assert.ok(said.kind === 'accepted');
      assert.deepEqual(said.next, { kind: 'redirect', url: PAGE });
    }
    assert.deepEqual(calls, []);
  });
});

suite('interpretation of responses of Orange Money Cameroon, by prompt', () => {
  const told = (data: object, message = 'OK') =>
    byPrompt(answered(200, { message, data: { payToken: CM_HANDLE, amount: 25000, txnid: 'MP1', ...data } }));

  test('every status, every text and every response status', async () => {
    const lines: string[] = [];
    const statuses = ['INITIATED', 'PENDING', 'SUCCESSFULL', 'SUCCESSFUL', 'SUCCESS', 'FAILED', 'EXPIRED', 'CANCELLED', 'NEW'];
    for (const status of statuses) {
      const { submit, read } = await told({ status });
      lines.push(`status ${status}: pay ${short(submit)}, read ${short(read)}`);
    }
    for (const text of TEXTS) {
      const { read } = await told({ status: 'FAILED', confirmtxnmessage: text });
      const { submit } = await byPrompt(answered(417, { message: text }));
      lines.push(`${text}`, `  read FAILED: ${short(read)}`, `  pay, HTTP 417: ${short(submit)}`);
    }
    for (const code of CODES) {
      const { prepare, submit, read } = await byPrompt(answered(code, { message: 'Erreur' }));
      lines.push(`${code}: init ${short(prepare)}, pay ${short(submit)}, read ${short(read)}`);
    }
    compareGolden('orange-money-cameroon.txt', lines);
  });

  test('a success is reported with its amount, as a number or as text; without an amount it is unreadable', async () => {
    for (const amount of [25000, '25000', '25000.00']) {
      const { read } = await told({ status: 'SUCCESSFULL', amount });
      assert.deepEqual(read, { kind: 'succeeded', provider_ref: 'MP1', amount_minor: 25_000_00n, currency: 'XAF' });
    }
    for (const amount of [null, '', '25 000', -1]) {
      assert.equal((await told({ status: 'SUCCESSFULL', amount })).read.kind, 'unreadable');
    }
  });

  test('a response for another payment proves nothing', async () => {
    const { submit, read } = await told({ status: 'SUCCESSFULL', payToken: 'MPOTHER' });
    assert.deepEqual([submit.kind, read.kind], ['unknown', 'unreadable']);
  });

  test('a request without a response is unknown; before a token was issued, nothing was sent', async () => {
    const lost = await byPrompt(failure(true));
    assert.deepEqual([lost.prepare?.kind, lost.submit.kind, lost.read.kind], ['unavailable', 'unknown', 'unreadable']);
    const unsent = await byPrompt(failure(false));
    assert.deepEqual([unsent.prepare?.kind, unsent.submit.kind, unsent.read.kind], ['unavailable', 'unavailable', 'unreadable']);
  });

  test('a token that allows path injection is rejected', async () => {
    for (const payToken of ['../../token', 'a b', 'x'.repeat(101), '', 7]) {
      assert.equal((await byPrompt(answered(200, { data: { payToken } }))).prepare?.kind, 'unavailable');
    }
  });
});

const TEXTS = [
  'Bénéficiaire introuvable',
  'Abonné introuvable',
  'Le solde du compte du payeur est insuffisant',
  '60019',
  'Utilisateur bloqué',
  'Code PIN incorrect',
  'Le code secret est incorrect',
  'PayToken déjà utilisé',
  'Quelque chose de nouveau',
];
