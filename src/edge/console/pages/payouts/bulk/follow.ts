import { askedLines, askedOf, batchesAsking, type WaitingLine } from '../../../../../core/payout-batches/store.ts';
import type { BatchRow } from '../../../../../core/payout-batches/schema.ts';
import type { TransferStatus } from '../../../../../core/transfers/states.ts';
import { findStandings } from '../../../../../core/transfers/store.ts';
import { MAX_WAITING } from '../../../../../tenants/approvals/schema.ts';
import { type ApprovalState, approvalState } from '../../../../../tenants/approvals/states.ts';
import { findApprovals, listWaiting } from '../../../../../tenants/approvals/store.ts';
import { asTheyStand, standingOf } from '../../../approvals/standing.ts';
import type { TeamVisit } from '../../../page.ts';
import { MAX_LINES } from './parse.ts';

/** Current state of a line whose approval was requested. */
export interface Followed {
  state: ApprovalState;
  /** The transfer; null unless one was made. */
  transfer: string | null;
  transfer_status: TransferStatus | null;
  /** Whether the money reached the recipient after the payout had failed or was cancelled. */
  paid_late: boolean;
  /** Why it failed. */
  message: string | null;
}

/**
 * Returns the current state of the lines of a list whose approval was requested, by their numbers. Approvals are in `control` and lines in
 * the store. Both are read each time and never copied: a few statements, whatever the number of lines.
 */
export async function followed(visit: TeamVisit, batch: BatchRow): Promise<Map<number, Followed>> {
  const { store, team } = visit;
  const asked = await askedLines(store.db, { team_id: team.id, id: batch.id }, MAX_LINES);
  const approvals = await followedApprovals(
    visit,
    asked.map(({ approval }) => approval),
  );
  return new Map(
    asked.flatMap(({ line, approval }) => {
      const one = approvals.get(approval);
      return one ? [[line, one] as const] : [];
    }),
  );
}

/** Returns the current state of approvals, by their ids. */
async function followedApprovals(visit: TeamVisit, ids: readonly string[]): Promise<Map<string, Followed>> {
  const { store, team } = visit;
  if (ids.length === 0) return new Map();
  const ends = await standingOf(visit, ids);
  const made = [...ends.values()].flatMap(({ result }) => result ?? []);
  const found = made.length > 0 ? await findStandings(store.db, team.id, made) : [];
  const standings = new Map(found.map((one) => [one.id, one]));
  return new Map(
    [...ends].map(([id, end]): [string, Followed] => {
      const { result: transfer, message } = end;
      const { status = null, paid_late_at = null } = standings.get(transfer ?? '') ?? {};
      return [id, { state: approvalState(end), transfer, transfer_status: status, paid_late: paid_late_at !== null, message }];
    }),
  );
}

/**
 * Returns, by list, how many of the lines for which a second person was asked ended without money: not approved, or approved and then failed.
 */
export async function unpaidAmong(visit: TeamVisit, batches: readonly BatchRow[]): Promise<Map<string, number>> {
  const { store, team } = visit;
  const ids = batches.map(({ id }) => id);
  const asked = ids.length > 0 ? await askedOf(store.db, team.id, ids) : [];
  const approvals = await followedApprovals(
    visit,
    asked.map(({ approval }) => approval),
  );
  const counts = new Map<string, number>();
  for (const { batch, approval } of asked) {
    const one = approvals.get(approval);
    if (one && (isUnpaid(one) || hasEnded(one, 'refused', 'undone'))) counts.set(batch, (counts.get(batch) ?? 0) + 1);
  }
  return counts;
}

/** Returns the ids of the lists with a line that waits for approval. */
export async function waitingAmong(visit: TeamVisit, batches: readonly BatchRow[]): Promise<Set<string>> {
  const { store, team, approvals } = visit;
  const listed = await listWaiting(approvals.control, team.id, store.environment, MAX_WAITING);
  const waiting = (await asTheyStand(visit, listed)).filter(({ outcome }) => outcome === null);
  if (waiting.length === 0 || batches.length === 0) return new Set();
  const ids = { batches: batches.map(({ id }) => id), approvals: waiting.map(({ id }) => id) };
  return new Set(await batchesAsking(store.db, team.id, ids));
}

/** Result of an approval, for the counts of a list. */
export type Ending = 'waiting' | 'done' | 'refused' | 'undone';

const ENDINGS: Record<ApprovalState, Ending> = {
  open: 'waiting',
  approved: 'waiting',
  done: 'done',
  rejected: 'refused',
  withdrawn: 'refused',
  expired: 'refused',
  failed: 'undone',
  lapsed: 'undone',
};

/** Returns the lines that may still be paid: those whose approvals have not ended, or are unknown. */
export async function stillWaiting(
  { store, team, approvals: { control } }: TeamVisit,
  lines: readonly WaitingLine[],
): Promise<WaitingLine[]> {
  const asked = lines.flatMap(({ approval }) => approval ?? []);
  if (asked.length === 0) return [...lines];
  const found = await findApprovals(control, { team_id: team.id, environment: store.environment }, asked);
  const ends = new Map(found.map((row) => [row.id, row]));
  return lines.filter(({ approval }) => {
    const end = approval === null ? undefined : ends.get(approval);
    return !end || ENDINGS[approvalState(end)] === 'waiting';
  });
}

/** Returns the numbers of the lines whose approvals have one of these results. */
export function linesEnded(all: ReadonlyMap<number, Followed>, ...endings: Ending[]): number[] {
  return [...all].filter(([, one]) => hasEnded(one, ...endings)).map(([line]) => line);
}

function hasEnded({ state }: Followed, ...endings: Ending[]): boolean {
  return endings.includes(ENDINGS[state]);
}

/** Returns the numbers of the lines whose payout was approved and made, and then failed or was cancelled, unless it was paid late. */
export function unpaidLines(all: ReadonlyMap<number, Followed>): number[] {
  return [...all].filter(([, one]) => isUnpaid(one)).map(([line]) => line);
}

function isUnpaid({ transfer_status: status, paid_late }: Followed): boolean {
  return (status === 'failed' || status === 'cancelled') && !paid_late;
}
