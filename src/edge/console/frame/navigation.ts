import type { ConsolePage, TeamVisit } from '../page.ts';
import type { ConsoleIcon } from './icons.ts';
import type { NavName } from './texts.ts';

interface Entry {
  name: NavName;
  /** Below the team's base; empty: the base itself. */
  path: string;
  icon: ConsoleIcon;
}

/** The sections of the console, in groups. An entry is shown when its page exists and the role may see it. */
const GROUPS: readonly (readonly Entry[])[] = [
  [
    { name: 'home', path: '', icon: 'home' },
    { name: 'payments', path: '/payments', icon: 'payments' },
    { name: 'customers', path: '/customers', icon: 'customers' },
  ],
  [
    { name: 'balance', path: '/balance', icon: 'balance' },
    { name: 'payouts', path: '/payouts', icon: 'payouts' },
    { name: 'approvals', path: '/approvals', icon: 'approvals' },
  ],
  [
    { name: 'invoices', path: '/invoices', icon: 'invoices' },
    { name: 'links', path: '/links', icon: 'links' },
    { name: 'disputes', path: '/disputes', icon: 'disputes' },
    { name: 'subaccounts', path: '/subaccounts', icon: 'subaccounts' },
  ],
  [
    { name: 'developers', path: '/developers', icon: 'developers' },
    { name: 'people', path: '/people', icon: 'people' },
    { name: 'settings', path: '/settings', icon: 'settings' },
  ],
];

/** Returns the entries of the navigation that this person has here. */
export function navigationOf(pages: readonly ConsolePage[], visit: TeamVisit): (readonly Entry[])[] {
  const open = new Set(
    pages.flatMap((page) => (page.who === 'team' && page.method === 'GET' && visit.can(page.permission) ? [page.path] : [])),
  );
  return GROUPS.map((group) => group.filter(({ path }) => open.has(path))).filter((group) => group.length > 0);
}
