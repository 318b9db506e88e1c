import { pino } from 'pino';
import { readConfig } from '../../src/platform/config/config.ts';
import { openStores } from '../../src/platform/db/stores.ts';
import { buildDeps } from '../../src/program/deps.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { Secrets } from '../../src/kit/crypto.ts';
import { buildApi } from '../../src/program/program.ts';
import { type Answer, type Api, freePort } from '../setup/api.ts';

/** An API process beside others: own socket, own pools, own memory, the same databases. */
export interface Node {
  call(method: string, path: string, key: string | null, body?: object): Promise<Answer>;
  /** What /health/ready says of where requests are counted. */
  counts(): Promise<string>;
  /** Messages it has logged from `warn` on, and those about limits. */
  log: string[];
  stop(): Promise<void>;
}

/** @param env of each, such as REDIS_URL */
export function startNodes(api: Api, count: number, env: Record<string, string>): Promise<Node[]> {
  return Promise.all(Array.from({ length: count }, () => startNode(api, env)));
}

async function startNode(api: Api, env: Record<string, string>): Promise<Node> {
  const config = readConfig({ PORT: String(await freePort()), LOG_FORMAT: 'json', ...env });
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const stores = openStores(api.databases, 4, log);
  const deps = buildDeps({ config, stores, log, clock: systemClock, secrets: new Secrets(Buffer.alloc(32, 7)) });
  const server = buildApi(deps, []);
  await server.listen({ host: config.host, port: config.port });
  const call: Node['call'] = async (method, path, key, body) => {
    const response = await fetch(`${config.public_url}${path}`, {
      method,
      headers: { ...(key ? { authorization: key } : {}), 'x-forwarded-for': '198.51.100.1' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  return {
    call,
    counts: async () => (await call('GET', '/health/ready', null)).body.details.rate_limits,
    get log() {
      return lines.filter((line) => line !== 'request');
    },
    stop: async () => {
      await server.close();
      await stores.close();
    },
  };
}
