import type { Wish } from './driver.ts';

/** Rows of seals name transactions of the server, whose numbers differ from run to run. */
const OF_THE_SERVER = /_seals/;

/** Beginnings of the statements of the service by text: they are few, and each occurs thousands of times. */
const beginnings = new Map<string, string>();

function beginningOf(text: string): string {
  const known = beginnings.get(text) ?? text.replace(/\s+/g, ' ').trim().slice(0, 160);
  beginnings.set(text, known);
  return known;
}

/** Returns what the trace and the story say of a statement. */
export function labelOf({ text, values }: Pick<Wish, 'text' | 'values'>): string {
  const short = beginningOf(text);
  return OF_THE_SERVER.test(text) ? short : `${short} ${values.map(shown).join(' ')}`;
}

function shown(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (typeof value === 'object' && value !== null) {
    return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner));
  }
  return String(value);
}
