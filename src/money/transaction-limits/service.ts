import type { Environment } from '../../kit/environment.ts';
import { invalid, Problem } from '../../kit/errors.ts';
import { type Minor, wireFromMinor } from '../../kit/money.ts';
import type { Tx } from '../../kit/sql.ts';
import type { Team } from '../../tenants/teams/schema.ts';
import { type LimitedUse, monthOf, takeUses, type Use } from './store.ts';
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

/** An amount to reserve within the limits of a team's level, at a time in milliseconds since the epoch. */
export interface Reservation extends Omit<Use, 'day'> {
  level: Level;
  at: number;
}

/**
 * Reserves an amount within the limits of the day and the month, in the transaction that stores the payment or transfer.
 * @returns the UTC day under which it is counted, to be stored with the payment or transfer; null when the team has no limits
 * @throws Problem 422 when it exceeds a limit; the transaction has to be rolled back
 */
export async function reserve(tx: Tx, wanted: Reservation): Promise<string | null> {
  const [day = null] = await reserveAll(tx, [wanted]);
  if (day instanceof Problem) throw day;
  return day;
}

/**
 * Reserves amounts in one statement. Those of a team, a direction, a currency and a month fit together or not at all.
 * @returns for each the day under which it is counted (null: no limits), or why it does not fit: 422, and the transaction has to be
 * rolled back. When several do not fit together, each may still fit alone.
 */
export async function reserveAll(tx: Tx, wanted: readonly Reservation[]): Promise<(string | null | Problem)[]> {
  const uses = wanted.map(limitedUse);
  const limited = uses.filter((use) => use !== null);
  const fitted = new Set((await takeUses(tx, limited)).map((one) => nameOf(one, one.period)));
  return uses.map((use) => {
    if (use === null) return null;
    const { direction, currency, day, daily_minor, monthly_minor } = use;
    if (!fitted.has(nameOf(use, day))) return exceeded(direction, 'day', daily_minor, currency);
    if (!fitted.has(nameOf(use, monthOf(day)))) return exceeded(direction, 'month', monthly_minor, currency);
    return day;
  });
}

function limitedUse({ level, at, ...use }: Reservation): LimitedUse | null {
  const limits = level === null ? null : transactionLimitsOf(level, use.direction, use.currency);
  if (!limits) return null;
  const { daily_minor, monthly_minor } = limits;
  return { ...use, day: new Date(at).toISOString().slice(0, 10), daily_minor, monthly_minor };
}

function nameOf({ team_id, direction, currency }: Pick<Use, 'team_id' | 'direction' | 'currency'>, period: string): string {
  return `${team_id} ${direction} ${currency} ${period}`;
}

function exceeded(direction: Direction, span: 'one' | 'day' | 'month', limit_minor: Minor, currency: string): Problem {
  const what = span === 'one' ? `one ${direction}` : `all ${direction}s of a UTC ${span}`;
  const message = `is above the team's limit of ${wireFromMinor(limit_minor)} ${currency} for ${what}`;
  return invalid({ amount: [message] }, 'ceiling_exceeded');
}
