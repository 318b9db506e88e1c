import { randomUUID } from 'node:crypto';
import { clause, type Fragment, fixed } from '../../kit/sql.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Store } from '../db/stores.ts';
import { joinWorkers, leaveWorkers } from './shards-store.ts';
import type { Sweep } from './sweep.ts';

/**
 * Number of shards into which the teams are divided: by the low bits of a team's number, which is random. The indexes of due rows
 * begin with the shard (migrations/store/0098_due_by_shard.sql), so the number is part of the schema.
 */
export const SHARDS = 16;

/** Time between two renewals of a worker's membership. */
const RENEW_MS = 2_000;
/** A worker that has not renewed its membership for so long no longer counts. */
export const MEMBER_LEASE_MS = 6_000;
/** How long due rows of other workers' shards are left to these workers. */
export const LATE_MS = 2_000;
/** Minimum time between two claims of other workers' rows. */
const LOOK_MS = 1_000;

/** The due rows that one claim may take. */
export interface Turn {
  shards: readonly number[];
  /** Milliseconds for which a row must have been due. */
  late_ms: number;
}

const ALL = Array.from({ length: SHARDS }, (_, shard) => shard);

/** Every due row. */
export const EVERY_TURN: Turn = { shards: ALL, late_ms: 0 };

/** SQL: the shards of a turn, as `s (shard)`, in a different order for each claim, so that none always comes last. */
export function shardsOf({ shards }: Turn): Fragment {
  return clause`unnest(${rotated(shards)}::bigint[]) s (shard)`;
}

/** SQL: whether the team of a row is in the shard `s`. Indexes of due rows begin with this expression. */
export const IN_SHARD = fixed('(team_id & 15) = s.shard');

/**
 * SQL: first term of the order of a claim. It is the same for all rows of a shard, but under row-level security PostgreSQL does not
 * derive that from {@link IN_SHARD}, and would read and sort all due rows of the shard.
 */
export const BY_SHARD = fixed('(team_id & 15)');

/** Returns the time before which a row must have become due. */
export function dueBefore(now: Date, { late_ms }: Turn): Date {
  return late_ms === 0 ? now : new Date(now.getTime() - late_ms);
}

function rotated(shards: readonly number[]): number[] {
  const start = Math.floor(Math.random() * shards.length);
  return [...shards.slice(start), ...shards.slice(0, start)];
}

/**
 * Divides the due rows of one environment among the worker processes, so that ten of them do not read the head of the same queue.
 * Each takes the rows of its own range of shards first. When these do not fill a claim, it also takes rows that have been due for
 * {@link LATE_MS} in other shards, so that a dead or overloaded worker delays no row for long. Correctness does not depend on the
 * division: rows are locked and leased one by one, so workers with different divisions, or none, take no row twice.
 */
export class Shards {
  readonly #member = randomUUID();
  #own: readonly number[] = ALL;

  /** Rows that this worker takes first. */
  get own(): Turn {
    return { shards: this.#own, late_ms: 0 };
  }

  /** Rows that this worker takes when its own do not fill a claim; undefined when all shards are its own. */
  get others(): Turn | undefined {
    if (this.#own.length === SHARDS) return undefined;
    return { shards: ALL.filter((shard) => !this.#own.includes(shard)), late_ms: LATE_MS };
  }

  /** Returns the sweep that renews the membership of this worker and reads those of the others. */
  sweep(store: Store): Sweep {
    return {
      name: 'shards',
      environment: store.environment,
      idle_ms: RENEW_MS,
      round: async () => {
        this.#own = rangeOf(await joinWorkers(store.db, this.#member, MEMBER_LEASE_MS), this.#member);
        return 0;
      },
      end: async () => {
        this.#own = ALL;
        await leaveWorkers(store.db, this.#member);
      },
    };
  }
}

/** The turns of one sweep. */
export class Turns {
  readonly #shards: Shards | undefined;
  #looked_at = Number.NEGATIVE_INFINITY;

  /** @param shards absent: the worker takes every row first */
  constructor(shards?: Shards) {
    this.#shards = shards;
  }

  /** Rows that this worker takes first. */
  get own(): Turn {
    return this.#shards?.own ?? EVERY_TURN;
  }

  /** Returns the rows to take when the worker's own do not fill a claim. At most once a second, because there are rarely any. */
  others(): Turn | undefined {
    const others = this.#shards?.others;
    if (!others || performance.now() - this.#looked_at < LOOK_MS) return undefined;
    this.#looked_at = performance.now();
    return others;
  }
}

/** The shards of this process, by environment. */
export type ShardsOf = Record<Environment, Shards>;

/**
 * Returns the shards of one of several workers: a range for each, in the order of their ids.
 * @param members ids of all workers, sorted
 */
export function rangeOf(members: readonly string[], member: string): readonly number[] {
  const place = members.indexOf(member);
  // With more workers than shards, some have no shard and take only late rows.
  const start = (at: number) => Math.floor((at * SHARDS) / members.length);
  return ALL.slice(start(place), start(place + 1));
}
