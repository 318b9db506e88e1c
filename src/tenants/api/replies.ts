import { DatabaseUnavailable } from '../../kit/database-unavailable.ts';
import { Problem } from '../../kit/errors.ts';
import { reasonPhrase } from '../../kit/envelope.ts';
import { pgCode, QUERY_CANCELED } from '../../kit/sql.ts';

export interface Rendered {
  code: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/** The only statuses of API routes; any other framework error becomes 400 or 500 (docs/contract/errors.md). */
const CODES = new Set([200, 201, 202, 204, 400, 401, 402, 403, 404, 405, 406, 409, 422, 429, 500, 501, 502]);

/** Retry-After in seconds when the database is unavailable. */
const RETRY_AFTER_S = '5';

const BAD_REQUESTS: Record<string, string> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is larger than 256 KB.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as Content-Length says.',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON.',
};

/** Renders an error in the envelope. Unexpected errors reveal no internals. */
export function renderError(error: unknown): Rendered {
  const problem = asProblem(error);
  const { headers = {}, extra = {}, ...fields } = problem.details;
  return {
    code: problem.status,
    headers,
    body: { code: problem.status, status: reasonPhrase(problem.status), message: problem.message, ...fields, ...extra },
  };
}

/** Returns whether the error is a fault of the service. */
export function isOurFault(error: unknown): boolean {
  return renderError(error).code >= 500 && !(error instanceof Problem);
}

/** Returns the error of any source as the caller may see it. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof DatabaseUnavailable) {
    const message = 'The database cannot be reached right now. Try again in some seconds, with the same Idempotency-Key.';
    return new Problem(500, message, { headers: { 'Retry-After': RETRY_AFTER_S } });
  }
  if (pgCode(error) === QUERY_CANCELED) {
    const message = 'The database did not answer in time. Try again in some seconds, with the same Idempotency-Key.';
    return new Problem(500, message, { headers: { 'Retry-After': RETRY_AFTER_S } });
  }
  const { statusCode, code } = error as { statusCode?: number; code?: string };
  if (statusCode && statusCode >= 400 && statusCode < 500) {
    const message = BAD_REQUESTS[code ?? ''] ?? 'The request is malformed.';
    return new Problem(CODES.has(statusCode) ? statusCode : 400, message);
  }
  return new Problem(500, 'Something went wrong on our side. Try again; the request id helps us to find the cause.');
}
