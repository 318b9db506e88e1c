import type { Words } from './words.ts';

/** Returns a completion for fish: one line for each command, option and value, under the command that it follows. */
export function fishScript(all: Words[]): string {
  return `# Completion of pirogue for fish: pirogue completion fish | source
function __pirogue_at
    set -l tokens (commandline -opc)
    set -e tokens[1]
    set -l path
    for token in $tokens
        contains -- "$path $token" ${all.map(({ path }) => quoted(` ${path}`)).join(' ')}
        and set path "$path $token"
    end
    test "$path" = "$argv[1]"
end

complete -c pirogue -f
${all.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, options, values }: Words): string[] {
  const at = `complete -c pirogue -n ${quoted(`__pirogue_at ${quoted(path === '' ? '' : ` ${path}`)}`)}`;
  return [
    ...commands.map(({ name, description }) => `${at} -a ${quoted(name)} -d ${quoted(description)}`),
    ...values.map((value) => `${at} -a ${quoted(value)}`),
    ...options.map(({ name, description, values: of }) => {
      const argument = of === null ? '' : of.length > 0 ? ` -x -a ${quoted(of.join(' '))}` : ' -r -F';
      return `${at} -l ${name.slice(2)}${argument} -d ${quoted(description)}`;
    }),
  ];
}

/** Quotes for fish, in which only the quote and the backslash are special between single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
