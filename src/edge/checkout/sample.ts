import type { FeeRates } from '../../platform/config/config.ts';
import type { PaymentRow } from '../../core/payments/schema.ts';
import type { Html } from '../../kit/html.ts';
import { leastOf } from '../../providers/reference/channels.ts';
import { withoutScripts } from '../pages/assets.ts';
import { type Language, textsIn } from '../pages/language.ts';
import type { Theme } from '../pages/theme/theme.ts';
import { methodOptionsFor } from './method-options.ts';
import { formPage } from './views/form.ts';

/** Content of a sample of the hosted page. */
export interface Sample {
  language: Language;
  merchant: string;
  theme: Theme;
  currency: string;
  fees: FeeRates;
  description: string;
}

/** Amount of the sample, as a multiple of the lowest minimum of all channels in its currency. All of them accept such an amount. */
const AMOUNT = 50n;

/**
 * Renders a sample of the hosted page as a payer of this merchant sees it, for a payment that does not exist. It has no scripts, and its
 * forms have no token, so that nothing can be submitted.
 */
export function sampleForm({ language, merchant, theme, currency, fees, description }: Sample): Html {
  const payment = samplePayment(currency, description);
  const page = formPage({
    ...{ language, merchant, theme, payment, texts: textsIn(language).checkout, sandbox: false, path: '' },
    ...{ means: methodOptionsFor(payment, fees), form_token: '', address: null, typed: {}, fieldErrors: {}, failed: null },
    ...{ saved: null, remembers: false, phone: null },
  });
  return withoutScripts(page);
}

function samplePayment(currency: string, description: string): PaymentRow {
  const at = new Date(0);
  return {
    ...{ team_id: 0n, id: '', key_id: '', currency, status: 'pending', bearer: 'merchant', description },
    ...{ amount_minor: leastOf(currency) * AMOUNT, fee_minor: 0n, captured_minor: 0n, refunded_minor: 0n, settled: false },
    ...{ channel: null, reason: null, message: null, customer_id: null, account_id: null, payment_method: null },
    ...{ name: null, email: null, phone: null, reference: null, callback: null, details: null, split: null, claim: null },
    ...{ continue_at: null, retry_of: null, retried_by: null, retry_number: null, event_count: 1 },
    ...{ created_at: at, updated_at: at, expires_at: at, completed_at: null },
  };
}
