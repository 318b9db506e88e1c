import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { cover } from '../../scripts/mutants/coverage.ts';
import { reasonFor, readEquivalents, stale } from '../../scripts/mutants/equivalent.ts';
import { generate, mutantsOfSource } from '../../scripts/mutants/generate.ts';
import { judge } from '../../scripts/mutants/judge.ts';
import { type Mutant, mutate } from '../../scripts/mutants/mutant.ts';
import { scoreOf, wilson } from '../../scripts/mutants/report.ts';
import { NOT_MUTATED, ROOMS } from '../../scripts/mutants/rooms.ts';
import type { Place } from '../../scripts/mutants/run-test.ts';
import { sample } from '../../scripts/mutants/sample.ts';
import { LAYERS } from '../../src/layers.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const root = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'pirogue-mutants-test-'));
after(() => fs.rmSync(root, { recursive: true, force: true }));

const SOURCE = `
export function fee(amount: number, free: boolean): number {
  if (free) return 0;
  return amount > 100 ? amount / 10 : 5;
}
export function never(): string {
  return 'never called';
}
`;
const TEST = `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fee } from './fee.ts';
test('a tenth', () => assert.equal(fee(200, false), 20));
test('five', () => assert.equal(fee(50, false), 5));
`;
const QUERY =
  'import { sql } from "x";\nexport const q = sql`select a from t where a = $' +
  "{1} and b <> 'x' and c between 1 and 2 order by a desc for update`;\n";

fs.writeFileSync(path.join(root, 'fee.ts'), SOURCE);
fs.writeFileSync(path.join(root, 'fee.test.ts'), TEST);

const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
const place: Place = { root, env, clean: async () => {}, end: new AbortController().signal };
const mutants = mutantsOfSource('fee.ts', 'fees', SOURCE);

test('a mutant that a test notices is killed, one that none notices survives, one that none executes is uncovered', async () => {
  const covered = await cover(place, 'fee.test.ts', mutants, 60_000);
  assert.equal(covered.outcome, 'passed');
  const suite = { covered: [covered], max_files: 5, slack_ms: 10_000, found: new Map<string, number>() };
  const statuses = async (from: string, to: string) => (await judge(place, find(mutants, from, to), suite)).status;
  assert.equal(await statuses('amount / 10', 'amount * 10'), 'killed');
  assert.equal(await statuses('amount > 100', 'amount >= 100'), 'survived');
  assert.equal(await statuses("'never called'", "''"), 'uncovered');
  assert.equal(fs.readFileSync(path.join(root, 'fee.ts'), 'utf8'), SOURCE, 'the source is as it was');
});

test('a mutant whose test does not end is killed by the time limit', async () => {
  const source = 'export function count(): number {\n  let i = 0;\n  while (i < 3) i++;\n  return i;\n}\n';
  fs.writeFileSync(path.join(root, 'count.ts'), source);
  fs.writeFileSync(
    path.join(root, 'count.test.ts'),
    `import { count } from './count.ts';\nif (count() !== 3) throw new Error();\n`,
  );
  const [backwards] = mutantsOfSource('count.ts', 'fees', source).filter(({ to }) => to === '--i');
  const covered = {
    file: 'count.test.ts',
    outcome: 'passed',
    failed: '',
    error: '',
    seconds: 0.2,
    ids: new Set([backwards?.id]),
  } as never;
  const suite = { covered: [covered], max_files: 5, slack_ms: 1_000, found: new Map<string, number>() };
  assert.equal((await judge(place, backwards as Mutant, suite)).status, 'timeout');
});

test('SQL in templates is mutated: comparisons, conditions, orders and locks', () => {
  const changed = mutantsOfSource('q.ts', 'ledger', QUERY)
    .filter(({ language }) => language === 'sql')
    .map((one) => mutate(QUERY, one).split('where ')[1]?.trim());
  const where = (text: string) => `${text}\`;`;
  for (const expected of [
    where('a <> $' + "{1} and b <> 'x' and c between 1 and 2 order by a desc for update"),
    where("true and b <> 'x' and c between 1 and 2 order by a desc for update"),
    where('a = $' + "{1} and b <> '' and c between 1 and 2 order by a desc for update"),
    where('a = $' + '{1} and true and c between 1 and 2 order by a desc for update'),
    where('a = $' + "{1} or b <> 'x' and c between 1 and 2 order by a desc for update"),
    where('a = $' + "{1} and b <> 'x' and true order by a desc for update"),
    where('a = $' + "{1} and b <> 'x' and c between 1 and 2  for update"),
    where('a = $' + "{1} and b <> 'x' and c between 1 and 2 order by a asc for update"),
    where('a = $' + "{1} and b <> 'x' and c between 1 and 2 order by a desc"),
  ]) {
    assert.ok(
      changed.some((text) => text?.replace(/ `/, '`') === expected),
      expected,
    );
  }
  assert.ok(!changed.some((text) => text?.includes('between 1 or 2')));
});

test('the same seed draws the same mutants, from every room and both languages', () => {
  const all = generate(ROOT);
  assert.deepEqual(
    generate(ROOT).map(({ id }) => id),
    all.map(({ id }) => id),
  );
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  const drawn = sample(all, 400, 7);
  assert.equal(drawn.length, 400);
  assert.equal(new Set(drawn).size, 400);
  assert.deepEqual(sample(all, 400, 7), drawn);
  assert.notDeepEqual(sample(all, 400, 8), drawn);
  assert.deepEqual(new Set(drawn.map(({ room }) => room)), new Set(ROOMS.map(({ name }) => name)));
  assert.ok(drawn.filter(({ language }) => language === 'sql').length >= 80);
});

test('every room of money and core is mutated, or left out for a reason that the documentation names', () => {
  const mutated = ROOMS.flatMap(({ files }) => files)
    .filter((pattern) => /^src\/(?:money|core)\//.test(pattern))
    .map((pattern) => pattern.split('/')[2] as string);
  const rooms = LAYERS.filter(({ name }) => name === 'money' || name === 'core').flatMap((layer) => Object.keys(layer.rooms));
  assert.deepEqual([...new Set([...mutated, ...Object.keys(NOT_MUTATED)])].sort(), rooms.toSorted());
  assert.deepEqual(
    Object.keys(NOT_MUTATED).filter((room) => mutated.includes(room)),
    [],
  );
  const text = fs.readFileSync(path.join(ROOT, 'docs', 'reliability', 'mutation-testing.md'), 'utf8');
  const [line = ''] = /^\| rooms left out \|.*$/m.exec(text) ?? [];
  for (const room of Object.keys(NOT_MUTATED)) assert.ok(line.includes(`\`${room}\``), room);
});

test('Wilson’s interval is that of the textbook, and equivalents are counted among the survivors', () => {
  const [low, high] = wilson(90, 100);
  assert.equal(low.toFixed(4), '0.8256');
  assert.equal(high.toFixed(4), '0.9448');
  const [mutant] = mutants;
  const verdict = { mutant: mutant as Mutant, by: '', seconds: 0, tests: 1, covering: 1 };
  const score = scoreOf('x', 9, [
    { ...verdict, status: 'killed' },
    { ...verdict, status: 'timeout' },
    { ...verdict, status: 'survived', equivalent: 'the same' },
    { ...verdict, status: 'uncovered' },
    { ...verdict, status: 'invalid' },
  ]);
  assert.deepEqual(score, { name: 'x', all: 9, killed: 2, timeout: 1, survived: 2, uncovered: 1, equivalent: 1, invalid: 1 });
});

test('an equivalent mutant is known by its file and text, wherever its line is', () => {
  const { file, text, from, to } = find(mutants, 'amount > 100', 'amount >= 100');
  const list = [{ file, text, from, to, reason: 'the fee is the same' }];
  const moved = mutantsOfSource('fee.ts', 'fees', `\n\n${SOURCE}`);
  assert.equal(reasonFor(find(moved, from, to), list), 'the fee is the same');
  assert.equal(reasonFor(find(moved, 'amount / 10', 'amount * 10'), list), undefined);
  assert.deepEqual(stale(list, moved), []);
  assert.equal(stale([{ ...list[0], text: 'gone' } as never], moved).length, 1);
});

test('every listed equivalent has a reason', () => {
  for (const { file, reason } of readEquivalents(ROOT)) {
    assert.ok(fs.existsSync(path.join(ROOT, file)), file);
    assert.ok(reason.length >= 20, reason);
  }
});

function find(list: readonly Mutant[], from: string, to: string): Mutant {
  const found = list.find((one) => one.from === from && one.to === to);
  assert.ok(found, `${from} => ${to}`);
  return found;
}
