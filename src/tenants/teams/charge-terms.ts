import type { Clock } from '../../kit/clock.ts';
import { must } from '../../kit/errors.ts';
import { Remembered } from '../../kit/remembered.ts';
import type { Queryable } from '../../kit/sql.ts';
import { findChargeTerms } from './store.ts';

/** Maximum age of cached terms. It equals that of keys, so that a command that waits for one waits for both. */
export const TERMS_CACHE_MS = 800;
const MAX_TEAMS = 10_000;

/** The team settings that affect a live charge. */
export interface Terms {
  verification_level: number;
  /** Whether charges are screened for fraud. */
  abuse_rules: boolean;
}

/** Finds the terms of teams. They are cached as long as keys, less than a second, so that a burst of charges queries the database once. */
export class ChargeTerms {
  readonly #control: Queryable;
  readonly #remembered: Remembered<Terms>;

  constructor(control: Queryable, clock: Clock) {
    this.#control = control;
    this.#remembered = new Remembered(clock, TERMS_CACHE_MS, MAX_TEAMS);
  }

  /** Returns the terms of a team. @throws Error when there is no such team */
  of(team_id: bigint): Promise<Terms> {
    // Terms of unverified teams are not cached, so that a verification takes effect at once.
    return this.#remembered.get(
      `${team_id}`,
      () => this.#look(team_id),
      ({ verification_level }) => verification_level > 0,
    );
  }

  async #look(team_id: bigint): Promise<Terms> {
    return must(await findChargeTerms(this.#control, team_id), 'a payment has a team');
  }
}
