import type { Log } from '../kit/log.ts';
import { AccountSlots } from './account-slots.ts';
import type { Sweep } from './sweep.ts';

const BATCH = 50;
/** Far longer than any step takes whose calls have deadlines: after this it is given up, and its slot is free again. */
const MAX_STEP_MS = 300_000;

export interface CallSweep<Row> extends Omit<Sweep, 'round'> {
  /**
   * Claims at most so many due rows with a lease.
   * @param skip accounts of which no rows are to be claimed, as {@link accountOf} names them
   */
  claim(limit: number, skip: readonly string[]): Promise<Row[]>;
  /** Whether rows may be due that the last claim did not look at. */
  more?(): boolean;
  /** The provider account that the step calls: it is what the slots are counted by. */
  accountOf(row: Row): string;
  /** Calls out and records the answer. */
  step(row: Row): Promise<void>;
  /** After this a claimed row is left to its lease: the lease less the longest that a step takes. */
  start_within_ms: number;
  /** Message for the log when a step fails; the row comes due again. */
  failure: string;
}

/**
 * A sweep whose steps call providers. A round hands what it claimed to slots for each account and does not wait: an account that
 * does not answer delays its own rows only.
 */
export function callSweep<Row>(sweep: CallSweep<Row>, { log }: { log: Log }): Sweep {
  const slots = new AccountSlots();
  const stepOf = (row: Row) => async () => {
    try {
      await inTime(sweep.step(row));
    } catch (err) {
      log.error({ err, sweep: sweep.name, environment: sweep.environment }, sweep.failure);
    }
  };
  const begin = async () => {
    if (slots.full) return 0;
    const rows = await sweep.claim(BATCH, slots.saturated());
    for (const row of rows) slots.add(sweep.accountOf(row), sweep.start_within_ms, stepOf(row));
    return rows.length || Number(sweep.more?.() ?? false);
  };
  return {
    name: sweep.name,
    environment: sweep.environment,
    idle_ms: sweep.idle_ms,
    begin,
    round: async () => {
      const began = await begin();
      await slots.idle();
      return began;
    },
    end: () => slots.stop(),
  };
}

/** A step that hangs for ever is an error like any other: the row's lease has ended long ago, so it may be tried again. */
async function inTime(step: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`the step has not ended within ${MAX_STEP_MS} ms`)), MAX_STEP_MS).unref();
  try {
    await Promise.race([step, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
