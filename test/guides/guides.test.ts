import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { until } from '../setup/api.ts';
import { type Block, guideNames, readBlocks, ROOT, type Step, stepsOf } from './blocks.ts';
import { differences, lineDifferences } from './compare.ts';
import { excerpt } from './excerpts.ts';
import { type Prop, PROPS } from './props.ts';
import { Service } from './service.ts';
import { type Ran, type Running, Stage } from './stage.ts';
import { missing } from './tools.ts';

/**
 * Every guide is played from top to bottom as its reader would: each block runs against a started service, and what the guide
 * shows under it has to be what comes. docs/guides/README.md says how a guide is written.
 */
const SDK = path.join(ROOT, 'sdk/src/index.ts');
/** What is not true by then is not true. */
const LOOK_LIMIT_MS = 30_000;
const [PRELUDE_SH, PRELUDE_TS] = preludes();
const skip = missing({ name: 'bash', args: ['--version'] }) || missing({ name: 'curl', args: ['--version'] });

let service: Service;
before(async () => {
  service = await Service.start();
});
after(() => service.stop());

/** What the README has its reader do before any guide. */
function preludes(): [string, string] {
  const blocks = readBlocks('README.md');
  const [sh, ts] = ['sh', 'ts'].map((language) => blocks.filter((block) => block.language === language));
  assert.deepEqual([sh?.length, ts?.length], [1, 1], 'docs/guides/README.md has one block of each');
  return [sh?.[0]?.text ?? '', ts?.[0]?.text ?? ''];
}

for (const name of guideNames()) {
  test(`docs/guides/${name} is true`, { skip }, async () => {
    const stage = await Stage.open(service);
    let props: Prop | undefined;
    const running: { step: Step; command: Running }[] = [];
    try {
      props = await PROPS[name]?.(stage);
      await play(stage, { block: { language: 'sh', text: PRELUDE_SH, place: 'docs/guides/README.md' }, answer: null });
      for (const step of stepsOf(readBlocks(name))) {
        if (excerpt(step.block)) continue;
        if (goesOn(step.block)) running.push({ step, command: await stage.start(step.block.text) });
        else await play(stage, step);
      }
      for (const { step, command } of running) await hear(command, step);
    } finally {
      for (const { command } of running) await command.stop();
      await props?.close();
      await stage.close();
    }
  });
}

/** Commands that end with Ctrl-C. What is shown of them has to be there when the guide is over. */
function goesOn({ language, text }: Block): boolean {
  return language === 'sh' && /^pirogue listen/.test(text);
}

async function hear(command: Running, { block, answer }: Step): Promise<void> {
  const faults = () => lineDifferences(`${answer?.text.trimEnd() ?? ''}\n…`, command.output());
  const asked = () => Promise.resolve(faults());
  const heard = until(asked, (found) => found.length === 0, LOOK_LIMIT_MS);
  await heard.catch(() => assert.fail(`${answer?.place ?? block.place}\n${faults()}`));
}

/** Blocks that only look are asked again until the answer is the one that is shown: things take a moment in the world, too. */
function onlyLooks({ language, text }: Block): boolean {
  return language === 'sh' && /^(curl|pirogue explain)/.test(text) && !/\s(-d|-X|--data)\b/.test(text);
}

async function play(stage: Stage, { block, answer }: Step): Promise<void> {
  const run = () => (block.language === 'ts' ? stage.program(programText(block, SDK_URL)) : stage.shell(block.text));
  const faults = ({ code, output }: Ran) => (code === 0 ? answerFaults(answer, output) : [`exit code ${code}`]);
  const told = (ran: Ran) => `${answer?.place ?? block.place}\n${faults(ran).join('\n')}\n\n${block.text}\n${ran.output}`;
  if (answer && onlyLooks(block)) {
    let last: Ran | undefined;
    const look = async () => (last = await run());
    const fits = (ran: Ran) => faults(ran).length === 0;
    await until(look, fits, LOOK_LIMIT_MS).catch(() => assert.fail(last ? told(last) : block.place));
  } else {
    const ran = await run();
    assert.ok(faults(ran).length === 0, told(ran));
  }
}

/** Where the guide shows no answer, it is at least not a refusal: curl itself does not mind. */
const REFUSED = /(^|\})\{"code":[45]/;

function answerFaults(answer: Block | null, output: string): string[] {
  if (!answer) return REFUSED.test(output) ? ['was refused'] : [];
  if (answer.language === 'console') return lineDifferences(answer.text, output);
  const shown = JSON.parse(answer.text);
  try {
    return differences(shown, JSON.parse(output));
  } catch {
    return [`this is not one JSON document: ${output}`];
  }
}

const SDK_URL = pathToFileURL(SDK).href;

/** A sample as a whole program: with the client of the README, unless it makes one or needs none. */
function programText({ text }: Block, sdk: string): string {
  const known = /from 'pirogue-sdk'/.test(text) && !/\bpirogue\./.test(text);
  return `${known ? '' : PRELUDE_TS}${text}`.replaceAll("'pirogue-sdk'", `'${sdk}'`);
}

test('every TypeScript sample passes the type checker', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-guides-'));
  try {
    const samples = guideNames()
      .flatMap(readBlocks)
      .filter((block) => block.language === 'ts' && !excerpt(block));
    assert.ok(samples.length > 0);
    const files = samples.map((block) => {
      const name = `${path.basename(block.place).replace(/\.md:/, '-')}.mts`;
      fs.writeFileSync(path.join(folder, name), programText(block, SDK));
      return name;
    });
    const options = ['--strict', '--noEmit', '--allowImportingTsExtensions', '--target', 'esnext', '--module', 'nodenext'];
    const types = ['--types', 'node', '--typeRoots', path.join(ROOT, 'node_modules/@types')];
    const compiler = path.join(ROOT, 'node_modules/typescript-7/bin/tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, ...options, ...types, ...files], {
      cwd: folder,
    }).catch((error: { stdout: string }) => error);
    assert.equal(stdout, '');
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});
