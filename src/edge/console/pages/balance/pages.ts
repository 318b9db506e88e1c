import { type ConsolePage, teamPage } from '../../page.ts';
import { showDay } from './day.ts';
import { exportEntries } from './export.ts';
import { showBalance } from './overview.ts';

/** The pages of the balance of a team or a subaccount: its figures with the statement of a month, one day of it, and the entries as a file. */
export function balancePages(): ConsolePage[] {
  const read = { method: 'GET', permission: 'balance.read' } as const;
  return ['/balance', '/subaccounts/:id/balance'].flatMap((path) => [
    teamPage({ ...read, path, handle: showBalance }),
    teamPage({ ...read, path: `${path}/export`, handle: exportEntries }),
    teamPage({ ...read, path: `${path}/:day`, handle: showDay }),
  ]);
}
