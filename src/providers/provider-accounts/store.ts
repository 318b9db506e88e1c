import type { Environment } from '../../kit/environment.ts';
import { sealedPlace } from '../../kit/sealing.ts';
import { clause, type Fragment, fixed, type Queryable, sql } from '../../kit/sql.ts';
import type { AccountRow } from './schema.ts';

const columns = fixed('id, team_id, environment, provider, name, active, costs, created_at, updated_at');

/** An account with its encrypted credentials. */
export type SealedAccountRow = AccountRow & { credentials_sealed: string };

/** Returns the context under which an account's credentials are encrypted. */
export function credentialsPlace({ team_id, id }: Pick<AccountRow, 'team_id' | 'id'>): string {
  return sealedPlace('provider_accounts.credentials_sealed', team_id, id);
}

/**
 * Inserts an account.
 * @returns false when the team already has an account of that name in the environment
 */
export async function insertAccount(db: Queryable, row: SealedAccountRow): Promise<boolean> {
  const inserted = await db.run(sql`
    insert into provider_accounts (id, team_id, environment, provider, name, credentials_sealed, active, costs, created_at, updated_at)
    values (${row.id}, ${row.team_id}, ${row.environment}, ${row.provider}, ${row.name}, ${row.credentials_sealed}, ${row.active},
      ${row.costs && JSON.stringify(row.costs)}, ${row.created_at}, ${row.updated_at})
    on conflict (team_id, environment, name) do nothing`);
  return inserted === 1;
}

/** Returns a team's accounts in the order in which they were added, active or not. */
export function listAccounts(db: Queryable, team_id: bigint, environment: Environment): Promise<AccountRow[]> {
  return db.all<AccountRow>(sql`
    select ${columns} from provider_accounts where team_id = ${team_id} and environment = ${environment} order by created_at, id`);
}

/** Returns a team's accounts with their encrypted credentials. */
export function sealedAccounts(db: Queryable, team_id: bigint, environment: Environment): Promise<SealedAccountRow[]> {
  return db.all<SealedAccountRow>(sql`
    select ${columns}, credentials_sealed from provider_accounts where team_id = ${team_id} and environment = ${environment}
    order by created_at, id`);
}

/** Returns an account with its encrypted credentials, or undefined if there is none. */
export function findSealedAccount(db: Queryable, id: string): Promise<SealedAccountRow | undefined> {
  return db.maybe<SealedAccountRow>(sql`select ${columns}, credentials_sealed from provider_accounts where id = ${id}`);
}

/** Returns an account, or undefined if there is none. */
export function findAccount(db: Queryable, id: string): Promise<AccountRow | undefined> {
  return db.maybe<AccountRow>(sql`select ${columns} from provider_accounts where id = ${id}`);
}

/**
 * Activates or deactivates an account.
 * @returns undefined when there is no such account
 */
export function setActive(db: Queryable, id: string, active: boolean, at: Date): Promise<AccountRow | undefined> {
  return db.maybe<AccountRow>(sql`
    update provider_accounts set active = ${active}, updated_at = ${changedAt(at)} where id = ${id} returning ${columns}`);
}

/**
 * Replaces the encrypted credentials of an account.
 * @returns undefined when there is no such account
 */
export function updateCredentials(
  db: Queryable,
  id: string,
  credentials_sealed: string,
  at: Date,
): Promise<AccountRow | undefined> {
  return db.maybe<AccountRow>(sql`
    update provider_accounts set credentials_sealed = ${credentials_sealed}, updated_at = ${changedAt(at)} where id = ${id}
    returning ${columns}`);
}

/**
 * Returns the value of `updated_at` for a change. It is later than that of every earlier change, whatever the clocks: a process
 * connects an account again when it differs from the one it knows.
 */
function changedAt(at: Date): Fragment {
  return clause`greatest(${at}, updated_at + interval '1 millisecond')`;
}

/** Returns the accounts of all teams, active or not, ordered by id. */
export function accountsAfter(
  db: Queryable,
  environment: Environment,
  after: string,
  limit: number,
): Promise<Pick<AccountRow, 'team_id' | 'id' | 'active'>[]> {
  return db.all(sql`
    select team_id, id, active from provider_accounts where environment = ${environment} and id > ${after}
    order by id limit ${limit}`);
}
