import type { Clock } from '../kit/clock.ts';
import type { Environment } from '../kit/environment.ts';
import { Remembered } from '../kit/remembered.ts';
import type { Queryable } from '../kit/sql.ts';
import { Ruleset } from './rules.ts';
import { rulesOf } from './store.ts';

/** The rules of the teams. */
export interface RulesOfTeam {
  of(environment: Environment, team_id: bigint): Promise<Ruleset>;
}

/** How long a process may go on using what it knows of a team's rules; `rules add` and `rules remove` return after this. */
export const RULES_CACHE_MS = 800;
const MOST_TEAMS = 10_000;

/** Reads rules from the control database and believes them for less than a second: a burst of charges asks once. */
export class RuleBook implements RulesOfTeam {
  readonly #control: Queryable;
  readonly #remembered: Remembered<Ruleset>;

  constructor(control: Queryable, clock: Clock) {
    this.#control = control;
    this.#remembered = new Remembered(clock, RULES_CACHE_MS, MOST_TEAMS);
  }

  of(environment: Environment, team_id: bigint): Promise<Ruleset> {
    const look = async () => new Ruleset(await rulesOf(this.#control, team_id, environment));
    return this.#remembered.get(`${environment} ${team_id}`, look);
  }
}
