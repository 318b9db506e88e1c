import type { Html } from '../../../kit/html.ts';
import type { Texts } from '../language.ts';
import { type Moved, secondRule } from '../money.ts';
import type { TeamVisit } from '../page.ts';
import { money } from './format.ts';
import { alert } from './parts.ts';

const TEXTS: Texts<Record<'above' | 'upTo' | 'each', (value: string) => string>> = {
  en: {
    above: (threshold) =>
      `What leaves the balance is above your team’s threshold of ${threshold}: a second person decides before anything is sent.`,
    upTo: (threshold) => `Above ${threshold}, a second person decides before anything is sent.`,
    each: (currency) => `Your team has no threshold for ${currency}: a second person decides before anything is sent.`,
  },
  fr: {
    above: (threshold) =>
      `Ce qui quitte le solde dépasse le seuil de votre équipe (${threshold})\u00A0: une deuxième personne doit valider avant tout envoi.`,
    upTo: (threshold) => `Au-dessus de ${threshold}, une deuxième personne doit valider avant tout envoi.`,
    each: (currency) =>
      `Votre équipe n’a pas de seuil en ${currency}\u00A0: une deuxième personne doit valider avant tout envoi.`,
  },
};

/**
 * Returns the notice that a movement will need a second person. It uses the same rule as the movement itself.
 * @param upTo whether the amount can still be changed, and this is the maximum
 * @returns null when no second person is needed
 */
export async function secondNote(visit: TeamVisit, moved: Moved, upTo = false): Promise<Html | null> {
  const { needed, above_minor } = await secondRule(visit, moved);
  if (!needed) return null;
  const texts = TEXTS[visit.language];
  if (above_minor === null) return alert(texts.each(moved.currency), 'info');
  const threshold = money(above_minor, moved.currency, visit.language);
  return alert(upTo ? texts.upTo(threshold) : texts.above(threshold), 'info');
}
