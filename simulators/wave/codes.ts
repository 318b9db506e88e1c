import type { Answer, Call } from '../kit/calls.ts';

/** Returns an error in Wave's envelope. */
export function error(status: number, code: string, message: string): Answer {
  return { status, body: { code, message } };
}

/**
 * Returns an error in the execution of a valid request. Its field names differ from those of an invalid request
 * (Payout API, errors).
 */
export function executionError(status: number, error_code: string, error_message: string): Answer {
  return { status, body: { error_code, error_message } };
}

/**
 * The errors in the execution of requests, by idempotency key: a repeated request gets the same result (Business API, idempotency),
 * whatever has changed since.
 */
export class StoredErrors {
  readonly #byKey = new Map<string, { body: string; answer: Answer }>();

  /** Returns the stored error of the key, an error when it belongs to another request, or null when the key is new. */
  of(key: string, body: string): Answer | null {
    const stored = this.#byKey.get(key);
    if (!stored) return null;
    return stored.body === body ? stored.answer : error(409, 'idempotency-mismatch', 'The key was used for another request.');
  }

  store(key: string, body: string, answer: Answer): Answer {
    this.#byKey.set(key, { body, answer });
    return answer;
  }
}

/**
 * Returns an error when the idempotency key is missing, which every request that changes something requires (Business
 * API, idempotency).
 */
export function unnamed({ headers }: Call): Answer | null {
  return typeof headers['idempotency-key'] === 'string' ? null : invalid('idempotency-key');
}

/** Returns the error of an invalid field. */
export function invalid(field: string): Answer {
  const details = [{ loc: [field], msg: 'field is missing or not valid' }];
  return { status: 400, body: { code: 'request-validation-error', message: 'Request invalid', details } };
}

/**
 * Parses whole francs written as a text. These wallets have no other currency.
 * @returns hundredths
 */
export function francs(text: unknown): bigint | null {
  return typeof text === 'string' && /^[1-9]\d{0,11}$/.test(text) ? BigInt(text) * 100n : null;
}

/** Returns the digits of a number in E.164 with its plus, or null when it is not a number. */
export function msisdnOf(text: unknown): string | null {
  return typeof text === 'string' && /^\+[1-9]\d{7,14}$/.test(text) ? text.slice(1) : null;
}
