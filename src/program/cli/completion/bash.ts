import type { Words } from './words.ts';

/**
 * Returns a completion for bash 3.2 (macOS) and later: a function that finds the command under the cursor and looks its words up
 * in two tables. Starting the program for each press of the key would be too slow.
 */
export function bashScript(all: Words[]): string {
  return `# Completion of pirogue for bash: source <(pirogue completion bash)
_pirogue_words() {
  case "$1" in
${all.map((words) => `    ${pattern(words.path)} echo ${quoted(wordList(words))} ;;`).join('\n')}
  esac
}

# The values of an option: "-" for an option without a value, nothing for one that takes any.
_pirogue_values() {
  case "$1 $2" in
${all.flatMap(valueCases).join('\n')}
    *) echo - ;;
  esac
}

_pirogue_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$cur"))
}

_pirogue() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path="" word words values i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ "$word" == --* ]]; then
      values="$(_pirogue_values "$path" "$word")"
      if [[ "$values" != - ]]; then
        if ((i == COMP_CWORD - 1)); then
          if [[ -z "$values" ]]; then _pirogue_files; else COMPREPLY=($(compgen -W "$values" -- "$cur")); fi
          return
        fi
        ((i++))
      fi
      continue
    fi
    words=" $(_pirogue_words "$path") "
    if [[ "$words" == *" $word "* ]]; then path="\${path:+$path }$word"; fi
  done
  words="$(_pirogue_words "$path")"
  if [[ "$cur" != -* && "$words" != [a-z]* ]]; then
    _pirogue_files
    return
  fi
  if [[ "$cur" != -* && "$words" == [a-z]* ]]; then words="\${words%% --*}"; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}

complete -F _pirogue pirogue
`;
}

/** Commands and values first, then options. */
function wordList({ commands, values, options }: Words): string {
  return [...commands.map(({ name }) => name), ...values, ...options.map(({ name }) => name)].join(' ');
}

function valueCases({ path, options }: Words): string[] {
  return options.flatMap(({ name, values }) =>
    values === null ? [] : [`    ${pattern(`${path} ${name}`)} echo ${quoted(values.join(' '))} ;;`],
  );
}

function pattern(text: string): string {
  return `${quoted(text)})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
