import type { Clock } from '../../kit/clock.ts';
import type { Client } from './client.ts';
import type { Configuration } from './configuration.ts';
import type { PublicKeys } from './public-keys.ts';

/** What the parts of the adapter share. */
export interface Account {
  client: Client;
  configuration: Configuration;
  public_keys: PublicKeys;
  clock: Clock;
  base_url: string;
  /** How long "not found" may only mean that their status page lags. */
  grace_ms: number;
}
