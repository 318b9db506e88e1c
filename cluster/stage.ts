import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './load/client.ts';
import { Load } from './load/load.ts';
import { type Merchant, makeMerchants, merchantsFor } from './load/merchants.ts';
import { Receiver } from './load/receiver.ts';
import { Monitor } from './monitor.ts';
import { type Member, cutMember } from './network.ts';
import { memberOf, startMember } from './parts/database.ts';
import { type ProgramChoice, programSpec, startProgram } from './parts/program.ts';
import { isRunning, type Running, signalProcess, startProcess, stopProcesses } from './processes.ts';
import type { Site } from './parts/database.ts';
import { type MemberAddress, processOf, record, type State } from './state.ts';
import { postmasterOf } from './stop.ts';
import { until } from './wait.ts';

/** Longer than DRAIN_MS and SHUTDOWN_MS together. */
const STOP_MS = 25_000;
/** Longest time until a standby takes over: ttl, a round of Patroni and the promotion, on a busy machine. */
const TAKEOVER_MS = 60_000;
const PRIMARY_MS = 20_000;

export interface StageOptions {
  rate: number;
  progress(text: string): void;
}

/** A running cluster with merchants, and what a fault may do to it. */
export class Stage {
  readonly state: State;
  readonly site: Site;
  readonly merchants: Merchant[] = [];
  readonly receiver = new Receiver();
  readonly monitor: Monitor;
  readonly progress: (text: string) => void;
  readonly #rate: number;
  #runs = 0;

  private constructor(site: Site, { rate, progress }: StageOptions) {
    this.state = site.state;
    this.site = site;
    this.progress = progress;
    this.#rate = rate;
    this.monitor = new Monitor(site.state);
  }

  /** Makes the merchants, each with an endpoint for all events. */
  static async open(site: Site, options: StageOptions): Promise<Stage> {
    const stage = new Stage(site, options);
    const port = await stage.receiver.open();
    const client = new Client(site.state.api_url);
    const made = await makeMerchants(site.state, merchantsFor(options.rate));
    for (const [i, merchant] of made.entries()) {
      const path = `/hooks/${i}`;
      const body = { url: `https://127.0.0.1:${port}${path}`, events: ['*'] };
      const call = { path: '/webhooks', key: merchant.keys[0] as string, ip: '203.0.113.1', body };
      const answer = await client.send('webhook', call);
      if (answer?.status !== 201) throw new Error(`an endpoint could not be made: ${answer?.status} ${answer?.text}`);
      const secret = secretIn(JSON.parse(answer.text));
      stage.receiver.expect(path, secret);
      stage.merchants.push({ ...merchant, secret });
    }
    await client.close();
    return stage;
  }

  /** Starts a steady stream of orders. Their references begin with the prefix. */
  startLoad(name: string): { client: Client; load: Load; prefix: string } {
    const prefix = `${name}-${this.#runs}`;
    const client = new Client(this.state.api_url);
    const options = { rate: this.#rate, prefix, first_phone: this.#runs * 50_000, receiver: this.receiver };
    const load = new Load(client, this.merchants, options);
    this.#runs += 1;
    return { client, load, prefix };
  }

  async close(): Promise<void> {
    await this.monitor.stop();
    await this.receiver.close();
  }

  /** Returns the member that is the primary now. On a busy machine it may answer late, as if there were none. */
  async primary(): Promise<MemberAddress> {
    return memberOf(this.state, await until('there is a primary', PRIMARY_MS, () => this.monitor.primary));
  }

  member(name: string): Member {
    return this.site.network.members.find((one) => one.name === name) as Member;
  }

  process(name: string): Running {
    return processOf(this.state, name);
  }

  kill(name: string): void {
    signalProcess(this.process(name), 'SIGKILL');
  }

  freeze(name: string): void {
    signalProcess(this.process(name), 'SIGSTOP');
  }

  thaw(name: string): void {
    signalProcess(this.process(name), 'SIGCONT');
  }

  /** Ends a Patroni and its PostgreSQL as when the machine loses its power. */
  killMember(name: string): void {
    const server = postmasterOf(this.state, name);
    this.kill(name);
    if (server) signalProcess(server, 'SIGKILL');
  }

  startMember(name: string): void {
    startMember(this.site, this.member(name));
  }

  cut(name: string): void {
    cutMember(this.member(name));
  }

  /** Starts a part again as it was. */
  startAgain(name: string): void {
    record(this.state, startProcess(this.process(name)));
  }

  /** Starts an API or worker process that is not running, with other sources or settings if wanted, and waits until it answers. */
  async startProgram(name: string, choice: ProgramChoice = {}, page?: string): Promise<void> {
    await startProgram(programSpec(this.state, name, choice), this.site.launch, page);
  }

  /** Replaces an API or worker process without losing a request, as in an upgrade. */
  async replaceProgram(name: string, choice: ProgramChoice = {}, page?: string): Promise<void> {
    await stopProcesses([this.process(name)], STOP_MS);
    await this.startProgram(name, choice, page);
  }

  /** Names of the API and worker processes that have ended. */
  endedPrograms(): string[] {
    const programs = this.state.processes.filter(({ kind }) => kind === 'api' || kind === 'worker');
    return programs.filter((one) => !isRunning(one)).map(({ name }) => name);
  }

  /** Waits for another primary. @returns when it was first seen */
  async untilOtherPrimary(than: string, since: number): Promise<number> {
    const { at, primary } = await this.monitor.untilOther(than, since, TAKEOVER_MS);
    this.progress(`${primary} is the primary after ${((at - since) / 1000).toFixed(1)} s`);
    return at;
  }

  wait(seconds: number): Promise<void> {
    return sleep(seconds * 1000);
  }
}

function secretIn(answer: Record<string, unknown>): string {
  const found = JSON.stringify(answer).match(/"(whsec_[^"]+)"/)?.[1];
  if (!found) throw new Error('the answer of POST /webhooks has no secret');
  return found;
}
