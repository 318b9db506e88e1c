import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { unpack } from '../../src/kit/packing.ts';
import { sql } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { type Answer, startApi, until } from '../setup/api.ts';

const api = await startApi();
after(() => api.stop());

const { db } = api.deps.stores.sandbox;

interface Story {
  channel: string;
  currency: string;
  data: object;
  amount: number;
  bearer?: string;
  /** Of the charge itself. */
  answer: number;
  /** Of the payment, in order. */
  statuses: string[];
  reason: string | null;
  attempt: string;
  fee: number;
}

const MTN = { channel: 'cm.mtn', currency: 'XAF', amount: 25000, fee: 500 };
const BANK = { channel: 'cm.bank', currency: 'XAF', amount: 25000, fee: 375 };
const GHANA = { channel: 'gh.mtn', currency: 'GHS', amount: 10.25, fee: 0.21 };
const phone = (suffix: string) => ({ phone: `+237650${suffix}` });
const account = (suffix: string) => ({ account_number: `10003-00100-${suffix}` });

const WON = {
  answer: 202,
  statuses: ['pending', 'processing', 'succeeded'],
  reason: null,
  attempt: 'succeeded',
};
const LOST = {
  answer: 202,
  statuses: ['pending', 'processing', 'failed'],
  reason: 'authorization_timeout',
  attempt: 'failed',
};
const GIVEN_UP = {
  answer: 202,
  statuses: ['pending', 'processing', 'cancelled'],
  reason: 'payer_declined',
  attempt: 'cancelled',
};
const REFUSED = { answer: 402, statuses: ['pending', 'failed'], attempt: 'failed', fee: 0 };

const STORIES: [title: string, story: Story][] = [
  ['phone …000000 succeeds', { ...MTN, ...WON, data: phone('000000') }],
  ['phone …000001 fails: insufficient_funds', { ...MTN, ...REFUSED, reason: 'insufficient_funds', data: phone('000001') }],
  ['phone …000002 fails: operator_declined', { ...MTN, ...REFUSED, reason: 'operator_declined', data: phone('000002') }],
  ['phone …000003 times out', { ...MTN, ...LOST, data: phone('000003') }],
  ['phone …000004 is cancelled by the payer', { ...MTN, ...GIVEN_UP, data: phone('000004') }],
  ['phone …000009 succeeds', { ...MTN, ...WON, data: phone('000009') }],
  ['any other phone succeeds', { ...MTN, ...WON, data: phone('123456') }],
  ['account …000000 succeeds', { ...BANK, ...WON, data: account('000000') }],
  ['account …000001 fails: insufficient_funds', { ...BANK, ...REFUSED, reason: 'insufficient_funds', data: account('000001') }],
  ['account …000003 times out', { ...BANK, ...LOST, data: account('000003') }],
  ['account …000004 is cancelled by the payer', { ...BANK, ...GIVEN_UP, data: account('000004') }],
  ['the customer bears the fee', { ...MTN, ...WON, data: phone('000000'), bearer: 'customer' }],
  ['the customer bears the fee of a transfer', { ...BANK, ...WON, data: account('7'), bearer: 'customer' }],
  ['hundredths in cedi', { ...GHANA, ...WON, data: { phone: '0240000000' } }],
  ['hundredths in cedi, the customer bears the fee', { ...GHANA, ...WON, data: { phone: '0240000000' }, bearer: 'customer' }],
];

for (const [title, story] of STORIES) {
  test(`${title} on ${story.channel}: ${story.statuses.join(', ')}, with events and books to match`, async () => {
    const merchant = await api.newMerchant();
    const key = merchant.sandbox.secret;
    const { amount, currency, bearer = 'merchant', data, channel, statuses } = story;
    const made = await api.call('POST', '/payments', {
      key,
      body: { amount, currency, bearer, phone: '1', reference: title },
    });
    const { id } = made.body.transaction;
    const charged = await api.call('POST', `/payments/${id}`, { key, body: { channel, data } });
    assert.equal(charged.status, story.answer, JSON.stringify(charged.body));
    const last = statuses.at(-1) as string;
    const { body } = await until(
      () => api.call('GET', `/payments/${id}`, { key }),
      (answer) => answer.body.transaction.status === last,
    );
    checkPayment(body.transaction, story, bearer);
    await checkEvents(merchant.team.id, id, statuses, body.transaction);
    await checkBooks(merchant.team.id, id, story, bearer);
  });
}

function checkPayment(transaction: Answer['body'], { amount, fee, reason, attempt, channel }: Story, bearer: string): void {
  const won = transaction.status === 'succeeded';
  const { amount_total, amount_captured, amount_refunded, settled } = transaction;
  const total = bearer === 'customer' ? Math.round((amount + fee) * 100) / 100 : amount;
  assert.deepEqual(
    { amount_total, amount_captured, amount_refunded, settled },
    { amount_total: total, amount_captured: won ? total : 0, amount_refunded: 0, settled: won },
  );
  assert.deepEqual([transaction.amount, transaction.fee, transaction.channel], [amount, fee, channel]);
  assert.equal(transaction.reason, reason);
  const [tried, ...others] = transaction.attempts;
  assert.deepEqual([tried.status, tried.reason, tried.channel, others.length], [attempt, reason, channel, 0]);
  assert.equal(transaction.message === null, reason === null);
  assert.equal(transaction.completed_at, transaction.updated_at);
}

/** One event for each change, counted from 1; the last tells what GET shows now. */
async function checkEvents(team_id: bigint, id: string, statuses: string[], transaction: object): Promise<void> {
  const events = await db.all<{ type: string; sequence: number; body: Buffer }>(sql`
    select type, sequence, body from events where team_id = ${team_id} and type like 'payment.%' order by sequence`);
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    statuses.map((_, i) => i + 1),
  );
  assert.deepEqual(
    events.map(({ type }) => type),
    ['payment.created', ...statuses.slice(1).map((status) => `payment.${status}`)],
  );
  const told = events.map(({ body }) => JSON.parse(unpack(body)).data);
  assert.deepEqual(
    told.map(({ status }) => status),
    statuses,
  );
  assert.ok(told.every((data) => data.id === id));
  assert.deepEqual(told.at(-1), transaction);
}

/** A success books once what the merchant gets and the fee; anything else books nothing. */
async function checkBooks(
  team_id: bigint,
  id: string,
  { amount, fee, currency, statuses }: Story,
  bearer: string,
): Promise<void> {
  const journals = await db.all<{ kind: string; subject_id: string }>(
    sql`select kind, subject_id from journals where team_id = ${team_id}`,
  );
  const balances = await readBalances(db, team_id, currency);
  const of = (name: 'available' | 'fee_income' | 'clearing' | 'pending' | 'hold') => Number(balances.get(name) ?? 0n) / 100;
  if (statuses.at(-1) !== 'succeeded') {
    assert.deepEqual([journals, [...balances]], [[], []]);
    return;
  }
  assert.deepEqual(journals, [{ kind: 'payment.succeeded', subject_id: id }]);
  const [credited, charged] = bearer === 'customer' ? [amount, amount + fee] : [amount - fee, amount];
  assert.deepEqual(
    [of('available'), of('fee_income'), of('clearing')],
    [credited, fee, -charged].map((value) => Math.round(value * 100) / 100),
  );
  assert.deepEqual([of('pending'), of('hold')], [0, 0]);
  assert.equal(
    [...balances.values()].reduce((sum, value) => sum + value, 0n),
    0n,
  );
}
