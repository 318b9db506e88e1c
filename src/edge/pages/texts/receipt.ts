import type { ChannelKind } from '../../../kit/channel-kind.ts';

/** Status of the money on a receipt. */
export type ReceiptStanding = 'succeeded' | 'partially_refunded' | 'refunded';

/** Every text of a receipt. A language that misses one does not compile. */
export interface ReceiptTexts {
  title: string;
  titleOf(merchant: string): string;
  standings: Record<ReceiptStanding, string>;
  /** Names of the payment methods. Mobile money channels have names of their own. */
  means: Record<Exclude<ChannelKind, 'mobile_money'>, string>;
  date: string;
  paidWith: string;
  paidTo: string;
  description: string;
  reference: string;
  transaction: string;
  items: string;
  moreItems(count: number): string;
  amount: string;
  fee: string;
  paid: string;
  refundOf(day: string): string;
  otherRefunds: string;
  issued(merchant: string): string;
  testMode: string;
  download: string;
  back: string;
}
