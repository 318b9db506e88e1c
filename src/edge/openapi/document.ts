import { versions } from '../../tenants/versions/registry.ts';
import { envelope } from '../../kit/envelope.ts';
import type { Route } from '../../tenants/api/route.ts';
import { DELIVERY_HEADERS, webhooksOf } from './events.ts';
import { RESOURCES } from './examples/resources.ts';
import { HEADER_PARAMETERS, HEADERS } from './headers.ts';
import { INTRODUCTION, TAGS } from './introduction.ts';
import { nameShapes } from './names.ts';
import { operationOf, tagOf } from './operations.ts';
import { PROBLEMS } from '../../tenants/api/problems.ts';
import type { SharedResponses } from './responses.ts';
import { Schemas } from './schemas.ts';
import type { Components, Document, Example, Method, Schema } from './types.ts';

/**
 * Builds the OpenAPI 3.1 document from the registered routes. The same routes always give the same text.
 * @param server base URL of the API
 */
export function buildDocument(routes: readonly Route[], server: string): Document {
  const schemas = new Schemas();
  nameShapes(schemas, routes);
  const shared: SharedResponses = new Map();
  const paths = pathsOf(routes, schemas, shared);
  const webhooks = webhooksOf(schemas);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Pirogue',
      version: versions.newest,
      summary: 'Payment orchestrator for African markets.',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server, description: 'This installation. The key selects sandbox or live.' }],
    tags: [...new Set(routes.map(({ path }) => tagOf(path)))].map((name) => ({ name, description: TAGS[name] ?? `${name}.` })),
    paths,
    webhooks,
    components: componentsOf(schemas, shared),
  };
}

function pathsOf(routes: readonly Route[], schemas: Schemas, shared: SharedResponses): Document['paths'] {
  const paths: Document['paths'] = {};
  for (const route of routes) {
    const path = templateOf(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase() as Method]: operationOf(route, schemas, shared) };
  }
  return paths;
}

/** Converts a path to the form of the document: `/payments/:id` becomes `/payments/{id}`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function componentsOf(schemas: Schemas, shared: SharedResponses): Components {
  const deliveries = Object.entries(DELIVERY_HEADERS).map(([name, header]) => [`Delivery${name}`, header]);
  return {
    schemas: withExamples(sorted(schemas.components)),
    responses: sorted(Object.fromEntries([...shared.values()].map(({ name, response }) => [name, response]))),
    parameters: { ...HEADER_PARAMETERS, ...Object.fromEntries(deliveries) },
    headers: HEADERS,
    examples: problemExamples(shared),
    securitySchemes: {
      publicKey: keyScheme('`pk.` or `pk_test.`: may stand in pages and apps.'),
      secretKey: keyScheme('`sk.` or `sk_test.`: for your servers only.'),
      restrictedKey: keyScheme('`rk.` or `rk_test.`: for your servers, with the scopes it was made with.'),
    },
  };
}

function keyScheme(description: string): object {
  return { type: 'apiKey', in: 'header', name: 'Authorization', description: `The key, as the sole value. ${description}` };
}

/** Adds an example to the schema of each resource. */
function withExamples(components: Record<string, Schema>): Record<string, Schema> {
  const known: Record<string, object> = RESOURCES;
  return Object.fromEntries(
    Object.entries(components).map(([name, schema]) => [name, known[name] ? { ...schema, examples: [known[name]] } : schema]),
  );
}

/** Returns the examples of problems that some response refers to. */
function problemExamples(shared: SharedResponses): Record<string, Example> {
  const used = new Set(
    [...shared.values()].flatMap(({ response }) => Object.keys(response.content?.['application/json'].examples ?? {})),
  );
  const shown = Object.entries(PROBLEMS).filter(([name]) => used.has(name));
  return Object.fromEntries(
    shown.map(([name, { status, when, ...fields }]) => [
      name,
      { summary: when.replaceAll('`', ''), value: { ...envelope(status, fields.message, {}), ...fields } },
    ]),
  );
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
