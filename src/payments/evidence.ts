import type { Actor } from '../audit/actor.ts';
import { record } from '../audit/record.ts';
import type { Config } from '../config.ts';
import type { Store } from '../db/stores.ts';
import type { Clock } from '../kit/clock.ts';
import { must, notFound } from '../kit/errors.ts';
import type { PollPlan, Reading } from '../providers/contract.ts';
import { type Applied, apply } from './apply.ts';
import { findAttempt } from './attempts-store.ts';
import type { PaymentListener } from './listeners.ts';
import { changeOfReading } from './outcomes.ts';
import { refuse } from './resolve.ts';
import { findPayment } from './store.ts';

/** What a document says became of an attempt: nobody is asked again. */
export type Proof = Extract<Reading, { kind: 'succeeded' | 'failed' }>;

/** A proof ends the polling, except where another amount leaves a question open. */
const PLAN: PollPlan = { first_ms: 300_000, factor: 1, longest_ms: 300_000 };

/**
 * Enters what a provider's statement says of an attempt by the one door, as if the provider had been asked: success is
 * booked, another amount waits in `hold`, success after the end is a late success.
 * @param said which line of which statement, kept with the attempt like a person's decision
 * @throws Problem 404 no such attempt of the team, 400 it is decided already, or being sent at this moment
 */
export async function enterProof(
  deps: { clock: Clock; config: Config; listeners: readonly PaymentListener[] },
  store: Store,
  ref: { team_id: bigint; id: string },
  proof: Proof,
  said: { author: string; evidence: string },
  by: Actor,
): Promise<Applied> {
  return store.db.transaction(async (tx) => {
    const at = deps.clock.now();
    const attempt = await findAttempt(tx, ref.team_id, ref.id);
    if (!attempt) throw notFound('Attempt');
    refuse(attempt, { as: proof.kind, ...said }, at);
    const payment = must(await findPayment(tx, ref.team_id, attempt.payment_id), 'an attempt has a payment');
    await record(tx, by, { team_id: ref.team_id, action: 'payment.resolve', resource_id: payment.id, at });
    const capabilities = { polls: PLAN, not_found_grace_ms: 0 };
    const change = changeOfReading(deps.config, store.environment, payment, attempt, proof, capabilities, at);
    const news = must(change.attempt, 'a reading is about its attempt');
    if (news.update.closed_at) news.update.resolution = { as: proof.kind, ...said, at: new Date(at).toISOString() };
    const applied = await apply(tx, { environment: store.environment, at, listeners: deps.listeners }, [change]);
    return must(applied.get(payment.id), 'an attempt has a payment');
  });
}
