import type { Minor } from '../../kit/money.ts';
import { type Queryable, sql, type Tx } from '../../kit/sql.ts';
import type { Threshold } from './schema.ts';

/** Returns the thresholds of a team by currency: at most one for each. */
export function listThresholds(db: Queryable, team_id: bigint): Promise<Threshold[]> {
  return db.all<Threshold>(
    sql`select currency, above_minor from approval_thresholds where team_id = ${team_id} order by currency`,
  );
}

/** Sets the threshold of a team in a currency. */
export async function setThreshold(tx: Tx, team_id: bigint, currency: string, above_minor: Minor): Promise<void> {
  await tx.run(sql`
    insert into approval_thresholds (team_id, currency, above_minor) values (${team_id}, ${currency}, ${above_minor})
    on conflict (team_id, currency) do update set above_minor = excluded.above_minor`);
}

/** Removes the threshold of a team in a currency. */
export async function removeThreshold(tx: Tx, team_id: bigint, currency: string): Promise<void> {
  await tx.run(sql`delete from approval_thresholds where team_id = ${team_id} and currency = ${currency}`);
}

/** Removes all thresholds of a team. */
export function removeThresholds(tx: Tx, team_id: bigint): Promise<number> {
  return tx.run(sql`delete from approval_thresholds where team_id = ${team_id}`);
}
