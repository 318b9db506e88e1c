import type { Problem } from '../../../kit/errors.ts';
import { type Html, html } from '../../../kit/html.ts';
import { type ConsoleLanguage, consoleLanguage } from '../language.ts';
import { sayProblem } from '../messages/say.ts';
import type { Answer } from '../page.ts';
import { sheet } from './frame.ts';
import { FRAME_TEXTS } from './texts.ts';

/** An error to show; `problem` is null for an internal error. */
interface ShownProblem {
  code: number;
  problem: Problem | null;
  request_id: string;
}

/** Returns an error as the contents of a page. */
export function problemAnswer(
  language: ConsoleLanguage,
  { code, problem, request_id }: ShownProblem,
): Extract<Answer, { kind: 'page' }> {
  const texts = FRAME_TEXTS[language];
  const title = titleOf(texts.problems, code);
  const body = html`<h1>${title}</h1>${problem && html`<p>${sayProblem(language, problem).message}</p>`}
<p class="note">${texts.requestId} <code>${request_id}</code></p>
<p><a class="button" href="/console/">${texts.problemBack}</a></p>`;
  return { kind: 'page', status: code, title, body };
}

/** Renders an error of a request that reached no page. */
export function problemPage(header: string | undefined, shown: ShownProblem): Html {
  const language = consoleLanguage(undefined, header);
  const { title, body } = problemAnswer(language, shown);
  return sheet(
    language,
    title,
    'plain',
    html`<div class="alone"><header class="brand"><span class="logo" aria-hidden="true"></span>Pirogue</header>
<main id="main" tabindex="-1">${body}</main></div>`,
  );
}

/** Returns the title of an error. 501 is an action that only the sandbox has, so nothing went wrong. */
function titleOf(titles: (typeof FRAME_TEXTS)['en']['problems'], code: number): string {
  if (code === 403 || code === 404 || code === 429) return titles[code];
  return code >= 500 && code !== 501 ? titles.ours : titles.other;
}
