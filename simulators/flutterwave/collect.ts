import type { Draft, Entry } from '../kit/book.ts';
import { type Answer, type Call, jsonOf } from '../kit/calls.ts';
import { amountText, minorOf } from '../kit/outcomes.ts';
import { CREATED } from '../kit/faults.ts';
import type { Kit } from '../kit/simulator.ts';
import { endingOf, rejection, success } from './codes.ts';

/** The required fields and the currencies of a charge type. */
interface Type {
  currencies: readonly string[];
  networks: readonly string[] | null;
  isNetworkOptional?: true;
  countries: readonly string[] | null;
  /** The payer's next action: approve on the handset, go to a page, or pay into an account. */
  mode: 'callback' | 'redirect' | 'banktransfer';
}

const TYPES: Record<string, Type> = {
  mobile_money_franco: {
    currencies: ['XAF', 'XOF'],
    networks: ['MTN', 'ORANGEMONEY', 'MOOV', 'WAVE', 'FREEMONEY'],
    countries: ['CM', 'CI', 'SN', 'BF'],
    mode: 'callback',
  },
  mobile_money_ghana: { currencies: ['GHS'], networks: ['MTN', 'VODAFONE', 'TIGO'], countries: null, mode: 'redirect' },
  mobile_money_rwanda: {
    ...{ currencies: ['RWF'], networks: ['MTN', 'AIRTEL'], isNetworkOptional: true, countries: null, mode: 'redirect' },
  },
  mobile_money_uganda: { currencies: ['UGX'], networks: ['MTN', 'AIRTEL'], countries: null, mode: 'redirect' },
  mobile_money_zambia: { currencies: ['ZMW'], networks: ['MTN', 'AIRTEL', 'ZAMTEL'], countries: null, mode: 'redirect' },
  mobile_money_tanzania: {
    currencies: ['TZS'],
    networks: ['VODACOM', 'TIGO', 'AIRTEL', 'HALOPESA'],
    countries: null,
    mode: 'callback',
  },
  mpesa: { currencies: ['KES'], networks: null, countries: null, mode: 'callback' },
  bank_transfer: { currencies: ['NGN', 'GHS'], networks: null, countries: null, mode: 'banktransfer' },
};
const CFA_COUNTRY: Record<string, string> = { CM: 'XAF', CI: 'XOF', SN: 'XOF', BF: 'XOF' };

/** Creates a charge. */
export async function createCharge(kit: Kit, call: Call): Promise<Answer> {
  const name = call.query.get('type') ?? '';
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  const fields = jsonOf(call) ?? {};
  if (!type) return rejection(400, 'type is not supported');
  if (!isAddress(fields.email)) return rejection(400, 'email is required');
  const { network } = fields;
  const isMissing = network === undefined && type.isNetworkOptional;
  if (type.networks && !isMissing && !type.networks.includes(String(network))) return rejection(400, 'network is invalid');
  if (type.countries && !(type.countries.includes(String(fields.country)) && fits(fields))) {
    return rejection(400, 'country is invalid');
  }
  if (name === 'mobile_money_rwanda' && typeof fields.order_id !== 'string') return rejection(400, 'order_id is required');
  const phone = typeof fields.phone_number === 'string' ? fields.phone_number : '';
  if (type.mode !== 'banktransfer' && !/^\d{8,15}$/.test(phone)) return rejection(400, 'Invalid phone number');
  const draft = draftOf(fields, phone, type.currencies, { payment_type: name, unseen: type.mode === 'banktransfer' });
  if (typeof draft === 'string') return rejection(400, draft);
  if (call.fault === 'closed') return rejection(400, 'Service is currently unavailable, try again later');
  // The payer cannot pay, because the lost response contained the account number.
  if (type.mode === 'banktransfer' && CREATED.some((fault) => fault === call.fault))
    return success('Charge initiated', undefined);
  const entry = await kit.operations.create(draft, endingOf('collect', draft.key, phone), call.fault);
  return answerOf(type, entry, String(call.headers.host));
}

/** Returns whether country and currency match: XAF is Cameroon's, XOF that of the others. */
function fits({ country, currency }: Record<string, unknown>): boolean {
  return CFA_COUNTRY[String(country)] === currency;
}

function answerOf({ mode }: Type, entry: Entry, host: string): Answer {
  switch (mode) {
    case 'callback':
      return success('Charge initiated', presentCharge(entry), {
        meta: { authorization: { mode: 'callback', redirect_url: null } },
      });
    case 'redirect': {
      const redirect = `http://${host}/flwv3-pug/getpaidx/api/${entry.ref}`;
      return success('Charge initiated', undefined, { meta: { authorization: { mode: 'redirect', redirect } } });
    }
    case 'banktransfer': {
      const authorization = {
        ...{ transfer_reference: `FLW${entry.ref}`, transfer_account: '0067100155', transfer_bank: 'Simulator Bank' },
        ...{ account_expiration: '2026-12-31 23:59:59', transfer_note: 'Mock note', mode: 'banktransfer' },
        transfer_amount: amountText(entry.amount_minor, 2),
      };
      return success('Charge initiated', undefined, { meta: { authorization } });
    }
  }
}

/** Returns the charge with our reference. A page or account without a payment is not a transaction yet. */
export function verify({ book, settings }: Kit, key: string): Answer {
  const shown = transactionsOf(book.created(key));
  // It is not published which transaction is returned where a tx_ref has several. By default: the one that was paid, else the last one.
  const entry =
    settings.get('verified') === 'first' ? shown[0] : (shown.find(({ state }) => state === 'succeeded') ?? shown.at(-1));
  if (!entry) return rejection(404, 'No transaction was found for this id');
  return success('Transaction fetched successfully', presentCharge(entry));
}

const PAGE_SIZE = 10;

/** Returns the transactions with a tx_ref, or all of them, the newest first, in pages. */
export function listCharges({ book }: Kit, { query }: Call): Answer {
  const key = query.get('tx_ref');
  const page = Number(query.get('page') ?? 1);
  const found = transactionsOf(key === null ? book.entries() : book.created(key)).toReversed();
  const page_info = { total: found.length, current_page: page, total_pages: Math.ceil(found.length / PAGE_SIZE) };
  const data = found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map((entry) => presentCharge(entry));
  return success('Transactions fetched', data, { meta: { page_info } });
}

/** Returns the charges that the API shows. An account to pay into is no transaction before it is paid. */
function transactionsOf(entries: readonly Entry[]): Entry[] {
  return entries.filter(
    ({ kind, state, visible_at, wire }) =>
      kind === 'collect' && visible_at <= Date.now() && !(state === 'pending' && wire.unseen === true),
  );
}

const STATUSES = { pending: 'pending', succeeded: 'successful', failed: 'failed' } as const;

/** Returns a charge in the format of the status endpoint and the webhook. */
export function presentCharge(entry: Entry, state = entry.state, amount_minor = entry.amount_minor): object {
  const amount = Number(amount_minor) / 100;
  return {
    ...{
      id: Number(entry.ref),
      tx_ref: entry.key,
      flw_ref: `FLW-SIMULATOR-${entry.ref}`,
      amount,
      charged_amount: amount,
      app_fee: 0,
    },
    processor_response: state === 'failed' ? entry.word : state === 'succeeded' ? 'Approved' : 'Transaction in progress',
    ...{ currency: entry.currency, status: STATUSES[state], payment_type: entry.wire.payment_type, fraud_status: 'ok' },
    created_at: new Date(entry.created_at).toISOString(),
    customer: { id: 1, phone_number: entry.msisdn, name: 'Anonymous Customer', email: 'someone@shop.example' },
  };
}

/** Returns the charge to create, or the error in the request. A repeated tx_ref is charged again. */
export function draftOf(
  fields: Record<string, unknown>,
  msisdn: string,
  currencies: readonly string[],
  wire: Record<string, unknown>,
): Draft | string {
  const { tx_ref, currency } = fields;
  if (typeof tx_ref !== 'string' || tx_ref === '') return 'tx_ref is required';
  if (typeof currency !== 'string' || !currencies.includes(currency)) return 'currency is invalid';
  const amount_minor = minorOf(String(fields.amount));
  if (amount_minor === null || amount_minor === 0n) return 'amount is invalid';
  return { kind: 'collect', key: tx_ref, amount_minor, currency, msisdn, of: null, callback_url: null, wire };
}

/** Returns whether the value is an e-mail address. */
export function isAddress(email: unknown): boolean {
  return typeof email === 'string' && /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email);
}
