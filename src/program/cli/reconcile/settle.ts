import { readConfig } from '../../../platform/config/config.ts';
import { commandClock } from '../command-clock.ts';
import type { Environment } from '../../../kit/environment.ts';
import { decimal } from '../../../money/ledger/decimal.ts';
import type { SettledAs } from '../../../core/reconciliation/schema.ts';
import { settleBreak } from '../../../core/reconciliation/settle.ts';
import { withDatabases, withPool } from '../databases.ts';
import { demoTeamId } from '../demo-team.ts';
import { environmentOfId } from '../ids.ts';
import { operator } from '../operator.ts';
import { moneyText } from '../format.ts';
import { details, print } from '../output.ts';
import { refuse } from '../refuse.ts';

const ADVICE = { missing: 'Check the run, the number and the team (--team).', otherwise: 'Nothing was changed.' };

interface Options {
  as: SettledAs;
  evidence: string;
  author?: string;
  team?: bigint;
  json?: true;
}

/** Settles a break. The decision is final, and is printed with its ledger postings. */
export async function settleCommand(run_id: string, id: bigint, options: Options): Promise<void> {
  const environment = environmentOf(run_id);
  const config = readConfig(process.env);
  const ref = { team_id: options.team ?? demoTeamId(config), run_id, id };
  const verdict = { as: options.as, evidence: options.evidence, author: options.author ?? operator().id };
  const { row, journals } = await withDatabases(config, (urls) =>
    withPool(urls[environment], (db) => settleBreak({ clock: commandClock }, { environment, db }, ref, verdict, operator())),
  ).catch((error: unknown) => refuse(error, ADVICE));
  const booked = journals.flatMap(({ currency, postings }) =>
    postings.map(({ debit, credit, amount_minor }) => ({ currency, debit, credit, amount: decimal(amount_minor) })),
  );
  const lines = journals.flatMap(({ currency, postings }) =>
    postings.map(({ debit, credit, amount_minor }) => `${moneyText(amount_minor, currency)} from ${debit} to ${credit}`),
  );
  print(options.json, { run: run_id, break: String(id), kind: row.kind, ...verdict, booked }, () =>
    details({
      ...{ settled: `${run_id} ${id}`, kind: row.kind, as: verdict.as, by: verdict.author },
      booked: lines.join('; '),
    }),
  );
}

/**
 * Returns the environment of a reconciliation run.
 * @throws UsageFailure for a text that is not the id of one
 */
export function environmentOf(run_id: string): Environment {
  return environmentOfId('rec', run_id, 'a run', 'Use the rec_… of the report.');
}
