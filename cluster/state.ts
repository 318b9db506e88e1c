import fs from 'node:fs';
import path from 'node:path';
import type { Running } from './processes.ts';

/** The URLs of the three databases. */
export interface Urls {
  control: string;
  sandbox: string;
  live: string;
}

/** What stays the same when a stopped cluster is started again: its data depends on it. */
export interface Choices {
  ports: Record<string, number>;
  passwords: Record<'superuser' | 'replication' | 'rewind' | 'owner' | 'service', string>;
  secrets_key: string;
}

export interface MemberAddress {
  name: string;
  host: string;
  port: number;
  rest_port: number;
}

export interface SimulatorAddress {
  name: string;
  url: string;
  credentials: Record<string, string>;
}

/** All that other commands need to know of a cluster: one file in its folder. */
export interface State {
  folder: string;
  /** Folder of the program's sources. */
  source: string;
  choices: Choices;
  /** The balancer before the API processes. */
  api_url: string;
  /** Addresses for payers and providers to reach the API. */
  members: MemberAddress[];
  owner_urls: Urls;
  service_urls: Urls;
  /** Settings of every API and worker process. */
  service_env: Record<string, string>;
  redis_url: string;
  simulators: SimulatorAddress[];
  processes: Running[];
}

const FILE = 'cluster.json';

export function readState(folder: string): State | null {
  const file = path.join(folder, FILE);
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as State) : null;
}

/** Writes the state so that a reader sees the old file or the new one. It holds passwords. */
export function writeState(state: State): void {
  const file = path.join(state.folder, FILE);
  fs.writeFileSync(`${file}.new`, JSON.stringify(state, null, 2), { mode: 0o600 });
  fs.renameSync(`${file}.new`, file);
}

/** Records a process, in place of an earlier one of its name. */
export function record(state: State, running: Running): Running {
  state.processes = [...state.processes.filter(({ name }) => name !== running.name), running];
  writeState(state);
  return running;
}

export function processOf(state: State, name: string): Running {
  const found = state.processes.find((one) => one.name === name);
  if (!found) throw new Error(`the cluster has no process named ${name}`);
  return found;
}

export function portOf({ choices }: Pick<State, 'choices'>, name: string): number {
  const port = choices.ports[name];
  if (port === undefined) throw new Error(`no port was chosen for ${name}`);
  return port;
}
