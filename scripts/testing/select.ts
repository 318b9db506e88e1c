import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

export interface Selection {
  files: string[];
  /** False when only a part of the tests was asked for. */
  all: boolean;
  /** Arguments for `node --test`. */
  nodeArgs: string[];
}

/**
 * Returns the tests that the arguments select: `npm test`, `npm test -- test/payments/foo.test.ts test/refunds`,
 * `npm test -- --only payments`, `npm test -- --test-name-pattern "expired"`.
 * @throws when an argument is invalid or selects no file
 */
export function selectTests(args: string[]): Selection {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true, default: [] },
      'test-name-pattern': { type: 'string', multiple: true, default: [] },
    },
  });
  const everything = fs.globSync('test/**/*.test.ts').sort();
  const asked = positionals.flatMap((wanted) => filesUnder(wanted, everything));
  const named = values.only.flatMap((part) => filesNamed(part, everything));
  const patterns = values['test-name-pattern'];
  const all = positionals.length + values.only.length + patterns.length === 0;
  const some = [...new Set([...asked, ...named])];
  return {
    files: positionals.length + values.only.length === 0 ? everything : some,
    all,
    nodeArgs: patterns.map((pattern) => `--test-name-pattern=${pattern}`),
  };
}

function filesUnder(wanted: string, everything: string[]): string[] {
  const place = path.normalize(path.relative(process.cwd(), path.resolve(wanted)));
  const inside = everything.filter((file) => file.startsWith(place + path.sep));
  if (inside.length > 0) return inside;
  if (fs.statSync(place, { throwIfNoEntry: false })?.isFile()) return [place];
  throw new Error(`no such test: ${wanted}`);
}

function filesNamed(part: string, everything: string[]): string[] {
  const matching = everything.filter((file) => file.includes(part));
  if (matching.length > 0) return matching;
  throw new Error(`no test file has "${part}" in its name`);
}
