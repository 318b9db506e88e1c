import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { neverOccurred } from '../test/simulation/coverage.ts';
import { Fleet } from '../test/simulation/fleet.ts';
import { PROFILES } from '../test/simulation/profiles.ts';
import { Run, type RunOptions } from '../test/simulation/run.ts';
import { shrink } from '../test/simulation/shrink.ts';
import { tell } from '../test/simulation/story.ts';
import type { WorldReport } from '../test/simulation/world.ts';

const HELP = `Usage: npm run simulate -- [options]

Runs the service on virtual time, with faults, against simulated merchants, payers and providers. The same seed repeats a run.

  --payments <n>   payments in all, 10000 by default
  --seed <text>    seed, drawn by default
  --world <n>      only this world of the run
  --nodes <n>      nodes of the service in each world; drawn by default
  --size <n>       payments of one world, 300 by default
  --profile <name> only worlds of this kind: calm, mixed, stormy, crowded, slow
  --jobs <n>       processes, one per core by default
  --no-shrink      report a failure as it is, without searching for the shortest story
  --json           the result as JSON`;

const WHOLE = /^[1-9]\d{0,7}$/;
const MAX_NODES = 9;
const MAX_JOBS = 64;
/** Number of payments from which every kind of occurrence is required. */
const EVERYTHING_OCCURS = 5_000;

const options = readOptions();
if (typeof options === 'string') {
  console.error(`simulate: ${options}\n\n${HELP}`);
  process.exit(2);
}
const { values, profile } = options;
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
process.exitCode = await main();

function parse() {
  return parseArgs({
    options: {
      ...{ payments: { type: 'string', default: '10000' }, seed: { type: 'string' }, world: { type: 'string' } },
      ...{ nodes: { type: 'string' }, profile: { type: 'string' }, size: { type: 'string', default: '300' } },
      jobs: { type: 'string', default: String(os.availableParallelism()) },
      ...{ 'no-shrink': { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
    },
  }).values;
}

/** Returns the options, or the error in them. */
function readOptions(): { values: ReturnType<typeof parse>; profile: (typeof PROFILES)[number] | undefined } | string {
  let values: ReturnType<typeof parse>;
  try {
    values = parse();
  } catch (error) {
    return (error as Error).message;
  }
  const { payments, size, jobs, nodes = '1', world } = values;
  if (![payments, size, jobs, nodes].every((text) => WHOLE.test(text))) return 'whole numbers from 1 are needed';
  if (Number(nodes) > MAX_NODES || Number(jobs) > MAX_JOBS) return `at most ${MAX_NODES} nodes and ${MAX_JOBS} jobs`;
  const worlds = Math.ceil(Number(payments) / Number(size));
  if (world !== undefined && !(/^\d+$/.test(world) && Number(world) < worlds))
    return `${payments} payments in worlds of ${size} are the worlds 0 to ${worlds - 1}`;
  const profile = PROFILES.find((name) => name === values.profile);
  if (values.profile !== undefined && !profile) return `--profile is one of ${PROFILES.join(', ')}`;
  return { values, profile };
}

async function main(): Promise<number> {
  const options: RunOptions = {
    seed: values.seed ?? String(Date.now() % 1_000_000_007),
    payments: Number(values.payments),
    size: Number(values.size),
    ...(values.nodes ? { nodes: Number(values.nodes) } : {}),
    ...(profile ? { profile } : {}),
    ...(values.world === undefined ? {} : { only: Number(values.world) }),
  };
  if (!values.json) console.log(`seed ${options.seed}`);
  const worlds = values.world === undefined ? Math.ceil(options.payments / options.size) : 1;
  const jobs = Math.min(Number(values.jobs), worlds);
  await using fleet = await Fleet.start(jobs);
  const run = new Run(options, (world) => fleet.run(world));
  const result = await run.all(values.json ? () => {} : (line) => console.log(line));
  if (values.json) console.log(JSON.stringify(result, null, 2));
  else console.log([...occurrences(result.occurred), result.summary].join('\n'));
  const never = options.payments >= EVERYTHING_OCCURS && options.only === undefined ? neverOccurred(result.occurred) : [];
  if (never.length > 0)
    console.error(`simulate: these never occurred, so the run proves nothing about them: ${never.join('; ')}`);
  const [failed] = result.failed;
  if (failed && !values['no-shrink'] && !values.json) await explain(run, failed);
  return result.failed.length + never.length === 0 ? 0 : 1;
}

/** Returns a line for each kind of occurrence. */
function occurrences(occurred: Record<string, number>): string[] {
  const sorted = Object.entries(occurred).sort(([a], [b]) => a.localeCompare(b));
  return sorted.map(([what, times]) => `${String(times).padStart(9)}  ${what}`);
}

async function explain(run: Run, { world, report }: { world: number; report: WorldReport }): Promise<void> {
  console.log(`\nSearching for the shortest story of world ${world} ...`);
  const found = await shrink((options) => run.world(options), run.optionsOf(world), report);
  const file = path.join(os.tmpdir(), `pirogue-story-${world}.txt`);
  fs.writeFileSync(file, tell(found.report).join('\n'));
  console.log(
    `${found.runs} runs; left: ${found.report.actors
      .filter(({ name }) => !found.without.has(name))
      .map(({ name }) => name)
      .join(', ')}`,
  );
  console.log(found.report.wrong.map((line) => `  ${line}`).join('\n'));
  console.log(`The story is in ${file}`);
}
