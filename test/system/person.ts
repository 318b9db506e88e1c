import { WORKER } from '../../src/tenants/audit/actor.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { Problem } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { paymentListeners } from '../../src/program/listeners.ts';
import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import type { World } from './world.ts';

/** What was sent longer ago than this has arrived or never will. */
const SETTLED_MS = 600_000;

/**
 * What the shop's own people do, by the provider's statement: M-Pesa cannot be asked about a prompt whose answer was lost and
 * whose callback never came. Nothing else is ever decided by hand here.
 * @returns how many were decided
 */
export async function decideByStatement({
  live,
  simulators,
  clock,
  team_id,
}: Pick<World, 'live' | 'simulators' | 'clock' | 'team_id'>): Promise<number> {
  const lost = await live.all<{ id: string; provider_key: string }>(sql`
    select id, provider_key from attempts
    where provider = 'mpesa-daraja' and status = 'unknown' and provider_ref is null
      and created_at < ${new Date(clock.now() - SETTLED_MS)}`);
  const statement = simulators.find(({ name }) => name === 'mpesa-daraja')?.book.entries() ?? [];
  const deps = {
    clock,
    config: { ...readConfig({}), retention_ms: { mobile_money: 0, bank: 0, card: 0 } },
    listeners: paymentListeners(null),
  };
  let decided = 0;
  for (const { id, provider_key } of lost) {
    const moved = statement.some((entry) => entry.key === provider_key && entry.moved);
    const verdict = { as: moved ? 'succeeded' : 'failed', evidence: 'statement of M-Pesa', author: 'awa' } as const;
    try {
      await resolveAttempt(deps, { environment: 'live', db: live }, { team_id, id }, verdict, WORKER);
      decided += 1;
    } catch (error) {
      // A worker may have changed the attempt at the same moment. The next look decides about it again.
      if (!(error instanceof Problem)) throw error;
    }
  }
  return decided;
}
