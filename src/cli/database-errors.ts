import { DatabaseUnavailable } from '../kit/database-unavailable.ts';
import { pgCode } from '../kit/sql.ts';

/** Codes of the operating system, seen while connecting, and of PostgreSQL. */
const WORDS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens at its address',
  ENOENT: 'nothing listens at its socket',
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name can not be looked up now',
  ETIMEDOUT: 'its host does not answer',
  EHOSTUNREACH: 'its host can not be reached',
  ECONNRESET: 'it hung up',
  '28P01': 'it refuses the password',
  '28000': 'it refuses the user, or connections without TLS (?sslmode=verify-full)',
  '3D000': 'there is no database of that name',
  '42501': 'its user lacks the rights (the command line connects as the owner)',
  '53300': 'it has no connection left',
  '57P01': 'it was stopped meanwhile',
  '57P03': 'it is starting or stopping',
};

/** Codes of Node for certificates of servers. */
const CERTIFICATE = /^(CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|UNABLE_TO_|ERR_TLS_CERT_)/;

/** A failure of a database in words; undefined for an error that is none. Addresses may hold passwords and stay out. */
export function describeDatabaseError(error: unknown): string | undefined {
  const reported: unknown = error instanceof DatabaseUnavailable ? error.cause : error;
  // One error for each address of a host with several.
  const cause: unknown = reported instanceof AggregateError ? reported.errors[0] : reported;
  if (!(cause instanceof Error)) return undefined;
  if (/timeout exceeded when trying to connect|Connection terminated/.test(cause.message)) return 'it does not answer';
  const code = pgCode(cause) ?? '';
  if (CERTIFICATE.test(code)) return `its certificate is not accepted: ${cause.message}`;
  // What PostgreSQL says of rarer failures is clear enough; its codes have five characters.
  if (/^[0-9A-Z]{5}$/.test(code)) return WORDS[code] ?? cause.message;
  return ofNetwork(cause) ? WORDS[code] : undefined;
}

/** A file that is missing has the same code as a socket that is. */
function ofNetwork(error: Error): boolean {
  return 'syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo' || pgCode(error) === 'ECONNRESET');
}
