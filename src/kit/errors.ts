/** Rejected fields: dotted path to the messages for it (docs/contract/errors.md). */
export type FieldErrors = Record<string, string[]>;

export interface ProblemDetails {
  /** Stable machine code of docs/contract/errors.md; absent where the contract shows none. */
  error_code?: string;
  errors?: FieldErrors;
  /** Text to show the payer as it is; only beside 402. */
  payer_message?: string;
  /** Further body fields, such as `type` and `retry_after` of a 429. */
  extra?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** What the caller did wrong, or what the world answered to it: thrown anywhere, rendered once in http/replies.ts. */
export class Problem extends Error {
  readonly status: number;
  readonly details: ProblemDetails;

  constructor(status: number, message: string, details: ProblemDetails = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** 422 with one or more rejected fields. */
export function invalid(errors: FieldErrors, error_code?: string): Problem {
  const first = Object.entries(errors)[0];
  const message = first ? `${first[0]}: ${first[1][0]}` : 'The request is not valid.';
  return new Problem(422, message, { errors, ...(error_code ? { error_code } : {}) });
}

/** 404 in the words of docs/contract/errors.md: `Payment Not Found`, or `Resource Not Found` for everything unnamed there. */
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

/** For what cannot be: a broken promise inside the program, never something a caller can cause. */
export function must<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`impossible: ${what}`);
  return value;
}

/** Makes a switch exhaustive: the compiler refuses it while a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`impossible: ${JSON.stringify(value)}`);
}
