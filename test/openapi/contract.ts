import assert from 'node:assert/strict';
import fs from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Document, Example, Header, Method, Ref, Response, Schema } from '../../src/edge/openapi/types.ts';
import { versions } from '../../src/tenants/versions/registry.ts';

/** What came back: the part of an answer that the document speaks of. */
export interface Answered {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Holds answers against the document: status, headers and body, in which no field may stand that it does not name. */
export class Contract {
  readonly document: Document;
  // document.test.ts proves that the schemas are valid. Every test process compiles some of them.
  readonly #ajv = new Ajv2020({ validateSchema: false, strict: false, allErrors: true, coerceTypes: false });
  readonly #headers = new Ajv2020({ validateSchema: false, strict: false, coerceTypes: true });
  readonly #templates: { template: string; pattern: RegExp }[];
  readonly #compiled = new Map<string, ValidateFunction>();
  readonly #responses = new Map<Response, Documented>();
  readonly #headerChecks = new Map<Header, ValidateFunction>();

  constructor(document: Document) {
    this.document = document;
    formats.default(this.#ajv as never);
    formats.default(this.#headers as never);
    this.#ajv.addSchema(closed({ $id: 'doc', components: { schemas: document.components.schemas } } as Schema));
    this.#templates = Object.keys(document.paths)
      .map((template) => ({ template, pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`) }))
      // A path without parameters is meant before one that has them.
      .sort((a, b) => Number(a.template.includes('{')) - Number(b.template.includes('{')));
  }

  /** @throws AssertionError naming everything in which the answer differs; paths the document lacks are not its business */
  check(method: string, target: string, answer: Answered): void {
    const path = target.split('?')[0] as string;
    const template = this.#templates.find(({ pattern }) => pattern.test(path))?.template;
    if (template === undefined || method === 'HEAD' || method === 'OPTIONS') return;
    // The document is that of the newest version.
    if ((answer.headers.get('x-service-version') ?? versions.newest) !== versions.newest) return;
    const operation = this.document.paths[template]?.[method.toLowerCase() as Method];
    const faults = operation ? this.#faults(operation.responses[answer.status], answer) : this.#wrongMethodFaults(answer);
    assert.deepEqual(
      faults,
      [],
      `${method} ${path} answered ${answer.status}, which is not what docs/openapi.json says: ${JSON.stringify(answer.body)}`,
    );
  }

  /** A method that the path lacks is refused like every other request: 405, or what is checked before. */
  #wrongMethodFaults({ status, body }: Answered): string[] {
    const name = status === 429 ? 'RateLimited' : 'Error';
    return this.#schemaFaults(`wrong method ${name}`, { $ref: `#/components/schemas/${name}` }, body);
  }

  /** What of the value the schema of the document does not allow. */
  #schemaFaults(key: string, schema: Schema, value: unknown): string[] {
    const check = this.#compile(key, schema);
    return check(value) ? [] : (check.errors ?? []).map(faultText);
  }

  /** @param key names the schema, so that it is compiled once */
  faultsOf(key: string, schema: Schema, value: unknown): string[] {
    return this.#schemaFaults(key, schema, value);
  }

  #compile(key: string, schema: Schema): ValidateFunction {
    const known = this.#compiled.get(key);
    if (known) return known;
    const check = this.#ajv.compile(absolute(closed(schema)));
    this.#compiled.set(key, check);
    return check;
  }

  #faults(documented: Response | Ref | undefined, answer: Answered): string[] {
    if (!documented) return [`status ${answer.status} is not documented for this operation`];
    const { headers, undocumented, body, messages } = this.#documented(this.resolve<Response>(documented));
    const { message } = (answer.body ?? {}) as { message?: string };
    return [
      ...(answer.status >= 300 || messages.has(message) || WITHOUT_EXAMPLE.has(message)
        ? []
        : [`message ${message} is not that of the example`]),
      ...undocumented.filter((name) => answer.headers.has(name)).map((name) => `header ${name} is sent but not documented`),
      ...headers.flatMap((header) => headerFaults(header, answer.headers.get(header.name))),
      ...(body ? this.#schemaFaults(body.key, body.schema, answer.body) : []),
    ];
  }

  /** What the document says of a response, ready to check: thousands of responses are checked against few descriptions. */
  #documented(response: Response): Documented {
    const known = this.#responses.get(response);
    if (known) return known;
    const { headers = {}, content } = response;
    const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
    const { schema, examples = {} } = content?.['application/json'] ?? {};
    const documented: Documented = {
      headers: Object.entries(headers).map(([name, header]) => {
        const resolved = this.resolve<Header>(header);
        return { name, required: resolved.required, check: this.#headerCheck(resolved) };
      }),
      undocumented: Object.keys(this.document.components.headers).filter((name) => !names.has(name.toLowerCase())),
      messages: new Set(
        Object.values(examples).map((example) => (this.resolve<Example>(example).value as { message?: string }).message),
      ),
      ...(schema && { body: { key: JSON.stringify(schema), schema } }),
    };
    this.#responses.set(response, documented);
    return documented;
  }

  #headerCheck(header: Header): ValidateFunction {
    const known = this.#headerChecks.get(header);
    if (known) return known;
    const check = this.#headers.compile({ type: 'object', properties: { value: header.schema } });
    this.#headerChecks.set(header, check);
    return check;
  }

  /** What a reference inside the document stands for. */
  resolve<T extends object>(found: T | Ref): T {
    if (!('$ref' in found)) return found;
    const steps = found.$ref.split('/').slice(1);
    return steps.reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], this.document) as T;
  }
}

/** Successes whose messages have no example: a transfer that the balance does not cover is created, but failed; a holder is unknown. */
const WITHOUT_EXAMPLE: ReadonlySet<string | undefined> = new Set(['Transfer failed', 'Identity not resolved']);

/** A response of the document, ready to check. */
interface Documented {
  headers: DocumentedHeader[];
  /** The headers that only other responses have. */
  undocumented: string[];
  /** The messages of its examples: a success has one of them. */
  messages: ReadonlySet<string | undefined>;
  /** The schema of its JSON, with the name that it is compiled under. */
  body?: { key: string; schema: Schema };
}

interface DocumentedHeader {
  name: string;
  required: boolean | undefined;
  check: ValidateFunction;
}

function headerFaults({ name, required, check }: DocumentedHeader, value: string | null): string[] {
  if (value === null) return required ? [`header ${name} is missing`] : [];
  return check({ value }) ? [] : [`header ${name} is ${value}: ${check.errors?.[0]?.message}`];
}

function faultText({ instancePath, message, params }: { instancePath: string; message?: string; params: object }): string {
  return `${instancePath || 'body'} ${message} ${JSON.stringify(params)}`;
}

/**
 * The schema with every object closed that names its fields and does not say that it takes others: clients must bear new
 * fields, but an answer must not have one that nobody documented.
 */
function closed(schema: Schema): Schema {
  return transform(schema, (node, inAllOf) =>
    node.properties && node.additionalProperties === undefined && !inAllOf ? { ...node, additionalProperties: false } : node,
  );
}

/** References point into the document. */
function absolute(schema: Schema): Schema {
  return transform(schema, (node) => (node.$ref?.startsWith('#') ? { ...node, $ref: `doc${node.$ref}` } : node));
}

function transform(value: Schema, change: (node: Schema, inAllOf: boolean) => Schema, key = ''): Schema {
  if (Array.isArray(value)) return value.map((part) => transform(part, change, key)) as unknown as Schema;
  if (value === null || typeof value !== 'object') return value;
  const inside = Object.entries(value).map(([name, part]) => [name, transform(part as Schema, change, name)]);
  return change(Object.fromEntries(inside), key === 'allOf');
}

const DOCUMENT = new URL('../../docs/openapi.json', import.meta.url);

let contract: Contract | undefined;

/** The contract of docs/openapi.json, read once by each process. document.test.ts proves that it is that of the routes. */
export function contractOf(): Contract {
  contract ??= new Contract(JSON.parse(fs.readFileSync(DOCUMENT, 'utf8')) as Document);
  return contract;
}
