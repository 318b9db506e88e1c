import type { Environment } from '../../kit/environment.ts';
import { invalid } from '../../kit/errors.ts';
import type { Minor } from '../../kit/money.ts';
import type { Offer } from '../../providers/adapters/contract.ts';
import { limitsOf } from '../../providers/reference/channels.ts';
import { MAX_TRANCHES } from '../../providers/reference/largest.ts';
import { limitsFault } from '../../providers/routing/limits.ts';
import type { Decision } from '../../providers/routing/schema.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import type { Charge } from './instrument.ts';
import { nextTranche } from './tranches.ts';

/** A charge with the accounts that are tried for it. Its tranche may be smaller than was wanted. */
export interface RoutedCharge extends Pick<Decision, 'candidates' | 'explanation'> {
  charge: Charge;
}

/**
 * Chooses the provider accounts of a charge. Where every account takes less than the channel, tranches are cut by the account that
 * takes most (docs/decisions/0105-amounts-no-account-takes.md).
 * @returns no candidates when an account that may take the amount cannot be used at the moment
 * @throws Problem 422 when no account can ever take the amount, however it is cut
 */
export async function routeCharge(
  { router }: Pick<PaymentDeps, 'router'>,
  environment: Environment,
  team_id: bigint,
  wanted: Charge,
): Promise<RoutedCharge> {
  const choose = ({ channel, currency, tranche_minor: amount_minor, left_minor: whole_minor }: Charge) =>
    router.choose({ environment, team_id, operation: 'collect', channel, currency, amount_minor, whole_minor });
  const first = await choose(wanted);
  if (first.limits.length === 0) return { ...first, charge: wanted };
  const { channel, currency, left_minor, borne_minor } = wanted;
  const rejected = { channel, currency, amount_minor: left_minor };
  const fit = (limits: readonly Offer[]): RoutedCharge => {
    if (first.is_final) throw invalid({ amount: [limitsFault(limits, rejected, borne_minor)] });
    return { ...first, charge: wanted };
  };
  const max_minor = largestTranche(wanted, first.limits);
  if (max_minor === null || left_minor > max_minor * MAX_TRANCHES) return fit(first.limits.map(inTranches(wanted)));
  const charge = { ...wanted, max_minor, tranche_minor: nextTranche(left_minor, channel, currency, max_minor) };
  const second = await choose(charge);
  return second.limits.length === 0 ? { ...second, charge } : fit(first.limits);
}

/** Returns the most that an account takes of the charge at once; null when the charge is not collected in tranches. */
function largestTranche(charge: Charge, limits: readonly Offer[]): Minor | null {
  const { left_minor, tranche_minor } = charge;
  const least_minor = leastTranche(charge);
  if (least_minor === null) return null;
  const sizes = limits.flatMap(({ max_minor, step_minor }) => {
    if (max_minor === null || max_minor < least_minor || max_minor >= tranche_minor) return [];
    return step_minor === null || left_minor % step_minor === 0n ? [max_minor] : [];
  });
  return sizes.reduce<Minor | null>((most, size) => (most === null || size > most ? size : most), null);
}

/** Returns the smallest tranche of the channel; null when it is not collected in tranches. */
function leastTranche({ channel, currency }: Charge): Minor | null {
  return channel.kind === 'mobile_money' ? (limitsOf(channel, currency)?.step_minor ?? 1n) : null;
}

/** Returns the limits of a whole amount: a wallet is charged in tranches, whose number is limited. */
function inTranches(charge: Charge): (offer: Offer) => Offer {
  const least_minor = leastTranche(charge);
  return (offer) => {
    const { max_minor } = offer;
    if (max_minor === null || least_minor === null || max_minor < least_minor) return offer;
    return { ...offer, max_minor: max_minor * MAX_TRANCHES };
  };
}
