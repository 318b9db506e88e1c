import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

/** The style and the arrows of ARCHITECTURE.md as a test: what a reviewer would otherwise have to look for. */
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
const room = (name: string) => name.split('/')[1] ?? '';

function offenders(rule: (source: Source) => string[]): string[] {
  return sources.flatMap((source) => rule(source).map((fault) => `${source.name}: ${fault}`));
}

test('a file fits in one reading: at most 300 lines, a test with its tables 400 (data files aside)', () => {
  const data = /src\/reference\//;
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
    [
      'src/money/events/record.ts',
      'src/tenants/api/idempotency.ts',
      'src/edge/http/health.ts',
      'src/money/settlement/credit.ts',
    ].includes(name);
  assert.deepEqual(
    offenders(({ name, text }) => (!allowed(name) && /\bsql`/.test(text) ? ['writes SQL'] : [])),
    [],
  );
});

test('fastify is known to http and the pages only', () => {
  assert.deepEqual(
    offenders(({ name, imports }) =>
      imports.some((target) => /^@?fastify/.test(target)) &&
      !['http', 'checkout', 'callbacks'].includes(room(name)) &&
      !/^src\/(links|invoices)\/pages\.ts$/.test(name) &&
      name !== 'src/program/program.ts' &&
      name !== 'src/program/start/run.ts'
        ? ['imports fastify']
        : [],
    ),
    [],
  );
});

test("a slice never imports another slice's store or states (pages may ask states)", () => {
  const slices = new Set([
    'payments',
    'refunds',
    'returns',
    'disputes',
    'transfers',
    'beneficiaries',
    'accounts',
    'webhooks',
    'events',
    'settlement',
    'balance',
    'customers',
    'identity',
    'invoices',
    'ceilings',
    'links',
    'reconciliation',
    'float',
    'abuse',
    'receipts',
  ]);
  assert.deepEqual(
    offenders(({ name, imports }) =>
      imports
        .filter(
          (target) =>
            slices.has(room(target)) &&
            room(target) !== room(name) &&
            (room(name) === 'checkout' ? /store\.ts$/ : /(store|states)\.ts$/).test(target) &&
            room(target) !== 'settlement',
        )
        .map((target) => `imports ${target}`),
    ),
    [],
  );
});

test('kit imports nothing of the house, providers only kit and reference data', () => {
  const inside: Record<string, RegExp> = { kit: /^src\/kit\//, providers: /^src\/(kit|providers)\// };
  assert.deepEqual(
    offenders(({ name, imports }) => {
      const allowed = inside[room(name)];
      return allowed
        ? imports.filter((target) => target.startsWith('src/') && !allowed.test(target)).map((target) => `imports ${target}`)
        : [];
    }),
    [],
  );
});

test('only config.ts and the command line read the environment; only clock.ts and deadlines read the time', () => {
  const reads = offenders(({ name, text }) =>
    /process\.env\b/.test(text) && !/^src\/(config|main|cli\/|db\/embedded)/.test(name) ? ['reads process.env'] : [],
  );
  assert.deepEqual(reads, []);
});

test('nothing below the root imports src/program/deps.ts: a room declares its dependencies in its own deps.ts', () => {
  const root = /^src\/((deps|program|main|listeners)\.ts$|(start|cli)\/)/;
  assert.deepEqual(
    offenders(({ name, imports }) =>
      !root.test(name) && imports.includes('src/program/deps.ts') ? ['imports src/program/deps.ts'] : [],
    ),
    [],
  );
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
