import type { CustomerRef } from '../../core/customers/store.ts';
import { jsonText } from '../../kit/json.ts';
import { type Fragment, fixed, identifier, listOf, part, sql, type Tx } from '../../kit/sql.ts';
import type { Owned } from './catalogue.ts';

/*
 * SQL made from the lists of personal data (kit/personal.ts). By listing a table, a room permits the erasure to write the columns with a
 * rule; no other column is written here. Identifiers come from the lists and are checked; values are parameters.
 */

/** A row with its ids and the columns that an erasure changes. */
export interface PersonalRow {
  team_id: bigint;
  id: string;
  [column: string]: unknown;
}

/** Columns of a table that an erasure writes. */
export function writtenIn({ erased }: Owned): string[] {
  return erased.flatMap(([column, rule]) => {
    if (rule.becomes === 'hash') return [column, rule.into];
    return rule.becomes === 'redacted' && rule.clears ? [column, rule.clears] : [column];
  });
}

function selected(table: Owned) {
  return listOf(['team_id', 'id', ...writtenIn(table)].map(identifier));
}

/** Returns the customer's next rows, locked until the transaction ends, in the order in which all code locks them. */
export function lockRows(tx: Tx, table: Owned, customer: CustomerRef, after: string, limit: number): Promise<PersonalRow[]> {
  return tx.all<PersonalRow>(sql`
    select ${selected(table)} from ${identifier(table.name)}
    where team_id = ${customer.team_id} and ${identifier(table.by)} = ${customer.id} and id > ${after}
    order by id limit ${limit} for update`);
}

/** Returns the rows that depend on rows which the caller has locked. */
export function rowsBelow(tx: Tx, table: Owned, team_id: bigint, ids: readonly string[]): Promise<PersonalRow[]> {
  return tx.all<PersonalRow>(sql`
    select ${selected(table)} from ${identifier(table.name)}
    where team_id = ${team_id} and ${identifier(table.by)} = any(${[...ids]})`);
}

/** Writes these columns of the rows, and no others. */
export async function writeRows(tx: Tx, table: string, columns: readonly string[], rows: readonly PersonalRow[]): Promise<void> {
  if (rows.length === 0) return;
  const set = listOf(columns.map(identifier).map((column) => part`${column} = u.${column}`));
  await tx.run(sql`
    update ${identifier(table)} t set ${set}
    from json_populate_recordset(null::${identifier(table)}, ${jsonText(rows)}::json) u
    where t.team_id = u.team_id and t.id = u.id`);
}

/** Deletes the customer's rows. */
export async function deleteRows(tx: Tx, table: Owned, { team_id, id }: CustomerRef): Promise<void> {
  await tx.run(sql`delete from ${identifier(table.name)} where team_id = ${team_id} and ${identifier(table.by)} = ${id}`);
}

/** Deletes the rows about resources or events. */
export async function deleteAbout(tx: Tx, table: Owned, team_id: bigint, ids: readonly string[]): Promise<void> {
  await tx.run(
    sql`delete from ${identifier(table.name)} where team_id = ${team_id} and ${identifier(table.by)} = any(${[...ids]})`,
  );
}

/**
 * Sets text or binary columns of the rows about resources or events to null. Rows without any value are skipped: the condition is that
 * of the partial indexes that find the others.
 */
export async function clearAbout(tx: Tx, table: Owned, team_id: bigint, ids: readonly string[]): Promise<void> {
  for (const [name, rule] of table.erased) {
    const kept = rule.becomes === 'null' && rule.except ? otherThan(rule.except) : fixed("<> ''");
    await tx.run(sql`
      update ${identifier(table.name)} set ${identifier(name)} = null
      where team_id = ${team_id} and ${identifier(table.by)} = any(${[...ids]}) and ${identifier(name)} ${kept}`);
  }
}

/** Returns a condition with literal values from the code. With parameters, it would not match the condition of an index. */
function otherThan(values: readonly string[]): Fragment {
  return fixed(`not in (${['', ...values].map((value) => `'${value.replaceAll("'", "''")}'`).join(', ')})`);
}
