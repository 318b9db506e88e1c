import { type Queryable, sql } from '../../kit/sql.ts';

/**
 * Returns the newest format of a kind of data that this installation permits. It is read only at the start, because a release that
 * permits a newer format replaces every process.
 */
export async function permittedFormat(control: Queryable, name: 'packing'): Promise<number> {
  const row = await control.maybe<{ permitted: number }>(sql`select permitted from formats where name = ${name}`);
  if (!row) throw new Error(`impossible: no row of formats for ${name}`);
  return row.permitted;
}
