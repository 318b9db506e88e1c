import { payerHash } from '../customers/payer-hash.ts';
import { plainAddress } from '../kit/address-list.ts';
import type { Secrets } from '../kit/crypto.ts';

/** What a charge tells of the one who pays; null: it tells nothing. */
export interface Person {
  /** The number or account that is charged. */
  payer: string | null;
  email: string | null;
  customer_id: string | null;
  address: string | null;
}

/** What the rules know a person by: worthless without the installation's secret. */
export interface KnownBy {
  payer_hash: string | null;
  email_hash: string | null;
  customer_id: string | null;
  /** In its one spelling. */
  address: string | null;
}

export function knownBy(secrets: Secrets, team_id: bigint, { payer, email, customer_id, address }: Person): KnownBy {
  return {
    payer_hash: payer === null ? null : payerHash(secrets, team_id, payer),
    email_hash: email === null ? null : emailHash(secrets, team_id, email),
    customer_id,
    address: address === null ? null : plainAddress(address),
  };
}

export function emailHash(secrets: Secrets, team_id: bigint, email: string): string {
  return secrets.mac('payer-email', `${team_id}|${email.trim().toLowerCase()}`);
}
