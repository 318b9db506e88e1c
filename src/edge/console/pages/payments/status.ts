import type { PaymentStatus } from '../../../../core/payments/states.ts';
import type { Html } from '../../../../kit/html.ts';
import type { ConsoleLanguage } from '../../language.ts';
import { badge, type Tone } from '../../parts/parts.ts';
import { PAYMENT_TEXTS } from './texts.ts';

const TONES: Record<PaymentStatus, Tone> = {
  pending: 'idle',
  processing: 'info',
  partial: 'info',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'idle',
  expired: 'idle',
  refunded: 'warn',
  partially_refunded: 'warn',
};

/** Renders the status of a payment. */
export function paymentBadge(status: PaymentStatus, language: ConsoleLanguage): Html {
  return badge(PAYMENT_TEXTS[language].statuses[status], TONES[status]);
}
