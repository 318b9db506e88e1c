import { isDoubted, isUnderWay } from '../../../../../core/attempts/schema.ts';
import { totalOf } from '../../../../../core/payments/present.ts';
import { isFinal } from '../../../../../core/payments/states.ts';
import type { ConsoleLanguage } from '../../../language.ts';
import { money, moment } from '../../../parts/format.ts';
import type { Story } from './story.ts';
import { ONE_TEXTS } from './texts.ts';

/** A poll that is due within this time is shown as due now, because reading the page takes longer. */
const SOON_MS = 60_000;

/** Returns when something is due, in words. */
export function dueWords(due: Date | null, at: number, language: ConsoleLanguage): string {
  const texts = ONE_TEXTS[language].waiting;
  return due === null || due.getTime() - at <= SOON_MS ? texts.soon : texts.at(moment(due, language));
}

/**
 * Explains in words why a payment is not final, and what happens next.
 * @param at milliseconds since the epoch
 * @returns null for a payment that only a refund can change
 */
export function whyWaiting({ payment, attempts }: Story, at: number, language: ConsoleLanguage): string | null {
  if (isFinal(payment.status)) return null;
  const texts = ONE_TEXTS[language].waiting;
  const open = attempts.findLast(isUnderWay);
  if (open) {
    if (open.mismatch) {
      const { amount_minor, currency } = open.mismatch;
      return texts.unmatched(open.provider, money(BigInt(amount_minor), currency, language));
    }
    const next = dueWords(open.next_poll_at, at, language);
    if (isDoubted(open)) return texts.doubted(open.provider, next);
    if (open.status === 'created') return texts.notSent(next);
    if (open.status === 'unknown') return texts.unknown(open.provider, next);
    return texts.provider(open.provider, moment(open.submitted_at ?? open.created_at, language), next);
  }
  const { expires_at, captured_minor, currency, continue_at, status } = payment;
  if (status === 'pending') return texts.choice(moment(expires_at, language));
  if (status !== 'partial') return texts.between;
  const captured = money(captured_minor, currency, language);
  const total = money(totalOf(payment), currency, language);
  return continue_at
    ? texts.tranche(captured, total, dueWords(continue_at, at, language))
    : texts.payer(captured, total, moment(expires_at, language));
}
