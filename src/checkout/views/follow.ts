import { type Html, html } from '../../kit/html.ts';
import { paymentDocument } from './document.ts';
import type { Scene } from './scene.ts';

/** Without JavaScript the page asks again by loading itself. */
export const REFRESH_S = 5;

/**
 * A page that learns by itself when the payment has moved on: by events, else by asking, else by loading itself.
 * @param refresh_s null: not without JavaScript
 */
export function follow(scene: Scene & { progress: string }, title: string, body: Html, refresh_s: number | null): Html {
  return paymentDocument(scene, {
    title,
    parts: ['waiting'],
    body: html`<div data-follow="${scene.path}" data-state="${scene.progress}">${body}</div>`,
    refresh: refresh_s === null ? undefined : { after_s: refresh_s, to: scene.path, onlyWithoutScript: true },
  });
}

/** That something is going on; readers hear the text once. */
export function live(scene: Scene, text: string | null): Html {
  return html`<p class="live" role="status">${text}<span class="spin" aria-hidden="true"></span></p>${byItself(scene)}`;
}

/** For browsers without JavaScript, whose page loads itself. */
export function byItself({ texts, path }: Scene): Html {
  return html`<noscript><p class="after">${texts.noJavaScript} <a href="${path}">${texts.refresh}</a></p></noscript>`;
}
