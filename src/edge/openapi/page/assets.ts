import { readFileSync } from 'node:fs';
import { sha256 } from '../../../kit/crypto.ts';
import { type Html, raw } from '../../../kit/html.ts';

/** Style and script are inline. The content security policy lists their hashes, so nothing else can run. */
const style = read('docs.css');
const script = read('docs.js');

export const STYLE: Html = raw(style);
export const SCRIPT: Html = raw(script);

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    'img-src data:',
    // Allows the try-out form to call this installation only.
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
};

function read(file: string): string {
  return readFileSync(new URL(`./assets/${file}`, import.meta.url), 'utf8').trim();
}

function hashOf(text: string): string {
  return `'sha256-${sha256(text).toString('base64')}'`;
}
