import type { Secrets } from '../../kit/crypto.ts';

/**
 * Returns the keyed hash that replaces a payer's number when the number is no longer needed. It identifies a repeated
 * payer, and cannot be reversed without the installation's secret.
 * @param number as stored on the attempt: E.164, or an account number
 */
export function payerHash(secrets: Secrets, team_id: bigint, number: string): string {
  return secrets.mac('payer', `${team_id}|${number.replace(/\s/g, '')}`);
}
