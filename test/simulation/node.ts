import { DatabaseUnavailable } from '../../src/kit/database-unavailable.ts';
import { pgCode } from '../../src/kit/sql.ts';
import type { FastifyInstance, InjectOptions } from 'fastify';
import type { Config } from '../../src/platform/config/config.ts';
import { DatabaseClock } from '../../src/platform/db/clock.ts';
import { openStores, type OpenStores, type WholeStore } from '../../src/platform/db/stores.ts';
import { Secrets } from '../../src/kit/crypto.ts';
import type { Log } from '../../src/kit/log.ts';
import type { Send } from '../../src/kit/fetch.ts';
import { startDeliveries } from '../../src/money/webhooks/deliver.ts';
import { buildApi, sweepsOf } from '../../src/program/program.ts';
import { buildDeps, type Deps } from '../../src/program/deps.ts';
import type { Providers } from '../../src/providers/provider-accounts/directory.ts';
import type { Sweep } from '../../src/platform/work/sweep.ts';
import { asService } from '../setup/databases.ts';
import type { WorldDatabases } from './databases.ts';
import { remoteProviders } from './remote.ts';
import type { Owner, Scheduler } from './scheduler.ts';
import { type Machine, onMachine } from './virtual.ts';

/** Background work that takes no part: mail, figures and statements move no money, nobody signs in, and what is forgotten was final long before. */
const ASIDE = /^(mail|purge-|partitions|float|user-mail|forget-people|control-seal|figures|ledger-days)/;
/** Background work that moves no money: it has its turn more rarely. */
const RARE = /^(shards|ledger-seal|audit|abuse|payment-methods|erasures|payer-numbers|invoice|links|webhook-backlogs|search)/;

export interface NodeParts {
  scheduler: Scheduler;
  databases: WorldDatabases;
  config: Config;
  log: Log;
  providers: Providers;
  send: Send;
  /** Is told of what background work should never come to. */
  complain(what: string): void;
  /** Milliseconds by which the machine's own clock is wrong. */
  skew_ms: number;
}

interface Lazy {
  due: number;
  call: () => void;
}

/** One process of the service: pools, memory, API and workers of its own. It lives until it crashes. */
export class LogicalNode implements Owner {
  readonly name: string;
  alive = true;
  paused_until = 0;
  readonly #parts: NodeParts;
  readonly #born: number;
  #stores!: OpenStores;
  #deps!: Deps;
  #server!: FastifyInstance;
  #sweeps: Sweep[] = [];
  readonly #busy = new Set<Sweep>();
  /** Timers of background work: they may ring late, as on a busy machine. */
  #lazy: Lazy[] = [];
  #died!: () => void;
  readonly death: Promise<void>;

  private constructor(name: string, parts: NodeParts) {
    this.name = name;
    this.#parts = parts;
    this.#born = parts.scheduler.now;
    this.death = new Promise((resolve) => {
      this.#died = resolve;
    });
  }

  /** Starts one. Nothing else happens meanwhile. */
  static async start(name: string, parts: NodeParts): Promise<LogicalNode> {
    const node = new LogicalNode(name, parts);
    const { databases, config, log, providers, send, scheduler, skew_ms } = parts;
    const urls = {
      control: asService(databases.control),
      sandbox: asService(databases.sandbox),
      live: asService(databases.live),
    };
    node.#stores = openStores(urls, config.database_pool, log);
    const read = async () => ({ now_ms: scheduler.now, server_ms: scheduler.now, plain: true });
    const system = { now: () => scheduler.now + skew_ms };
    const monotonic = () => scheduler.now - node.#born;
    const clock = await onMachine(node.#machine('background'), () => DatabaseClock.open({ read, log, system, monotonic }));
    const remote = remoteProviders(providers, node, scheduler);
    const secrets = new Secrets(Buffer.alloc(32, 7));
    const deps = buildDeps({ config, stores: node.#stores, log, secrets, clock, providers: remote });
    node.#deps = deps;
    remote.observe = (provider) => deps.health.observe(provider);
    node.#server = buildApi(deps, []);
    await node.#server.ready();
    node.#sweeps = sweepsOf(deps, node.#stores.live).filter((sweep) => !ASIDE.test(sweep.name));
    onMachine(node.#machine('background'), () => startDeliveries(deps, node.#stores.live, { send }));
    return node;
  }

  /** Its own clocks. Background timers wait until somebody rings them. */
  #machine(kind: 'request' | 'background'): Machine {
    const { scheduler, skew_ms } = this.#parts;
    const after = (ms: number, call: () => void) => {
      if (kind === 'request') return scheduler.at(scheduler.now + ms, this, () => onMachine(made, call));
      const lazy = { due: scheduler.now + ms, call: () => onMachine(made, call) };
      this.#lazy.push(lazy);
      return () => {
        this.#lazy = this.#lazy.filter((other) => other !== lazy);
      };
    };
    const made: Machine = {
      owner: this,
      system: () => scheduler.now + skew_ms,
      monotonic: () => scheduler.now - this.#born,
      after,
    };
    return made;
  }

  inject(request: { method: string; url: string; headers: Record<string, string>; payload?: string | Buffer }) {
    return onMachine(this.#machine('request'), async () => this.#server.inject(request as InjectOptions));
  }

  get awake(): boolean {
    return this.alive && this.paused_until <= this.#parts.scheduler.now;
  }

  /** Timers that are due, and sweeps that could have a round. @param rare with those that move no money */
  chores(rare: boolean): (() => void)[] {
    const { now } = this.#parts.scheduler;
    return [
      ...this.#lazy.filter(({ due }) => due <= now).map((lazy) => () => this.#ring(lazy)),
      ...this.#idle(rare).map((sweep) => () => void this.#sweep(sweep)),
    ];
  }

  #idle(rare: boolean): Sweep[] {
    return this.#sweeps.filter((sweep) => !this.#busy.has(sweep) && (rare || !RARE.test(sweep.name)));
  }

  ringAll(): void {
    const { now } = this.#parts.scheduler;
    for (const lazy of this.#lazy.filter(({ due }) => due <= now)) this.#ring(lazy);
  }

  /** One round of each of these sweeps (null: of all) at once. @returns those that had something to do */
  async sweepAll(only: ReadonlySet<string> | null, rare: boolean): Promise<ReadonlySet<string>> {
    const idle = this.#idle(rare).filter((sweep) => only?.has(sweep.name) ?? true);
    const handled = await Promise.all(idle.map((sweep) => this.#sweep(sweep)));
    return new Set(idle.filter((_, i) => (handled[i] as number) > 0).map(({ name }) => name));
  }

  /** Runs what an operator does at the command line. */
  operate<T>(work: (deps: Deps, store: WholeStore) => Promise<T>): Promise<T> {
    return onMachine(this.#machine('request'), () => work(this.#deps, this.#stores.live));
  }

  #ring(lazy: Lazy): void {
    this.#lazy = this.#lazy.filter((other) => other !== lazy);
    lazy.call();
  }

  async #sweep(sweep: Sweep): Promise<number> {
    this.#busy.add(sweep);
    try {
      return await onMachine(this.#machine('background'), () => sweep.round());
    } catch (error) {
      this.#parts.scheduler.remark(() => `${this.name} ${sweep.name}: ${(error as Error).message}`);
      if (!(error instanceof DatabaseUnavailable) && pgCode(error) === undefined)
        this.#parts.complain(`the sweep ${sweep.name} failed: ${(error as Error).stack ?? error}`);
      return 1;
    } finally {
      this.#busy.delete(sweep);
    }
  }

  /** It never runs again. Its connections are for the caller to end. */
  die(): void {
    this.alive = false;
    this.#lazy = [];
    this.#died();
    this.#parts.scheduler.forget(this);
  }

  /** Frees what it holds in this process when its world is over. */
  async close(): Promise<void> {
    await this.#server.close();
  }
}
