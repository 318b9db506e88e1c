import { readFileSync } from 'node:fs';
import { sha256 } from '../kit/crypto.ts';
import { type Html, html, raw } from '../kit/html.ts';

/** What a page has besides what every page has. */
export type Part = 'form' | 'waiting' | 'paper';

interface Asset {
  style: string;
  /** Null: it needs none. */
  script: string | null;
}

/**
 * Style and script stand in the page itself: on a network with 400 ms round trips each further request costs more than
 * their few kilobytes. The policy names them by their hashes, so nothing else can run.
 */
const page = assetOf('page');
const parts: Record<Part, Asset> = {
  form: assetOf('form'),
  waiting: assetOf('waiting'),
  paper: { style: styleOf('paper'), script: null },
};

/** The style elements of a page. @param themed a merchant's colours */
export function styles(own: readonly Part[], themed: Html | null): Html[] {
  const plain = assetsOf(own).map(({ style }) => raw(style));
  return [...plain, ...(themed ? [themed] : [])].map((style) => html`<style>${style}</style>`);
}

/** The script elements of a page. */
export function scripts(own: readonly Part[]): Html[] {
  return scriptsOf(assetsOf(own)).map((script) => html`<script>${raw(script)}</script>`);
}

function assetsOf(own: readonly Part[]): Asset[] {
  return [page, ...own.map((part) => parts[part])];
}

const everywhere = [page, ...Object.values(parts)];
const STYLE_HASHES = everywhere.map(({ style }) => hashOf(style)).join(' ');
const SCRIPT_HASHES = scriptsOf(everywhere).map(hashOf).join(' ');

/** @param themed a merchant's colours, as the page has them in a style of their own */
export function policyWith(themed: Html | null): string {
  return [
    "default-src 'none'",
    `style-src ${STYLE_HASHES}${themed ? ` ${hashOf(themed.text)}` : ''}`,
    `script-src ${SCRIPT_HASHES}`,
    // The icon, which would otherwise be one more request; the merchant's logo comes from us.
    "img-src 'self' data:",
    // Asking how the payment stands.
    "connect-src 'self'",
    // Submits are answered by a redirect to the page itself, which then leads to a provider: no other target is needed.
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** On every answer. */
export const HEADERS: Readonly<Record<string, string>> = {
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/** On pages: the small answers that a waiting page asks for again and again do without. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': policyWith(null),
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex, nofollow',
  Vary: 'Accept-Encoding, Accept-Language, Cookie',
};

function assetOf(name: string): Asset {
  return { style: styleOf(name), script: tidied(`${name}.js`, /^\s*\/\/.*$/gm) };
}

function styleOf(name: string): string {
  const style = tidied(`${name}.css`, /\/\*[\s\S]*?\*\//g).replace(/\s*([{}:;,>])\s*/g, '$1');
  return style.replaceAll(';}', '}');
}

function scriptsOf(assets: readonly Asset[]): string[] {
  return assets.flatMap(({ script }) => (script === null ? [] : [script]));
}

/** Without comments and indentation, which the payer need not pay for. */
function tidied(file: string, comments: RegExp): string {
  const text = readFileSync(new URL(`./assets/${file}`, import.meta.url), 'utf8');
  return text.replace(comments, '').replace(/^\s+/gm, '').trim();
}

function hashOf(text: string): string {
  return `'sha256-${sha256(text).toString('base64')}'`;
}
