import { allOf, fixed, part, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import type { BlockKind, Refusal } from './rules.ts';

/** A block. Its `value` is a hash for a number or e-mail address, which reveals nothing. */
export interface BlockRow {
  team_id: bigint;
  /** `blk_…` */
  id: string;
  kind: BlockKind;
  value: string;
  note: string | null;
  created_at: Date;
  /** Null when it lasts until it is removed. */
  expires_at: Date | null;
}

const columns = fixed('team_id, id, kind, value, note, created_at, expires_at');

/**
 * Adds or changes a block.
 * @returns the stored block; for a value that is already blocked, with the new note and expiry and the same id
 */
export async function upsertBlock(tx: Tx, row: BlockRow): Promise<BlockRow> {
  const [block] = await tx.all<BlockRow>(sql`
    insert into abuse_blocks (team_id, id, kind, value, network, note, created_at, expires_at)
    values (${row.team_id}, ${row.id}, ${row.kind}, ${row.value}, ${row.kind === 'address' ? row.value : null}::inet,
      ${row.note}, ${row.created_at}, ${row.expires_at})
    on conflict (team_id, kind, value) do update set note = excluded.note, expires_at = excluded.expires_at
    returning ${columns}`);
  return block as BlockRow;
}

/**
 * Deletes a block.
 * @returns undefined when the team has no such block
 */
export function deleteBlock(tx: Tx, team_id: bigint, id: string): Promise<BlockRow | undefined> {
  return tx.maybe<BlockRow>(sql`delete from abuse_blocks where team_id = ${team_id} and id = ${id} returning ${columns}`);
}

/**
 * Returns blocks, newest first.
 * @param only limits the result to this kind and these values; null for all
 */
export function blocksOf(
  db: Queryable,
  team_id: bigint,
  only: { kind: BlockKind; values: readonly string[] } | null,
  limit: number,
): Promise<BlockRow[]> {
  const conditions = [
    part`team_id = ${team_id}`,
    ...(only ? [part`kind = ${only.kind}`, part`value = any(${[...only.values]}::text[])`] : []),
  ];
  return db.all<BlockRow>(sql`select ${columns} from abuse_blocks where ${allOf(conditions)} order by id desc limit ${limit}`);
}

/**
 * Counts the other address blocks that apply, in the transaction that adds or changes one. A lock prevents concurrent additions.
 * @param value of the block that is added or changed
 */
export async function countOtherAddresses(tx: Tx, team_id: bigint, value: string, now: Date): Promise<number> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('abuse_blocks', ${team_id}))`);
  const row = await tx.maybe<{ count: number }>(sql`
    select count(*)::int as count from abuse_blocks
    where team_id = ${team_id} and kind = 'address' and value <> ${value} and (expires_at is null or expires_at > ${now})`);
  return row?.count ?? 0;
}

/** A stored rejection. */
export type NotedRefusal = Refusal & { times: number; first_at: Date; last_at: Date };

/** Returns why charges of a payment were rejected, in the order of first occurrence. */
export function refusalsOf(db: Queryable, team_id: bigint, payment_id: string): Promise<NotedRefusal[]> {
  return db.all<NotedRefusal>(sql`
    select rule, figures, times, first_at, last_at from abuse_refusals where team_id = ${team_id} and payment_id = ${payment_id}
    order by first_at, rule`);
}

/** Returns how many payments each rule has rejected since a time. */
export function refusalCounts(
  db: Queryable,
  team_id: bigint,
  since: Date,
): Promise<{ rule: Refusal['rule']; payments: number }[]> {
  return db.all(sql`
    select rule, count(*)::int as payments from abuse_refusals where team_id = ${team_id} and last_at > ${since} group by rule order by rule`);
}

/** Usual figures of a team. */
export interface Usual {
  busiest: number;
  /** Null when they were not computed yet. */
  made_at: Date | null;
  amounts: { currency: string; payments: number; high_minor: bigint }[];
}

/** Returns the usual figures of a team, as the rules use them. */
export async function usualOf(db: Queryable, team_id: bigint): Promise<Usual> {
  const pace = await db.maybe<{ busiest: number; made_at: Date }>(sql`
    select busiest, made_at from abuse_paces where team_id = ${team_id}`);
  const amounts = await db.all<Usual['amounts'][number]>(sql`
    select currency, payments, high_minor from abuse_amounts where team_id = ${team_id} order by currency`);
  return { busiest: pace?.busiest ?? 0, made_at: pace?.made_at ?? null, amounts };
}
