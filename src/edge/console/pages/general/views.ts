import { html } from '../../../../kit/html.ts';
import type { Texts } from '../../language.ts';
import type { Answer, PersonVisit } from '../../page.ts';

const TEXTS: Texts<{ title: string; text: string }> = {
  en: {
    title: 'No team yet',
    text: 'You are signed in, but not a member of a team. Ask an owner of your team to invite you.',
  },
  fr: {
    title: 'Aucune équipe',
    text: 'Vous êtes connecté, mais vous n’êtes membre d’aucune équipe. Demandez à un propriétaire de votre équipe de vous inviter.',
  },
};

/** Page of a person who belongs to no team. */
export function noTeams({ language }: PersonVisit): Answer {
  const texts = TEXTS[language];
  return { kind: 'page', title: texts.title, body: html`<h1>${texts.title}</h1><p>${texts.text}</p>` };
}
