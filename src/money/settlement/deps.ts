import type { Clock } from '../../kit/clock.ts';

/** The dependencies of releasing settled money. */
export interface SettlementDeps {
  clock: Clock;
}
