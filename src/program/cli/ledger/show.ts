import type { Environment } from '../../../kit/environment.ts';
import { type Line, linesAbout } from '../../../money/ledger/statement.ts';
import { releasesOf } from '../../../money/settlement/store.ts';
import { Failure } from '../failure.ts';
import { exactText } from '../format.ts';
import { print, shortMoment } from '../output.ts';
import { withLedgers } from './open.ts';
import { presentLine } from './present.ts';

/** Prints every ledger line about one id, as text or as a JSON document. */
export async function showCommand(id: string, options: { json?: true }): Promise<void> {
  const environment: Environment = /^[a-z]+_test_/.test(id) ? 'sandbox' : 'live';
  await withLedgers([environment], async (db) => {
    const lines = await linesAbout(db, id);
    const [first] = lines;
    if (!first)
      throw new Failure(
        `nothing was posted for ${id} in ${environment}`,
        'Check the id. Postings are made when money moves, not when it is requested.',
      );
    const released_by = await releasesOf(db, first.team_id, id);
    print(options.json, { id, environment, team_id: String(first.team_id), lines: lines.map(presentLine), released_by }, () =>
      [
        `${id} of team ${first.team_id}, ${environment}`,
        ...journals(lines).map(journalText),
        ...released_by.map(releaseText),
      ].join('\n\n'),
    );
  });
}

function journals(lines: Line[]): Line[][] {
  return [...Map.groupBy(lines, ({ journal_id }) => journal_id).values()];
}

/** Returns the text of a journal: a heading, then its postings. */
function journalText(lines: Line[]): string {
  const [{ created_at, kind, source_id, journal_id }] = lines as [Line];
  const rows = lines.map((line) => [line.debit, line.credit, exactText(line.amount_minor)] as const);
  const [from, to, amount] = ([0, 1, 2] as const).map((column) => Math.max(...rows.map((row) => row[column].length))) as [
    number,
    number,
    number,
  ];
  return [
    `${shortMoment(created_at)}  ${kind} by ${source_id} (journal ${journal_id})`,
    ...rows.map((row, i) => `  ${row[0].padEnd(from)} → ${row[1].padEnd(to)}  ${row[2].padStart(amount)} ${lines[i]?.currency}`),
  ].join('\n');
}

/** One journal releases the retention of many payments, so its amount is not that of this payment. */
function releaseText(batch: string): string {
  return `Its money was released in a batch with others: pirogue ledger show ${batch}`;
}
