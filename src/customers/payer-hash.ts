import type { Secrets } from '../kit/crypto.ts';

/**
 * What stays of a payer's number when nothing needs the number itself any more: enough to know it again, worthless
 * without the installation's secret.
 * @param number as the attempt has it: E.164, or an account number
 */
export function payerHash(secrets: Secrets, team_id: bigint, number: string): string {
  return secrets.mac('payer', `${team_id}|${number.replace(/\s/g, '')}`);
}
