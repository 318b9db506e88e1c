import { readFileSync } from 'node:fs';
import { sha256 } from '../../kit/crypto.ts';
import { type Html, html, raw } from '../../kit/html.ts';

/** Style and script that a page may have in addition to the common ones. */
export type Part = 'form' | 'waiting' | 'paper' | 'state';

interface Asset {
  style: string;
  /** Null when the part has no script. */
  script: string | null;
}

/**
 * Inlined style and script. On a network with 400 ms round trips each further request costs more than their few kilobytes.
 * The Content-Security-Policy lists their hashes, so that no other style or script runs.
 */
const page = assetOf('page');
const parts: Record<Part, Asset> = {
  form: assetOf('form'),
  waiting: assetOf('waiting'),
  paper: assetOf('paper'),
  state: { style: styleOf('state'), script: null },
};

/**
 * Returns the style elements of a page.
 * @param themed a merchant's colours; null for the default ones
 */
export function styles(own: readonly Part[], themed: Html | null): Html[] {
  const plain = assetsOf(own).map(({ style }) => raw(style));
  return [...plain, ...(themed ? [themed] : [])].map((style) => html`<style>${style}</style>`);
}

/** Returns the script elements of a page. */
export function scripts(own: readonly Part[]): Html[] {
  return assetsOf(own).flatMap(({ script }) => (script === null ? [] : [html`<script>${raw(script)}</script>`]));
}

function assetsOf(own: readonly Part[]): Asset[] {
  return [page, ...own.map((part) => parts[part])];
}

const everywhere = [page, ...Object.values(parts)].map((asset) => {
  return { ...asset, hashes: { style: hashOf(asset.style), script: asset.script === null ? [] : [hashOf(asset.script)] } };
});

/**
 * Returns the Content-Security-Policy of a page.
 * @param themed a merchant's colours, which the page has in a style element of its own; null for the default ones
 * @param content the page: only its own parts are allowed, which saves the hashes of the others. Without it, all parts are
 */
export function policyWith(themed: Html | null, content?: Html): string {
  const own = partsOf(content);
  return [
    "default-src 'none'",
    styleSources(themed, content),
    `script-src ${own.flatMap(({ hashes }) => hashes.script).join(' ')}`,
    // The icon is a data URL, which saves a request. The merchant's logo is served by us.
    "img-src 'self' data:",
    // Requests for the payment's status.
    "connect-src 'self'",
    // A submit is answered by a redirect to the page itself, which then leads to a provider. No other target is needed.
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** Returns the part of a Content-Security-Policy that allows the styles of a page; the parameters are those of {@link policyWith}. */
export function styleSources(themed: Html | null, content?: Html): string {
  const hashes = partsOf(content).map((part) => part.hashes.style);
  return `style-src ${[...hashes, ...(themed ? [hashOf(themed.text)] : [])].join(' ')}`;
}

/** Returns a page without its scripts, for a place where none may run. */
export function withoutScripts(content: Html): Html {
  const own = everywhere.flatMap(({ script }) => (script === null ? [] : [`<script>${script}</script>`]));
  return raw(own.reduce((text, script) => text.replace(script, () => ''), content.text));
}

function partsOf(content: Html | undefined): typeof everywhere {
  return everywhere.filter(({ style }) => content === undefined || content.text.includes(`<style>${style}</style>`));
}

/** Headers of every answer. */
export const HEADERS: Readonly<Record<string, string>> = {
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/** Headers of pages. The small answers that a waiting page polls do not have them. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': policyWith(null),
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex, nofollow',
  Vary: 'Accept-Encoding, Accept-Language, Cookie',
};

function assetOf(name: string): Asset {
  // Spaces around signs, outside of texts in quotes. No regular expression in these files has one.
  const script = tidied(`${name}.js`, /^\s*\/\/.*$/gm).replace(/('[^'\n]*')|\s*([{}();,=<>+?:&|*])\s*/g, '$1$2');
  return { style: styleOf(name), script };
}

function styleOf(name: string): string {
  const style = tidied(`${name}.css`, /\/\*[\s\S]*?\*\//g).replace(/\s*([{}:;,>])\s*/g, '$1');
  return style.replaceAll(';}', '}');
}

/** Returns the file without comments and indentation, which would only use up the payer's data. */
function tidied(file: string, comments: RegExp): string {
  const text = readFileSync(new URL(`./assets/${file}`, import.meta.url), 'utf8');
  return text.replace(comments, '').replace(/^\s+/gm, '').trim();
}

function hashOf(text: string): string {
  return `'sha256-${sha256(text).toString('base64')}'`;
}
