import { BufferedWriter } from '../../kit/buffered-writer.ts';
import { type Environment, ENVIRONMENTS } from '../../kit/environment.ts';
import { idPrefix, newId } from '../../kit/ids.ts';
import type { Queryable } from '../../kit/sql.ts';
import type { MadeRequest } from './schema.ts';
import { insertRequests, type NewRequest } from './store.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Maximum number of waiting rows: enough for a write of 100 ms at 5,000 requests a second. */
const MAX_WAITING = 2_000;
const BUFFERING = { max_rows: 200, max_waiting: MAX_WAITING, every_ms: 250 };

interface LogParts {
  /** By environment, for the rows of all teams. */
  stores: Readonly<Record<Environment, Queryable>>;
  /** Requests of a team that are stored for one UTC day. */
  max_per_day: number;
  /** Receives the number of requests that were not stored because the database was late or unavailable. */
  lost(environment: Environment, rows: number, error?: unknown): void;
}

/**
 * Stores a log of requests in the background (docs/decisions/0095-request-log.md). A request neither waits for it nor fails because of
 * it. Under overload, rows are lost and counted.
 */
export class RequestLog {
  readonly #writers: Readonly<Record<Environment, BufferedWriter<NewRequest>>>;
  readonly #max_per_day: number;
  /** Days of teams that are full, by environment, team and day, until the day is over. */
  readonly #full = new Set<string>();
  #full_day = 0;

  constructor({ stores, max_per_day, lost }: LogParts) {
    this.#max_per_day = max_per_day;
    const writerOf = (environment: Environment) =>
      new BufferedWriter<NewRequest>({
        ...BUFFERING,
        write: (rows) => this.#write(environment, stores[environment], rows),
        lost: (rows, error) => lost(environment, rows, error),
      });
    this.#writers = { sandbox: writerOf('sandbox'), live: writerOf('live') };
  }

  add(request: MadeRequest): void {
    const { environment, own_id, request_id, ...row } = request;
    const { team_id, at } = row;
    if (this.#full.has(fullName(environment, team_id, dayOf(at)))) return;
    const id = own_id
      ? idPrefix('rql', environment) + request_id.slice(idPrefix('req', 'live').length)
      : newId('rql', environment, at);
    this.#writers[environment].add({ ...row, id, request_id: own_id ? null : request_id });
  }

  /** Stores the waiting rows, until the deadline. */
  async close(deadline_ms: number): Promise<void> {
    await Promise.all(ENVIRONMENTS.map((environment) => this.#writers[environment].close(deadline_ms)));
  }

  async #write(environment: Environment, db: Queryable, rows: readonly NewRequest[]): Promise<void> {
    for (const { team_id, day } of await insertRequests(db, rows, this.#max_per_day)) {
      const number = dayOf(day.getTime());
      if (number > this.#full_day) this.#full.clear();
      this.#full_day = Math.max(this.#full_day, number);
      this.#full.add(fullName(environment, team_id, number));
    }
  }
}

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}

function fullName(environment: Environment, team_id: bigint, day: number): string {
  return `${environment} ${team_id} ${day}`;
}
