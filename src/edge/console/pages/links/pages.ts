import { type ConsolePage, teamPage } from '../../page.ts';
import { createLink, editLink, showCreate, showEdit } from './form.ts';
import { LINK_LIST, showLinks } from './list.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { viewActions } from '../../saved-views/actions.ts';
import { setActive, showLink } from './one.ts';

/** The pages of payment links, which exist in live only. */
export function linkPages(deps: ConsoleDeps): ConsolePage[] {
  const [all, one] = ['/links', '/links/:id'];
  const read = { method: 'GET', permission: 'link.read', liveOnly: true } as const;
  const write = { method: 'POST', permission: 'link.write', liveOnly: true } as const;
  return [
    teamPage({ ...read, path: all, handle: (visit) => showLinks(deps, visit) }),
    ...viewActions(deps, {
      ...LINK_LIST,
      permission: 'link.read',
      liveOnly: true,
      show: (visit, fault) => showLinks(deps, visit, fault),
    }),
    teamPage({ ...write, method: 'GET', path: `${all}/new`, handle: async (visit) => showCreate(visit) }),
    teamPage({ ...write, path: all, handle: createLink }),
    teamPage({ ...read, path: one, handle: (visit) => showLink(visit) }),
    teamPage({ ...write, method: 'GET', path: `${one}/edit`, handle: showEdit }),
    teamPage({ ...write, path: `${one}/edit`, handle: editLink }),
    teamPage({ ...write, path: `${one}/activate`, handle: (visit) => setActive(visit, true) }),
    teamPage({ ...write, path: `${one}/deactivate`, handle: (visit) => setActive(visit, false) }),
  ];
}
