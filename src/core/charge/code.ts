import { invalid, type Problem } from '../../kit/errors.ts';
import type { PayerInput } from '../../providers/adapters/contract.ts';
import { MAX_CODE } from '../payments/schema.ts';

/** Visible ASCII. No provider publishes which characters its codes have. */
const CODE = new RegExp(`^[\\x21-\\x7e]{1,${MAX_CODE}}$`);

/**
 * Reads a one-time code. Spaces are removed: codes are shown in groups, and copied with a line break.
 * @throws Problem 422 naming `data.otp`, for text that can be the code of no provider
 */
export function readCode(text: unknown): Extract<PayerInput, { kind: 'otp' }> {
  const otp = typeof text === 'string' ? text.replace(/\s/g, '') : '';
  if (!CODE.test(otp)) throw malformedCode();
  return { kind: 'otp', otp };
}

/** Returns the error 422 for a malformed code. The charge still waits for one. */
export function malformedCode(): Problem {
  return invalid({ 'data.otp': ['is not a one-time code as the operator shows it'] });
}
