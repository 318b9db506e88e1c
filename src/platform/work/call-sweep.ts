import type { Log } from '../../kit/log.ts';
import { AccountSlots } from './account-slots.ts';
import { type ShardsOf, type Turn, Turns } from './shards.ts';
import type { Sweep } from './sweep.ts';

const BATCH = 50;
/** Far above the duration of any step, because calls have deadlines. After this the step is abandoned and its slot freed. */
const MAX_STEP_MS = 300_000;

export interface CallSweep<Row> extends Omit<Sweep, 'round'> {
  /**
   * Claims up to `limit` due rows with a lease.
   * @param skip accounts to exclude, in the form of {@link accountOf}
   * @param turn the rows that this worker may take
   */
  claim(limit: number, skip: readonly string[], turn: Turn): Promise<Row[]>;
  /** Returns whether rows may be due that the last claim did not examine. */
  more?(): boolean;
  /** Returns the provider account that the step calls; slots are counted by it. */
  accountOf(row: Row): string;
  /** Calls the provider and records the response. */
  step(row: Row): Promise<void>;
  /** Milliseconds after which a claimed row may no longer start: the lease minus the maximum duration of a step. */
  start_within_ms: number;
  /** Log message when a step fails; the row becomes due again. */
  failure: string;
}

/**
 * Creates a sweep whose steps call providers. A round passes the claimed rows to per-account slots and does not wait, so an
 * account that does not respond delays only its own rows.
 */
export function callSweep<Row>(sweep: CallSweep<Row>, { log, shards }: { log: Log; shards?: ShardsOf }): Sweep {
  const slots = new AccountSlots();
  const turns = new Turns(shards?.[sweep.environment]);
  const stepOf = (row: Row) => async () => {
    try {
      await inTime(sweep.step(row));
    } catch (err) {
      log.error({ err, sweep: sweep.name, environment: sweep.environment }, sweep.failure);
    }
  };
  const begin = async () => {
    if (slots.full) return 0;
    const take = async (limit: number, turn: Turn) => {
      const rows = await sweep.claim(limit, slots.saturated(), turn);
      for (const row of rows) slots.add(sweep.accountOf(row), sweep.start_within_ms, stepOf(row));
      return sweep.more?.() ? BATCH : rows.length;
    };
    const taken = await take(BATCH, turns.own);
    const others = taken < BATCH ? turns.others() : undefined;
    return others ? taken + (await take(BATCH - taken, others)) : taken;
  };
  return {
    name: sweep.name,
    environment: sweep.environment,
    idle_ms: sweep.idle_ms,
    full: BATCH,
    begin,
    round: async () => {
      const began = await begin();
      await slots.idle();
      return began;
    },
    end: () => slots.stop(),
  };
}

/** Rejects when the step hangs. By then the row's lease has long ended, so the row may be retried. */
async function inTime(step: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`the step has not ended within ${MAX_STEP_MS} ms`)), MAX_STEP_MS).unref();
  try {
    await Promise.race([step, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
