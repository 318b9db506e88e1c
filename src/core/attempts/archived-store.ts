import { fixed } from '../../kit/sql.ts';

/*
 * Attempts of archived payments (docs/decisions/0078-archive.md). Each is a JSON list of its values in a fixed order, in the packed text
 * of its payment. These fragments are parts of the statements of src/core/payments/archived-store.ts, which owns that text.
 */

export type PackedType = 'text' | 'bigint' | 'integer' | 'smallint' | 'boolean' | 'timestamptz' | 'json' | 'bytea';

/** How a column is packed. */
export interface Packed {
  type: PackedType;
  /** SQL: the value that the text leaves out; only for a column that is never null. Texts older than the column are restored with it. */
  missing?: string;
}

/**
 * Every column of `attempts` but the key of its payment, in the order in which it is packed. Stored texts depend on this order for
 * ever: a new column is added at the end, and `missing` is its default in the database when it is never null. Values that are usually
 * missing are last, because they take no space there.
 */
export const PACKED_ATTEMPT: Readonly<Record<string, Packed>> = {
  id: { type: 'text' },
  created_at: { type: 'timestamptz' },
  submitted_at: { type: 'timestamptz' },
  closed_at: { type: 'timestamptz' },
  status: { type: 'text' },
  channel: { type: 'text' },
  amount_minor: { type: 'bigint' },
  currency: { type: 'text' },
  provider: { type: 'text' },
  provider_account: { type: 'text' },
  country: { type: 'text' },
  provider_key: { type: 'text' },
  provider_ref: { type: 'text' },
  payer_hash: { type: 'text' },
  counted_day: { type: 'text' },
  decision: { type: 'json' },
  polls: { type: 'integer', missing: '0' },
  prompted_by: { type: 'text' },
  action: { type: 'json' },
  reason: { type: 'text' },
  message: { type: 'text' },
  client_ip: { type: 'text' },
  method_id: { type: 'text' },
  remember: { type: 'boolean' },
  handle: { type: 'text' },
  payer: { type: 'text' },
  resolution: { type: 'json' },
  mismatch: { type: 'json' },
  mismatches: { type: 'smallint', missing: '0' },
  must_return: { type: 'boolean', missing: 'false' },
  giveback: { type: 'boolean', missing: 'false' },
  next_poll_at: { type: 'timestamptz' },
  unanswered_step_at: { type: 'timestamptz' },
};

/**
 * Returns SQL that makes a JSON list of columns. JSON is taken as it is stored, and a time in the milliseconds that PostgreSQL keeps.
 * @param row alias of the table
 */
export function packedList(row: string, columns: Readonly<Record<string, Packed>>): string {
  const values = Object.entries(columns).map(([name, one]) => `coalesce(${packedValue(`${row}.${name}`, one)}, 'null')`);
  return `'[' || regexp_replace(concat_ws(',', ${values.join(', ')}), '(,null)+$', '') || ']'`;
}

function packedValue(column: string, { type, missing }: Packed): string {
  const value = missing === undefined ? column : `nullif(${column}, ${missing})`;
  switch (type) {
    case 'json':
      return `${value}::text`;
    case 'bytea':
      return `to_json(encode(${value}, 'hex'))::text`;
    case 'timestamptz':
      return `to_json(to_char(${value} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text`;
    default:
      return `to_json(${value})::text`;
  }
}

/** Returns SQL that reads the columns from such a list again. */
export function restoredColumns(list: string, columns: Readonly<Record<string, Packed>>): string {
  return Object.entries(columns)
    .map(([name, one], place) => `${restoredValue(list, place, one)} as ${name}`)
    .join(', ');
}

function restoredValue(list: string, place: number, { type, missing }: Packed): string {
  if (type === 'json') return `nullif((${list} -> ${place})::text, 'null')::json`;
  const value = type === 'bytea' ? `decode(${list} ->> ${place}, 'hex')` : `(${list} ->> ${place})::${type}`;
  return missing === undefined ? value : `coalesce(${value}, ${missing})`;
}

const NAMES = Object.keys(PACKED_ATTEMPT).join(', ');

/** SQL: the attempts of the payment `p` as a JSON text, oldest first. */
export const PACK_ATTEMPTS = fixed(`(
  select '[' || coalesce(string_agg(${packedList('a', PACKED_ATTEMPT)}, ',' order by a.id), '') || ']'
  from attempts a where a.team_id = p.team_id and a.payment_id = p.id)`);

/** Returns SQL that selects the attempts in the JSON lists of rows (team_id, id of the payment, attempts). */
function restoredFrom(rows: string): string {
  return `
    select d.team_id, d.id as payment_id, ${restoredColumns('a.value', PACKED_ATTEMPT)}
    from ${rows} d cross join lateral json_array_elements(d.attempts) a`;
}

/** SQL: the attempts in the CTE `packed` (team_id, id of the payment, attempts), with the columns of the table. */
export const RESTORED_ATTEMPTS = fixed(`(${restoredFrom('packed')})`);

/**
 * SQL: whether the attempts of the row `own` of the CTE `packed` are in the table exactly as its text restores them. Rows are compared as
 * text with all columns of the table, so a column that this release does not pack would differ.
 */
export const ATTEMPTS_RESTORED = fixed(`(
  select array_agg(a::text order by a.id) from attempts a where a.team_id = own.team_id and a.payment_id = own.id
) is not distinct from (
  select array_agg(json_populate_record(null::attempts, row_to_json(r))::text order by r.id)
  from (${restoredFrom('(select own.team_id, own.id, own.attempts)')}) r)`);

/** SQL: CTEs that insert the attempts of the CTE `packed` and remove their keys. */
export const RESTORE_ATTEMPTS = fixed(`
  restored as (
    insert into attempts (team_id, payment_id, ${NAMES}) ${restoredFrom('packed')}
    returning team_id, payment_id, id, provider_key
  ),
  forgotten as (
    delete from archived_attempts k
    using (
      select r.team_id, r.payment_id, v.key from restored r
        cross join lateral (values (pirogue_archive_key(r.id)), (pirogue_archive_key(r.provider_key))) v(key)
    ) r
    where k.team_id = r.team_id and k.key = r.key and k.payment_id = r.payment_id
  )`);

/**
 * SQL: CTEs that delete the attempts of the payments of the CTE `fit` (team_id, id) and keep the keys by which they are found. `keys` has
 * them in order; the row of the payment holds the first of its keys, because most have no other.
 */
export const ARCHIVE_ATTEMPTS = fixed(`
  removed as (
    delete from attempts a using fit where a.team_id = fit.team_id and a.payment_id = fit.id
    returning a.team_id, a.payment_id, a.id, a.provider_key
  ),
  keys as materialized (
    select team_id, payment_id, key, row_number() over (partition by team_id, payment_id order by key) as n
    from removed cross join lateral (values (pirogue_archive_key(id)), (pirogue_archive_key(provider_key))) v(key)
    group by team_id, payment_id, key
  ),
  keyed as (
    insert into archived_attempts (team_id, key, payment_id) select team_id, key, payment_id from keys where n > 1
    returning payment_id
  )`);
