// Own process: it takes about a minute or more.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { checkDisk } from '../../bench/disk.ts';
import { OptionError, type Options, readOptions, SECTIONS } from '../../bench/options.ts';
import { type Report, reportOf } from '../../bench/report.ts';
import type { Sample, Section } from '../../bench/rounds.ts';
import { tablesOf } from '../../bench/table.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** The page of each section, in the order of the sections. */
const documents = () => SECTIONS.map((name) => fs.readFileSync(path.join(ROOT, 'docs', 'performance', `${name}.md`), 'utf8'));
/** Ends a run that hangs. It takes two minutes on two cores, and more than twice as long beside other tests. */
const LIMIT_MS = 1_700_000;

const SWEEPS = [
  ...['shards', 'payment-expiry', 'attempt-polls', 'tranches', 'hold-release', 'refunds', 'returns', 'transfers', 'erasures'],
  ...['payer-numbers', 'payment-methods', 'invoice-overdue', 'links', 'abuse-usual', 'abuse-forget', 'float', 'ledger-fold'],
  ...['ledger-days', 'ledger-seal', 'audit-seal', 'mail', 'mail-forget', 'webhook-backlogs', 'search', 'figures'],
  ...['purge-payout-batches', 'partitions', 'purge-events', 'purge-deliveries', 'purge-answers', 'purge-mail-files'],
  ...['metrics'],
];
/** Those for which the section makes something due. */
const DUE = [
  ...['payment-expiry', 'attempt-polls', 'hold-release', 'refunds', 'transfers', 'invoice-overdue'],
  ...['purge-answers', 'mail'],
];

const ROWS = {
  post: [
    ...[64, 32, 8].flatMap((n) => ['loop', 'post', 'plain', 'raw', 'api', 'single'].map((id) => `${id}-${n}`)),
    'logging-64',
    'unstored-64',
    'unsecured-64',
    'one_row-64',
    'hello',
  ],
  get: ['one-plain', 'one-large', 'one-unsecured', 'one-small', 'hello'],
  list: [
    'plain-first',
    'first-small',
    'first-large',
    'first-unsecured',
    'second-small',
    'second-large',
    'plain-middle',
    'middle-small',
    'middle-large',
  ],
  deliveries: ['bare-https', 'alive', 'dead', 'bare-http'],
  postings: ['lock-16', 'post-16', 'together-16', 'lock-64', 'post-64', 'together-64'],
  life: ['created', 'paid', 'delivered', 'warm', 'paced'],
  latency: ['events-200', 'events-1000', 'events-2000', 'charges-50'],
  start: ['bare', 'service', 'launcher'],
  routing: ['loop', 'decide'],
  search: ['one', 'none', 'none-short', 'some', 'many', 'all'].flatMap((id) => [`${id}-small`, `${id}-large`]),
  console: [
    'home',
    'home-90',
    'payments',
    'filtered',
    'found',
    'middle',
    'payment',
    'balance',
    'day',
    'events',
    'event',
    'requests',
  ].flatMap((id) => [`${id}-small`, `${id}-large`]),
  workers: ['one-queue', 'ranges', 'alone'],
  sweeps: SWEEPS.flatMap((name) => [`${name}-small`, `${name}-large`]),
  'lists-and-filters': [
    ...['at-the-end', 'first-page', 'in-the-middle'].flatMap((page) =>
      [
        'all-filters',
        'no-filter',
        'one-filter',
        ...(page === 'first-page' ? ['search', 'search-and-filters'] : []),
        'two-filters',
      ].map((filters) => `${page}-${filters}`),
    ),
    ...['page-2-no-filter', 'page-N-in-the-middle-no-filter', 'total-up-to-10-000'],
  ],
  sizing: ['processes-1', 'pace-10'],
};

test('a quick run measures every row and leaves no process and no file behind', { timeout: LIMIT_MS }, async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-test-'));
  fs.chmodSync(folder, 0o711); // PostgreSQL may run under another account
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  const before = documents();
  const { stdout } = await promisify(execFile)(process.execPath, ['bench/main.ts', '--quick', '--json'], {
    cwd: ROOT,
    timeout: LIMIT_MS,
    env: { ...process.env, TMPDIR: folder },
    maxBuffer: 10_000_000,
  });
  const { reports } = JSON.parse(stdout) as { reports: Report[] };
  assert.deepEqual(Object.fromEntries(reports.map(({ section, rows }) => [section, rows.map(({ id }) => id)])), ROWS);
  const { figures = {} } = reports.find(({ section }) => section === 'sweeps') ?? {};
  for (const name of DUE)
    for (const size of ['small', 'large']) assert.ok(figures[`${name}-${size}_rows`], `${name} finds what is due`);
  const answered = reports.flatMap(({ rows }) => rows).filter(({ per_second }) => per_second > 0);
  assert.ok(answered.length > 12, 'most rows hold figures, also on a busy machine');
  assert.deepEqual(documents(), before, 'a smoke run writes nothing down');
  assert.deepEqual(fs.readdirSync(folder), []);
  assert.deepEqual(processesOf(folder), []);
});

test('every section has the place for its tables on its page', () => {
  const pages = documents();
  const missing = SECTIONS.filter((name, i) => !pages[i]?.match(`<!-- bench:${name} -->[^]*<!-- /bench:${name} -->`));
  assert.deepEqual(missing, []);
});

/** Processes started with this TMPDIR, or working in it; where there is no /proc nobody can tell. */
function processesOf(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  const read = (file: string) => {
    try {
      return fs.readFileSync(file, 'latin1');
    } catch {
      return ''; // it ended meanwhile
    }
  };
  return fs
    .readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => ['environ', 'cmdline'].some((name) => read(`/proc/${pid}/${name}`).includes(folder)));
}

const QUIET: Sample = { per_second: 100, p50_ms: 1, p99_ms: 2, service_us: 1, postgres_us: 1, client_us: 1, other: 0 };

function sectionOf(comparisons: Section['comparisons']): Section {
  const point = (id: string) => ({
    id,
    label: id,
    service_pid: null,
    client_pid: 0,
    prepare: async () => {},
    run: () => assert.fail(),
  });
  return { name: 'get', points: [point('base'), point('tried')], comparisons, close: async () => {} };
}

function ratioOf(
  per_second: [base: number, tried: number][],
  comparison: Partial<Section['comparisons'][number]>,
  ofBase: Partial<Sample> = {},
) {
  const samples = new Map([
    ['base', per_second.map(([figure]): Sample => ({ ...QUIET, ...ofBase, per_second: figure }))],
    ['tried', per_second.map(([, figure]): Sample => ({ ...QUIET, per_second: figure }))],
  ]);
  const section = sectionOf([{ point: 'tried', baseline: 'base', metric: 'per_second', ...comparison }]);
  return reportOf(section, samples).ratios[0];
}

test('a ratio is the median of the ratios within each round', () => {
  // a burst halves both figures of the second round; the medians alone would say 0.5
  const ratio = ratioOf(
    [
      [100, 90],
      [50, 45],
      [200, 180],
      [100, 50],
      [60, 54],
    ],
    { goal: { least: 0.9 } },
  );
  assert.equal(ratio?.ratio, 0.9);
  assert.equal(ratio?.met, true);
});

test('a goal is a minimum or a maximum; a ratio without a goal is neither met nor missed', () => {
  assert.equal(ratioOf([[100, 89]], { goal: { least: 0.9 } })?.met, false);
  assert.equal(ratioOf([[100, 116]], { goal: { most: 1.15 } })?.met, false);
  assert.equal(ratioOf([[100, 115]], { goal: { most: 1.15 } })?.met, true);
  assert.equal(ratioOf([[100, 89]], {})?.met, null);
  assert.equal(ratioOf([[0, 89]], { goal: { least: 0.9 } })?.met, null, 'nothing to compare with');
});

test('all CPU is that of service, PostgreSQL and client together', () => {
  assert.equal(ratioOf([[100, 100]], { metric: 'all_us' }, { service_us: null })?.ratio, 1.5);
});

test('a row is marked when most of its windows were disturbed, and so is a ratio to it', () => {
  const others = [0.5, 0.5, 0].map((other): Sample => ({ ...QUIET, other }));
  const report = reportOf(
    sectionOf([{ point: 'tried', baseline: 'base', metric: 'per_second', goal: { least: 0.9 } }]),
    new Map([
      ['base', others],
      ['tried', others.slice(1)],
    ]),
  );
  assert.deepEqual(
    report.rows.map(({ noisy }) => noisy),
    [true, false],
  );
  assert.match(tablesOf(report), /\| base +\| +~100 \|/);
  assert.match(tablesOf(report), /\| tried \| base +\| requests per s \| ~1\.00 \| ≥ 0\.9 \| yes \|/);
});

test('a run that the disk has no room for is refused before anything is written', () => {
  const options = readOptions(['--only', 'sweeps,list,get', '--rows', '100000000']) as Options;
  assert.throws(
    () => checkDisk('/', options),
    /100,000,000 payments in get, list, sweeps need about 960 GB in \/, which has \d+ GB free/,
  );
  checkDisk('/', { ...options, quick: true });
  checkDisk('/', { ...options, only: ['routing'], large_rows: 1_000 });
});

test('invalid combinations of options are rejected with the name of the option', () => {
  assert.throws(
    () => readOptions(['--only', 'post,pots']),
    new OptionError(
      '--only pots: choose among post, get, list, deliveries, postings, life, latency, start, routing, search, console, workers, sweeps, ' +
        'lists-and-filters, sizing',
    ),
  );
  assert.throws(() => readOptions(['--rounds', 'many']), /--rounds many/);
  assert.throws(() => readOptions(['--fast']), OptionError);
  assert.deepEqual(readOptions(['--only', 'list,post'])?.only, ['post', 'list']);
});
