import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { BLOCK_NAMES, pages } from '../../scripts/contract-pages.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const UPDATE = 'node scripts/run.mjs scripts/contract-pages.ts';

for (const { file, text, current } of pages()) {
  test(`${file}: generated tables match the code`, () => assert.equal(text, current, `run ${UPDATE}`));
}

test('every generated table is on exactly one page', () => {
  assert.deepEqual(
    pages()
      .flatMap(({ blocks }) => blocks)
      .sort(),
    BLOCK_NAMES.toSorted(),
  );
});

test('docs/contract/README.md links every page of the contract', () => {
  const folder = path.join(ROOT, 'docs', 'contract');
  const index = fs.readFileSync(path.join(folder, 'README.md'), 'utf8');
  const missing = fs.readdirSync(folder).filter((name) => name !== 'README.md' && !index.includes(`](${name})`));
  assert.deepEqual(missing, []);
});

/** Words that cite something a reader of the repository cannot open. */
const CITATION = /\b(?:spec,?|decisions,?)\s+\(?section \d|\bspecification,? \(?section|\bthe specification\b|\brulings?\b/i;

const cited = ['*.md', '{src,sdk,test,scripts,simulators,bench,examples,migrations,ops,docs}/**/*.{ts,mjs,sql,md}']
  .flatMap((pattern) => fs.globSync(pattern, { cwd: ROOT, exclude: (name) => name === 'node_modules' }))
  .filter((file) => file !== path.join('test', 'docs', 'contract.test.ts'))
  .map((file) => ({ file, text: fs.readFileSync(path.join(ROOT, file), 'utf8') }));

test('no file cites a document that is not in the repository', () => {
  assert.ok(cited.length > 500, `${cited.length} files`);
  assert.deepEqual(
    cited.filter(({ text }) => CITATION.test(text)).map(({ file }) => file),
    [],
  );
});

test('every page of docs that code names exists', () => {
  const faults = cited
    .filter(({ file }) => !file.endsWith('.md'))
    .flatMap(({ file, text }) =>
      [...text.matchAll(/\bdocs\/[\w/-]+\.md\b/g)]
        .filter(([page]) => !fs.existsSync(path.join(ROOT, page)))
        .map(([page]) => `${file}: ${page}`),
    );
  assert.deepEqual(faults, []);
});

test('every decision says how it stands and since when', () => {
  const folder = path.join(ROOT, 'docs', 'decisions');
  const names = fs.readdirSync(folder).filter((name) => /^\d{4}-/.test(name));
  const unclear = names.filter(
    (name) =>
      !/^# \d+\. .+\n\nStatus: (?:accepted|superseded by .+) · \d{4}-\d{2}-\d{2}/.test(
        fs.readFileSync(path.join(folder, name), 'utf8'),
      ),
  );
  assert.deepEqual(unclear, []);
});
