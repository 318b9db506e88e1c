import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BeneficiaryRow } from '../../src/core/beneficiaries/schema.ts';
import { payoutChannel } from '../../src/core/beneficiaries/destination.ts';
import { choiceErrors, fitAmount, resolvePayee } from '../../src/core/transfers/payee.ts';
import { presentTransfer } from '../../src/core/transfers/present.ts';
import type { CreateTransferBody, TransferRow } from '../../src/core/transfers/schema.ts';
import { Problem } from '../../src/kit/errors.ts';

/** Who is paid, and how much may be: what POST /transfers decides without a provider. Every rule with the words a caller sees. */
const SAVED = {
  ...{ id: 'ben_1', name: 'Awa', phone: '+237650000000', account_number: null, bank_code: null, country: 'CM', email: null },
  ...{ channel: 'cm.mtn', currency: 'XAF' },
};
const find = async () => SAVED as unknown as BeneficiaryRow;
const BEN = `ben_${'0'.repeat(26)}`;
const body = (fields: object) => ({ amount: 1_000, currency: 'XAF', ...fields }) as CreateTransferBody;
const payee = (fields: object) => resolvePayee(find, body(fields));

/** The errors of a refused request. */
function errorsOf(error: unknown): object {
  assert.ok(error instanceof Problem);
  return JSON.parse(JSON.stringify({ status: error.status, ...error.details }));
}

const ONE = 'exactly one of beneficiary and recipient is required';
const CHOICES: [what: string, fields: object, errors: object][] = [
  ['neither', {}, { beneficiary: [ONE], recipient: [ONE] }],
  ['both', { beneficiary: 'x', recipient: 'y', channel: 'cm.mtn' }, { beneficiary: [ONE], recipient: [ONE] }],
  ['an object without a channel', { beneficiary: { name: 'A' } }, { 'beneficiary.channel': ['is required'] }],
  ['an object with its channel', { beneficiary: { name: 'A', channel: 'cm.mtn' } }, {}],
  ['an object with the channel beside it', { beneficiary: { name: 'A' }, channel: 'cm.mtn' }, {}],
  ['a saved beneficiary', { beneficiary: 'x' }, {}],
  ['a number without a channel', { recipient: '650000000' }, { channel: ['is required with recipient'] }],
  ['a number on a channel', { recipient: '650000000', channel: 'cm.mtn' }, {}],
  ['an id of live as a number', { recipient: 'ben_1' }, {}],
  ['an id of the sandbox as a number', { recipient: 'ben_test_1' }, {}],
];
for (const [what, fields, errors] of CHOICES) {
  test(`the choice of a payee: ${what}`, () => assert.deepEqual(choiceErrors(body(fields)), errors));
}

const none = { phone: null, account_number: null, bank_code: null, country: 'CM', email: null };
const WALLET = { ...none, name: 'Awa', phone: '+237650000000' };
const PAYEES: [what: string, fields: object, channel: string, beneficiary_id: string | null, recipient: object][] = [
  ['saved', { beneficiary: BEN }, 'cm.mtn', 'ben_1', WALLET],
  ['saved, named as the recipient', { recipient: BEN }, 'cm.mtn', 'ben_1', WALLET],
  ['saved, with its channel', { beneficiary: BEN, channel: 'cm.mtn' }, 'cm.mtn', 'ben_1', WALLET],
  ['an object', { beneficiary: { name: 'Awa', channel: 'cm.mtn', phone: '650000000' } }, 'cm.mtn', null, WALLET],
  [
    'an object with the channel twice',
    { beneficiary: { name: 'Awa', channel: 'cm.mtn', phone: '650000000' }, channel: 'cm.mtn' },
    ...(['cm.mtn', null, WALLET] as const),
  ],
  [
    'an object on a bank',
    { beneficiary: { name: 'Awa', account_number: '1000', bank_code: '10', email: 'a@b.example' }, channel: 'cm.bank' },
    ...(['cm.bank', null, { ...none, name: 'Awa', account_number: '1000', bank_code: '10', email: 'a@b.example' }] as const),
  ],
  ['a number', { recipient: '650000000', channel: 'cm.mtn' }, 'cm.mtn', null, { ...WALLET, name: null }],
];
for (const [what, fields, channel, beneficiary_id, recipient] of PAYEES) {
  test(`the payee of a transfer: ${what}`, async () => {
    const found = await payee(fields);
    assert.deepEqual([found.channel.id, found.beneficiary_id, found.recipient], [channel, beneficiary_id, recipient]);
  });
}

const OTHER = ['is not the channel of the beneficiary (cm.mtn)'];
const REFUSED: [what: string, fields: object, errors: object, error_code?: string][] = [
  ['another channel than the saved one', { beneficiary: BEN, channel: 'cm.orange' }, { channel: OTHER }],
  [
    'another currency than the saved one',
    { beneficiary: BEN, currency: 'XOF' },
    { currency: ['is not the currency of the beneficiary (XAF)'] },
  ],
  [
    'both others',
    { beneficiary: BEN, channel: 'cm.orange', currency: 'XOF' },
    { channel: OTHER, currency: ['is not the currency of the beneficiary (XAF)'] },
  ],
  [
    'two channels',
    { beneficiary: { name: 'A', channel: 'cm.mtn', phone: '650000000' }, channel: 'cm.orange' },
    { channel: OTHER },
  ],
  [
    'an unknown channel inside the object',
    { beneficiary: { name: 'A', channel: 'cm.x' } },
    { 'beneficiary.channel': ['is not a channel: GET /channels lists them'] },
    'channel_not_supported',
  ],
  [
    'an unknown channel beside the object',
    { beneficiary: { name: 'A' }, channel: 'cm.x' },
    { channel: ['is not a channel: GET /channels lists them'] },
    'channel_not_supported',
  ],
  [
    'an object without its number',
    { beneficiary: { name: 'A', channel: 'cm.mtn' } },
    { 'beneficiary.phone': ['is required for mobile money'] },
  ],
  ['no number', { recipient: '12', channel: 'cm.mtn' }, { recipient: ['is not a phone number of CM'] }],
  [
    'a number on an unknown channel',
    { recipient: '12', channel: 'cm.x' },
    { channel: ['is not a channel: GET /channels lists them'] },
    'channel_not_supported',
  ],
];
for (const [what, fields, errors, error_code] of REFUSED) {
  test(`no payee of a transfer: ${what}`, async () => {
    await assert.rejects(payee(fields), (error) => {
      assert.deepEqual(errorsOf(error), { status: 422, errors, ...(error_code && { error_code }) });
      return true;
    });
  });
}

test('an amount fits between the least and the most of a channel in a currency of it', () => {
  const fit = (id: string, currency: string, amount_minor: bigint) => {
    try {
      fitAmount(payoutChannel(id, 'channel'), currency, amount_minor);
      return null;
    } catch (error) {
      return errorsOf(error);
    }
  };
  const above = (amount: string) => ({ status: 422, errors: { amount: [amount] } });
  assert.equal(fit('cm.mtn', 'XAF', 50_000_000n), null);
  assert.deepEqual(fit('cm.mtn', 'XAF', 50_000_100n), above('must be at most 500000 XAF on cm.mtn'));
  assert.equal(fit('cm.mtn', 'XAF', 10_000n), null);
  assert.deepEqual(fit('cm.mtn', 'XAF', 9_900n), above('must be at least 100 XAF on cm.mtn'));
  assert.deepEqual(fit('cm.mtn', 'XOF', 10_000n), {
    ...{ status: 422, errors: { currency: ['is not paid out on cm.mtn'] } },
    error_code: 'channel_not_supported',
  });
});

test('a transfer is shown with all its fields, in major units and in UTC', () => {
  const row = {
    ...{ id: 'po_1', reference: 'r', amount_minor: 1_050n, fee_minor: 11n, currency: 'GHS', status: 'failed' },
    ...{ reason: 'invalid_recipient', message: 'm', beneficiary_id: 'ben_1', channel: 'gh.mtn', description: 'd' },
    account_id: 'acct_1',
    ...{ metadata: { a: 1 }, created_at: new Date(1), updated_at: new Date(2), completed_at: new Date(3) },
  } as unknown as TransferRow;
  const shown = {
    ...{ id: 'po_1', reference: 'r', amount: 10.5, currency: 'GHS', fee: 0.11, amount_total: 10.61, status: 'failed' },
    ...{ reason: 'invalid_recipient', message: 'm', beneficiary: 'ben_1', channel: 'gh.mtn', description: 'd' },
    account: 'acct_1',
    ...{ metadata: { a: 1 }, sandbox: false, created_at: '1970-01-01T00:00:00.001Z', updated_at: '1970-01-01T00:00:00.002Z' },
    completed_at: '1970-01-01T00:00:00.003Z',
  };
  assert.deepEqual(presentTransfer('live', row), shown);
  assert.deepEqual(presentTransfer('sandbox', { ...row, completed_at: null }), { ...shown, sandbox: true, completed_at: null });
});
