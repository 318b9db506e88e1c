import type { Clock } from '../../kit/clock.ts';

/** The dependencies of advancing the clock of a sandbox team. */
export interface SandboxClockDeps {
  clock: Clock;
}
