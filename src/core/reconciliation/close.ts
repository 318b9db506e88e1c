import type { Actor } from '../../tenants/audit/actor.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import { Problem } from '../../kit/errors.ts';
import { decimal } from '../../money/ledger/decimal.ts';
import { applyStatementProof, type Proof } from '../charge/statement-proof.ts';
import type { PaymentListener } from '../payments/listeners.ts';
import { resolveRefund } from '../refunds/resolve.ts';
import { findWay } from '../refunds/ways.ts';
import { recordLateRefund } from '../returns/late.ts';
import { resolveTransfer } from '../transfers/resolve.ts';
import type { BreakRow, Run } from './schema.ts';
import type { Outcome } from './store.ts';

export interface ClosingDeps {
  clock: Clock;
  config: Config;
  listeners: readonly PaymentListener[];
}

/**
 * Applies the statement's result for one attempt, payout or refund, through the code that also applies a manual
 * resolution. A result that was decided in the meantime is not changed.
 */
export async function closeByStatement(deps: ClosingDeps, store: Store, run: Run, row: BreakRow, by: Actor): Promise<Outcome> {
  try {
    return await applyEvidence(deps, store, run, row, by);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { row, state: 'refused', outcome: error.message };
  }
}

async function applyEvidence(deps: ClosingDeps, store: Store, run: Run, row: BreakRow, by: Actor): Promise<Outcome> {
  const ref = { team_id: row.team_id, id: row.subject_id as string };
  const source = { author: `statement ${run.file_hash.slice(0, 12)} line ${row.line}`, evidence: evidenceOf(run, row) };
  if (row.flow === 'collect') {
    const { payment } = await applyStatementProof(deps, store, ref, proofOf(row), source, by);
    // A different amount, and a success after the payment has ended, never become part of the payment.
    if (row.kind === 'amount')
      return { row, state: 'held', outcome: `in hold; payment ${payment.status}: decide with pirogue resolve` };
    if (row.kind === 'late') return { row, state: 'closed', outcome: `late success; payment ${payment.status}` };
    return { row, state: 'closed', outcome: `payment ${payment.status}` };
  }
  const resolution = { as: row.there_status as 'succeeded' | 'failed', ...source };
  const named = { provider_account: run.provider_account, key: row.key, reference: row.reference };
  if (row.leg === null) {
    const { transfer } = await resolveTransfer(deps, store, { ...ref, named }, resolution, by);
    return { row, state: 'closed', outcome: `transfer ${transfer.status}` };
  }
  if (row.kind === 'late' && (await findWay(store.db, row.team_id, ref.id))?.return_id) {
    const { state } = await recordLateRefund(deps, store, ref, source, by);
    return { row, state: 'closed', outcome: `return ${state}` };
  }
  const { status } = await resolveRefund(deps, store, { ...ref, part: row.leg, named }, resolution, by);
  return { row, state: 'closed', outcome: row.kind === 'late' ? `late success; refund ${status}` : `refund ${status}` };
}

function proofOf(row: BreakRow): Proof {
  if (row.there_status === 'failed')
    return { kind: 'failed', reason: 'unknown', message: "the provider's statement reports it as failed" };
  return {
    kind: 'succeeded',
    provider_ref: row.reference ?? (row.key as string),
    amount_minor: row.there_minor as bigint,
    currency: row.there_currency as string,
  };
}

function evidenceOf({ file_name, provider }: Run, row: BreakRow): string {
  const amount = `${decimal(row.there_minor as bigint)} ${row.there_currency}`;
  return `${provider} statement ${file_name}: ${row.reference ?? row.key} ${row.there_status}, ${amount}, ${row.there_at?.toISOString()}`;
}
