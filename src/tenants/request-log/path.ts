/** An id that the service made: of a known form, and random but for its time. */
export const OWN_ID = /^[a-z]{2,4}_(?:test_)?[0-9a-hjkmnp-tv-z]{26}$/;
const OTHER = '…';
const MAX_SEGMENTS = 8;

/** Returns the fixed segments of paths such as `/payments/:id/refunds`. */
export function wordsOf(patterns: readonly string[]): ReadonlySet<string> {
  return new Set(patterns.flatMap((pattern) => pattern.split('/').filter((segment) => !segment.startsWith(':'))));
}

/**
 * Returns the path of a request as the log keeps it: fixed segments of the API and ids of the service. Everything else was chosen by
 * the caller and may be a name or a number of a person, so it becomes `…`. The query is left out.
 * @param words of {@link wordsOf}
 */
export function loggedPath(url: string, words: ReadonlySet<string>): string {
  const segments = (url.split(/[?#]/, 1)[0] ?? '').split('/');
  const shown = segments.slice(0, MAX_SEGMENTS).map((segment) => (words.has(segment) || OWN_ID.test(segment) ? segment : OTHER));
  return [...shown, ...(segments.length > MAX_SEGMENTS ? [OTHER] : [])].join('/');
}
