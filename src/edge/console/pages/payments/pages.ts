import type { ConsoleDeps } from '../../deps.ts';
import { type ConsolePage, teamPage } from '../../page.ts';
import { exportPayments } from './export.ts';
import { viewActions } from '../../saved-views/actions.ts';
import { PAYMENT_LIST, showPayments } from './list.ts';
import { cancel } from './one/cancel.ts';
import { resend, showEvent } from './one/event.ts';
import { showPayment } from './one/page.ts';
import { showRefund, submitRefund } from './one/refund.ts';

/** The pages of payments: the list, its export, one payment and its actions. */
export function paymentPages(deps: ConsoleDeps): ConsolePage[] {
  const refund = { path: '/payments/:id/refund', permission: 'refund.write', fresh: true } as const;
  const event = '/payments/:id/events/:event';
  return [
    teamPage({ method: 'GET', path: '/payments', permission: 'payment.read', handle: (visit) => showPayments(deps, visit) }),
    ...viewActions(deps, {
      ...PAYMENT_LIST,
      permission: 'payment.read',
      show: (visit, fault) => showPayments(deps, visit, fault),
    }),
    teamPage({ method: 'GET', path: '/payments/export', permission: 'payment.read', handle: exportPayments }),
    teamPage({
      ...{ method: 'GET', path: '/payments/:id', permission: 'payment.read' },
      handle: (visit) => showPayment(deps, visit),
    }),
    teamPage({ ...refund, method: 'GET', handle: (visit) => showRefund(visit) }),
    teamPage({ ...refund, method: 'POST', handle: submitRefund }),
    teamPage({
      ...{ method: 'POST', path: '/payments/:id/cancel', permission: 'payment.write' },
      handle: (visit) => cancel(deps, visit),
    }),
    teamPage({ method: 'GET', path: event, permission: 'event.read', handle: showEvent }),
    teamPage({ method: 'POST', path: `${event}/resend`, permission: 'event.write', handle: resend }),
  ];
}
