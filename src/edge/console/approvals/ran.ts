import { createdBefore } from '../../../tenants/api/idempotency.ts';
import type { ApprovalRow, Wanted } from '../../../tenants/approvals/schema.ts';
import { entriesAbout } from '../../../tenants/audit/store.ts';
import type { TeamVisit } from '../page.ts';
import { goesTo } from './account.ts';

/** Entries of the audit trail about one dispute: it is opened, answered and decided once each. */
const MAX_ENTRIES = 50;

/**
 * Returns what an approved operation made before; null when it did not run. An operation that ran is done, whatever it would be answered
 * with now: its key may be spent, its recipient another.
 */
export async function ranBefore(
  visit: TeamVisit,
  { operation, form_key }: Pick<ApprovalRow, 'operation' | 'form_key'>,
  { params = {}, body }: Wanted,
): Promise<{ resource_id: string | null } | null> {
  const { store, team } = visit;
  const { id = '' } = params;
  // These two take no idempotency key.
  if (operation === 'POST /disputes/:id/accept') return (await wasAccepted(visit, id)) ? { resource_id: id } : null;
  if (operation === 'PATCH /accounts/:id') return (await goesTo(visit, id, body)) ? { resource_id: id } : null;
  const request = { params, sync: null, body, caller: { kind: 'secret' } } as const;
  return createdBefore(store.db, { team_id: team.id, route: operation, key: form_key }, request);
}

async function wasAccepted({ store, team }: TeamVisit, dispute: string): Promise<boolean> {
  const entries = await entriesAbout(store.db, team.id, [dispute], MAX_ENTRIES);
  return entries.some(({ action }) => action === 'dispute.accept');
}
