import type { Answer, Call } from '../kit/calls.ts';

/** An error in Wave's envelope. */
export function error(status: number, code: string, message: string): Answer {
  return { status, body: { code, message } };
}

/** An error of executing a request that was understood: other names than those of a request that was not (Payout API, errors). */
export function executionError(status: number, error_code: string, error_message: string): Answer {
  return { status, body: { error_code, error_message } };
}

/** Every request that changes something names itself (Business API, idempotency). */
export function unnamed({ headers }: Call): Answer | null {
  return typeof headers['idempotency-key'] === 'string' ? null : invalid('idempotency-key');
}

/** What is wrong with a field. */
export function invalid(field: string): Answer {
  const details = [{ loc: [field], msg: 'field is missing or not valid' }];
  return { status: 400, body: { code: 'request-validation-error', message: 'Request invalid', details } };
}

/** Whole francs as a text: there is no other currency in these wallets. */
export function francs(text: unknown): bigint | null {
  return typeof text === 'string' && /^[1-9]\d{0,11}$/.test(text) ? BigInt(text) * 100n : null;
}

/** A number in E.164 with its plus, as digits. */
export function msisdnOf(text: unknown): string | null {
  return typeof text === 'string' && /^\+[1-9]\d{7,14}$/.test(text) ? text.slice(1) : null;
}
