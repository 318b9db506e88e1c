import { findStatuses } from '../../../core/refunds/store.ts';
import type { RefundStatus } from '../../../core/refunds/states.ts';
import type { TransferStatus } from '../../../core/transfers/states.ts';
import { findStandings } from '../../../core/transfers/store.ts';
import { type ApprovalRow, isOperation } from '../../../tenants/approvals/schema.ts';
import { findApprovals } from '../../../tenants/approvals/store.ts';
import { readableWanted } from '../../../tenants/approvals/wanted.ts';
import type { TeamVisit } from '../page.ts';
import { mayHaveRun, ranBefore } from './ran.ts';

/**
 * Returns approvals with their actual state. An approval whose operation ran is done, even when the process died before recording it: the
 * store shows whether it ran, and the time for another try may be over.
 */
export async function asTheyStand(visit: TeamVisit, rows: readonly ApprovalRow[]): Promise<ApprovalRow[]> {
  const standing: ApprovalRow[] = [];
  const open = rows.filter((row) => row.decision === 'approved' && row.outcome === null && isOperation(row));
  const may = await mayHaveRun(visit, open);
  for (const row of rows) {
    const wanted = may.has(row.id) ? readableWanted(visit.approvals.secrets, row) : null;
    const ran = wanted && (await ranBefore(visit, row, wanted));
    standing.push(ran ? { ...row, outcome: 'done', result: ran.resource_id } : row);
  }
  return standing;
}

/** Returns approvals of the team with their actual state, by their ids. */
export async function standingOf(visit: TeamVisit, ids: readonly string[]): Promise<Map<string, ApprovalRow>> {
  const { team, environment, approvals } = visit;
  const found = await findApprovals(approvals.control, { team_id: team.id, environment }, ids);
  return new Map((await asTheyStand(visit, found)).map((row) => [row.id, row]));
}

/** The payout or refund that an approved operation made. */
export type Made =
  | { kind: 'payout'; status: TransferStatus; failed: boolean }
  | { kind: 'refund'; status: RefundStatus; failed: boolean };

/** Returns the current state of the payouts and refunds that approvals made, by their ids. One may fail at once, or days later. */
export async function madeBy({ store, team }: TeamVisit, rows: readonly ApprovalRow[]): Promise<Map<string, Made>> {
  const madeIn = (operation: string) => rows.flatMap((row) => (row.operation === operation ? (row.result ?? []) : []));
  const [payouts, refunds] = [madeIn('POST /transfers'), madeIn('POST /refunds')];
  const [transfers, returned] = await Promise.all([
    payouts.length > 0 ? findStandings(store.db, team.id, payouts) : [],
    refunds.length > 0 ? findStatuses(store.db, team.id, refunds) : [],
  ]);
  return new Map<string, Made>([
    ...transfers.map(({ id, status, paid_late_at }) => {
      const failed = (status === 'failed' || status === 'cancelled') && paid_late_at === null;
      return [id, { kind: 'payout', status, failed }] as const;
    }),
    ...returned.map(({ id, status }) => [id, { kind: 'refund', status, failed: status === 'failed' }] as const),
  ]);
}
