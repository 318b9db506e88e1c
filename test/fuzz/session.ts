import { buildDocument } from '../../src/edge/openapi/document.ts';
import { allRoutes } from '../../src/program/program.ts';
import type { Schema } from '../../src/edge/openapi/types.ts';
import type { Api } from '../setup/api.ts';
import type { Receiver } from '../setup/receiver.ts';
import { faultOf, leakOf } from './faults.ts';
import type { Outside } from './outside.ts';
import { RECIPES } from './recipes.ts';
import { addressOf, Bodies, type FuzzRequest, Memory, operationsOf } from './requests.ts';
import { Random } from './values.ts';

/** Operations on which the others depend; they come more often. */
const COMMON = new Set(['/payments', '/payments/{id}', '/refunds', '/beneficiaries', '/customers', '/transfers']);

const PAGE_PARTS = ['', '', '', '/card', '/otp', '/receipt', '/receipt.pdf', '/status', '/logo', '/nothing', '/%00'];
const SIGNED = [
  '',
  'sig-pp=();created=1',
  'sig-pp=("@method" "@authority" "@path" "content-digest");alg="x";created=99999999999',
];
const PLACES = ['/docs', '/openapi.json', '/health/live', '/', '/onboarding/x', '/pay/x', '/invoice/x', '/l/x', '/_callbacks/x'];

/** Result of a run: how often each status came, and each defect with the request that showed it. */
export interface Report {
  statuses: Map<number, number>;
  /** Operations that succeeded at least once. */
  reached: Set<string>;
  defects: string[];
}

/** A key, and whose objects it sees. Null: no key. */
export interface Caller {
  key: string | null;
  name: string;
}

/** Stateful random requests to every route and page of a service. */
export class Session {
  readonly #api: Api;
  readonly #random: Random;
  readonly #memory: Memory;
  readonly #bodies: Bodies;
  readonly #operations: ReturnType<typeof operationsOf>;
  readonly #common: ReturnType<typeof operationsOf>;
  readonly #keys: readonly Caller[];
  readonly #idempotencyKeys: string[] = [];
  readonly #outside: Outside;
  readonly #callbacks: readonly string[];
  /** Who was first shown an object, by its id. */
  readonly #owners = new Map<string, string>();
  readonly #report: Report = { statuses: new Map(), reached: new Set(), defects: [] };

  /**
   * @param keys of requests: one that is named more often is used more often
   * @param callbacks paths that take callbacks of providers
   */
  constructor(
    api: Api,
    seed: number,
    keys: readonly Caller[],
    receiver: Receiver,
    outside: Outside,
    callbacks: readonly string[],
  ) {
    const document = buildDocument(allRoutes(api.deps), api.url);
    this.#api = api;
    this.#outside = outside;
    this.#callbacks = callbacks;
    this.#random = new Random(seed);
    this.#memory = new Memory(api.url, `${receiver.url}/hooks`);
    this.#operations = operationsOf(document);
    this.#common = this.#operations.filter(({ path, method }) => method === 'post' && COMMON.has(path));
    const addresses = [`${receiver.url}/hooks`, 'http://127.0.0.1:1/x', 'ftp://127.0.0.1', 'not an address', 'javascript:fuzz()'];
    this.#bodies = new Bodies(document, this.#random, this.#memory, addresses);
    this.#keys = keys;
  }

  /** Sends so many requests, one after another. */
  async run(calls: number, progress: (done: number) => void): Promise<Report> {
    for (let done = 1; done <= calls && this.#report.defects.length < 10; done++) {
      if (this.#random.chance(0.03)) await this.#outside.act(this.#random, this.#memory);
      if (this.#random.chance(0.05)) await this.#knock();
      else if (this.#memory.pages.length > 0 && this.#random.chance(0.15)) await this.#visit();
      else await this.#call();
      if (done % Math.min(5_000, Math.max(1, Math.floor(calls / 10))) === 0) progress(done);
    }
    return this.#report;
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
    const status = await this.#send({ method: sent, path: address, headers, body }, 'operation');
    if (status < 300 && sent === method.toUpperCase()) this.#report.reached.add(`${sent} ${path}`);
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
    await this.#send({ method, path, headers, body: this.#bodyText(random.chance(0.5) ? body : random.odd()) }, 'page');
  }

  /** Opens or submits a page that an earlier answer named. */
  async #visit(): Promise<unknown> {
    const random = this.#random;
    this.#bodies.oddness = random.of([0, 0, 0.1]);
    const page = random.of(this.#memory.pages).split('?')[0] as string;
    const damaged = random.chance(0.1) ? `${page.slice(0, -3)}xyz` : page;
    const path = `${damaged}${random.of(PAGE_PARTS)}${random.chance(0.2) ? `?lang=${encodeURIComponent(random.of(['fr', 'en', 'pt', 'zz']))}` : ''}`;
    if (random.chance(0.5)) return this.#send({ method: 'GET', path, headers: {}, body: undefined }, 'page');
    const form = new URLSearchParams();
    for (const name of ['channel', 'phone', 'otp', 'amount', 'name', 'email', 'number', 'expiry', 'cvc', 'remember']) {
      if (!random.chance(0.6)) continue;
      const value = this.#bodies.value({ type: 'string' }, name);
      form.append(name, (typeof value === 'string' ? value : String(value)).toWellFormed());
    }
    const headers = { 'content-type': random.chance(0.9) ? 'application/x-www-form-urlencoded' : 'application/json' };
    await this.#send({ method: 'POST', path, headers, body: form.toString() }, 'page');
  }

  /** @returns the status; 599 when there was no answer */
  async #send(request: FuzzRequest, target: 'operation' | 'page'): Promise<number> {
    const { method, path, headers, body } = request;
    const shown = () => `${method} ${path} ${JSON.stringify(headers)} ${body?.slice(0, 1_000) ?? ''}`;
    try {
      const signal = AbortSignal.timeout(120_000);
      // The answer is compared with the document by the watched fetch of the tests.
      const response = await fetch(`${this.#api.url}${path}`, {
        ...{ method, headers, signal, redirect: 'manual' },
        ...(body === undefined || method === 'GET' || method === 'HEAD' ? {} : { body }),
      });
      const text = await response.text();
      const { status } = response;
      this.#report.statuses.set(status, (this.#report.statuses.get(status) ?? 0) + 1);
      const fault = faultOf(method, target, { status, type: response.headers.get('content-type'), text });
      if (fault !== null) this.#report.defects.push(`${fault} for ${shown()}: ${text.slice(0, 300)}`);
      const leak = target === 'operation' && status < 300 ? leakOf(this.#owners, this.#memory.caller, text) : null;
      if (leak !== null) this.#report.defects.push(`${leak} for ${shown()}`);
      if (text.startsWith('{')) this.#memory.learn(JSON.parse(text));
      return status;
    } catch (error) {
      this.#report.defects.push(`${error instanceof Error ? error.message : String(error)}\n  for ${shown()}`);
      return 599;
    }
  }
}
