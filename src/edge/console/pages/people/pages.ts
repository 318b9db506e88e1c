import type { ConsoleDeps } from '../../deps.ts';
import { type ConsolePage, teamPage } from '../../page.ts';
import { showMember, submitRemoval, submitRole } from './edit.ts';
import { showInvite, submitInvite, submitResend, submitWithdraw } from './invite.ts';
import { showPeople } from './list.ts';

/** The pages of a team's people. Changes need a fresh factor. */
export function peoplePages(deps: ConsoleDeps): ConsolePage[] {
  const writes = { permission: 'person.write', fresh: true } as const;
  return [
    teamPage({ method: 'GET', path: '/people', permission: 'person.read', handle: (visit) => showPeople(deps, visit) }),
    teamPage({ method: 'GET', path: '/people/invite', ...writes, handle: (visit) => showInvite(visit) }),
    teamPage({ method: 'POST', path: '/people/invite', ...writes, handle: submitInvite }),
    teamPage({
      method: 'POST',
      path: '/people/invitations/:link/resend',
      ...writes,
      handle: (visit) => submitResend(deps, visit),
    }),
    teamPage({
      method: 'POST',
      path: '/people/invitations/:link/withdraw',
      ...writes,
      handle: (visit) => submitWithdraw(deps, visit),
    }),
    teamPage({ method: 'GET', path: '/people/:user', ...writes, handle: (visit) => showMember(deps, visit) }),
    teamPage({ method: 'POST', path: '/people/:user/role', ...writes, handle: (visit) => submitRole(deps, visit) }),
    teamPage({ method: 'POST', path: '/people/:user/remove', ...writes, handle: (visit) => submitRemoval(deps, visit) }),
  ];
}
