import type { TransferReason } from '../../../../core/transfers/schema.ts';
import type { TransferStatus } from '../../../../core/transfers/states.ts';
import type { EventType } from '../../../../money/events/catalogue.ts';
import type { Texts } from '../../language.ts';
import { ENGLISH } from './english.ts';
import { FRENCH } from './french.ts';

export type PayoutEvent = Extract<EventType, `transfer.${string}`>;

/** Texts of payouts and beneficiaries. Moments and amounts are given formatted. */
export interface PayoutTexts {
  title: string;
  sections: string;
  tabs: Record<'list' | 'beneficiaries', string>;
  create: string;
  amount: string;
  fee: string;
  total: string;
  sum: string;
  available: string;
  after: string;
  currency: string;
  status: string;
  to_whom: string;
  reference: string;
  referenceHelp: string;
  description: string;
  created: string;
  search: string;
  searchHelp: string;
  anyStatus: string;
  anyChannel: string;
  from: string;
  to: string;
  min: string;
  max: string;
  moreFilters: string;
  views: string;
  all: string;
  none: string;
  noneText: string;
  noneFound: string;
  noneFoundText: string;
  statuses: Record<TransferStatus, string>;
  reasons: Record<TransferReason, string>;
  failed: string;
  returned: string;
  /** Of a payout that failed or was cancelled. */
  shownPaid: string;
  waiting: { reserved(next: string): string; sent(since: string, next: string): string };
  cards: Record<'amounts' | 'recipient' | 'details' | 'metadata', string>;
  details: Record<'id' | 'account' | 'sent' | 'completed' | 'providerRef', string>;
  recipient: Record<'name' | 'channel' | 'phone' | 'account' | 'bank' | 'email', string>;
  beneficiary: string;
  chosen: string;
  events: Record<PayoutEvent, string>;
  /** What was done by the action before. */
  done: Record<'create' | 'before', string>;
  someoneElse: string;
  someoneElseHelp: string;
  number: string;
  numberHelp: string;
  bankHelp: string;
  wrongAmount: string;
  check: string;
  keep: string;
  confirm: string;
  uncovered: string;
  recipientChanged: string;
  /** Before a payout that repeats one. */
  repeats: string;
  sure: string;
  unsure: string;
  final: string;
  send(amount: string): string;
  change: string;
  saved: Record<
    | 'create'
    | 'edit'
    | 'save'
    | 'keep'
    | 'remove'
    | 'removeWhat'
    | 'searchHelp'
    | 'none'
    | 'noneText'
    | 'noneFound'
    | 'updated'
    | 'allPayouts'
    | 'currencyHelp',
    string
  > & { done: Record<'create' | 'change' | 'remove', string> };
}

export const PAYOUT_TEXTS: Texts<PayoutTexts> = { en: ENGLISH, fr: FRENCH };
