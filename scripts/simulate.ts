import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Fleet } from '../test/simulation/fleet.ts';
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
  --jobs <n>       processes, one per core by default
  --no-shrink      report a failure as it is, without searching for the shortest story
  --json           the result as JSON`;

const WHOLE = /^[1-9]\d{0,7}$/;
const { values } = parseArgs({
  options: {
    ...{ payments: { type: 'string', default: '10000' }, seed: { type: 'string' }, world: { type: 'string' } },
    ...{ nodes: { type: 'string' }, size: { type: 'string', default: '300' } },
    jobs: { type: 'string', default: String(os.availableParallelism()) },
    ...{ 'no-shrink': { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const wrong = [values.payments, values.size, values.jobs, values.nodes ?? '1'].some((text) => !WHOLE.test(text));
if (wrong || (values.world !== undefined && !/^\d+$/.test(values.world))) {
  console.error(`simulate: whole numbers are needed\n\n${HELP}`);
  process.exit(2);
}
process.exitCode = await main();

async function main(): Promise<number> {
  const options: RunOptions = {
    seed: values.seed ?? String(Date.now() % 1_000_000_007),
    payments: Number(values.payments),
    size: Number(values.size),
    ...(values.nodes ? { nodes: Number(values.nodes) } : {}),
    ...(values.world === undefined ? {} : { only: Number(values.world) }),
  };
  if (!values.json) console.log(`seed ${options.seed}`);
  const jobs = values.world === undefined ? Number(values.jobs) : 1;
  await using fleet = await Fleet.start(jobs);
  const run = new Run(options, (world) => fleet.run(world));
  const result = await run.all(values.json ? () => {} : (line) => console.log(line));
  if (values.json) console.log(JSON.stringify(result, null, 2));
  else console.log(result.summary);
  const [failed] = result.failed;
  if (failed && !values['no-shrink'] && !values.json) await explain(run, failed);
  return result.failed.length === 0 ? 0 : 1;
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
