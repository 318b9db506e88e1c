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

export const CSV_HEAD = `${COLUMNS.join(',')}\n`;

/** Returns one break as a line of the CSV report. */
export function csvLine(row: BreakRow): string {
  const cells = [
    ...[String(row.id), row.kind, row.flow, row.line, row.key, row.reference, row.subject_id, row.of_id],
    ...[amount(row.there_minor), row.there_currency, row.there_at?.toISOString(), row.there_status],
    ...[amount(row.here_minor), row.here_currency, row.here_at?.toISOString(), row.here_standing, row.state, row.outcome],
  ];
  return `${cells.map(cell).join(',')}\n`;
}

function amount(amount_minor: bigint | null): string {
  return amount_minor === null ? '' : decimal(amount_minor);
}

/**
 * Quotes a cell (RFC 4180). Keys and references are external input, so text that a spreadsheet would evaluate as a
 * formula is prefixed with an apostrophe.
 */
function cell(value: string | number | null | undefined): string {
  const given = String(value ?? '');
  const text = /^[=+\-@\t\r]/.test(given) ? `'${given}` : given;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
