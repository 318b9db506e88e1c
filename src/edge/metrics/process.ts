import fs from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Family, gauge } from './exposition.ts';

const LAG_STEP_MS = 10;

type Loop = ReturnType<typeof monitorEventLoopDelay>;

/** Starts measuring the event loop delay of this process. */
export function watchLoop(): Loop {
  const loop = monitorEventLoopDelay({ resolution: LAG_STEP_MS });
  loop.enable();
  return loop;
}

/**
 * Returns process metrics under the names of Prometheus' own clients, so that existing dashboards work.
 * @param loop reset by this call
 */
export function processFamilies(loop: Loop, version: string): Family[] {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const started = performance.timeOrigin / 1000;
  const cpu = 'process_cpu_seconds_total';
  const families: Family[] = [
    { name: cpu, help: 'Time on the processors.', type: 'counter', lines: [`${cpu} ${(user + system) / 1e6}`] },
    gauge('process_resident_memory_bytes', 'Memory held.', [], [[[], rss]]),
    gauge('nodejs_heap_size_used_bytes', 'Memory in use by JavaScript.', [], [[[], heapUsed]]),
    gauge('process_start_time_seconds', 'When it was started, since the epoch.', [], [[[], Math.round(started)]]),
    gauge(
      'nodejs_eventloop_lag_seconds',
      'How late the event loop was since the last scrape.',
      ['stat'],
      [
        [['p50'], lag(loop.percentile(50))],
        [['p99'], lag(loop.percentile(99))],
        [['max'], lag(loop.max)],
      ],
    ),
    gauge('pirogue_build_info', 'Always 1.', ['version', 'node'], [[[version, process.version], 1]]),
  ];
  loop.reset();
  const files = openFiles();
  if (files !== null) families.push(gauge('process_open_fds', 'Open files and sockets.', [], [[[], files]]));
  return families;
}

/** Converts a measurement to seconds of delay: the histogram includes the whole sampling step. */
function lag(nanoseconds: number): number {
  return Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - LAG_STEP_MS / 1000) : 0;
}

function openFiles(): number | null {
  try {
    return fs.readdirSync('/proc/self/fd').length;
  } catch {
    return null; // not Linux
  }
}
