import type { Store } from '../db/stores.ts';
import { makeDue } from './build-store.ts';

/** Rows between two reports: an eighth of a segment. The builder thus checks eight times for each segment, with one index scan each. */
const ROWS = 2_048;
const SEARCHED_AGAIN_MS = 300_000;
const MAX_TEAMS = 10_000;

/**
 * Reports teams to the builder of the index, so that it does not have to check all teams: after every 2,048 rows that this process
 * created, and when a search is made. A lost report is made up for by the next one.
 */
export class BuildHints {
  readonly #kind: string;
  /** Rows created, and the time of the last report after a search, by team. */
  readonly #created = new Map<string, number>();
  readonly #searched = new Map<string, number>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  /** @param storeOf returns the store of the team */
  created(team_id: string, storeOf: (team_id: bigint) => Store): void {
    const rows = (this.#created.get(team_id) ?? 0) + 1;
    keep(this.#created, team_id, rows % ROWS);
    if (rows === ROWS) this.#report(storeOf(BigInt(team_id)), BigInt(team_id));
  }

  searched(store: Store, team_id: bigint): void {
    const team = `${store.environment} ${team_id}`;
    const now = performance.now();
    if (now - (this.#searched.get(team) ?? Number.NEGATIVE_INFINITY) < SEARCHED_AGAIN_MS) return;
    keep(this.#searched, team, now);
    this.#report(store, team_id);
  }

  #report({ db }: Store, team_id: bigint): void {
    void makeDue(db, { team_id, kind: this.#kind }).catch(() => {});
  }
}

/** Stores a value. When there are too many, the team that was stored first is dropped. */
function keep(values: Map<string, number>, team: string, value: number): void {
  if (!values.has(team) && values.size >= MAX_TEAMS) values.delete(values.keys().next().value as string);
  values.set(team, value);
}
