/**
 * Returns the entry of a table by a name that comes from outside, or undefined. Read directly, each object also has entries such as
 * `constructor` and `__proto__`, which it inherits.
 */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
