import type { Clock } from '../../kit/clock.ts';
import type { DatabaseUrls } from '../config/config.ts';
import type { DatabaseState } from '../db/probe.ts';
import type { Stores } from '../db/stores.ts';
import type { Topic } from './nodes.ts';
import type { ForeignReport } from './reports-store.ts';

const REPORT_EVERY_MS = 2_000;
/** A node that has not reported for longer counts as gone. */
const GONE_AFTER_MS = 10_000;
/** A report counts against this node only if it was made this long after the last time that this node reached the database. */
const LATER_MS = 6_000;
/** Clock skew from which a node takes itself out of rotation, and up to which another node's clock agrees with the database. */
const MAX_SKEW_MS = 30_000;
const AGREES_MS = 2_000;
/** A report that lies further ahead of the database's clock was made before that clock was set back. A running node has reported since. */
const MAX_AHEAD_MS = 2_000;

export type Database = keyof DatabaseUrls;

/** What each node reports of itself. */
export interface NodeState {
  /** Databases that answered its last probe. */
  reaches: Database[];
  /** Milliseconds by which its own clock is ahead of the database's. */
  skew_ms: number;
}

interface Known extends NodeState {
  /** On this node's monotonic clock. */
  reported_at: number;
}

const REACHED: readonly DatabaseState[] = ['ok', 'read-only', 'writes fail', 'no connection left'];

/** Returns a function that reports the state of this node. Each call returns what the probes found at the previous call. */
export function ownState(stores: Pick<Stores, 'states'>, clock: Pick<Clock, 'skew_ms'>): () => NodeState {
  let reaches: Database[] = [];
  return () => {
    void stores.states().then((states) => {
      reaches = (Object.keys(states) as Database[]).filter((name) => REACHED.includes(states[name]));
    });
    return { reaches, skew_ms: clock.skew_ms?.() ?? 0 };
  };
}

/**
 * The other running nodes and their own reports. A node takes itself out of rotation only when the reports of others show that they
 * do not have its fault. A fault of all nodes leaves all of them in rotation.
 */
export class Peers implements Topic {
  readonly name = 'node';
  readonly #own: () => NodeState;
  readonly #known = new Map<string, Known>();
  #reported_at = Number.NEGATIVE_INFINITY;

  constructor(own: () => NodeState) {
    this.#own = own;
  }

  changes() {
    const now = performance.now();
    for (const [node, { reported_at }] of this.#known) if (now - reported_at > GONE_AFTER_MS) this.#known.delete(node);
    if (now - this.#reported_at < REPORT_EVERY_MS) return [];
    this.#reported_at = now;
    return [{ key: '', body: this.#own() }];
  }

  undo(): void {
    this.#reported_at = Number.NEGATIVE_INFINITY;
  }

  learn({ node, body, age_ms }: ForeignReport): void {
    if (!isNodeState(body) || age_ms < -MAX_AHEAD_MS) return;
    this.#known.set(node, { ...body, reported_at: performance.now() - Math.max(0, age_ms) });
  }

  /**
   * Returns whether another node reaches a database that this one does not.
   * @param reached_at when this node last reached it, on the monotonic clock
   */
  reach(database: Database, reached_at: number): boolean {
    return this.#fresh().some(({ reaches, reported_at }) => reported_at > reached_at + LATER_MS && reaches.includes(database));
  }

  /** Returns whether this node's clock is wrong: far from the database's, with which most other nodes agree. */
  isWrong(skew_ms: number): boolean {
    const others = this.#fresh();
    const agreeing = others.filter((other) => Math.abs(other.skew_ms) <= AGREES_MS);
    return Math.abs(skew_ms) > MAX_SKEW_MS && agreeing.length > others.length / 2;
  }

  #fresh(): Known[] {
    const now = performance.now();
    return [...this.#known.values()].filter(({ reported_at }) => now - reported_at <= GONE_AFTER_MS);
  }
}

function isNodeState(body: object): body is NodeState {
  const { reaches, skew_ms } = body as Partial<NodeState>;
  return Array.isArray(reaches) && Number.isFinite(skew_ms);
}
