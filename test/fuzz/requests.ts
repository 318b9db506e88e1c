import type { Document, Method, Operation, Parameter, Ref, Schema } from '../../src/edge/openapi/types.ts';
import type { Random } from './values.ts';

/** Values of earlier answers that later requests use. */
export class Memory {
  readonly #ids = new Map<string, string[]>();
  readonly #cursors: string[] = [];
  /** Paths of pages, by the first part: most that are named are of payments, and would replace the others. */
  readonly pages = new Map<string, string[]>();
  /** Saved payment methods, with their customers. */
  readonly methods: { customer: string; method: string }[] = [];
  /** Whose answers are learnt and remembered: a team in an environment. */
  caller = '';
  readonly #origin: string;
  readonly receiver: string;

  /** @param receiver address that takes webhooks of the sandbox */
  constructor(origin: string, receiver: string) {
    this.#origin = origin;
    this.receiver = receiver;
  }

  /** Keeps ids, cursors and page addresses of an answer. */
  learn(value: unknown, name = ''): void {
    if (typeof value === 'string') this.#learnText(value, name);
    else if (Array.isArray(value)) for (const part of value.slice(0, 5)) this.learn(part, name);
    else if (value !== null && typeof value === 'object') {
      for (const [key, part] of Object.entries(value)) this.learn(part, key);
    }
  }

  #learnText(text: string, name: string): void {
    const prefix = /^([a-z]{2,4})_(?:test_)?[0-9a-z]{26}$/.exec(text)?.[1];
    if (prefix) keep(listIn(this.#ids, `${this.caller} ${prefix}`), text);
    if (name.endsWith('cursor')) keep(this.#cursors, text);
    if (text.startsWith(`${this.#origin}/`)) this.#keepPage(text.slice(this.#origin.length));
  }

  /** Keeps the page of a payment, link or invoice, to which an answer led. */
  learnPage(path: string): void {
    const page = /^\/(?:pay|l|invoice)\/[^/?]+/.exec(path)?.[0];
    if (page !== undefined) this.#keepPage(page);
  }

  #keepPage(path: string): void {
    keep(listIn(this.pages, path.split(/[/?#]/)[1] ?? ''), path);
  }

  /** Returns an id of this kind that the caller has seen, or, now and then, another. */
  id(random: Random, prefix: string | undefined): string {
    const own = this.#ids.get(`${this.caller} ${prefix}`) ?? [];
    if (own.length > 0 && random.chance(0.9)) return random.of(own);
    const all = [...this.#ids.values()].flat();
    return all.length > 0 && random.chance(0.7) ? random.of(all) : random.text();
  }

  cursor(random: Random): string {
    return this.#cursors.length > 0 && random.chance(0.7) ? random.of(this.#cursors) : random.text();
  }
}

const KEPT = 60;

function keep(list: string[], text: string): void {
  if (list.includes(text)) return;
  list.push(text);
  if (list.length > KEPT) list.shift();
}

function listIn(lists: Map<string, string[]>, key: string): string[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** Prefix of the ids of a resource, by the first part of its path and by fields that name it. */
const PREFIXES: Record<string, string> = {
  ...{
    payments: 'trx',
    payment: 'trx',
    refunds: 'rfd',
    disputes: 'dsp',
    transfers: 'po',
    beneficiaries: 'ben',
    beneficiary: 'ben',
  },
  ...{
    customers: 'cus',
    customer: 'cus',
    customer_id: 'cus',
    links: 'lnk',
    accounts: 'acct',
    subaccounts: 'acct',
    account: 'acct',
  },
  ...{ account_id: 'acct', invoices: 'inv', webhooks: 'wh', events: 'evt', method: 'pm' },
};

/** Values that lead deep into the program, by the name of the field. */
const LIKELY: Record<string, readonly unknown[]> = {
  amount: [100, 500, 5_000, 25_000, 1_200_000],
  currency: ['XAF', 'XAF', 'XOF', 'NGN', 'KES', 'USD'],
  channel: ['cm.mtn', 'cm.mtn', 'cm.orange', 'ci.wave', 'sn.orange', 'card', 'cm.bank'],
  phone: ['+237650000000', '650000000', '+237650000001', '+237690000000', '+2250700000000'],
  email: ['awa@shop.example', 'a+b@shop.example', 'koffi@client.example'],
  country: ['CM', 'CI', 'SN', 'ZZ'],
  status: ['pending', 'processing', 'succeeded', 'failed', 'active', 'open'],
  reason: ['requested_by_customer', 'duplicate'],
  type: ['mobile_money', 'bank'],
  account_number: ['650000000', '0123456789'],
  otp: ['123456', '000000'],
  name: ['Awa Ngo', 'Chez Koffi'],
  reference: ['order 1', 'order 2'],
  per_page: [1, 2, 25, 100],
  page: [1, 2, 3],
};

/** A day on which the objects of the run are made. */
const CALM_DATE = new Date().toISOString().slice(0, 10);

/** Makes a value for a schema: mostly valid, sometimes odd. */
export class Bodies {
  readonly #document: Document;
  readonly #random: Random;
  readonly #memory: Memory;
  /** Addresses that may be visited: nothing leaves this machine. */
  readonly #addresses: readonly string[];
  /** Probability that one value is not what the schema asks for. */
  oddness = 0;

  constructor(document: Document, random: Random, memory: Memory, addresses: readonly string[]) {
    this.#document = document;
    this.#random = random;
    this.#memory = memory;
    this.#addresses = addresses;
  }

  value(schema: Schema | Ref, name = '', depth = 0): unknown {
    const random = this.#random;
    const known = this.#resolve(schema);
    if (known.format === 'web-url' || known.format === 'uri' || name === 'url' || name === 'logo')
      return random.of(this.#addresses);
    if (random.chance(this.oddness)) return random.odd();
    const prefix = PREFIXES[name];
    if (prefix && this.#types(known).includes('string')) return this.#memory.id(random, prefix);
    const likely = LIKELY[name];
    if (likely && known.enum === undefined && random.chance(0.8)) return random.of(likely);
    if (known.enum) return random.of(known.enum);
    const choices = known.anyOf ?? known.oneOf;
    if (choices) return this.value(random.of(choices), name, depth);
    if (known.allOf) return Object.assign({}, ...known.allOf.map((part) => this.value(part, name, depth)));
    return this.#typed(random.of(this.#types(known)), known, name, depth);
  }

  #types({ type, properties }: Schema): string[] {
    if (type === undefined) return [properties ? 'object' : 'string'];
    return Array.isArray(type) ? type : [type];
  }

  #typed(type: string, schema: Schema, name: string, depth: number): unknown {
    const random = this.#random;
    const { minimum = 0, maximum = 100_000, maxLength = 40 } = schema as Record<'minimum' | 'maximum' | 'maxLength', number>;
    switch (type) {
      case 'null':
        return null;
      case 'boolean':
        return random.chance(0.5);
      case 'integer':
        return minimum + random.below(Math.min(maximum - minimum, 1_000) + 1);
      case 'number':
        return this.oddness === 0 || random.chance(0.8) ? Math.max(minimum, random.below(50_000)) : random.number();
      case 'array':
        return depth > 4 ? [] : Array.from({ length: random.below(4) }, () => this.value(schema.items ?? {}, name, depth + 1));
      case 'object':
        return this.#object(schema, depth);
      default:
        if (schema.format === 'email') return 'payer@client.example';
        if (this.oddness === 0) return schema.format === 'date' ? CALM_DATE : `word ${random.below(50)}`.slice(0, maxLength);
        return schema.format?.toString().startsWith('date') ? random.date() : random.text().slice(0, maxLength);
    }
  }

  #object({ properties = {}, required = [] }: Schema, depth: number): Record<string, unknown> {
    const random = this.#random;
    const names = Object.keys(properties).filter((name) => required.includes(name) || random.chance(depth === 0 ? 0.4 : 0.3));
    const made = Object.fromEntries(names.map((name) => [name, this.value(properties[name] as Schema, name, depth + 1)]));
    if (this.oddness > 0 && random.chance(0.2)) made[random.text()] = random.odd();
    return made;
  }

  #resolve(schema: Schema | Ref): Schema {
    let found = schema as Schema;
    while (found.$ref) {
      const steps = found.$ref.split('/').slice(1);
      found = steps.reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], this.#document) as Schema;
    }
    return found;
  }
}

/** A request of the API. */
export interface FuzzRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** Every operation of the document, with its path and method. */
export function operationsOf(document: Document): { path: string; method: Method; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method as Method, operation })),
  );
}

/** Returns the address of an operation with its parameters filled in. */
export function addressOf(path: string, operation: Operation, random: Random, memory: Memory, bodies: Bodies): string {
  const prefix = PREFIXES[path.split('/')[1] ?? ''];
  const saved = path.includes('{method}') && memory.methods.length > 0 && random.chance(0.8) ? random.of(memory.methods) : null;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (saved) return name === 'method' ? saved.method : saved.customer;
    const id = path.startsWith('/channels') ? random.of(['cm.mtn', random.text()]) : memory.id(random, PREFIXES[name] ?? prefix);
    return encodeURIComponent(id.toWellFormed()) || '%20';
  });
  const parameters = operation.parameters.filter(
    (parameter): parameter is Parameter => 'in' in parameter && parameter.in === 'query',
  );
  const query = new URLSearchParams();
  for (const { name, schema } of parameters) {
    if (!random.chance(0.25)) continue;
    const value = name === 'cursor' ? memory.cursor(random) : bodies.value(schema, name);
    query.append(name, typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value));
  }
  if (random.chance(0.03)) query.append(random.text().toWellFormed(), random.text().toWellFormed());
  return query.size > 0 ? `${filled}?${query}` : filled;
}
