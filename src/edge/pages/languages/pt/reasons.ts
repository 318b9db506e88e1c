import type { LanguageTexts } from '../../texts/texts.ts';

export const reasons: LanguageTexts['reasons'] = {
  insufficient_funds: 'O saldo da conta é insuficiente.',
  wrong_pin: 'O PIN está incorrecto.',
  authorization_timeout: 'O pagamento não foi confirmado a tempo.',
  payer_declined: 'O pagamento foi recusado no telemóvel.',
  limit_exceeded: 'O pagamento ultrapassa o limite da conta.',
  authentication_failed: 'Não foi possível verificar o cartão.',
  card_declined: 'O banco recusou o cartão.',
  expired_card: 'O cartão está fora de validade.',
  channel_unavailable: 'Este meio de pagamento não está disponível de momento.',
  operator_declined: 'A operadora recusou o pagamento.',
  provider_error: 'Não foi possível efectuar o pagamento. Não foi debitado nenhum montante.',
  invalid_number: 'Este número não pode ser utilizado para este pagamento.',
  payer_not_registered: 'Não existe nenhuma conta associada a este número.',
  fraud_blocked: 'O pagamento foi recusado.',
  duplicate_transaction: 'Este pagamento já foi efectuado.',
  unknown: 'O pagamento não foi efectuado.',
};
