import { sql, type Tx } from '../../src/kit/sql.ts';
import type { Books } from './books.ts';

const BACK = new Error('taken back');

/** Runs the work as the owner of the tables, without foreign keys, and takes it back. */
export async function takenBack({ owner }: Books, work: (tx: Tx) => Promise<void>): Promise<void> {
  await owner
    .transaction(async (tx) => {
      // Rows come in the order of the table then, so that a missing "order by" shows.
      for (const scan of ['indexscan', 'indexonlyscan', 'bitmapscan', 'sort'])
        await tx.run({ text: `set local enable_${scan} = off`, values: [] });
      await tx.run(sql`alter table postings drop constraint if exists postings_team_id_journal_id_fkey`);
      await work(tx);
      throw BACK;
    })
    .catch((error: unknown) => {
      if (error !== BACK) throw error;
    });
}

/** One journal; what is left out follows from its id. */
export type Journal = [
  team_id: number,
  id: number,
  at?: string | undefined,
  kind?: string,
  source_id?: string,
  subject_id?: string,
];

export async function insertJournals(tx: Tx, ...journals: Journal[]): Promise<void> {
  for (const [team_id, id, at = '2026-01-01T00:00:00Z', kind = 'k', source_id = `s${id}`, subject_id = `x${id}`] of journals) {
    await tx.run(sql`
      insert into journals (team_id, id, kind, source_id, subject_id, created_at) overriding system value
      values (${team_id}, ${id}, ${kind}, ${source_id}, ${subject_id}, ${at})`);
  }
}

/** One line of a journal; without a currency it is of XAF. */
export type Line = [
  team_id: number,
  journal_id: number,
  line: number,
  debit: string,
  credit: string,
  amount: number,
  currency?: string,
];

export async function insertLines(tx: Tx, ...lines: Line[]): Promise<void> {
  for (const [team_id, journal_id, line, debit, credit, amount, currency = 'XAF'] of lines) {
    await tx.run(sql`
      insert into postings (team_id, journal_id, line, currency, debit, credit, amount_minor)
      values (${team_id}, ${journal_id}, ${line}, ${currency}, ${debit}, ${credit}, ${amount})`);
  }
}
