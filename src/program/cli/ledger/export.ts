import { csvLine } from '../../../kit/csv.ts';
import type { Environment } from '../../../kit/environment.ts';
import { decimal } from '../../../money/ledger/decimal.ts';
import { type Line, linesOf } from '../../../money/ledger/statement.ts';
import { writeOut } from '../output.ts';
import { refuseReversed } from './day.ts';
import { withLedgers } from './open.ts';
import { presentLine } from './present.ts';

const DAY_MS = 86_400_000;

interface ExportOptions {
  from?: Date;
  to?: Date;
  format: 'csv' | 'json';
  json?: true;
  environment: Environment;
  team?: bigint;
}

/** Writes the ledger of a period in pages, so that its length is not limited by memory. */
export async function exportCommand(options: ExportOptions): Promise<void> {
  refuseReversed(options);
  const { from, to, format, json, environment, team } = options;
  const period = { team_id: team ?? null, from: from ?? null, before: to ? new Date(to.getTime() + DAY_MS) : null };
  const form = FORMS[json ? 'json' : format];
  await withLedgers([environment], async (db) => {
    await writeOut(form.head);
    let first = true;
    for await (const lines of linesOf(db, period)) {
      await writeOut(`${first ? '' : form.between}${lines.map(form.line).join(form.between)}`);
      first = false;
    }
    await writeOut(first ? form.empty : form.tail);
  });
}

interface Form {
  head: string;
  line(line: Line): string;
  between: string;
  tail: string;
  empty: string;
}

const COLUMNS = [
  'team_id',
  'journal',
  'line',
  'created_at',
  'kind',
  'source',
  'subject',
  'currency',
  'debit',
  'credit',
  'amount',
] as const;

const FORMS: Record<ExportOptions['format'], Form> = {
  csv: {
    head: csvLine(COLUMNS),
    // Amounts are exact text: spreadsheets and databases read them without converting them to a float.
    line: (line) =>
      csvLine(
        Object.values({ ...presentLine(line), amount: decimal(line.amount_minor) } satisfies Record<
          (typeof COLUMNS)[number],
          unknown
        >),
      ),
    between: '',
    tail: '',
    empty: '',
  },
  json: { head: '[', line: (line) => `\n${JSON.stringify(presentLine(line))}`, between: ',', tail: '\n]\n', empty: ']\n' },
};
