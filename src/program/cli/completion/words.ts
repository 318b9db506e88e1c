import type { Command, Option } from 'commander';

/** What can follow one command on the command line. */
export interface Words {
  /** Names from the program to the command, without that of the program: `payments list`; empty for the program. */
  path: string;
  commands: Word[];
  options: OptionWord[];
  /** Values of its first argument; empty if it takes any. */
  values: string[];
}

interface Word {
  name: string;
  description: string;
}

interface OptionWord extends Word {
  /** Null: the option takes no value. Empty: it takes any. */
  values: string[] | null;
}

/** Returns the words of a command and of all below it. */
export function wordsOf(command: Command, path = ''): Words[] {
  const children = command.commands.map((child) => ({ name: child.name(), description: child.description() }));
  const own: Words = {
    path,
    commands: children,
    options: [...command.options.flatMap(optionWord), { name: '--help', description: 'show the help', values: null }],
    values: [...(command.registeredArguments[0]?.argChoices ?? [])],
  };
  return [own, ...command.commands.flatMap((child) => wordsOf(child, path === '' ? child.name() : `${path} ${child.name()}`))];
}

function optionWord(option: Option): OptionWord[] {
  if (!option.long || option.hidden) return [];
  const values = option.required || option.optional ? [...(option.argChoices ?? [])] : null;
  return [{ name: option.long, description: option.description, values }];
}
