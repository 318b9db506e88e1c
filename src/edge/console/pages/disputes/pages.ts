import { type ConsolePage, teamPage } from '../../page.ts';
import { showAccept, submitAccept } from './accept.ts';
import { submitEvidence } from './evidence.ts';
import { showDisputes } from './list.ts';
import { showDispute } from './one.ts';

/** The pages of disputes. Accepting one returns money, and needs a fresh factor. */
export function disputePages(): ConsolePage[] {
  const [all, one] = ['/disputes', '/disputes/:id'];
  const read = { method: 'GET', permission: 'dispute.read' } as const;
  const write = { method: 'POST', permission: 'dispute.write' } as const;
  return [
    teamPage({ ...read, path: all, handle: showDisputes }),
    teamPage({ ...read, path: one, handle: (visit) => showDispute(visit) }),
    teamPage({ ...write, path: `${one}/evidence`, handle: submitEvidence }),
    teamPage({ ...write, method: 'GET', path: `${one}/accept`, fresh: true, handle: (visit) => showAccept(visit) }),
    teamPage({ ...write, path: `${one}/accept`, fresh: true, handle: submitAccept }),
  ];
}
