import { DatabaseUnavailable } from '../../kit/database-unavailable.ts';
import type { Log } from '../../kit/log.ts';
import { pgCode } from '../../kit/sql.ts';
import { CircuitOpen } from '../db/circuit.ts';

/**
 * SQLSTATEs of a server's state. By class: 40 rolled back in a conflict, 53 no resources left, 57 ended by an operator or a deadline, 58 a failed
 * disk; and a lock that was not available in time.
 */
const SERVER_STATE = /^(?:(?:40|53|57|58)[0-9A-Z]{3}|55P03)$/;

/** Returns whether work failed because of the state of the database, which all nodes share: readiness reports it by itself. */
export function isOfDatabase(error: unknown): boolean {
  return error instanceof DatabaseUnavailable || SERVER_STATE.test(pgCode(error) ?? '');
}

/** Logs why background work failed. A circuit that rejects it has logged why it opened. */
export function logFailure(log: Log, err: unknown, fields: object, message: string): void {
  log[err instanceof CircuitOpen ? 'debug' : 'error']({ err, ...fields }, message);
}
