import type { Minor } from '../kit/money.ts';
import type { Reason } from './reasons.ts';

/** One try to collect money, as a provider sees it. `provider_key` was stored before anything is sent. */
export interface Collection {
  attempt_id: string;
  /** The key under which this provider can find the attempt again, made from our id alone ({@link Provider.keyOf}). */
  provider_key: string;
  provider_ref: string | null;
  /** What {@link Provider.prepare} obtained; stored before anything that can move money is sent. */
  handle: string | null;
  amount_minor: Minor;
  currency: string;
  channel: { id: string; kind: ChannelKind; country: string };
  /** E.164 number, bank account number or card token; null when the provider asks for it on its own page. */
  payer: string | null;
  description: string;
  /** Where the provider may send the payer back to, or where its card page stands. */
  return_url: string;
  /** Where the provider may announce what became of it; names this attempt and can not be guessed. */
  callback_url: string;
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
  /** `next`: what the payer has to do now, where that is only known by now; left out: as before. */
  | { kind: 'pending'; poll_after_ms: number; next?: Next }
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
  /** As for {@link Collection.callback_url}. */
  callback_url: string;
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
  /**
   * Only in answer to a read: it was taken and has failed for good, unpaid, because our own float at the provider is empty.
   * Its key is spent; under another key it may be sent again, there or elsewhere.
   */
  | { kind: 'unfunded'; message: string }
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
  callback_url: string;
  submitted_at: number | null;
}

/** What a refund has come to. */
export type RefundOutcome =
  | { kind: 'pending'; provider_ref: string | null; poll_after_ms: number }
  | { kind: 'succeeded'; provider_ref: string }
  | { kind: 'failed'; reason: Reason; message: string }
  | { kind: 'unavailable'; message: string }
  /** As for payouts. */
  | { kind: 'unfunded'; message: string }
  | { kind: 'not_found' }
  | { kind: 'unknown'; message: string };

/** What asking for a handle before the collection came to. Nothing that can move money has been sent. */
export type Preparation =
  | { kind: 'ready'; handle: string | null }
  | { kind: 'refused'; reason: Reason; message: string }
  | { kind: 'unavailable'; message: string };

/** What asking the provider to give up an open collection came to. Only `cancelled` is final. */
export type Cancellation = { kind: 'cancelled' } | { kind: 'too_late'; message: string } | { kind: 'unknown'; message: string };

/** Money of an account at the provider. */
export interface Purse {
  currency: string;
  amount_minor: Minor;
  use: 'collection' | 'payout' | 'both';
  /** What it serves where the account has several: a country (`cm`) or a channel (`cm.mtn`). Left out: everything in its currency. */
  area?: string;
}

/** What one account at the provider holds. */
export type FloatReading = { kind: 'held'; floats: Purse[] } | { kind: 'unreadable'; message: string };

/** Whose a number or account is. */
export type Lookup = { kind: 'found'; name: string | null } | { kind: 'not_found' } | { kind: 'unreadable'; message: string };

/** A request to our callback address, byte for byte. Header names are lower case. */
export interface RawCallback {
  method: string;
  /** Our public address of it, with query. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/**
 * What a callback is about, in the provider's or our own terms. `paid_minor`, of one that says that money moved: how much,
 * null where that can not be read; left out where the amount is read elsewhere.
 */
export type Subject = { by: 'provider_key' | 'provider_ref'; value: string; paid_minor?: Minor | null };

/**
 * What a callback says. `signed`: the provider provably sent this body, so what it says of the money counts like a
 * reading. Everything else is a wake-up: we go and ask. `forged`: a signature or token was due and is wrong.
 */
export type Callback =
  | { kind: 'signed'; subject: Subject | null; news: Reading | null }
  | { kind: 'hint'; subject: Subject | null }
  | { kind: 'forged'; message: string };

/** One way of an account to collect or pay out, with the bounds the provider itself sets. */
export interface Offer {
  /** `<country>.<operator>`. */
  channel: string;
  currency: string;
  operations: readonly ('collect' | 'payout')[];
  /** What one operation may be, in hundredths; null: the channel's own bounds hold. */
  min_minor: Minor | null;
  max_minor: Minor | null;
  /** Amounts are multiples of it. */
  step_minor: Minor | null;
}

/** When to ask about an open attempt: first after `first_ms`, then `factor` times longer each time, up to `longest_ms`. */
export interface PollPlan {
  first_ms: number;
  factor: number;
  longest_ms: number;
}

/** What a provider declares of itself: the core decides by it, and the conformance suite holds it to its word. */
export interface Capabilities {
  /** Whether a repeated submission with the same key is known for what it is. `none`: it might charge twice. */
  idempotency: 'replays' | 'conflicts' | 'none';
  /** Whether an attempt can be read by the key we chose. `theirs`: only by the reference of its answer. */
  readable_by: 'ours' | 'theirs';
  polls: PollPlan;
  /** How long "not found" may only mean that the status page lags. */
  not_found_grace_ms: number;
}

/** Paying out, for providers that can. Like everything here it never throws. */
export interface Payouts {
  /** Where it is not that of collections. */
  readonly idempotency?: Capabilities['idempotency'];
  /** Whether it pays out on this channel in this currency. */
  reaches(channelId: string, currency: string): boolean;
  submit(payout: Payout): Promise<PayoutOutcome>;
  read(payout: Payout): Promise<PayoutOutcome>;
  /** Gives up a payout that waits at the provider. */
  cancel?(payout: Payout): Promise<Cancellation>;
}

/** Giving back, for providers that can. */
export interface Refunds {
  /** `full`: only the whole amount of an attempt. */
  readonly extent: 'full' | 'partial';
  /** Whether a refund of this channel goes to the payer's number, so that it must be known. Left out: never. */
  needsPayer?(channel: Pick<Collection['channel'], 'id' | 'kind'>, currency: string): boolean;
  submit(refund: Refund): Promise<RefundOutcome>;
  read(refund: Refund): Promise<RefundOutcome>;
}

/**
 * A payment provider, as one account of a team sees it. Adapters know the wire and nothing else: no database, no slice.
 * A capability a provider lacks is a property it lacks. No method throws: what the world answers is in the unions.
 */
export interface Provider {
  /** The kind of provider: `sandbox`, `pawapay`, … */
  readonly name: string;
  /** The account it works for: `pa_…`; of the sandbox its name. */
  readonly account_id: string;
  readonly capabilities: Capabilities;
  /** What it takes at this moment; null: every channel (the sandbox). */
  offers(): readonly Offer[] | null;
  /** The key the provider gets for an attempt, transfer or refund leg: a pure function of our id. */
  keyOf(id: string): string;
  /** A step before money can move, such as asking for a pay token. */
  prepare?(collection: Collection): Promise<Preparation>;
  /** Starts the collection. */
  submit(collection: Collection): Promise<Submission>;
  /** A further step of the payer on an accepted attempt. */
  continue?(collection: Collection, input: PayerInput): Promise<Submission>;
  /** The truth about an attempt. */
  read(collection: Collection): Promise<Reading>;
  /** Gives up an open collection. */
  cancel?(collection: Collection): Promise<Cancellation>;
  readonly payouts?: Payouts;
  readonly refunds?: Refunds;
  /** What the account holds. */
  balance?(): Promise<FloatReading>;
  /** Whose a phone number (E.164) or bank account is. */
  lookup?(channelId: string, number: string): Promise<Lookup>;
  /** Reads a callback: pure, no network beyond a cache of public keys. */
  verifyCallback?(raw: RawCallback): Callback;
  /** What the provider expects as answer to a callback; left out: 200 with an empty body. */
  readonly acknowledgement?: { status: number; body: string; content_type: string };
}
