import type { presentLink } from '../../../links/present.ts';
import type { LinkStatus } from '../../../links/states.ts';
import type { Html } from '../../../../kit/html.ts';
import type { ConsoleLanguage } from '../../language.ts';
import type { TeamVisit } from '../../page.ts';
import { wireMoney } from '../../parts/format.ts';
import { badge, type Tone } from '../../parts/parts.ts';
import { LINK_TEXTS } from './texts.ts';

/** A payment link as the API shows it. */
export type Link = ReturnType<typeof presentLink>;

/**
 * Returns the payment link that the path names.
 * @throws Problem 404
 */
export async function linkOf(visit: TeamVisit): Promise<Link> {
  const { body } = await visit.api('GET /links/:id', { params: { id: visit.params.id ?? '' } });
  return (body as { link: Link }).link;
}

const TONES: Record<LinkStatus, Tone> = { active: 'good', inactive: 'idle', expired: 'warn' };

/** Renders the status of a payment link. */
export function linkBadge(status: LinkStatus, language: ConsoleLanguage): Html {
  return badge(LINK_TEXTS[language].statuses[status], TONES[status]);
}

/** Returns the amount of a link in words: the payer chooses it when it has none. */
export function amountOf({ amount, currency }: Link, language: ConsoleLanguage): string {
  return amount === null ? LINK_TEXTS[language].open : wireMoney(amount, currency, language);
}
