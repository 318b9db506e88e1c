import type { Environment } from '../kit/environment.ts';
import { invalid, Problem } from '../kit/errors.ts';
import { type Minor, wireFromMinor } from '../kit/money.ts';
import type { Tx } from '../kit/sql.ts';
import type { Team } from '../teams/schema.ts';
import { takeUse, type Use } from './store.ts';
import { ceilingsOf, type Direction } from './table.ts';

export { changeUses, type Use } from './store.ts';

/** The verification level that limits what a team moves; null in the sandbox, which has no ceilings. */
export type Level = number | null;

export function levelOf(environment: Environment, team: Pick<Team, 'verification_level'>): Level {
  return environment === 'live' ? team.verification_level : null;
}

/** @throws Problem 402 for a team that is not verified */
export function checkVerified(level: Level): void {
  if (level === 0) throw notVerified();
}

/** Why a payment can not be made, before anything of it is charged: 402 not verified, 422 above the ceiling of one. */
export function objectionToPayment(level: Level, currency: string, amount_minor: Minor): Problem | null {
  return level === 0 ? notVerified() : objectionToOne(level, 'payment', currency, amount_minor);
}

/** Why a transfer can not be made, whatever else was moved today: 422. */
export function objectionToTransfer(level: Level, currency: string, amount_minor: Minor): Problem | null {
  if (level !== 0) return objectionToOne(level, 'transfer', currency, amount_minor);
  return invalid({ amount: ['the team is not verified: live payouts are not open to it yet'] }, 'merchant_not_verified');
}

function notVerified(): Problem {
  return new Problem(402, 'The team is not verified: live payments are not open to it yet.', {
    error_code: 'merchant_not_verified',
    payer_message: 'This merchant can not take payments yet. No money was taken.',
  });
}

function objectionToOne(level: Level, direction: Direction, currency: string, amount_minor: Minor): Problem | null {
  const ceilings = level === null ? null : ceilingsOf(level, direction, currency);
  if (!ceilings || amount_minor <= ceilings.per_transaction_minor) return null;
  return exceeded(direction, 'one', ceilings.per_transaction_minor, currency);
}

/**
 * Counts what is about to be moved under today's and this month's ceilings, in the transaction that stores the intent.
 * @returns the day it is counted under, to be kept beside the intent; null when the team has no ceilings
 * @throws Problem 422 when it does not fit: the transaction has to be rolled back
 */
export async function reserve(tx: Tx, level: Level, wanted: Omit<Use, 'day'>, at: number): Promise<string | null> {
  const { direction, currency } = wanted;
  const ceilings = level === null ? null : ceilingsOf(level, direction, currency);
  if (!ceilings) return null;
  const day = new Date(at).toISOString().slice(0, 10);
  const fitted = await takeUse(tx, { ...wanted, day }, ceilings);
  if (!fitted.includes(day)) throw exceeded(direction, 'day', ceilings.daily_minor, currency);
  if (fitted.length < 2) throw exceeded(direction, 'month', ceilings.monthly_minor, currency);
  return day;
}

function exceeded(direction: Direction, span: 'one' | 'day' | 'month', ceiling_minor: Minor, currency: string): Problem {
  const what = span === 'one' ? `one ${direction}` : `all ${direction}s of a UTC ${span}`;
  const message = `is above the team's ceiling of ${wireFromMinor(ceiling_minor)} ${currency} for ${what}`;
  return invalid({ amount: [message] }, 'ceiling_exceeded');
}
