import type { Entry } from '../kit/book.ts';
import type { CallbackRequest, CallbackContent } from '../kit/callbacks.ts';
import { type Answer, type Call, jsonOf } from '../kit/calls.ts';
import { type Ending, failsWith, SUCCEEDS } from '../kit/operations.ts';
import { type Outcome, outcomeOf } from '../kit/outcomes.ts';
import type { Kit } from '../kit/simulator.ts';

export const APP = {
  ...{ consumer_key: 'twin-of-daraja-consumer-key', consumer_secret: 'twin-of-daraja-consumer-secret' },
  ...{ shortcode: '174379', passkey: 'twin-of-daraja-passkey' },
};
const MAX = 250_000;

/** Returns an error in Daraja's envelope. */
export function fault(status: number, errorCode: string, errorMessage: string): Answer {
  return { status, body: { requestId: '16813-1590513-1', errorCode, errorMessage } };
}

const bad = (field: string): Answer => fault(400, '400.002.02', `Bad Request - Invalid ${field}`);

const ENDINGS: Record<Outcome, Ending> = {
  succeeds: SUCCEEDS,
  insufficient_funds: failsWith('1'),
  declined: failsWith('8006'),
  times_out: failsWith('1019', 2),
  payer_refuses: failsWith('1032'),
  recipient_unregistered: failsWith('2040'),
  invalid_recipient: failsWith('8'),
  refund_fails: failsWith('17'),
};

/**
 * Responses of the status query while the prompt is still open, by the last six digits. The payer still pays
 * afterwards. Integrators received 1037 and 4999 in this way for customers who were charged (daraja-error-codes,
 * entries 1037 and 4999). 8999 stands for the next unpublished code.
 */
const EARLY_RESULTS: Record<string, string> = { '000037': '1037', '004999': '4999', '008999': '8999' };

const DESCRIPTIONS: Record<string, string> = {
  0: 'The service request is processed successfully.',
  1: 'The balance is insufficient for the transaction.',
  1032: 'Request cancelled by user',
  1019: 'Transaction has expired',
  1037: 'DS timeout user cannot be reached',
  4999: 'The transaction is still under processing',
  8006: 'The security credential is locked.',
};

/** Creates a prompt. */
export async function push(kit: Kit, call: Call): Promise<Answer> {
  const fields = jsonOf(call) ?? {};
  const wrong = wrongFieldOf(fields);
  if (wrong) return bad(wrong);
  if (!isSigned(fields)) return fault(500, '500.001.1001', 'Wrong credentials');
  const { Amount, PhoneNumber, CallBackURL, AccountReference } = fields;
  if (call.fault === 'closed') {
    return fault(
      500,
      '500.001.1001',
      'Unable to lock subscriber, a transaction is already in process for the current subscriber',
    );
  }
  const msisdn = String(PhoneNumber);
  const entry = await kit.operations.create(
    {
      ...{ kind: 'collect', key: String(AccountReference), amount_minor: BigInt(Number(Amount)) * 100n, currency: 'KES', msisdn },
      ...{ of: null, callback_url: String(CallBackURL), wire: {} },
    },
    msisdn.slice(-6) in EARLY_RESULTS ? { ...SUCCEEDS, after: 4 } : ENDINGS[outcomeOf('collect', msisdn)],
    call.fault,
  );
  return {
    status: 200,
    body: {
      ...{ ...idsOf(entry), ResponseCode: '0', ResponseDescription: 'Success. Request accepted for processing' },
      CustomerMessage: 'Success. Request accepted for processing',
    },
  };
}

/** Returns the first field that is not as documented, or null. */
function wrongFieldOf(fields: Record<string, unknown>): string | null {
  const { TransactionType, Amount, PartyA, PartyB, PhoneNumber, CallBackURL, AccountReference, TransactionDesc } = fields;
  if (fields.BusinessShortCode !== APP.shortcode) return 'BusinessShortCode';
  if (typeof fields.Timestamp !== 'string' || !/^\d{14}$/.test(fields.Timestamp)) return 'Timestamp';
  if (TransactionType !== 'CustomerPayBillOnline' && TransactionType !== 'CustomerBuyGoodsOnline') return 'TransactionType';
  if (typeof Amount !== 'number' || !Number.isInteger(Amount) || Amount < 1 || Amount > MAX) return 'Amount';
  if (typeof PhoneNumber !== 'string' || !/^254[17]\d{8}$/.test(PhoneNumber) || PartyA !== PhoneNumber) return 'PhoneNumber';
  if (TransactionType === 'CustomerPayBillOnline' && PartyB !== APP.shortcode) return 'PartyB';
  if (typeof CallBackURL !== 'string' || !URL.canParse(CallBackURL) || /mpesa|ngrok/i.test(CallBackURL)) return 'CallBackURL';
  if (typeof AccountReference !== 'string' || !/^.{1,12}$/.test(AccountReference)) return 'AccountReference';
  return typeof TransactionDesc === 'string' && /^.{1,13}$/.test(TransactionDesc) ? null : 'TransactionDesc';
}

function isSigned({ Password, Timestamp }: Record<string, unknown>): boolean {
  return Password === Buffer.from(`${APP.shortcode}${APP.passkey}${Timestamp}`).toString('base64');
}

/** Returns the status of a prompt. */
export function query(kit: Kit, call: Call): Answer {
  const fields = jsonOf(call) ?? {};
  if (!isSigned(fields)) return fault(500, '500.001.1001', 'Wrong credentials');
  const entry = entryOf(kit, fields.CheckoutRequestID);
  if (!entry) return bad('CheckoutRequestID');
  const early = entry.state === 'pending' ? EARLY_RESULTS[entry.msisdn.slice(-6)] : undefined;
  if (early === undefined && (entry.state === 'pending' || entry.visible_at > Date.now())) {
    return fault(500, '500.001.1001', 'The transaction is being processed');
  }
  const code = early ?? resultOf(entry);
  return {
    status: 200,
    body: {
      ...{ ResponseCode: '0', ResponseDescription: 'The service request has been accepted successsfully', ...idsOf(entry) },
      ...{ ResultCode: code, ResultDesc: DESCRIPTIONS[code] ?? 'Failed' },
    },
  };
}

function resultOf({ state, word }: Entry): string {
  return state === 'succeeded' ? '0' : (word ?? '9999');
}

function idsOf({ ref }: Entry): { MerchantRequestID: string; CheckoutRequestID: string } {
  return { MerchantRequestID: `29115-34620561-${ref}`, CheckoutRequestID: `ws_CO_2611${ref}` };
}

/** Returns the entry with Safaricom's own id. Our reference is never queried. */
export function entryOf({ book }: Kit, checkout_id: unknown): Entry | undefined {
  return book.entries().find((entry) => idsOf(entry).CheckoutRequestID === checkout_id);
}

/** Composes the callback, which is sent once, unsigned, at the end. A forged one reports the opposite result. */
export function compose(entry: Entry, { stage, amount_minor, forged }: CallbackContent): CallbackRequest | null {
  if (entry.callback_url === null || stage === 'interim') return null;
  const honest = resultOf(entry);
  const code = forged ? (honest === '0' ? '1032' : '0') : honest;
  const items = [
    { Name: 'Amount', Value: Number(amount_minor) / 100 },
    { Name: 'MpesaReceiptNumber', Value: `SGK${entry.ref}` },
    { Name: 'Balance' },
    { Name: 'TransactionDate', Value: 20261121100000 },
    { Name: 'PhoneNumber', Value: Number(entry.msisdn) },
  ];
  const stkCallback = {
    ...{ ...idsOf(entry), ResultCode: Number(code), ResultDesc: DESCRIPTIONS[code] ?? 'Failed' },
    ...(code === '0' ? { CallbackMetadata: { Item: items } } : {}),
  };
  return {
    ...{ method: 'POST', url: entry.callback_url, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ Body: { stkCallback } }),
  };
}
