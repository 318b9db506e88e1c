import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { dryRun } from './mutants/dry-run.ts';
import { type Equivalent, readEquivalents, reasonFor, stale } from './mutants/equivalent.ts';
import { generate } from './mutants/generate.ts';
import { judge, type Suite, type Verdict } from './mutants/judge.ts';
import { type Mutant, oneLine } from './mutants/mutant.ts';
import { makePlaces } from './mutants/places.ts';
import { isKilled, isSurvivor, type Judged, lineOf, type Score, scoreOf, table } from './mutants/report.ts';
import { ROOMS } from './mutants/rooms.ts';
import type { Place } from './mutants/run-test.ts';
import { sample } from './mutants/sample.ts';
import { markInvalid } from './mutants/types.ts';
import { endOf } from './testing/end.ts';

const HELP = `Usage: npm run mutants -- [options]

Plants small defects (mutants) in the rooms that handle money, one at a time, and runs the tests that execute them.

  --sample <n>      mutants to draw (default 400)
  --seed <n>        seed of the draw (default: the time, printed)
  --room <name>     only this room (${ROOMS.map(({ name }) => name).join(', ')})
  --files <n>       test files for one mutant, at most (default 15)
  --json <file>     writes results to a file, after every mutant
  --again <file>    takes over what was killed in such results, and runs the rest: first what has no result yet
  --survivors       with --again: runs only what survived there
  --list            prints the mutants without running them`;

const ROOT = path.join(import.meta.dirname, '..');
const WORKERS = 2;
/** Time limit of a run besides five times its dry run. */
const SLACK_MS = 10_000;

interface Options {
  size: number;
  seed: number;
  room: string | undefined;
  max_files: number;
  again: string | undefined;
  survivors: boolean;
  json: string | undefined;
}

interface Results {
  seed: number;
  seconds: number;
  scores: Score[];
  verdicts: Judged[];
}

async function main(): Promise<number> {
  const options = readOptions();
  if (typeof options === 'number') return options;
  const everything = generate(ROOT);
  const all = everything.filter(({ room }) => options.room === undefined || room === options.room);
  const drawn = sample(all, options.size, options.seed);
  const started = performance.now();
  const earlier = options.again ? readVerdicts(options.again, drawn) : [];
  const known = earlier.filter((verdict) => isKilled(verdict) || verdict.status === 'invalid');
  const list = readEquivalents(ROOT);
  const resultsOf = (found: readonly Verdict[]): Results => {
    const kept = earlier.filter(({ mutant }) => !found.some((one) => one.mutant.id === mutant.id));
    const verdicts = [...kept, ...found].map((verdict) => withReason(verdict, list));
    return { seed: options.seed, seconds: (performance.now() - started) / 1000, scores: scoresOf(all, verdicts), verdicts };
  };
  const save = (found: readonly Verdict[]) => {
    if (options.json) fs.writeFileSync(options.json, `${JSON.stringify(resultsOf(found), null, 2)}\n`);
  };
  const left = without(drawn, earlier);
  const again = without(drawn, [...known, ...left.map((mutant) => ({ mutant }))]);
  const found = await run(everything, options.survivors ? again : [...left, ...again], options.max_files, save);
  save(found);
  print(resultsOf(found));
  for (const entry of stale(list, everything)) console.log(`no mutant any more: ${entry.file}: ${oneLine(entry.text)}`);
  return 0;
}

function withReason(verdict: Verdict, list: readonly Equivalent[]): Judged {
  const equivalent = isSurvivor(verdict) ? reasonFor(verdict.mutant, list) : undefined;
  return equivalent === undefined ? verdict : { ...verdict, equivalent };
}

function readOptions(): Options | number {
  const { values } = parseArgs({
    options: {
      sample: { type: 'string', default: '400' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      room: { type: 'string' },
      files: { type: 'string', default: '15' },
      again: { type: 'string' },
      survivors: { type: 'boolean', default: false },
      json: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const numbers = [values.sample, values.seed, values.files];
  if (
    values.help ||
    numbers.some((text) => !/^\d{1,9}$/.test(text)) ||
    (values.room && !ROOMS.some(({ name }) => name === values.room))
  ) {
    console.log(HELP);
    return values.help ? 0 : 2;
  }
  const options = { size: Number(values.sample), seed: Number(values.seed), max_files: Number(values.files), room: values.room };
  if (!values.list) return { ...options, again: values.again, survivors: values.survivors, json: values.json };
  for (const { id, file, line, mutator, from, to } of generate(ROOT).filter(({ room }) => !values.room || room === values.room)) {
    console.log(`${id} ${file}:${line} ${mutator}  ${oneLine(from)}  =>  ${oneLine(to) || '(nothing)'}`);
  }
  return 0;
}

function readVerdicts(file: string, drawn: readonly Mutant[]): Verdict[] {
  const { verdicts } = JSON.parse(fs.readFileSync(file, 'utf8')) as Results;
  const ids = new Set(drawn.map(({ id }) => id));
  return verdicts.filter(({ mutant }) => ids.has(mutant.id));
}

function without(drawn: readonly Mutant[], others: readonly { mutant: Mutant }[]): Mutant[] {
  const ids = new Set(others.map(({ mutant }) => mutant.id));
  return drawn.filter(({ id }) => !ids.has(id));
}

/** Runs the mutants in as many copies of the project as there are workers. */
async function run(
  all: readonly Mutant[],
  drawn: readonly Mutant[],
  max_files: number,
  save: (found: readonly Verdict[]) => void,
): Promise<Verdict[]> {
  await using places = await makePlaces(ROOT, WORKERS, endOf(process));
  const { covered, failed } = await dryRun(ROOT, places.list, all, console.log);
  for (const file of failed) console.log(`left out, fails without a mutant: ${file}`);
  const suite: Suite = { covered, max_files, slack_ms: SLACK_MS, found: new Map() };
  const queue = [...drawn];
  const verdicts: Verdict[] = [];
  const workers = await Promise.allSettled(
    places.list.map(async (place) => {
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        const verdict = await judge(place, mutant, suite);
        verdicts.push(verdict);
        save(verdicts);
        console.log(`${String(verdicts.length).padStart(4)}/${drawn.length} ${lineOf(verdict)}`);
      }
    }),
  );
  const broken = workers.find((worker) => worker.status === 'rejected');
  if (broken) throw broken.reason;
  // Awaited here: the copies disappear at the end of this function.
  return await markInvalid((places.list[0] as Place).root, verdicts);
}

function scoresOf(all: readonly Mutant[], verdicts: readonly Judged[]): Score[] {
  const group = (name: string, test: (mutant: Mutant) => boolean) =>
    scoreOf(
      name,
      all.filter(test).length,
      verdicts.filter(({ mutant }) => test(mutant)),
    );
  return [
    ...ROOMS.map(({ name }) => group(name, ({ room }) => room === name)).filter(({ all: count }) => count > 0),
    group('TypeScript', ({ language }) => language === 'ts'),
    group('SQL', ({ language }) => language === 'sql'),
    group('all', () => true),
  ];
}

function print({ seed, seconds, scores, verdicts }: Results): void {
  const survivors = verdicts.filter(isSurvivor);
  console.log(`\nSurvivors: ${survivors.length}`);
  for (const one of survivors) console.log(`${lineOf(one)}${one.equivalent ? `\n          equivalent: ${one.equivalent}` : ''}`);
  console.log(`\n${table(scores)}\n`);
  const invalid = verdicts.filter(({ status }) => status === 'invalid').length;
  console.log(
    `seed ${seed}, ${Math.round(seconds / 60)} minutes; ${invalid} mutants that the type check rejects are not counted`,
  );
}

if (import.meta.main) {
  process.exitCode = await main().catch((error: unknown) => {
    if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
    console.log('stopped');
    return 1;
  });
}
