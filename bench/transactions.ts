import type { Stage } from './stage.ts';

/** Transactions that a server has ended, and the ids it has given out. */
interface Reading {
  ids: bigint;
  transactions: bigint;
}

/** What a payment took. */
export interface Transactions {
  /** Transaction ids: one for each transaction that writes, and for each of its subtransactions that does. */
  ids: number;
  /** All transactions, those that only read too. */
  transactions: number;
}

async function read(stage: Stage): Promise<Reading> {
  const { rows } = await stage.sandbox.query<{ ids: string; transactions: string }>(`
    select pg_snapshot_xmax(pg_current_snapshot())::text as ids,
      (select sum(xact_commit + xact_rollback) from pg_stat_database)::text as transactions`);
  const [row] = rows;
  return { ids: BigInt(row?.ids ?? 0), transactions: BigInt(row?.transactions ?? 0) };
}

/** Runs the work, and counts the transactions of the whole server meanwhile: those of workers belong to the payments too. */
export async function counted(stage: Stage, payments: number, work: () => Promise<void>): Promise<Transactions> {
  const before = await read(stage);
  await work();
  const after = await read(stage);
  const each = (name: keyof Reading) => Number(after[name] - before[name]) / payments;
  return { ids: each('ids'), transactions: each('transactions') };
}
