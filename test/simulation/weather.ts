import type { Random } from './contract.ts';
import type { Gate } from './gate.ts';
import type { LogicalNode } from './node.ts';
import type { Profile } from './profiles.ts';
import type { Scheduler, Weather } from './scheduler.ts';

/** Share of these turns in which work that moves no money may be chosen too. */
const RARELY = 0.1;
/** In a calm it has its turn before jumps of at least this length. */
const LONG_STEP_MS = 1_800_000;
/** A connection whose transaction is idle for longer is ended by the server (src/platform/db/pool.ts). */
const IDLE_IN_TRANSACTION_MS = 30_000;
const RESTART_MS = 3_000;
/** For this long after a fault, statements may fail because of it: the one that times out, and those that wait for its locks. */
const AFTER_FAULT_MS = 120_000;
/** In a calm, sweeps have their turn before jumps of at least this length. */
const CALM_STEP_MS = 200;
/** Rounds of sweeps at one moment, at most. */
const MAX_ROUNDS = 12;

const MIN_PAUSE_MS = 10;

export interface Hosts {
  nodes(): readonly LogicalNode[];
  /** Puts a new node in the place of a dead one. */
  replace(dead: LogicalNode): Promise<void>;
}

/** What happens to nodes beside their work: background work has its turn, they are paused, cut off and killed. */
export class NodeWeather implements Weather {
  readonly #random: Random;
  readonly #scheduler: Scheduler;
  readonly #gate: Gate;
  readonly #hosts: Hosts;
  readonly #profile: Profile;
  #idleSince = -1;
  /** When the last fault was over. */
  #faultAt = Number.NEGATIVE_INFINITY;
  /** Dead nodes whose time to come back has come. */
  #returning: LogicalNode[] = [];
  readonly faults = { pauses: 0, crashes: 0, cuts: 0, commits: 0 };
  /** `none`: only what is asked for happens. `calm`: background work has its turn whenever time passes. `storm`: faults come too. */
  mode: 'none' | 'calm' | 'storm' = 'none';
  #rounds = 0;
  #sweeping = false;
  /** Sweeps that had something to do in the last round. */
  #again: ReadonlySet<string> | null = null;

  constructor(parts: { random: Random; scheduler: Scheduler; gate: Gate; hosts: Hosts; profile: Profile }) {
    this.#random = parts.random;
    this.#scheduler = parts.scheduler;
    this.#gate = parts.gate;
    this.#hosts = parts.hosts;
    this.#profile = parts.profile;
    this.#gate.losesCommit = () => this.#losesCommit();
  }

  async before(): Promise<void> {
    for (const dead of this.#returning.splice(0)) await this.#hosts.replace(dead);
    if (this.mode !== 'storm') return;
    const { chores, faults } = this.#profile;
    const { pause, crash, cut } = faults;
    const drawn = this.#random.next();
    if (drawn < pause) this.#pause();
    else if (drawn < pause + crash) await this.#crash();
    else if (drawn < pause + crash + cut) await this.#cut();
    else if (drawn > 1 - chores) this.#chore();
  }

  get disturbed(): boolean {
    return this.#scheduler.now - this.#faultAt < AFTER_FAULT_MS;
  }

  idle(ms: number): boolean {
    if (this.mode === 'none') return false;
    if (this.mode === 'calm') return ms >= CALM_STEP_MS && this.#sweepAll(ms >= LONG_STEP_MS);
    if (this.#idleSince === this.#scheduler.now) return false;
    this.#idleSince = this.#scheduler.now;
    return this.#random.chance(Math.min(0.5, ms / 5_000)) && this.#chore();
  }

  /** Before time passes, all that is due is done, round by round. @returns whether there was anything to do */
  #sweepAll(rare: boolean): boolean {
    if (this.#idleSince !== this.#scheduler.now) {
      this.#idleSince = this.#scheduler.now;
      this.#rounds = 0;
      this.#again = null;
    }
    if (this.#sweeping || this.#again?.size === 0 || this.#rounds++ >= MAX_ROUNDS) return false;
    const node = this.#hosts.nodes().find(({ awake }) => awake);
    if (!node) return false;
    for (const one of this.#hosts.nodes()) if (one.awake) one.ringAll();
    this.#sweeping = true;
    void node.sweepAll(this.#again, rare).then((again) => {
      this.#again = again;
      this.#sweeping = false;
    });
    return true;
  }

  /** Kills whatever node is in the middle of something, now. */
  async #crash(): Promise<void> {
    const node = this.#drawNode();
    if (!node) return;
    this.faults.crashes++;
    this.#faultAt = Math.max(this.#faultAt, this.#scheduler.now);
    this.#scheduler.note(`${node.name} crashes`);
    node.die();
    await this.#gate.crash(node);
    this.#scheduler.at(this.#scheduler.now + this.#random.int(RESTART_MS), null, () => this.#returning.push(node));
  }

  /** Stops a node for a while, as a garbage collection, a suspended machine or a slow disk would. */
  #pause(): void {
    const node = this.#drawNode();
    if (!node) return;
    this.faults.pauses++;
    const ms = Math.round(MIN_PAUSE_MS * (this.#profile.max_pause_ms / MIN_PAUSE_MS) ** this.#random.next());
    this.#scheduler.note(`${node.name} is paused for ${ms} ms`);
    node.paused_until = this.#scheduler.now + ms;
    this.#faultAt = Math.max(this.#faultAt, node.paused_until);
    if (ms > IDLE_IN_TRANSACTION_MS)
      this.#scheduler.at(this.#scheduler.now + IDLE_IN_TRANSACTION_MS, null, () => this.#endIdle(node));
    this.#scheduler.at(node.paused_until, null, () => this.#scheduler.remark(() => `${node.name} goes on`));
  }

  #endIdle(node: LogicalNode): void {
    if (!node.alive) return;
    const run = async () => void (await this.#gate.cut(node, 'in transaction'));
    this.#scheduler.add({ owner: null, label: `idle transactions of ${node.name} end`, run, resume: () => {} });
  }

  async #cut(): Promise<void> {
    const node = this.#drawNode();
    if (!node) return;
    this.faults.cuts++;
    this.#faultAt = Math.max(this.#faultAt, this.#scheduler.now);
    this.#scheduler.note(`${node.name} loses a connection`);
    await this.#gate.cut(node, 'one');
  }

  /** Whether the connection of a commit ends before its answer. */
  #losesCommit(): boolean {
    if (this.mode !== 'storm' || !this.#random.chance(this.#profile.faults.commit)) return false;
    this.faults.commits++;
    this.#faultAt = Math.max(this.#faultAt, this.#scheduler.now);
    return true;
  }

  #chore(): boolean {
    const node = this.#drawNode();
    const chores = node?.chores(this.#random.chance(RARELY)) ?? [];
    if (chores.length === 0) return false;
    this.#random.pick(chores)();
    return true;
  }

  #drawNode(): LogicalNode | undefined {
    const awake = this.#hosts.nodes().filter((node) => node.awake);
    return awake.length > 0 ? this.#random.pick(awake) : undefined;
  }
}
