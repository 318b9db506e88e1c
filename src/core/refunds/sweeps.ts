import type { Store } from '../../platform/db/stores.ts';
import { accountKey } from '../../platform/work/account-key.ts';
import { type CallSweep, callSweep } from '../../platform/work/call-sweep.ts';
import { logFailure } from '../../platform/work/failures.ts';
import type { Turn } from '../../platform/work/shards.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import { MAX_POLL_WAIT_MS } from '../../providers/adapters/polling.ts';
import type { RefundDeps } from './deps.ts';
import type { RefundRow } from './schema.ts';
import { isUndecided } from './parts.ts';
import { recheckRefund } from './recheck.ts';
import { advanceRefund } from './send.ts';
import { coverLater, creditCap } from './service.ts';
import { claimDueRefunds, type DueRefund } from './store.ts';
import { findCoverable, type WaitingRefund, writeNextTry } from './waiting-store.ts';

/** Lease of a claimed refund: if its worker dies, the refund becomes due again after this time. */
const LEASE_MS = 60_000;
/** Time between two comparisons of the refunds that wait for money with the balances. */
const LOOK_MS = 2_000;
/** The same after a comparison that failed: it may have held up the other refunds until its deadline. */
const FAILED_LOOK_MS = 30_000;
/** Maximum refunds that are covered after one comparison. */
const MAX_COVERED = 50;
/** Time until a refund that still waits is tried again, unless the balances seem to cover it before. */
const WAIT_MS = MAX_POLL_WAIT_MS;
/** Minimum time between two tries of a refund, even if the balances seem to cover it: the comparison is not exact. */
const RETRY_MS = 10_000;

/** Covers refunds that wait for money, sends covered ones, and polls those under way. */
export function refundSweep(deps: RefundDeps, store: Store): Sweep {
  let next_look_at = Number.NEGATIVE_INFINITY;
  const look = async (turn: Turn) => {
    if (performance.now() < next_look_at) return;
    let pause_ms = LOOK_MS;
    try {
      await coverWaiting(deps, store, turn);
    } catch (err) {
      // The other refunds continue, whatever the error is.
      pause_ms = FAILED_LOOK_MS;
      const fields = { sweep: 'refunds', environment: store.environment };
      logFailure(deps.log, err, fields, 'waiting refunds could not be compared with the balances; it will be tried again');
    }
    next_look_at = performance.now() + pause_ms;
  };
  const sweep: CallSweep<DueRefund> = {
    name: 'refunds',
    environment: store.environment,
    idle_ms: 500,
    claim: async (limit, skip, turn) => {
      await look(turn);
      return claimDueRefunds(store.db, new Date(deps.clock.now()), LEASE_MS, limit, skip, turn);
    },
    accountOf: ({ refund, provider_account }) => accountKey(refund.team_id, provider_account),
    step: ({ refund }) => step(deps, store, refund),
    start_within_ms: LEASE_MS / 2,
    failure: 'a refund could not go on; it comes due again',
  };
  return callSweep(sweep, deps);
}

async function step(deps: RefundDeps, store: Store, refund: RefundRow): Promise<void> {
  if (refund.status === 'failed' && !isUndecided(refund)) return recheckRefund(deps, store, refund);
  const covered = refund.draws !== null ? refund : await coverOrWait(deps, store, refund);
  if (covered?.draws) await advanceRefund(deps, store, covered);
}

/** Covers the refunds for which money seems to have arrived; they are due at once. */
async function coverWaiting(deps: RefundDeps, store: Store, turn: Turn): Promise<void> {
  const now = deps.clock.now();
  const tried_before = new Date(now + WAIT_MS - RETRY_MS);
  const cap_minor = creditCap(deps.config, store);
  for (const waiting of await findCoverable(store.db, tried_before, cap_minor, MAX_COVERED, turn)) {
    await coverOrWait(deps, store, waiting, new Date(now)).catch((err) =>
      deps.log.error({ err }, 'a refund that waits for money could not be tried; it is tried again'),
    );
  }
}

/**
 * Tries to cover a refund that waits for money.
 * @param send_at when a worker sends it; left out: the caller sends it
 * @returns null when it still waits
 */
async function coverOrWait(deps: RefundDeps, store: Store, waiting: WaitingRefund, send_at?: Date): Promise<RefundRow | null> {
  const covered = await store.db.transaction((tx) => coverLater(tx, deps.config, store, waiting, send_at));
  if (covered === null) await writeNextTry(store.db, waiting, new Date(deps.clock.now() + WAIT_MS));
  return covered;
}
