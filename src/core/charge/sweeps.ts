import { WORKER } from '../../tenants/audit/actor.ts';
import type { Store } from '../../platform/db/stores.ts';
import { must, Problem } from '../../kit/errors.ts';
import type { Tx } from '../../kit/sql.ts';
import { channelById } from '../../providers/reference/channels.ts';
import { accountKey } from '../../platform/work/account-key.ts';
import { type CallSweep, callSweep } from '../../platform/work/call-sweep.ts';
import { type RowSweep, rowSweep, type Take } from '../../platform/work/row-sweep.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import { apply } from '../payments/apply.ts';
import { attemptsOf, claimDueAttempts } from '../attempts/store.ts';
import { charge } from './charge.ts';
import { sumsOf } from './instrument.ts';
import { ChargeUnderWay } from './refusals.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { pollAttempt } from './poll.ts';
import type { AttemptRow } from '../attempts/schema.ts';
import { anyExpired, claimContinuing, type Continuing, findPayment, lockExpired, stopContinuing } from '../payments/store.ts';

const EXPIRY_BATCH = 100;
/** Lease of a poll: the attempt of a worker that dies while polling becomes due again after this. */
const POLL_LEASE_MS = 30_000;
const CONTINUE_LEASE_MS = 60_000;
/** Maximum time after the last attempt that a provider took, for which the next tranche is retried while no provider takes it. */
const UNTAKEN_MS = 10 * 60_000;

/** Expires payments within 5 s of the end of their window, without any request for them: runs every second. */
export function expirySweep(deps: PaymentDeps, store: Store): Sweep {
  const sweep: RowSweep = {
    name: 'payment-expiry',
    environment: store.environment,
    idle_ms: 1_000,
    max: EXPIRY_BATCH,
    change: async (take) => {
      const at = deps.clock.now();
      if (!(await anyExpired(store.db, new Date(at), take.except))) return 0;
      const expired = await store.db.transaction((tx) => expire(tx, { deps, store, at }, take));
      if (expired > 0) deps.wake.ring(store.environment);
      return expired;
    },
    failure: 'a payment could not expire; it will be tried again',
  };
  return rowSweep(sweep, deps);
}

async function expire(tx: Tx, { deps, store, at }: { deps: PaymentDeps; store: Store; at: number }, take: Take): Promise<number> {
  const refs = await lockExpired(tx, new Date(at), take.limit, take.except);
  take.taken(refs);
  if (refs.length === 0) return 0;
  await apply(
    tx,
    { environment: store.environment, at, listeners: deps.listeners },
    refs.map(({ team_id, id }) => ({
      team_id,
      payment_id: id,
      occurrences: [{ kind: 'window_elapsed' }],
    })),
  );
  return refs.length;
}

/** Polls providers for attempts that are under way or unknown. */
export function pollSweep(deps: PaymentDeps, store: Store): Sweep {
  const sweep: CallSweep<AttemptRow> = {
    name: 'attempt-polls',
    environment: store.environment,
    idle_ms: 200,
    claim: (limit, skip, turn) => claimDueAttempts(store.db, new Date(deps.clock.now()), POLL_LEASE_MS, limit, skip, turn),
    accountOf: (attempt) => accountKey(attempt.team_id, attempt.provider_account),
    step: async (attempt) => void (await pollAttempt(deps, store, attempt)),
    start_within_ms: POLL_LEASE_MS / 3,
    failure: 'a look at an attempt failed; it comes due again',
  };
  return callSweep(sweep, deps);
}

/** Sends the next tranche of payments as soon as the previous one was captured. */
export function trancheSweep(deps: PaymentDeps, store: Store): Sweep {
  const sweep: CallSweep<Continuing> = {
    name: 'tranches',
    environment: store.environment,
    idle_ms: 250,
    claim: (limit, skip, turn) => claimContinuing(store.db, new Date(deps.clock.now()), CONTINUE_LEASE_MS, limit, skip, turn),
    accountOf: ({ team_id, provider_account }) => accountKey(team_id, provider_account),
    step: (ref) => sendNextTranche(deps, store, ref),
    start_within_ms: CONTINUE_LEASE_MS / 2,
    failure: 'the next tranche could not be sent; it comes due again',
  };
  return callSweep(sweep, deps);
}

/**
 * Sends the next tranche to the same channel and number as the previous one. If it is declined, the payer continues on the same
 * page.
 */
async function sendNextTranche(deps: PaymentDeps, store: Store, ref: Continuing): Promise<void> {
  const attempts = await attemptsOf(store.db, [ref]);
  const previous = must(
    attempts.findLast((attempt) => attempt.status === 'succeeded'),
    'a tranche was captured',
  );
  const channel = must(channelById(previous.channel), 'the channel was checked when the attempt was made');
  const payment = must(await findPayment(store.db, ref.team_id, ref.id), 'it was claimed');
  const { payer, currency, remember } = previous;
  const method_id = previous.method_id ?? undefined;
  try {
    await charge(deps, store, ref, {
      ...{ channel, payer, method_id, remember: remember ?? false },
      ...{ currency, ...sumsOf(deps.config, payment, channel), client_ip: null, by: WORKER, prompted_by: null },
    });
  } catch (error) {
    // 502: no provider could take it now. Under way: another worker waits for its provider longer than its lease, or money waits for a
    // decision. Both become due again after the lease. Any other error stops the automatic sending, and so does an outage of some minutes:
    // only then can the payer choose another channel, and no prompt arrives hours later, when the payer does not expect it.
    if (!(error instanceof Problem)) throw error;
    const isShort = error.status === 502 && deps.clock.now() - lastTakenAt(attempts) < UNTAKEN_MS;
    if (!isShort && !(error instanceof ChargeUnderWay)) await stopContinuing(store.db, ref);
  }
}

/** Returns when the last attempt that a provider took ended, or began if it is open, in milliseconds since the epoch; 0 for none. */
function lastTakenAt(attempts: readonly AttemptRow[]): number {
  const taken = attempts.filter(({ status }) => status !== 'unavailable');
  return Math.max(0, ...taken.map(({ closed_at, created_at }) => (closed_at ?? created_at).getTime()));
}
