import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { SendResult } from '../../src/kit/fetch.ts';
import { uuidOf } from '../../src/kit/ids.ts';
import type { Collection } from '../../src/providers/adapters/contract.ts';
import { CODES } from '../../src/providers/adapters/wave/codes.ts';
import { compareGolden } from '../setup/golden.ts';
import { HANDLE, onWave, PAGE, payoutOnWave, refundOnWave, SESSION, waveStub } from './wave-stub.ts';
import { answered, failure, short } from './wire-stub.ts';

const KEY = uuidOf('att_01k3tz9f7a0123456789abcdef');
const PAYOUT_KEY = uuidOf('po_01k3tz9f7a0123456789abcdef');
const STATUSES = [200, 201, 204, 302, 400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503, 504];

/** What is said of everything when every call is answered like this. */
async function saidTo(result: SendResult) {
  const { provider } = waveStub(() => result);
  const prepared = onWave(provider, { handle: HANDLE });
  return {
    prepare: await provider.prepare?.(onWave(provider)),
    read: await provider.read(prepared),
    cancel: await provider.cancel?.(prepared),
    payout: await provider.payouts?.submit(payoutOnWave(provider)),
    payout_read: await provider.payouts?.read(payoutOnWave(provider)),
    refund: await provider.refunds?.submit(refundOnWave(provider)),
    refund_read: await provider.refunds?.read(refundOnWave(provider)),
  };
}

const session = (fields: object) => saidTo(answered(200, { ...SESSION, client_reference: KEY, ...fields }));
const PAYOUT = { id: 'pt-1', currency: 'XOF', receive_amount: '25000', client_reference: PAYOUT_KEY };
const payout = async (fields: object) => (await saidTo(answered(200, { ...PAYOUT, ...fields }))).payout;
const found = async (...result: object[]) => (await saidTo(answered(200, { result }))).payout_read;

suite('interpretation of responses of Wave', () => {
  test('every session status, with and without an error', async () => {
    const lines: string[] = [];
    for (const checkout_status of ['open', 'complete', 'expired', 'new']) {
      for (const payment_status of ['processing', 'cancelled', 'succeeded', 'new']) {
        for (const code of [null, 'insufficient-funds']) {
          const { read } = await session({ checkout_status, payment_status, last_payment_error: code && { code, message: 'x' } });
          lines.push(`${checkout_status} ${payment_status} ${code ?? ''}: ${short(read)}`);
        }
      }
    }
    for (const code of [...CODES.payment, 'something-new', '__proto__']) {
      const last_payment_error = { code, message: 'in words' };
      const { read } = await session({ checkout_status: 'expired', payment_status: 'cancelled', last_payment_error });
      lines.push(`expired after ${code}: ${short(read)}`);
    }
    compareGolden('wave-sessions.txt', lines);
  });

  test('every status and error of a payout', async () => {
    const lines: string[] = [];
    for (const status of ['processing', 'succeeded', 'failed', 'reversed', 'new']) {
      lines.push(`${status}: made ${short(await payout({ status }))}, found ${short(await found({ ...PAYOUT, status }))}`);
    }
    for (const code of [...CODES.payout, 'insufficient-funds', 'checkout-refund-failed', 'something-new', '__proto__']) {
      const failed = await payout({ status: 'failed', payout_error: { error_code: code, error_message: 'in words' } });
      const { payout: refused, refund } = await saidTo(answered(422, { error_code: code, error_message: 'in words' }));
      const { payout: as_request } = await saidTo(answered(422, { code, message: 'in words' }));
      assert.equal(short(refused), short(as_request), 'an error has either of two shapes');
      lines.push(`${code}: failed ${short(failed)}, HTTP 422 to a payout ${short(refused)}, to a refund ${short(refund)}`);
    }
    compareGolden('wave-payouts.txt', lines);
  });

  test('a known code proves nothing unless its status is of a rejected request', async () => {
    const codes = [
      ...CODES.payout,
      'insufficient-funds',
      'blocked-account',
      'checkout-refund-failed',
      'checkout-session-not-found',
    ];
    for (const status of [200, 202, 302, 500, 502, 503, 504]) {
      for (const code of codes) {
        const { payout: paid, refund } = await saidTo(answered(status, { error_code: code, error_message: 'in words' }));
        assert.deepEqual([paid?.kind, refund?.kind], ['unknown', 'unknown'], `HTTP ${status} ${code}`);
      }
    }
  });

  test('every response status, with an unknown error', async () => {
    const lines: string[] = [];
    for (const code of STATUSES) {
      const said = await saidTo(answered(code, { code: 'something-new', message: 'in words' }));
      lines.push(String(code), ...Object.entries(said).map(([what, one]) => `  ${what}: ${short(one)}`));
    }
    compareGolden('wave-statuses.txt', lines);
  });

  test('a request without a response is unknown, except a page that no payer has seen', async () => {
    const kinds = async (sent: boolean) => Object.values(await saidTo(failure(sent))).map((said) => said?.kind);
    assert.deepEqual(await kinds(true), ['unavailable', 'unreadable', 'unknown', 'unknown', 'unknown', 'unknown', 'unknown']);
    assert.deepEqual(await kinds(false), [
      ...['unavailable', 'unreadable', 'unknown', 'unavailable', 'unknown', 'unavailable', 'unknown'],
    ]);
  });

  test('a success is reported with its amount and number; without an amount it is unreadable', async () => {
    const complete = { checkout_status: 'complete', payment_status: 'succeeded', transaction_id: 'T_1' };
    const money = { kind: 'succeeded', amount_minor: 25_000_00n, currency: 'XOF' };
    assert.deepEqual((await session(complete)).read, { ...money, provider_ref: 'T_1' });
    assert.deepEqual((await session({ ...complete, transaction_id: null })).read, { ...money, provider_ref: 'cos-1' });
    for (const fields of [{ amount: '' }, { amount: '-1' }, { amount: null }, { currency: 'francs' }, { currency: null }]) {
      assert.equal((await session({ ...complete, ...fields })).read.kind, 'unreadable');
    }
    assert.deepEqual(await payout({ status: 'succeeded' }), { ...money, provider_ref: 'pt-1' });
    for (const fields of [{ receive_amount: '1,5' }, { currency: 'x' }]) {
      assert.equal((await payout({ status: 'succeeded', ...fields }))?.kind, 'unknown');
    }
  });

  test('a response about another object proves nothing', async () => {
    const others = { checkout_status: 'complete', payment_status: 'succeeded', client_reference: 'another' };
    assert.equal((await session(others)).read.kind, 'unreadable');
    assert.equal((await session({ ...others, when_refunded: '2026-01-01' })).refund_read?.kind, 'unknown');
    assert.equal((await payout({ status: 'succeeded', client_reference: 'another' }))?.kind, 'unknown');
    assert.equal((await found({ ...PAYOUT, status: 'succeeded', client_reference: 'another' }))?.kind, 'unknown');
  });

  test('a search: no result is not found, several under one key need a manual decision', async () => {
    assert.deepEqual(await found(), { kind: 'not_found' });
    assert.equal((await found({ ...PAYOUT, status: 'failed' }, { ...PAYOUT, status: 'succeeded' }))?.kind, 'unknown');
    assert.equal((await saidTo(answered(200, { result: null }))).payout_read?.kind, 'unknown');
  });

  test('a page whose address is not https, or a session id that allows path injection, is rejected', async () => {
    const made = async (fields: object) => (await saidTo(answered(200, { ...SESSION, ...fields }))).prepare;
    assert.deepEqual(await made({}), { kind: 'ready', handle: JSON.stringify({ id: 'cos-1', wave_launch_url: PAGE }) });
    for (const fields of [
      { wave_launch_url: 'javascript:alert(1)' },
      { wave_launch_url: 'http://pay.wave.com/x' },
      { id: '../x' },
    ]) {
      assert.equal((await made(fields))?.kind, 'unavailable');
    }
  });

  test('an attempt without a session did not take place and needs no status query', async () => {
    const { provider, calls } = waveStub(() => answered(200, SESSION));
    for (const handle of [null, '', '{', '{}', 'null']) {
      const collection: Collection = onWave(provider, { handle });
      assert.deepEqual(await provider.read(collection), { kind: 'not_found' });
      assert.equal((await provider.submit(collection)).kind, 'unavailable');
      assert.deepEqual(await provider.cancel?.(collection), { kind: 'cancelled' });
      assert.equal((await provider.refunds?.submit({ ...refundOnWave(provider), collection }))?.kind, 'unavailable');
    }
    assert.deepEqual(calls, []);
  });

  test('cancelling a session: 200 closes it, 409 means that it has ended', async () => {
    assert.deepEqual((await saidTo(answered(200, ''))).cancel, { kind: 'cancelled' });
    assert.equal((await saidTo(answered(409, ''))).cancel?.kind, 'too_late');
  });

  test('a refund succeeds when the response is 200 and empty, and is found in its session', async () => {
    assert.deepEqual((await saidTo(answered(200, ''))).refund, { kind: 'succeeded', provider_ref: 'cos-1' });
    for (const body of ['<html></html>', '{"ok":', '{}', 'null']) {
      assert.equal((await saidTo(answered(200, body))).refund?.kind, 'unknown');
    }
    const complete = { checkout_status: 'complete', payment_status: 'succeeded' };
    const { refund_read } = await session({ ...complete, when_refunded: '2026-01-01T00:00:00Z' });
    assert.deepEqual(refund_read, { kind: 'succeeded', provider_ref: 'cos-1' });
    assert.deepEqual((await session(complete)).refund_read, { kind: 'not_found' });
    for (const payment_status of ['cancelled', 'processing', undefined])
      assert.equal((await session({ ...complete, payment_status })).refund_read?.kind, 'unknown', 'it may have been taken back');
  });

  test('a session cannot be partially refunded', async () => {
    const { provider, calls } = waveStub(() => answered(200, ''));
    const part = { ...refundOnWave(provider), amount_minor: 24_999_00n };
    assert.equal((await provider.refunds?.submit(part))?.kind, 'unavailable');
    assert.deepEqual(calls, []);
  });

  test('reads the balance of the wallet', async () => {
    const held = (body: unknown, status = 200) => waveStub(() => answered(status, body)).provider.balance?.();
    assert.deepEqual(await held({ amount: '10000', currency: 'XOF' }), {
      kind: 'held',
      floats: [{ currency: 'XOF', amount_minor: 10_000_00n, use: 'both' }],
    });
    for (const body of [{}, { amount: 'much', currency: 'XOF' }, { amount: '1', currency: 'F' }, '<html>']) {
      assert.equal((await held(body))?.kind, 'unreadable');
    }
    assert.equal((await held({ amount: '10000', currency: 'XOF' }, 500))?.kind, 'unreadable');
  });
});
