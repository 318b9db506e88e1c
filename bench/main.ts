import { consoleSection } from './console.ts';
import { checkDisk } from './disk.ts';
import { deliveriesSection } from './deliveries.ts';
import { writeDocument } from './document.ts';
import { latencySection } from './latency.ts';
import { lifeSection } from './life.ts';
import { describeMachine, type Machine } from './machine.ts';
import { OptionError, type Options, readOptions, type SectionName, USAGE } from './options.ts';
import { postSection } from './post.ts';
import { postingsSection } from './postings.ts';
import { printProfiles, printStatements } from './profile.ts';
import { listsSection } from './lists.ts';
import { getSection, listSection } from './reads.ts';
import { type Report, reportOf } from './report.ts';
import { routingSection } from './routing.ts';
import { type Section, takeRounds } from './rounds.ts';
import { searchSection } from './search.ts';
import { type Service, startService } from './service.ts';
import { buildStage, folderFor, type Stage } from './stage.ts';
import { sizingSection } from './sizing.ts';
import { startSection } from './start.ts';
import { sweepsSection } from './sweeps.ts';
import { tablesOf } from './table.ts';
import { workersSection } from './workers.ts';

const BUILD: Record<SectionName, (stage: Stage, options: Options, service: Service) => Promise<Section>> = {
  post: postSection,
  get: getSection,
  list: listSection,
  deliveries: deliveriesSection,
  postings: postingsSection,
  life: lifeSection,
  latency: latencySection,
  start: startSection,
  routing: routingSection,
  search: searchSection,
  console: consoleSection,
  workers: workersSection,
  sweeps: sweepsSection,
  'lists-and-filters': listsSection,
  sizing: sizingSection,
};

/** By a signal: no fault to be shown with a stack. */
class Stopped extends Error {}

const report = (text: string) => console.error(text);

async function main(options: Options): Promise<void> {
  checkDisk(folderFor(!options.quick), options);
  const { stage, tearDown } = await buildStage(options.profile_dir !== null, !options.quick);
  const stopped = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => reject(new Stopped(`stopped by ${signal}`)));
  });
  try {
    await Promise.race([measureAll(stage, options), stopped]);
  } finally {
    await tearDown();
  }
}

async function measureAll(stage: Stage, options: Options): Promise<void> {
  const machine = await describeMachine(stage);
  const service = await startService(stage, { name: 'default', profile_dir: options.profile_dir });
  const reports: Report[] = [];
  for (const name of options.only) {
    const measured = await measure(stage, name, options, service);
    reports.push(measured);
    // At once: the next section may take an hour, or fail.
    if (!options.quick && options.profile_dir === null) writeDocument([measured], circumstances(machine, options));
  }
  await service.stop();
  if (options.json) console.log(JSON.stringify({ machine, options, reports }, null, 2));
  else for (const report of reports) console.log(`\n${report.section}\n\n${tablesOf(report)}\n${report.notes.join('\n')}`);
  if (options.profile_dir !== null) await printProfiles(options.profile_dir);
}

async function measure(stage: Stage, name: SectionName, options: Options, service: Service): Promise<Report> {
  report(`${name}: preparing`);
  const section = await BUILD[name](stage, options, service);
  try {
    const samples = await takeRounds(section, options, stage.server.pid, report);
    if (options.profile_dir !== null) await printStatements(stage);
    const measured = reportOf(section, samples);
    return { ...measured, figures: section.figures?.() ?? {}, notes: [...measured.notes, ...((await section.notes?.()) ?? [])] };
  } finally {
    await section.close();
  }
}

function circumstances(machine: Machine, { rounds, seconds }: Options): string {
  const { cpu, cores, memory_gb, system, node, postgres, sync_us } = machine;
  return (
    `${new Date().toISOString().slice(0, 10)}, ${cores} cores (${cpu}), ${memory_gb} GB, ${system}, Node ${node}, PostgreSQL ${postgres}, ` +
    `8 kB to the disk in ${sync_us} µs; ${rounds === 1 ? 'one round' : `medians of ${rounds} rounds`} of ${seconds} s.`
  );
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === null) console.log(USAGE);
  else await main(options);
  process.exit(0);
} catch (error) {
  if (error instanceof Stopped) {
    console.error(error.message);
    process.exit(130);
  }
  console.error(error instanceof OptionError ? `${error.message}\n\n${USAGE}` : error);
  process.exit(1);
}
