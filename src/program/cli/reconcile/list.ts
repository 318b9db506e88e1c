import { breakFields } from '../../../core/reconciliation/report-csv.ts';
import type { BreakRow } from '../../../core/reconciliation/schema.ts';
import { breaksOfRun, findRunAccount } from '../../../core/reconciliation/store.ts';
import { Failure } from '../failure.ts';
import { moneyText } from '../format.ts';
import { inStore } from '../in-store.ts';
import { print, printable, table } from '../output.ts';
import { environmentOf } from './settle.ts';

interface Options {
  team?: bigint;
  limit: number;
  cursor?: bigint;
  json?: true;
}

/** Prints a page of the breaks of a run. The cursor of the next page is the number of its last break. */
export async function listCommand(run_id: string, { limit, cursor = 0n, json, ...options }: Options): Promise<void> {
  const rows = await inStore(environmentOf(run_id), options, async ({ db }, team_id) => {
    const run = { team_id, run_id };
    if ((await findRunAccount(db, run)) === undefined)
      throw new Failure(`the team has no run ${run_id}`, 'Check the run and the team (--team).');
    return breaksOfRun(db, run, cursor, limit + 1);
  });
  const page = rows.slice(0, limit);
  const next_cursor = rows.length > limit ? String(page.at(-1)?.id) : '';
  const meta = { has_more: next_cursor !== '', next_cursor };
  print(json, { items: page.map(breakFields), meta }, () =>
    page.length === 0 ? 'none found' : table(HEADINGS, page.map(cellsOf)),
  );
  if (meta.has_more && !json) console.error(`there are more: --cursor ${next_cursor}`);
}

const HEADINGS = [
  ...(['BREAK', 'KIND', 'LINE', 'KEY', 'REFERENCE'] as const),
  ...([{ title: 'STATEMENT', align: 'right' }, { title: 'HERE', align: 'right' }, 'OPERATION', 'STATE', 'OUTCOME'] as const),
];

function cellsOf(row: BreakRow): string[] {
  return [
    ...[String(row.id), row.kind, String(row.line ?? ''), row.key ?? '', row.reference ?? ''],
    ...[amountOf(row.there_minor, row.there_currency), amountOf(row.here_minor, row.here_currency)],
    ...[row.subject_id ?? '', row.state, printable(row.outcome ?? '')],
  ];
}

function amountOf(amount_minor: bigint | null, currency: string | null): string {
  return amount_minor === null ? '' : moneyText(amount_minor, currency as string);
}
