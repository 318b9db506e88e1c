import type { Clock } from '../kit/clock.ts';
import type { Environment } from '../kit/environment.ts';
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

interface Remembered {
  rules: Promise<Ruleset>;
  until: number;
}

/** Reads rules from the control database and believes them for less than a second: a burst of charges asks once. */
export class RuleBook implements RulesOfTeam {
  readonly #control: Queryable;
  readonly #clock: Clock;
  readonly #remembered = new Map<string, Remembered>();

  constructor(control: Queryable, clock: Clock) {
    this.#control = control;
    this.#clock = clock;
  }

  of(environment: Environment, team_id: bigint): Promise<Ruleset> {
    const name = `${environment} ${team_id}`;
    const now = this.#clock.now();
    const known = this.#remembered.get(name);
    if (known && known.until > now) return known.rules;
    const rules = rulesOf(this.#control, team_id, environment).then((rows) => new Ruleset(rows));
    if (this.#remembered.size >= MOST_TEAMS) this.#remembered.clear();
    this.#remembered.set(name, { rules, until: now + RULES_CACHE_MS });
    // A failed look is not worth remembering.
    rules.catch(() => this.#remembered.delete(name));
    return rules;
  }
}
