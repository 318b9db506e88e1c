import { wireFromMinor } from '../../../kit/money.ts';
import type { Line } from '../../../money/ledger/statement.ts';

/** Returns the columns of an export and the fields of a JSON document. Programs that read them rely on the order. */
export function presentLine(line: Line) {
  return {
    team_id: String(line.team_id),
    journal: String(line.journal_id),
    line: line.line,
    created_at: line.created_at.toISOString(),
    kind: line.kind,
    source: line.source_id,
    subject: line.subject_id,
    currency: line.currency,
    debit: line.debit,
    credit: line.credit,
    amount: wireFromMinor(line.amount_minor),
  };
}
