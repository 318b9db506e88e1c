import { type Html, html } from '../../../kit/html.ts';
import { paymentDocument } from '../../pages/document.ts';
import type { Scene } from '../../pages/scene.ts';

/** Interval of the reload in browsers without JavaScript, in seconds. */
export const REFRESH_S = 5;

/**
 * Renders a page that updates when the payment changes: by server-sent events, else by polling, else by reloading itself.
 * @param refresh_s reload interval without JavaScript; null for none
 */
export function follow(scene: Scene & { progress: string }, title: string, body: Html, refresh_s: number | null): Html {
  return paymentDocument(scene, {
    title,
    parts: ['waiting', 'paper'],
    body: html`<div data-follow="${scene.path}" data-state="${scene.progress}">${body}</div>`,
    refresh: refresh_s === null ? undefined : { after_s: refresh_s, to: scene.path, onlyWithoutScript: true },
  });
}

/** Indicates that processing is in progress. Screen readers announce the text once. */
export function live(scene: Scene, text: string | null): Html {
  return html`<p class="live" role="status">${text}<span class="spin" aria-hidden="true"></span></p>${byItself(scene)}`;
}

/** Notice for browsers without JavaScript, whose page reloads itself. */
export function byItself({ texts, path }: Scene): Html {
  return html`<noscript><p class="after">${texts.noJavaScript} <a href="${path}">${texts.refresh}</a></p></noscript>`;
}
