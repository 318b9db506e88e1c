import { must } from '../../kit/errors.ts';
import { clause, type Fragment, fixed, PLANNED_EACH_TIME, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import {
  ARCHIVE_ATTEMPTS,
  ATTEMPTS_RESTORED,
  PACK_ATTEMPTS,
  PACKED_ATTEMPT,
  type Packed,
  packedList,
  RESTORE_ATTEMPTS,
  RESTORED_ATTEMPTS,
  restoredColumns,
} from '../attempts/archived-store.ts';
import type { AttemptRow } from '../attempts/schema.ts';
import { ATTEMPT_COLUMNS } from '../attempts/store.ts';
import { unpackArchived } from './archived-text.ts';
import type { PaymentRow } from './schema.ts';

/*
 * Payments in compressed storage (docs/decisions/0078-archive.md): `archived` holds the attempts and the columns below, as the packed text
 * `[1,[columns],[[attempt],…]]`. All other columns of the payment stay where they are. Locking a payment to change it restores it
 * (store.ts, `lockPayments`). Reading it returns the same values from the text.
 */

/**
 * The columns of `payments` that are packed: only a retrieval shows them, and no list, filter, search, seal or comparison reads them.
 * Stored texts depend on this order for ever; every one may be null.
 */
export const PACKED_PAYMENT = {
  callback: { type: 'text' },
  payment_method: { type: 'text' },
  details: { type: 'json' },
  message: { type: 'text' },
  split: { type: 'json' },
  claim: { type: 'bytea' },
} as const satisfies Record<string, Packed>;

type PackedColumn = keyof typeof PACKED_PAYMENT;

const NAMES = Object.keys(PACKED_PAYMENT) as PackedColumn[];
const names = fixed(NAMES.join(', '));
const restored = fixed(restoredColumns('own', PACKED_PAYMENT));

/** SQL: the text that holds the payment `p`, before it is packed. */
export const ARCHIVE_TEXT = clause`'[1,' || ${fixed(packedList('p', PACKED_PAYMENT))} || ',' || ${PACK_ATTEMPTS} || ']'`;

/** A payment's row as it is stored. */
export type Stored<Row> = Row & { archived?: Buffer | null };

type ArchivedRow = Pick<PaymentRow, 'team_id' | 'id'> & { archived: Buffer };

/** Whether a part of the payment is in compressed storage. */
export function isArchived<Row>(row: Stored<Row>): row is Stored<Row> & { archived: Buffer } {
  return Boolean(row.archived);
}

/** A payment with the text that holds what was archived of it. */
export interface ArchivedText {
  team_id: bigint;
  id: string;
  text: string;
}

function textOf({ team_id, id, archived }: ArchivedRow): ArchivedText {
  return { team_id, id, text: unpackArchived(archived) };
}

/** SQL: the CTE `packed` of these texts (team_id, id, own: list of the payment's columns, attempts: list of lists). */
export function packedOf(texts: readonly ArchivedText[]): Fragment {
  return clause`packed as materialized (
    select team_id, id, doc -> 1 as own, doc -> 2 as attempts from (
      select g.team_id, g.id, g.text::json as doc from unnest(${texts.map(({ team_id }) => team_id)}::bigint[],
        ${texts.map(({ id }) => id)}::text[], ${texts.map(({ text }) => text)}::text[]) g (team_id, id, text)) docs)`;
}

// -------------------------------------------------------------------------------------------------- read
/** The columns that were archived of a payment, with its attempts where they are asked for. */
type Archived = Pick<PaymentRow, 'team_id' | 'id' | PackedColumn> & { attempts?: object[] };

/**
 * Returns payments with the archived columns as their rows held them. Payments that are not archived are returned as they are.
 * @param view SQL: a JSON object of the attempt `a`, for rows with `attempts`
 */
export async function withArchived<Row extends Pick<PaymentRow, 'team_id' | 'id'>>(
  db: Queryable,
  rows: readonly Stored<Row>[],
  view?: Fragment,
): Promise<Row[]> {
  const archived = rows.filter(isArchived);
  if (archived.length === 0) return [...rows];
  const attempts = view
    ? clause`, coalesce((
      select json_agg(${view} order by a.id) from restored a where a.team_id = p.team_id and a.payment_id = p.id), '[]') as attempts`
    : clause``;
  const found = await db.all<Archived>(sql`
    with ${packedOf(archived.map(textOf))}, restored as materialized ${RESTORED_ATTEMPTS}
    select team_id, id, ${restored}${attempts} from packed p`);
  const byKey = new Map(found.map((one) => [keyOf(one), one]));
  return rows.map((row) => {
    const one = isArchived(row) ? must(byKey.get(keyOf(row)), 'each has a text') : undefined;
    return one ? { ...row, ...one, archived: null } : row;
  });
}

function keyOf({ team_id, id }: Pick<PaymentRow, 'team_id' | 'id'>): string {
  return `${team_id} ${id}`;
}

/** Returns the attempts of an archived payment, oldest first. */
export function archivedAttempts(db: Queryable, row: ArchivedRow): Promise<AttemptRow[]> {
  return db.all<AttemptRow>(sql`
    with ${packedOf([textOf(row)])}, restored as materialized ${RESTORED_ATTEMPTS}
    select ${ATTEMPT_COLUMNS} from restored order by id`);
}

/** Returns the texts of the archived payments of a team with ids above `after`, up to and including `to`. */
export async function archivedWithin(
  db: Queryable,
  { team_id, after, to }: { team_id: bigint; after: string; to: string },
): Promise<ArchivedText[]> {
  const rows = await db.all<ArchivedRow>(sql`
    select team_id, id, archived from payments
    where team_id = ${team_id} and id > ${after} and id <= ${to} and archived is not null order by id${PLANNED_EACH_TIME}`);
  return rows.map(textOf);
}

/** Returns the next payments of a customer. */
export function paymentsOfCustomer(
  db: Queryable,
  customer: { team_id: bigint; id: string },
  after: string,
  limit: number,
): Promise<{ team_id: bigint; id: string }[]> {
  return db.all(sql`
    select team_id, id from payments
    where team_id = ${customer.team_id} and customer_id = ${customer.id} and id > ${after}
    order by id limit ${limit}`);
}

/** Returns the archived payments that may have the attempt of this id or provider key. */
export function findArchived(db: Queryable, team_id: bigint, key: string): Promise<{ team_id: bigint; id: string }[]> {
  return db.all(sql`
    select team_id, id from payments where team_id = ${team_id} and archived_key = pirogue_archive_key(${key})
    union select team_id, payment_id from archived_attempts where team_id = ${team_id} and key = pirogue_archive_key(${key})
    order by id`);
}

/** Whether a team has archived attempts. */
export async function hasArchived(db: Queryable, team_id: bigint): Promise<boolean> {
  const row = await db.maybe(sql`select 1 from payments where team_id = ${team_id} and archived_key is not null limit 1`);
  return row !== undefined;
}

// ----------------------------------------------------------------------------------------------- restore
/**
 * Restores those of locked payments that are archived: their columns, their attempts and nothing else, in the caller's transaction.
 * @returns all payments as they are then, in the same order
 * @throws Error for one that a later release archived with more columns: they would be lost
 */
export async function restoreLocked<Row extends Pick<PaymentRow, 'team_id' | 'id'>>(
  tx: Tx,
  rows: readonly Stored<Row>[],
): Promise<Stored<Row>[]> {
  const archived = rows.filter(isArchived);
  if (archived.length === 0) return [...rows];
  const texts = archived.map(textOf);
  texts.forEach(refuseLater);
  const written = await tx.all<Pick<PaymentRow, 'team_id' | 'id' | PackedColumn>>(sql`
    with ${packedOf(texts)}, ${RESTORE_ATTEMPTS}
    update payments t set archived = null, archived_key = null, (${names}) = (select ${restored} from (select p.own) one)
    from packed p where t.team_id = p.team_id and t.id = p.id
    returning t.team_id, t.id, ${fixed(NAMES.map((name) => `t.${name}`).join(', '))}`);
  const byKey = new Map(written.map((one) => [keyOf(one), one]));
  return rows.map((row) => {
    const one = byKey.get(keyOf(row));
    return one ? { ...row, ...one, archived: null } : row;
  });
}

/** @throws Error for a text with more values than this release packs */
function refuseLater({ id, text }: ArchivedText): void {
  const [, own, attempts] = JSON.parse(text) as [number, unknown[], unknown[][]];
  const known = Object.keys(PACKED_ATTEMPT).length;
  if (own.length <= NAMES.length && attempts.every((values) => values.length <= known)) return;
  throw new Error(
    `payment ${id} was archived by a later release, with columns that this one would lose: change it by that release`,
  );
}

// ----------------------------------------------------------------------------------------------- archive
/** Waits until no transaction needs the payments of a team unarchived, see {@link withholdArchiving}. */
export async function beginArchiving(tx: Tx, team_id: bigint): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('archive', ${team_id}))`);
}

/** Prevents payments of a team from being archived before the transaction ends. For statements that read attempts in their table. */
export async function withholdArchiving(tx: Tx, team_id: bigint): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock_shared(hashtextextended('archive', ${team_id}))`);
}

/** A text with its packed form. */
export interface PackedText extends ArchivedText {
  body: Buffer;
}

/**
 * Moves locked payments to their packed form: those whose rows are exactly what their text restores. Attempts are compared as text, so
 * even a column that this release does not pack would differ.
 * @returns ids of the payments that were archived, with the bytes of their rows before and after
 */
export function archiveLocked(
  tx: Tx,
  texts: readonly PackedText[],
): Promise<{ id: string; bytes_before: number; bytes_after: number }[]> {
  return tx.all(sql`
    with ${packedOf(texts)},
    fit as materialized (
      select t.team_id, t.id, pg_column_size(t.*)
        + coalesce((select sum(pg_column_size(a.*)) from attempts a where a.team_id = t.team_id and a.payment_id = t.id), 0) as bytes
      from packed own join payments t on t.team_id = own.team_id and t.id = own.id
      where t.archived is null and ${ATTEMPTS_RESTORED} and exists (
        select from (select ${restored} from (select own.own) one) r
        where ${fixed(NAMES.map((name) => `${comparable(`r.${name}`, name)} is not distinct from ${comparable(`t.${name}`, name)}`).join(' and '))})
    ),
    ${ARCHIVE_ATTEMPTS}
    update payments t set archived = g.body,
      archived_key = (select key from keys k where k.team_id = t.team_id and k.payment_id = t.id and k.n = 1), ${fixed(NAMES.map((name) => `${name} = null`).join(', '))}
    from fit join unnest(${texts.map(({ id }) => id)}::text[], ${texts.map(({ body }) => body)}::bytea[]) g (id, body) on g.id = fit.id
    where t.team_id = fit.team_id and t.id = fit.id
    returning t.id, fit.bytes::integer as bytes_before, (pg_column_size(t.*)
      + (select count(*) from keyed k where k.payment_id = t.id) * ${KEY_BYTES})::integer as bytes_after`);
}

/** Bytes of a row of `archived_attempts`. */
const KEY_BYTES = 76;

/** JSON has no equality: its text is compared. */
function comparable(column: string, name: PackedColumn): string {
  return PACKED_PAYMENT[name].type === 'json' ? `${column}::text` : column;
}
