import type { Sql, Tx } from '../../src/kit/sql.ts';

/** A journal that the program posted, with its amount in hundredths. */
export interface Posted {
  kind: string;
  amount_minor: bigint;
}

/** What the program wrote in a stubbed transaction. */
export interface Written {
  journals: Posted[];
  /** Types of the recorded events. */
  events: string[];
}

/** Rows that the stubbed transaction returns, by the table that a statement reads. */
export type Rows = Record<string, readonly object[]>;

/**
 * A transaction that reads the given rows and stores nothing: every write succeeds, and journals and events are collected.
 * @param booked kinds of journals that were posted before, and are not posted again
 */
export function stubbed(rows: Rows, booked: readonly string[] = []): { tx: Tx; written: Written } {
  const written: Written = { journals: [], events: [] };
  const read = ({ text, values }: Sql): object[] => {
    if (/insert into journals/.test(text)) return postedBy(values, booked, written);
    if (/update balances/.test(text)) return (JSON.parse(String(values[0])) as object[]).map((_, n) => ({ n }));
    if (/select account, posted_minor/.test(text))
      return (values[2] as string[]).map((account) => ({ account, posted_minor: 0n }));
    const table = Object.keys(rows).find((name) => new RegExp(`from ${name}\\b`).test(text));
    return table === undefined ? [] : [...(rows[table] as object[])];
  };
  const tx: Tx = {
    inTransaction: true,
    all: async <Row>(statement: Sql) => read(statement) as Row[],
    maybe: async <Row>(statement: Sql) => read(statement)[0] as Row | undefined,
    run: async ({ text, values }) => {
      if (/queued_deliveries/.test(text))
        written.events.push(...(JSON.parse(String(values[0])) as { type: string }[]).map(({ type }) => type));
      return 1;
    },
  };
  return { tx, written };
}

function postedBy(values: readonly unknown[], booked: readonly string[], { journals }: Written): { n: number }[] {
  const given = JSON.parse(String(values[0])) as { n: number; kind: string; postings: { amount_minor: string }[] }[];
  const fresh = given.filter(({ kind }) => !booked.includes(kind));
  for (const { kind, postings } of fresh)
    journals.push({ kind, amount_minor: postings.reduce((sum, posting) => sum + BigInt(posting.amount_minor), 0n) });
  return fresh.map(({ n }) => ({ n }));
}
