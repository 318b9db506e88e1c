import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { roomOf as room } from '../scripts/layers.ts';
import { CONNECTORS } from '../src/providers/adapters/catalogue.ts';

/** Rules of style that a reviewer would otherwise have to check. test/layers.test.ts checks the imports between rooms. */
const root = path.join(import.meta.dirname, '..');

interface Source {
  name: string;
  text: string;
  imports: string[];
}

function filesBelow(folder: string, ending: RegExp): string[] {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.posix.join(folder, name))
    .filter((name) => ending.test(name) && !name.includes('node_modules'));
}

function read(name: string): Source {
  const text = fs.readFileSync(path.join(root, name), 'utf8');
  const imports = [...text.matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map(([, target]) => target as string);
  return {
    name,
    text,
    imports: imports.map((target) => (target.startsWith('.') ? path.posix.join(path.posix.dirname(name), target) : target)),
  };
}

const sources = filesBelow('src', /\.ts$/).map(read);

function offenders(rule: (source: Source) => string[]): string[] {
  return sources.flatMap((source) => rule(source).map((fault) => `${source.name}: ${fault}`));
}

test('a file fits in one reading: at most 300 lines, a test with its tables 400 (data files aside)', () => {
  const data = /src\/providers\/reference\//;
  const most = (name: string) => (name.startsWith('test/') ? 400 : 300);
  const all = [...sources, ...filesBelow('test', /\.ts$/).map(read)].filter(({ name }) => !data.test(name));
  const long = all.filter(({ name, text }) => text.split('\n').length > most(name) + 1);
  assert.deepEqual(
    long.map(({ name, text }) => `${name} has ${text.split('\n').length} lines`),
    [],
  );
});

test('SQL stands in *store.ts files and in the engine rooms only', () => {
  const allowed = (name: string) =>
    /store\.ts$/.test(name) ||
    ['db', 'ledger', 'kit'].includes(room(name)) ||
    ['src/money/events/record.ts', 'src/edge/http/health.ts', 'src/money/settlement/credit.ts'].includes(name);
  assert.deepEqual(
    offenders(({ name, text }) => (!allowed(name) && /\bsql`/.test(text) ? ['writes SQL'] : [])),
    [],
  );
});

test('fastify is known to http and the pages only', () => {
  assert.deepEqual(
    offenders(({ name, imports }) =>
      imports.some((target) => /^@?fastify/.test(target)) &&
      !['http', 'openapi', 'checkout', 'callbacks', 'console'].includes(room(name)) &&
      !/^src\/edge\/(links|invoices|start-page)\/pages\.ts$/.test(name) &&
      name !== 'src/program/program.ts' &&
      name !== 'src/program/start/run.ts'
        ? ['imports fastify']
        : [],
    ),
    [],
  );
});

test('only config.ts and the command line read the environment; only clock.ts and deadlines read the time', () => {
  const reads = offenders(({ name, text }) =>
    /process\.env\b/.test(text) && !/^src\/(main|platform\/config|program\/cli\/|platform\/db\/embedded)/.test(name)
      ? ['reads process.env']
      : [],
  );
  assert.deepEqual(reads, []);
});

test('no import runs in a circle', () => {
  const edges = new Map(sources.map(({ name, text }) => [name, valueImports(name, text)]));
  const circles: string[] = [];
  const done = new Set<string>();
  const walk = (name: string, trail: string[]): void => {
    if (trail.includes(name)) circles.push([...trail.slice(trail.indexOf(name)), name].join(' -> '));
    if (done.has(name) || trail.includes(name)) return;
    for (const target of edges.get(name) ?? []) walk(target, [...trail, name]);
    done.add(name);
  };
  for (const name of edges.keys()) walk(name, []);
  assert.deepEqual(circles, []);
});

/** Types are gone at run time and may point back. */
function valueImports(name: string, text: string): string[] {
  const statements = [...text.matchAll(/^import (?!type)([\s\S]*?) from '(\.[^']+)'/gm)];
  return statements
    .filter(([, names]) => !/^\{(\s*type [^,}]+,?)+\s*\}$/.test(names as string))
    .map(([, , target]) => path.posix.join(path.posix.dirname(name), target as string));
}

test('nothing is left behind: no to-do, no silenced test, no debugging print', () => {
  const left = /\b(TODO|FIXME|XXX)\b|\.only\(|console\.debug|debugger;/;
  assert.deepEqual(
    offenders(({ text }) => (left.test(text) ? [`has ${left.exec(text)?.[0]}`] : [])),
    [],
  );
});

test('every function is at most 70 lines (tables of routes aside)', () => {
  assert.deepEqual(
    offenders(({ text }) => longFunctions(text)),
    [],
  );
});

function longFunctions(text: string): string[] {
  const lines = text.split('\n');
  const faults: string[] = [];
  for (const [start, line] of lines.entries()) {
    const indent = /^(\s*)(?:export )?(?:async )?function\*? (\w+)/.exec(line);
    // A slice's list of routes is a table, however long.
    if (!indent || indent[2]?.endsWith('Routes')) continue;
    const length = lines.slice(start).findIndex((candidate) => candidate.startsWith(`${indent[1]}}`)) + 1;
    if (length > 70) faults.push(`${indent[2]} has ${length} lines`);
  }
  return faults;
}

test('text is normalised in kit/unicode.ts only, which does so in linear time', () => {
  const allowed = ['src/kit/unicode.ts', 'src/kit/cards.ts'];
  assert.deepEqual(
    offenders(({ name, text }) => (!allowed.includes(name) && /\.normalize\(/.test(text) ? ['normalises text itself'] : [])),
    [],
  );
});

test('formatters are made once, in kit/formatters.ts only', () => {
  const makes = /\bIntl\.\w*(?:Format|Names|Rules)\(|\.toLocale(?:Date|Time)?String\b/;
  assert.deepEqual(
    offenders(({ name, text }) => (name !== 'src/kit/formatters.ts' && makes.test(text) ? ['makes a formatter itself'] : [])),
    [],
  );
});

test('no provider is named by a text outside its adapter', () => {
  const names = CONNECTORS.map(({ name }) => name).join('|');
  const named = new RegExp(`['"\`](?:${names})['"\`]`);
  const outside = (name: string) => !name.startsWith('src/providers/adapters/');
  assert.deepEqual(
    offenders(({ name, text }) => (outside(name) && named.test(text) ? [`has ${named.exec(text)?.[0]}`] : [])),
    [],
  );
});

test('every claim of some due rows skips those that another worker has locked', () => {
  const claims = sources.flatMap(({ name, text }) =>
    [...text.matchAll(/^export (?:async )?function (claim\w+)\([\s\S]*?\n}\n/gm)].map(([body, claim]) => ({
      where: `${name}: ${claim}`,
      body,
    })),
  );
  // Without a limit, the rows are named and the claim checks each of them again.
  const limited = claims.filter(({ body }) => body.includes('limit ${'));
  assert.ok(limited.length >= 8, 'the claims are found');
  assert.deepEqual(
    limited.filter(({ body }) => !body.includes('for update skip locked')).map(({ where }) => where),
    [],
  );
});
