import type { AttemptStatus } from '../../../../../core/attempts/schema.ts';
import type { DisputeStatus } from '../../../../../core/disputes/states.ts';
import type { REFUND_REASONS } from '../../../../../core/refunds/reasons.ts';
import type { RefundStatus } from '../../../../../core/refunds/states.ts';
import type { AccountName } from '../../../../../money/ledger/accounts.ts';
import type { EventType } from '../../../../../money/events/catalogue.ts';
import type { Authentication } from '../../../../../providers/exchanges/schema.ts';
import type { Texts } from '../../../language.ts';
import { ENGLISH } from './english.ts';
import { FRENCH } from './french.ts';

/** Events that the timeline of a payment can have. */
export type StoryEvent = Extract<EventType, `${'payment' | 'refund' | 'dispute'}.${string}`>;

/** Texts of the page of one payment. Moments are given formatted. */
export interface PaymentPageTexts {
  back: string;
  /** With the space before it that the language has. */
  colon: string;
  /** What was done by the action before. */
  done: Record<'refund' | 'cancel' | 'resend', string>;
  actions: Record<'refund' | 'cancel' | 'cancelWhy' | 'receipt' | 'receiptPdf' | 'payerPage' | 'resend', string>;
  /** Why a payment is not final, and what happens next. */
  waiting: {
    choice(until: string): string;
    notSent(next: string): string;
    provider(provider: string, since: string, next: string): string;
    unknown(provider: string, next: string): string;
    /** The provider may have an attempt that had ended. */
    doubted(provider: string, next: string): string;
    /** Another amount than the requested one has arrived. */
    unmatched(provider: string, amount: string): string;
    tranche(captured: string, total: string, next: string): string;
    payer(captured: string, total: string, until: string): string;
    /** When something due now happens. */
    soon: string;
    at(moment: string): string;
    between: string;
  };
  cards: Record<'amounts' | 'payer' | 'details' | 'metadata' | 'items' | 'refunds' | 'disputes' | 'timeline', string>;
  amounts: Record<'amount' | 'total' | 'captured' | 'fee' | 'refunded' | 'lost' | 'net' | 'yours' | 'account', string>;
  feeBy: Record<'merchant' | 'customer', string>;
  available: { label: string; since(at: string): string; from(at: string): string };
  payer: Record<'customer' | 'name' | 'phone' | 'email' | 'channel' | 'saved', string>;
  details: Record<
    | 'id'
    | 'reference'
    | 'description'
    | 'created'
    | 'completed'
    | 'expires'
    | 'reason'
    | 'message'
    | 'madeBy'
    | 'account'
    | 'callback'
    | 'retryOf'
    | 'retriedBy',
    string
  >;
  refund: {
    title: string;
    left(amount: string): string;
    amount: string;
    amountHelp: string;
    wrongAmount: string;
    /** Of an amount that was refunded just before. */
    repeated: string;
    unsure: string;
    sure: string;
    reason: string;
    submit: string;
    keep: string;
    note: string;
    reasons: Record<(typeof REFUND_REASONS)[number], string>;
  };
  table: Record<'amount' | 'status' | 'reason' | 'created' | 'due', string>;
  refundStatuses: Record<RefundStatus, string>;
  disputeStatuses: Record<DisputeStatus, string>;
  attemptStatuses: Record<AttemptStatus, string>;
  timeline: {
    empty: string;
    note: string;
    truncated: string;
    attempt(channel: string, provider: string): string;
    tranche: string;
    providerRef: string;
    payer: string;
    routing: string;
    outcomes: Record<AttemptStatus, string>;
    /** Instead of the outcome: the attempt had ended, but its provider may have it after all. */
    doubted: string;
    nextPoll(at: string): string;
    mismatch(amount: string): string;
    resolved(author: string): string;
    refused: string;
    ledger: string;
    by: string;
    request: string;
    you: string;
    actors: Record<'key' | 'user' | 'payer' | 'operator' | 'provider' | 'worker', string>;
    deliveries: string;
    delivered(n: number, of: number): string;
    undelivered: string;
    noEndpoint: string;
    next(at: string): string;
  };
  exchanges: Record<'note' | 'request' | 'response', string> & {
    title(provider: string): string;
    show(n: number): string;
    unreadable(bytes: string): string;
    callback(provider: string): string;
    showCallback: string;
    answered: string;
    authentications: Record<Authentication, string>;
  };
  events: Record<StoryEvent, string>;
  accounts: Record<AccountName, string>;
  event: Record<
    | 'title'
    | 'body'
    | 'bodyNote'
    | 'attempts'
    | 'none'
    | 'endpoint'
    | 'status'
    | 'at'
    | 'duration'
    | 'answer'
    | 'empty'
    | 'back'
    | 'queued',
    string
  > & { attempt(n: number): string };
}

export const ONE_TEXTS: Texts<PaymentPageTexts> = { en: ENGLISH, fr: FRENCH };
