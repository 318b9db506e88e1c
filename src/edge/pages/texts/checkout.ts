import type { ChannelKind } from '../../../kit/channel-kind.ts';

/** Outcome that a test number of the sandbox triggers. */
export type TestOutcome = 'succeeds' | 'funds' | 'declined' | 'late' | 'refused' | 'secure';

/** Every text of the payment page, and those that all pages share. A language that misses one does not compile. */
export interface CheckoutTexts {
  payTo(merchant: string): string;
  testMode: string;
  testNumbers: string;
  testPhones: string;
  testCards: string;
  testOutcomes: Record<TestOutcome, string>;
  anyOther: string;
  secured: string;
  language: string;
  noJavaScript: string;
  reference: string;
  order: string;
  moreItems(count: number): string;
  transaction: string;
  merchant: string;
  amount: string;
  fee: string;
  total: string;
  feeIncluded: string;

  onPhone: string;
  scan: string;
  howToPay: string;
  noMeans: string;
  means: Record<ChannelKind, string>;
  operator: string;
  choose: string;
  fromNumber: string;
  chooseOperator: string;
  otherCountries: string;
  phone: string;
  phoneHelp: string;
  remember(merchant: string): string;
  savedHelp: string;
  account: string;
  accountOptional: string;
  accountHelp: string;
  cardNumber: string;
  expiry: string;
  expiryForm: string;
  cvc: string;
  testCardHelp: string;
  cardElsewhere: string;
  checkCard: string;
  pay(amount: string): string;
  continue: string;

  confirmTitle: string;
  confirmText(amount: string, number: string | null): string;
  sent: string;
  waitingForPin: string;
  confirmed: string;
  left(minutes: number): string;
  lateText: string;
  dial(code: string): string;
  noPrompt: string;
  wrongNumber: string;
  wrongNumberText(number: string | null): string;
  lapses(minutes: number): string;
  cancel: string;
  cancelOnPhone: string;
  lateMoney: string;
  cancelAtProvider: string;
  cancelNow: string;
  cancelAsked: string;
  otpTitle: string;
  otpText(number: string | null): string;
  otp: string;
  confirm: string;
  transferTitle: string;
  transferText(amount: string): string;
  bank: string;
  redirectTitle: string;
  redirectText: string;
  checkingTitle: string;
  checkingText: string;
  copy: string;
  copied: string;
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
  tryAgain: string;
  cancelledTitle: string;
  cancelledText: string;
  expiredTitle: string;
  expiredText: string;
  expiredInPart(captured: string): string;
  /** Instead of "nothing was charged", when money came after the end. */
  lateReturned(captured: string): string;
  /** Instead of "nothing was charged", while another amount than that of the payment is in suspense. */
  unmatched(merchant: string): string;
  refundedTitle: string;
  partlyRefundedTitle: string;
  refundedText(amount: string): string;
  returnTo(merchant: string): string;
  returnSoon: string;
  stay: string;
  receipt: string;

  unknownTitle: string;
  unknownText: string;
  busyTitle: string;
  busyText(minutes: number): string;
  waitText(minutes: number): string;
  brokenTitle: string;
  brokenText: string;
  refusedTitle: string;
  refusedText: string;
  laterTitle: string;
  laterText: string;

  errors: {
    channel: string;
    operator: string;
    phone(country: string | null): string;
    otp: string;
    account: string;
    card: string;
    unavailable: string;
    saved: string;
    form: string;
    number: string;
    amount: string;
    ceiling: string;
    notVerified: string;
    blocked: string;
    linkFull: string;
    linkUsed: string;
  };
}
