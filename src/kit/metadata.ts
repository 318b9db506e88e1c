import type { FieldErrors } from './errors.ts';

const MAX_KEYS = 50;
const MAX_BYTES = 16 * 1024;

/**
 * Checks the sizes of free-form objects, by the names of their fields. Values that are not objects are left to the schema.
 * @returns errors by field
 */
export function checkFreeObjects(objects: Readonly<Record<string, unknown>>): FieldErrors {
  const errors: FieldErrors = {};
  for (const [field, value] of Object.entries(objects)) {
    const problem = typeof value === 'object' && value !== null ? checkMetadata(value) : null;
    if (problem) errors[field] = [problem];
  }
  return errors;
}

/**
 * Checks the size of a merchant's metadata object.
 * @returns an error message, or null when the object is acceptable
 */
export function checkMetadata(metadata: object): string | null {
  if (Object.keys(metadata).length > MAX_KEYS) return `must have at most ${MAX_KEYS} keys`;
  if (Buffer.byteLength(JSON.stringify(metadata)) > MAX_BYTES) return 'must be at most 16 KB';
  return null;
}
