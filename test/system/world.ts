import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import type { Clock } from '../../src/kit/clock.ts';
import { Secrets } from '../../src/kit/crypto.ts';
import { createLog } from '../../src/kit/log.ts';
import { newKey, storeKey } from '../../src/tenants/keys/service.ts';
import { createTeam } from '../../src/tenants/teams/service.ts';
import { updateTeam } from '../../src/tenants/teams/store.ts';
import { startSimulator, type Simulator } from '../../simulators/kit/simulator.ts';
import { SIMULATORS } from '../../simulators/catalogue.ts';
import { freePort, until } from '../setup/api.ts';
import { COMPILE_CACHE } from '../../scripts/testing/compile-cache.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';
import { addAccounts, hastened, shareEvenly } from './market.ts';

/** Time goes this much faster: ten minutes of grace are twenty seconds. */
export const SPEED = 30;
/** A little longer than the slowest deadline of an adapter at that speed. */
const SLOW_MS = 1_600;

/** The whole system on loopback: databases, simulators of every provider, an API process and a worker process. */
export interface World {
  url: string;
  key: string;
  team_id: bigint;
  simulators: Simulator[];
  /** The live store, as its owner. */
  live: DbPool;
  /** The time as its processes have it. */
  clock: Clock;
  /** SIGKILLs one of the processes and starts it again. */
  kill(which: 'api' | 'worker'): Promise<void>;
  deaths: number;
  stop(): Promise<void>;
}

export async function startWorld(seed: number): Promise<World> {
  const databases = await cloneDatabases();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-faults-'));
  const secretsKey = randomBytes(32);
  const port = await freePort();
  const log = createLog({ level: 'silent', format: 'json' });
  const [control, live] = [databases.control, databases.live].map((url) => openPool({ url, size: 4, log })) as [DbPool, DbPool];
  const from_s = Math.floor(Date.now() / 1000);
  const clock = hastened(SPEED, from_s * 1000);
  const weather = { profile: 'stormy', delay_ms: 40, slow_ms: SLOW_MS, lag_ms: 2_000, now: clock.now } as const;
  const simulators = await Promise.all(
    SIMULATORS.map((kind, i) => startSimulator(kind, { ...weather, seed: seed * 100 + i * 10 })),
  );
  const { team_id, key } = await openShop(control, new Secrets(secretsKey), simulators, port);
  const env = environmentOf(databases, folder, secretsKey, port, from_s);
  // Half of every life would be spent on compiling, and whoever is killed keeps nothing of it.
  await once(start('migrate', env), 'exit');
  const running = { api: start('api', env), worker: start('worker', env) };
  const url = `http://127.0.0.1:${port}`;
  await isUp(url);
  const world: World = {
    ...{ url, key, team_id, simulators, live, clock, deaths: 0 },
    kill: async (which) => {
      world.deaths += 1;
      await ended(running[which]);
      running[which] = start(which, env);
      if (which === 'api') await isUp(url);
    },
    stop: async () => {
      await Promise.all(Object.values(running).map(ended));
      await Promise.all([...simulators.map((simulator) => simulator.stop()), control.close(), live.close()]);
      await databases.drop();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

/** A verified team with a live key and an account at every provider. */
async function openShop(
  control: DbPool,
  secrets: Secrets,
  simulators: Simulator[],
  port: number,
): Promise<{ team_id: bigint; key: string }> {
  const team = { ...(await createTeam(control, { name: 'Chez Awa', email: 'awa@shop.example' })), verification_level: 4 };
  await updateTeam(control, team);
  const key = newKey('secret', 'live');
  const wanted = { team_id: team.id, environment: 'live' as const, kind: 'secret' as const, scopes: [], allowed_ips: [] };
  await storeKey(control, key, { ...wanted, expires_at: null }, new Date());
  const accounts = await addAccounts(control, secrets, team.id, simulators);
  for (const { name, settings } of simulators) {
    settings.set('callback_url', `http://127.0.0.1:${port}/_callbacks/${accounts.get(name)}`);
  }
  await shareEvenly(control, team.id);
  return { team_id: team.id, key };
}

function environmentOf(
  databases: Databases,
  folder: string,
  secretsKey: Buffer,
  port: number,
  from_s: number,
): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...COMPILE_CACHE,
    PORT: String(port),
    DATA_DIR: folder,
    LOG_LEVEL: 'silent',
    LOG_FORMAT: 'json',
    RATE_LIMITS: 'off',
    HOLD_MOBILE_MONEY: '0s',
    SECRETS_KEY: secretsKey.toString('base64'),
    CLOCK_SPEED: `${SPEED}@${from_s}`,
    CONTROL_DATABASE_URL: databases.control,
    SANDBOX_DATABASE_URL: databases.sandbox,
    LIVE_DATABASE_URL: databases.live,
  };
}

function start(role: 'api' | 'worker' | 'migrate', env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, ['src/main.ts', role], { stdio: ['ignore', 'ignore', 'inherit'], env });
}

/** At once, as a machine that loses its power. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

async function isUp(url: string): Promise<void> {
  const ask = () =>
    fetch(`${url}/health/live`).then(
      ({ status }) => status,
      () => 0,
    );
  await until(ask, (status) => status === 200, 180_000);
}
