import { countUnsealed } from '../../../platform/chain/store.ts';
import { type ChainEnd, endText, type Fault, verifyChain } from '../../../platform/chain/verify.ts';
import { countText } from '../format.ts';
import { print } from '../output.ts';
import { withProgress } from '../progress.ts';
import { DATABASES, type DatabaseName, withTrails } from './open.ts';

/** Maximum faults in a JSON document, which is built in memory. Text is printed as faults are found. */
const MAX_IN_DOCUMENT = 10_000;

const ADVICE: Record<Fault['check'], string> = {
  seal_broken: 'Entries under this seal were changed, added, removed or put in another order: compare them with a backup.',
  chain_broken: 'A seal was changed or removed: compare audit_seals with a backup.',
  counter_behind:
    'The trail comes from another server (a dump was restored): new entries cannot be sealed until its transaction ' +
    'counter is past theirs. Stop it and raise the counter (pg_resetwal --epoch), then run this again.',
};

interface Outcome extends ChainEnd {
  database: DatabaseName;
  ok: boolean;
  /** Entries that were written less than a minute ago, or while a long transaction runs. */
  unsealed: number;
  /** Number of all faults; the list may be shorter. */
  faults_found: number;
  faults: (Fault & { advice: string })[];
}

/** Verifies the audit trails of all databases. Exits with code 1 when a fault is found. */
export async function verifyCommand(options: { json?: true }): Promise<void> {
  const outcomes: Outcome[] = [];
  await withProgress(options.json === true, (progress) =>
    withTrails(DATABASES, async ({ db, database, chain }) => {
      const faults: Outcome['faults'] = [];
      let found = 0;
      const report = (fault: Fault) => {
        found += 1;
        progress.end();
        if (!options.json) process.stdout.write(`${describe(database, fault)}\n`);
        else if (faults.length < MAX_IN_DOCUMENT) faults.push({ ...fault, advice: ADVICE[fault.check] });
      };
      const step = `${database}: verifying the seals`;
      progress.update(step);
      const end = await verifyChain(db, chain, report, (seals) => progress.update(step, () => countText(seals)));
      outcomes.push({ database, ok: found === 0, ...end, unsealed: await countUnsealed(db, chain), faults_found: found, faults });
    }),
  );
  const ok = outcomes.every((outcome) => outcome.ok);
  print(options.json, { ok, databases: outcomes }, () => outcomes.map(summary).join('\n'));
  process.exitCode = ok ? 0 : 1;
}

function describe(database: DatabaseName, { check, what, expected, found }: Fault): string {
  return [
    `BROKEN  ${database}, ${what}: ${check}`,
    `  expected  ${expected}`,
    `  found     ${found}`,
    `  → ${ADVICE[check]}`,
    '',
  ].join('\n');
}

function summary(outcome: Outcome): string {
  const { database, ok, seals, unsealed, faults_found } = outcome;
  const verdict = ok ? 'the trail is intact' : `broken in ${faults_found} ${faults_found === 1 ? 'place' : 'places'}`;
  return `${database.padEnd(7)}  ${verdict}: ${seals} ${seals === 1 ? 'seal' : 'seals'}, ${unsealed} unsealed${endText(outcome)}`;
}
