import type { PayerField } from '../../../links/schema.ts';
import type { LinkStatus } from '../../../links/states.ts';
import type { Texts } from '../../language.ts';
import { ENGLISH } from './english.ts';
import { FRENCH } from './french.ts';

type Name =
  | 'title'
  | 'none'
  | 'noneText'
  | 'noneFound'
  | 'noneFoundText'
  | 'search'
  | 'searchHelp'
  | 'anyStatus'
  | 'status'
  | 'what'
  | 'amount'
  | 'open'
  | 'succeeded'
  | 'collected'
  | 'created'
  | 'new'
  | 'edit'
  | 'about'
  | 'whatHelp'
  | 'description'
  | 'descriptionHelp'
  | 'currency'
  | 'amounts'
  | 'amountHelp'
  | 'least'
  | 'rangeHelp'
  | 'greatest'
  | 'limits'
  | 'lastDay'
  | 'lastDayHelp'
  | 'maxUses'
  | 'maxUsesHelp'
  | 'payer'
  | 'collect'
  | 'collectHelp'
  | 'callback'
  | 'callbackHelp'
  | 'reference'
  | 'referenceHelp'
  | 'save'
  | 'keep'
  | 'details'
  | 'page'
  | 'attempts'
  | 'expires'
  | 'never'
  | 'payments'
  | 'noPayments'
  | 'metadata';

export type LinkTexts = Record<Name, string> & {
  statuses: Record<LinkStatus, string>;
  fields: Record<PayerField, string>;
  currencyFixed(currency: string): string;
  usesOf(taken: string, most: string): string;
  actions: Record<'activate' | 'deactivate' | 'deactivateWhy', string>;
  done: Record<'create' | 'update' | 'activate' | 'deactivate', string>;
  faults: Record<'amount' | 'count', string>;
};

export const LINK_TEXTS: Texts<LinkTexts> = { en: ENGLISH, fr: FRENCH };
