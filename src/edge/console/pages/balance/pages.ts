import { type ConsolePage, teamPage } from '../../page.ts';
import { showDay } from './day.ts';
import { exportEntries } from './export.ts';
import { showBalance } from './overview.ts';

/** Returns the pages of a balance, of a team or a subaccount: the overview with a month's statement, one day, and a file of entries. */
export function balancePages(): ConsolePage[] {
  const read = { method: 'GET', permission: 'balance.read' } as const;
  return ['/balance', '/subaccounts/:id/balance'].flatMap((path) => [
    teamPage({ ...read, path, handle: showBalance }),
    teamPage({ ...read, path: `${path}/export`, handle: exportEntries }),
    teamPage({ ...read, path: `${path}/:day`, handle: showDay }),
  ]);
}
