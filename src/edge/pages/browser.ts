import { randomBase62, type Secrets, sameText } from '../../kit/crypto.ts';

/** Cookie that identifies the browser of one page. Its path is the page's own, so each payment has a separate cookie. */
export const COOKIE = 'pirogue_pay';
/** Cookie with the language that was chosen on the page. */
export const LANGUAGE_COOKIE = 'pirogue_lang';

/** Returns a new secret of 256 bits for the browser's cookie. The payment stores only its hash. */
export function newBrowser(): string {
  return randomBase62(43);
}

/** Returns the secret in the cookie; null when the cookie is absent or not in our format. */
export function readBrowser(cookie: string | undefined): string | null {
  return cookie !== undefined && /^[0-9A-Za-z]{43}$/.test(cookie) ? cookie : null;
}

/** Returns the CSRF token of a form. It proves that a submit comes from a form that this browser received for this page. */
export function formToken(secrets: Secrets, token: string, browser: string): string {
  return secrets.mac('checkout-form', `${token}|${browser}`);
}

/** Returns whether a presented CSRF token is that of this page and browser. Compares in constant time. */
export function isFormToken(secrets: Secrets, token: string, browser: string, presented: unknown): boolean {
  return typeof presented === 'string' && sameText(presented, formToken(secrets, token, browser));
}

/** Maximum length of a parsed Origin header: more than a scheme, a DNS name and a port. */
const MAX_ORIGIN = 300;

type Headers = Record<string, string | string[] | undefined>;

/**
 * Returns whether another site's page made the browser send this request. `Origin: null` proves nothing: a form of our own page
 * sends it too, because its referrer policy is no-referrer.
 * @param ownHost host of the public address, for when a proxy in front changes Host
 */
export function isCrossSite(headers: Headers, ownHost: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const { origin } = headers;
  if (origin === undefined || origin === 'null') return false;
  const host = typeof origin === 'string' && origin.length <= MAX_ORIGIN ? URL.parse(origin)?.host : undefined;
  return host !== headers.host && host !== ownHost;
}

/**
 * Returns whether to show a QR code for the payer's phone: only to desktop user agents. On a phone, the code's 600 bytes would be a
 * tenth of the page. Browsers without Brotli do not get it either: with gzip the heaviest page would exceed 15 kB.
 */
export function showsCode(headers: Headers): boolean {
  const agent = String(headers['user-agent']);
  return /Windows NT|Macintosh|X11; /.test(agent) && !/Mobi/.test(agent) && /\bbr\b/.test(String(headers['accept-encoding']));
}
