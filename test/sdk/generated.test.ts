import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { type Document, generate } from '../../scripts/sdk-types.ts';

const document = () => JSON.parse(fs.readFileSync('docs/openapi.json', 'utf8')) as Document;

test('the types of the SDK are those of docs/openapi.json', () => {
  for (const [name, text] of Object.entries(generate(document()))) {
    const there = fs.readFileSync(`sdk/src/generated/${name}`, 'utf8');
    assert.ok(there === text, `sdk/src/generated/${name} is stale: run node scripts/sdk-types.ts`);
  }
});

test('a changed document changes them', () => {
  const changed = document();
  (changed.components.schemas.Payment as { properties: object }).properties = { late: { type: ['integer', 'null'] } };
  assert.match(generate(changed)['types.ts'] ?? '', /export interface Payment \{\n {2}late\?: number \| null;\n\}/);
});

test('what the generator was not written for stops it', () => {
  const changed = document();
  (changed.components.schemas.Payment as { type: string }).type = 'tuple';
  assert.throws(() => generate(changed), /an unknown type tuple/);
});

test('the package ships what its exports name, and depends on nothing', () => {
  const manifest = JSON.parse(fs.readFileSync('sdk/package.json', 'utf8')) as Record<string, never>;
  assert.deepEqual(manifest.files, ['dist']);
  assert.deepEqual([manifest.dependencies, manifest.peerDependencies], [undefined, undefined]);
});
