import type { Minor } from '../kit/money.ts';
import type { Reason } from './reasons.ts';

/** One try to collect money, as a provider sees it. `provider_key` was stored before anything is sent. */
export interface Collection {
  attempt_id: string;
  /** The key under which this provider can find the attempt again, made from our id alone. */
  provider_key: string;
  provider_ref: string | null;
  amount_minor: Minor;
  currency: string;
  channel: { id: string; kind: ChannelKind; country: string };
  /** E.164 number, bank account number or card token; null when the provider asks for it on its own page. */
  payer: string | null;
  description: string;
  /** Where the provider may send the payer back to, or where its card page stands. */
  return_url: string;
  /** Milliseconds since the epoch; null before it was handed over. */
  submitted_at: number | null;
  /** When the payment's window closes. */
  expires_at: number;
}

export type ChannelKind = 'mobile_money' | 'bank' | 'card';

/** What the payer has to do now. */
export type Next =
  | { kind: 'confirm'; hint?: string }
  | { kind: 'otp'; hint?: string }
  | { kind: 'redirect'; url: string }
  | { kind: 'transfer'; instructions: { bank: string; account_number: string; reference: string } };

/**
 * What handing it over led to. Only `unavailable` lets another provider be tried: it says that this one provably
 * created nothing. A timeout after the request left is `unknown`, never a decline.
 */
export type Submission =
  | { kind: 'accepted'; provider_ref: string | null; next: Next; poll_after_ms: number }
  | { kind: 'succeeded'; provider_ref: string; amount_minor: Minor; currency: string }
  | { kind: 'refused'; reason: Reason; message: string }
  | { kind: 'unavailable'; message: string }
  | { kind: 'duplicate' }
  | { kind: 'unknown'; message: string };

/** What the provider knows of an attempt. `not_found` soon after sending proves nothing: status pages lag. */
export type Reading =
  | { kind: 'pending'; poll_after_ms: number }
  | { kind: 'succeeded'; provider_ref: string; amount_minor: Minor; currency: string }
  | { kind: 'failed'; reason: Reason; message: string }
  | { kind: 'cancelled'; reason: Reason; message: string }
  | { kind: 'expired' }
  | { kind: 'not_found' }
  | { kind: 'unreadable'; message: string };

/** What the payer gave in a further step. */
export type PayerInput =
  | { kind: 'otp'; otp: string }
  | { kind: 'card'; token: string }
  | { kind: 'authentication'; passed: boolean };

/** One try to pay money out, as a provider sees it. */
export interface Payout {
  transfer_id: string;
  provider_key: string;
  provider_ref: string | null;
  amount_minor: Minor;
  currency: string;
  channel: { id: string; kind: ChannelKind; country: string };
  recipient: { name: string; phone: string | null; account_number: string | null; bank_code: string | null };
  description: string;
  /** Milliseconds since the epoch; null before it was handed over. */
  submitted_at: number | null;
}

/** Why a payout failed, where the contract names it. */
export type PayoutReason = 'invalid_recipient' | 'recipient_unregistered';

/** What a payout has come to. `unavailable` and `not_found` as for collections. */
export type PayoutOutcome =
  | { kind: 'pending'; provider_ref: string | null; poll_after_ms: number }
  | { kind: 'succeeded'; provider_ref: string; amount_minor: Minor; currency: string }
  | { kind: 'failed'; reason: PayoutReason | null; message: string }
  | { kind: 'cancelled'; message: string }
  | { kind: 'unavailable'; message: string }
  | { kind: 'not_found' }
  | { kind: 'unknown'; message: string };

/** One try to give collected money back to the payer of an attempt. */
export interface Refund {
  refund_id: string;
  provider_key: string;
  provider_ref: string | null;
  amount_minor: Minor;
  currency: string;
  /** The collection it undoes, in part or in whole. */
  collection: Collection;
  submitted_at: number | null;
}

/** What a refund has come to. */
export type RefundOutcome =
  | { kind: 'pending'; provider_ref: string | null; poll_after_ms: number }
  | { kind: 'succeeded'; provider_ref: string }
  | { kind: 'failed'; reason: Reason; message: string }
  | { kind: 'unavailable'; message: string }
  | { kind: 'not_found' }
  | { kind: 'unknown'; message: string };

/** Paying out, for providers that can. Like everything here it never throws. */
export interface Payouts {
  /** Whether it pays out on this channel in this currency. */
  reaches(channelId: string, currency: string): boolean;
  submit(payout: Payout): Promise<PayoutOutcome>;
  read(payout: Payout): Promise<PayoutOutcome>;
}

/** Giving back, for providers that can. */
export interface Refunds {
  /** `full`: only the whole amount of an attempt. */
  readonly extent: 'full' | 'partial';
  submit(refund: Refund): Promise<RefundOutcome>;
  read(refund: Refund): Promise<RefundOutcome>;
}

/**
 * A payment provider. Adapters know the wire and nothing else: no database, no slice. A capability a provider lacks is
 * a property it lacks.
 */
export interface Provider {
  readonly name: string;
  /** Whether it collects on this channel in this currency. */
  collects(channelId: string, currency: string): boolean;
  /** Starts the collection. Never throws: what the world answers is in the union. */
  submit(collection: Collection): Promise<Submission>;
  /** A further step of the payer on an accepted attempt. */
  continue?(collection: Collection, input: PayerInput): Promise<Submission>;
  /** The truth about an attempt. */
  read(collection: Collection): Promise<Reading>;
  readonly payouts?: Payouts;
  readonly refunds?: Refunds;
}
