import { payerHash } from '../customers/payer-hash.ts';
import { plainAddress } from '../../kit/address-list.ts';
import type { Secrets } from '../../kit/crypto.ts';

/** The payer's data in a charge; null where it is absent. */
export interface Person {
  /** The phone or account number that is charged. */
  payer: string | null;
  email: string | null;
  customer_id: string | null;
  address: string | null;
}

/** Keys by which the rules identify a payer. The hashes cannot be reversed without the installation's secret. */
export interface KnownBy {
  payer_hash: string | null;
  email_hash: string | null;
  customer_id: string | null;
  /** In canonical form. */
  address: string | null;
}

/** Returns the keys of a payer. */
export function knownBy(secrets: Secrets, team_id: bigint, { payer, email, customer_id, address }: Person): KnownBy {
  return {
    payer_hash: payer === null ? null : payerHash(secrets, team_id, payer),
    email_hash: email === null ? null : emailHash(secrets, team_id, email),
    customer_id,
    address: address === null ? null : plainAddress(address),
  };
}

/** Returns the keyed hash of an e-mail address, ignoring case. */
export function emailHash(secrets: Secrets, team_id: bigint, email: string): string {
  return secrets.mac('payer-email', `${team_id}|${email.trim().toLowerCase()}`);
}
