import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const root = path.join(import.meta.dirname, '..', '..');

/** Who may hold a store of all teams, and why. Whoever serves one caller, payer or provider asks for the part of its team. */
const ACROSS: Record<string, string> = {
  'src/platform/db/scope.ts': 'says so to the database',
  'src/platform/db/stores.ts': 'makes them',
  'src/program/deps.ts': 'hands them to creators and readers',
  'src/program/program.ts': 'hands them to background work, which claims the due rows of all teams',
  'src/edge/metrics/scrape.ts': 'counts what is due, over all teams',
  'src/edge/checkout/live.ts': 'looks at the payments of all open pages with one statement',
  'src/core/payments/create.ts': 'puts payments of several teams into one statement',
  'src/core/payments/read.ts': 'reads payments of several teams with one statement',
  'src/platform/db/batches.ts': 'puts items of several teams into one statement or transaction',
  'src/providers/exchanges/log.ts': 'stores exchanges of several teams with one statement',
  'src/tenants/request-log/log.ts': 'stores requests of several teams with one statement',
  'src/core/payments/applier.ts': 'puts changes of several teams into one transaction',
};

const WAYS = [
  // Named, unless a part is asked for at once.
  /\bstores\??\.(?:sandbox|live)\b(?!\.of\()/,
  /\bstores\[\w+(?:\.\w+)*\](?!\.of\()/,
  /\{[^{}]*\b(?:sandbox|live)\b[^{}]*\} = (?:\w+\.)*stores\b/,
  /: WholeStore\b/,
  /\.whole\b/,
  /'all_teams'/,
];

test('only the listed files hold a store of all teams', () => {
  const files = fs
    .readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('program/cli'))
    .map((name) => path.posix.join('src', name.split(path.sep).join('/')));
  const holders = files.filter((name) => {
    const code = fs.readFileSync(path.join(root, name), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    return WAYS.some((way) => way.test(code));
  });
  assert.deepEqual(holders.sort(), Object.keys(ACROSS).sort());
});
