import { pgCode } from './sql.ts';

/**
 * The database is temporarily unavailable: the connection failed or was lost, the server accepts no connections or no
 * writes, or this process has closed its pool to stop. The outcome of a statement already sent is unknown; the same request may be retried.
 */
export class DatabaseUnavailable extends Error {
  /** SQLSTATE or operating system error code of the cause. */
  readonly code: string | undefined;

  constructor(cause: Error) {
    super(cause.message, { cause });
    this.code = pgCode(cause);
  }
}

const SQLSTATES = new Set([
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now: the server is starting, stopping or recovering
  '57P05', // idle_session_timeout
  '53300', // too_many_connections
  '53100', // disk_full
  '25006', // read_only_sql_transaction: a standby, as during a failover
]);

/** Messages of the driver and its pool that come without a code. */
const DRIVER_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Cannot use a pool after calling end)|not queryable$/;

/**
 * Converts a database driver error to {@link DatabaseUnavailable} when it means unavailability; returns any other error
 * unchanged.
 */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return error;
  return means(error) ? new DatabaseUnavailable(error) : error;
}

function means(error: Error): boolean {
  // Node reports one error per address when a host has several.
  if (error instanceof AggregateError) return error.errors.some((one) => one instanceof Error && means(one));
  const code = pgCode(error) ?? '';
  if (SQLSTATES.has(code) || /^08[0-9A-Z]{3}$/.test(code)) return true;
  return 'syscall' in error || code === 'EPIPE' || DRIVER_MESSAGES.test(error.message);
}
