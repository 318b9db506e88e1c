import { readFileSync } from 'node:fs';
import { sha256 } from '../../kit/crypto.ts';

/** A file that the browser caches. Its path changes with its content. */
export interface Asset {
  path: string;
  type: string;
  text: string;
  headers: Readonly<Record<string, string>>;
}

const KEPT = { 'Cache-Control': 'public, max-age=31536000, immutable', 'X-Content-Type-Options': 'nosniff' };

/** Style and script of every page of the console, and the scripts of single pages, by name. */
export const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ['style', assetOf('console.css', 'text/css; charset=utf-8')],
  ['script', assetOf('console.js', 'text/javascript; charset=utf-8')],
  ['passkeys', assetOf('passkeys.js', 'text/javascript; charset=utf-8')],
  ['payouts', assetOf('payouts.js', 'text/javascript; charset=utf-8')],
]);

/** Returns the path under which the browser fetches a file. */
export function assetPath(name: 'style' | 'script' | 'passkeys' | 'payouts'): string {
  return (ASSETS.get(name) as Asset).path;
}

/** Headers of every answer. */
export const HEADERS: Readonly<Record<string, string>> = {
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
];

/** Headers of pages. Nothing is loaded from another host, and only scripts in our files run. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY.join('; '),
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex, nofollow',
  Vary: 'Accept-Encoding, Accept-Language, Cookie',
};

/** Headers of a page that shows a document of the console within it. */
export const FRAMING_HEADERS = { 'Content-Security-Policy': [...POLICY, "frame-src 'self'"].join('; ') };

/**
 * Returns the headers of a document that only a page of the console may show, and in which nothing runs or is submitted.
 * @param styles sources of its styles, as in a Content-Security-Policy
 */
export function framedHeaders(styles: string): Record<string, string> {
  const policy = [
    'sandbox',
    "default-src 'none'",
    styles,
    'img-src data:',
    "form-action 'none'",
    "frame-ancestors 'self'",
    "base-uri 'none'",
  ];
  return { 'Content-Security-Policy': policy.join('; '), 'X-Frame-Options': 'SAMEORIGIN' };
}

function assetOf(file: string, type: string): Asset {
  const text = readFileSync(new URL(`./assets/${file}`, import.meta.url), 'utf8');
  const name = file.replace('.', `-${sha256(text).toString('hex').slice(0, 12)}.`);
  return { path: `/console/assets/${name}`, type, text, headers: KEPT };
}
