import type { Environment } from '../../kit/environment.ts';
import { invalid, Problem } from '../../kit/errors.ts';
import { type Minor, wireFromMinor } from '../../kit/money.ts';
import type { Tx } from '../../kit/sql.ts';
import type { Team } from '../../tenants/teams/schema.ts';
import { takeUse, type Use } from './store.ts';
import { transactionLimitsOf, type Direction } from './table.ts';

export { changeUses, type Use } from './store.ts';

/** The verification level, which determines a team's transaction limits. Null in the sandbox, which has none. */
export type Level = number | null;

/** Returns the verification level that applies in an environment. */
export function levelOf(environment: Environment, team: Pick<Team, 'verification_level'>): Level {
  return environment === 'live' ? team.verification_level : null;
}

/**
 * Checks that the team is verified.
 * @throws Problem 402 for a team that is not verified
 */
export function checkVerified(level: Level): void {
  if (level === 0) throw notVerified();
}

/**
 * Returns why a payment cannot be created, before any charge: 402 not verified, 422 above the limit of one payment. Null when
 * it can.
 */
export function paymentProblem(level: Level, currency: string, amount_minor: Minor): Problem | null {
  return level === 0 ? notVerified() : singleLimitProblem(level, 'payment', currency, amount_minor);
}

/** Returns why a transfer cannot be created, apart from the daily and monthly limits: 422. Null when it can. */
export function transferProblem(level: Level, currency: string, amount_minor: Minor): Problem | null {
  if (level !== 0) return singleLimitProblem(level, 'transfer', currency, amount_minor);
  return invalid({ amount: ['the team is not verified: live payouts are not open to it yet'] }, 'merchant_not_verified');
}

function notVerified(): Problem {
  return new Problem(402, 'The team is not verified: live payments are not open to it yet.', {
    error_code: 'merchant_not_verified',
    payer_message: 'This merchant cannot take payments yet. No money was taken.',
  });
}

function singleLimitProblem(level: Level, direction: Direction, currency: string, amount_minor: Minor): Problem | null {
  const limits = level === null ? null : transactionLimitsOf(level, direction, currency);
  if (!limits || amount_minor <= limits.per_transaction_minor) return null;
  return exceeded(direction, 'one', limits.per_transaction_minor, currency);
}

/**
 * Reserves an amount within the limits of the day and the month, in the transaction that stores the payment or transfer.
 * @returns the UTC day under which it is counted, to be stored with the payment or transfer; null when the team has no limits
 * @throws Problem 422 when it exceeds a limit; the transaction has to be rolled back
 */
export async function reserve(tx: Tx, level: Level, wanted: Omit<Use, 'day'>, at: number): Promise<string | null> {
  const { direction, currency } = wanted;
  const limits = level === null ? null : transactionLimitsOf(level, direction, currency);
  if (!limits) return null;
  const day = new Date(at).toISOString().slice(0, 10);
  const fitted = await takeUse(tx, { ...wanted, day }, limits);
  if (!fitted.includes(day)) throw exceeded(direction, 'day', limits.daily_minor, currency);
  if (fitted.length < 2) throw exceeded(direction, 'month', limits.monthly_minor, currency);
  return day;
}

function exceeded(direction: Direction, span: 'one' | 'day' | 'month', limit_minor: Minor, currency: string): Problem {
  const what = span === 'one' ? `one ${direction}` : `all ${direction}s of a UTC ${span}`;
  const message = `is above the team's limit of ${wireFromMinor(limit_minor)} ${currency} for ${what}`;
  return invalid({ amount: [message] }, 'ceiling_exceeded');
}
