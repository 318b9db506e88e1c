import { type PayoutChannel, payoutChannel, readDestination } from '../beneficiaries/destination.ts';
import type { BeneficiaryRow } from '../beneficiaries/schema.ts';
import { type FieldErrors, invalid, notFound } from '../../kit/errors.ts';
import { idPrefix } from '../../kit/ids.ts';
import { type Minor, wireFromMinor } from '../../kit/money.ts';
import { checkAmount, limitsOf } from '../../providers/reference/channels.ts';
import type { CreateTransferBody, InlineBeneficiary, Recipient } from './schema.ts';

/** The recipient of a transfer and the channel. */
export interface Payee {
  /** Null when the recipient was given in the transfer itself. */
  beneficiary_id: string | null;
  channel: PayoutChannel;
  recipient: Recipient;
}

/**
 * Validates the choice between `beneficiary` and `recipient`, without a query. The body may not fit the schema.
 * @returns errors by field
 */
export function choiceErrors(body: CreateTransferBody): FieldErrors {
  const { beneficiary, recipient, channel } = body;
  if ((beneficiary === undefined) === (recipient === undefined)) {
    const message = 'exactly one of beneficiary and recipient is required';
    return { beneficiary: [message], recipient: [message] };
  }
  if (isInline(beneficiary) && beneficiary.channel === undefined && channel === undefined) {
    return { 'beneficiary.channel': ['is required'] };
  }
  if (typeof recipient === 'string' && !isBeneficiaryId(recipient) && channel === undefined)
    return { channel: ['is required with recipient'] };
  return {};
}

function isInline(beneficiary: unknown): beneficiary is InlineBeneficiary {
  return typeof beneficiary === 'object' && beneficiary !== null && !Array.isArray(beneficiary);
}

/** Matches ids of both environments, so that a sandbox id sent with a live key is a 404 and is not taken for a phone number. */
export function isBeneficiaryId(text: string): boolean {
  return text.startsWith(idPrefix('ben', 'live'));
}

/** Returns a saved beneficiary. It throws Problem 404 for an unknown id. */
export type FindBeneficiary = (id: string) => Promise<BeneficiaryRow>;

/** Finds beneficiaries among those that were read for many transfers at once. */
export function amongBeneficiaries(rows: readonly BeneficiaryRow[]): FindBeneficiary {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return async (id) => {
    const row = byId.get(id);
    if (!row) throw notFound('Beneficiary');
    return row;
  };
}

/** Returns the id of the saved beneficiary that a transfer names; null when its recipient is given in the transfer itself. */
export function savedIdOf({ beneficiary, recipient }: Pick<CreateTransferBody, 'beneficiary' | 'recipient'>): string | null {
  if (typeof beneficiary === 'object') return null;
  if (recipient !== undefined && !isBeneficiaryId(recipient)) return null;
  return beneficiary ?? recipient ?? null;
}

/**
 * Returns the recipient and channel of a transfer.
 * @throws Problem 404 unknown beneficiary, 422
 */
export async function resolvePayee(find: FindBeneficiary, body: CreateTransferBody): Promise<Payee> {
  const { beneficiary, recipient } = body;
  if (typeof beneficiary === 'object') return inlinePayee(beneficiary, body.channel);
  const saved = savedIdOf(body);
  return saved === null ? numberPayee(recipient as string, body.channel as string) : savedPayee(await find(saved), body);
}

function savedPayee(row: BeneficiaryRow, body: CreateTransferBody): Payee {
  const errors: FieldErrors = {};
  const { channel = row.channel, currency } = body;
  if (channel !== row.channel) errors.channel = [otherChannel(row.channel)];
  if (currency !== row.currency) errors.currency = [`is not the currency of the beneficiary (${row.currency})`];
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const { name, phone, account_number, bank_code, country, email } = row;
  return {
    beneficiary_id: row.id,
    channel: payoutChannel(row.channel, 'beneficiary'),
    recipient: { name, phone, account_number, bank_code, country, email },
  };
}

function inlinePayee(fields: InlineBeneficiary, outer: string | undefined): Payee {
  const channel = payoutChannel(
    (fields.channel ?? outer) as string,
    fields.channel === undefined ? 'channel' : 'beneficiary.channel',
  );
  if (outer !== undefined && outer !== channel.id) throw invalid({ channel: [otherChannel(channel.id)] });
  const errors: FieldErrors = {};
  const destination = readDestination(channel, fields, 'beneficiary.', errors);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const { name, email = null, bank_code = null } = fields;
  return { beneficiary_id: null, channel, recipient: { name, ...destination, bank_code, country: channel.country, email } };
}

function otherChannel(own: string): string {
  return `is not the channel of the beneficiary (${own})`;
}

function numberPayee(number: string, channelId: string): Payee {
  const channel = payoutChannel(channelId, 'channel');
  const errors: FieldErrors = {};
  const destination = readDestination(channel, { account_number: number }, '', errors);
  const messages = Object.values(errors).flat();
  if (messages.length > 0) throw invalid({ recipient: messages });
  const recipient = { name: null, ...destination, bank_code: null, country: channel.country, email: null };
  return { beneficiary_id: null, channel, recipient };
}

/**
 * Checks that the channel can pay out the amount.
 * @throws Problem 422 when the channel cannot pay this amount out in this currency
 */
export function fitAmount(channel: PayoutChannel, currency: string, amount_minor: Minor): void {
  const limits = limitsOf(channel, currency);
  if (!limits) throw invalid({ currency: [`is not paid out on ${channel.id}`] }, 'channel_not_supported');
  // Unlike a charge, a payout is never split into tranches: the limit applies to every kind of channel.
  const above =
    amount_minor > limits.max_minor ? `must be at most ${wireFromMinor(limits.max_minor)} ${currency} on ${channel.id}` : null;
  const problem = checkAmount(channel, currency, amount_minor) ?? above;
  if (problem) throw invalid({ amount: [problem] });
}
