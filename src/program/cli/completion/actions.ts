import type { Command } from 'commander';
import { print } from '../output.ts';
import { bashScript } from './bash.ts';
import type { Shell } from './command.ts';
import { fishScript } from './fish.ts';
import { wordsOf, type Words } from './words.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS: Record<Shell, (words: Words[]) => string> = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Prints the completion script of a shell, made from the tree of commands. */
export function completionCommand(shell: Shell, options: { json?: true }, program: Command): void {
  const script = SCRIPTS[shell](wordsOf(program));
  print(options.json, { shell, script }, () => script.trimEnd());
}
