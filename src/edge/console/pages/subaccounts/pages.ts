import { type ConsolePage, teamPage } from '../../page.ts';
import { createOnboarding, setActive } from './actions.ts';
import { createAccount, editAccount, showCreate, showEdit } from './form.ts';
import { showAccounts } from './list.ts';
import { showAccount } from './one.ts';

/** The pages of subaccounts. Changes of where money goes need a fresh factor. */
export function subaccountPages(): ConsolePage[] {
  const [all, one] = ['/subaccounts', '/subaccounts/:id'];
  const read = { method: 'GET', permission: 'account.read' } as const;
  const write = { method: 'POST', permission: 'account.write' } as const;
  const form = { ...write, method: 'GET', fresh: true } as const;
  return [
    teamPage({ ...read, path: all, handle: showAccounts }),
    teamPage({ ...form, path: `${all}/new`, handle: async (visit) => showCreate(visit) }),
    teamPage({ ...write, path: all, fresh: true, handle: createAccount }),
    teamPage({ ...read, path: one, handle: (visit) => showAccount(visit) }),
    teamPage({ ...form, path: `${one}/edit`, handle: showEdit }),
    teamPage({ ...write, path: `${one}/edit`, fresh: true, handle: editAccount }),
    teamPage({ ...write, path: `${one}/deactivate`, handle: (visit) => setActive(visit, 'deactivate') }),
    teamPage({ ...write, path: `${one}/reactivate`, handle: (visit) => setActive(visit, 'reactivate') }),
    teamPage({ ...write, path: `${one}/onboarding`, handle: createOnboarding }),
  ];
}
