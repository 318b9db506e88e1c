import { type ConsolePage, teamPage } from '../../page.ts';
import { cancelInvoice, deleteInvoice, sendInvoice } from './actions.ts';
import { createInvoice, editInvoice, showCreate, showEdit } from './form.ts';
import { INVOICE_LIST, showInvoices } from './list.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { viewActions } from '../../saved-views/actions.ts';
import { showInvoice } from './one.ts';

/** The pages of invoices, which exist in live only. */
export function invoicePages(deps: ConsoleDeps): ConsolePage[] {
  const [all, one] = ['/invoices', '/invoices/:id'];
  const read = { method: 'GET', permission: 'invoice.read', liveOnly: true } as const;
  const write = { method: 'POST', permission: 'invoice.write', liveOnly: true } as const;
  return [
    teamPage({ ...read, path: all, handle: (visit) => showInvoices(deps, visit) }),
    ...viewActions(deps, {
      ...INVOICE_LIST,
      permission: 'invoice.read',
      liveOnly: true,
      show: (visit, fault) => showInvoices(deps, visit, fault),
    }),
    teamPage({ ...write, method: 'GET', path: `${all}/new`, handle: async (visit) => showCreate(visit) }),
    teamPage({ ...write, path: all, handle: createInvoice }),
    teamPage({ ...read, path: one, handle: (visit) => showInvoice(visit) }),
    teamPage({ ...write, method: 'GET', path: `${one}/edit`, handle: showEdit }),
    teamPage({ ...write, path: `${one}/edit`, handle: editInvoice }),
    teamPage({ ...write, path: `${one}/send`, handle: sendInvoice }),
    teamPage({ ...write, path: `${one}/cancel`, handle: cancelInvoice }),
    teamPage({ ...write, path: `${one}/delete`, handle: deleteInvoice }),
  ];
}
