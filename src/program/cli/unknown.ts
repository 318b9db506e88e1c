import type { Queryable } from '../../kit/sql.ts';
import { findTeam } from '../../tenants/teams/store.ts';
import { Failure } from './failure.ts';

/** Builds the failure for a team that does not exist. */
export function noSuchTeam(id: bigint): Failure {
  return new Failure(`there is no team ${id}`, '"pirogue teams list" shows them.');
}

/**
 * Checks that a team exists. Without this check, a mistyped team would look like a team without data.
 * @throws Failure when there is no such team
 */
export async function checkTeam(control: Queryable, id: bigint): Promise<void> {
  if (!(await findTeam(control, id))) throw noSuchTeam(id);
}
