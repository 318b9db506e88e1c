import { DatabaseUnavailable } from '../kit/database-unavailable.ts';
import { pgCode } from '../kit/sql.ts';

/** Messages for error codes of the operating system while connecting, and of PostgreSQL. */
const WORDS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens at its address',
  ENOENT: 'nothing listens at its socket',
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name cannot be resolved at present',
  ETIMEDOUT: 'its host does not respond',
  EHOSTUNREACH: 'its host is unreachable',
  ECONNRESET: 'it closed the connection',
  '28P01': 'it rejects the password',
  '28000': 'it rejects the user, or connections without TLS (?sslmode=verify-full)',
  '3D000': 'there is no database of that name',
  '42501': 'its user lacks the rights (the command line connects as the owner)',
  '53300': 'it has no free connection',
  '57P01': 'it was stopped during the command',
  '57P03': 'it is starting or stopping',
};

/** Node's error codes for server certificates. */
const CERTIFICATE = /^(CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|UNABLE_TO_|ERR_TLS_CERT_)/;

/**
 * Returns a readable message for a database error; undefined for any other error. URLs are left out, because they may contain
 * passwords.
 * @param only_common leaves out PostgreSQL's messages for rarer errors, which may be caused by a statement of ours
 */
export function describeDatabaseError(error: unknown, { only_common = false } = {}): string | undefined {
  const reported: unknown = error instanceof DatabaseUnavailable ? error.cause : error;
  // Contains one error for each address of a host with several addresses.
  const cause: unknown = reported instanceof AggregateError ? reported.errors[0] : reported;
  if (!(cause instanceof Error)) return undefined;
  if (/timeout exceeded when trying to connect|Connection terminated/.test(cause.message)) return 'it does not respond';
  const code = pgCode(cause) ?? '';
  if (CERTIFICATE.test(code)) return `its certificate is not accepted: ${cause.message}`;
  // PostgreSQL's own messages are used for rarer errors. Its codes have five characters, as have some codes of the operating system.
  if (/^[0-9A-Z]{5}$/.test(code) && !('syscall' in cause)) return WORDS[code] ?? (only_common ? undefined : cause.message);
  return ofNetwork(cause) ? WORDS[code] : undefined;
}

/** Returns whether the error is from the network. A missing file has the same code as a missing socket. */
function ofNetwork(error: Error): boolean {
  return 'syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo' || pgCode(error) === 'ECONNRESET');
}
