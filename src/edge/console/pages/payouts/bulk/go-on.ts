import { sameText } from '../../../../../kit/crypto.ts';
import type { TeamVisit } from '../../../page.ts';

/** Time after a slice within which the page may pay out the next one by itself. */
const GOES_ON_MS = 15_000;

type Slice = Pick<TeamVisit, 'approvals' | 'at' | 'session'>;

/**
 * Returns a text for the address of a list's page with which the page continues by itself. It proves that this session has just paid out
 * a slice. An address that was made by another person, or is opened again later, pays nothing.
 */
export function proofOfSlice(visit: Slice, batch_id: string): string {
  return `${visit.at}.${macOf(visit, batch_id, visit.at)}`;
}

/** Returns whether the session has paid out a slice of the list within the last seconds. */
export function hasJustPaid(visit: Slice, batch_id: string, proof: string | undefined): boolean {
  const [at = '', mac = ''] = proof?.split('.', 2) ?? [];
  const isRecent = /^\d{1,15}$/.test(at) && Math.abs(visit.at - Number(at)) < GOES_ON_MS;
  return isRecent && sameText(mac, macOf(visit, batch_id, Number(at)));
}

function macOf({ approvals, session }: Slice, batch_id: string, at: number): string {
  return approvals.secrets.mac('console-bulk-slice', `${session.id}|${batch_id}|${at}`);
}
