import type { Queryable } from '../../kit/sql.ts';
import { findTeam } from '../../tenants/teams/store.ts';
import { Failure } from './failure.ts';

export function noSuchTeam(id: bigint): Failure {
  return new Failure(`there is no team ${id}`, '"pirogue teams list" shows them.');
}

/**
 * Checks that a team exists. Without this, a mistyped team would look like one that has nothing.
 * @throws Failure
 */
export async function checkTeam(control: Queryable, id: bigint): Promise<void> {
  if (!(await findTeam(control, id))) throw noSuchTeam(id);
}
