import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/**
 * `node scripts/run.mjs scripts/words.ts`: rejects words that have a standard term in payments, accounting or software, and
 * prints each with its line and the term to use. Part of `npm run check`.
 */

const ROOT = path.join(import.meta.dirname, '..');

interface Rule {
  /** Matches the word; global. */
  pattern: RegExp;
  /** The standard term. */
  instead: string;
}

/** Words inside identifiers are matched too (`readGlimpses`), where the pattern has no word boundary. */
const RULES: readonly Rule[] = [
  { pattern: /\bcan not\b(?! only)/gi, instead: 'cannot' },
  { pattern: /\b(?:MOST|LEAST|LONGEST|SHORTEST)_[A-Z]/g, instead: 'MAX_ or MIN_' },
  { pattern: /happenings?(?![a-z])/gi, instead: 'event, trigger or update' },
  { pattern: /givebacks?(?![a-z])/gi, instead: 'automatic reversal' },
  { pattern: /glimpses?(?![a-z])/gi, instead: 'snapshot' },
  { pattern: /\bpurses?\b|Purse(?![a-z])/g, instead: 'wallet' },
  { pattern: /strangers?(?![a-z])/gi, instead: 'unauthenticated caller' },
  { pattern: /(?<![A-Za-z])[dD]esks?(?![a-z-])|[a-z]Desks?(?![a-z])/g, instead: 'handler, service or context' },
  { pattern: /(?<![\w/_-]|npm run )twins?(?![\w-])|[a-z]Twins?(?![a-z])/g, instead: 'simulator' },
  { pattern: /\bin vain\b/gi, instead: 'failed' },
  { pattern: /\bno way on\b/gi, instead: 'terminal' },
  { pattern: /\bnobody's to decide\b/gi, instead: 'cannot be resolved manually' },
  { pattern: /\bby its own word\b/gi, instead: 'self-declared' },
  { pattern: /\bis refused for\b/gi, instead: 'rejected because' },
  { pattern: /\bfor a reason of ours\b/gi, instead: 'because of an internal error' },
  { pattern: /\bof our own making\b/gi, instead: 'internal' },
  { pattern: /\b(?:is|are|was|were|be|been) told\b/gi, instead: 'is notified, is reported' },
];

interface Exception {
  /** A file, or a folder that ends with a slash. */
  where: string;
  /** The text that is allowed there. */
  text: string;
  reason: string;
}

/** Every place that keeps such a word, with the reason. An exception that nothing needs is a fault. */
export const EXCEPTIONS: readonly Exception[] = [
  { where: 'CHANGELOG.md', text: 'twins/', reason: 'former name of the folder' },
  { where: 'docs/decisions/0055-returns.md', text: 'giveback', reason: 'stored kind of refunds and column of attempts' },
  { where: 'docs/decisions/0055-returns.md', text: 'pirogue_adopt_givebacks', reason: 'function of an applied migration' },
  { where: 'simulators/kit/simulator.ts', text: 'simulator|twin', reason: 'former control address, kept as an alias' },
  { where: 'src/core/archive/store.ts', text: 'giveback', reason: 'column of an applied migration' },
  { where: 'src/core/attempts/archived-store.ts', text: 'giveback', reason: 'column of an applied migration' },
  { where: 'src/core/attempts/personal.ts', text: 'giveback', reason: 'column of an applied migration' },
  { where: 'src/core/books-check/payments-store.ts', text: 'giveback', reason: 'stored kind of refunds and column of attempts' },
  { where: 'src/core/obligations/store.ts', text: 'pirogue_adopt_givebacks', reason: 'function of an applied migration' },
  { where: 'src/core/refunds/', text: 'giveback', reason: 'stored kind of refunds' },
  { where: 'src/edge/erasure/store.ts', text: 'giveback', reason: 'column of an applied migration' },
  { where: 'src/edge/mail/float-text.ts', text: 'purses', reason: 'field of queued mails' },
  { where: 'src/providers/float/poll.ts', text: 'purses', reason: 'field of queued mails' },
  { where: 'src/tenants/outbox/schema.ts', text: 'purses', reason: 'field of queued mails' },
  { where: 'src/program/cli/explain/actions.ts', text: 'happenings', reason: 'key of the JSON output' },
];

/** Returns the faults of a text, each with its line and the standard term. */
export function wordFaults(file: string, text: string, used: Set<Exception> = new Set()): string[] {
  const titlesOnly = file.startsWith('test/') && file.endsWith('.ts');
  const rules = RULES.filter(({ pattern }) => text.search(pattern) >= 0);
  if (rules.length === 0) return [];
  return text.split('\n').flatMap((line, i) => {
    if (titlesOnly && !TITLE.test(line)) return [];
    return rules.flatMap(({ pattern, instead }) =>
      [...line.matchAll(pattern)].flatMap(([word]) => {
        const exception = EXCEPTIONS.find(
          ({ where, text: allowed }) => matches(file, where) && line.includes(allowed) && allowed.includes(word),
        );
        if (!exception) return [`${file}:${i + 1}: "${word}": write ${instead}`];
        used.add(exception);
        return [];
      }),
    );
  });
}

/** A line with the title of a test. */
const TITLE = /\b(?:test|describe|it|suite)\(\s*[`'"]/;

function matches(file: string, where: string): boolean {
  return where.endsWith('/') ? file.startsWith(where) : file === where;
}

/** Returns the files that are checked: sources, titles of tests, and Markdown. Generated files and reviews are left out. */
export function checkedFiles(): string[] {
  const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
  return tracked.filter(
    (file) =>
      (/^(?:src|sdk\/src|scripts|simulators|bench|examples)\/.*\.(?:ts|mjs)$/.test(file) ||
        /^test\/.*\.ts$/.test(file) ||
        file.endsWith('.md')) &&
      !file.startsWith('sdk/src/generated/') &&
      !file.startsWith('docs/reviews/') &&
      file !== 'scripts/words.ts' &&
      fs.existsSync(path.join(ROOT, file)),
  );
}

/** Returns the faults of the repository, unused exceptions included. */
export function allFaults(): string[] {
  const used = new Set<Exception>();
  const faults = checkedFiles().flatMap((file) => wordFaults(file, fs.readFileSync(path.join(ROOT, file), 'utf8'), used));
  const unused = EXCEPTIONS.filter((exception) => !used.has(exception)).map(
    ({ where, text }) => `scripts/words.ts: nothing needs the exception for "${text}" in ${where}`,
  );
  return [...faults, ...unused];
}

if (import.meta.main) {
  const faults = allFaults();
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
