import { type Queryable, sql } from '../../kit/sql.ts';
import { type ChainEnd, type Fault, verifyChain } from '../../platform/chain/verify.ts';
import { nextTeam } from './books.ts';
import type { Report } from './differences.ts';
import { JOURNALS } from './seal.ts';
import { verifyTeam } from './verify-team.ts';

/** Numbers of checked teams, journals, lines and seals. */
export interface Verified extends ChainEnd {
  teams: number;
  journals: number;
  lines: number;
}

/** Called during the verification with the number of journals or seals checked so far. */
export type VerifyProgress = (what: 'journals' | 'seals', checked: number) => void;

/**
 * Recomputes the ledger of a store from its lines. It can run while payments are processed: it uses short statements and memory
 * that grows only with the accounts of one team. Run it as the owner of the tables.
 */
export async function verifyLedger(db: Queryable, report: Report, progress: VerifyProgress = () => undefined): Promise<Verified> {
  const seen = { teams: 0, journals: 0, lines: 0 };
  // With statistics older than a team's journals, a query may read them many times. Only the owner can analyze the tables; for
  // other roles PostgreSQL just issues a warning.
  await db.run(sql`analyze journals, postings`);
  for (let team_id = await nextTeam(db, 0n); team_id !== null; team_id = await nextTeam(db, team_id)) {
    const { lines } = await verifyTeam(db, team_id, report, (journals) => {
      seen.journals += journals;
      progress('journals', seen.journals);
    });
    seen.teams += 1;
    seen.lines += lines;
  }
  const chainFault = (fault: Fault) => report({ ...fault, team_id: null });
  return { ...seen, ...(await verifyChain(db, JOURNALS, chainFault, (seals) => progress('seals', seals))) };
}
