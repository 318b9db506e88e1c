import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Tx } from '../../kit/sql.ts';
import { must, notFound, Problem } from '../../kit/errors.ts';
import { changedMeanwhile, checkNamed, type ManualResolution, type ProviderName } from '../charge/resolve.ts';
import { type AppliedTransfer, applyTransfers } from './apply.ts';
import { mayBePaidLate, recordPaidLate } from './late.ts';
import type { TransferRow } from './schema.ts';
import { isFinal } from './states.ts';
import { findTransfer, lockTransfers, type TransferRef } from './store.ts';

/** The transfer that a manual resolution is about. */
interface ResolvedRef extends TransferRef {
  /** How a document names what the evidence is about; left out: it is about the transfer as it is now. */
  named?: ProviderName;
}

/**
 * Closes a transfer by manual resolution. A transfer that provably no provider has can only be ended as failed, which returns its money:
 * nothing else ends a transfer that no account takes. For a transfer that has ended without money, only a success is accepted: the
 * recipient has the money nevertheless. All checks run under the lock under which the resolution is applied. A transfer that has changed
 * while the lock was awaited is not resolved.
 * @throws Problem 404 no such transfer of the team; 400 the transfer is final, it is to be resolved as paid though provably no provider has
 * it, a statement has set its money aside, it has changed meanwhile, or the evidence is about an earlier submission
 */
export async function resolveTransfer(
  deps: { clock: Clock },
  store: Store,
  ref: ResolvedRef,
  resolution: ManualResolution,
  by: Actor,
): Promise<AppliedTransfer> {
  return store.db.transaction(async (tx) => {
    const at = deps.clock.now();
    const known = await findTransfer(tx, ref);
    const [row] = await lockTransfers(tx, [ref]);
    if (!known || !row) throw notFound('Transfer');
    const { named } = ref;
    if (named) checkNamed(named, row);
    const isLate = resolution.as === 'succeeded' && mayBePaidLate(row);
    if (!isLate && !isWithProvider(row) && !mayBeGivenUp(row, ref, resolution)) {
      throw new Problem(400, `The transfer is ${row.status} and with no provider: there is nothing to resolve.`);
    }
    if (standingOf(row) !== standingOf(known)) throw changedMeanwhile('transfer');
    if (isLate) return recordLate(tx, at, row, resolution, by);
    const stored = { ...resolution, at: new Date(at).toISOString() };
    const occurrence =
      resolution.as === 'succeeded'
        ? { kind: 'succeeded' as const, provider_ref: row.provider_ref ?? 'resolved by hand', resolution: stored }
        : { kind: 'failed' as const, reason: null, message: 'resolved by hand: no money moved', resolution: stored };
    await record(tx, by, { team_id: ref.team_id, action: 'transfer.resolve', resource_id: row.id, at });
    // A poll that is due or under way, such as after a callback, has no result yet: a transfer ended as failed is polled once more.
    const asked = { ...row, next_poll_at: null };
    const applied = await applyTransfers(tx, { environment: store.environment, at }, [{ known: asked, occurrence }]);
    return must(applied.get(row.id), 'it is locked');
  });
}

/** Returns the fields of a transfer that a decision depends on, for comparison. */
function standingOf({ status, stage, provider_account, provider_key, dispatched_at }: TransferRow): string {
  return JSON.stringify([status, stage, provider_account, provider_key, dispatched_at]);
}

function isWithProvider({ stage, dispatched_at }: TransferRow): boolean {
  return stage === 'dispatched' && dispatched_at !== null;
}

/**
 * Whether a person may end a transfer that provably no provider has. A document cannot end it: the failure at one account proves nothing
 * about the next. A worker that is about to send the transfer finds it ended. If a worker is sending it already, it is polled again, as
 * after any other failure.
 */
function mayBeGivenUp({ status }: TransferRow, { named }: ResolvedRef, { as }: ManualResolution): boolean {
  return as === 'failed' && !named && !isFinal(status);
}

async function recordLate(
  tx: Tx,
  at: number,
  known: TransferRow,
  resolution: ManualResolution,
  by: Actor,
): Promise<AppliedTransfer> {
  const stored = { ...resolution, at: new Date(at).toISOString() };
  const transfer = await recordPaidLate(tx, at, known, { provider_ref: null, resolution: stored });
  if (!transfer) {
    throw new Problem(
      400,
      'A statement has shown the transfer as paid: "pirogue breaks settle" decides about its money, only once.',
    );
  }
  await record(tx, by, { team_id: known.team_id, action: 'transfer.resolve', resource_id: known.id, at });
  return { transfer, changed: true };
}
