import type { Language } from './language.ts';
import type { ChannelKind } from '../../kit/channel-kind.ts';

export type { Language };

/** Status of the money on a receipt. */
export type ReceiptStanding = 'succeeded' | 'partially_refunded' | 'refunded';

/** Every text of a receipt. A language that misses one does not compile. */
interface ReceiptTexts {
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

const en: ReceiptTexts = {
  title: 'Receipt',
  titleOf: (merchant) => `Receipt · ${merchant}`,
  standings: { succeeded: 'Paid', partially_refunded: 'Paid, partly refunded', refunded: 'Paid and refunded' },
  means: { bank: 'Bank transfer', card: 'Card' },
  date: 'Date',
  paidWith: 'Paid with',
  paidTo: 'Paid to',
  description: 'For',
  reference: 'Reference',
  transaction: 'Transaction',
  items: 'Your order',
  moreItems: (count) => `and ${count} more`,
  amount: 'Amount',
  fee: 'Fee',
  paid: 'Total paid',
  refundOf: (date) => `Refunded on ${date}`,
  otherRefunds: 'Other refunds',
  issued: (merchant) => `This payment was made to ${merchant} by way of Pirogue. A receipt is no invoice.`,
  testMode: 'Test mode: no real money has moved.',
  download: 'Download as PDF',
  back: 'Back to the payment',
};

const fr: ReceiptTexts = {
  title: 'Reçu',
  titleOf: (merchant) => `Reçu · ${merchant}`,
  standings: { succeeded: 'Payé', partially_refunded: 'Payé, remboursé en partie', refunded: 'Payé et remboursé' },
  means: { bank: 'Virement bancaire', card: 'Carte' },
  date: 'Date',
  paidWith: 'Payé avec',
  paidTo: 'Payé à',
  description: 'Objet',
  reference: 'Référence',
  transaction: 'Transaction',
  items: 'Votre commande',
  moreItems: (count) => `et ${count} de plus`,
  amount: 'Montant',
  fee: 'Frais',
  paid: 'Total payé',
  refundOf: (date) => `Remboursé le ${date}`,
  otherRefunds: 'Autres remboursements',
  issued: (merchant) => `Ce paiement a été fait à ${merchant} par Pirogue. Un reçu n’est pas une facture.`,
  testMode: 'Mode test : aucun argent réel n’a circulé.',
  download: 'Télécharger en PDF',
  back: 'Retour au paiement',
};

const TEXTS: Record<Language, ReceiptTexts> = { en, fr };

export function receiptTexts(language: Language): ReceiptTexts {
  return TEXTS[language];
}
