import { blot } from '../../kit/log.ts';
import { OWN_ID } from '../../tenants/request-log/path.ts';

/** Pages whose address has a secret as its second segment. */
const PAGES: ReadonlySet<string | undefined> = new Set(['pay', 'invoice', 'l', 'onboarding']);

/** Matches parameters that may be logged: an id that the service made, a channel, or a code of a country or currency. */
const PARAMETER = new RegExp(`${OWN_ID.source}|^[a-z]{2}\\.[a-z_]{1,30}$|^[A-Z]{2,3}$`);
/** Matches a segment that is not a parameter and may be logged: no address, no phone number and no words of a person. */
const PLAIN = /^(?!.*\d{6})[\w.~:[\]-]{0,64}$/;
/** Matches the first segment of a path without a route, which is logged so that a typing error is visible. */
const WORD = /^[a-z_-]{0,30}$/;
const OTHER = '…';

/**
 * Returns the path of a request for a log line, without the query, which may contain a person's search terms, without the
 * secret in an address, and without a text in the place of an id that may be a person's name, address or number. Like the router, it
 * decodes percent-encoding and skips the origin that a proxy may send.
 * @param url target of the request
 * @param route pattern of the route, such as `/payments/:id`; undefined when there is none
 */
export function loggablePath(url: string, route?: string): string {
  const target = url.replace(/^https?:\/\/.*?\//, '/');
  // Each segment is decoded separately, because an encoded slash belongs to its segment.
  const segments = (target.split(/[?#]/)[0] ?? '').split('/').map(decoded);
  const at = secretAt(segments);
  if (segments[at]) segments[at] = '[token]';
  const names = route?.split('/') ?? [];
  const shown = segments.map((segment, i) => {
    if (i === at || OWN_ID.test(segment)) return segment;
    if (route === undefined) return segment === '' || (i === 1 && WORD.test(segment)) ? segment : OTHER;
    return (names[i]?.startsWith(':') ? PARAMETER : PLAIN).test(segment) ? segment : OTHER;
  });
  return blot(shown.join('/')).slice(0, 200);
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
