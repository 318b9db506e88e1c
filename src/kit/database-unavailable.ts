import { pgCode } from './sql.ts';

/**
 * The database cannot be used right now: the connection could not be made or was lost, or the server takes no connections or no
 * writes. The outcome of what was sent is unknown; the same request may be tried again.
 */
export class DatabaseUnavailable extends Error {
  /** The code of the cause: an SQLSTATE or one of the operating system. */
  readonly code: string | undefined;

  constructor(cause: Error) {
    super(cause.message, { cause });
    this.code = pgCode(cause);
  }
}

const SQLSTATES = new Set([
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now: starting, stopping or recovering
  '57P05', // idle_session_timeout
  '53300', // too_many_connections
  '53100', // disk_full
  '25006', // read_only_sql_transaction: a standby, as in the middle of a failover
]);

/** What the driver and its pool report without a code. */
const DRIVER_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout)|not queryable$/;

/** Returns the error of a database driver as {@link DatabaseUnavailable} when it is one, otherwise as it is. */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return error;
  return means(error) ? new DatabaseUnavailable(error) : error;
}

function means(error: Error): boolean {
  // One error for each address of a host that has several.
  if (error instanceof AggregateError) return error.errors.some((one) => one instanceof Error && means(one));
  const code = pgCode(error) ?? '';
  if (SQLSTATES.has(code) || /^08[0-9A-Z]{3}$/.test(code)) return true;
  return 'syscall' in error || code === 'EPIPE' || DRIVER_MESSAGES.test(error.message);
}
