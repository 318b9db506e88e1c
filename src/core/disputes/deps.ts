import type { Clock } from '../../kit/clock.ts';
import type { Secrets } from '../../kit/crypto.ts';

/** The dependencies of disputes. */
export interface DisputeDeps {
  clock: Clock;
  secrets: Secrets;
}
