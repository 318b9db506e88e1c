import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type Account, canEnter, give, serverAccount } from './account.ts';
import { loopbackNetwork, type Network } from './network.ts';
import type { Options } from './options.ts';
import { findPrograms, missingText, type Programs } from './packages.ts';
import { startBalancer, startPgbouncer, startRedis } from './parts/between.ts';
import { createRoles, type Site, startEtcd, startMembers, urlsOf } from './parts/database.ts';
import { PROJECT, type ProgramChoice, programSpec, runCommand, startProgram, startSimulators } from './parts/program.ts';
import { freePorts, freeRange } from './ports.ts';
import { isRunning, startProcess } from './processes.ts';
import { type Choices, portOf, readState, record, type State, type Urls, writeState } from './state.ts';
import { fillTemplate } from './templates.ts';
import { ask, until } from './wait.ts';

/** Cannot be started, because of something that the caller can change. Its message is shown without a stack. */
export class StartError extends Error {}

const SIMULATOR_PORTS = 8;
/** The balancer, and the caller's own address before it: a test sends requests for many addresses. */
const TRUSTED_PROXIES = 2;
const DATABASE_POOL = 6;
const BALANCER_MS = 15_000;

type StartOptions = Pick<Options, 'apis' | 'workers' | 'redis' | 'pgbouncer'> & { data: string };

export interface StartChoices {
  network?: (folder: string) => Promise<Network>;
  /** Another version of the program for the migrations and all processes. */
  program?: ProgramChoice;
  progress?: (text: string) => void;
  env?: NodeJS.ProcessEnv;
}

/** A running cluster, for the command that has started it. */
export interface Cluster {
  state: State;
  site: Site | null;
}

/** Starts everything, one part after the other; a folder that was stopped is started again with its data. */
export async function startCluster(options: StartOptions, choices: StartChoices = {}): Promise<Cluster> {
  const { progress = () => {}, env = process.env, program = {} } = choices;
  if (process.platform !== 'linux') throw new StartError('a cluster needs Linux');
  const own = ownUrls(env);
  const programs = programsFor(options, own !== null);
  const earlier = readState(options.data);
  if (earlier?.processes.some(isRunning))
    throw new StartError(`already running in ${options.data}: see status, or stop it first`);
  const account = serverAccount();
  prepareFolder(options.data, account);
  const network = await (choices.network ?? (async () => loopbackNetwork()))(options.data);
  const state = await newState(options, network, earlier, program.source ?? PROJECT);
  const launch: Site['launch'] = (spec) => record(state, startProcess(spec));
  for (const { holder } of network.members) if (holder) record(state, holder);
  const site: Site = { state, network, account, programs: programs as Programs, launch };
  if (own) Object.assign(state, { owner_urls: own, service_urls: own, members: [] });
  else await startDatabases(site, options, progress);
  await startRest(site, options, program, progress);
  return { state, site: own ? null : site };
}

async function startDatabases(site: Site, options: StartOptions, progress: (text: string) => void): Promise<void> {
  const { state } = site;
  progress('etcd');
  await startEtcd(site);
  progress('three Patroni members');
  await startMembers(site);
  progress('haproxy, roles, PgBouncer');
  await startBalancer(site, options.apis);
  await createRoles(state);
  state.owner_urls = urlsOf(state, 'owner', `127.0.0.1:${portOf(state, 'database')}`);
  if (isUrl(options.pgbouncer)) {
    state.service_urls = urlsOf(state, 'service', new URL(options.pgbouncer as string).host);
  } else {
    await startPgbouncer(site);
    state.service_urls = urlsOf(state, 'service', `127.0.0.1:${portOf(state, 'pgbouncer')}`);
  }
  writeState(state);
}

async function startRest(
  site: Site,
  options: StartOptions,
  program: ProgramChoice,
  progress: (text: string) => void,
): Promise<void> {
  const { state } = site;
  if (state.members.length === 0) await startBalancer(site, options.apis);
  progress('Redis and the simulators of providers');
  if (!options.redis) await startRedis(site);
  const { running, simulators } = await startSimulators(state);
  state.simulators = simulators;
  record(state, running);
  // Kept, because a fault starts processes again.
  state.service_env = { ...serviceEnv(state), ...program.env };
  writeState(state);
  progress('migrations');
  const migrated = await runCommand(state, 'src/main.ts', ['migrate'], program);
  if (migrated.code !== 0) throw new Error(`migrate exited with ${migrated.code}:\n${migrated.output}`);
  progress(`${options.apis} API and ${options.workers} worker processes`);
  await Promise.all(programNames(options).map((name) => startProgram(programSpec(state, name, program), site.launch)));
  const ready = `${state.api_url}/health/ready`;
  await until('the balancer leads to a node', BALANCER_MS, async () => (await ask(ready))?.status === 200);
}

export function programNames({ apis, workers }: Pick<Options, 'apis' | 'workers'>): string[] {
  const names = (kind: string, count: number) => Array.from({ length: count }, (_, i) => `${kind}${i + 1}`);
  return [...names('api', apis), ...names('worker', workers)];
}

/** Returns the databases of the caller's environment, if there are any. */
export function ownUrls(env: NodeJS.ProcessEnv): Urls | null {
  const names = ['CONTROL_DATABASE_URL', 'SANDBOX_DATABASE_URL', 'LIVE_DATABASE_URL'] as const;
  const [control, sandbox, live] = names.map((name) => env[name]);
  if (!control && !sandbox && !live) return null;
  if (!control || !sandbox || !live) throw new StartError(`set all three of ${names.join(', ')}, or none`);
  return { control, sandbox, live };
}

function programsFor({ redis, pgbouncer }: StartOptions, ownDatabases: boolean): Partial<Programs> {
  const databases = ownDatabases ? [] : (['etcd', 'patroni', 'postgres'] as const);
  const between = ownDatabases || pgbouncer ? [] : (['pgbouncer'] as const);
  const { programs, missing } = findPrograms([...databases, ...between, 'haproxy', ...(redis ? [] : (['redis'] as const))]);
  if (missing.length > 0) throw new StartError(missingText(missing));
  if (pgbouncer && !isUrl(pgbouncer)) {
    if (!fs.existsSync(pgbouncer)) throw new StartError(`--pgbouncer ${pgbouncer}: no such file`);
    programs.pgbouncer = path.resolve(pgbouncer);
  }
  return programs;
}

function isUrl(text: string | null): boolean {
  return text !== null && /^postgres(ql)?:\/\//.test(text);
}

function prepareFolder(folder: string, account: Account): void {
  fs.mkdirSync(path.join(folder, 'program', 'command'), { recursive: true });
  fs.chmodSync(folder, 0o755);
  give(account, folder);
  if (canEnter(account, folder)) return;
  throw new StartError(
    `the account of the servers cannot enter ${folder}: choose another --data, such as /var/tmp/pirogue-cluster`,
  );
}

async function newState(options: StartOptions, network: Network, earlier: State | null, source: string): Promise<State> {
  const choices = await choicesFor(options, earlier?.choices);
  const port = (name: string) => choices.ports[name] as number;
  const none = { control: '', sandbox: '', live: '' };
  const state: State = {
    ...{ folder: options.data, source, choices, owner_urls: none, service_urls: none, service_env: {}, simulators: [] },
    api_url: `http://127.0.0.1:${port('api')}`,
    redis_url: options.redis ?? `redis://127.0.0.1:${port('redis')}`,
    members: network.members.map(({ name, host }) => ({ name, host, port: port(name), rest_port: port(`${name}-rest`) })),
    processes: [],
  };
  writeState(state);
  return state;
}

async function choicesFor(options: StartOptions, earlier?: Choices): Promise<Choices> {
  const members = loopbackNetwork().members.flatMap(({ name }) => [name, `${name}-rest`]);
  const apis = programNames({ ...options, workers: 0 });
  const wanted = ['etcd', 'etcd-peer', ...members, 'database', 'pgbouncer', 'redis', 'api', ...programNames(options)];
  const missing = [...wanted, ...apis.map((name) => `${name}-metrics`)].filter((name) => earlier?.ports[name] === undefined);
  const simulators = earlier?.ports.simulators ?? (await freeRange(SIMULATOR_PORTS));
  const ports = { ...earlier?.ports, ...(await freePorts(missing)), simulators };
  const password = () => randomBytes(18).toString('hex');
  return {
    ports,
    passwords: earlier?.passwords ?? {
      ...{ superuser: password(), replication: password(), rewind: password(), owner: password(), service: password() },
    },
    secrets_key: earlier?.secrets_key ?? randomBytes(32).toString('base64'),
  };
}

function serviceEnv(state: State): Record<string, string> {
  const text = fillTemplate('service.env', {
    ...{ PUBLIC_URL: state.api_url, SECRETS_KEY: state.choices.secrets_key, REDIS_URL: state.redis_url },
    CONTROL_DATABASE_URL: state.service_urls.control,
    SANDBOX_DATABASE_URL: state.service_urls.sandbox,
    LIVE_DATABASE_URL: state.service_urls.live,
    ...{ DATABASE_POOL, TRUST_PROXY: TRUSTED_PROXIES },
  });
  return Object.fromEntries(
    text
      .split('\n')
      .flatMap((line) => (/^[A-Z_]+=/.test(line) ? [[line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]] : [])),
  );
}
