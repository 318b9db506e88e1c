import type { PaymentRow } from '../../core/payments/schema.ts';

/**
 * Returns the merchant's callback URL with the payment's id, reference and status; null when there is none. Only a URL stored
 * at creation with the scheme http or https is used, so the page is not an open redirect. Existing query parameters are kept.
 */
export function returnLink(payment: Pick<PaymentRow, 'id' | 'reference' | 'callback'>, status: string): string | null {
  const url = payment.callback === null ? null : URL.parse(payment.callback);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  const reference = payment.reference === null ? {} : { reference: payment.reference };
  const query = new URLSearchParams({ id: payment.id, ...reference, trxref: payment.id, status });
  url.search = `${url.search}${url.search ? '&' : '?'}${query}`;
  return url.href;
}
