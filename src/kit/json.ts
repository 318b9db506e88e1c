/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/**
 * JSON with sorted keys: two bodies that mean the same give the same text. Used for request hashes.
 * Recursion is safe: bodies nested deeper than http/body.ts allows were refused before.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/** JSON in which a bigint is written as text: what json_to_recordset reads back exactly. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? field.toString() : field));
}
