import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const DOCS = path.join(import.meta.dirname, '..', '..', 'docs');

/** The cells of each row of the table, without the number, by number. */
const rows = new Map(
  fs
    .readFileSync(path.join(DOCS, 'complaints.md'), 'utf8')
    .split('\n')
    .map((line) => line.split(' | '))
    .filter((cells) => /^\| \d+$/.test(cells[0] ?? ''))
    .map(([number, ...cells]) => [Number(number?.slice(2)), cells]),
);

test('docs/complaints.md has all twenty complaints, each with how it is prevented', () => {
  assert.deepEqual(
    [...rows.keys()],
    Array.from({ length: 20 }, (_, i) => i + 1),
  );
  for (const [number, cells] of rows) assert.equal(cells.length, 3, `row ${number}`);
});

for (const [number, cells] of rows) {
  const proofs = [...(cells.at(-1) ?? '').matchAll(/`([^`]+)`[^`[]* in \[[^\]]+\]\(([^)]+)\)/g)];
  test(`docs/complaints.md names tests that exist: ${number}`, () => {
    assert.ok(proofs.length > 0, 'a proof is named');
    for (const [, title, file] of proofs) {
      const text = fs.readFileSync(path.join(DOCS, file as string), 'utf8');
      const begins = title === `complaint ${number}` ? `test('${title}: ` : `test('${title}'`;
      assert.ok(text.includes(begins), `${file}: ${title}`);
    }
  });
}

test('every link of docs/complaints.md leads to an existing file', () => {
  const links = [...rows.values()].flatMap((cells) => [...cells.join().matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link ?? ''));
  assert.deepEqual(
    links.filter((link) => !fs.existsSync(path.join(DOCS, link))),
    [],
  );
});
