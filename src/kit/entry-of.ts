/**
 * Returns the entry of a table for a name that comes from outside, or undefined. A plain lookup would also find inherited properties such
 * as `constructor` and `__proto__`.
 */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
