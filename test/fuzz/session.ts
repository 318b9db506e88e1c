import { buildDocument } from '../../src/edge/openapi/document.ts';
import { allRoutes } from '../../src/program/program.ts';
import type { Schema } from '../../src/edge/openapi/types.ts';
import type { Api } from '../setup/api.ts';
import type { Receiver } from '../setup/receiver.ts';
import { consolePagesOf } from '../../src/edge/console/pages.ts';
import { type ConsoleTeams, FuzzConsole } from './console.ts';
import type { FormRoutes } from './form-routes.ts';
import type { Outside } from './outside.ts';
import { FuzzPayer } from './payer.ts';
import { RECIPES } from './recipes.ts';
import { addressOf, Bodies, Memory, operationsOf } from './requests.ts';
import { type Report, Sender } from './sender.ts';
import { Random } from './values.ts';

/** Operations on which the others depend; they come more often. */
const COMMON = new Set(['/payments', '/payments/{id}', '/refunds', '/beneficiaries', '/customers', '/transfers']);

const SIGNED = [
  '',
  'sig-pp=();created=1',
  'sig-pp=("@method" "@authority" "@path" "content-digest");alg="x";created=99999999999',
];
const PLACES = ['/docs', '/openapi.json', '/health/live', '/', '/onboarding/x', '/pay/x', '/invoice/x', '/l/x', '/_callbacks/x'];

/** A key, and whose objects it sees. Null: no key. */
export interface Caller {
  key: string | null;
  name: string;
}

/** What a run needs beside the service. */
export interface Surroundings {
  /** Of requests: one that is named more often is used more often. */
  keys: readonly Caller[];
  receiver: Receiver;
  outside: Outside;
  /** Paths that take callbacks of providers. */
  callbacks: readonly string[];
  teams: ConsoleTeams;
  forms: FormRoutes;
}

/** Stateful random requests to every route and page of a service. */
export class Session {
  readonly #random: Random;
  readonly #memory: Memory;
  readonly #bodies: Bodies;
  readonly #operations: ReturnType<typeof operationsOf>;
  readonly #common: ReturnType<typeof operationsOf>;
  readonly #keys: readonly Caller[];
  readonly #idempotencyKeys: string[] = [];
  readonly #outside: Outside;
  readonly #callbacks: readonly string[];
  readonly #sender: Sender;
  readonly #payer: FuzzPayer;
  readonly #console: FuzzConsole;

  constructor(api: Api, seed: number, { keys, receiver, outside, callbacks, teams, forms }: Surroundings) {
    const document = buildDocument(allRoutes(api.deps), api.url);
    this.#outside = outside;
    this.#callbacks = callbacks;
    this.#random = new Random(seed);
    this.#memory = new Memory(api.url, `${receiver.url}/hooks`);
    this.#operations = operationsOf(document);
    this.#common = this.#operations.filter(({ path, method }) => method === 'post' && COMMON.has(path));
    const addresses = [`${receiver.url}/hooks`, 'http://127.0.0.1:1/x', 'ftp://127.0.0.1', 'not an address', 'javascript:fuzz()'];
    this.#bodies = new Bodies(document, this.#random, this.#memory, addresses);
    this.#keys = keys;
    this.#sender = new Sender(api.url, this.#memory);
    const visitor = { sender: this.#sender, random: this.#random, memory: this.#memory, forms, addresses };
    this.#payer = new FuzzPayer(visitor);
    this.#console = new FuzzConsole(visitor, consolePagesOf(api.deps), teams);
  }

  /** Takes ids and pages of an answer, as if the run had got it in this team and environment. */
  learn(caller: string, answer: unknown): void {
    this.#memory.caller = caller;
    this.#memory.learn(answer);
  }

  /** Sends so many requests, one after another. */
  async run(calls: number, progress: (done: number) => void): Promise<Report> {
    const { report } = this.#sender;
    const step = Math.min(5_000, Math.max(1, Math.floor(calls / 10)));
    let told = 0;
    while (this.#sender.sent < calls && report.defects.length < 10) {
      if (this.#random.chance(0.03)) await this.#outside.act(this.#random, this.#memory);
      await this.#next();
      for (; told + step <= this.#sender.sent; told += step) progress(told + step);
    }
    return report;
  }

  /** A visit sends several requests, so that each kind of visit is about a tenth of all requests. */
  async #next(): Promise<void> {
    const random = this.#random;
    if (random.chance(0.05)) return this.#knock();
    if (this.#memory.pages.size > 0 && random.chance(0.05)) return this.#payer.visit();
    if (random.chance(0.055)) return this.#console.visit();
    return this.#call();
  }

  async #call(): Promise<void> {
    const random = this.#random;
    this.#bodies.oddness = random.of([0, 0, 0, 0, 0, 0, 0.05, 0.3]);
    const { key, name } = random.of(this.#keys);
    this.#memory.caller = name;
    const { path, method, operation } = random.of(random.chance(0.25) ? this.#common : this.#operations);
    const schema = operation.requestBody?.content['application/json'].schema;
    const body =
      schema && random.chance(0.98) ? this.#bodyText(this.#body(`${method.toUpperCase()} ${path}`, schema)) : undefined;
    const headers: Record<string, string> = { ...(key === null ? {} : { authorization: key }) };
    if (body !== undefined || random.chance(0.02)) {
      headers['content-type'] = random.chance(0.97) ? 'application/json' : random.of(['text/plain', 'application/xml', '']);
    }
    if (method === 'post' && random.chance(0.4)) headers['idempotency-key'] = this.#idempotencyKey();
    if (random.chance(0.03)) headers['x-service-version'] = random.of(['2026-08-01', '2020-01-01', 'x']);
    const sent = random.chance(0.02) ? random.of(['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'POST']) : method.toUpperCase();
    const address = addressOf(path, operation, random, this.#memory, this.#bodies);
    const { status } = await this.#sender.send({ method: sent, path: address, headers, body }, 'operation');
    if (status < 300 && sent === method.toUpperCase()) this.#sender.report.reached.add(`${sent} ${path}`);
  }

  /** Returns a body that the operation is likely to accept, now and then with an odd field, or one made from its schema. */
  #body(name: string, schema: Schema): unknown {
    const random = this.#random;
    const recipe = RECIPES[name];
    if (!recipe || random.chance(0.4)) return this.#bodies.value(schema);
    const body = recipe(random, this.#memory);
    return random.chance(0.15) ? { ...body, [random.of(Object.keys(body))]: random.odd() } : body;
  }

  /** Returns the JSON of a value, now and then damaged. */
  #bodyText(value: unknown): string {
    const random = this.#random;
    const text = JSON.stringify(value) ?? 'undefined';
    if (!random.chance(0.03)) return text;
    return random.of([
      text.slice(0, random.below(text.length + 1)),
      `[${text}]`,
      `${text}${text}`,
      '',
      '{"a":1e999}',
      '"\\ud800"',
    ]);
  }

  #idempotencyKey(): string {
    const random = this.#random;
    if (this.#idempotencyKeys.length > 0 && random.chance(0.2)) return random.of(this.#idempotencyKeys);
    const key = `key-${random.below(1_000_000)}`;
    this.#idempotencyKeys.push(key);
    return key;
  }

  /** Sends anything to the address of a provider's callbacks, or to a place that no answer names. */
  async #knock(): Promise<void> {
    const random = this.#random;
    const method = random.of(['GET', 'GET', 'POST', 'POST', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']);
    const path = random.chance(0.6) ? random.of(this.#callbacks) : random.of(PLACES);
    const signed = random.chance(0.3) ? { 'signature-input': random.of(SIGNED), signature: 'sig-pp=:AAAA:' } : {};
    const types = ['application/json', 'application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data'];
    const headers = { 'content-type': random.of(types), 'verif-hash': 'wrong', ...signed };
    const known = this.#memory.id(random, random.of(['trx', 'rfd', 'po'])).toWellFormed();
    const body = { depositId: known, externalId: known, id: known, type: 'checkout.session.completed', data: random.odd() };
    await this.#sender.send({ method, path, headers, body: this.#bodyText(random.chance(0.5) ? body : random.odd()) }, 'page');
  }
}
