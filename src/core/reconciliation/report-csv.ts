import { csvLine } from '../../kit/csv.ts';
import { decimal } from '../../money/ledger/decimal.ts';
import type { BreakRow } from './schema.ts';

const COLUMNS = [
  ...[
    'break',
    'kind',
    'flow',
    'line',
    'key',
    'reference',
    'subject',
    'of',
    'statement_amount',
    'statement_currency',
    'statement_at',
  ],
  ...['statement_status', 'our_amount', 'our_currency', 'our_closed_at', 'our_standing', 'state', 'outcome'],
];

export const CSV_HEAD = csvLine(COLUMNS);

/** Returns one break as a line of the CSV report. */
export function breakLine(row: BreakRow): string {
  const cells = [
    ...[String(row.id), row.kind, row.flow, row.line, row.key, row.reference, row.subject_id, row.of_id],
    ...[amount(row.there_minor), row.there_currency, row.there_at?.toISOString(), row.there_status],
    ...[amount(row.here_minor), row.here_currency, row.here_at?.toISOString(), row.here_standing, row.state, row.outcome],
  ];
  return csvLine(cells);
}

function amount(amount_minor: bigint | null): string {
  return amount_minor === null ? '' : decimal(amount_minor);
}
