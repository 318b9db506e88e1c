import type { CustomerRef } from '../../core/customers/store.ts';
import type { Secrets } from '../../kit/crypto.ts';
import { sealedPlace } from '../../kit/sealing.ts';
import { type Identity, NO_IDENTITY } from './redact.ts';

const COLUMN = 'erasures.known_sealed';

/** Encrypts the identity of the person, for the repetitions of the erasure. */
export function sealKnown(secrets: Secrets, { team_id, id }: CustomerRef, identity: Identity): string {
  return secrets.seal(JSON.stringify(identity), sealedPlace(COLUMN, team_id, id));
}

/** Returns the identity of the person; an empty one when it is no longer stored. */
export function knownOf(
  secrets: Secrets,
  { team_id, id, known_sealed }: CustomerRef & { known_sealed: string | null },
): Identity {
  return known_sealed === null
    ? NO_IDENTITY
    : (JSON.parse(secrets.open(known_sealed, sealedPlace(COLUMN, team_id, id))) as Identity);
}
