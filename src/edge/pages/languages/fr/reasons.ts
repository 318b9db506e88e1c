import type { LanguageTexts } from '../../texts/texts.ts';

export const reasons: LanguageTexts['reasons'] = {
  insufficient_funds: 'Le solde du compte est insuffisant.',
  wrong_pin: 'Le code PIN est incorrect.',
  authorization_timeout: 'Le paiement n’a pas été confirmé à temps.',
  payer_declined: 'Le paiement a été refusé sur le téléphone.',
  limit_exceeded: 'Le paiement dépasse le plafond du compte.',
  authentication_failed: 'La carte n’a pas pu être vérifiée.',
  card_declined: 'La banque a refusé la carte.',
  expired_card: 'La carte est expirée.',
  channel_unavailable: 'Ce moyen de paiement n’est pas disponible pour le moment.',
  operator_declined: 'L’opérateur a refusé le paiement.',
  provider_error: 'Le paiement n’a pas pu être effectué. Rien n’a été débité.',
  invalid_number: 'Ce numéro ne peut pas être utilisé pour ce paiement.',
  payer_not_registered: 'Aucun compte n’est associé à ce numéro.',
  fraud_blocked: 'Le paiement a été refusé.',
  duplicate_transaction: 'Ce paiement a déjà été effectué.',
  unknown: 'Le paiement n’a pas été effectué.',
};
