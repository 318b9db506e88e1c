import { spawn } from 'node:child_process';
import path from 'node:path';
import { type Running, type Spec, startProcess, tailOf } from '../processes.ts';
import { portOf, type SimulatorAddress, type State } from '../state.ts';
import { ask, until } from '../wait.ts';
import { logOf } from './database.ts';

/** Folder of this version of the project. */
export const PROJECT = path.resolve(import.meta.dirname, '..', '..');
const PRELOAD = path.join(import.meta.dirname, '..', 'program', 'preload.ts');
const START_MS = 120_000;
const COMMAND_MS = 300_000;
const SIMULATORS_MS = 60_000;
const SIMULATORS = 8;

/** Which program a process runs, and with which settings. Other sources: an earlier release, for an upgrade under load. */
export interface ProgramChoice {
  source?: string;
  env?: Record<string, string>;
}

/** Returns how an API or worker process is started: `api1`, `worker2`. */
export function programSpec(state: State, name: string, { source = state.source, env = {} }: ProgramChoice = {}): Spec {
  const role = name.startsWith('api') ? 'api' : 'worker';
  const port = portOf(state, name);
  return {
    ...{ name, kind: role, cwd: source, log: logOf(state, name), address: `127.0.0.1:${port}` },
    command: [process.execPath, '--import', PRELOAD, path.join(source, 'src', 'main.ts'), role],
    env: {
      ...programEnv(state, source),
      // A worker listens nowhere, but its metrics show that it is there.
      ...(role === 'api'
        ? { PORT: String(port), METRICS_PORT: String(portOf(state, `${name}-metrics`)) }
        : { METRICS_PORT: String(port) }),
      DATA_DIR: path.join(state.folder, 'program', name),
      ...env,
    },
  };
}

/**
 * Starts an API or worker process and waits until it is there.
 * @param page that must answer 200: a node with a wrong clock may be alive and not ready
 */
export async function startProgram(spec: Spec, launch: (spec: Spec) => Running, page = '/health/ready'): Promise<Running> {
  const running = launch(spec);
  const url = `http://${spec.address}${spec.kind === 'api' ? page : '/metrics'}`;
  await until(
    () => `${spec.name} is ready\n${tailOf(spec.log)}`,
    START_MS,
    async () => (await ask(url))?.status === 200,
  );
  return running;
}

function programEnv(state: State, source: string): Record<string, string> {
  const { PATH = '', HOME = '/', TMPDIR } = process.env;
  return {
    ...{ PATH, HOME, NODE_COMPILE_CACHE: path.join(source, '.cache', 'compiled'), LOG_FORMAT: 'json', LOG_LEVEL: 'info' },
    ...(TMPDIR ? { TMPDIR } : {}),
    ...state.service_env,
  };
}

/** Runs a command of the program as the owner of the databases. @returns its exit code and output */
export async function runCommand(
  state: State,
  file: 'src/main.ts' | 'src/program/cli/main.ts',
  args: readonly string[],
  { source = state.source, env = {} }: ProgramChoice = {},
): Promise<{ code: number | null; output: string }> {
  const { control, sandbox, live } = state.owner_urls;
  const urls = { CONTROL_DATABASE_URL: control, SANDBOX_DATABASE_URL: sandbox, LIVE_DATABASE_URL: live };
  const data = { DATA_DIR: path.join(state.folder, 'program', 'command') };
  const child = spawn(process.execPath, [path.join(source, file), ...args], {
    ...{ cwd: source, env: { ...programEnv(state, source), ...urls, ...data, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    timeout: COMMAND_MS,
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
  return { code, output: Buffer.concat(chunks).toString() };
}

/** Starts the simulators of providers and reads their addresses from what they print. */
export async function startSimulators(state: State): Promise<{ running: Running; simulators: SimulatorAddress[] }> {
  const base = portOf(state, 'simulators');
  const args = ['--port-base', String(base), '--delay', '400'];
  const log = logOf(state, 'simulators');
  const running = startProcess({
    ...{ name: 'simulators', kind: 'simulators', cwd: PROJECT, log, address: `127.0.0.1:${base}` },
    command: [process.execPath, path.join(PROJECT, 'simulators', 'main.ts'), ...args],
    env: programEnv(state, PROJECT),
  });
  const simulators = await until(
    () => `the simulators are ready\n${tailOf(log)}`,
    SIMULATORS_MS,
    () => {
      const found = simulatorsIn(tailOf(log, 100_000), base);
      return found.length === SIMULATORS ? found : null;
    },
  );
  return { running, simulators };
}

/** Reads addresses and credentials from the output of `npm run simulators`. */
export function simulatorsIn(text: string, base: number): SimulatorAddress[] {
  const found = new Map<string, SimulatorAddress>();
  for (const [, name, url, command] of text.matchAll(/^(\S+) {2}(http:\S+)\n[\s\S]*?add it: .* --set (.*)$/gm)) {
    const port = Number(new URL(url as string).port);
    if (port < base || port >= base + SIMULATORS) continue; // of an earlier start
    const pairs = (command as string)
      .split(' ')
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
    found.set(name as string, { name: name as string, url: url as string, credentials: Object.fromEntries(pairs) });
  }
  return [...found.values()];
}
