import type { Store } from '../db/stores.ts';
import { WORKER } from '../audit/actor.ts';
import { record } from '../audit/record.ts';
import type { Deps } from '../deps.ts';
import { must } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Tx } from '../kit/sql.ts';
import { post } from '../ledger/post.ts';
import type { AttemptRow } from '../payments/schema.ts';
import { getCapture, lockPayment } from '../payments/service.ts';
import type { Provider } from '../providers/contract.ts';
import type { Sweep } from '../work/sweep.ts';
import { announce, drawnJournal } from './apply.ts';
import type { RefundRow } from './schema.ts';
import { advanceRefund } from './send.ts';
import { coverLater } from './service.ts';
import { claimDueRefunds, clearGiveback, findGivebacks, type Giveback, insertRefund, isGivenBack } from './store.ts';

const BATCH = 50;
/** A worker that dies on the way: the refund comes due again after this. */
const LEASE_MS = 60_000;

/** Covers refunds that wait for money, sends covered ones, asks about those under way. */
export function refundSweep(deps: Deps, store: Store): Sweep {
  return {
    name: 'refunds',
    environment: store.environment,
    idle_ms: 500,
    round: async () => {
      const due = await claimDueRefunds(store.db, new Date(deps.clock.now()), LEASE_MS, BATCH);
      const steps = await Promise.allSettled(due.map((refund) => step(deps, store, refund)));
      for (const result of steps) {
        if (result.status === 'rejected') deps.log.error({ err: result.reason }, 'a refund could not go on; it comes due again');
      }
      return due.length;
    },
  };
}

async function step(deps: Deps, store: Store, refund: RefundRow): Promise<void> {
  const covered = refund.draws !== null ? refund : await store.db.transaction((tx) => coverLater(tx, deps.config, store, refund));
  if (covered?.draws) await advanceRefund(deps, store, covered);
}

/** Makes the refunds that return captured money which a payment could not keep. */
export function givebackSweep(deps: Deps, store: Store): Sweep {
  return {
    name: 'givebacks',
    environment: store.environment,
    idle_ms: 1_000,
    round: async () => {
      const found = await findGivebacks(store.db, BATCH);
      let made = 0;
      for (const giveback of found) if (await store.db.transaction((tx) => makeGiveback(tx, deps, store, giveback))) made++;
      return made;
    },
  };
}

async function makeGiveback(tx: Tx, deps: Deps, store: Store, giveback: Giveback): Promise<boolean> {
  const { team_id, payment_id, id: attempt_id } = giveback;
  must(await lockPayment(tx, team_id, payment_id), 'an attempt has a payment');
  if (!(await clearGiveback(tx, team_id, attempt_id))) return false;
  // A piece that did not fit went back at once; the payment's end marks all its pieces.
  if (await isGivenBack(tx, team_id, attempt_id)) return false;
  const { attempt } = await getCapture(tx, team_id, payment_id, attempt_id);
  const at = deps.clock.now();
  const provider = await deps.providers.byAccount(store.environment, team_id, attempt.provider_account);
  const row = givebackOf(store, attempt, provider, at);
  const able = provider?.refunds ?? provider?.payouts?.reaches(attempt.channel, attempt.currency);
  const drawn: RefundRow = able
    ? { ...row, draws: [{ account_id: '', bucket: 'hold', amount_minor: row.amount_minor }], next_poll_at: new Date(at) }
    : { ...row, message: 'the provider can neither refund nor pay out: an operator has to return the money, which is in hold' };
  await insertRefund(tx, drawn, { key_id: null, request_id: null });
  await record(tx, WORKER, { team_id, action: 'refund.create', resource_id: drawn.id, at });
  await post(tx, [drawnJournal(drawn)]);
  await announce(tx, { environment: store.environment, at }, drawn, 'refund.created');
  return true;
}

function givebackOf(store: Store, attempt: AttemptRow, provider: Provider | undefined, at: number): RefundRow {
  const now = new Date(at);
  const { team_id, payment_id, amount_minor, currency } = attempt;
  const id = newId('rfd', store.environment, at);
  return {
    team_id,
    id,
    payment_id,
    kind: 'giveback',
    attempt_id: attempt.id,
    amount_minor,
    currency,
    legs: [
      {
        attempt_id: attempt.id,
        amount_minor,
        provider_key: provider?.keyOf(`${id}-0`) ?? id,
        provider_ref: null,
        sent_at: null,
        status: 'waiting',
      },
    ],
    status: 'pending',
    reason: 'transaction_error',
    failure_reason: null,
    message: null,
    metadata: null,
    draws: null,
    event_count: 1,
    polls: 0,
    next_poll_at: null,
    created_at: now,
    updated_at: now,
    submitted_at: null,
    completed_at: null,
  };
}
