import type { Minor } from '../../kit/money.ts';
import { type Queryable, sql } from '../../kit/sql.ts';
import { LAST_ID, nextTeam } from './books.ts';
import { idsWithin } from './moments.ts';

const PAGE = 5_000;

/** One line of one journal: an amount moved from `debit` to `credit`, in hundredths. */
export interface Line {
  team_id: bigint;
  journal_id: bigint;
  line: number;
  created_at: Date;
  kind: string;
  source_id: string;
  subject_id: string;
  currency: string;
  debit: string;
  credit: string;
  amount_minor: Minor;
}

/**
 * Returns every line posted under one id, oldest first. The id is that of the payment or transfer, or that of the attempt,
 * refund or dispute that moved the money. The team is not given, so the index is searched for each team; there are few teams.
 */
export function linesAbout(db: Queryable, id: string): Promise<Line[]> {
  return db.all<Line>(sql`
    with recursive teams(team_id) as (
      select min(team_id) from journals
      union all
      select (select min(j.team_id) from journals j where j.team_id > t.team_id) from teams t where t.team_id is not null
    )
    select j.team_id, j.id as journal_id, p.line, j.created_at, j.kind, j.source_id, j.subject_id, p.currency, p.debit, p.credit, p.amount_minor
    from teams t, lateral (
      select * from journals j where j.team_id = t.team_id and j.subject_id = ${id}
      union
      select * from journals j where j.team_id = t.team_id and j.source_id = ${id}
    ) j join postings p on p.team_id = j.team_id and p.journal_id = j.id
    order by j.team_id, j.id, p.line`);
}

/** A period of a statement. */
export interface Period {
  /** Null: all teams. */
  team_id: bigint | null;
  /** Inclusive; null is open. */
  from: Date | null;
  /** Exclusive; null is open. */
  before: Date | null;
}

/**
 * Yields every line of a period, by team and in the order of posting, page by page: memory use does not depend on the length of
 * the ledger.
 */
export async function* linesOf(db: Queryable, period: Period): AsyncGenerator<Line[]> {
  for (let team_id = period.team_id ?? (await nextTeam(db, 0n)); team_id !== null; ) {
    yield* teamLines(db, team_id, period);
    team_id = period.team_id === null ? await nextTeam(db, team_id) : null;
  }
}

async function* teamLines(db: Queryable, team_id: bigint, { from, before }: Period): AsyncGenerator<Line[]> {
  const ids = await idsWithin(db, team_id, from, before);
  let last = { journal_id: (ids.from ?? 0n) - 1n, line: 0 };
  for (;;) {
    const page: Line[] = await db.all<Line>(sql`
      select p.team_id, p.journal_id, p.line, j.created_at, j.kind, j.source_id, j.subject_id, p.currency, p.debit, p.credit, p.amount_minor
      from postings p, lateral (select * from journals j where j.team_id = p.team_id and j.id = p.journal_id offset 0) j
      where p.team_id = ${team_id} and (p.journal_id, p.line) > (${last.journal_id}, ${last.line})
        and p.journal_id < ${ids.to ?? LAST_ID}
        and j.created_at >= coalesce(${from}::timestamptz, '-infinity') and j.created_at < coalesce(${before}::timestamptz, 'infinity')
      order by p.journal_id, p.line limit ${PAGE}`);
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    last = page.at(-1) as Line;
  }
}

/**
 * Returns the lines posted under one payment or transfer of a team, oldest first, with those of its refunds and disputes.
 * @param subject_id id of the payment or transfer
 */
export function linesOfSubject(db: Queryable, team_id: bigint, subject_id: string, limit: number): Promise<Line[]> {
  return db.all<Line>(sql`
    select j.team_id, j.id as journal_id, p.line, j.created_at, j.kind, j.source_id, j.subject_id, p.currency, p.debit, p.credit, p.amount_minor
    from journals j join postings p on p.team_id = j.team_id and p.journal_id = j.id
    where j.team_id = ${team_id} and j.subject_id = ${subject_id} order by j.id, p.line limit ${limit}`);
}
