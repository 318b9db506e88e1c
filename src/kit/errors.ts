/** Messages per rejected field, by dotted path (docs/contract/errors.md). */
export type FieldErrors = Record<string, string[]>;

export interface ProblemDetails {
  /** Stable machine-readable code; absent where the contract (docs/contract/errors.md) defines none. */
  error_code?: string;
  errors?: FieldErrors;
  /** What the developer can do, in one sentence. It repeats no secret and reveals nothing that the caller may not read. */
  hint?: string | undefined;
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

  /** Returns the same problem with a hint. An existing hint is kept. */
  hinted(hint: string | undefined): Problem {
    return hint === undefined || this.details.hint ? this : new Problem(this.status, this.message, { ...this.details, hint });
  }
}

/** Maximum number of different faults in `message`, and of fields for each fault. */
const MAX_NAMED = 3;

/** Builds a 422 with one or more rejected fields. Its message names the first of them, grouped by fault. */
export function invalid(errors: FieldErrors, error_code?: string): Problem {
  return new Problem(422, messageOf(errors), { errors, ...(error_code ? { error_code } : {}) });
}

/** Returns the first faults, each with its first fields, as the message of a 422 names them. */
export function namedFaults(errors: FieldErrors): { fields: string[]; fault: string }[] {
  const faults = new Map<string, string[]>();
  for (const [field, [fault = 'is not valid']] of Object.entries(errors)) {
    const fields = faults.get(fault);
    if (!fields) faults.set(fault, [field]);
    // "one of email, phone … is required" names its fields itself.
    else if (fields.length < MAX_NAMED && !fault.includes(field)) fields.push(field);
  }
  return [...faults].slice(0, MAX_NAMED).map(([fault, fields]) => ({ fields, fault }));
}

function messageOf(errors: FieldErrors): string {
  const named = namedFaults(errors).map(({ fields, fault }) => `${fields.join(', ')}: ${fault}`);
  return named.join('; ') || 'The request is not valid.';
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
