import type { IdPrefix } from '../../kit/ids.ts';
import type { Fragment } from '../../kit/sql.ts';

/** A row with the texts that are searched, by group of fields. */
export interface Searched {
  id: string;
  texts: readonly (readonly (string | null)[])[];
}

/**
 * Rows that can be searched. Their room provides it, and the triggers on their table that record changes (migrations/store/0067 and
 * 0075).
 */
export interface Searchable {
  /** Name of the rows in the tables of the index. */
  kind: string;
  prefix: IdPrefix;
  /** Table of the texts. */
  table: string;
  /** Its column with the id of the row. */
  id: string;
  /** Columns, or SQL expressions, in which a text is searched, by group. A caller may search some groups only. */
  groups: readonly (readonly string[])[];
  /** Returns the texts to search for, as written in the index. A row with any of them matches. Absent: the search text itself. */
  indexed?(search: string): readonly string[];
}

/** Where a list reads the rows. */
export interface ListedTable {
  /** The table or subquery, with the columns `team_id` and `id`. */
  from: string;
  /** Columns with the id: one for each table of a join, so that PostgreSQL reads a range of each. */
  ids: readonly [string, ...string[]];
  /** What the list shows. */
  columns: Fragment;
}

/** Rows of one kind of one team. */
export interface Corpus {
  team_id: bigint;
  kind: string;
}

/** Characters of an id after its prefix: what the index stores. */
export const ID_LENGTH = 26;
