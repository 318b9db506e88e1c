import { type Level, levelOf } from '../ceilings/service.ts';
import type { Deps } from '../deps.ts';
import type { Environment } from '../kit/environment.ts';
import { chargeTerms } from '../teams/service.ts';

/** What of its team a charge depends on. */
interface Terms {
  level: Level;
  /** Whether charges are held against the rules against abuse. */
  guarded: boolean;
}

/** Of a payer's charge, which knows the team by its number only. The sandbox has neither ceilings nor rules, and asks nobody. */
export async function termsOf({ stores }: Pick<Deps, 'stores'>, environment: Environment, team_id: bigint): Promise<Terms> {
  if (environment === 'sandbox') return { level: null, guarded: false };
  const team = await chargeTerms(stores.control, team_id);
  return { level: levelOf(environment, team), guarded: team.abuse_rules };
}
