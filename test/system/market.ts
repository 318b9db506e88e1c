import type { Clock } from '../../src/kit/clock.ts';
import type { Secrets } from '../../src/kit/crypto.ts';
import { newId } from '../../src/kit/ids.ts';
import type { Db } from '../../src/kit/sql.ts';
import { CONNECTORS } from '../../src/providers/adapters/catalogue.ts';
import { addAccount } from '../../src/providers/provider-accounts/service.ts';
import type { RuleRow } from '../../src/providers/routing/schema.ts';
import { insertRule } from '../../src/providers/routing/store.ts';
import type { Simulator } from '../../simulators/kit/simulator.ts';

/** Returns the time as CLOCK_SPEED sets it in the databases. All run on this machine. */
export function hastened(speed: number, from: number): Clock {
  return { now: () => Math.round(from + (Date.now() - from) * speed) };
}

/**
 * Adds a live account at every simulated provider.
 * @returns the ids of the accounts by provider
 */
export async function addAccounts(
  control: Db,
  secrets: Secrets,
  team_id: bigint,
  simulators: readonly Pick<Simulator, 'name' | 'credentials'>[],
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const connector of CONNECTORS) {
    const { name } = connector;
    const simulator = simulators.find((one) => one.name === name);
    if (!simulator) throw new Error(`${name} has no simulator`);
    const { credentials } = simulator;
    const account = { team_id, environment: 'live', connector, name, credentials, costs: null } as const;
    const row = await addAccount(control, secrets, account, new Date());
    if (row) ids.set(name, row.id);
  }
  return ids;
}

/** Adds the rule that gives every provider its part of the payments. */
export async function shareEvenly(control: Db, team_id: bigint): Promise<void> {
  const rule: RuleRow = {
    ...{ id: newId('rul', 'live', Date.now()), team_id, environment: 'live', priority: 1, operation: null },
    ...{ countries: [], channels: [], currencies: [], min_minor: null, max_minor: null, account_order: null },
    ...{ shares: CONNECTORS.map(({ name }) => ({ name, weight: 1 })), least_cost: false, fallback: true, created_at: new Date() },
  };
  await insertRule(control, rule);
}
