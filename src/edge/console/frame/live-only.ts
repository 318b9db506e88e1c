import { html } from '../../../kit/html.ts';
import type { Texts } from '../language.ts';
import type { PageAnswer, TeamVisit } from '../page.ts';

const TEXTS: Texts<Record<'title' | 'why' | 'instead' | 'toLive' | 'toSandbox', string>> = {
  en: {
    title: 'Only in live',
    why: 'Invoices and payment links are sent to people, who pay them with real money. The sandbox has neither, here or in the API.',
    instead: 'In the sandbox, make a test payment: its page is the one to which invoices and links lead.',
    toLive: 'Switch to live',
    toSandbox: 'Make a test payment',
  },
  fr: {
    title: 'Uniquement en production',
    why: 'Les factures et les liens de paiement sont envoyés à des personnes, qui les règlent en argent réel. La sandbox n’en a pas, ni ici ni dans l’API.',
    instead:
      'Dans la sandbox, créez un paiement de test : sa page est celle à laquelle mènent les factures et les liens de paiement.',
    toLive: 'Passer en production',
    toSandbox: 'Créer un paiement de test',
  },
};

/**
 * Explains in the sandbox why a page exists in live only, with a link to it.
 * @param path of the page, below the team's base
 */
export function liveOnlyAnswer({ language, team }: TeamVisit, path: string): PageAnswer {
  const texts = TEXTS[language];
  const nav = /^\/[^/]+/.exec(path)?.[0] ?? '';
  const base = `/console/${team.id}`;
  return {
    kind: 'page',
    status: 403,
    title: texts.title,
    nav,
    body: html`<section class="card narrow"><h1>${texts.title}</h1><p>${texts.why}</p><p>${texts.instead}</p>
<div class="form-actions"><a class="button" href="${base}/live${nav}">${texts.toLive}</a><a class="button quiet-button" href="${base}/sandbox/developers/sandbox">${texts.toSandbox}</a></div></section>`,
  };
}
