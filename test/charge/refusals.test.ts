import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holderOf, wasCharged } from '../../src/core/charge/hosted.ts';
import { chargeFault, reasonOf, wrongState } from '../../src/core/charge/refusals.ts';
import { payerHash } from '../../src/core/customers/payer-hash.ts';
import { Secrets, sha256 } from '../../src/kit/crypto.ts';

const secrets = new Secrets(Buffer.alloc(32, 7));
const wallet = { team_id: 7n, channel: 'cm.mtn', country: 'CM', payer: '+237650000001', payer_hash: null };
const charged = (typed: string, changes: object = {}) => wasCharged(secrets, [{ ...wallet, ...changes }] as never, typed);

test('a reason is one of the closed list; any other is unknown', () => {
  assert.equal(reasonOf({ reason: 'wrong_pin' }), 'wrong_pin');
  assert.equal(reasonOf({ reason: 'the wallet is full' } as never), 'unknown');
  assert.equal(reasonOf({ reason: null }), 'unknown');
});

test('a payment that could be charged is said to be under way, any other by its status', () => {
  assert.deepEqual([wrongState({ status: 'pending' }).status, wrongState({ status: 'expired' }).status], [400, 400]);
  assert.match(wrongState({ status: 'pending' }).message, /already under way/);
  assert.match(wrongState({ status: 'expired' }).message, /is expired and cannot be charged/);
});

test('a payment whose window is over is said to be so, unless a charge of it is under way', () => {
  const fault = (status: 'pending' | 'partial' | 'processing', held: boolean, at: number) =>
    chargeFault({ status, expires_at: new Date(1_000) }, held, at)?.message ?? null;
  assert.deepEqual([fault('pending', false, 999), fault('partial', false, 999)], [null, null]);
  for (const status of ['pending', 'partial'] as const) {
    assert.match(fault(status, false, 1_000) ?? '', /window is over/);
    for (const at of [999, 1_000]) assert.match(fault(status, true, at) ?? '', /already under way/);
  }
  assert.match(fault('processing', true, 1_000) ?? '', /is processing and cannot be charged/);
});

test('who knows the number that was charged may take the page over, however it is written', () => {
  for (const typed of ['+237650000001', '650000001', '6 50 00 00 01', '+237 650 000 001'])
    assert.equal(charged(typed), true, typed);
  for (const typed of ['650000002', '', '65000000']) assert.equal(charged(typed), false, typed);
  assert.equal(charged('12 34', { country: null, payer: '1234' }), true, 'an account number');
});

test('an erased number is recognised by its hash', () => {
  const erased = { payer: null, payer_hash: payerHash(secrets, 7n, '+237650000001') };
  assert.equal(charged('650000001', erased), true);
  assert.equal(charged('650000002', erased), false);
});

test('the token of a card is no proof', () => {
  assert.equal(charged('tok_1', { channel: 'cm.card', country: null, payer: 'tok_1' }), false);
});

test('a page belongs to nobody, to the browser that opened it, or to another', () => {
  const claim = sha256('secret of the browser');
  assert.equal(holderOf({ claim: null }, 'x'), 'none');
  assert.equal(holderOf({ claim }, 'secret of the browser'), 'this');
  assert.equal(holderOf({ claim }, 'x'), 'another');
  assert.equal(holderOf({ claim }, null), 'another');
});
