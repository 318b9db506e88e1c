import type { Words } from './words.ts';

/** Returns a completion for zsh, with descriptions. It finds the command under the cursor and looks its words up in tables. */
export function zshScript(all: Words[]): string {
  return `#compdef pirogue
# Completion of pirogue for zsh: source <(pirogue completion zsh), after compinit
_pirogue_commands() {
  case "$1" in
${all.map(({ path, commands, values }) => `    ${quoted(path)}) found=(${[...commands.map(described), ...values.map(quoted)].join(' ')}) ;;`).join('\n')}
  esac
}

_pirogue_options() {
  case "$1" in
${all.map(({ path, options }) => `    ${quoted(path)}) found=(${options.map(described).join(' ')}) ;;`).join('\n')}
  esac
}

# The values of an option: "-" for an option without a value, nothing for one that takes any.
_pirogue_values() {
  case "$1 $2" in
${all.flatMap(valueCases).join('\n')}
    *) found=(-) ;;
  esac
}

_pirogue() {
  local at="" word i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if [[ "$word" == --* ]]; then
      found=()
      _pirogue_values "$at" "$word"
      if [[ "\${found[1]}" != - ]]; then
        if ((i == CURRENT - 1)); then
          if ((\${#found} == 0)); then _files; else compadd -a found; fi
          return
        fi
        ((i++))
      fi
      continue
    fi
    found=()
    _pirogue_commands "$at"
    if ((\${found[(I)$word:*]})); then at="\${at:+$at }$word"; fi
  done
  found=()
  if [[ "\${words[CURRENT]}" == -* ]]; then _pirogue_options "$at"; else _pirogue_commands "$at"; fi
  if ((\${#found} == 0)); then _files; else _describe 'pirogue' found; fi
}

if [[ "\${funcstack[1]}" == _pirogue ]]; then _pirogue "$@"; else compdef _pirogue pirogue; fi
`;
}

function valueCases({ path, options }: Words): string[] {
  return options.flatMap(({ name, values }) =>
    values === null ? [] : [`    ${quoted(`${path} ${name}`)}) found=(${values.map(quoted).join(' ')}) ;;`],
  );
}

/** A word with its description, as _describe takes it. */
function described({ name, description }: { name: string; description: string }): string {
  return quoted(`${name}:${description.replaceAll(':', '\\:')}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
