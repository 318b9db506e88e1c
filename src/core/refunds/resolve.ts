import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import { must, notFound, Problem } from '../../kit/errors.ts';
import type { PaymentListener } from '../payments/listeners.ts';
import { checkNamed, type ManualResolution, type ProviderName, SENDING_MS } from '../charge/resolve.ts';
import { lockPayment } from '../payments/service.ts';
import { applyRefund } from './apply.ts';
import { currentPart } from './parts.ts';
import type { RefundPart, RefundRow } from './schema.ts';
import { readAgain } from './read-again.ts';
import { isFinal } from './states.ts';
import { findRefund, isSetAside, lockRefund, writeResolution } from './store.ts';
import { endWaiting } from './waiting.ts';

/** The refund part that a manual resolution is about. */
export interface PartRef {
  team_id: bigint;
  id: string;
  /** Counted from 0; null: the only part. */
  part: number | null;
}

/** `named`: how a document names what the evidence is about; left out: it is about the part as it is now. */
type ResolvedPart = PartRef & { named?: ProviderName };

/**
 * Applies a manual resolution to one part of a refund. It closes a part that is with its provider. A refund that waits, because no provider
 * takes it or the balance does not cover it, can be ended as failed. For any other part only a success (the payer has the money) is
 * accepted. All checks run under the locks under which the resolution is applied.
 * @throws Problem 404 the team has no such refund; 400 the part cannot be resolved manually, it is being sent, `part` is null and the
 * refund has several, a statement has set its money aside, or the evidence is about an earlier submission
 */
export async function resolveRefund(
  deps: { clock: Clock; listeners: readonly PaymentListener[] },
  store: Store,
  ref: ResolvedPart,
  resolution: ManualResolution,
  by: Actor,
): Promise<RefundRow> {
  return store.db.transaction(async (tx) => {
    const at = deps.clock.now();
    const known = await findRefund(tx, ref.team_id, ref.id);
    if (!known) throw notFound('Refund');
    await lockPayment(tx, known.team_id, known.payment_id);
    const row = must(await lockRefund(tx, ref.team_id, ref.id), 'it was just read');
    const part = resolvablePart(row, ref, resolution);
    if (resolution.as === 'failed' && isBeingSent(row.legs[part] as RefundPart, at))
      throw new Problem(400, 'The refund is being handed over at this moment: wait two minutes.');
    if (ref.named) checkNamed(ref.named, row.legs[part] as RefundPart);
    if (isFinal(row.status) && (await isSetAside(tx, row, part))) {
      throw new Problem(
        400,
        'A statement has shown the part as paid: "pirogue breaks settle" decides about its money, only once.',
      );
    }
    await record(tx, by, { team_id: ref.team_id, action: 'refund.resolve', resource_id: row.id, at });
    await writeResolution(tx, ref, { ...resolution, part: part + 1, at: new Date(at).toISOString() });
    const context = { environment: store.environment, at, listeners: deps.listeners };
    if (resolution.as === 'failed' && isWaiting(row, part)) return endWaiting(tx, context, row, 'ended by hand: it was not sent');
    const resolved = await applyRefund(
      tx,
      context,
      row,
      part,
      resolution.as === 'succeeded'
        ? { kind: 'succeeded', provider_ref: row.legs[part]?.provider_ref ?? 'resolved by hand' }
        : { kind: 'failed', reason: 'unknown', message: 'resolved by hand: no money moved' },
    );
    // A callback may not have been followed by a poll yet. A refund that carries out a return is not polled again: the resolution counts.
    const isReadAgain = resolved.return_id === null || resolved.way === 'payout';
    if (resolution.as === 'failed' && isReadAgain) await readAgain(tx, resolved, new Date(at));
    return resolved;
  });
}

/** Whether a request may be under way, so that its response would arrive after the resolution. */
function isBeingSent({ status, sent_at }: RefundPart, at: number): boolean {
  return status === 'sent' && sent_at !== null && at - Date.parse(sent_at) < SENDING_MS;
}

/**
 * Whether the part is the next one to send of a refund that has not ended. A refund that only an operator can carry out is resolved with
 * its return.
 */
function isWaiting(row: RefundRow, part: number): boolean {
  if (currentPart(row) !== part || row.legs[part]?.status !== 'waiting') return false;
  return row.kind === 'merchant' || row.way !== 'manual';
}

/**
 * Returns the index of the part to resolve.
 * @throws Problem 400 when the part is not named, does not exist or cannot be resolved manually
 */
function resolvablePart(row: RefundRow, { part, named }: ResolvedPart, { as }: ManualResolution): number {
  const { legs, status } = row;
  if (part === null && legs.length > 1) {
    const parts = legs.map(({ status: own }, n) => `${n + 1} ${own}`).join(', ');
    throw new Problem(400, `The refund has ${legs.length} parts: name the one that the evidence is about (${parts}).`);
  }
  const found = legs[part ?? 0];
  if (!found) throw new Problem(400, `The refund has ${legs.length} parts.`);
  // A document is about something that was sent.
  if (as === 'failed' && !named && isWaiting(row, part ?? 0)) return part ?? 0;
  const wasSent = found.sent_at !== null || found.status === 'failed';
  if (found.status === 'sent' || (as === 'succeeded' && found.status !== 'succeeded' && wasSent)) return part ?? 0;
  throw new Problem(
    400,
    `The refund is ${status}, the part is ${found.status} and with no provider: there is nothing to resolve.`,
  );
}
