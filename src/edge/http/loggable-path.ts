import { blot } from '../../kit/log.ts';

/** Pages whose address has a secret as its second segment. */
const PAGES: ReadonlySet<string | undefined> = new Set(['pay', 'invoice', 'l', 'onboarding']);

/**
 * Returns the path of a request for a log line, without the query, which may contain a person's search terms, and without the
 * secret in an address. Reads the path as the router does: with percent-encoding, and after the origin that a proxy may send.
 * @param url target of the request
 */
export function loggablePath(url: string): string {
  const target = url.replace(/^https?:\/\/.*?\//, '/');
  // A segment is decoded by itself: an encoded slash belongs to it.
  const segments = (target.split(/[?#]/)[0] ?? '').split('/').map(decoded);
  const at = secretAt(segments);
  if (segments[at]) segments[at] = '[token]';
  return blot(segments.join('/')).slice(0, 200);
}

/** Returns where the secret is in the address of a page, of a link that signs in, or of a callback; -1 for other paths. */
function secretAt([, first, second]: readonly string[]): number {
  if (PAGES.has(first)) return 2;
  if (first === 'console' && second === 'link') return 3;
  return first === '_callbacks' ? 4 : -1;
}

/** Decodes percent-encoding, which could hide digits. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment.replace(/%[0-9a-f]{0,2}/gi, '%');
  }
}
