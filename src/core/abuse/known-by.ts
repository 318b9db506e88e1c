import { payerHash, plainNumber } from '../customers/payer-hash.ts';
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
  /** Hash of the number in its plain form, by which charges are counted. */
  payer_hash: string | null;
  /** Hash of the number as it is spelled. Blocks that were added before numbers were compared in their plain form have this hash. */
  spelled_hash: string | null;
  email_hash: string | null;
  customer_id: string | null;
  /** In canonical form. */
  address: string | null;
}

/** Returns the keys of a payer. */
export function knownBy(secrets: Secrets, team_id: bigint, { payer, email, customer_id, address }: Person): KnownBy {
  const [payer_hash, spelled_hash] = payer === null ? [null, null] : payerHashes(secrets, team_id, payer);
  return {
    ...{ payer_hash, spelled_hash },
    email_hash: email === null ? null : emailHash(secrets, team_id, email),
    customer_id,
    address: address === null ? null : plainAddress(address),
  };
}

/**
 * Returns the keyed hashes of a payer's number: of its plain form, which a new block has, and of its spelling, which an older block may
 * have.
 */
export function payerHashes(secrets: Secrets, team_id: bigint, number: string): [plain: string, spelled: string] {
  return [payerHash(secrets, team_id, plainNumber(number)), payerHash(secrets, team_id, number)];
}

/** Returns the keyed hash of an e-mail address, ignoring case. */
export function emailHash(secrets: Secrets, team_id: bigint, email: string): string {
  return secrets.mac('payer-email', `${team_id}|${email.trim().toLowerCase()}`);
}
