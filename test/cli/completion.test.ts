import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildProgram } from '../../src/program/cli/program.ts';
import { makeFolder, pirogue } from './command.ts';

let folder: string;
before(async () => {
  folder = makeFolder();
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout, stderr } = await pirogue(['completion', shell]);
    assert.deepEqual([code, stderr], [0, '']);
    fs.writeFileSync(path.join(folder, shell), stdout);
  }
});
after(() => fs.rmSync(folder, { recursive: true }));

/** Returns what bash offers for a line whose last word is being typed. */
function offered(...words: string[]): string[] {
  const script = `
    source "$1"; shift
    COMP_WORDS=(pirogue "$@"); COMP_CWORD=$#
    _pirogue
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const text = execFileSync('bash', ['--norc', '-c', script, 'bash', path.join(folder, 'bash'), ...words], {
    encoding: 'utf8',
    cwd: folder,
  });
  return text.split('\n').filter(Boolean);
}

describe('bash', () => {
  test('offers the commands, then those of a group', () => {
    assert.deepEqual(
      offered('').sort(),
      buildProgram()
        .commands.map((command) => command.name())
        .sort(),
    );
    assert.deepEqual(offered('pay'), ['payments']);
    assert.deepEqual(offered('payments', ''), ['list', 'show', 'refund', 'export', 'create']);
    assert.deepEqual(offered('sandbox', 'clock', ''), ['advance']);
  });

  test('offers the options of a command, after values that look like commands too', () => {
    assert.deepEqual(offered('payments', 'list', '--a'), ['--amount-min', '--amount-max']);
    assert.deepEqual(offered('payments', 'list', '--search', 'refund', '--csv', '--a'), ['--amount-min', '--amount-max']);
    assert.deepEqual(offered('doctor', '--'), ['--json', '--help']);
    assert.deepEqual(offered('--v'), ['--version']);
  });

  test('offers the values of options and arguments, and files where any value fits', () => {
    assert.deepEqual(offered('payments', 'list', '--environment', ''), ['sandbox', 'live']);
    assert.deepEqual(offered('payments', 'refund', 'trx_1', '--reason', 'req'), ['requested_by_customer']);
    assert.deepEqual(offered('completion', ''), ['bash', 'zsh', 'fish']);
    assert.deepEqual(offered('restore', 'z'), ['zsh']);
    assert.deepEqual(offered('reconcile', '--file', 'fi'), ['fish']);
    fs.writeFileSync(path.join(folder, 'my statement.csv'), '');
    assert.deepEqual(offered('reconcile', '--file', 'my'), ['my statement.csv']);
  });

  test('the script has no error in a strict shell', () => {
    const { status, stderr } = spawnSync('bash', ['--norc', '-euc', `source ${path.join(folder, 'bash')}`], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });
});

for (const shell of ['zsh', 'fish']) {
  const missing = spawnSync(shell, ['--version']).error !== undefined;
  test(`${shell} parses its script`, { skip: missing && `${shell} is not installed` }, () => {
    const { status, stderr } = spawnSync(shell, ['-n', path.join(folder, shell)], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });

  test(`the script of ${shell} has every command and option`, () => {
    const script = fs.readFileSync(path.join(folder, shell), 'utf8');
    for (const command of buildProgram().commands) assert.ok(script.includes(`'${command.name()}`), command.name());
    assert.match(script, shell === 'zsh' ? /'--idempotency-key:/ : /-l idempotency-key /);
  });
}
