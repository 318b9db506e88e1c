import { type Conditions, conditionsOf, containing } from '../../kit/list-filters.ts';
import { rowsOf, rowsOfPage, rowsToCount } from '../../kit/pages.ts';
import type { Position } from '../../kit/paging.ts';
import { type Fragment, fixed, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { ListSearcher } from '../../platform/search/list.ts';
import type { Searchable } from '../../platform/search/searchable.ts';
import type { BeneficiaryRow } from './schema.ts';

const SEARCHED = ['id', 'reference', 'name', 'email', 'phone', 'account_number'];

/** Beneficiaries for the search index. */
export const SEARCHABLE_BENEFICIARIES: Searchable = {
  ...{ kind: 'beneficiaries', prefix: 'ben', table: 'beneficiaries', id: 'id' },
  groups: [SEARCHED],
};

const columns = fixed(`team_id, id, name, channel, type, country, currency, account_number, phone, email, bank_code, description,
  reference, metadata, event_count, created_at, updated_at`);

export interface BeneficiaryRef {
  team_id: bigint;
  id: string;
}

/** Inserts a beneficiary. */
export async function insertBeneficiary(tx: Tx, row: BeneficiaryRow): Promise<void> {
  await tx.run(sql`
    insert into beneficiaries (team_id, id, name, channel, type, country, currency, account_number, phone, email, bank_code,
      description, reference, metadata, event_count, created_at, updated_at)
    values (${row.team_id}, ${row.id}, ${row.name}, ${row.channel}, ${row.type}, ${row.country}, ${row.currency},
      ${row.account_number}, ${row.phone}, ${row.email}, ${row.bank_code}, ${row.description}, ${row.reference},
      ${row.metadata && JSON.stringify(row.metadata)}, ${row.event_count}, ${row.created_at}, ${row.updated_at})`);
}

/** Returns a beneficiary; undefined when the team has no such beneficiary. */
export function findBeneficiary(db: Queryable, ref: BeneficiaryRef): Promise<BeneficiaryRow | undefined> {
  return db.maybe<BeneficiaryRow>(sql`select ${columns} from beneficiaries where team_id = ${ref.team_id} and id = ${ref.id}`);
}

/** Returns a beneficiary, which nobody changes or deletes until the transaction ends (as core/accounts/store.ts holds an account). */
export function holdBeneficiary(tx: Tx, ref: BeneficiaryRef): Promise<BeneficiaryRow | undefined> {
  return tx.maybe<BeneficiaryRow>(sql`
    select ${columns} from beneficiaries where team_id = ${ref.team_id} and id = ${ref.id} for no key update`);
}

/** Returns the beneficiaries of a team that have one of these ids. */
export function findBeneficiaries(db: Queryable, team_id: bigint, ids: readonly string[]): Promise<BeneficiaryRow[]> {
  return db.all<BeneficiaryRow>(sql`
    select ${columns} from beneficiaries where team_id = ${team_id} and id = any(${ids}::text[])`);
}

/** Returns the beneficiary, locked until the transaction ends. */
export function lockBeneficiary(tx: Tx, ref: BeneficiaryRef): Promise<BeneficiaryRow | undefined> {
  return tx.maybe<BeneficiaryRow>(sql`
    select ${columns} from beneficiaries where team_id = ${ref.team_id} and id = ${ref.id} for update`);
}

/** Writes every column that can change. */
export async function updateBeneficiary(tx: Tx, row: BeneficiaryRow): Promise<void> {
  await tx.run(sql`
    update beneficiaries set name = ${row.name}, account_number = ${row.account_number}, phone = ${row.phone}, email = ${row.email},
      bank_code = ${row.bank_code}, description = ${row.description}, reference = ${row.reference},
      metadata = ${row.metadata && JSON.stringify(row.metadata)}, event_count = ${row.event_count}, updated_at = ${row.updated_at}
    where team_id = ${row.team_id} and id = ${row.id}`);
}

/** Deletes a beneficiary. Has no effect when there is none. */
export async function deleteBeneficiary(tx: Tx, ref: BeneficiaryRef): Promise<void> {
  await tx.run(sql`delete from beneficiaries where team_id = ${ref.team_id} and id = ${ref.id}`);
}

type Filters = { search?: string | undefined };

const CONDITIONS: Conditions<Filters> = { search: containing(SEARCHED) };

/** Returns the conditions of a list besides its team. */
export function beneficiaryConditions(query: Filters): Fragment[] {
  return conditionsOf(query, CONDITIONS);
}

/** Returns the searcher of lists of beneficiaries. */
export function beneficiarySearcher(): ListSearcher<BeneficiaryRow> {
  return new ListSearcher(SEARCHABLE_BENEFICIARIES, { from: 'beneficiaries', ids: ['id'], columns });
}

/** Returns one page, in the order of the list. */
export function listBeneficiaries(db: Queryable, team_id: bigint, query: Filters, position: Position): Promise<BeneficiaryRow[]> {
  const page = rowsOfPage(rowsOf(team_id, beneficiaryConditions(query)), position);
  return db.all<BeneficiaryRow>(sql`select ${columns} from beneficiaries where ${page}`);
}

/** Counts the beneficiaries that match the filters. */
export async function countBeneficiaries(db: Queryable, team_id: bigint, query: Filters): Promise<number> {
  const counted = rowsToCount(rowsOf(team_id, beneficiaryConditions(query)));
  const row = await db.maybe<{ total: bigint }>(sql`
    select count(*) as total from (select id from beneficiaries where ${counted}) counted`);
  return Number(row?.total ?? 0n);
}
