import type { ConsoleDeps } from '../../deps.ts';
import { type ConsolePage, teamPage } from '../../page.ts';
import { changeBeneficiary, createBeneficiary, showEdit, showNew } from './beneficiaries/form.ts';
import { showBeneficiaries } from './beneficiaries/list.ts';
import { deleteBeneficiary, showBeneficiary } from './beneficiaries/one.ts';
import { bulkPages } from './bulk/pages.ts';
import { showPayouts } from './list.ts';
import { newPages } from './new/pages.ts';
import { showPayout } from './one/page.ts';

/** The pages of payouts and of their saved recipients. */
export function payoutPages(deps: ConsoleDeps): ConsolePage[] {
  const saved = '/payouts/beneficiaries';
  const read = { method: 'GET', permission: 'beneficiary.read' } as const;
  // A change of where money goes needs a fresh factor, like a payout itself.
  const write = { permission: 'beneficiary.write', fresh: true } as const;
  return [
    teamPage({ method: 'GET', path: '/payouts', permission: 'transfer.read', handle: showPayouts }),
    ...newPages(deps),
    ...bulkPages(deps),
    teamPage({ ...read, path: saved, handle: showBeneficiaries }),
    teamPage({ ...write, method: 'GET', path: `${saved}/new`, handle: async (visit) => showNew(visit) }),
    teamPage({ ...write, method: 'POST', path: saved, handle: createBeneficiary }),
    teamPage({ ...read, path: `${saved}/:id`, handle: showBeneficiary }),
    teamPage({ ...write, method: 'GET', path: `${saved}/:id/edit`, handle: (visit) => showEdit(visit) }),
    teamPage({ ...write, method: 'POST', path: `${saved}/:id/edit`, handle: changeBeneficiary }),
    teamPage({ ...write, method: 'POST', path: `${saved}/:id/remove`, handle: deleteBeneficiary }),
    teamPage({
      ...{ method: 'GET', path: '/payouts/:id', permission: 'transfer.read' },
      handle: (visit) => showPayout(deps, visit),
    }),
  ];
}
