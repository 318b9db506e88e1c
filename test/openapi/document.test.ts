import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import Fastify from 'fastify';
import { canonicalJson } from '../../src/kit/json.ts';
import { buildDocument, templateOf } from '../../src/edge/openapi/document.ts';
import type {
  Document,
  Header,
  MediaType,
  Method,
  Operation,
  Parameter,
  Ref,
  Response,
  Schema,
} from '../../src/edge/openapi/types.ts';
import { allRoutes } from '../../src/program/program.ts';
import { validatorOf } from '../../src/tenants/api/validation.ts';
import { runNode } from '../../scripts/testing/process.ts';
import { type Api, startApi } from '../setup/api.ts';
import { compareFile } from '../setup/golden.ts';
import { Contract } from './contract.ts';

const SERVER = 'http://127.0.0.1:8080';
const REDOCLY = path.resolve('node_modules/@redocly/cli/bin/cli.js');

let api: Api;
let document: Document;
let contract: Contract;
before(async () => {
  api = await startApi({ workers: false });
  document = buildDocument(allRoutes(api.deps), SERVER);
  contract = new Contract(document);
});
after(() => api.stop());

function operations(): [string, Operation][] {
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method.toUpperCase()} ${template}`, operation]),
  );
}

test('docs/openapi.json matches the routes', () => {
  compareFile('docs/openapi.json', `${JSON.stringify(document, null, 2)}\n`);
});

test('every schema of the routes and of the document is valid JSON Schema', () => {
  const requests = new Ajv({ strict: false });
  for (const { method, path, body, query } of allRoutes(api.deps))
    for (const schema of [body, query]) {
      if (schema) assert.ok(requests.validateSchema(schema), `${method} ${path}: ${requests.errorsText()}`);
    }
  const shapes = new Ajv2020({ strict: false });
  const isValid = (name: string, schema: object) => assert.ok(shapes.validateSchema(schema), `${name}: ${shapes.errorsText()}`);
  for (const [name, schema] of Object.entries(document.components.schemas)) isValid(name, schema);
  for (const [name, { responses }] of operations())
    for (const [status, answer] of Object.entries(responses)) {
      const { headers = {}, content = {} } = contract.resolve<Response>(answer);
      for (const header of Object.values(headers))
        isValid(`header of ${name} ${status}`, contract.resolve<Header>(header as Header | Ref).schema);
      for (const { schema } of Object.values(content) as MediaType[]) isValid(`${name} ${status}`, schema);
    }
});

test('the same routes generate the same text on any machine', () => {
  const again = buildDocument(allRoutes(api.deps), SERVER);
  assert.equal(JSON.stringify(again), JSON.stringify(document));
});

test('every route is an operation with its statuses, scope and access', () => {
  for (const route of allRoutes(api.deps)) {
    const operation = document.paths[templateOf(route.path)]?.[route.method.toLowerCase() as Method];
    assert.ok(operation, `${route.method} ${route.path}`);
    assert.equal(operation['x-scope'], route.scope);
    assert.equal(operation['x-access'], route.access);
    for (const status of Object.keys(route.replies)) assert.ok(operation.responses[status], `${route.path} ${status}`);
  }
  assert.equal(operations().length, allRoutes(api.deps).length);
});

test('every schema of a route compiles: the service compiles each with its first request', async () => {
  const app = Fastify();
  for (const { method, path: url, body, query, replies } of allRoutes(api.deps)) {
    const validator = validatorOf(body, query);
    assert.equal(typeof validator.body({}), 'object');
    assert.equal(typeof validator.query({}), 'object');
    // given this way, Fastify compiles them when it gets ready
    app.route({ method, url, schema: { response: replies }, handler: () => {} });
  }
  await app.ready();
  await app.close();
});

test('the version is 2026-08-01 and every event type has a webhook', () => {
  assert.equal(document.info.version, '2026-08-01');
  const types = document.components.schemas.EventType?.enum as string[];
  assert.deepEqual(Object.keys(document.webhooks), types);
  assert.ok(types.length > 30);
});

test('every operation has a summary of its own and shows an example of its response', () => {
  const faults: string[] = [];
  for (const [name, { responses, requestBody, description, summary, tags }] of operations()) {
    if (!/^(List|Retrieve)/.test(summary) && description.startsWith(`${summary}.`)) faults.push(`${name} has no description`);
    const media = requestBody?.content['application/json'];
    if (media && Object.keys(media.examples ?? {}).length === 0) faults.push(`${name} has no example of its body`);
    for (const [status, response] of Object.entries(responses)) {
      const shown = contract.resolve(response).content?.['application/json'].examples?.answer;
      if (status < '400' && !(shown && 'value' in shown && shown.value)) faults.push(`${name} has no example of its ${status}`);
    }
    for (const tag of tags)
      if (document.tags.find((known) => known.name === tag)?.description === `${tag}.`) faults.push(`tag ${tag}`);
  }
  assert.deepEqual([...new Set(faults)], [], 'see src/edge/openapi/examples, introduction.ts and the routes');
});

test('every field and every parameter is described', () => {
  const bare: string[] = [];
  const walk = (schema: Schema, where: string): void => {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (!field.description && !field.$ref) bare.push(`${where}.${name}`);
      walk(field, `${where}.${name}`);
    }
    if (schema.items) walk(schema.items, `${where}[]`);
    for (const part of [schema.anyOf, schema.oneOf, schema.allOf].flatMap((parts) => parts ?? [])) walk(part, where);
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema, name);
  for (const [name, { parameters }] of operations())
    for (const parameter of parameters.filter((found): found is Parameter => !('$ref' in found)))
      if (!parameter.description) bare.push(`${name} ?${parameter.name}`);
  assert.deepEqual(bare, [], 'give the schema a description, or src/edge/openapi/glossary.ts a word');
});

test('no schema is defined twice, no component is unused and every reference resolves', () => {
  const { schemas } = document.components;
  const texts = Object.entries(schemas).map(([name, { description: _, ...shape }]) => [canonicalJson(shape), name] as const);
  const twice = [...Map.groupBy(texts, ([text]) => text).values()].filter((same) => same.length > 1);
  assert.deepEqual(
    twice.map((same) => same.map(([, name]) => name)),
    [],
  );
  const used = new Set([...JSON.stringify(document).matchAll(/"#\/components\/([^"]+)"/g)].map(([, name]) => name));
  const { securitySchemes: _, ...kinds } = document.components;
  const known = Object.entries(kinds).flatMap(([kind, parts]) => Object.keys(parts).map((name) => `${kind}/${name}`));
  assert.deepEqual(
    known.filter((name) => !used.has(name)),
    [],
    'unused',
  );
  assert.deepEqual(
    [...used].filter((name) => !known.includes(name as string)),
    [],
    'unknown',
  );
});

test('operation ids are unique, including those of webhooks', () => {
  const ids = [
    ...operations().map(([, { operationId }]) => operationId),
    ...Object.values(document.webhooks).map(({ post }) => post.operationId),
  ];
  assert.equal(new Set(ids).size, ids.length);
});

test('every example matches its schema', () => {
  const faults: string[] = [];
  const media = (where: string, found: Pick<Response, 'content'>) => {
    const { schema, examples = {} } = found.content?.['application/json'] ?? { schema: {} };
    for (const [name, example] of Object.entries(examples)) {
      const { value } = contract.resolve<{ value: unknown }>(example as Ref);
      faults.push(...contract.faultsOf(JSON.stringify(schema), schema, value).map((fault) => `${where} ${name}: ${fault}`));
    }
  };
  for (const [name, { requestBody, responses, parameters }] of operations()) {
    if (requestBody) media(name, requestBody);
    for (const [status, response] of Object.entries(responses)) media(`${name} ${status}`, contract.resolve(response));
    for (const parameter of parameters.map((found) => contract.resolve<Parameter>(found))) {
      if (parameter.example === undefined) continue;
      const found = contract.faultsOf(JSON.stringify(parameter.schema), parameter.schema, parameter.example);
      faults.push(...found.map((fault) => `${name} ${parameter.name}: ${fault}`));
    }
  }
  for (const [name, { post }] of Object.entries(document.webhooks)) if (post.requestBody) media(name, post.requestBody);
  assert.deepEqual(faults, []);
});

test('the document matches the schema of OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document) as object as Record<string, unknown>);
  assert.ok(valid, JSON.stringify(errors, null, 1));
});

test('Redocly reports no error and no warning', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-openapi-'));
  try {
    const file = path.join(folder, 'openapi.json');
    fs.writeFileSync(file, JSON.stringify(document));
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const { code, output } = await runNode([REDOCLY, 'lint', file, '--extends', 'recommended-strict'], { env, output: 'keep' });
    assert.equal(code, 0, output);
    assert.match(output, /is valid/);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
