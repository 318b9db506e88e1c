import type { ConsoleDeps } from './deps.ts';
import { accountPages } from './pages/account/pages.ts';
import { approvalPages } from './pages/approvals/pages.ts';
import { balancePages } from './pages/balance/pages.ts';
import { customerPages } from './pages/customers/pages.ts';
import { developerPages } from './pages/developers/pages.ts';
import { disputePages } from './pages/disputes/pages.ts';
import { generalPages } from './pages/general/pages.ts';
import { homePages } from './pages/home/pages.ts';
import { invoicePages } from './pages/invoices/pages.ts';
import { linkPages } from './pages/links/pages.ts';
import { operatorPages } from './pages/operator/pages.ts';
import { paymentPages } from './pages/payments/pages.ts';
import { payoutPages } from './pages/payouts/pages.ts';
import { peoplePages } from './pages/people/pages.ts';
import { searchPages } from './pages/search/pages.ts';
import { settingPages } from './pages/settings/pages.ts';
import { signInPages } from './pages/sign-in/pages.ts';
import { subaccountPages } from './pages/subaccounts/pages.ts';
import type { ConsolePage } from './page.ts';

/** Returns every page and action of the console. */
export function consolePagesOf(deps: ConsoleDeps): ConsolePage[] {
  const people = [
    ...generalPages(deps),
    ...signInPages(deps),
    ...accountPages(deps),
    ...peoplePages(deps),
    ...operatorPages(deps),
  ];
  const pages = [
    ...people,
    ...homePages(deps),
    ...paymentPages(deps),
    ...customerPages(),
    ...balancePages(),
    ...invoicePages(deps),
    ...linkPages(deps),
    ...disputePages(),
    ...subaccountPages(),
    ...payoutPages(deps),
    ...approvalPages(),
    ...developerPages(deps),
    ...settingPages(deps),
  ];
  return [...pages, ...searchPages(pages)];
}
