import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { root, temporaryFolder } from '../db/helpers.ts';

const PRELOAD = pathToFileURL(path.join(root, 'scripts', 'run', 'stripped.mjs')).href;

test('sources are loaded without types, from the second start on as they were stored', (t) => {
  const { run, cache } = place(t);
  assert.equal(run("const text: string = 'é'; console.log(text);"), 'é');
  const [stored = ''] = fs.readdirSync(cache);
  const before = fs.statSync(path.join(cache, stored)).mtimeMs;
  assert.equal(run("const text: string = 'é'; console.log(text);"), 'é');
  assert.equal(fs.statSync(path.join(cache, stored)).mtimeMs, before);
  assert.equal(fs.readdirSync(cache).length, 1);
});

test('a changed source is stored anew, and a damaged file is replaced', (t) => {
  const { run, cache } = place(t);
  run('const n: number = 1; console.log(n);');
  assert.equal(run('const n: number = 2; console.log(n);'), '2');
  assert.equal(fs.readdirSync(cache).length, 2);
  for (const damage of ['', 'console.log(3);', '\0'.repeat(200)]) {
    for (const name of fs.readdirSync(cache)) fs.writeFileSync(path.join(cache, name), damage);
    assert.equal(run('const n: number = 2; console.log(n);'), '2');
  }
});

test('a source that is imported by several paths is loaded once, also where the program was started by a link', (t) => {
  const { run, folder } = place(t);
  fs.mkdirSync(path.join(folder, 'inner'));
  fs.writeFileSync(path.join(folder, 'one.ts'), "console.log('loaded'); export const one: number = 1;");
  fs.writeFileSync(path.join(folder, 'inner', 'two.ts'), "export { one } from '../one.ts';");
  const link = path.join(temporaryFolder(t), 'link');
  fs.symlinkSync(folder, link);
  const source =
    "import { one } from './one.ts'; import * as two from './inner/two.ts'; const n: number = two.one; console.log(one === n);";
  assert.equal(run(source, undefined, path.join(link, 'main.ts')), 'loaded\ntrue');
});

test('a source that is missing is named', (t) => {
  const { run } = place(t);
  assert.throws(() => run("await import('./absent.ts');"), /ENOENT.*absent\.ts/s);
});

test('a folder that cannot be written is no obstacle, and places in a stack are those of the source', (t) => {
  const { run, folder } = place(t);
  fs.writeFileSync(path.join(folder, 'file'), '');
  const source =
    "interface Some { n: number }\nconst f = (some: Some): string => new Error(String(some.n)).stack ?? '';\nconsole.log(f({ n: 1 }));";
  const cache = path.join(folder, 'file', 'cache');
  assert.match(run(source, cache), /main\.ts:2:35/);
});

test('texts of any characters are what the source says, and take one byte for each character', (t) => {
  const { run, cache } = place(t);
  const texts = ['“’…”', '\u{1f600}', 'é', '\u2028'];
  const source = [
    'const kinds: Record<string, RegExp> = { quote: /[“”]/, face: /^[\u{1f600}]$/u };',
    "interface Some { /** “ */ n: '’' | number }",
    `console.log(JSON.stringify([${texts.map((text) => JSON.stringify(text)).join(', ')}, \`\${1}→\`, kinds.quote.test('”'), kinds.face.test('\u{1f600}')]));`,
  ].join('\n');
  assert.deepEqual(JSON.parse(run(source)), [...texts, '1→', true, true]);
  const [stored = ''] = fs.readdirSync(cache);
  assert.match(fs.readFileSync(path.join(cache, stored), 'utf8'), /^[\0-\xff]+$/);
  const spaced = "const text: '“' | string = '\u2002'; console.log(JSON.stringify(text + '’'));";
  assert.equal(JSON.parse(run(spaced)), '\u2002’');
  for (const literal of ["'\\’'", 'String.raw`’`']) assert.equal(run(`const text: string = ${literal}; console.log(text);`), '’');
});

function place(t: test.TestContext) {
  const folder = temporaryFolder(t);
  const cache = path.join(folder, 'cache');
  const file = path.join(folder, 'main.ts');
  const run = (source: string, stripped = cache, entry = file): string => {
    fs.writeFileSync(file, source);
    const env = { ...process.env, STRIPPED_SOURCES: stripped };
    return execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', '--import', PRELOAD, entry], {
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  };
  return { run, cache, folder };
}
