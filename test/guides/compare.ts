/** Stands in a guide for what nobody can know before: part of a text, further fields, further items, further lines. */
const REST = '…';
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/**
 * Where an answer is not what the guide shows. Every field is compared, in both directions, unless the guide leaves some out
 * with `"…": "…"`; any moment fits any other; `…` in a text stands for at least one character.
 * @returns one line for each difference
 */
export function differences(shown: unknown, found: unknown, at = ''): string[] {
  const fault = () => [`${at || 'the answer'}: ${JSON.stringify(found)} is not ${JSON.stringify(shown)}`];
  if (typeof shown === 'string') return typeof found === 'string' && textFits(shown, found) ? [] : fault();
  if (shown === null || typeof shown !== 'object') return shown === found ? [] : fault();
  if (found === null || typeof found !== 'object' || Array.isArray(shown) !== Array.isArray(found)) return fault();
  if (Array.isArray(shown)) return listDifferences(shown, found as unknown[], at);
  return fieldDifferences(shown as Fields, found as Fields, at);
}

type Fields = Record<string, unknown>;

function fieldDifferences(shown: Fields, found: Fields, at: string): string[] {
  const path = (name: string) => (at ? `${at}.${name}` : name);
  const named = Object.keys(shown).filter((name) => name !== REST);
  const faults = named.flatMap((name) =>
    Object.hasOwn(found, name) ? differences(shown[name], found[name], path(name)) : [`${path(name)}: is not in the answer`],
  );
  if (Object.hasOwn(shown, REST)) return faults;
  const further = Object.keys(found).filter((name) => !named.includes(name));
  return [
    ...faults,
    ...further.map((name) => `${path(name)}: is in the answer (${JSON.stringify(found[name])}), not in the guide`),
  ];
}

function listDifferences(shown: unknown[], found: unknown[], at: string): string[] {
  const open = shown.at(-1) === REST;
  const items = open ? shown.slice(0, -1) : shown;
  if (open ? found.length < items.length : found.length !== items.length) {
    return [`${at || 'the answer'}: has ${found.length} items, not ${items.length}`];
  }
  return items.flatMap((item, i) => differences(item, found[i], `${at}[${i}]`));
}

function textFits(shown: string, found: string): boolean {
  if (MOMENT.test(shown)) return MOMENT.test(found);
  const parts = shown.split(REST).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`).test(found);
}

/** The same for what a command prints, line by line; a line of `…` alone stands for any number of lines. */
export function lineDifferences(shown: string, found: string): string[] {
  const lines = found.trimEnd().split('\n');
  let next = 0;
  let open = false;
  for (const line of shown.trimEnd().split('\n')) {
    if (line.trim() === REST) {
      open = true;
      continue;
    }
    const fits = (candidate: string) => textFits(line.trimEnd(), candidate.trimEnd());
    const at = open ? lines.findIndex((candidate, i) => i >= next && fits(candidate)) : next;
    const candidate = lines[at];
    if (candidate === undefined || !fits(candidate)) return [`"${line}" is not what was printed:\n${found}`];
    next = at + 1;
    open = false;
  }
  return open || next === lines.length ? [] : [`"${lines[next]}" was printed too, and is not in the guide`];
}
