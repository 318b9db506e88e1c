import pg from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Base class of every connection. The driver emits `error` when a connection is lost while no statement is running, and an
 * `error` event without a listener ends the process; pg-pool listens only while a connection is idle. Ignoring the event is
 * safe: a lost connection rejects its next statement, and the pool does not take it back.
 */
export class DbClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => {});
  }
}

/**
 * Opens one connection outside a pool. The caller closes it.
 * @throws when the connection cannot be made within 5 s
 */
export async function connectClient(url: string): Promise<DbClient> {
  const client = new DbClient({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  await client.connect();
  return client;
}
