import type { Secrets } from '../../kit/crypto.ts';

/**
 * Returns an account number without spaces, dots and hyphens, in upper case: the same text for each spelling of it. A phone number in
 * E.164 format stays as it is.
 */
export function plainNumber(number: string): string {
  return number.replace(/[\s.\p{Pd}]/gu, '').toUpperCase();
}

/**
 * Returns the keyed hash that replaces a payer's number when the number is no longer needed. It identifies a repeated
 * payer, and cannot be reversed without the installation's secret.
 * @param number as stored on the attempt: E.164, or an account number
 */
export function payerHash(secrets: Secrets, team_id: bigint, number: string): string {
  return secrets.mac('payer', `${team_id}|${number.replace(/\s/g, '')}`);
}
