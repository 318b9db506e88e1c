import type { Minor } from '../../kit/money.ts';
import type { Queryable } from '../../kit/sql.ts';
import { decimal } from '../../money/ledger/decimal.ts';
import type { Journal } from '../../money/ledger/post.ts';
import { suspenseKey, suspenseOf } from '../../money/ledger/suspense.ts';
import { correctionsOf, intoHold } from '../reconciliation/corrections.ts';
import { settlementOf } from '../reconciliation/settle.ts';
import type { Report } from './differences.ts';
import { findMisassigned, findUnaccounted, type SetAside, setAsideAfter } from './reconciliation-store.ts';

const PAGE = 500;
const MAX_UNACCOUNTED = 1_000;

/**
 * Compares suspense with the breaks that were set aside, page by page, and reports corrections without a matching break, and money of a
 * payout that was assigned to a party that did not pay it.
 */
export async function checkSetAside(db: Queryable, team_id: bigint, report: Report): Promise<void> {
  let after = { run_id: '', kind: '', id: 0n };
  for (;;) {
    const rows = await setAsideAfter(db, team_id, after, PAGE);
    const last = rows.at(-1);
    if (!last) break;
    await checkPage(db, team_id, rows, report);
    after = last;
  }
  for (const { kind, subject_id } of await findUnaccounted(db, team_id, MAX_UNACCOUNTED)) {
    const what = `${kind} about ${subject_id}`;
    report({ check: 'set_aside', team_id, what, subject: subject_id, expected: 'a break with this correction', found: 'none' });
  }
  for (const { currency, account, subject_id, amount_minor } of await findMisassigned(db, team_id, MAX_UNACCOUNTED)) {
    const what = `${currency} ${account} of breaks about ${subject_id}`;
    report({ check: 'set_aside', team_id, what, subject: subject_id, expected: decimal(0n), found: decimal(amount_minor) });
  }
}

async function checkPage(db: Queryable, team_id: bigint, rows: SetAside[], report: Report): Promise<void> {
  const wanted = rows.flatMap((row) => correctionsOf({ ...row, id: row.run_id }, row).map((journal) => ({ row, journal })));
  const settlements = wanted.map(({ journal }) => settlementOf(journal, 'undone'));
  const booked = await suspenseOf(db, team_id, [...wanted.map(({ journal }) => journal), ...settlements]);
  for (const [i, { row, journal }] of wanted.entries()) {
    const settlement = settlements[i] as Journal;
    const expected = intoHold(journal);
    const found = booked.get(suspenseKey(journal)) ?? 0n;
    const taken = booked.get(suspenseKey(settlement)) ?? 0n;
    const what = `${journal.currency} hold of break ${row.run_id}:${row.id} about ${journal.subject_id}`;
    const reportDifference = (expected: Minor, found: Minor) =>
      report({
        check: 'set_aside',
        team_id,
        what,
        subject: journal.subject_id,
        expected: decimal(expected),
        found: decimal(found),
      });
    if (found !== expected) reportDifference(expected, found);
    else if (row.state === 'settled' && taken !== -expected) reportDifference(0n, expected + taken);
  }
}
