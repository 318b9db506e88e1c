import { type Ids, rowsOf, rowsOfPage, rowsToCount } from '../../kit/pages.ts';
import type { Position } from '../../kit/paging.ts';
import { fixed, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import type { AccountRow } from './schema.ts';

const columns = fixed(`team_id, id, name, email, phone, business_profile, split, settlement, metadata, active, verification,
  event_count, created_at, updated_at`);

export interface AccountRef {
  team_id: bigint;
  id: string;
}

/** Inserts an account. */
export async function insertAccount(tx: Tx, row: AccountRow): Promise<void> {
  await tx.run(sql`
    insert into accounts (team_id, id, name, email, phone, business_profile, split, settlement, metadata, active, verification,
      event_count, created_at, updated_at)
    values (${row.team_id}, ${row.id}, ${row.name}, ${row.email}, ${row.phone}, ${json(row.business_profile)}, ${json(row.split)},
      ${json(row.settlement)}, ${json(row.metadata)}, ${row.active}, ${row.verification}, ${row.event_count}, ${row.created_at},
      ${row.updated_at})`);
}

/** Returns an account; undefined when the team has no such account. */
export function findAccount(db: Queryable, ref: AccountRef): Promise<AccountRow | undefined> {
  return db.maybe<AccountRow>(sql`select ${columns} from accounts where team_id = ${ref.team_id} and id = ${ref.id}`);
}

/**
 * Returns the account, which nobody changes until the transaction ends. Not `for share`: one transaction after another could then keep
 * whoever changes it waiting.
 */
export function holdAccount(tx: Tx, ref: AccountRef): Promise<AccountRow | undefined> {
  return tx.maybe<AccountRow>(
    sql`select ${columns} from accounts where team_id = ${ref.team_id} and id = ${ref.id} for no key update`,
  );
}

/** Returns the account, locked until the transaction ends. */
export function lockAccount(tx: Tx, ref: AccountRef): Promise<AccountRow | undefined> {
  return tx.maybe<AccountRow>(sql`select ${columns} from accounts where team_id = ${ref.team_id} and id = ${ref.id} for update`);
}

/** Writes every column that can change. */
export async function updateAccount(tx: Tx, row: AccountRow): Promise<void> {
  await tx.run(sql`
    update accounts set name = ${row.name}, email = ${row.email}, phone = ${row.phone}, business_profile = ${json(row.business_profile)},
      split = ${json(row.split)}, settlement = ${json(row.settlement)}, metadata = ${json(row.metadata)}, active = ${row.active},
      verification = ${row.verification}, event_count = ${row.event_count}, updated_at = ${row.updated_at}
    where team_id = ${row.team_id} and id = ${row.id}`);
}

/** Returns one page, in the order of the list. */
export function listAccounts(db: Queryable, team_id: bigint, position: Position): Promise<AccountRow[]> {
  return db.all<AccountRow>(sql`select ${columns} from accounts where ${rowsOfPage(rowsOf(team_id), position)}`);
}

/** Counts the accounts of a team in a range of ids. */
export async function countAccounts(db: Queryable, team_id: bigint, ids: Ids): Promise<number> {
  const row = await db.maybe<{ total: bigint }>(sql`
    select count(*) as total from (select id from accounts where ${rowsToCount(rowsOf(team_id), ids)}) counted`);
  return Number(row?.total ?? 0n);
}

function json(value: object | null): string | null {
  return value && JSON.stringify(value);
}
