import type { Config } from '../../platform/config/config.ts';
import type { Stores } from '../../platform/db/stores.ts';
import type { Secrets } from '../../kit/crypto.ts';
import type { Log } from '../../kit/log.ts';

/** The dependencies of sending mail. */
export interface MailDeps {
  config: Config;
  log: Log;
  secrets: Secrets;
  stores: Stores;
}
