import type { Language } from '../pages/language.ts';
import type { LinkStanding } from './pay.ts';
import type { PayerField } from './schema.ts';

/** Why a link takes no payment, as its page shows it. */
export type Closed = Exclude<LinkStanding, 'open'> | 'unverified' | 'unknown';

/** Every text of a link's page. A language that misses one does not compile. */
export interface LinkMessages {
  payTo(merchant: string): string;
  amount: string;
  /**
   * Help text with the limits of the amount.
   * @param max null for no maximum
   */
  range(min: string, max: string | null): string;
  fields: Record<PayerField, string>;
  next: string;
  nextHelp: string;
  closed: Record<Closed, { title: string; text: string }>;
  busy: string;
  errors: Record<'amount' | 'decimals' | PayerField | 'form' | 'ceiling' | 'refused', string>;
}

const en: LinkMessages = {
  payTo: (merchant) => `Pay ${merchant}`,
  amount: 'Amount',
  range: (min, max) => (max === null ? `At least ${min}.` : `Between ${min} and ${max}.`),
  fields: { name: 'Name', email: 'E-mail', phone: 'Phone number' },
  next: 'Continue',
  nextHelp: 'You choose how to pay on the next page. Nothing is taken before that.',
  closed: {
    inactive: { title: 'This link is switched off', text: 'The merchant takes no payments by it at the moment.' },
    expired: { title: 'This link has expired', text: 'The time to pay is over. Ask the merchant for a new link.' },
    used: { title: 'This link has been used', text: 'As many have paid as the merchant wanted. Ask for a new link.' },
    full: {
      title: 'Somebody else is paying',
      text: 'Every place is taken by a payment under way. If one is not completed, the link is open again: try in a few minutes.',
    },
    unverified: {
      title: 'This merchant can not take payments yet',
      text: 'No money was taken. Please ask the merchant for another way to pay.',
    },
    unknown: { title: 'Link not found', text: 'Check that the address is complete, or ask the merchant for a new link.' },
  },
  busy: 'Too many tries. Wait a minute, then send it again.',
  errors: {
    amount: 'Type an amount, such as 5000.',
    decimals: 'Type a whole amount.',
    name: 'Type your name.',
    email: 'This is not an e-mail address.',
    phone: 'This is not a phone number.',
    form: 'The page was open for too long or your browser refuses cookies. Please try again.',
    ceiling: 'The merchant can not take this amount in one payment.',
    refused: 'The merchant can not take this payment. Please ask for another way to pay.',
  },
};

const fr: LinkMessages = {
  payTo: (merchant) => `Payer ${merchant}`,
  amount: 'Montant',
  range: (min, max) => (max === null ? `Au moins ${min}.` : `Entre ${min} et ${max}.`),
  fields: { name: 'Nom', email: 'E-mail', phone: 'Numéro de téléphone' },
  next: 'Continuer',
  nextHelp: 'Vous choisissez comment payer à la page suivante. Rien n’est prélevé avant.',
  closed: {
    inactive: { title: 'Ce lien est désactivé', text: 'Le marchand ne reçoit pas de paiement par ce lien pour le moment.' },
    expired: { title: 'Ce lien a expiré', text: 'Le délai pour payer est passé. Demandez un nouveau lien au marchand.' },
    used: {
      title: 'Ce lien a déjà servi',
      text: 'Le nombre de paiements voulu est atteint. Demandez un nouveau lien au marchand.',
    },
    full: {
      title: 'Quelqu’un d’autre est en train de payer',
      text: 'Toutes les places sont prises par des paiements en cours. Si l’un d’eux n’aboutit pas, le lien se rouvre : réessayez dans quelques minutes.',
    },
    unverified: {
      title: 'Ce marchand ne peut pas encore recevoir de paiements',
      text: 'Rien n’a été prélevé. Demandez au marchand un autre moyen de payer.',
    },
    unknown: { title: 'Lien introuvable', text: 'Vérifiez que l’adresse est complète, ou demandez un nouveau lien au marchand.' },
  },
  busy: 'Trop d’essais. Attendez une minute, puis envoyez de nouveau.',
  errors: {
    amount: 'Tapez un montant, par exemple 5000.',
    decimals: 'Tapez un montant entier.',
    name: 'Tapez votre nom.',
    email: 'Ce n’est pas une adresse e-mail.',
    phone: 'Ce n’est pas un numéro de téléphone.',
    form: 'La page est restée ouverte trop longtemps ou votre navigateur refuse les cookies. Veuillez réessayer.',
    ceiling: 'Le marchand ne peut pas recevoir ce montant en un seul paiement.',
    refused: 'Le marchand ne peut pas recevoir ce paiement. Demandez-lui un autre moyen de payer.',
  },
};

const MESSAGES: Record<Language, LinkMessages> = { en, fr };

export function linkMessages(language: Language): LinkMessages {
  return MESSAGES[language];
}
