/**
 * Reasons why no money moved: a closed list (docs/contract/errors.md). `payer`: the payer can correct the cause.
 * `retry`: one more attempt may succeed. `permanent`: every attempt fails in the same way until something changes.
 */
const REASONS = {
  insufficient_funds: {
    remedy: 'payer',
    en: 'There is not enough money on the account.',
    fr: 'Le solde du compte est insuffisant.',
  },
  wrong_pin: { remedy: 'payer', en: 'The PIN was wrong.', fr: 'Le code PIN est incorrect.' },
  authorization_timeout: {
    remedy: 'payer',
    en: 'The payment was not confirmed in time.',
    fr: "Le paiement n'a pas été confirmé à temps.",
  },
  payer_declined: {
    remedy: 'payer',
    en: 'The payment was refused on the phone.',
    fr: 'Le paiement a été refusé sur le téléphone.',
  },
  limit_exceeded: {
    remedy: 'payer',
    en: 'The payment is above the limit of the account.',
    fr: 'Le paiement dépasse le plafond du compte.',
  },
  authentication_failed: { remedy: 'payer', en: 'The card could not be verified.', fr: "La carte n'a pas pu être vérifiée." },
  card_declined: { remedy: 'payer', en: 'The bank declined the card.', fr: 'La banque a refusé la carte.' },
  expired_card: { remedy: 'payer', en: 'The card has expired.', fr: 'La carte est expirée.' },
  channel_unavailable: {
    remedy: 'retry',
    en: 'This means of payment is not available at the moment.',
    fr: "Ce moyen de paiement n'est pas disponible pour le moment.",
  },
  operator_declined: { remedy: 'retry', en: 'The operator declined the payment.', fr: "L'opérateur a refusé le paiement." },
  provider_error: {
    remedy: 'retry',
    en: 'The payment could not be made. No money was taken.',
    fr: "Le paiement n'a pas pu être effectué. Aucun montant n'a été prélevé.",
  },
  invalid_number: {
    remedy: 'permanent',
    en: 'The number can not be used for this payment.',
    fr: 'Ce numéro ne peut pas être utilisé pour ce paiement.',
  },
  payer_not_registered: {
    remedy: 'permanent',
    en: 'There is no account on this number.',
    fr: "Aucun compte n'existe sur ce numéro.",
  },
  fraud_blocked: { remedy: 'permanent', en: 'The payment was refused.', fr: 'Le paiement a été refusé.' },
  duplicate_transaction: { remedy: 'permanent', en: 'This payment was already made.', fr: 'Ce paiement a déjà été effectué.' },
  unknown: { remedy: 'retry', en: 'The payment was not made.', fr: "Le paiement n'a pas été effectué." },
} as const;

export type Reason = keyof typeof REASONS;

export const REASON_CODES = Object.keys(REASONS) as Reason[];

/** Returns whether the text is a known failure reason. */
export function isReason(text: string): text is Reason {
  return Object.hasOwn(REASONS, text);
}

/** Returns who or what can correct the cause. */
export function remedyOf(reason: Reason): 'payer' | 'retry' | 'permanent' {
  return REASONS[reason].remedy;
}

/** Returns the message to show to the payer. */
export function payerMessage(reason: Reason, language: 'en' | 'fr' = 'en'): string {
  return REASONS[reason][language];
}
