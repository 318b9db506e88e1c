import { type ConsolePage, teamPage } from '../../page.ts';
import { submitApprove, submitKey, submitReject, submitRun, submitWithdraw } from './actions.ts';
import { showApprovals } from './list.ts';
import { showApproval } from './one.ts';

/** The pages of approvals. A decision needs a fresh factor. Every requester may withdraw their own request. */
export function approvalPages(): ConsolePage[] {
  const one = '/approvals/:id';
  const read = { method: 'GET', permission: 'approval.read' } as const;
  const decision = { method: 'POST', permission: 'approval.write', fresh: true } as const;
  return [
    teamPage({ ...read, path: '/approvals', handle: showApprovals }),
    teamPage({ ...read, path: one, handle: (visit) => showApproval(visit) }),
    teamPage({ ...decision, path: `${one}/approve`, handle: submitApprove }),
    teamPage({ ...decision, path: `${one}/reject`, handle: submitReject }),
    teamPage({ ...decision, path: `${one}/run`, handle: submitRun }),
    teamPage({ method: 'POST', path: `${one}/withdraw`, permission: 'approval.read', handle: submitWithdraw }),
    teamPage({ method: 'POST', path: `${one}/key`, permission: 'key.write', fresh: true, handle: submitKey }),
  ];
}
