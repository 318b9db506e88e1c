import { isChargeable } from '../../core/charge/refusals.ts';
import { type Hosted, openAttempt } from '../../core/charge/hosted.ts';
import { isDoubted, isOpen, isUnderWay } from '../../core/attempts/schema.ts';
import { hasUndecidedMoney } from '../../core/payments/retry.ts';
import { isFinal } from '../../core/payments/states.ts';
import type { PaymentSnapshot } from '../../core/payments/snapshots.ts';
import { channelById } from '../../providers/reference/channels.ts';
import type { FinalStatus } from './views/result.ts';

/** How long a page waits for the poll that confirms the end of a charge. The poll is due at once; a provider may take seconds. */
const CONFIRMING_MS = 10_000;

/** The part of a payment that `pageStateOf` needs. */
type Seen = Pick<PaymentSnapshot, 'attempts'> & {
  payment: Pick<PaymentSnapshot['payment'], 'status' | 'expires_at' | 'continue_at'>;
};

/** Progress that a waiting page compares. When it changes, the page reloads. */
export interface Progress {
  status: string;
  step: string;
  attempt: number;
}

/** State of a payment for its page. */
export type PageState =
  | { kind: 'final'; status: FinalStatus }
  /** No charge is in progress: the payer can choose. */
  | { kind: 'open' }
  | { kind: 'under_way' };

/**
 * Returns the payment's state for its page. A payment past its expiry counts as expired at once, before the sweep a second
 * later. A payment whose charge has just failed counts as under way until the failure is confirmed. For a payment in tranches the
 * worker sends the next tranche (`continue_at`); after a declined tranche the payer continues.
 */
export function pageStateOf({ payment, attempts }: Seen, now: number): PageState {
  if (isFinal(payment.status)) {
    return isConfirmed({ payment, attempts }, now)
      ? { kind: 'final', status: payment.status as FinalStatus }
      : { kind: 'under_way' };
  }
  if (attempts.some(isUnderWay) || !isChargeable(payment) || payment.continue_at !== null) return { kind: 'under_way' };
  return payment.expires_at.getTime() <= now ? { kind: 'final', status: 'expired' } : { kind: 'open' };
}

/** Returns false while the charge of a payment that has just failed is polled once more. Until then, no other try can be offered. */
function isConfirmed({ payment, attempts }: Seen, now: number): boolean {
  if (payment.status !== 'failed' && payment.status !== 'cancelled') return true;
  return !attempts.some(
    (attempt) => isDoubted(attempt) && attempt.closed_at !== null && new Date(attempt.closed_at).getTime() > now - CONFIRMING_MS,
  );
}

/**
 * Returns whether the payment cannot be charged although no charge is in progress, because money found in a statement waits for a
 * decision. The payer waits too.
 */
export async function isHeld({ store, payment, attempts }: Hosted, now: number): Promise<boolean> {
  return pageStateOf({ payment, attempts }, now).kind === 'open' && (await hasUndecidedMoney(store.db, attempts));
}

/**
 * Returns the progress that the status route and the events report. It contains no more than the page shows in every browser.
 * @param held whether money waits for a decision, see {@link isHeld}
 */
export function progressOf(seen: Seen, held: boolean, now: number): Progress {
  const pageState = pageStateOf(seen, now);
  const status = pageState.kind === 'final' ? pageState.status : seen.payment.status;
  const { attempts } = seen;
  const isChecked = pageState.kind !== 'final' && (held || attempts.some(isUnderWay));
  return { status, step: attempts.find(isOpen)?.action?.kind ?? (isChecked ? 'checked' : 'none'), attempt: attempts.length };
}

/** Returns whether a card charge of the sandbox waits on our own page, for the test card or for the authentication step. */
export function awaitsCard({ store, attempts }: Hosted): boolean {
  const attempt = openAttempt(attempts);
  if (store.environment !== 'sandbox' || attempt?.action?.kind !== 'redirect') return false;
  return channelById(attempt.channel)?.kind === 'card';
}
