import path from 'node:path';
import { freePort } from '../src/platform/db/embedded/address.ts';
import { type StartOptions, startChild, stopChild } from './children.ts';
import { memoryOf } from './memory.ts';
import type { Options } from './options.ts';
import { untilReady } from './ready.ts';
import { median } from './report.ts';
import type { Point, Section } from './rounds.ts';
import { LAUNCH, POOL, type Service, startService } from './service.ts';
import type { Stage } from './stage.ts';

const GOAL_MS = 2_000;
const GOAL_IDLE_MB = 120;
/** After it was ready: the first rounds of background work are over. */
const IDLE_MS = 5_000;
const LAUNCHER = path.join(import.meta.dirname, '..', 'scripts', 'run.mjs');
const BARE = path.join(import.meta.dirname, 'child', 'bare.ts');

type Started = Pick<Service, 'pid' | 'ready_ms' | 'stop'>;

interface Subject {
  id: string;
  label: string;
  goal_ms?: number;
  start(): Promise<Started>;
  /** Called when it is ready and its CPU has been read. */
  look?(started: Started): Promise<void>;
}

/** How long a warm start takes, from the start of the process until GET /health/ready answers 200. */
export async function startSection(stage: Stage, options: Options): Promise<Section> {
  const idle_mb: (number | null)[] = [];
  const subjects: Subject[] = [
    { id: 'bare', label: 'a bare server with a pool', start: () => startBare(stage) },
    {
      id: 'service',
      label: 'the service, PostgreSQL is running',
      goal_ms: GOAL_MS,
      start: () => startService(stage, { name: 'start', profile_dir: null }),
      look: async ({ pid }) => {
        await new Promise((resolve) => setTimeout(resolve, options.quick ? 0 : IDLE_MS));
        idle_mb.push(memoryOf(pid)?.now_mb ?? null);
      },
    },
    { id: 'launcher', label: 'the launcher, with its PostgreSQL', goal_ms: GOAL_MS, start: () => startLauncher(stage, options) },
  ];
  // The first start writes what the others find: keys, a cluster, sources without types.
  if (!options.quick) for (const { start } of subjects) await (await start()).stop();
  const taken = new Map<string, (number | null)[]>();
  return {
    name: 'start',
    points: subjects.map((subject) => startPoint(stage, subject)),
    comparisons: ['service', 'launcher'].map((point) => ({ point, baseline: 'bare', metric: 'p50_ms' as const })),
    taken: (id, { p50_ms }) => taken.set(id, [...(taken.get(id) ?? []), p50_ms]),
    notes: async () => [
      ...subjects.map((subject) => noteOf(subject, taken.get(subject.id) ?? [])),
      memoryNote(median(idle_mb)),
      'A start is one request: its CPU is that of the whole start, for the launcher together with its PostgreSQL.',
    ],
    close: async () => {},
  };
}

function startPoint(stage: Stage, { id, label, start, look = undefined }: Subject): Point {
  let started: Started | undefined;
  return {
    id,
    label,
    get service_pid() {
      return started?.pid ?? null;
    },
    // The load generator has nothing to do here, and this process as a client would be counted with all that it started.
    client_pid: stage.load.pid,
    prepare: async () => {},
    run: async (began) => {
      began();
      started = await start();
      const { ready_ms } = started;
      return { requests: 1, seconds: ready_ms / 1000, p50_ms: ready_ms, p99_ms: null };
    },
    finish: async () => {
      if (!started) return;
      await look?.(started);
      await started.stop();
    },
  };
}

/** With the loader of the service, so that removing types does not count. */
function startBare(stage: Stage): Promise<Started> {
  const env = { ...LAUNCH.env, DATABASE_URL: stage.plain.url, DATABASE_POOL: String(POOL) };
  return startProcess(stage, 'bare', BARE, { env, execArgv: LAUNCH.flags });
}

/** What `npm start` runs, on a DATA_DIR of its own. A smoke run has no time to create a cluster and uses the running PostgreSQL. */
function startLauncher(stage: Stage, { quick }: Options): Promise<Started> {
  const { control, sandbox, live } = stage.urls;
  const running = {
    CONTROL_DATABASE_URL: control,
    SANDBOX_DATABASE_URL: sandbox,
    LIVE_DATABASE_URL: live,
    SECRETS_KEY: stage.secretsKey.toString('base64'),
  };
  const env = { DATA_DIR: path.join(stage.folder, 'launcher'), ...(quick ? running : {}) };
  return startProcess(stage, 'launcher', LAUNCHER, { args: ['src/main.ts'], env, group: true });
}

async function startProcess(stage: Stage, name: string, entry: string, options: Omit<StartOptions, 'log'>): Promise<Started> {
  const port = await freePort();
  const log = path.join(stage.folder, `start-${name}.log`);
  const since = performance.now();
  const child = startChild(entry, { ...options, env: { ...options.env, PORT: String(port) }, log });
  await untilReady(child, port, log);
  return { pid: child.pid ?? 0, ready_ms: performance.now() - since, stop: () => stopChild(child) };
}

function noteOf({ label, goal_ms = undefined }: Subject, taken: readonly (number | null)[]): string {
  const figure = median([...taken]);
  const shown = figure === null ? '-' : Math.round(figure).toLocaleString('en');
  const goal = goal_ms === undefined || figure === null ? '' : goalNote(figure, goal_ms, 'ms');
  return `${label[0]?.toUpperCase()}${label.slice(1)}: ready ${shown} ms after its start${goal}.`;
}

function memoryNote(idle_mb: number | null): string {
  if (idle_mb === null) return 'Memory is read on Linux only.';
  const goal = goalNote(idle_mb, GOAL_IDLE_MB, 'MB');
  return `Resident memory of the service ${IDLE_MS / 1000} s after it was ready: ${Math.round(idle_mb)} MB${goal}.`;
}

function goalNote(figure: number, goal: number, unit: string): string {
  return ` (goal: ${goal.toLocaleString('en')} ${unit}, ${figure <= goal ? 'met' : 'missed'})`;
}
