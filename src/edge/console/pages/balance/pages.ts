import { type ConsolePage, teamPage } from '../../page.ts';
import { showDay } from './day.ts';
import { exportEntries } from './export.ts';
import { showBalance } from './overview.ts';

/** The pages of the balance: its figures with the statement of a month, one day of it, and the entries as a file. */
export function balancePages(): ConsolePage[] {
  const read = { method: 'GET', permission: 'balance.read' } as const;
  return [
    teamPage({ ...read, path: '/balance', handle: showBalance }),
    teamPage({ ...read, path: '/balance/export', handle: exportEntries }),
    teamPage({ ...read, path: '/balance/:day', handle: showDay }),
  ];
}
