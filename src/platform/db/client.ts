import pg from 'pg';
import { asUnavailable, DatabaseUnavailable } from '../../kit/database-unavailable.ts';
import { parseDatabaseUrl, type Host } from '../../kit/database-url.ts';
import { type History, IsStandby, Primary } from './primary.ts';

/** Deadline for a connection: name, network, TLS and password. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Deadline for each host during a search, and for a trial. */
const SEARCH_TIMEOUT_MS = 2_000;
/**
 * Deadline for closing a connection in order. A frozen server, or a pooler that has lost its own connection, never closes the other
 * side, and the socket would keep the process running.
 */
const END_TIMEOUT_MS = 1_000;
/** A peer that disappeared without closing the connection is noticed this long after the last byte, plus ten probes of a second. */
const KEEP_ALIVE_MS = 10_000;
/** Deadline of a statement outside a pool. */
const DEFAULT_STATEMENT_MS = 60_000;

/** Reads the cluster and the timeline of a server, which changes only when the server is promoted. */
export const HISTORY = `
  select system_identifier::text as cluster, ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer as timeline
  from pg_control_system()`;

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/** Configuration of the driver, and what this class adds. */
export interface DbClientConfig extends pg.ClientConfig {
  /** Chooses the host. Absent: that of the connection string. */
  primary?: Primary | undefined;
}

/**
 * Base class of every connection. The driver emits `error` when a connection is lost while no statement is running, and an
 * `error` event without a listener ends the process; pg-pool listens only while a connection is idle. Ignoring the event is
 * safe: a lost connection rejects its next statement, and the pool does not take it back.
 */
export class DbClient extends pg.Client {
  readonly #primary: Primary | undefined;

  constructor(given: string | DbClientConfig = {}) {
    const { primary, ...config } = typeof given === 'string' ? ({ connectionString: given } as DbClientConfig) : given;
    const deadline = {
      connectionTimeoutMillis: Math.min(config.connectionTimeoutMillis ?? CONNECT_TIMEOUT_MS, CONNECT_TIMEOUT_MS),
    };
    super({ ...config, ...deadline, keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS });
    this.#primary = primary;
    this.on('error', () => {});
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): undefined;
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    const connected = this.#connect();
    if (!callback) return connected;
    const done = callback as (error: Error | null, client?: pg.Client) => void;
    connected.then((client) => done(null, client), done);
    return undefined;
  }

  /** Closes the connection within a second, whether or not the server responds. */
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    const timer = setTimeout(() => this.connection.stream.destroy(), END_TIMEOUT_MS).unref();
    this.once('end', () => clearTimeout(timer));
    if (!callback) return super.end();
    super.end(callback);
    return undefined;
  }

  async #connect(): Promise<pg.Client> {
    if (!this.#primary) return super.connect();
    const host = await this.#primary.find();
    try {
      await this.connectTo(host, this.#primary);
      return this;
    } catch (error) {
      this.#primary.failed(host);
      throw error;
    }
  }

  /** @throws IsStandby or IsSuperseded when the server is not the primary; the connection is then closed */
  async connectTo(server: Host, primary: Primary): Promise<void> {
    Object.assign(this, server); // the driver reads both when it connects
    await super.connect();
    try {
      const { rows } = await this.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
      if (rows[0]?.standby) throw new IsStandby(server);
      const history = await this.#history();
      if (history) primary.accept(server, history);
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** Returns undefined when the server does not report it: some hosted services do not allow these functions. */
  async #history(): Promise<History | undefined> {
    try {
      return (await this.query<History>(HISTORY)).rows[0];
    } catch (error) {
      if (asUnavailable(error) instanceof DatabaseUnavailable) throw error;
      return undefined;
    }
  }
}

/** Returns the driver's settings for a database URL, which may name several hosts. */
export function connectionTo(url: string): Pick<DbClientConfig, 'connectionString' | 'primary'> {
  const servers = parseDatabaseUrl(url);
  if (servers.hosts.length === 0) return { connectionString: url };
  const check = async (host: Host, primary: Primary) => {
    const client = new DbClient({
      ...{ connectionString: servers.url, application_name: 'pirogue' },
      ...{ connectionTimeoutMillis: SEARCH_TIMEOUT_MS, query_timeout: SEARCH_TIMEOUT_MS },
    });
    try {
      await client.connectTo(host, primary);
    } finally {
      void client.end().catch(() => {});
    }
  };
  return { connectionString: servers.url, primary: new Primary(servers.hosts, check) };
}

/**
 * Makes a connection and closes it again.
 * @throws when it cannot be made within two seconds
 */
export async function openTrial(url: string, primary: Primary | undefined): Promise<void> {
  const { url: connectionString } = parseDatabaseUrl(url);
  const timeouts = { connectionTimeoutMillis: SEARCH_TIMEOUT_MS, query_timeout: SEARCH_TIMEOUT_MS };
  const client = new DbClient({ connectionString, primary, application_name: 'pirogue', ...timeouts });
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    void client.end().catch(() => {});
  }
}

/**
 * Opens one connection outside a pool. The caller closes it.
 * @param statement_ms deadline of each statement
 * @throws when the connection cannot be made within 5 s
 */
export async function connectClient(url: string, statement_ms = DEFAULT_STATEMENT_MS): Promise<DbClient> {
  const { primary, connectionString } = connectionTo(url);
  const client = new DbClient({ primary, connectionString, query_timeout: statement_ms } as DbClientConfig);
  await client.connect();
  return client;
}

/**
 * Has the server end the session within half a minute when its client stops in the middle of a transaction, or its machine is gone. The
 * session may hold a lock on a table that every request needs. For changes of the schema, which are repeated.
 */
export async function endWhenAbandoned(client: DbClient): Promise<void> {
  await client.query(
    `set idle_in_transaction_session_timeout = '10s'; set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5;
     set tcp_keepalives_count = 3`,
  );
}
