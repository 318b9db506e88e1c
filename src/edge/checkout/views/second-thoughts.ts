import { type Html, html } from '../../../kit/html.ts';
import type { AttemptRow } from '../../../core/attempts/schema.ts';
import { hidden } from '../../pages/parts.ts';
import { MINUTE_MS, promptWindow } from '../windows.ts';
import type { Waiting } from './waiting.ts';

/**
 * Advice for a payer about an open prompt: after a wrong number or a change of mind. Where the provider cannot cancel the prompt, only
 * the phone can reject it, and a second prompt would risk a second payment (docs/decisions/0084-second-thoughts.md).
 */
export function wrongNumber(scene: Waiting, { channel }: AttemptRow, number: string | null): Html {
  const { texts } = scene;
  const window_ms = promptWindow(channel);
  const lapses = window_ms !== null && html` ${texts.lapses(window_ms / MINUTE_MS)}`;
  const onPhone = html`<p>${texts.cancelOnPhone}</p><p>${texts.lateMoney}</p>`;
  return html`${noScript(scene)}${ask(scene, texts.wrongNumber, html`<p>${texts.wrongNumberText(number)}${lapses}</p>`)}${
    scene.cancellable ? cancelForm(scene) : ask(scene, texts.cancel, onPhone)
  }`;
}

/** Form that requests the provider to cancel the charge; nothing where the provider cannot. */
export function cancelForm(scene: Waiting): Html {
  const { texts, path, form_token, cancellable, note } = scene;
  if (!cancellable) return html``;
  if (note === 'asked') return html`<p class="alert" role="status">${texts.cancelAsked}</p>`;
  return ask(
    scene,
    texts.cancel,
    html`<p>${texts.cancelAtProvider}</p><form method="post" action="${path}/cancel">${hidden('form_token', form_token)}
<button class="plain">${texts.cancelNow}</button></form>`,
  );
}

/** Without a script the page reloads itself every few seconds, which would close an answer while it is read. */
function noScript({ texts, path, note }: Waiting): Html | false {
  return (
    note === null &&
    html`<noscript><p class="after"><a href="${path}?note=ask">${texts.wrongNumber} ${texts.cancel}</a></p></noscript>`
  );
}

/** Hidden without a script, where the link above leads to the open answers. */
function ask({ note }: Waiting, question: string, answer: Html): Html {
  return html`<details class="ask"${note === 'ask' ? html` open` : html` hidden`}><summary>${question}</summary>${answer}</details>`;
}
