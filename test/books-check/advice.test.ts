import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from 'commander';
import { ADVICE } from '../../src/core/books-check/differences.ts';
import { buildProgram } from '../../src/program/cli/program.ts';

function leaves(command: Command, path: string[] = []): string[] {
  return command.commands.length === 0
    ? [path.join(' ')]
    : command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
}

test('every command that an advice about a difference names exists', () => {
  const commands = leaves(buildProgram());
  const named = Object.values(ADVICE).flatMap((text) =>
    [...text.matchAll(/"pirogue ([^"]+)"/g)].map(([, name]) => name as string),
  );
  assert.ok(named.length > 5);
  assert.deepEqual(
    named.filter((name) => !commands.includes(name)),
    [],
  );
});
