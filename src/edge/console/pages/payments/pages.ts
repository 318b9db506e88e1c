import { type ConsolePage, teamPage } from '../../page.ts';
import { showPayments } from './list.ts';

/** The pages of payments. */
export function paymentPages(): ConsolePage[] {
  return [teamPage({ method: 'GET', path: '/payments', permission: 'payment.read', handle: showPayments })];
}
