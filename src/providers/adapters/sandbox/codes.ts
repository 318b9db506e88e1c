import { entryOf } from '../../../kit/entry-of.ts';
import type { PayoutReason } from '../contract.ts';
import type { Reason } from '../reasons.ts';

/** Simulated outcome of a collection. */
export type Outcome =
  | { kind: 'succeeds' }
  /** Declined in the response to the submission. */
  | { kind: 'refused'; reason: Reason }
  /** Pending, then declined after twice the delay. */
  | { kind: 'times_out'; reason: Reason }
  /** Pending, then declined by the payer. */
  | { kind: 'payer_cancels'; reason: Reason }
  /** Requires one more step on the card page, then succeeds. */
  | { kind: 'authenticates' };

/** Outcomes by the last six digits of the phone or bank account number. Any other number succeeds. */
const BY_SUFFIX: Record<string, Outcome> = {
  '000000': { kind: 'succeeds' },
  '000001': { kind: 'refused', reason: 'insufficient_funds' },
  '000002': { kind: 'refused', reason: 'operator_declined' },
  '000003': { kind: 'times_out', reason: 'authorization_timeout' },
  '000004': { kind: 'payer_cancels', reason: 'payer_declined' },
  // The payment succeeds, and every refund of it fails.
  '000009': { kind: 'succeeds' },
};

/** Returns the outcome of a collection from this phone or bank account number. */
export function outcomeOfNumber(number: string): Outcome {
  return BY_SUFFIX[lastSix(number)] ?? { kind: 'succeeds' };
}

/** The designated test cards and the token of each. No other card number is accepted or stored. */
const TEST_CARDS: Record<string, { token: string; outcome: Outcome }> = {
  '4242424242424242': { token: 'card_visa_succeeds', outcome: { kind: 'succeeds' } },
  '5555555555554444': { token: 'card_mastercard_succeeds', outcome: { kind: 'succeeds' } },
  '4000000000000002': { token: 'card_declined', outcome: { kind: 'refused', reason: 'card_declined' } },
  '4000000000009995': { token: 'card_insufficient_funds', outcome: { kind: 'refused', reason: 'insufficient_funds' } },
  '4000000000000069': { token: 'card_expired', outcome: { kind: 'refused', reason: 'expired_card' } },
  '4000000000000127': { token: 'card_authentication_failed', outcome: { kind: 'refused', reason: 'authentication_failed' } },
  '4000000000000119': { token: 'card_provider_error', outcome: { kind: 'refused', reason: 'provider_error' } },
  '4000002500003155': { token: 'card_3d_secure', outcome: { kind: 'authenticates' } },
  '4100000000000019': { token: 'card_fraud_blocked', outcome: { kind: 'refused', reason: 'fraud_blocked' } },
};

/** Returns the token of a designated test card, or null for any other number. */
export function testCardToken(number: string): string | null {
  return entryOf(TEST_CARDS, number.replace(/[\s-]/g, ''))?.token ?? null;
}

const BY_TOKEN = new Map(Object.values(TEST_CARDS).map(({ token, outcome }) => [token, outcome]));

/** Returns the outcome of a charge to this card token, or undefined if the token is unknown. */
export function outcomeOfCard(token: string): Outcome | undefined {
  return BY_TOKEN.get(token);
}

/** Simulated outcome of a payout, by the last six digits of the recipient's number. */
export type PayoutSimulation =
  | { kind: 'succeeds' }
  | { kind: 'fails'; reason: PayoutReason }
  | { kind: 'cancelled'; after_ms: number };

const PAYOUTS: Record<string, PayoutSimulation> = {
  '000001': { kind: 'fails', reason: 'recipient_unregistered' },
  '000002': { kind: 'fails', reason: 'invalid_recipient' },
  '000003': { kind: 'cancelled', after_ms: 60_000 },
  '000004': { kind: 'cancelled', after_ms: 0 },
};

/** Returns the outcome of a payout to this number. */
export function outcomeOfPayout(number: string): PayoutSimulation {
  return PAYOUTS[lastSix(number)] ?? { kind: 'succeeds' };
}

/** A designated ending of phone and account numbers. */
export interface TestEnding {
  digits: string;
  outcome: Outcome;
  payout: PayoutSimulation;
  refundsFail: boolean;
}

/** Returns the designated endings with what each simulates. */
export function testEndings(): TestEnding[] {
  return Object.entries(BY_SUFFIX).map(([digits, outcome]) => ({
    ...{ digits, outcome, payout: outcomeOfPayout(digits) },
    refundsFail: refundsFail(digits),
  }));
}

/** Returns the designated test cards with what each simulates. */
export function testCards(): { number: string; outcome: Outcome }[] {
  return Object.entries(TEST_CARDS).map(([number, { outcome }]) => ({ number, outcome }));
}

/** Suffix of the provider reference of a payment whose refunds fail. */
export const UNREFUNDABLE = '-unrefundable';

/** Returns whether refunds of a payment from this number or account fail. */
export function refundsFail(number: string): boolean {
  return lastSix(number) === '000009';
}

function lastSix(number: string): string {
  return number.replace(/\D/g, '').slice(-6);
}
