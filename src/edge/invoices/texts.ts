import type { Language } from '../pages/language.ts';

/** Every text of an invoice's page. A language that misses one does not compile. */
export interface Texts {
  invoice(number: string): string;
  titleOf(number: string, merchant: string): string;
  for: string;
  issued: string;
  due: string;
  reference: string;
  items: string;
  total: string;
  paid: string;
  refunded: string;
  left: string;
  notes: string;
  payTitle: string;
  pay(amount: string): string;
  payPart: string;
  amount: string;
  amountHelp(least: string, most: string): string;
  amountWrong: string;
  wholeOnly: string;
  overdue: string;
  underWayTitle: string;
  underWayText: string;
  goOn: string;
  paidTitle: string;
  paidText(merchant: string): string;
  cancelledTitle: string;
  cancelledText(merchant: string): string;
  notVerified: string;
  aboveCeiling: string;
  blocked: string;
  unknownTitle: string;
  unknownText: string;
}

const en: Texts = {
  invoice: (number) => `Invoice ${number}`,
  titleOf: (number, merchant) => `Invoice ${number} · ${merchant}`,
  for: 'Bill to',
  issued: 'Date',
  due: 'Due date',
  reference: 'Reference',
  items: 'Details',
  total: 'Total',
  paid: 'Paid',
  refunded: 'Refunded',
  left: 'Left to pay',
  notes: 'Notes',
  payTitle: 'Pay this invoice',
  pay: (amount) => `Pay ${amount}`,
  payPart: 'Pay a part',
  amount: 'Amount',
  amountHelp: (least, most) => `From ${least} to ${most}.`,
  amountWrong: 'Enter an amount within these limits.',
  wholeOnly: 'What is left has to be paid at once.',
  overdue: 'The due date has passed.',
  underWayTitle: 'A payment is under way',
  underWayText: 'Wait for it to end before you pay again.',
  goOn: 'Go to the payment',
  paidTitle: 'Paid',
  paidText: (merchant) => `Nothing is left to pay. ${merchant} has been told.`,
  cancelledTitle: 'This invoice is cancelled',
  cancelledText: (merchant) => `${merchant} asks for no money for it any more. There is nothing to pay.`,
  notVerified: 'This merchant can not take payments yet. No money was taken.',
  aboveCeiling: 'This is more than the merchant may take at once. Ask the merchant how to pay.',
  blocked: 'The merchant does not take this payment. Ask the merchant how to pay.',
  unknownTitle: 'Invoice not found',
  unknownText: 'Check that the address is complete.',
};

const fr: Texts = {
  invoice: (number) => `Facture ${number}`,
  titleOf: (number, merchant) => `Facture ${number} · ${merchant}`,
  for: 'Facturé à',
  issued: 'Date',
  due: 'Échéance',
  reference: 'Référence',
  items: 'Détail',
  total: 'Total',
  paid: 'Payé',
  refunded: 'Remboursé',
  left: 'Reste à payer',
  notes: 'Notes',
  payTitle: 'Payer cette facture',
  pay: (amount) => `Payer ${amount}`,
  payPart: 'Payer une partie',
  amount: 'Montant',
  amountHelp: (least, most) => `De ${least} à ${most}.`,
  amountWrong: 'Saisissez un montant dans ces limites.',
  wholeOnly: 'Le reste est à payer en une seule fois.',
  overdue: 'L’échéance est dépassée.',
  underWayTitle: 'Un paiement est en cours',
  underWayText: 'Attendez qu’il se termine avant de payer de nouveau.',
  goOn: 'Aller au paiement',
  paidTitle: 'Payée',
  paidText: (merchant) => `Il ne reste rien à payer. ${merchant} en est informé.`,
  cancelledTitle: 'Cette facture est annulée',
  cancelledText: (merchant) => `${merchant} ne demande plus rien pour cette facture. Il n’y a rien à payer.`,
  notVerified: 'Ce marchand ne peut pas encore recevoir de paiements. Aucun montant n’a été prélevé.',
  aboveCeiling: 'C’est plus que ce que le marchand peut recevoir en une fois. Demandez-lui comment payer.',
  blocked: 'Le marchand n’accepte pas ce paiement. Demandez-lui comment payer.',
  unknownTitle: 'Facture introuvable',
  unknownText: 'Vérifiez que l’adresse est complète.',
};

const TEXTS: Record<Language, Texts> = { en, fr };

export function textsIn(language: Language): Texts {
  return TEXTS[language];
}
