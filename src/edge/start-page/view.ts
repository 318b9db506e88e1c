import { readFileSync } from 'node:fs';
import { sha256 } from '../../kit/crypto.ts';
import { type Html, html, raw } from '../../kit/html.ts';
import { must } from '../../kit/errors.ts';
import { formatMoney, minorFromWire } from '../../kit/money.ts';
import { LANGUAGES, type Language, localeOf, textsIn } from '../pages/language.ts';
import type { Demo } from './deps.ts';
import { TEST_AMOUNT, TEST_CURRENCY, TEST_PHONE } from './payment.ts';
import type { StartTexts } from '../pages/texts/start.ts';

const STYLE = readFileSync(new URL('./style.css', import.meta.url), 'utf8')
  .replace(/\/\*[\s\S]*?\*\//g, '')
  .replace(/\s+/g, ' ')
  .trim();

/** The page has a style and a form of its own, and nothing else: no script, no picture from elsewhere. */
export const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${sha256(STYLE).toString('base64')}'`,
  'img-src data:',
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** Why no test payment was created. */
export type Fault = 'expired' | 'crossSite' | 'busy' | 'refused' | 'failed';

/** The form of the test payment, for a browser on this machine. */
export interface TestForm {
  demo: Demo;
  nonce: string;
  form_token: string;
}

/** The page in development. */
export interface Scene {
  language: Language;
  /** Path or URL of the console; null when there is none. */
  console: string | null;
  /** Null for browsers elsewhere. */
  form: TestForm | null;
  /** Where a browser on this machine finds the page. */
  address: string;
  fault?: Fault | undefined;
}

/** Renders the page in production: the name only. */
export function namePage(): Html {
  return shell('en', html`<header><h1>${logo()}Pirogue</h1></header>`);
}

/** Renders the page in development. */
export function startPage(scene: Scene): Html {
  const texts = textsIn(scene.language).start;
  const body = html`<header><h1>${logo()}Pirogue</h1><p>${texts.lead}</p></header>
${scene.fault && html`<section><p class="alert" role="alert">${faultText(scene.fault, texts)}</p></section>`}
${scene.form && trial(scene, scene.form, texts)}
${places(scene, texts)}
${scene.form ? keys(scene.form, texts) : html`<section><p class="soft">${texts.elsewhere(scene.address)}</p></section>`}`;
  return shell(scene.language, body, others(scene.language, texts));
}

function faultText(fault: Fault, texts: StartTexts): string {
  return texts[fault === 'refused' ? 'failed' : fault];
}

function trial({ language }: Scene, { nonce, form_token }: TestForm, texts: StartTexts): Html {
  const minor = must(minorFromWire(TEST_AMOUNT), 'it is a whole number');
  const amount = formatMoney(minor, TEST_CURRENCY, localeOf(language));
  return html`<section><h2>${texts.try}</h2><p>${texts.tryText(amount)}</p>
<form method="post" action="/?lang=${language}"><input type="hidden" name="nonce" value="${nonce}"><input type="hidden" name="form_token" value="${form_token}">
<button>${texts.button}</button></form><p class="soft">${texts.numbers(spaced(TEST_PHONE))}</p></section>`;
}

function places({ console, form }: Scene, texts: StartTexts): Html {
  const link = (path: string, [name, holds]: [string, string]) =>
    html`<li><a href="${path}">${name}</a><span>${holds}</span></li>`;
  const [guides, held] = texts.guides;
  return html`<section><h2>${texts.next}</h2><ul>${[
    console && link(console, texts.console),
    link('/docs', texts.reference),
    html`<li><b>${guides}</b><span>${held}</span>${form && html`<code>docs/guides/README.md</code>`}</li>`,
    link('/openapi.json', texts.document),
    link('/health/ready', texts.health),
  ]}</ul></section>`;
}

function keys({ demo }: TestForm, texts: StartTexts): Html {
  return html`<section><h2>${texts.keys}</h2><p>${texts.keysText}</p><code>${demo.keys_file}</code>
<p>${texts.publicKeys}</p><code>npm run --silent pirogue -- teams set ${demo.team} --public-keys pay-only</code></section>`;
}

function others(language: Language, texts: StartTexts): Html {
  const links = LANGUAGES.filter((other) => other !== language).map(
    (other) => html`<a href="/?lang=${other}" lang="${other}" hreflang="${other}">${textsIn(other).name}</a>`,
  );
  return html`<nav aria-label="${texts.language}">${links}</nav>`;
}

/** Formats a number of Cameroon for people: `+237 650 000 000`, in one line. */
function spaced(phone: string): string {
  return phone.replace(/^(\+\d{3})(\d{3})(\d{3})(\d{3})$/, '$1\u00a0$2\u00a0$3\u00a0$4');
}

/** A pirogue on water. */
function logo(): Html {
  return raw(
    '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M2 12c5 3 15 3 20 0-1.5 4-4 5-10 5s-8.5-1-10-5zM9 13.5 15 3M3 21c2-1.3 4-1.3 6 0s4 1.3 6 0 4-1.3 6 0"/></svg>',
  );
}

function shell(language: Language, body: Html, footer: Html | null = null): Html {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pirogue</title>
<link rel="icon" href="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><rect width='9' height='9' rx='2' fill='%230b4a5e'/></svg>">
<style>${raw(STYLE)}</style>
</head>
<body>
<main>${body}</main>
${footer}
</body>
</html>
`;
}
