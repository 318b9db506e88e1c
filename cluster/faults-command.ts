import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { FAULTS } from './faults/catalogue.ts';
import type { Fault } from './faults/fault.ts';
import { giveFileSystems, removeFileSystems } from './file-systems.ts';
import { isInNamespace, loopbackNetwork, namespacePrefix, separateNetworks } from './network.ts';
import { OptionError, type Options } from './options.ts';
import { runCommand } from './parts/program.ts';
import { reportOf } from './report.ts';
import { notRun, type Outcome, runFault } from './run.ts';
import { type Cluster, ownUrls, StartError, startCluster } from './start.ts';
import { Stage } from './stage.ts';
import { killCluster, stopCluster } from './stop.ts';

/** Ended by a signal: shown without a stack. */
class Stopped extends Error {}

/** `npm run cluster -- faults`: in a network of its own where that is allowed. @returns the exit code */
export async function faultsCommand(options: Options): Promise<number> {
  const faults = chosenFaults(options);
  if (ownUrls(process.env))
    throw new StartError('faults break the databases: unset the three *_DATABASE_URL, and a cluster of its own is started');
  if (options.data && fs.existsSync(path.join(options.data, 'cluster.json')))
    throw new StartError(`${options.data} has a cluster already: faults need a new folder`);
  if (isInNamespace()) return runAll(options, faults);
  const found = namespacePrefix();
  if ('prefix' in found) return again(found.prefix);
  console.error(`WARNING  ${found.reason}: the network of a member cannot be cut, and no disk can be full`);
  return runAll(options, faults);
}

/** Runs this command again behind a prefix. */
async function again(prefix: readonly string[]): Promise<number> {
  const [program, ...args] = [...prefix, process.execPath, ...process.execArgv, ...process.argv.slice(1)] as string[];
  const child = spawn(program as string, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

/** @throws OptionError when a name is unknown */
export function chosenFaults({ only, seed }: Pick<Options, 'only' | 'seed'>): Fault[] {
  const unknown = only.filter((name) => !FAULTS.some((fault) => fault.name === name));
  if (unknown.length > 0)
    throw new OptionError(`--only ${unknown.join(',')}: must be of ${FAULTS.map(({ name }) => name).join(', ')}`);
  const chosen = only.length > 0 ? FAULTS.filter(({ name }) => only.includes(name)) : [...FAULTS];
  // Seed 1 keeps the order of the catalogue, others turn it.
  const start = Math.max(0, seed - 1) % chosen.length;
  return [...chosen.slice(start), ...chosen.slice(0, start)];
}

async function runAll(options: Options, faults: readonly Fault[]): Promise<number> {
  const folder = options.data ?? fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-cluster-'));
  const since = performance.now();
  const progress = (text: string) => console.error(`${((performance.now() - since) / 1000).toFixed(0).padStart(4)} s  ${text}`);
  const stopped = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => reject(new Stopped(`stopped by ${signal}`)));
  });
  stopped.catch(() => {}); // it may come before the race below, which then ends at once
  process.once('exit', () => killCluster(folder));
  let passed = false;
  try {
    const outcomes = await Promise.race([runFaults(folder, options, faults, progress), stopped]);
    console.log(options.json ? JSON.stringify(outcomes) : reportOf(outcomes));
    passed = outcomes.every((outcome) => outcome.passed);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    console.error(error.message);
  } finally {
    progress('stopping');
    killCluster(folder);
    await stopCluster(folder);
    removeFileSystems(folder);
    // The logs of a failed run are worth keeping.
    if (passed && options.data === null) fs.rmSync(folder, { recursive: true, force: true });
    else console.error(`logs: ${folder}/logs`);
  }
  return passed ? 0 : 1;
}

async function runFaults(
  folder: string,
  options: Options,
  faults: readonly Fault[],
  progress: (text: string) => void,
): Promise<Outcome[]> {
  const { site } = await startForFaults(folder, options, progress);
  if (!site) throw new Error('the databases are not of this cluster');
  const stage = await Stage.open(site, { rate: options.rate, progress });
  for (const fault of faults) await fault.prepare?.(stage);
  const outcomes: Outcome[] = [];
  const end = options.minutes === null ? Number.POSITIVE_INFINITY : performance.now() + options.minutes * 60_000;
  try {
    for (const fault of faults) {
      if (performance.now() > end) {
        outcomes.push(notRun(fault, 'no time left'));
        continue;
      }
      progress(`${fault.name}: ${fault.title}`);
      const outcome = await runFault(stage, fault);
      progress(`${fault.name}: ${outcome.not_run ?? (outcome.passed ? 'pass' : 'FAIL')}`);
      outcomes.push(outcome);
    }
    outcomes.push(await verify(stage));
  } finally {
    await stage.close();
  }
  return outcomes;
}

async function startForFaults(folder: string, options: Options, progress: (text: string) => void): Promise<Cluster> {
  const isolated = isInNamespace();
  if (isolated)
    giveFileSystems(
      folder,
      loopbackNetwork().members.map(({ name }) => name),
    );
  return startCluster(
    { ...options, data: folder },
    {
      progress: (text) => progress(`starting ${text}`),
      // The log of every request would be most of the work. Without retention, what a merchant has collected can be paid out.
      program: { env: { LOG_LEVEL: 'warn', HOLD_MOBILE_MONEY: '0s' } },
      ...(isolated ? { network: separateNetworks } : {}),
    },
  );
}

/** Runs the commands that recompute the books and the seals of the whole run. */
async function verify(stage: Stage): Promise<Outcome> {
  stage.progress('ledger verify, audit verify');
  const commands = [
    ['ledger', 'verify', '--environment', 'live'],
    ['audit', 'verify'],
  ];
  const results = await Promise.all(commands.map((args) => runCommand(stage.state, 'src/program/cli/main.ts', args)));
  const found = results.flatMap(({ code, output }, i) =>
    code === 0 ? [] : [`${commands[i]?.join(' ')} exits with ${code}: ${output.slice(-500)}`],
  );
  return { ...notRun({ name: 'verify' }, ''), not_run: null, found, passed: found.length === 0 };
}
