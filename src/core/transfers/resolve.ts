import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Tx } from '../../kit/sql.ts';
import { must, notFound, Problem } from '../../kit/errors.ts';
import { checkNamed, type ManualResolution, type ProviderName } from '../charge/resolve.ts';
import { type AppliedTransfer, applyTransfers } from './apply.ts';
import { mayBePaidLate, recordPaidLate } from './late.ts';
import type { TransferRow } from './schema.ts';
import { isFinal } from './states.ts';
import { findTransfer, type TransferRef } from './store.ts';

/** The transfer that a manual resolution is about. */
interface ResolvedRef extends TransferRef {
  /** How a document names what the evidence is about; left out: it is about the transfer as it is now. */
  named?: ProviderName;
}

/**
 * Closes a transfer by manual resolution. A transfer that provably no provider has can only be ended as failed, which returns its money:
 * nothing else ends a transfer that no account takes. For a transfer that has ended without money, only a success is accepted: the
 * recipient has the money nevertheless.
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
    if (!known) throw notFound('Transfer');
    const { named } = ref;
    if (named) checkNamed(named, known);
    if (resolution.as === 'succeeded' && mayBePaidLate(known)) return recordLate(tx, at, known, resolution, by);
    if (!isWithProvider(known) && !mayBeGivenUp(known, ref, resolution)) {
      throw new Problem(400, `The transfer is ${known.status} and with no provider: there is nothing to resolve.`);
    }
    const stored = { ...resolution, at: new Date(at).toISOString() };
    const occurrence =
      resolution.as === 'succeeded'
        ? { kind: 'succeeded' as const, provider_ref: known.provider_ref ?? 'resolved by hand', resolution: stored }
        : { kind: 'failed' as const, reason: null, message: 'resolved by hand: no money moved', resolution: stored };
    await record(tx, by, { team_id: ref.team_id, action: 'transfer.resolve', resource_id: known.id, at });
    // A poll that is due or under way, such as after a callback, has no result yet: a transfer ended as failed is polled once more.
    const asked = { ...known, next_poll_at: null };
    const applied = await applyTransfers(tx, { environment: store.environment, at }, [{ known: asked, occurrence }]);
    const resolved = must(applied.get(known.id), 'it was found');
    if (!resolved.changed) throw new Problem(400, 'The transfer has changed at this moment: try again.');
    return resolved;
  });
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
      'A statement has shown the transfer as paid: its money is set aside, and "pirogue breaks settle" decides.',
    );
  }
  await record(tx, by, { team_id: known.team_id, action: 'transfer.resolve', resource_id: known.id, at });
  return { transfer, changed: true };
}
