import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { Environment } from '../../src/kit/environment.ts';
import type { Connector } from '../../src/providers/adapters/connector.ts';
import { tools } from '../adapters/fixture.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const ADAPTER = 'src/providers/adapters/blue-money';
const JOBS = ['callback', 'channels', 'client', 'codes', 'collect', 'index', 'payout', 'refund'];
const TEST = 'test/adapters/blue-money.test.ts';
const MADE = [...JOBS.map((job) => `${ADAPTER}/${job}.ts`), 'simulators/blue-money/index.ts', TEST];

interface Ended {
  code: number;
  output: string;
}

function run(program: string, args: string[], cwd: string): Promise<Ended> {
  // Otherwise a test run inside would report to this one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr });
    });
  });
}

const node = (args: string[], cwd: string) => run(process.execPath, args, cwd);
const script = path.join(ROOT, 'scripts', 'new-provider.ts');

suite('npm run new-provider', () => {
  let folder: string;
  let made: Ended;
  const make = (...args: string[]) => node([script, ...args, '--into', folder], ROOT);

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'new-provider-'));
    for (const part of ['src/kit', 'src/providers/adapters', 'src/providers/reference', 'simulators', 'test/adapters']) {
      fs.cpSync(path.join(ROOT, part), path.join(folder, part), { recursive: true });
    }
    for (const part of ['package.json', 'tsconfig.json', 'biome.json', '.gitignore']) {
      fs.copyFileSync(path.join(ROOT, part), path.join(folder, part));
    }
    fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
    made = await make('blue-money');
  });
  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  test('creates the files of an adapter, a simulator and a test, and prints the next steps', () => {
    assert.equal(made.code, 0, made.output);
    assert.deepEqual(
      fs.readdirSync(path.join(folder, ADAPTER)).sort(),
      JOBS.map((job) => `${job}.ts`),
    );
    for (const file of MADE) {
      assert.ok(made.output.includes(file));
      assert.doesNotMatch(fs.readFileSync(path.join(folder, file), 'utf8'), /__\w+__/);
    }
    assert.match(made.output, /src\/providers\/adapters\/catalogue\.ts/);
  });

  test('the generated files pass the type check and the linter unchanged', async () => {
    const config = { extends: './tsconfig.json', files: MADE, include: [] };
    fs.writeFileSync(path.join(folder, 'made.json'), JSON.stringify(config));
    const types = await node(
      [path.join(ROOT, 'node_modules/typescript-7/bin/tsc'), '--noEmit', '--project', 'made.json'],
      folder,
    );
    const faults = types.output.split('\n').filter((line) => line.includes('blue-money'));
    assert.deepEqual(faults, []);
    // Git knows nothing of this folder.
    const lint = await node(
      [path.join(ROOT, 'node_modules/@biomejs/biome/bin/biome'), 'check', '--vcs-enabled=false', ...MADE],
      folder,
    );
    assert.equal(lint.code, 0, lint.output);
  });

  test('the generated adapter returns valid kinds, and its test fails until it is implemented', async () => {
    const parts = ['follow from our ids', 'comes to its end', 'garbage', 'moves real money'];
    const args = ['--test', '--test-reporter=tap', ...parts.map((part) => `--test-name-pattern=${part}`), TEST];
    const { code, output } = await node(args, folder);
    assert.equal(code, 1);
    assert.match(output, /not ok \d+ - what it takes comes to its end/);
    assert.match(output, /the submission was unavailable \(HTTP 404: not found\)/);
    for (const kept of ['its keys follow', 'garbage at the callback address', 'its own address moves real money']) {
      assert.match(output, new RegExp(`\\bok \\d+ - ${kept}`));
      assert.doesNotMatch(output, new RegExp(`not ok \\d+ - ${kept}`));
    }
  });

  test('the generated adapter offers nothing to an account in the sandbox at the own address of the provider', async () => {
    assert.equal((await make('green-money')).code, 0);
    const adapter = path.join(folder, 'src/providers/adapters/green-money');
    const channels = path.join(adapter, 'channels.ts');
    const offer = `{ channel: 'cm.mtn', currency: 'XAF', operations: ['collect', 'payout'], min_minor: null, max_minor: null, step_minor: null }`;
    const filled = fs.readFileSync(channels, 'utf8').replace('= [];', `= [${offer}];`);
    fs.writeFileSync(channels, filled);
    const { greenMoney } = (await import(path.join(adapter, 'index.ts'))) as { greenMoney: Connector };
    const offersOf = (environment: Environment, credentials: Record<string, string>) =>
      greenMoney.connect({ id: 'pa_test', environment, credentials: { api_key: 'k', ...credentials } }, tools).offers()?.length;
    const elsewhere = { base_url: 'http://127.0.0.1:9' };
    assert.deepEqual([offersOf('live', {}), offersOf('sandbox', elsewhere), offersOf('sandbox', {})], [1, 1, 0]);
  });

  for (const [name, complaint] of [
    ['mtn-momo', /taken: src\/providers\/adapters\/mtn-momo/],
    ['blue-money', /taken/],
    ['sandbox', /taken/],
    ['wire', /taken/],
    ['contract', /taken/],
    ['kit', /taken: simulators\/kit/],
    ['conformance', /taken: test\/adapters/],
    ['Blue', /is not a valid name/],
    ['blue_money', /is not a valid name/],
    ['../blue', /is not a valid name/],
    ['blue--money', /is not a valid name/],
    ['2blue', /is not a valid name/],
    ['', /is not a valid name/],
    ['b'.repeat(31), /is not a valid name/],
    ['switch', /reserved word of the language/],
  ] as const) {
    test(`rejects ${JSON.stringify(name)} and creates nothing`, async () => {
      const before = everything(folder);
      const { code, output } = await make(name);
      assert.equal(code, 1);
      assert.match(output, complaint);
      assert.deepEqual(everything(folder), before);
    });
  }

  test('rejects a missing name, two names, an unknown option and a folder that is not the project', async () => {
    assert.match((await make()).output, /usage/);
    assert.match((await make('one', 'two')).output, /usage/);
    assert.match((await make('one', '--force')).output, /^new-provider: Unknown option '--force'/);
    const elsewhere = await node([script, 'one', '--into', path.join(folder, 'docs')], ROOT);
    assert.equal(elsewhere.code, 1);
    assert.match(elsewhere.output, /is this the project/);
  });
});

function everything(folder: string): string[] {
  return ['src/providers/adapters', 'simulators', 'test/adapters'].flatMap((part) => fs.readdirSync(path.join(folder, part)));
}
