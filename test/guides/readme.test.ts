import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { until } from '../setup/api.ts';
import { type Block, blocksOf, ROOT, stepsOf } from './blocks.ts';
import { lineDifferences } from './compare.ts';
import { Service } from './service.ts';
import { collected, freePortBase } from './simulators.ts';
import { type Running, Stage } from './stage.ts';
import { missing } from './tools.ts';

/** The README's live walk, played as its reader would: its own commands, by npm, in a folder with the files of a checkout. */
const SIMULATORS = 'npm run simulators --';
const LIMIT_MS = 60_000;
const CHARGES = 6;
const skip = ['bash', 'curl', 'npm'].map((name) => missing({ name, args: ['--version'] })).find(Boolean) || false;

let service: Service;
let stage: Stage;
let base: number;
let running: Running | undefined;
before(async () => {
  service = await Service.start();
  stage = await Stage.open(service);
  base = await freePortBase();
  for (const name of ['package.json', 'scripts']) fs.symlinkSync(path.join(ROOT, name), path.join(stage.folder, name));
  stage.place('http://127.0.0.1:8080', service.url);
  stage.place(SIMULATORS, `${SIMULATORS} --port-base ${base}`);
});
after(async () => {
  await running?.stop();
  await stage.close();
  await service.stop();
});

/** The blocks of a section, without prose. */
function blocksUnder(heading: string): Block[] {
  const readme = fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8');
  const section = readme.split(/^## /m).find((text) => text.startsWith(heading));
  return blocksOf(section ?? '', `README.md, ${heading}`);
}

/** Starts the simulators in place of those before, and waits until they can be used. */
async function simulate(command: string): Promise<string> {
  await running?.stop();
  const started = await stage.start(command);
  running = started;
  await until(
    async () => started.output(),
    (output) => output.includes('Stop with Ctrl-C'),
    LIMIT_MS,
  );
  return started.output();
}

/** Runs a block; what it sets, the next one has. */
async function run({ text, place }: Block): Promise<string> {
  const { code, output } = await stage.shell(`set -a\n${text}`);
  assert.equal(code, 0, `${place}\n${output}`);
  assert.doesNotMatch(output, /"code":[45]\d\d/, place);
  return output;
}

test('README.md, "Live flows": every command works, in this order, and explain prints what is shown', { skip }, async () => {
  const steps = stepsOf(blocksUnder('Live flows'));
  assert.deepEqual([steps.length, steps.filter(({ answer }) => answer).length], [5, 1]);
  for (const { block, answer } of steps) {
    if (block.text.startsWith(SIMULATORS)) await simulate(block.text.trim());
    else if (!answer) await run(block);
    else {
      const fits = (output: string) => lineDifferences(answer.text, output).length === 0;
      await until(() => run(block), fits, LIMIT_MS).catch(async () =>
        assert.fail(lineDifferences(answer.text, await run(block))[0]),
      );
    }
  }
  assert.equal(await collected(base, 25_000), 0, 'the simulators of the storm are new ones');
});

test('README.md, "Live flows": in the storm no payment is charged twice', { skip }, async () => {
  const [, create, charge] = blocksUnder('Live flows');
  assert.ok(create && charge);
  for (let n = 1; n <= CHARGES; n++) {
    const order = create.text.replace('25000', String(25_000 + n)).replace('live-1', `storm-${n}`);
    await run({ ...create, text: order });
    // Any outcome is allowed here, but an error of the service.
    const { output } = await stage.shell(`set -a\n${charge.text}`);
    assert.doesNotMatch(output, /"code":50[01]/);
  }
  const counts = await Promise.all(Array.from({ length: CHARGES }, (_, n) => collected(base, 25_001 + n)));
  assert.ok(
    counts.every((count) => count <= 1),
    String(counts),
  );
});

test('simulators --connect leaves what is there as it is, and every account of it can be used', { skip }, async () => {
  const printed = await simulate(`${SIMULATORS} --port-base ${base} --connect`);
  const steps = printed.split('\n').filter((line) => /^ {2}(level|account|rule)/.test(line));
  assert.equal(steps.length, 13);
  for (const line of steps) assert.match(line, / there already$/);
  const list = await stage.shell('npm run --silent pirogue -- providers list --environment live --json');
  const accounts = JSON.parse(list.output) as { id: string; name: string }[];
  assert.equal(accounts.length, 8);
  for (const { id, name } of accounts) {
    const { code, output } = await stage.shell(`npm run --silent pirogue -- providers test ${id} --json`);
    // Null: the provider has no request that moves no money.
    const works = ['mpesa-daraja', 'orange-money', 'orange-money-cm'].includes(name) ? null : true;
    assert.deepEqual([code, JSON.parse(output).works], [0, works], name);
  }
  for (const [channel, currency, first] of [
    ['cm.mtn', 'XAF', 'mtn-momo'],
    ['cm.orange', 'XAF', 'orange-money-cm'],
    ['sn.wave', 'XOF', 'wave'],
    ['ke.mpesa', 'KES', 'mpesa-daraja'],
  ] as const) {
    const args = `--channel ${channel} --currency ${currency} --amount 1000 --json`;
    const { output } = await stage.shell(`npm run --silent pirogue -- rules test ${args}`);
    const tried = (JSON.parse(output).accounts as { name: string; place: number | null }[]).filter(({ place }) => place !== null);
    assert.deepEqual([tried[0]?.name, tried.length], [first, 2], channel);
  }
});

test('simulators --connect changes nothing elsewhere: other accounts, other machines, production', { skip }, async () => {
  const moved = await simulate(`${SIMULATORS} --port-base ${await freePortBase()} --connect`);
  assert.equal(moved.match(/left alone: it does not lead to this simulator/g)?.length, 8, moved);
  assert.doesNotMatch(moved, /rule /);
  await running?.stop();
  running = undefined;
  const file = path.join(stage.folder, 'var/keys.json');
  const keys = JSON.parse(fs.readFileSync(file, 'utf8'));
  const refused = async (base_url: string, settings = '') => {
    fs.writeFileSync(file, JSON.stringify({ ...keys, base_url }));
    const { code, output } = await stage.shell(`${settings} ${SIMULATORS} --port-base ${base} --connect`);
    assert.equal(code, 1, output);
    return output;
  };
  assert.match(await refused('https://pay.example'), /simulators: --connect works with a service on this machine only/);
  assert.match(await refused('http://127.0.0.1:1'), /does not respond\. Run "npm start"/);
  const production = `PROFILE=production SECRETS_KEY=${randomBytes(32).toString('base64')}`;
  assert.match(await refused(service.url, production), /works in development only/);
  fs.rmSync(file);
  const { output } = await stage.shell(`${SIMULATORS} --port-base ${base} --connect`);
  assert.match(output, /there is no demo team.*Run "npm start" first/);
});
