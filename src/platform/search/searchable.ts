import type { IdPrefix } from '../../kit/ids.ts';
import type { Queryable } from '../../kit/sql.ts';

/** A row with the texts that are searched, by group of fields. */
export interface Searched {
  id: string;
  texts: readonly (readonly (string | null)[])[];
}

/** Rows that can be searched. Their room provides it, and triggers on their table that record changes (migrations/store/0067). */
export interface Searchable {
  /** Name of the rows in the tables of the index. */
  kind: string;
  prefix: IdPrefix;
  /** Returns the next rows with ids after `after` (null: from the first) up to and including `to`, in the order of ids. */
  read(db: Queryable, team_id: bigint, after: string | null, to: string, limit: number): Promise<Searched[]>;
  /** Returns the id of the n-th row after `after`; null when there are fewer. */
  nth(db: Queryable, team_id: bigint, after: string | null, n: number): Promise<string | null>;
}

/** Rows of one kind of one team. */
export interface Corpus {
  team_id: bigint;
  kind: string;
}

/** Characters of an id after its prefix: what the index stores. */
export const ID_LENGTH = 26;
