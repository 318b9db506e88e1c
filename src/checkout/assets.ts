import { readFileSync } from 'node:fs';
import { sha256 } from '../kit/crypto.ts';
import { type Html, raw } from '../kit/html.ts';

/**
 * Style and script stand in the page itself: on a network with 400 ms round trips each further request costs more than
 * their few kilobytes. The policy names them by their hashes, so nothing else can run.
 */
const style = tidied('page.css', /\/\*[\s\S]*?\*\//g).replace(/\s*([{}:;,>])\s*/g, '$1');
const script = tidied('page.js', /^\s*\/\/.*$/gm);

export const STYLE: Html = raw(style);
export const SCRIPT: Html = raw(script);

const POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  // The icon, which would otherwise be one more request.
  'img-src data:',
  // Asking how the payment stands.
  "connect-src 'self'",
  // Submits are answered by a redirect to the page itself, which then leads to a provider: no other target is needed.
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** On every answer. */
export const HEADERS: Readonly<Record<string, string>> = {
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/** On pages: the small answers that a waiting page asks for again and again do without. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex, nofollow',
  Vary: 'Accept-Encoding, Accept-Language',
};

/** Without comments and indentation, which the payer need not pay for. */
function tidied(file: string, comments: RegExp): string {
  const text = readFileSync(new URL(`./assets/${file}`, import.meta.url), 'utf8');
  return text.replace(comments, '').replace(/^\s+/gm, '').trim();
}

function hashOf(text: string): string {
  return `'sha256-${sha256(text).toString('base64')}'`;
}
