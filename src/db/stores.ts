import type { DatabaseUrls } from '../config.ts';
import type { Environment } from '../kit/environment.ts';
import type { Log } from '../kit/log.ts';
import type { Db } from '../kit/sql.ts';
import { APP_ROLE, openPool } from './pool.ts';

/** One environment's data: handed out by the key presented, never joined with the other. */
export interface Store {
  readonly environment: Environment;
  readonly db: Db;
}

export interface Stores {
  /** Teams and keys; read-only on the API path. */
  readonly control: Db;
  readonly sandbox: Store;
  readonly live: Store;
  close(): Promise<void>;
}

/** Opens the three pools as the application role; connections are made when first needed. */
export function openStores(urls: DatabaseUrls, size: number, log: Log): Stores {
  const open = (url: string) => openPool({ url, size, log, role: APP_ROLE });
  const [control, sandbox, live] = [open(urls.control), open(urls.sandbox), open(urls.live)];
  return {
    control,
    sandbox: { environment: 'sandbox', db: sandbox },
    live: { environment: 'live', db: live },
    close: async () => {
      await Promise.all([control.close(), sandbox.close(), live.close()]);
    },
  };
}
