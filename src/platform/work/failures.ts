import { DatabaseUnavailable } from '../../kit/database-unavailable.ts';
import type { Log } from '../../kit/log.ts';
import { pgCode } from '../../kit/sql.ts';
import { CircuitOpen } from '../db/circuit.ts';

/**
 * SQLSTATEs caused by the state of a server. By class: 40 rolled back in a conflict, 53 insufficient resources, 57 ended by an operator
 * or a deadline, 58 system error such as a failed disk; also a lock that was not available in time.
 */
const SERVER_STATE = /^(?:(?:40|53|57|58)[0-9A-Z]{3}|55P03)$/;

/** Returns whether work failed because of the state of the database, which all nodes share. Readiness reports that state separately. */
export function isOfDatabase(error: unknown): boolean {
  return error instanceof DatabaseUnavailable || SERVER_STATE.test(pgCode(error) ?? '');
}

/** Logs why background work failed. A rejection by an open circuit is a debug line, because the circuit has logged why it opened. */
export function logFailure(log: Log, err: unknown, fields: object, message: string): void {
  log[err instanceof CircuitOpen ? 'debug' : 'error']({ err, ...fields }, message);
}
