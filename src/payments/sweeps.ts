import type { Deps } from '../deps.ts';
import type { Store } from '../db/stores.ts';
import { must, Problem } from '../kit/errors.ts';
import { channelById } from '../reference/channels.ts';
import type { Sweep } from '../work/sweep.ts';
import { apply } from './apply.ts';
import { attemptsOf, claimDueAttempts } from './attempts-store.ts';
import { applyOne, charge } from './charge.ts';
import { collectionOf } from './collection.ts';
import { changeOfReading } from './outcomes.ts';
import type { AttemptRow } from './schema.ts';
import { claimContinuing, type Continuing, findPayment, lockExpired, stopContinuing } from './store.ts';

const EXPIRY_BATCH = 100;
const POLL_BATCH = 50;
/** A worker that dies while asking: the attempt comes due again after this. */
const POLL_LEASE_MS = 30_000;
const CONTINUE_LEASE_MS = 60_000;

/** Payments turn expired within 5 s of their moment, also when nobody asks: looked for every second. */
export function expirySweep(deps: Deps, store: Store): Sweep {
  return {
    name: 'payment-expiry',
    environment: store.environment,
    idle_ms: 1_000,
    round: async () => {
      const at = deps.clock.now();
      const expired = await store.db.transaction(async (tx) => {
        const refs = await lockExpired(tx, new Date(at), EXPIRY_BATCH);
        if (refs.length === 0) return 0;
        await apply(
          tx,
          { environment: store.environment, at },
          refs.map(({ team_id, id }) => ({
            team_id,
            payment_id: id,
            happenings: [{ kind: 'window_elapsed' }],
          })),
        );
        return refs.length;
      });
      if (expired > 0) deps.wake.ring(store.environment);
      return expired;
    },
  };
}

/** Asks providers what became of attempts that are under way or unknown. */
export function pollSweep(deps: Deps, store: Store): Sweep {
  return {
    name: 'attempt-polls',
    environment: store.environment,
    idle_ms: 200,
    round: async () => {
      const due = await claimDueAttempts(store.db, new Date(deps.clock.now()), POLL_LEASE_MS, POLL_BATCH);
      const looks = await Promise.allSettled(due.map((attempt) => look(deps, store, attempt)));
      for (const result of looks) {
        if (result.status === 'rejected')
          deps.log.error({ err: result.reason }, 'a look at an attempt failed; it comes due again');
      }
      return due.length;
    },
  };
}

async function look(deps: Deps, store: Store, attempt: AttemptRow): Promise<void> {
  const provider = must(deps.providers.byName(store.environment, attempt.provider), `provider ${attempt.provider} is configured`);
  const payment = must(await findPayment(store.db, attempt.team_id, attempt.payment_id), 'an attempt has a payment');
  const reading = await provider.read(collectionOf(deps, store, payment, handedOver(attempt)));
  const at = deps.clock.now();
  await applyOne(deps, store, at, changeOfReading(deps.config, store.environment, payment, attempt, reading, at));
}

/** An attempt whose sender died before the answer may have been handed over when it was made. */
function handedOver(attempt: AttemptRow): AttemptRow {
  return { ...attempt, submitted_at: attempt.submitted_at ?? attempt.created_at };
}

/** Sends the next piece of payments in tranches as soon as the previous one has landed. */
export function trancheSweep(deps: Deps, store: Store): Sweep {
  return {
    name: 'tranches',
    environment: store.environment,
    idle_ms: 250,
    round: async () => {
      const due = await claimContinuing(store.db, new Date(deps.clock.now()), CONTINUE_LEASE_MS, POLL_BATCH);
      const pieces = await Promise.allSettled(due.map((ref) => sendNextPiece(deps, store, ref)));
      for (const result of pieces) {
        if (result.status === 'rejected')
          deps.log.error({ err: result.reason }, 'a next piece could not be sent; it comes due again');
      }
      return due.length;
    },
  };
}

/** The same channel and number as the piece before. When it is declined the payer goes on, on the same page. */
async function sendNextPiece(deps: Deps, store: Store, ref: Continuing): Promise<void> {
  const attempts = await attemptsOf(store.db, [ref]);
  const previous = must(
    attempts.findLast((attempt) => attempt.status === 'succeeded'),
    'a piece has landed',
  );
  const channel = must(channelById(previous.channel), 'the channel was checked when the attempt was made');
  try {
    await charge(deps, store, ref, { channel, payer: previous.payer, currency: previous.currency, client_ip: null });
  } catch (error) {
    // 502: nobody could take it now; the lease brings it back. Anything else ends the sending by itself.
    if (!(error instanceof Problem)) throw error;
    if (error.status !== 502) await stopContinuing(store.db, ref);
  }
}
