import { type Html, html } from '../../../kit/html.ts';
import { must } from '../../../kit/errors.ts';
import type { AttemptRow } from '../../../core/attempts/schema.ts';
import { channelById } from '../../../providers/reference/channels.ts';
import type { CheckoutTexts } from '../../pages/texts/checkout.ts';
import { promptWindow } from '../windows.ts';
import { icon } from '../../pages/icons.ts';
import { field, hidden } from '../../pages/parts.ts';
import type { Scene } from '../../pages/scene.ts';

/** Progress of the prompt on the phone, with the operator's confirmation window where it is known. */
export function steps({ texts, now }: Scene & { now: number }, attempt: AttemptRow): Html {
  const left_ms = leftOf(attempt, now);
  const clock =
    left_ms !== null &&
    html`<span class="left" role="timer" data-left="${left_ms}">${texts.left(Math.ceil(left_ms / 60_000))}</span>`;
  return html`<ol class="steps"><li class="done">${icon('check')}${texts.sent}</li>
<li class="now" aria-current="step"><i></i><span>${texts.waitingForPin}</span>${clock}</li><li><i></i>${texts.confirmed}</li></ol>
${left_ms !== null && html`<p class="alert" role="alert" data-late hidden>${texts.lateText}</p>`}`;
}

/** Returns whether the operator's confirmation window has closed. The outcome is then being checked. */
export function isLate(attempt: AttemptRow, now: number): boolean {
  return leftOf(attempt, now) === 0;
}

/** Returns the milliseconds until the operator cancels the prompt; null when its window is not known. */
function leftOf(attempt: AttemptRow, now: number): number | null {
  const window_ms = promptWindow(attempt.channel);
  if (window_ms === null) return null;
  return Math.max(0, (attempt.submitted_at ?? attempt.created_at).getTime() + window_ms - now);
}

/** Advice for a payer without a prompt: dial the operator's USSD code where one is known. */
export function dialHint(texts: CheckoutTexts, attempt: AttemptRow): Html {
  const code = must(channelById(attempt.channel), 'the channel was checked when the attempt was made').ussd_hint;
  return html`<p class="after"><span class="hint">${code ? dial(texts, code) : texts.noPrompt}</span></p>`;
}

/** The sentence with the code as a link that opens the phone's dialler. `#` is escaped, because it would begin a fragment. */
function dial(texts: CheckoutTexts, code: string): Html {
  const [before = '', after = ''] = texts.dial(code).split(code);
  return html`${before}<a class="dial" href="tel:${encodeURIComponent(code)}">${code}</a>${after}`;
}

/** Form for the one-time code from the operator. */
export function codeForm({
  texts,
  path,
  form_token,
  fieldError,
}: Scene & { form_token: string; fieldError?: string | undefined }): Html {
  const code = field(
    { id: 'otp', label: texts.otp, error: fieldError },
    (attributes) =>
      html`<input name="otp" autocomplete="one-time-code" inputmode="numeric" maxlength="12" required ${attributes}>`,
  );
  return html`<form method="post" action="${path}/otp">${hidden('form_token', form_token)}${code}<button>${texts.confirm}</button></form>`;
}
