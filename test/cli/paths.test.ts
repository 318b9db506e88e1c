// Own process: it changes the environment.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { Command } from 'commander';
import { buildProgram } from '../../src/program/cli/program.ts';
import { pirogue } from './command.ts';

// The launcher runs the program in the project's folder. INIT_CWD is the folder of the caller.
const elsewhere = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-caller-')));
process.env.INIT_CWD = elsewhere;
test.after(() => fs.rmSync(elsewhere, { recursive: true }));

interface Parsed {
  name: string;
  parse: ((value: string, previous: undefined) => unknown) | undefined;
  initial: unknown;
}

/** Every argument and option of the command line that is a file or a folder. */
function paths(command: Command, above = ''): Parsed[] {
  const at = `${above} ${command.name()}`.trim();
  return [
    ...command.registeredArguments
      .filter((argument) => /^(file|folder)$/.test(argument.name()))
      .map((argument) => ({ name: `${at} <${argument.name()}>`, parse: argument.parseArg, initial: argument.defaultValue })),
    ...command.options
      .filter(({ flags }) => /[<[](file|folder|path)[>\]]/.test(flags))
      .map((option) => ({ name: `${at} ${option.long}`, parse: option.parseArg, initial: option.defaultValue })),
    ...command.commands.flatMap((child) => paths(child, at)),
  ];
}

test('files and folders of the command line are relative to the folder of the caller', () => {
  const found = paths(buildProgram());
  assert.deepEqual(found.map(({ name }) => name).sort(), [
    'pirogue backup <folder>',
    'pirogue providers add --credentials',
    'pirogue providers set --credentials',
    'pirogue reconcile --file',
    'pirogue reconcile --report',
    'pirogue restore <folder>',
  ]);
  for (const { name, parse, initial } of found) {
    assert.equal(parse?.('a/b', undefined), path.join(elsewhere, 'a', 'b'), name);
    assert.equal(parse?.('/a/b', undefined), '/a/b', name);
    if (initial !== undefined) assert.equal(initial, elsewhere, name);
  }
});

test('- is standard input and not a file', () => {
  const credentials = paths(buildProgram()).find(({ name }) => name.endsWith('--credentials'));
  assert.equal(credentials?.parse?.('-', undefined), '-');
});

test('a command reads the file that its caller named', async () => {
  const { code, stderr } = await pirogue(['restore', 'backup'], { INIT_CWD: elsewhere });
  assert.deepEqual([code, stderr.includes(path.join(elsewhere, 'backup'))], [1, true], stderr);
});
