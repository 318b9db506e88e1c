import type { ChannelKind } from '../../kit/channel-kind.ts';
import type { Minor } from '../../kit/money.ts';
import type { Reason } from './reasons.ts';

/** One attempt to collect money, in the form given to a provider. `provider_key` is stored before any request is sent. */
export interface Collection {
  attempt_id: string;
  /**
   * The provider-side key of the attempt, derived from our id alone ({@link Provider.keyOf}). The attempt can be
   * looked up by it.
   */
  provider_key: string;
  provider_ref: string | null;
  /** The result of {@link Provider.prepare}, stored before any request that can move money is sent. */
  handle: string | null;
  amount_minor: Minor;
  currency: string;
  channel: { id: string; kind: ChannelKind; country: string };
  /** E.164 number, bank account number or card token. Null when the provider collects it on its own page. */
  payer: string | null;
  description: string;
  /** The address the provider redirects the payer back to, or the address of our own card page. */
  return_url: string;
  /** The callback address for this attempt. It identifies the attempt and cannot be guessed. */
  callback_url: string;
  /** Milliseconds since the epoch; null before submission. After a further step with an unknown result: the time of that step. */
  submitted_at: number | null;
  /** End of the payment window, in milliseconds since the epoch. */
  expires_at: number;
  /** Whether the attempt was accepted and waits for the payer's one-time code. When omitted, it does not. */
  awaits_code?: boolean;
}

/** The next action required from the payer. */
export type Next =
  | { kind: 'confirm'; hint?: string }
  | { kind: 'otp'; hint?: string }
  | { kind: 'redirect'; url: string }
  | { kind: 'transfer'; instructions: { bank: string; account_number: string; reference: string } };

/**
 * The result of submitting a collection. Only `unavailable` allows another provider to be tried, because it proves
 * that this provider created nothing. `input_rejected`: it works, and rejected the payer's code as malformed. A
 * timeout after the request was sent is `unknown`, never a decline.
 */
export type Submission =
  /** `code_first`: the provider gets the request with the payer's code, so nothing was sent yet. */
  | { kind: 'accepted'; provider_ref: string | null; next: Next; poll_after_ms: number; code_first?: true }
  | { kind: 'succeeded'; provider_ref: string; amount_minor: Minor; currency: string }
  | { kind: 'refused'; reason: Reason; message: string }
  | { kind: 'unavailable'; message: string; input_rejected?: true }
  | { kind: 'duplicate' }
  | { kind: 'unknown'; message: string };

/**
 * The provider's current status of an attempt. `not_found` soon after submission proves nothing, because status
 * endpoints lag.
 */
export type Reading =
  /**
   * `next` is the action required from the payer when it only becomes available with this read, or was stored when a page or an
   * account was opened. When omitted, the action is unchanged.
   */
  | { kind: 'pending'; poll_after_ms: number; next?: Next }
  | { kind: 'succeeded'; provider_ref: string; amount_minor: Minor; currency: string }
  | { kind: 'failed'; reason: Reason; message: string }
  | { kind: 'cancelled'; reason: Reason; message: string }
  | { kind: 'expired' }
  | { kind: 'not_found' }
  | { kind: 'unreadable'; message: string };

/** Input from the payer for a further step of an accepted attempt. */
export type PayerInput =
  | { kind: 'otp'; otp: string }
  | { kind: 'card'; token: string }
  | { kind: 'authentication'; passed: boolean };

/** One payout, in the form given to a provider. */
export interface Payout {
  transfer_id: string;
  provider_key: string;
  provider_ref: string | null;
  amount_minor: Minor;
  currency: string;
  channel: { id: string; kind: ChannelKind; country: string };
  recipient: { name: string; phone: string | null; account_number: string | null; bank_code: string | null };
  description: string;
  /** See {@link Collection.callback_url}. */
  callback_url: string;
  /** Milliseconds since the epoch; null before submission. */
  submitted_at: number | null;
}

/** Failure reasons of payouts that the public contract names. */
export type PayoutReason = 'invalid_recipient' | 'recipient_unregistered';

/** The status of a payout. `unavailable` and `not_found` have the same meaning as for collections. */
export type PayoutOutcome =
  | { kind: 'pending'; provider_ref: string | null; poll_after_ms: number }
  | { kind: 'succeeded'; provider_ref: string; amount_minor: Minor; currency: string }
  | { kind: 'failed'; reason: PayoutReason | null; message: string }
  | { kind: 'cancelled'; message: string }
  | { kind: 'unavailable'; message: string }
  /**
   * The payout has failed permanently, unpaid, because our own float at the provider is empty. Its key cannot be used
   * again. The payout may be sent again under another key, to the same or another provider. Returned by a read, and by
   * a submission where a repeated key gets the same result for ever (`replays`).
   */
  | { kind: 'unfunded'; message: string }
  | { kind: 'not_found' }
  | { kind: 'unknown'; message: string };

/** One refund of collected money to the payer of an attempt, in the form given to a provider. */
export interface Refund {
  refund_id: string;
  provider_key: string;
  provider_ref: string | null;
  amount_minor: Minor;
  currency: string;
  /** The collection being refunded, in part or in full. */
  collection: Collection;
  callback_url: string;
  submitted_at: number | null;
}

/** The status of a refund. */
export type RefundOutcome =
  | { kind: 'pending'; provider_ref: string | null; poll_after_ms: number }
  | { kind: 'succeeded'; provider_ref: string }
  | { kind: 'failed'; reason: Reason; message: string }
  | { kind: 'unavailable'; message: string }
  /** The same meaning as for payouts. */
  | { kind: 'unfunded'; message: string }
  | { kind: 'not_found' }
  /** `needs_person`: the response contradicts our books. The refund is not sent again, and this message is kept. */
  | { kind: 'unknown'; message: string; needs_person?: true };

/** The result of {@link Provider.prepare}. No request that can move money has been sent at this point. */
export type Preparation =
  | { kind: 'ready'; handle: string | null }
  | { kind: 'refused'; reason: Reason; message: string }
  | { kind: 'unavailable'; message: string };

/** The result of asking the provider to cancel an open collection or payout. Only `cancelled` is final. */
export type Cancellation = { kind: 'cancelled' } | { kind: 'too_late'; message: string } | { kind: 'unknown'; message: string };

/** One wallet balance of an account at the provider. */
export interface WalletBalance {
  currency: string;
  /** Below zero where the provider reports a debt. */
  amount_minor: Minor;
  use: 'collection' | 'payout' | 'both';
  /**
   * The scope of the wallet where the account has several: a country (`cm`) or a channel (`cm.mtn`). When omitted, the
   * wallet serves every channel in its currency.
   */
  area?: string;
}

/** The balances of one account at the provider. */
export type FloatReading = { kind: 'held'; floats: WalletBalance[] } | { kind: 'unreadable'; message: string };

/** The result of an account-holder lookup. */
export type Lookup = { kind: 'found'; name: string | null } | { kind: 'not_found' } | { kind: 'unreadable'; message: string };

/** A request to our callback address, byte for byte. Header names are lower case. */
export interface RawCallback {
  method: string;
  /** Our public address of the request, including the query. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/**
 * The attempt, payout or refund a callback refers to, by the provider's reference or by our key. `paid_minor` is set
 * on callbacks that report a money movement: the amount, or null where it cannot be read. It is omitted where the
 * amount is read elsewhere.
 */
export type Subject = { by: 'provider_key' | 'provider_ref'; value: string; paid_minor?: Minor | null };

/**
 * A parsed callback. `signed`: the signature proves that the provider sent this body, so the status in it counts as a reading. `hint`: an
 * unauthenticated trigger; the status must be read from the provider. `proven`: it contains a secret of the account that does not cover
 * the body, so the status in the body is not trusted. `forged`: a required signature or token is wrong.
 */
export type Callback =
  | { kind: 'signed'; subject: Subject | null; update: Reading | null }
  | { kind: 'hint'; subject: Subject | null; proven?: true }
  | { kind: 'forged'; message: string };

/** One channel on which an account can collect or pay out, with the limits the provider itself sets. */
export interface Offer {
  /** Channel id, `<country>.<operator>`. */
  channel: string;
  currency: string;
  operations: readonly ('collect' | 'payout')[];
  /** Minimum and maximum amount of one operation, in hundredths. Null when only the channel's own limits apply. */
  min_minor: Minor | null;
  max_minor: Minor | null;
  /** Amounts must be multiples of this step. Null when the channel's own step applies. */
  step_minor: Minor | null;
}

/**
 * Polling schedule of an open attempt: the first poll after `first_ms`, then intervals `factor` times longer, up to
 * `max_ms`.
 */
export interface PollPlan {
  first_ms: number;
  factor: number;
  max_ms: number;
}

/** The declared capabilities of a provider. The core relies on them, and the conformance suite tests them. */
export interface Capabilities {
  /**
   * The effect of a repeated submission with the same key: `replays` returns the first result, `conflicts` is rejected
   * as a duplicate. With `none` a repeated submission might charge twice. A rejection of a repeated submission counts as the
   * result of the first one with `replays` only.
   */
  idempotency: 'replays' | 'conflicts' | 'none';
  /** Whether an attempt can be read by the key we chose (`ours`) or only by the reference in the provider's response (`theirs`). */
  readable_by: 'ours' | 'theirs';
  polls: PollPlan;
  /** The period after submission in which "not found" may only mean that the status endpoint lags. It counts as ten minutes if shorter. */
  not_found_grace_ms: number;
  /** Whether an attempt that waits for a one-time code was not sent: the provider gets it with the code. When omitted, it was. */
  code_first?: true;
}

/** Payout operations, for providers that support them. No method throws. */
export interface Payouts {
  /** Idempotency of payouts, where it differs from that of collections. */
  readonly idempotency?: Capabilities['idempotency'];
  /** Returns whether payouts are supported on this channel in this currency. */
  reaches(channelId: string, currency: string): boolean;
  submit(payout: Payout): Promise<PayoutOutcome>;
  read(payout: Payout): Promise<PayoutOutcome>;
  /** Cancels a payout that is still pending at the provider. */
  cancel?(payout: Payout): Promise<Cancellation>;
}

/** Refund operations, for providers that support them. No method throws. */
export interface Refunds {
  /** Idempotency of refunds, where it differs from that of collections. */
  readonly idempotency?: Capabilities['idempotency'];
  /** `full`: only the whole amount of an attempt can be refunded. */
  readonly extent: 'full' | 'partial';
  /** Returns whether refunds on this channel are sent to the payer's number, which must then be kept. When omitted, never. */
  needsPayer?(channel: Pick<Collection['channel'], 'id' | 'kind'>, currency: string): boolean;
  /** Returns the step of refunds, in hundredths: each is a multiple of it. When omitted, the smallest amount of the currency. */
  stepOf?(channelId: string, currency: string): Minor;
  submit(refund: Refund): Promise<RefundOutcome>;
  read(refund: Refund): Promise<RefundOutcome>;
}

/**
 * A payment provider, bound to one account of a team. Adapters contain only the wire protocol: no database access and
 * no code of other features. A capability that a provider lacks is a property that is absent. No method throws:
 * failures are members of the returned unions.
 */
export interface Provider {
  /** The kind of provider: `sandbox`, `pawapay`, … */
  readonly name: string;
  /** The provider account, `pa_…`. For the sandbox, its name. */
  readonly account_id: string;
  readonly capabilities: Capabilities;
  /** Returns the channels currently available. Null: every channel (the sandbox). A list is replaced, never changed, because routing indexes it. */
  offers(): readonly Offer[] | null;
  /**
   * Returns whether the account has the channel, but its operator is closed for the operation at the moment and is not among the
   * offers. An amount that no other account accepts can then wait. When omitted, a closed operator still has an offer.
   */
  isClosed?(operation: Offer['operations'][number], channelId: string, currency: string): boolean;
  /** Returns the provider-side key of an attempt, payout or refund part (`leg`). It is a pure function of our id. */
  keyOf(id: string): string;
  /** Returns whether the number of an attempt on this channel is that of the paying wallet (docs/decisions/0107). When omitted, always. */
  provesPayer?(channelId: string): boolean;
  /** Runs a step before money can move, such as requesting a pay token. */
  prepare?(collection: Collection): Promise<Preparation>;
  /** Submits the collection. */
  submit(collection: Collection): Promise<Submission>;
  /** Submits further payer input for an accepted attempt. */
  continue?(collection: Collection, input: PayerInput): Promise<Submission>;
  /** Reads the authoritative status of an attempt. */
  read(collection: Collection): Promise<Reading>;
  /** Cancels an open collection. */
  cancel?(collection: Collection): Promise<Cancellation>;
  readonly payouts?: Payouts;
  readonly refunds?: Refunds;
  /** Reads the balances of the account. */
  balance?(): Promise<FloatReading>;
  /** Looks up the holder of a phone number (E.164) or bank account. */
  lookup?(channelId: string, number: string): Promise<Lookup>;
  /** Authenticates and parses a callback. Pure: no network access beyond a cache of public keys. */
  verifyCallback?(raw: RawCallback): Callback;
  /** The response the provider expects to a callback. When omitted: 200 with an empty body. */
  readonly acknowledgement?: { status: number; body: string; content_type: string };
}
