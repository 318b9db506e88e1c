import { type Level, levelOf } from '../../money/transaction-limits/service.ts';
import type { Environment } from '../../kit/environment.ts';
import { chargeTerms } from '../../tenants/teams/service.ts';
import type { PaymentDeps } from '../payments/deps.ts';

/** Team settings that affect a charge. */
interface Terms {
  level: Level;
  /** Whether charges are screened for fraud. */
  guarded: boolean;
}

/**
 * Returns the settings for a charge whose request carries only the team's id. The sandbox has neither transaction limits nor
 * fraud rules and needs no query.
 */
export async function termsOf(
  { stores }: Pick<PaymentDeps, 'stores'>,
  environment: Environment,
  team_id: bigint,
): Promise<Terms> {
  if (environment === 'sandbox') return { level: null, guarded: false };
  const team = await chargeTerms(stores.control, team_id);
  return { level: levelOf(environment, team), guarded: team.abuse_rules };
}
