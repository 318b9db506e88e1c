import type { Clock } from '../../kit/clock.ts';
import type { Environment } from '../../kit/environment.ts';
import { Remembered } from '../../kit/remembered.ts';
import type { Queryable } from '../../kit/sql.ts';
import { Ruleset } from './rules.ts';
import { rulesOf } from './store.ts';

/** Access to the rules of all teams. */
export interface RulesOfTeam {
  of(environment: Environment, team_id: bigint): Promise<Ruleset>;
}

/** Lifetime of a process's cached rules. `rules add` and `rules remove` return after this time. */
export const RULES_CACHE_MS = 800;
const MAX_TEAMS = 10_000;

/**
 * Reads rules from the control database and caches them for less than a second, so that a burst of charges causes one
 * query.
 */
export class RuleBook implements RulesOfTeam {
  readonly #control: Queryable;
  readonly #remembered: Remembered<Ruleset>;

  constructor(control: Queryable, clock: Clock) {
    this.#control = control;
    this.#remembered = new Remembered(clock, RULES_CACHE_MS, MAX_TEAMS);
  }

  of(environment: Environment, team_id: bigint): Promise<Ruleset> {
    const look = async () => new Ruleset(await rulesOf(this.#control, team_id, environment));
    return this.#remembered.get(`${environment} ${team_id}`, look);
  }
}
