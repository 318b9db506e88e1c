import { type ConsolePage, teamPage } from '../../page.ts';
import { deleteMethod, setBlocked } from './actions.ts';
import { showErase, submitErase } from './erase.ts';
import { showCustomers } from './list.ts';
import { showCustomer } from './one.ts';

/** The pages of customers. */
export function customerPages(): ConsolePage[] {
  const write = { method: 'POST', permission: 'customer.write' } as const;
  return [
    teamPage({ method: 'GET', path: '/customers', permission: 'customer.read', handle: showCustomers }),
    teamPage({ method: 'GET', path: '/customers/:id', permission: 'customer.read', handle: (visit) => showCustomer(visit) }),
    teamPage({ ...write, path: '/customers/:id/block', handle: (visit) => setBlocked(visit, true) }),
    teamPage({ ...write, path: '/customers/:id/unblock', handle: (visit) => setBlocked(visit, false) }),
    teamPage({ ...write, method: 'GET', path: '/customers/:id/erase', handle: (visit) => showErase(visit) }),
    teamPage({ ...write, path: '/customers/:id/erase', handle: submitErase }),
    teamPage({
      ...{ method: 'POST', path: '/customers/:id/payment_methods/:method/delete', permission: 'payment_method.write' },
      handle: deleteMethod,
    }),
  ];
}
