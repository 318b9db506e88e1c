import { type Minor, wireFromMinor } from '../../kit/money.ts';
import type { Offer } from '../adapters/contract.ts';
import { atLeast, atMost, stepFault } from '../reference/channels.ts';
import type { RouteRequest } from './schema.ts';

type Bounds = Pick<Offer, 'min_minor' | 'max_minor' | 'step_minor'>;

/** An amount that no account accepts. */
type Rejected = Pick<RouteRequest, 'channel' | 'currency' | 'amount_minor'>;

/**
 * Returns why no account of the team can ever accept an amount, as the message under `errors.amount`.
 * @param limits of the accounts that offer the channel; at least one, and each excludes the amount
 * @param borne_minor the fee within the amount that the payer bears; null when there is none
 */
export function limitsFault(limits: readonly Bounds[], rejected: Rejected, borne_minor: Minor | null = null): string {
  const { currency, amount_minor } = rejected;
  const fault = withFee(boundOf(limits, rejected), currency, borne_minor);
  const instead = borne_minor === null ? 'use another amount or channel' : 'use another amount or channel, or bearer merchant';
  return `${fault}: no provider account takes ${wireFromMinor(amount_minor)} ${currency}; ${instead}`;
}

/** Returns the message with the fee that is part of the rejected total, because the caller did not send it. Without a fee: unchanged. */
export function withFee(fault: string, currency: string, borne_minor: Minor | null): string {
  return borne_minor === null ? fault : `${fault} with the fee of ${wireFromMinor(borne_minor)} ${currency} that the payer bears`;
}

/** Returns the message about the limit closest to the amount: the widest of all accounts, or a step where minimum and maximum fit. */
function boundOf(limits: readonly Bounds[], { channel, currency, amount_minor }: Rejected): string {
  const large = limits.filter(({ min_minor }) => min_minor === null || amount_minor >= min_minor);
  if (large.length === 0) return atLeast(channel.id, currency, lowest(limits.map(({ min_minor }) => min_minor ?? 0n)));
  const fitting = large.filter(({ max_minor }) => max_minor === null || amount_minor <= max_minor);
  const steps = fitting.flatMap(({ step_minor }) => step_minor ?? []);
  return steps.length > 0
    ? stepFault(channel.id, currency, lowest(steps))
    : atMost(channel.id, currency, highest(large.map(({ max_minor }) => max_minor ?? 0n)));
}

function lowest(amounts: readonly Minor[]): Minor {
  return amounts.reduce((least, amount) => (amount < least ? amount : least));
}

function highest(amounts: readonly Minor[]): Minor {
  return amounts.reduce((most, amount) => (amount > most ? amount : most));
}
