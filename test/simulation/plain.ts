import { setImmediate as turn } from 'node:timers/promises';
import { type Config, readConfig } from '../../src/platform/config/config.ts';
import { DbClient } from '../../src/platform/db/client.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { openStores } from '../../src/platform/db/stores.ts';
import { Secrets } from '../../src/kit/crypto.ts';
import type { Send } from '../../src/kit/fetch.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { startDeliveries } from '../../src/money/webhooks/deliver.ts';
import type { Sweep } from '../../src/platform/work/sweep.ts';
import { buildDeps, type Deps } from '../../src/program/deps.ts';
import { buildApi, sweepsOf } from '../../src/program/program.ts';
import type { Providers } from '../../src/providers/provider-accounts/directory.ts';
import { asService, cloneDatabases } from '../setup/databases.ts';
import type { Answer, CallRequest, Delivery, Ground, Population, Random, Surroundings } from './contract.ts';
import { populate, settingsOf } from './population.ts';
import { randomFrom } from './random.ts';

/*
 * A world on one ordinary node, without crashes and without a scheduler: what the shops, payers and providers of the simulation do
 * to a service whose time is moved by their waiting. It does not repeat exactly, but it is simple.
 */

const START = Date.UTC(2026, 5, 1, 8);
/** Turns of the event loop without a statement after which everything waits for time. */
const QUIET_TURNS = 6;
const STEP_MS = 10_000;
const SWEEP_MS = 4_000;
const LONG_STEP_MS = 600_000;

/** Statements under way, of all connections of this process. */
let statements = 0;
let onNone = () => {};

function ended(): void {
  statements -= 1;
  if (statements === 0) onNone();
}

/** Counts statements; returns a function that stops it. */
function countStatements(): () => void {
  const { query } = DbClient.prototype;
  DbClient.prototype.query = function counted(this: DbClient, ...given: unknown[]) {
    statements += 1;
    const result = (query as (...all: unknown[]) => unknown).apply(this, given);
    if (result instanceof Promise) result.then(ended, ended);
    else ended();
    return result;
  } as typeof query;
  return () => {
    DbClient.prototype.query = query;
  };
}

interface Sleeper {
  at: number;
  wake: () => void;
}

export interface PlainResult {
  differences: string[];
  /** Virtual milliseconds. */
  lasted_ms: number;
  /** Milliseconds of processor time of this process. */
  cpu_ms: number;
}

export class PlainWorld {
  readonly #random: Random;
  readonly #log: string[] = [];
  readonly #databases: Awaited<ReturnType<typeof cloneDatabases>>;
  readonly #owners: Record<'control' | 'live', DbPool>;
  #deps!: Deps;
  #server!: ReturnType<typeof buildApi>;
  #population!: Population;
  #now = START;
  #sleepers: Sleeper[] = [];
  #running = new Set<string>();
  #calm = true;

  private constructor(seed: string, databases: Awaited<ReturnType<typeof cloneDatabases>>) {
    this.#random = randomFrom(seed);
    this.#databases = databases;
    const log = createLog({ level: 'silent', format: 'json' });
    this.#owners = {
      control: openPool({ url: databases.control, size: 2, log }),
      live: openPool({ url: databases.live, size: 2, log }),
    };
  }

  /** @param trace prints the story while it happens */
  static async run(seed: string, payments: number, trace = false): Promise<PlainResult> {
    const world = new PlainWorld(seed, await cloneDatabases());
    const before = process.cpuUsage();
    const stopCounting = countStatements();
    try {
      const differences = await world.#run(payments, trace);
      const { user, system } = process.cpuUsage(before);
      return { differences, lasted_ms: world.#now - START, cpu_ms: (user + system) / 1000 };
    } finally {
      stopCounting();
      await world.#close();
    }
  }

  async #run(payments: number, trace: boolean): Promise<string[]> {
    await this.#open();
    const surroundings = this.#surroundings(trace);
    const ground: Ground = {
      ...{ surroundings, ...this.#owners, secrets: this.#deps.secrets, payments, apiUrl: this.#deps.config.public_url },
      operate: (work) => work(this.#deps, this.#deps.stores.live),
    };
    const population = await this.#drive(populate(ground));
    this.#population = population;
    Object.assign(this.#providers, bound(population.providers));
    this.#calm = false;
    const deliveries = startDeliveries(this.#deps, this.#deps.stores.live, { send: this.#send() });
    await this.#drive(Promise.all(population.actors.map((actor) => actor.run(new Set()))));
    this.#calm = true;
    await this.#drive(population.settle());
    await this.#drainDeliveries();
    const differences = await this.#drive(population.audit());
    await deliveries.stop();
    return differences;
  }

  readonly #providers = {} as Providers;

  async #open(): Promise<void> {
    const { control: c, sandbox: s, live: l } = this.#databases;
    for (const db of Object.values(this.#owners)) await takeClock(db, this.#now);
    const config: Config = readConfig({
      ...{ DATA_DIR: '/nonexistent', LOG_LEVEL: 'silent', LOG_FORMAT: 'json', DATABASE_POOL: '8' },
      ...settingsOf(this.#random.fork('settings')),
    });
    const log = createLog({ level: process.env.SIMULATE_LOG ?? 'silent', format: 'json' });
    const stores = openStores({ control: asService(c), sandbox: asService(s), live: asService(l) }, config.database_pool, log);
    const clock = { now: () => this.#now };
    this.#deps = buildDeps({ config, stores, log, secrets: new Secrets(Buffer.alloc(32, 7)), clock, providers: this.#providers });
    this.#server = buildApi(this.#deps, []);
    await this.#server.ready();
  }

  async #close(): Promise<void> {
    await this.#server.close();
    await this.#deps.stores.close();
    await Promise.all(Object.values(this.#owners).map((db) => db.close()));
    await this.#databases.drop();
  }

  #surroundings(trace: boolean): Surroundings {
    const network = this.#random.fork('network');
    return {
      random: this.#random,
      now: () => this.#now,
      sleep: (ms) => this.#sleep(ms),
      point: async () => {},
      call: (request) => this.#call(network, request),
      callback: (path, { headers, body }) => this.#call(network, { method: 'POST', path, headers, body }),
      disturbed: () => false,
      log: (line) => {
        this.#log.push(line);
        if (trace) console.log(`${new Date(this.#now).toISOString()} ${line}`);
      },
    };
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((wake) => this.#sleepers.push({ at: this.#now + ms, wake }));
  }

  async #call(network: Random, request: CallRequest): Promise<Answer | 'lost'> {
    const fate = this.#calm ? 1 : network.next();
    if (fate < 0.01) return 'lost';
    const { method, path, key, idempotency_key, headers, body } = request;
    const answer = await this.#server.inject({
      method: method as 'GET',
      url: path,
      headers: {
        ...(key ? { authorization: key } : {}),
        ...(idempotency_key ? { 'idempotency-key': idempotency_key } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    if (fate < 0.03) return 'lost';
    const text = answer.body;
    const given = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]));
    return { status: answer.statusCode, headers: given, body: text.startsWith('{') ? JSON.parse(text) : text };
  }

  #send(): Send {
    return async ({ url, headers = {}, body = '' }) => {
      const delivery: Delivery = { url, headers, body: Buffer.from(body) };
      const answer = await this.#population.receive(delivery);
      if (answer === 'timeout') return { kind: 'failed', error: 'timeout', sent: true, detail: 'no answer', duration_ms: 10_000 };
      return { kind: 'answered', status: answer.status, headers: {}, body: '', truncated: false, duration_ms: 5 };
    };
  }

  /** Moves the time whenever everything waits for it, until the work is done. */
  async #drive<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const end = () => {
      done = true;
    };
    work.then(end, end);
    const sweeps = sweepsOf(this.#deps, this.#deps.stores.live).filter(
      ({ name }) => !/^(mail|purge|audit|ledger|float|abuse|webhook|payment-methods|invoice|links)/.test(name),
    );
    let swept = 0;
    for (let tick = 0; ; tick++) {
      await this.#quiet();
      if (done) return work;
      if (this.#now >= swept + SWEEP_MS) {
        swept = this.#now;
        for (const sweep of sweeps) this.#round(sweep);
        await this.#quiet();
      }
      if (tick % 20 === 0) await this.#drainDeliveries();
      if (done) return work;
      if (process.env.PLAIN_DEBUG && tick % (tick < 40 ? 1 : 50) === 0)
        console.log(
          performance.now(),
          tick,
          new Date(this.#now).toISOString(),
          this.#sleepers.length,
          statements,
          [...this.#running].join(),
        );
      await this.#advance();
    }
  }

  async #quiet(): Promise<void> {
    for (let turns = 0; turns < QUIET_TURNS; turns++) {
      await turn();
      if (statements === 0) continue;
      await new Promise<void>((resolve) => {
        onNone = resolve;
      });
      turns = -1;
    }
  }

  /** A round waits for providers, so that it may take virtual time: it is not waited for. */
  #round(sweep: Sweep): void {
    if (this.#running.has(sweep.name)) return;
    this.#running.add(sweep.name);
    const done = () => void this.#running.delete(sweep.name);
    (sweep.begin ?? sweep.round)().then(done, (error) => {
      done();
      this.#log.push(`${sweep.name}: ${error}`);
    });
  }

  async #advance(): Promise<void> {
    const next = this.#sleepers.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
    const far = next - this.#now > LONG_STEP_MS;
    const step = far ? LONG_STEP_MS : STEP_MS;
    this.#now = Math.max(this.#now + 1, Math.min(this.#now + step, next === Number.POSITIVE_INFINITY ? this.#now + step : next));
    for (const db of Object.values(this.#owners)) await db.run(sql`update simulated_time set now_ms = ${this.#now}`);
    const due = this.#sleepers.filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at);
    this.#sleepers = this.#sleepers.filter(({ at }) => at > this.#now);
    for (const { wake } of due) wake();
  }

  async #drainDeliveries(): Promise<void> {
    for (let tries = 0; tries < 400; tries++) {
      const [due] = await this.#owners.live.all<{ n: number }>(
        sql`select count(*)::integer as n from deliveries where due_at <= pirogue_now()`,
      );
      if (due?.n === 0) return;
      this.#deps.wake.ring('live');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** The database reads its time from a table. */
async function takeClock(db: DbPool, now: number): Promise<void> {
  await db.run(sql`create table simulated_time (now_ms bigint not null)`);
  await db.run(sql`insert into simulated_time values (${now})`);
  await db.run(sql`grant select on simulated_time to public`);
  await db.run({
    text: `create or replace function pirogue_now() returns timestamptz language sql stable parallel safe as 'select to_timestamp(now_ms / 1000.0) from simulated_time'`,
    values: [],
  });
}

function bound(providers: Providers): Providers {
  return {
    of: (...given) => providers.of(...given),
    byAccount: (...given) => providers.byAccount(...given),
    addressed: (...given) => providers.addressed(...given),
  };
}
