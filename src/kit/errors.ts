/** Messages per rejected field, by dotted path (docs/contract/errors.md). */
export type FieldErrors = Record<string, string[]>;

export interface ProblemDetails {
  /** Stable machine-readable code; absent where the contract (docs/contract/errors.md) defines none. */
  error_code?: string;
  errors?: FieldErrors;
  /** Text to show to the payer unchanged; present only on a 402. */
  payer_message?: string;
  /** Additional body fields, such as `type` and `retry_after` of a 429. */
  extra?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/**
 * Error returned to the caller: an invalid request or a rejected operation. Thrown anywhere, rendered once in http/replies.ts.
 */
export class Problem extends Error {
  readonly status: number;
  readonly details: ProblemDetails;

  constructor(status: number, message: string, details: ProblemDetails = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** Builds a 422 with one or more rejected fields. */
export function invalid(errors: FieldErrors, error_code?: string): Problem {
  const first = Object.entries(errors)[0];
  const message = first ? `${first[0]}: ${first[1][0]}` : 'The request is not valid.';
  return new Problem(422, message, { errors, ...(error_code ? { error_code } : {}) });
}

/**
 * Builds a 404 with the wording of docs/contract/errors.md: `Payment Not Found`, or `Resource Not Found` for a resource without its
 * own wording.
 */
export function notFound(
  what:
    | 'Payment'
    | 'Attempt'
    | 'Refund'
    | 'Return'
    | 'Customer'
    | 'Transfer'
    | 'Invoice'
    | 'Link'
    | 'Beneficiary'
    | 'Account'
    | 'Resource' = 'Resource',
): Problem {
  return new Problem(404, `${what} Not Found`);
}

/**
 * Returns the value, which cannot be absent unless the program has a bug. Never used for conditions that a caller can cause.
 * @throws Error when the value is null or undefined
 */
export function must<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`impossible: ${what}`);
  return value;
}

/**
 * Makes a switch exhaustive: a missing case is a compile error.
 * @throws Error always
 */
export function unreachable(value: never): never {
  throw new Error(`impossible: ${JSON.stringify(value)}`);
}
