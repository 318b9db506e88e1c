import { createdBefore } from '../../../tenants/api/idempotency.ts';
import { takenKeys } from '../../../tenants/api/idempotency-store.ts';
import type { ApprovalRow, Wanted } from '../../../tenants/approvals/schema.ts';
import { isRecorded } from '../done-once.ts';
import type { TeamVisit } from '../page.ts';

/** The operation that accepts no idempotency key. It happens at most once to a dispute, so the audit trail shows whether it ran. */
const KEYLESS = 'POST /disputes/:id/accept';

/** Returns the approved operations that may have run: their key is taken, or they accept no key. */
export async function mayHaveRun({ store, team }: TeamVisit, rows: readonly ApprovalRow[]): Promise<Set<string>> {
  const keyed = rows.filter(({ operation }) => operation !== KEYLESS);
  const keys = keyed.map(({ operation, form_key }) => ({ route: operation, key: form_key }));
  const taken = keys.length > 0 ? await takenKeys(store.db, team.id, keys) : [];
  const names = new Set(taken.map(({ route, key }) => `${route} ${key}`));
  const may = rows.filter(({ operation, form_key }) => operation === KEYLESS || names.has(`${operation} ${form_key}`));
  return new Set(may.map(({ id }) => id));
}

/**
 * Returns the result of an approved operation that has run; null when it has not. An operation that has run is done, even if the API
 * would reject it now because its key has expired or its recipient has changed.
 */
export async function ranBefore(
  visit: TeamVisit,
  { operation, form_key }: Pick<ApprovalRow, 'operation' | 'form_key'>,
  { params = {}, body }: Wanted,
): Promise<{ resource_id: string | null } | null> {
  const { store, team } = visit;
  const { id = '' } = params;
  if (operation === KEYLESS) return (await isRecorded(visit, 'dispute.accept', id)) ? { resource_id: id } : null;
  const request = { params, sync: null, body, caller: { kind: 'secret' } } as const;
  return createdBefore(store.db, { team_id: team.id, route: operation, key: form_key }, request);
}
