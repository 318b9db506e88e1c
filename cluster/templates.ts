import fs from 'node:fs';
import path from 'node:path';

const CONFIG = path.join(import.meta.dirname, 'config');
const PLACE = /\$\{([A-Z_]+)\}/g;

export type Values = Record<string, string | number>;

/** Returns the text of a file of cluster/config. */
export function templateText(name: string): string {
  return fs.readFileSync(path.join(CONFIG, name), 'utf8');
}

/**
 * Fills in the places `${NAME}` of a file of cluster/config.
 * @throws Error when a place has no value, or a value no place
 */
export function fillTemplate(name: string, values: Values): string {
  const used = new Set<string>();
  const text = templateText(name).replaceAll(PLACE, (_, place: string) => {
    const value = values[place];
    if (value === undefined) throw new Error(`${name}: no value for \${${place}}`);
    used.add(place);
    return String(value);
  });
  const unused = Object.keys(values).filter((place) => !used.has(place));
  if (unused.length > 0) throw new Error(`${name}: no place for ${unused.join(', ')}`);
  return text;
}
