import type { Store } from '../../platform/db/stores.ts';
import type { AbuseDeps } from './deps.ts';
import { knownBy, type Person } from './known-by.ts';
import { explainRefusal, type Refusal } from './rules.ts';
import { evaluateRules, type ScreenedCharge } from './screen-store.ts';

export { type BlockRow, blocksOf, type NotedRefusal, refusalCounts, refusalsOf, type Usual, usualOf } from './store.ts';

/** Data of a charge that the rules need. */
export type Screened = Person & Pick<ScreenedCharge, 'team_id' | 'payment_id' | 'currency' | 'amount_minor' | 'prompted_by'>;

/**
 * Screens a charge for fraud, in one round trip to the database. A rejection is stored for `pirogue explain` and logged by
 * its ids.
 * @returns null when the charge is accepted and counted
 */
export async function screen(
  deps: Pick<AbuseDeps, 'clock' | 'log' | 'secrets'>,
  store: Store,
  { payer, email, customer_id, address, ...about }: Screened,
): Promise<Refusal | null> {
  const { team_id, payment_id } = about;
  const known = knownBy(deps.secrets, team_id, { payer, email, customer_id, address });
  const refusal = await evaluateRules(store.db, { ...about, ...known }, deps.clock.now());
  if (!refusal) return null;
  deps.log.info(
    { team: String(team_id), payment: payment_id, rule: refusal.rule, why: explainRefusal(refusal) },
    'a charge was rejected by the fraud rules',
  );
  return refusal;
}
