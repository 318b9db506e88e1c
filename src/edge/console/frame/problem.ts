import { type Html, html } from '../../../kit/html.ts';
import { consoleLanguage } from '../language.ts';
import { sheet } from './frame.ts';
import { FRAME_TEXTS } from './texts.ts';

/** Renders an error as a page. `message` is null when the fault is ours. */
export function problemPage(
  header: string | undefined,
  problem: { code: number; message: string | null; request_id: string },
): Html {
  const language = consoleLanguage(undefined, header);
  const texts = FRAME_TEXTS[language];
  const title = titleOf(texts.problems, problem.code);
  return sheet(
    language,
    title,
    'plain',
    html`<div class="alone"><header class="brand"><span class="logo" aria-hidden="true"></span>Pirogue</header>
<main id="main" tabindex="-1"><h1>${title}</h1>${problem.message !== null && html`<p>${problem.message}</p>`}
<p class="note">${texts.requestId} <code>${problem.request_id}</code></p>
<p><a class="button" href="/console/">${texts.problemBack}</a></p></main></div>`,
  );
}

function titleOf(titles: (typeof FRAME_TEXTS)['en']['problems'], code: number): string {
  if (code === 403 || code === 404 || code === 429) return titles[code];
  return code >= 500 ? titles.ours : titles.other;
}
