import type { presentAccount } from '../../../../core/accounts/present.ts';
import type { Verification } from '../../../../core/accounts/schema.ts';
import { type Html, html } from '../../../../kit/html.ts';
import type { TeamVisit } from '../../page.ts';
import { number } from '../../parts/format.ts';
import { badge, type Tone } from '../../parts/parts.ts';
import { ACCOUNT_TEXTS } from './texts.ts';

/** A subaccount as the API shows it. */
export type Account = ReturnType<typeof presentAccount>;

/**
 * Returns the subaccount that the path names.
 * @throws Problem 404
 */
export async function accountOf(visit: TeamVisit): Promise<Account> {
  const { body } = await visit.api('GET /accounts/:id', { params: { id: visit.params.id ?? '' } });
  return (body as { account: Account }).account;
}

const TONES: Record<Verification, Tone> = { pending: 'warn', verified: 'good', rejected: 'bad' };

/** Renders whether the subaccount accepts payments, and whether its owner is verified. */
export function accountBadges({ active, verification }: Account, { language }: TeamVisit): Html {
  const texts = ACCOUNT_TEXTS[language];
  const state = active ? badge(texts.active, 'good') : badge(texts.inactive, 'idle');
  return html`${state} ${badge(texts.verifications[verification], TONES[verification])}`;
}

/** Returns the platform's share in words. */
export function shareOf({ split }: Pick<Account, 'split'>, { language }: TeamVisit): string {
  const texts = ACCOUNT_TEXTS[language];
  return split === null ? texts.splitNone : texts.share[split.type](number(split.value, language));
}
