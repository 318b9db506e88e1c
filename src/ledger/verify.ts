import { type Queryable, sql } from '../kit/sql.ts';
import { type ChainEnd, verifyChain } from '../chain/verify.ts';
import { nextTeam } from './books.ts';
import type { Report } from './differences.ts';
import { JOURNALS } from './seal.ts';
import { verifyTeam } from './verify-team.ts';

/** What was looked at. */
export interface Verified extends ChainEnd {
  teams: number;
  journals: number;
  lines: number;
}

/**
 * Recomputes the books of a store from its lines. Works while payments go on, in short statements and in memory that
 * grows with the accounts of one team only. Run it as the owner of the tables.
 */
export async function verifyLedger(db: Queryable, report: Report): Promise<Verified> {
  const seen = { teams: 0, journals: 0, lines: 0 };
  // Statistics older than a team's books make one look read them as many times as they are long. Only the owner can mend
  // that; for anyone else it is a warning.
  await db.run(sql`analyze journals, postings`);
  for (let team_id = await nextTeam(db, 0n); team_id !== null; team_id = await nextTeam(db, team_id)) {
    const { journals, lines } = await verifyTeam(db, team_id, report);
    seen.teams += 1;
    seen.journals += journals;
    seen.lines += lines;
  }
  return { ...seen, ...(await verifyChain(db, JOURNALS, (fault) => report({ ...fault, team_id: null }))) };
}
