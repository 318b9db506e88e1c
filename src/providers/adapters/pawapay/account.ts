import type { Clock } from '../../../kit/clock.ts';
import type { Client } from './client.ts';
import type { Configuration } from './configuration.ts';
import type { PublicKeys } from './public-keys.ts';

/** Dependencies shared by the parts of the adapter. */
export interface Account {
  client: Client;
  configuration: Configuration;
  public_keys: PublicKeys;
  clock: Clock;
  base_url: string;
  /** The period after submission in which "not found" may only mean that the status endpoint lags. */
  grace_ms: number;
}
