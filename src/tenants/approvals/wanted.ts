import type { Secrets } from '../../kit/crypto.ts';
import { SealError, sealedPlace } from '../../kit/sealing.ts';
import type { ApprovalRow, Wanted } from './schema.ts';

const COLUMN = 'approvals.body_sealed';

/** Encrypts the content of a request, bound to its approval. */
export function sealWanted(secrets: Secrets, { team_id, id }: { team_id: bigint; id: string }, wanted: Wanted): string {
  return secrets.seal(JSON.stringify(wanted), sealedPlace(COLUMN, team_id, id));
}

/** Decrypts the content of a request. */
export function wantedOf(secrets: Secrets, { team_id, id, body_sealed }: ApprovalRow): Wanted {
  return JSON.parse(secrets.open(body_sealed, sealedPlace(COLUMN, team_id, id))) as Wanted;
}

/**
 * Decrypts the content of a request for a page or action that only looks at it and must not fail because of it.
 * @returns null when no key of this installation decrypts it
 */
export function readableWanted(secrets: Secrets, row: ApprovalRow): Wanted | null {
  try {
    return wantedOf(secrets, row);
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}
