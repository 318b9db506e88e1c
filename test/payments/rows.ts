import { insertAttempts } from '../../src/core/attempts/store.ts';
import type { Sql, Tx } from '../../src/kit/sql.ts';
import { sql } from '../../src/kit/sql.ts';
import type { Twins } from '../tenants/twins.ts';

/* What tests of the stores share: rows that nearly fit, in an order that is not that of their ids. */

export const text = (statement: string): Sql => ({ text: statement, values: [] });
export const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

export const NOW = new Date('2030-01-01T00:00:00Z');
export const at = (ms: number) => new Date(NOW.getTime() + ms);

/** Returns what the work returns, and takes its changes back. */
export async function tried<T>(twins: Twins, work: (tx: Tx, one: Twins) => Promise<T>): Promise<T> {
  const { result } = await twins.trial(work);
  return result as T;
}

export const paymentIds = async (tx: Tx) => idsOf(await tx.all<{ id: string }>(sql`select id from payments order by id`));

/** Stores every second row anew, so that the order in which rows lie is not that of their ids. */
export async function shuffle(tx: Tx, table: 'payments' | 'attempts'): Promise<void> {
  const ids = idsOf(await tx.all<{ id: string }>(text(`select id from ${table} order by id`)));
  for (const id of ids.filter((_, n) => n % 2 === 0)) {
    await tx.run({ text: `update ${table} set message = 'again' where id = $1`, values: [id] });
  }
  await scanOnly(tx);
}

/** Reads rows as they lie, for the rest of the transaction. */
export async function scanOnly(tx: Tx): Promise<void> {
  await tx.run(text('set local enable_indexscan = off'));
  await tx.run(text('set local enable_bitmapscan = off'));
}

/** Gives a payment a failed attempt `att_zzz<n>`: with a higher number, it is newer. */
export async function addAttempt(
  tx: Tx,
  { attempt }: Twins,
  payment_id: string,
  n: number,
  changes: object = {},
): Promise<string> {
  const id = `att_zzz${n}`;
  const made = { ...attempt, payment_id, id, provider_key: `key_${id}`, decision: {}, next_poll_at: NOW, ...changes };
  const open = await tx.all<{ id: string; status: string }>(
    sql`select id, status from attempts where payment_id = ${payment_id} and status in ('created', 'open', 'unknown')`,
  );
  await tx.run(sql`update attempts set status = 'failed' where id = any(${idsOf(open)})`);
  await insertAttempts(tx, [made]);
  await tx.run(sql`update attempts set status = 'failed' where id = ${id}`);
  for (const { id, status } of open) await tx.run(sql`update attempts set status = ${status} where id = ${id}`);
  return id;
}
