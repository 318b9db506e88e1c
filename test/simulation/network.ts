import { DatabaseUnavailable } from '../../src/kit/database-unavailable.ts';
import type { Send } from '../../src/kit/fetch.ts';
import { pgCode } from '../../src/kit/sql.ts';
import type { WholeStore } from '../../src/platform/db/stores.ts';
import type { Deps } from '../../src/program/deps.ts';
import type { Answer, CallRequest, Delivery, Random } from './contract.ts';
import type { LogicalNode } from './node.ts';
import type { Scheduler } from './scheduler.ts';
import { outside } from './virtual.ts';

/** A client gives up after this time. */
const PATIENCE_MS = 60_000;
const MAX_LATENCY_MS = 40;
const STATEMENT_TIMEOUT = '57014';

export interface Losses {
  /** Chance that a request never arrives. */
  request: number;
  /** Chance that an answer never arrives. */
  answer: number;
}

type Receive = (delivery: Delivery) => Promise<{ status: number; body?: string } | 'timeout'>;

/** The network between the nodes and everything outside: each message takes time, and some are lost. */
export class Network {
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #losses: Losses;
  readonly #nodes: () => readonly LogicalNode[];
  receive: Receive = async () => ({ status: 200 });
  /** Is told of every answer of 5xx. */
  complain: (status: number, what: string) => void = () => {};
  calls = 0;
  failures = new Map<string, number>();

  constructor(scheduler: Scheduler, random: Random, losses: Losses, nodes: () => readonly LogicalNode[]) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.#losses = losses;
    this.#nodes = nodes;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#scheduler.at(this.#scheduler.now + Math.max(0, ms), null, resolve));
  }

  call({ method, path, key, idempotency_key, headers = {}, body }: CallRequest): Promise<Answer | 'lost'> {
    const raw = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const sent = {
      ...(key ? { authorization: key } : {}),
      ...(raw === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotency_key ? { 'idempotency-key': idempotency_key } : {}),
      ...headers,
    };
    return this.request({ method, path, headers: sent, payload: raw });
  }

  async request(wanted: {
    method: string;
    path: string;
    headers: Record<string, string>;
    payload: string | Buffer | undefined;
  }): Promise<Answer | 'lost'> {
    this.calls++;
    const { method, path, headers, payload } = wanted;
    await this.sleep(this.#random.int(MAX_LATENCY_MS));
    const node = this.#awake();
    if (!node || this.#random.chance(this.#losses.request)) {
      await this.sleep(PATIENCE_MS / 10);
      return 'lost';
    }
    if (!(await this.#arrives(node, `receives ${method} ${path}`))) return this.#loseAnswer(wanted);
    const request = { method, url: path, headers, ...(payload === undefined ? {} : { payload }) };
    const response = await this.#outcome(node, node.inject(request));
    if (response === 'lost' || this.#random.chance(this.#losses.answer)) return this.#loseAnswer(wanted);
    await this.#scheduler.point(null, `${method} ${path} is answered ${response.statusCode}`);
    this.#scheduler.count(`${method} ${pattern(path)}: ${response.statusCode}`);
    if (response.statusCode >= 500) {
      this.complain(response.statusCode, `${method} ${path}: ${response.statusCode} ${response.body.slice(0, 300)}`);
      this.#count(`${method} ${pattern(path)} ${response.statusCode} ${response.body.slice(0, 120)}`);
    }
    const text = response.body;
    const isJson = String(response.headers['content-type']).includes('json');
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, string>,
      body: isJson ? JSON.parse(text) : text,
    };
  }

  /** Work of a person at the command line, on some node. */
  async operate<T>(work: (deps: Deps, store: WholeStore) => Promise<T>): Promise<T | 'lost'> {
    const node = this.#awake();
    if (!node) return 'lost';
    if (!(await this.#arrives(node, 'serves an operator'))) return 'lost';
    const outcome = await this.#outcome(node, node.operate(work)).catch(lostConnection);
    await this.#scheduler.point(null, 'an operator is answered');
    return outcome;
  }

  /** @returns false when the node died before it had its turn */
  #arrives(node: LogicalNode, label: string): Promise<boolean> {
    return Promise.race([this.#scheduler.point(node, label).then(() => true), node.death.then(() => false)]);
  }

  /** Waits for work of a node, but not for ever. */
  async #outcome<T>(node: LogicalNode, work: Promise<T>): Promise<T | 'lost'> {
    const lost = Promise.withResolvers<'lost'>();
    const giveUp = this.#scheduler.at(this.#scheduler.now + PATIENCE_MS, null, () => lost.resolve('lost'));
    void node.death.then(() => lost.resolve('lost'));
    try {
      return await Promise.race([work, lost.promise]);
    } finally {
      giveUp();
    }
  }

  async #loseAnswer({ method, path }: { method: string; path: string }): Promise<'lost'> {
    this.#scheduler.note(`${method} ${path} is lost`);
    await this.#scheduler.point(null, 'an answer is lost');
    return 'lost';
  }

  /** Sends webhooks to the endpoints of merchants. */
  sender(owner: () => LogicalNode): Send {
    return async ({ url, headers = {}, body = '', timeout_ms }) => {
      const node = owner();
      const since = this.#scheduler.now;
      const duration_ms = () => this.#scheduler.now - since;
      await this.#scheduler.point(node, 'a webhook arrives');
      if (this.#random.chance(this.#losses.request))
        return { kind: 'failed', error: 'refused', sent: false, detail: 'refused', duration_ms: 1 };
      const answer = await outside(async () => this.receive({ url, headers, body: Buffer.from(body) }));
      const isLost = answer === 'timeout' || this.#random.chance(this.#losses.answer);
      if (isLost) {
        await new Promise<void>((resolve) => void this.#scheduler.at(since + timeout_ms, node, resolve));
        return { kind: 'failed', error: 'timeout', sent: true, detail: 'no answer', duration_ms: duration_ms() };
      }
      await this.#scheduler.point(node, `a webhook is answered ${answer.status}`);
      return {
        kind: 'answered',
        status: answer.status,
        headers: {},
        body: answer.body ?? '',
        truncated: false,
        duration_ms: duration_ms(),
      };
    };
  }

  #awake(): LogicalNode | undefined {
    const alive = this.#nodes().filter((node) => node.alive);
    return alive.length > 0 ? this.#random.pick(alive) : undefined;
  }

  #count(failure: string): void {
    this.failures.set(failure, (this.failures.get(failure) ?? 0) + 1);
  }
}

/** A command that loses its connection, or waits too long for a lock, has failed: whoever gave it gives it again. */
function lostConnection(error: unknown): 'lost' {
  if (error instanceof DatabaseUnavailable || pgCode(error) === STATEMENT_TIMEOUT) return 'lost';
  throw error;
}

function pattern(path: string): string {
  const plain = path.replace(/\?.*/, '').replace(/[a-z]+_[0-9a-z]{26}/g, '{id}');
  return plain.replace(/[\w.-]{30,}/g, '{token}');
}
