import { type Clock, hasCome } from '../../kit/clock.ts';
import { DatabaseUnavailable } from '../../kit/database-unavailable.ts';
import type { Log } from '../../kit/log.ts';
import { type Fragment, fixed, part, type RowKey } from '../../kit/sql.ts';
import { isOfDatabase } from './failures.ts';
import type { Sweep } from './sweep.ts';

/** Time after which a row that could not be changed is tried again. */
const POSTPONED_MS = 60_000;
/** The same for a row that failed because of the state of the database, for example at the statement deadline. */
const LATE_POSTPONED_MS = 5_000;
/** Maximum rows that are left out. Beyond, those that failed first are tried again. */
const MAX_POSTPONED = 1_000;
/** Number of rows that fail because of the state of the database at which a round ends, so that it does not wait for each. */
const MAX_LATE = 2;

/** Which due rows one transaction takes. */
export interface Take {
  limit: number;
  /** Rows to leave out. */
  except: readonly RowKey[];
  /** Receives the rows that the transaction takes, before it changes them. */
  taken(rows: readonly RowKey[]): void;
}

export interface RowSweep extends Pick<Sweep, 'name' | 'environment' | 'idle_ms'> {
  /** Maximum rows of one transaction. */
  max: number;
  /**
   * Changes due rows in one transaction.
   * @returns number of rows changed
   */
  change(take: Take): Promise<number>;
  /** Log message for a row that cannot be changed; it is tried again. */
  failure: string;
}

/** SQL: excludes rows of a table with a team_id. Empty without such rows. @param id column with the row's id */
export function notAmong(keys: readonly RowKey[], id: Fragment = fixed('id')): Fragment {
  if (keys.length === 0) return fixed('');
  return part`and (team_id, ${id}) not in (
    select * from unnest(${keys.map((key) => key.team_id)}::bigint[], ${keys.map((key) => key.id)}::text[]))`;
}

/**
 * Creates a sweep that changes many due rows in one transaction. When the transaction fails, its rows are changed one by one, so that a
 * row that cannot be changed does not hold up the others. That row is logged, and this process leaves it out for some time.
 */
export function rowSweep(sweep: RowSweep, { clock, log }: { clock: Clock; log: Log }): Sweep {
  const { name, environment, idle_ms, max } = sweep;
  const postponed = new Postponed(clock);
  return {
    ...{ name, environment, idle_ms },
    round: async () => {
      let rows = 0;
      const taken = ({ length }: readonly RowKey[]) => {
        rows = length;
      };
      try {
        return await sweep.change({ limit: max, except: postponed.rows(), taken });
      } catch (err) {
        if (rows === 0 || err instanceof DatabaseUnavailable) throw err;
        return changeEach(sweep, { postponed, log }, rows);
      }
    },
  };
}

/** @param rows maximum number of rows to try */
async function changeEach(sweep: RowSweep, tools: { postponed: Postponed; log: Log }, rows: number): Promise<number> {
  const { environment, name } = sweep;
  const tried: RowKey[] = [];
  let changed = 0;
  let late = 0;
  while (tried.length < rows) {
    const taken: RowKey[] = [];
    try {
      const except = [...tools.postponed.rows(), ...tried];
      changed += await sweep.change({ limit: 1, except, taken: (found) => void taken.splice(0, 1, ...found) });
    } catch (err) {
      const [row] = taken;
      if (!row || err instanceof DatabaseUnavailable) throw err;
      const isLate = isOfDatabase(err);
      tools.postponed.add(row, isLate ? LATE_POSTPONED_MS : POSTPONED_MS);
      tools.log.error({ err, sweep: name, environment, team: String(row.team_id), id: row.id }, sweep.failure);
      if (isLate && ++late === MAX_LATE) throw err;
    }
    if (taken.length === 0) break;
    tried.push(...taken);
  }
  return changed;
}

/** Rows that are left out for some time, because they could not be changed. */
class Postponed {
  readonly #clock: Clock;
  /** In the order in which they failed. */
  readonly #rows = new Map<string, { row: RowKey; until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  rows(): RowKey[] {
    const now = this.#clock.now();
    for (const [key, { until }] of this.#rows) if (hasCome(until, now, POSTPONED_MS)) this.#rows.delete(key);
    return [...this.#rows.values()].map(({ row }) => row);
  }

  add(row: RowKey, for_ms: number): void {
    this.#rows.set(`${row.team_id} ${row.id}`, { row, until: this.#clock.now() + for_ms });
    for (const oldest of this.#rows.keys()) {
      if (this.#rows.size <= MAX_POSTPONED) break;
      this.#rows.delete(oldest);
    }
  }
}
