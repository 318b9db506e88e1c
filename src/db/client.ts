import pg from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Every connection of the program is one of these. The driver emits `error` when a connection is lost while no statement is under
 * way, and an `error` event without a listener ends the process; pg-pool listens only while a connection is idle. Nothing is lost
 * by ignoring the event: a lost connection rejects its next statement, and the pool does not take it back.
 */
export class DbClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => {});
  }
}

/** Opens one connection outside a pool; the caller ends it. */
export async function connectClient(url: string): Promise<DbClient> {
  const client = new DbClient({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  await client.connect();
  return client;
}
