import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

interface Entry {
  version?: string;
  resolved?: string;
  integrity?: string;
  optional?: boolean;
  os?: string[];
}

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  engines: Record<string, string>;
}

const root = path.join(import.meta.dirname, '..', '..');
const text = fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8');
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as Manifest;
const { packages } = JSON.parse(text) as { packages: Record<string, Entry> };
const { '': own, ...installed } = packages as Record<string, Entry & Partial<Manifest>>;

test('npm ci verifies every package: each one in the lockfile has its SHA-512', () => {
  const unverified = Object.entries(installed).filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
  assert.deepEqual(
    unverified.map(([folder]) => folder),
    [],
  );
});

test('the lockfile includes nested packages and those of other platforms', () => {
  const folders = Object.keys(installed);
  assert.ok(folders.some((folder) => folder.lastIndexOf('node_modules/') > 0));
  const elsewhere = Object.values(installed).filter(({ os }) => os && !os.includes(process.platform));
  assert.ok(elsewhere.length > 0);
  for (const name of Object.keys(manifest.optionalDependencies)) assert.ok(folders.includes(`node_modules/${name}`), name);
});

test('the lockfile names no registry: every installation uses the one that it is configured for', () => {
  assert.deepEqual(
    Object.entries(installed).filter(([, { resolved }]) => resolved !== undefined),
    [],
  );
  assert.doesNotMatch(text, /https?:\/\/[^"]*(?:registry|\.tgz)/i);
});

test('npm ci accepts the lockfile: it has the dependencies and engines of package.json, each at one exact version', () => {
  const { dependencies, devDependencies, optionalDependencies, engines } = manifest;
  assert.deepEqual(
    { ...own?.dependencies, ...own?.devDependencies, ...own?.optionalDependencies, ...own?.engines },
    { ...dependencies, ...devDependencies, ...optionalDependencies, ...engines },
  );
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
    assert.equal(installed[`node_modules/${name}`]?.version, version.replace(/^npm:.*@/, ''), name);
  }
});
