import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { projectFiles } from '../testing/copy.ts';
import { type Covered, cover } from './coverage.ts';
import type { Mutant } from './mutant.ts';
import { TESTS } from './rooms.ts';
import type { Place } from './run-test.ts';

const LIMIT_MS = 300_000;
/** Matches the files on which the results of every test depend. */
const SOURCES = /^(?:src|simulators|migrations)\/.*\.(?:ts|sql)$/;
const IMPORT = /\bfrom '(\.[^']+)'/g;

/** Returns the test files that are run against mutants. */
export function testFiles(root: string): string[] {
  return fs
    .globSync('test/*/**/*.test.ts', { cwd: root })
    .filter((file) => TESTS.some((name) => file.startsWith(`test/${name}`)) && !file.includes('.browser.'))
    .sort();
}

/**
 * Runs each test file once and returns which mutants it executes. A result is cached under .cache until the file or any source changes.
 * Files that fail without any mutant are left out and reported.
 */
export async function dryRun(root: string, places: readonly Place[], mutants: readonly Mutant[], say: (line: string) => void) {
  const files = testFiles(root);
  const queue = [...files];
  const keyOf = keysOf(root, mutants);
  const covered: Covered[] = [];
  await Promise.all(
    places.map(async (place) => {
      for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
        const kept = path.join(root, '.cache', 'mutants', `${keyOf(file)}.json`);
        const one = read(kept) ?? (await cover(place, file, mutants, LIMIT_MS));
        say(
          `dry run ${files.length - queue.length}/${files.length}  ${one.seconds.toFixed(1).padStart(6)} s  ${file}: ${one.outcome}, ${one.ids.size} mutants`,
        );
        if (one.outcome !== 'passed') continue;
        write(kept, one);
        covered.push(one);
      }
    }),
  );
  return { covered, failed: files.filter((file) => !covered.some((one) => one.file === file)) };
}

/** Returns the name under which the result of a test file is cached: a hash of everything that it depends on. */
export function keysOf(root: string, mutants: readonly Mutant[]): (file: string) => string {
  const ids = mutants.map(({ id }) => id).join();
  const sources = hashOf(
    projectFiles(root).filter((file) => SOURCES.test(file)),
    root,
    ids,
  );
  return (file) => hashOf([...withHelpers(file, root)].sort(), root, sources);
}

/** Adds the helpers in test/ that the files import, and those that these import. */
function withHelpers(file: string, root: string, found = new Set<string>()): Set<string> {
  found.add(file);
  for (const [, target] of fs.readFileSync(path.join(root, file), 'utf8').matchAll(IMPORT)) {
    const helper = path.join(path.dirname(file), target as string);
    if (helper.startsWith('test/') && !found.has(helper)) withHelpers(helper, root, found);
  }
  return found;
}

function hashOf(files: readonly string[], root: string, before: string): string {
  const hash = createHash('sha256').update(before);
  for (const file of files) hash.update(file).update(fs.readFileSync(path.join(root, file)));
  return hash.digest('hex').slice(0, 32);
}

function read(file: string): Covered | null {
  if (!fs.existsSync(file)) return null;
  const { ids, ...rest } = JSON.parse(fs.readFileSync(file, 'utf8')) as Omit<Covered, 'ids'> & { ids: string[] };
  return { ...rest, ids: new Set(ids) };
}

function write(file: string, covered: Covered): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify({ ...covered, ids: [...covered.ids] }));
}
