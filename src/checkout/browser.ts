import { randomBase62, type Secrets, sameText } from '../kit/crypto.ts';

/** The cookie that tells browsers of one page apart. Its path is the page's own, so each payment has another one. */
export const COOKIE = 'pirogue_pay';
/** The language that was chosen on the page. */
export const LANGUAGE_COOKIE = 'pirogue_lang';

/** 256 bits; the payment keeps only their hash. */
export function newBrowser(): string {
  return randomBase62(43);
}

/** What the cookie holds, when it is one of ours. */
export function readBrowser(cookie: string | undefined): string | null {
  return cookie !== undefined && /^[0-9A-Za-z]{43}$/.test(cookie) ? cookie : null;
}

/** Proves that a submit comes from a form this browser was given for this page. */
export function formToken(secrets: Secrets, token: string, browser: string): string {
  return secrets.mac('checkout-form', `${token}|${browser}`);
}

export function isFormToken(secrets: Secrets, token: string, browser: string, presented: unknown): boolean {
  return typeof presented === 'string' && sameText(presented, formToken(secrets, token, browser));
}

type Headers = Record<string, string | string[] | undefined>;

/**
 * Whether a page of somewhere else made the browser send this. `Origin: null` says nothing: that is what a form of our
 * own page sends, because its referrer policy is no-referrer.
 * @param ownHost host of the public address, for when a proxy in front changes Host
 */
export function isCrossSite(headers: Headers, ownHost: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const { origin } = headers;
  if (origin === undefined || origin === 'null') return false;
  const host = typeof origin === 'string' ? URL.parse(origin)?.host : undefined;
  return host !== headers.host && host !== ownHost;
}

/**
 * Whether the browser says that it sits on a desk, where a code for the telephone helps. A telephone need not pay for one:
 * 600 bytes, a tenth of its page. Neither gets it who takes no Brotli: with gzip the heaviest page would be above 15 kB.
 */
export function showsCode(headers: Headers): boolean {
  const agent = String(headers['user-agent']);
  return /Windows NT|Macintosh|X11; /.test(agent) && !/Mobi/.test(agent) && /\bbr\b/.test(String(headers['accept-encoding']));
}
