import { type Html, html, raw } from '../../kit/html.ts';
import { SCRIPT, STYLE } from '../assets.ts';
import type { Language } from '../language.ts';
import { messagesIn } from '../messages.ts';
import { icon } from './icons.ts';

/** A whole page before it is wrapped. */
export interface Sheet {
  language: Language;
  title: string;
  sandbox: boolean;
  /** The contents of `main`. */
  body: Html;
  /** Where the browser goes by itself, and when; seconds. */
  refresh?: { after_s: number; to: string; onlyWithoutScript: boolean } | undefined;
}

const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><rect width='9' height='9' rx='2' fill='%230b4a5e'/></svg>";

/** The page as it is sent: one document, complete without JavaScript, with its style and script in it. */
export function document({ language, title, sandbox, body, refresh }: Sheet): Html {
  const texts = messagesIn(language);
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no">
<meta name="theme-color" content="#0b4a5e">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>${refresh && refreshTag(refresh)}
</head>
<body>
${sandbox && html`<header class="test">${texts.testMode}</header>`}
<main>${body}</main>
<footer>${icon('lock')}${texts.secured}</footer>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function refreshTag({ after_s, to, onlyWithoutScript }: NonNullable<Sheet['refresh']>): Html {
  const tag = html`<meta http-equiv="refresh" content="${after_s};url=${to}">`;
  return onlyWithoutScript ? html`${raw('<noscript>')}${tag}${raw('</noscript>')}` : tag;
}
