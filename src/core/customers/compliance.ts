import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import { notFound } from '../../kit/errors.ts';
import type { Queryable } from '../../kit/sql.ts';
import { listRecords, upsertRecord } from './compliance-store.ts';
import type { ComplianceRow, ComplianceStatus } from './schema.ts';
import { type CustomerRef, lockCustomer, updateCustomer } from './store.ts';

/**
 * Records the result of a customer's KYC check. An approved record keeps the tax id through an erasure. When the status
 * stops being approved, the tax id of an erased customer is deleted.
 * @throws Problem 404
 */
export async function recordCompliance(
  deps: { clock: Clock },
  store: Store,
  ref: CustomerRef,
  decision: { status: ComplianceStatus; author: string; note: string | null },
  by: Actor,
): Promise<ComplianceRow> {
  const now = new Date(deps.clock.now());
  return store.db.transaction(async (tx) => {
    const customer = await lockCustomer(tx, ref);
    if (!customer) throw notFound('Customer');
    const row = await upsertRecord(tx, {
      team_id: ref.team_id,
      customer_id: ref.id,
      ...decision,
      created_at: now,
      updated_at: now,
    });
    const forgotten = decision.status !== 'approved' && customer.archived_at !== null && customer.tax_id !== null;
    if (forgotten) await updateCustomer(tx, { ...customer, tax_id: null, updated_at: now });
    await record(tx, by, { team_id: ref.team_id, action: 'customer.compliance', resource_id: ref.id, at: now.getTime() });
    return row;
  });
}

/** Returns the KYC records of a team, the most recently changed first. */
export function complianceRecords(db: Queryable, team_id: bigint, limit: number): Promise<ComplianceRow[]> {
  return listRecords(db, team_id, limit);
}
