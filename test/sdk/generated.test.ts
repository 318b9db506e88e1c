import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { OPERATIONS } from '../../sdk/src/generated/operations.ts';
import { type Document, generate } from '../../scripts/sdk-types.ts';

const document = () => JSON.parse(fs.readFileSync('docs/openapi.json', 'utf8')) as Document;

test('the types of the SDK match docs/openapi.json', async () => {
  for (const [name, text] of Object.entries(await generate(document()))) {
    const there = fs.readFileSync(`sdk/src/generated/${name}`, 'utf8');
    assert.ok(there === text, `sdk/src/generated/${name} is stale: run npm run sdk`);
  }
});

test('a changed document changes the generated types', async () => {
  const changed = document();
  changed.components.schemas.Payment = { type: 'object', properties: { late: { type: ['integer', 'null'] } } };
  assert.match((await generate(changed))['openapi.ts'] ?? '', /\n {8}Payment: \{\n {12}late\?: number \| null;\n {8}\};/);
});

test('the package contains the files of its exports, and has no dependencies', () => {
  const manifest = JSON.parse(fs.readFileSync('sdk/package.json', 'utf8')) as Record<string, never>;
  assert.deepEqual(manifest.files, ['dist']);
  assert.deepEqual([manifest.dependencies, manifest.peerDependencies], [undefined, undefined]);
});

test('each method takes an idempotency key and an account exactly where its operation does', () => {
  const source = fs.globSync('sdk/src/resources/*.ts').map((name) => fs.readFileSync(name, 'utf8'));
  const methods = [...source.join('\n').matchAll(/options\??: ([\w &]+)(?: = \{\})?\): [^#]*#call\('(\w+)'/g)];
  const taken = Object.fromEntries(methods.map(([, options, operation]) => [operation, options]));
  const wanted = Object.entries(OPERATIONS)
    // An alias of /accounts.
    .filter(([, { path }]) => !path.startsWith('/subaccounts'))
    .map(([name, { keyed, sync }]) => [name, `${keyed ? 'CreateOptions' : 'CallOptions'}${sync ? ' & AccountOptions' : ''}`]);
  assert.deepEqual(taken, Object.fromEntries(wanted));
});
