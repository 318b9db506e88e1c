/** Lists of columns in SQL, built when the program loads from one table of columns. */

/** Returns columns with their types for json_to_recordset: `id text, amount_minor bigint`. */
export function typedColumns<Name extends string>(types: Record<Name, string>, names: readonly Name[]): string {
  return names.map((name) => `${name} ${types[name]}`).join(', ');
}

/** Returns the assignments of an update from a recordset `u`: `status = u.status, reason = u.reason`. */
export function assignments(names: readonly string[]): string {
  return names.map((name) => `${name} = u.${name}`).join(', ');
}

/** Returns only the named columns of a row, to send no more to the database than needed. */
export function columnsOf<Row, Name extends keyof Row>(row: Row, names: readonly Name[]): Pick<Row, Name> {
  const columns = {} as Pick<Row, Name>;
  for (const name of names) columns[name] = row[name];
  return columns;
}
