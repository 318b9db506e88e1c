import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { must } from '../../../kit/errors.ts';
import { ConfigError } from '../../../kit/config-error.ts';
import type { Log } from '../../../kit/log.ts';
import { type Address, removeSocketFolder } from './address.ts';
import { program } from './binaries.ts';
import { beginLog, logTail, openLog } from './log.ts';
import type { Place } from './place.ts';
import { disownPidFile, readPostmaster, readyPostmaster, serves } from './postmaster.ts';
import { runProgram, surroundings } from './programs.ts';
import { chooseAddress, serverArguments } from './settings.ts';
import { waitFor } from './wait.ts';

/** Replaying the log after a crash may take minutes. A server that fails is detected immediately by its exit. */
const READY_LIMIT_MS = 300_000;
const STOP_LIMIT_S = 30;
const RETRY_LIMIT_MS = 15_000;
const FIRST_RESTART_MS = 250;
const MAX_RESTART_MS = 15_000;
/** A server that has run for this long is started again without a long pause. */
const STEADY_MS = 60_000;
/** A server that has just been started may miss the signal of its watcher. */
const UNREADY_STOP_MS = 5_000;
/** Time between two checks of a server whose watcher is gone. */
const LOOK_MS = 1_000;

export interface ServerOptions {
  place: Place;
  binaries: string;
  durable: boolean;
  settings: Record<string, string>;
  /** Receives a line when the server ends by itself. */
  log?: Log | undefined;
}

export interface RunningServer {
  /** Process id of the server; another one after it was started again. */
  readonly pid: number;
  address: Address;
  stop(): Promise<void>;
}

/** One process of the server. */
interface Launched {
  child: ChildProcess;
  pid: number;
  address: Address;
  /** When it accepted connections, by the monotonic clock. */
  ready_at: number;
}

/**
 * Shell script between this process and the server. When this process's end of stdin closes, however the process ends, the
 * script stops the server. It runs in a separate process group, so that Ctrl-C reaches only this process, which can drain
 * first.
 */
const WATCHER = `exec 3<&0
"$@" 3<&- & server=$!
trap "" INT TERM HUP
{ cat <&3 >/dev/null; kill -INT $server; } 2>/dev/null & guard=$!
exec 3<&-
wait $server; code=$?
kill -KILL $guard 2>/dev/null
exit $code`;

/** Stops a server left by a killed process, and neutralises a stale pid file. The caller holds the lock. */
export async function clearLeftover(place: Place, binaries: string): Promise<void> {
  const left = readPostmaster(place.cluster);
  if (!left) return;
  if (serves(left.pid, place.cluster)) await stopByProgram(place, binaries, left.pid);
  else disownPidFile(place.cluster);
}

/**
 * Starts the server of a finished cluster and waits until it accepts connections. A server that ends by itself later, such as
 * after a full disk or for want of memory, is started again at the same address until `stop`. The caller holds the lock.
 * @throws ConfigError when the server does not start
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const stopping = new AbortController();
  beginLog(options.place.cluster);
  const first = must(await launch(options), 'nobody stops the first start');
  let server = first;
  const kept = keepRunning(options, first, stopping.signal, (next) => {
    server = next;
  });
  return {
    get pid() {
      return server.pid;
    },
    address: first.address,
    stop: async () => {
      stopping.abort();
      await kept;
      await stopServer(options, server);
      removeSocketFolder(first.address);
    },
  };
}

/** Starts the server again whenever it ends by itself. The pause grows while the server does not run for {@link STEADY_MS}. */
async function keepRunning(
  options: ServerOptions,
  first: Launched,
  stopping: AbortSignal,
  started: (server: Launched) => void,
): Promise<void> {
  const { place, binaries, log } = options;
  let server = first;
  let tries = 0;
  while (await endsByItself(server, place.cluster, stopping)) {
    if (performance.now() - server.ready_at >= STEADY_MS) tries = 0;
    log?.error({ postgres: logTail(place.cluster) }, 'PostgreSQL ended by itself and is started again');
    for (let next: Launched | null = null; next === null; ) {
      await pause(Math.min(FIRST_RESTART_MS * 2 ** tries, MAX_RESTART_MS), stopping);
      if (stopping.aborted) return;
      try {
        // The log of the first end stays, as the one of the previous run.
        if (tries++ === 0) beginLog(place.cluster);
        await clearLeftover(place, binaries);
        next = await launch(options, { before: first.address, stopping });
        if (next === null) return;
      } catch (error) {
        log?.error({ err: error }, 'PostgreSQL did not start again; it will be tried again');
        continue;
      }
      log?.warn('PostgreSQL was started again');
      server = next;
      started(next);
    }
  }
}

/** Resolves when the server has ended by itself, or with false when `stopping` aborts. */
async function endsByItself({ child, pid }: Launched, cluster: string, stopping: AbortSignal): Promise<boolean> {
  if (child.exitCode === null && child.signalCode === null) {
    await once(child, 'exit', { signal: stopping }).catch(() => {});
  }
  // When only the watcher was killed, the server is still running.
  while (!stopping.aborted && serves(pid, cluster)) await pause(LOOK_MS, stopping);
  return !stopping.aborted;
}

function pause(ms: number, stopping: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { ref: false, signal: stopping }).catch(() => {});
}

/** Options of a start after the first one. */
interface Again {
  before: Address;
  stopping: AbortSignal;
}

/** Starts a process of the server. Returns null when `stopping` aborts in the meantime. */
async function launch(options: ServerOptions, again?: Again): Promise<Launched | null> {
  const { cluster } = options.place;
  const deadline = performance.now() + RETRY_LIMIT_MS;
  for (;;) {
    const address = await chooseAddress(options.place, again?.before);
    if (again?.stopping.aborted) return null;
    const child = spawnServer(options, address);
    const pid = await untilReady(child, cluster, again?.stopping);
    if (pid !== null) return { child, pid, address, ready_at: performance.now() };
    if (again?.stopping.aborted) {
      await stopUnready(options, child);
      return null;
    }
    // Transient: connections of a killed server end with a delay, or another process took the port.
    const passing = /is still in use|could not bind/.test(logTail(cluster));
    if (!passing || performance.now() > deadline) {
      throw new ConfigError(`PostgreSQL did not start: ${logTail(cluster)}`);
    }
    await waitFor(() => null, 200);
  }
}

function spawnServer({ place, binaries, durable, settings }: ServerOptions, address: Address): ChildProcess {
  const command = [program(binaries, 'postgres'), ...serverArguments(place.cluster, address, durable, settings)] as const;
  const log = openLog(place.cluster);
  const options = { ...surroundings(place.account), detached: true, windowsHide: true };
  const child =
    process.platform === 'win32'
      ? spawn(command[0], command.slice(1), { ...options, stdio: ['ignore', log, log] })
      : spawn('/bin/sh', ['-c', WATCHER, 'sh', ...command], { ...options, stdio: ['pipe', log, log] });
  fs.closeSync(log);
  child.on('error', () => {}); // detected by the missing pid
  child.stdin?.on('error', () => {}); // the watcher died; detected by its exit
  return child;
}

/**
 * Returns the server's pid when it is ready, or null when it exited or is no longer wanted. After that, the child does not keep the
 * event loop alive.
 * @throws ConfigError when the server is not ready in time
 */
async function untilReady(child: ChildProcess, cluster: string, stopping?: AbortSignal): Promise<number | null> {
  const ended = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  const answer = await waitFor(() => readyPostmaster(cluster)?.pid ?? (ended() || stopping?.aborted), READY_LIMIT_MS);
  child.unref();
  (child.stdin as { unref?: () => void } | null)?.unref?.();
  if (answer === null) {
    child.stdin?.destroy();
    throw new ConfigError(`PostgreSQL was not ready after ${READY_LIMIT_MS / 1000} seconds`);
  }
  return answer === true ? null : answer;
}

async function stopServer({ place, binaries }: ServerOptions, { child, pid }: Pick<Launched, 'child' | 'pid'>): Promise<void> {
  child.stdin?.end();
  const limit = child.stdin ? STOP_LIMIT_S * 1000 : 0; // without a watcher, nothing else stops the server
  if (await waitFor(() => !serves(pid, place.cluster), limit)) return;
  await stopByProgram(place, binaries, pid);
}

/** Stops a server that was not ready yet, and may not have written its pid. */
async function stopUnready({ place, binaries }: ServerOptions, child: ChildProcess): Promise<void> {
  child.stdin?.end();
  if (await waitFor(() => child.exitCode !== null || child.signalCode !== null, UNREADY_STOP_MS)) return;
  await stopByProgram(place, binaries, readPostmaster(place.cluster)?.pid ?? 0);
}

/** Closes the connections and stops the server. If that hangs, stops it immediately; the next start replays the log. */
async function stopByProgram({ cluster, account }: Place, binaries: string, pid: number): Promise<void> {
  const stop = async (mode: string) => {
    const args = ['stop', '-D', cluster, '-m', mode, '-w', '-t', String(STOP_LIMIT_S), '-s'];
    try {
      await runProgram(program(binaries, 'pg_ctl'), args, account, (STOP_LIMIT_S + 5) * 1000);
    } catch (error) {
      if (serves(pid, cluster)) throw error; // otherwise it was already stopping and exited before pg_ctl checked
    }
  };
  await stop('fast').catch(() => stop('immediate'));
}
