import type { Queryable } from '../src/kit/sql.ts';
import type { Environment } from '../src/kit/environment.ts';
import { newKey, storeKey } from '../src/tenants/keys/service.ts';
import type { Team } from '../src/tenants/teams/schema.ts';
import { createTeam } from '../src/tenants/teams/service.ts';
import { updateTeam } from '../src/tenants/teams/store.ts';

/** A verified team that no plan limits, and some secret keys. */
export async function makeTeam(
  control: Queryable,
  environment: Environment,
  keyCount: number,
): Promise<{ team: Team; keys: string[] }> {
  const made = await createTeam(control, { name: 'Benchmark', email: 'bench@shop.example' });
  const team: Team = { ...made, plan: 'unlimited', verification_level: 4 };
  await updateTeam(control, team);
  const keys = Array.from({ length: keyCount }, () => newKey('secret', environment));
  const options = { team_id: team.id, environment, kind: 'secret' as const, scopes: [], allowed_ips: [], expires_at: null };
  for (const key of keys) await storeKey(control, key, options, new Date());
  return { team, keys };
}
