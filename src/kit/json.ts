import { storable } from './unicode.ts';

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/**
 * Returns JSON with sorted keys, so that equivalent bodies give the same text. Used for request hashes. Recursion is bounded:
 * http/body.ts rejects bodies nested too deeply.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const fields = value as Record<string, unknown>;
    const names = Object.keys(fields).sort(); // by UTF-16 code units
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(fields[name])}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/**
 * Returns JSON that PostgreSQL can store. A bigint is written as a string, which `json_to_recordset` reads back exactly. Texts are made
 * {@link storable}, so that an invalid character in a provider's text cannot prevent the booking of a payment.
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, field) => {
    if (typeof field === 'bigint') return field.toString();
    return typeof field === 'string' ? storable(field) : field;
  });
}
