import { CHUNK, checkBooks } from '../../../core/books-check/check.ts';
import { type BooksDifference, ADVICE as BOOKS_ADVICE } from '../../../core/books-check/differences.ts';
import { ENVIRONMENTS, type Environment } from '../../../kit/environment.ts';
import { type Difference, ADVICE as LEDGER_ADVICE } from '../../../money/ledger/differences.ts';
import { endText } from '../../../platform/chain/verify.ts';
import { type Verified, verifyLedger } from '../../../money/ledger/verify.ts';
import { countText } from '../format.ts';
import { print } from '../output.ts';
import { withProgress } from '../progress.ts';
import { withLedgers } from './open.ts';

/** Maximum differences in a JSON document, which is built in memory. Text is printed as differences are found. */
const MAX_IN_DOCUMENT = 10_000;
const ADVICE = { ...LEDGER_ADVICE, ...BOOKS_ADVICE };

/** A difference. `subject` is the payment, transfer, batch or run that it comes from, where it is known. */
type Found = Difference | BooksDifference;

interface Outcome extends Verified {
  environment: Environment;
  ok: boolean;
  /** Number of all differences; the list may be shorter. */
  differences_found: number;
  differences: (Omit<Found, 'team_id'> & { team_id: string | null; subject?: string; advice: string })[];
}

/** Verifies the ledgers. Exits with code 1 when a difference is found. */
export async function verifyCommand(options: { environment?: Environment; json?: true }): Promise<void> {
  const outcomes: Outcome[] = [];
  await withProgress(options.json === true, (progress) =>
    withLedgers(options.environment ? [options.environment] : ENVIRONMENTS, async (db, environment) => {
      const differences: Outcome['differences'] = [];
      let found = 0;
      const report = (difference: Found) => {
        found += 1;
        progress.end();
        if (!options.json) process.stdout.write(`${describe(environment, difference)}\n`);
        else if (differences.length < MAX_IN_DOCUMENT) differences.push(presented(difference));
      };
      progress.update(`${environment}: verifying the ledger`);
      const verified = await verifyLedger(db, report, (what, checked) =>
        progress.update(`${environment}: verifying ${what}`, () => countText(checked)),
      );
      const step = `${environment}: comparing with payments and transfers`;
      progress.update(step);
      await checkBooks(db, report, (chunks) => progress.update(step, () => `${countText(chunks * CHUNK)} at most`));
      outcomes.push({ environment, ok: found === 0, ...verified, differences_found: found, differences });
    }),
  );
  const ok = outcomes.every((outcome) => outcome.ok);
  print(options.json, { ok, stores: outcomes }, () => outcomes.map(summary).join('\n'));
  process.exitCode = ok ? 0 : 1;
}

function presented(difference: Found): Outcome['differences'][number] {
  return {
    ...difference,
    team_id: difference.team_id === null ? null : String(difference.team_id),
    advice: ADVICE[difference.check],
  };
}

function describe(environment: Environment, { check, team_id, what, expected, found }: Found): string {
  return [
    `DIFFERENCE  ${environment}${team_id === null ? '' : `, team ${team_id}`}, ${what}: ${check}`,
    `  expected  ${expected}`,
    `  found     ${found}`,
    `  → ${ADVICE[check]}`,
    '',
  ].join('\n');
}

function summary(outcome: Outcome): string {
  const { environment, ok, teams, journals, lines, seals, differences_found } = outcome;
  const seen = `${plural(journals, 'journal')}, ${plural(lines, 'line')} of ${plural(teams, 'team')}, ${plural(seals, 'seal')}`;
  return `${environment.padEnd(7)}  ${ok ? 'the books balance' : plural(differences_found, 'difference')}: ${seen}${endText(outcome)}`;
}

function plural(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}
