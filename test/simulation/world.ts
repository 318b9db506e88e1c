import os from 'node:os';
import path from 'node:path';
import { type Config, readConfig } from '../../src/platform/config/config.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { Secrets } from '../../src/kit/crypto.ts';
import type { Db } from '../../src/kit/sql.ts';
import { newId } from '../../src/kit/ids.ts';
import type { Log } from '../../src/kit/log.ts';
import type { Providers } from '../../src/providers/provider-accounts/directory.ts';
import type { Actor, Ground, Populate, Population, Random, Surroundings } from './contract.ts';
import type { Cluster, WorldDatabases } from './databases.ts';
import { keepDoor } from './driver.ts';
import { Gate } from './gate.ts';
import { groundDb } from './ground.ts';
import { Locks } from './locks.ts';
import { Network } from './network.ts';
import { LogicalNode } from './node.ts';
import { drawProfile, type Faults, type Profile } from './profiles.ts';
import { randomFrom } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { storyLog } from './story-log.ts';
import { drawFrom } from './virtual.ts';
import { NodeWeather } from './weather.ts';

const START = Date.UTC(2026, 0, 5, 8);
const HOUR = 3_600_000;
/**
 * Time that passes after everybody has settled, step by step. The long steps end retentions, which covers refunds that waited for
 * money; the short ones after them let those come to their end.
 */
const AFTERMATH = [1_000, 60_000, HOUR, 24 * HOUR, 168 * HOUR, 60_000, HOUR, HOUR];
/** Scheduled points for each payment after which a world is taken to never end. */
const MAX_PICKS_PER_PAYMENT = 4_000;

/** Who lives in the worlds of a run, and under which settings. */
export interface Town {
  populate: Populate;
  /** Environment variables of the nodes. */
  settingsOf(random: Random): Record<string, string>;
}

export interface WorldOptions {
  seed: string;
  payments: number;
  nodes: number;
  /** Drawn when omitted. */
  profile?: Profile['name'];
  /** Parts left out by the shrinker: actors, `<actor>/<operation>`, kinds of faults. */
  without?: ReadonlySet<string>;
  story?: boolean;
}

export interface WorldReport {
  seed: string;
  trace: string;
  payments: number;
  /** Differences and failures; empty when all is well. */
  wrong: string[];
  story: string[] | null;
  actors: { name: string; operations: readonly string[] }[];
  counts: Record<string, number>;
  /** Answers of 5xx, by request. */
  failures: Record<string, number>;
  /** Number of occurrences by kind: answers of providers and of the service, final statuses, events. */
  occurred: Record<string, number>;
  virtual_ms: number;
}

/** Runs one world from its seed to its end. */
export async function runWorld(cluster: Cluster, town: Town, options: WorldOptions): Promise<WorldReport> {
  const databases = await cluster.open(START);
  const locks = await Locks.open(cluster.monitor);
  const world = new World(databases, locks, town, options);
  const [run] = await Promise.allSettled([world.run()]);
  keepDoor(null);
  drawFrom(null);
  const [cleared] = await Promise.allSettled([locks.close().then(() => cluster.drop(databases))]);
  // A failure of the world may cause that of clearing up, so it is reported first.
  if (run.status === 'rejected') throw run.reason;
  if (cleared.status === 'rejected') throw cleared.reason;
  return run.value;
}

class World {
  readonly #town: Town;
  readonly #options: WorldOptions;
  readonly #config: Config;
  readonly #databases: WorldDatabases;
  readonly #random: Random;
  readonly #scheduler: Scheduler;
  readonly #gate: Gate;
  readonly #network: Network;
  readonly #log: Log;
  readonly #wrong: string[] = [];
  #nodes: LogicalNode[] = [];
  #dead: LogicalNode[] = [];
  #population!: Population;

  constructor(databases: WorldDatabases, locks: Locks, town: Town, options: WorldOptions) {
    this.#town = town;
    this.#options = options;
    this.#databases = databases;
    this.#random = randomFrom(options.seed);
    this.#scheduler = new Scheduler(this.#random.fork('schedule'), START, options.story ?? false);
    this.#gate = new Gate(this.#scheduler, locks);
    const losses = this.#random.chance(0.7) ? { request: 0.005, answer: 0.01 } : { request: 0, answer: 0 };
    this.#network = new Network(
      this.#scheduler,
      this.#random.fork('network'),
      this.#leftOut('losses') ? { request: 0, answer: 0 } : losses,
      () => this.#nodes,
    );
    this.#config = readConfig({ ...SETTINGS, ...town.settingsOf(this.#random.fork('settings')) });
    this.#log = storyLog(this.#scheduler, (what) => void this.#wrong.push(`COMPLAINT: ${what}`));
  }

  async run(): Promise<WorldReport> {
    alignIds();
    drawFrom(this.#random.fork('bytes'));
    const pools = (['control', 'live'] as const).map((kind) => openPool({ url: this.#databases[kind], size: 2, log: this.#log }));
    const [control, live] = pools.map((pool) => groundDb(pool, this.#scheduler)) as [Db, Db];
    keepDoor(this.#gate);
    for (let i = 0; i < this.#options.nodes; i++) this.#nodes.push(await this.#start(`n${i + 1}.1`));
    const profile = this.#profile();
    const weather = new NodeWeather({
      ...{ random: this.#random.fork('weather'), scheduler: this.#scheduler, gate: this.#gate, profile },
      hosts: { nodes: () => this.#nodes, replace: (dead) => this.#replace(dead) },
    });
    try {
      const { payments } = this.#options;
      const ground = {
        control,
        live,
        payments,
        crowded: profile.crowded,
        secrets: new Secrets(Buffer.alloc(32, 7)),
        apiUrl: this.#config.public_url,
      };
      const operate: Ground['operate'] = (work) => this.#network.operate(work);
      this.#population = await this.#until(
        this.#town.populate({ ...ground, operate, surroundings: this.#surroundings() }),
        weather,
      );
      this.#network.complain = (status, what) => {
        if (status !== 502 && !weather.disturbed) this.#wrong.push(`COMPLAINT: ${what}`);
      };
      this.#network.receive = (delivery) => this.#population.receive(delivery);
      if (await this.#live(weather)) await this.#end(weather);
    } finally {
      await Promise.allSettled(this.#nodes.map((node) => this.#kill(node)));
      await this.#gate.close();
      await Promise.all([...this.#dead, ...this.#nodes].map((node) => node.close()));
      await Promise.all(pools.map((pool) => pool.close()));
    }
    return this.#report(weather);
  }

  /** Runs all actors. @returns whether all of them ended */
  async #live(weather: NodeWeather): Promise<boolean> {
    const actors = this.#population.actors.filter(({ name }) => !this.#leftOut(name));
    const left = new Set(actors.map(({ name }) => name));
    for (const actor of actors) {
      const without = new Set(actor.operations.filter((operation) => this.#leftOut(`${actor.name}/${operation}`)));
      actor.run(without).then(
        () => left.delete(actor.name),
        (error) => {
          left.delete(actor.name);
          this.#wrong.push(`${actor.name} failed: ${(error as Error).stack ?? error}`);
        },
      );
    }
    const limit = this.#options.payments * MAX_PICKS_PER_PAYMENT + 100_000;
    weather.mode = 'storm';
    const isOver = await this.#scheduler.run(() => left.size === 0 || this.#scheduler.picks > limit, weather);
    if (isOver && left.size === 0) return true;
    this.#wrong.push(`never came to an end: ${[...left].join('; ')}`);
    return false;
  }

  /** Time alone settles what is open; then everything is compared. */
  async #end(weather: NodeWeather): Promise<void> {
    weather.mode = 'calm';
    await this.#until(this.#population.settle(), weather);
    for (const ms of AFTERMATH) await this.#until(this.#network.sleep(ms), weather);
    this.#wrong.push(...(await this.#until(this.#population.audit(), weather)));
  }

  /** Lets the world go on until the work has ended. */
  async #until<T>(work: Promise<T>, weather: NodeWeather): Promise<T> {
    let done = false;
    const finish = () => {
      done = true;
    };
    work.then(finish, finish);
    if (!(await this.#scheduler.run(() => done, weather)))
      throw new Error('nothing is left to happen, and the work has not ended');
    return work;
  }

  async #start(name: string): Promise<LogicalNode> {
    const node: LogicalNode = await LogicalNode.start(name, {
      ...{ scheduler: this.#scheduler, databases: this.#databases, config: this.#config, log: this.#log },
      providers: this.#providers,
      send: this.#network.sender(() => node),
      complain: (what) => void this.#wrong.push(`COMPLAINT: ${what}`),
      skew_ms: this.#random.int(20_000) - 10_000,
    });
    return node;
  }

  async #replace(dead: LogicalNode): Promise<void> {
    const [place, life] = dead.name.slice(1).split('.').map(Number) as [number, number];
    const next = await this.#start(`n${place}.${life + 1}`);
    this.#nodes = this.#nodes.map((node) => (node === dead ? next : node));
    this.#dead.push(dead);
    this.#scheduler.note(`${next.name} starts`);
  }

  async #kill(node: LogicalNode): Promise<void> {
    node.die();
    await this.#gate.crash(node);
  }

  #profile(): Profile {
    const drawn = drawProfile(this.#random.fork('profile'), this.#options.profile);
    const faults = Object.entries(drawn.faults).map(([kind, chance]) => [kind, this.#leftOut(kind) ? 0 : chance]);
    return { ...drawn, faults: Object.fromEntries(faults) as Faults };
  }

  /** Nodes exist before their surroundings. */
  readonly #providers: Providers = {
    of: (...args) => this.#population.providers.of(...args),
    byAccount: (...args) => this.#population.providers.byAccount(...args),
    addressed: (...args) => this.#population.providers.addressed(...args),
  };

  #leftOut(part: string): boolean {
    return this.#options.without?.has(part) ?? false;
  }

  #surroundings(): Surroundings {
    const scheduler = this.#scheduler;
    return {
      random: this.#random.fork('population'),
      numbers: new Set(),
      now: () => scheduler.now,
      call: (request) => this.#network.call(request),
      sleep: (ms) => this.#network.sleep(ms),
      point: (label) => scheduler.point(null, label),
      callback: (to, { headers, body }) => this.#network.request({ method: 'POST', path: to, headers, payload: body }),
      log: (line) => scheduler.remark(() => line),
      count: (what, times) => scheduler.count(what, times),
    };
  }

  #report(weather: NodeWeather): WorldReport {
    const { statements, waits, deadlocks } = this.#gate;
    return {
      ...{ seed: this.#options.seed, trace: this.#scheduler.trace, wrong: this.#wrong, story: this.#scheduler.story },
      payments: this.#population.actors.reduce((sum, { payments }: Actor) => sum + payments, 0),
      actors: this.#population.actors.map(({ name, operations }) => ({ name, operations })),
      counts: {
        picks: this.#scheduler.picks,
        statements,
        waits,
        deadlocks,
        calls: this.#network.calls,
        ...weather.faults,
      },
      failures: Object.fromEntries(this.#network.failures),
      occurred: this.#scheduler.occurred,
      virtual_ms: this.#scheduler.now - START,
    };
  }
}

const SETTINGS = {
  DATA_DIR: path.join(os.tmpdir(), 'pirogue-simulation'),
  LOG_LEVEL: 'silent',
  LOG_FORMAT: 'json',
  RATE_LIMITS: 'off',
  REQUEST_LOG: 'off',
  PROVIDER_EXCHANGES: 'off',
  DATABASE_POOL: '5',
};

/** Ids take their random bytes from a stock for 400; what an earlier world has left of it is used up. */
function alignIds(): void {
  const isFresh = () => newId('req', 'live', START).endsWith('0'.repeat(16));
  drawFrom({ ...randomFrom(''), int: () => 0 });
  while (!isFresh());
  for (let left = 399; left > 0; left--) isFresh();
}
