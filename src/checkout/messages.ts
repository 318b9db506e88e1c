import type { ChannelKind } from '../providers/contract.ts';
import type { Language } from './language.ts';
import { en } from './messages/en.ts';
import { fr } from './messages/fr.ts';

/** Every text of the pages; a language that misses one does not compile. */
export interface Messages {
  payTo(merchant: string): string;
  testMode: string;
  secured: string;
  noJavaScript: string;
  reference: string;
  order: string;
  moreItems(count: number): string;
  merchant: string;
  amount: string;
  fee: string;
  total: string;
  feeIncluded: string;

  howToPay: string;
  noMeans: string;
  means: Record<ChannelKind, string>;
  operator: string;
  choose: string;
  phone: string;
  phoneHelp: string;
  account: string;
  accountOptional: string;
  accountHelp: string;
  cardNumber: string;
  expiry: string;
  expiryForm: string;
  cvc: string;
  testCardHelp: string;
  cardElsewhere: string;
  pay(amount: string): string;
  continue: string;

  confirmTitle: string;
  confirmText(amount: string, number: string | null): string;
  dial(code: string): string;
  transferTitle: string;
  transferText(amount: string): string;
  bank: string;
  redirectTitle: string;
  redirectText: string;
  checkingTitle: string;
  checkingText: string;
  waiting: string;
  waitingTransfer: string;
  refresh: string;
  partialTitle: string;
  partialText(captured: string, total: string): string;
  partOf(total: string): string;

  cardTitle: string;
  verifyTitle: string;
  verifyText(amount: string, merchant: string): string;
  approve: string;
  refuse: string;

  elsewhereTitle: string;
  elsewhereText: string;
  takeOverTitle: string;
  takeOverText: string;
  takeOverNumber: string;
  takeOver: string;

  succeededTitle: string;
  succeededText(amount: string, merchant: string): string;
  failedTitle: string;
  startAgain(merchant: string): string;
  cancelledTitle: string;
  cancelledText: string;
  expiredTitle: string;
  expiredText: string;
  expiredInPart(captured: string): string;
  refundedTitle: string;
  partlyRefundedTitle: string;
  refundedText(amount: string): string;
  returnTo(merchant: string): string;
  returnSoon: string;
  stay: string;

  unknownTitle: string;
  unknownText: string;
  busyTitle: string;
  busyText: string;
  brokenTitle: string;
  brokenText: string;
  refusedTitle: string;
  refusedText: string;

  errors: {
    channel: string;
    phone(country: string): string;
    account: string;
    card: string;
    unavailable: string;
    form: string;
    number: string;
    amount: string;
  };
}

const MESSAGES: Record<Language, Messages> = { en, fr };

export function messagesIn(language: Language): Messages {
  return MESSAGES[language];
}
