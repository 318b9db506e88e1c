import type { Actor } from '../audit/actor.ts';
import { record } from '../audit/record.ts';
import type { Config } from '../config.ts';
import type { Store } from '../db/stores.ts';
import type { Clock } from '../kit/clock.ts';
import { must, notFound, Problem } from '../kit/errors.ts';
import { type Applied, apply, type Happening } from './apply.ts';
import { type AttemptUpdate, findAttempt } from './attempts-store.ts';
import type { PaymentListener } from './listeners.ts';
import { holdOf } from './outcomes.ts';
import { type AttemptRow, isOpen, type Resolution } from './schema.ts';

/** A person's decision about something whose outcome nobody can tell, with the evidence it rests on. */
export type Verdict = Omit<Resolution, 'at'>;

/** A sender may be waiting for the provider's answer this long: nobody decides over its head. */
const SENDING_MS = 120_000;

/**
 * Closes an attempt by a person's decision. Success is booked at the amount that was asked for; what evidence of another
 * amount had set aside is taken back either way. Success of an attempt that had ended without money is a late success.
 * @throws Problem 404 no such attempt of the team, 400 it is decided already, or being sent at this moment
 */
export async function resolveAttempt(
  deps: { clock: Clock; config: Pick<Config, 'hold_ms'>; listeners: readonly PaymentListener[] },
  store: Store,
  ref: { team_id: bigint; id: string },
  verdict: Verdict,
  by: Actor,
): Promise<Applied> {
  return store.db.transaction(async (tx) => {
    const at = deps.clock.now();
    const attempt = await findAttempt(tx, ref.team_id, ref.id);
    if (!attempt) throw notFound('Attempt');
    refuse(attempt, verdict, at);
    await record(tx, by, { team_id: ref.team_id, action: 'payment.resolve', resource_id: attempt.payment_id, at });
    const applied = await apply(tx, { environment: store.environment, at, listeners: deps.listeners }, [
      {
        team_id: ref.team_id,
        payment_id: attempt.payment_id,
        attempt: { id: attempt.id, update: updateOf(attempt, verdict, at) },
        happenings: [happeningOf(deps.config, store, attempt, verdict)],
      },
    ]);
    return must(applied.get(attempt.payment_id), 'an attempt has a payment');
  });
}

/** @throws Problem 400 when an attempt is nobody's to decide */
export function refuse(attempt: AttemptRow, { as }: Verdict, at: number): void {
  if (attempt.status === 'created' && at - attempt.created_at.getTime() < SENDING_MS) {
    throw new Problem(400, 'The attempt is being handed over at this moment: wait two minutes.');
  }
  if (attempt.status === 'succeeded' || (as === 'failed' && !isOpen(attempt))) {
    throw new Problem(400, `The attempt is decided already: ${attempt.status}.`);
  }
}

function updateOf(attempt: AttemptRow, verdict: Verdict, at: number): AttemptUpdate {
  const now = new Date(at);
  const common = {
    next_poll_at: null,
    closed_at: now,
    submitted_at: attempt.submitted_at ?? now,
    resolution: { ...verdict, at: now.toISOString() },
  };
  if (verdict.as === 'succeeded') {
    return { ...common, status: 'succeeded', provider_ref: attempt.provider_ref ?? attempt.mismatch?.provider_ref ?? null };
  }
  return { ...common, status: 'failed', reason: 'unknown', message: 'resolved by hand: no money moved' };
}

function happeningOf(config: Pick<Config, 'hold_ms'>, store: Store, attempt: AttemptRow, { as }: Verdict): Happening {
  const { id, amount_minor, channel } = attempt;
  if (as === 'succeeded') {
    return { kind: 'captured', attempt_id: id, amount_minor, hold_ms: holdOf(config, store.environment, attempt) };
  }
  return { kind: 'declined', reason: 'unknown', message: 'resolved by hand: no money moved', channel };
}
