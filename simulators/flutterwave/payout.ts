import type { Entry } from '../kit/book.ts';
import { type Answer, type Call, jsonOf } from '../kit/calls.ts';
import { failsWith } from '../kit/operations.ts';
import { minorOf } from '../kit/outcomes.ts';
import type { Kit } from '../kit/simulator.ts';
import { endingOf, rejection, success } from './codes.ts';

/**
 * Networks by country of the number (Mobile Money Transfer, supported networks: the page of October 2026 for Côte
 * d'Ivoire and Ghana, of September 2026 for the others). Burkina Faso is in neither page.
 */
const NETWORKS: readonly (readonly [prefix: string, currency: string, networks: readonly string[]])[] = [
  ['237', 'XAF', ['MTN', 'ORANGEMONEY']],
  ['225', 'XOF', ['FMM', 'Moov', 'orangemoney', 'WAVE']],
  ['221', 'XOF', ['ORANGEMONEY', 'WAVE']],
  ['233', 'GHS', ['AIRTELTIGO', 'MTN', 'TELECEL', 'VODAFONE']],
  ['254', 'KES', ['MPS']],
  ['250', 'RWF', ['MTN', 'AIRTEL']],
  ['255', 'TZS', ['AIRTEL', 'HALOPESA', 'TIGO', 'VODACOM']],
  ['256', 'UGX', ['AIRTEL', 'MTN']],
  ['260', 'ZMW', ['MPS']],
];
/** Maximum length of `callback_url`, as documented by the official SDK. */
const MAX_CALLBACK_URL = 100;

/** Returns whether a transfer in this currency to this account is possible by this bank or network. */
function isServed(account_bank: string, account_number: string, currency: string): boolean {
  if (BANK.test(account_bank)) return currency === 'NGN';
  return NETWORKS.some(
    ([prefix, served, networks]) => served === currency && networks.includes(account_bank) && account_number.startsWith(prefix),
  );
}

/** Returns whether the sender is complete, which M-Pesa of Kenya requires (Mobile Money Transfer, Kenya). */
function namesSender(meta: unknown): boolean {
  const { sender, sender_country, mobile_number } = (meta ?? {}) as Record<string, unknown>;
  return [sender, sender_country, mobile_number].every((text) => typeof text === 'string' && text !== '');
}

/** Codes of Nigerian banks have three digits, those of the other institutions six. */
const BANK = /^\d{3}(?:\d{3})?$/;

/** Creates a transfer. */
export async function createTransfer(kit: Kit, call: Call): Promise<Answer> {
  const fields = jsonOf(call) ?? {};
  const { account_bank, account_number, currency, reference, callback_url = null, beneficiary_name } = fields;
  if (typeof reference !== 'string' || reference === '') return rejection(400, 'reference is required');
  if (typeof account_number !== 'string' || !/^\d{6,20}$/.test(account_number)) return rejection(400, 'Invalid account number');
  if (typeof currency !== 'string' || !isServed(String(account_bank), account_number, currency))
    return rejection(400, 'account_bank is invalid for the currency');
  if (currency === 'KES' && !namesSender(fields.meta))
    return rejection(400, 'meta.sender, sender_country, mobile_number are required');
  if (callback_url !== null && String(callback_url).length > MAX_CALLBACK_URL) return rejection(400, 'callback_url is too long');
  if (typeof beneficiary_name !== 'string' || beneficiary_name === '') return rejection(400, 'beneficiary_name is required');
  const amount_minor = minorOf(String(fields.amount));
  if (amount_minor === null || amount_minor === 0n) return rejection(400, 'amount is invalid');
  if (kit.book.find(reference)) return rejection(400, 'Transfer with this reference already exists');
  if (call.fault === 'closed') return rejection(400, 'Transfers to this bank are currently unavailable');
  const isEmpty = call.fault === 'float_exhausted';
  const entry = await kit.operations.create(
    {
      ...{ kind: 'payout', key: reference, amount_minor, currency, msisdn: account_number, of: null },
      callback_url: callback_url === null ? null : String(callback_url),
      wire: { account_bank, narration: fields.narration },
    },
    isEmpty ? failsWith('Insufficient balance in the wallet') : endingOf('payout', reference, account_number),
    call.fault,
  );
  return success('Transfer Queued Successfully', presentTransfer(entry, 'NEW'));
}

/** Returns a transfer by Flutterwave's id. */
export function showTransfer({ book }: Kit, ref: string): Answer {
  const entry = byRef(book.entries(), 'payout', ref);
  return entry ? success('Transfer fetched', presentTransfer(entry)) : rejection(404, 'Transfer not found');
}

/** Returns the transfers with a reference, or all. */
export function listTransfers({ book }: Kit, reference: string | null): Answer {
  const shown = book.entries().filter((entry) => entry.kind === 'payout' && isVisible(entry));
  const found = reference === null ? shown : shown.filter(({ key }) => key === reference);
  return success(
    'Transfers fetched',
    found.slice(-20).map((entry) => presentTransfer(entry)),
    { meta: { page_info: { total: found.length } } },
  );
}

const STATUSES = { pending: 'PENDING', succeeded: 'SUCCESSFUL', failed: 'FAILED' } as const;

/** Returns a transfer in the format of the status endpoint and the webhook. */
export function presentTransfer(entry: Entry, status: string = STATUSES[entry.state], amount_minor = entry.amount_minor): object {
  return {
    ...{ id: Number(entry.ref), account_number: entry.msisdn, bank_code: entry.wire.account_bank, full_name: 'Awa N.' },
    ...{ created_at: new Date(entry.created_at).toISOString(), currency: entry.currency, debit_currency: entry.currency },
    ...{ amount: Number(amount_minor) / 100, fee: 0, status, reference: entry.key, narration: entry.wire.narration },
    ...{
      complete_message: entry.state === 'failed' ? entry.word : '',
      requires_approval: 0,
      is_approved: 1,
      bank_name: 'Simulator',
    },
  };
}

/** Returns the entry with Flutterwave's own id. */
export function byRef(entries: readonly Entry[], kind: Entry['kind'], ref: string): Entry | undefined {
  return entries.find((entry) => entry.ref === ref && entry.kind === kind && isVisible(entry));
}

function isVisible({ visible_at }: Entry): boolean {
  return visible_at <= Date.now();
}
