import { csvLine } from '../../kit/csv.ts';
import { decimal } from '../../money/ledger/decimal.ts';
import type { BreakRow } from './schema.ts';

const COLUMNS = [
  ...(['break', 'kind', 'flow', 'line', 'key', 'reference', 'subject', 'of'] as const),
  ...(['statement_amount', 'statement_currency', 'statement_at', 'statement_status'] as const),
  ...(['our_amount', 'our_currency', 'our_closed_at', 'our_standing', 'state', 'outcome'] as const),
];

export const CSV_HEAD = csvLine(COLUMNS);

/** Returns one break as a line of the CSV report. */
export function breakLine(row: BreakRow): string {
  const fields = breakFields(row);
  return csvLine(COLUMNS.map((column) => fields[column]));
}

/** Returns one break by the columns of the CSV report, with amounts as text in major units. */
export function breakFields(row: BreakRow): Record<(typeof COLUMNS)[number], string | number | null> {
  return {
    ...{ break: String(row.id), kind: row.kind, flow: row.flow, line: row.line, key: row.key, reference: row.reference },
    ...{ subject: row.subject_id, of: row.of_id },
    ...{ statement_amount: amount(row.there_minor), statement_currency: row.there_currency },
    ...{ statement_at: row.there_at?.toISOString() ?? null, statement_status: row.there_status },
    ...{ our_amount: amount(row.here_minor), our_currency: row.here_currency },
    ...{ our_closed_at: row.here_at?.toISOString() ?? null, our_standing: row.here_standing },
    ...{ state: row.state, outcome: row.outcome },
  };
}

function amount(amount_minor: bigint | null): string | null {
  return amount_minor === null ? null : decimal(amount_minor);
}
