import { archivePayments } from '../../src/core/archive/service.ts';
import type { Tally } from '../../src/core/archive/schema.ts';
import type { Environment } from '../../src/kit/environment.ts';
import { type Db, sql } from '../../src/kit/sql.ts';
import { createLog } from '../../src/kit/log.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import type { Actor } from '../../src/tenants/audit/actor.ts';
import type { Api } from '../setup/api.ts';

export const OPERATOR: Actor = { kind: 'operator', id: 'awa', request_id: 'req_test', address: 'localhost' };

/** As the owner of the database, like the command line. */
export function openOwner(url: string): DbPool {
  return openPool({ url, size: 4, log: createLog({ level: 'silent', format: 'json' }) });
}

/** Archives all payments of a team that were last changed before a moment. */
export function archive(
  { deps }: Pick<Api, 'deps'>,
  owner: Db,
  environment: Environment,
  team: bigint,
  before = new Date(deps.clock.now()),
  dry_run = false,
): Promise<Tally> {
  const request = { team, before, dry_run, progress: () => undefined };
  return archivePayments({ clock: deps.clock }, { environment, db: owner }, request, OPERATOR);
}

/** Every column of the payments of a team and of their attempts, as the database writes them: a difference of one byte shows. */
export async function rowsOf(owner: Db, team_id: bigint): Promise<string[]> {
  const rows = await owner.all<{ row: string }>(sql`
    select p::text as row from payments p where team_id = ${team_id}
    union all select a::text from attempts a where team_id = ${team_id}
    union all select k::text from archived_attempts k where team_id = ${team_id} order by row`);
  return rows.map(({ row }) => row);
}

export async function countArchived(owner: Db, team_id: bigint): Promise<number> {
  const rows = await owner.all<{ count: number }>(sql`
    select count(*)::integer as count from payments where team_id = ${team_id} and archived is not null`);
  return rows[0]?.count ?? 0;
}
