import type { PaymentRow } from '../payments/schema.ts';

/**
 * The merchant's own callback with what became of the payment; null when there is none. Only what was stored at
 * creation, and only http and https: the page leads nowhere else. What stands in the query already stays as it is.
 */
export function returnLink(payment: Pick<PaymentRow, 'id' | 'reference' | 'callback'>, status: string): string | null {
  const url = payment.callback === null ? null : URL.parse(payment.callback);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  const reference = payment.reference === null ? {} : { reference: payment.reference };
  const told = new URLSearchParams({ id: payment.id, ...reference, trxref: payment.id, status });
  url.search = `${url.search}${url.search ? '&' : '?'}${told}`;
  return url.href;
}
