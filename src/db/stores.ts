import type { DatabaseUrls } from '../config.ts';
import type { Environment } from '../kit/environment.ts';
import type { Log } from '../kit/log.ts';
import type { Db } from '../kit/sql.ts';
import { APP_ROLE, openPool, type PoolOptions, type PoolUse } from './pool.ts';

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

/** What our own pools can tell beside. */
export interface OpenStores extends Stores {
  use(): Record<keyof DatabaseUrls, PoolUse>;
}

/** @param watch what is told of each statement of a database */
export function openStores(
  urls: DatabaseUrls,
  size: number,
  log: Log,
  watch?: (database: keyof DatabaseUrls) => PoolOptions['watch'],
): OpenStores {
  // As the application role; connections are made when first needed.
  const open = (name: keyof DatabaseUrls) => openPool({ url: urls[name], size, log, role: APP_ROLE, watch: watch?.(name) });
  const [control, sandbox, live] = [open('control'), open('sandbox'), open('live')];
  return {
    use: () => ({ control: control.use(), sandbox: sandbox.use(), live: live.use() }),
    control,
    sandbox: { environment: 'sandbox', db: sandbox },
    live: { environment: 'live', db: live },
    close: async () => {
      await Promise.all([control.close(), sandbox.close(), live.close()]);
    },
  };
}
