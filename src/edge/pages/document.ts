import { type Html, html, raw } from '../../kit/html.ts';
import { type Part, scripts, styles } from './assets.ts';
import { LANGUAGES, type Language, textsIn } from './language.ts';
import { PLAIN, type Theme } from './theme/theme.ts';
import { icon } from './icons.ts';
import type { Scene } from './scene.ts';

/** The contents and settings of a page. */
export interface Sheet {
  language: Language;
  title: string;
  sandbox: boolean;
  /** The contents of `main`. */
  body: Html;
  /** Target of an automatic redirect, and the seconds before it. */
  refresh?: { after_s: number; to: string; onlyWithoutScript: boolean } | undefined;
  /** The merchant's colours. The Content-Security-Policy of the answer has to allow their style. */
  theme?: Theme | undefined;
  /** The page's path. The other languages are links to it with `?lang=`. */
  translations?: string | undefined;
  parts?: readonly Part[];
  /** Whether `.wide` is shown beside `.head` and `.side`, a summary, on wide screens. */
  two?: boolean;
}

/** Renders a complete HTML document with its style and script inlined. It works without JavaScript. */
export function document({ language, title, sandbox, body, refresh, theme = PLAIN, translations, parts = [], two }: Sheet): Html {
  const texts = textsIn(language).checkout;
  const own = body.text.includes('class="state"') ? (['state', ...parts] as const) : parts;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no">
<meta name="theme-color" content="${theme.brand}">
<title>${title}</title>
<link rel="icon" href="${iconOf(theme)}">
${styles(own, theme.style)}${refresh && refreshTag(refresh)}
</head>
<body>
${sandbox && html`<header class="test">${texts.testMode}</header>`}
<main${two && html` class="two"`}>${body}</main>
<footer><p>${icon('lock')}${texts.secured}</p>${translations !== undefined && others(language, translations)}</footer>
${scripts(own)}
</body>
</html>
`;
}

/** Inlines the icon, which saves a request. */
function iconOf({ brand }: Theme): string {
  return `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><rect width='9' height='9' rx='2' fill='%23${brand.slice(1)}'/></svg>`;
}

/** Links to the page in the other languages, each named in its own language. */
function others(language: Language, path: string): Html {
  const links = LANGUAGES.filter((other) => other !== language).map(
    (other) => html`<a href="${path}?lang=${other}" lang="${other}" hreflang="${other}">${textsIn(other).name}</a>`,
  );
  return html`<nav aria-label="${textsIn(language).checkout.language}">${links}</nav>`;
}

function refreshTag({ after_s, to, onlyWithoutScript }: NonNullable<Sheet['refresh']>): Html {
  const tag = html`<meta http-equiv="refresh" content="${after_s};url=${to}">`;
  return onlyWithoutScript ? html`${raw('<noscript>')}${tag}${raw('</noscript>')}` : tag;
}

/** Renders a page of a payment. */
export function paymentDocument(scene: Scene, sheet: Pick<Sheet, 'title' | 'body' | 'refresh' | 'parts' | 'two'>): Html {
  const { language, sandbox, theme, path } = scene;
  return document({ language, sandbox, theme, translations: path, ...sheet });
}
