import { createServer } from 'node:net';
import type { Config } from '../../../platform/config/config.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

const ANSWER_MS = 10_000;

/** Checks that the configured address is free. If Pirogue listens there already, checks that it is ready. */
export async function checkService(config: Config): Promise<Finding[]> {
  const base = `http://${reachable(config.host)}:${config.port}`;
  const live = await get(`${base}/health/live`);
  if (live.code !== 200 || live.body.message !== 'alive') return [await checkFree(config)];
  return [ok('address', `${config.host}:${config.port}, Pirogue responds`), judge(await get(`${base}/health/ready`))];
}

/** Replaces an address that means "all interfaces" by the loopback address. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

interface Answer {
  /** HTTP status; 0 when there was no valid answer. */
  code: number;
  body: { message?: unknown; checks?: Record<string, string> };
}

async function get(url: string): Promise<Answer> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'manual' });
    return { code: response.status, body: (await response.json()) as Answer['body'] };
  } catch {
    return { code: 0, body: {} };
  }
}

function judge({ code, body }: Answer): Finding {
  if (code === 200 && body.message === 'degraded') {
    return warn(
      'workers',
      `the service is degraded: ${troublesOf(body)}`,
      'Check the databases: every process has the same problem.',
    );
  }
  if (code === 200) return ok('workers', 'running');
  if (code === 0) return fail('workers', '/health/ready does not respond', 'See the log of the service; restart it if it hangs.');
  return fail(
    'workers',
    `the service is not ready: ${troublesOf(body)}`,
    'See the log of the service; restart it if it does not recover.',
  );
}

function troublesOf(body: Answer['body']): string {
  return Object.entries(body.checks ?? {})
    .filter(([, state]) => state !== 'ok')
    .map(([name, state]) => `${name} ${state}`)
    .join(', ');
}

async function checkFree({ host, port }: Config): Promise<Finding> {
  const place = `${host}:${port}`;
  switch (await tryListen(host, port)) {
    case null:
      return ok('address', `${place} is free; the service is not running`);
    case 'EADDRINUSE':
      return fail('address', `another program listens on ${place}`, 'Stop it or set PORT.');
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return fail('address', `${host} is not an address of this machine`, 'Set HOST to one: 127.0.0.1, or 0.0.0.0 for all.');
    case 'EACCES':
      return fail('address', `this user may not listen on ${place}`, 'Set PORT to a number above 1023.');
    default:
      return fail('address', `no program can listen on ${place}`, 'Set HOST and PORT.');
  }
}

/**
 * Tries to listen at an address.
 * @returns the error's code, or null when it works
 */
function tryListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}
