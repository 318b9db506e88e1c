import { type Queryable, sql } from '../../kit/sql.ts';
import type { JournalRange } from './books.ts';
import type { Report } from './differences.ts';

/**
 * Reports what is inconsistent in one chunk of journals although keys, checks and `post` should have prevented it. The queries
 * work row by row (`offset 0` prevents a join): a join that reads one side completely would take quadratic time on a long
 * ledger.
 */
export async function reportBadLines(db: Queryable, range: JournalRange, report: Report): Promise<void> {
  const { team_id } = range;
  for (const { journal_id, line } of await orphans(db, range)) {
    report({
      check: 'line_without_journal',
      team_id,
      what: `journal ${journal_id}, line ${line}`,
      expected: 'its journal',
      found: 'none',
    });
  }
  for (const { id, kind, source_id } of await emptyJournals(db, range)) {
    report({
      check: 'journal_without_lines',
      team_id,
      what: `journal ${id} (${kind} of ${source_id})`,
      expected: 'lines',
      found: 'none',
    });
  }
  for (const { journal_id, line, debit, credit, amount_minor } of await impossibleLines(db, range)) {
    report({
      check: 'impossible_line',
      team_id,
      what: `journal ${journal_id}, line ${line}`,
      expected: 'a positive amount between two accounts',
      found: `${amount_minor} hundredths from ${debit} to ${credit}`,
    });
  }
  for (const { id, kind, source_id, first } of await findDuplicates(db, range)) {
    report({
      check: 'booked_twice',
      team_id,
      what: `journal ${id} (${kind} of ${source_id})`,
      expected: 'one journal',
      found: `journal ${first} too`,
    });
  }
}

function orphans(db: Queryable, { team_id, after, to }: JournalRange) {
  return db.all<{ journal_id: bigint; line: number }>(sql`
    select journal_id, line from postings p
    where team_id = ${team_id} and journal_id > ${after} and journal_id <= ${to} and not exists (
      select 1 from journals j where j.team_id = p.team_id and j.id = p.journal_id offset 0)
    order by journal_id, line`);
}

function emptyJournals(db: Queryable, { team_id, after, to }: JournalRange) {
  return db.all<{ id: bigint; kind: string; source_id: string }>(sql`
    select id, kind, source_id from journals j
    where team_id = ${team_id} and id > ${after} and id <= ${to}
      and not exists (select 1 from postings p where p.team_id = j.team_id and p.journal_id = j.id offset 0)
    order by id`);
}

function impossibleLines(db: Queryable, { team_id, after, to }: JournalRange) {
  return db.all<{ journal_id: bigint; line: number; debit: string; credit: string; amount_minor: bigint }>(sql`
    select journal_id, line, debit, credit, amount_minor from postings
    where team_id = ${team_id} and journal_id > ${after} and journal_id <= ${to}
      and (amount_minor <= 0 or debit = credit)
    order by journal_id, line`);
}

/** Finds journals with an earlier duplicate: what the unique index prevents, in case it is missing. */
function findDuplicates(db: Queryable, { team_id, after, to }: JournalRange) {
  return db.all<{ id: bigint; kind: string; source_id: string; first: bigint }>(sql`
    select * from (
      select id, kind, source_id, (
        -- Without + 0 the planner finds the smallest id by walking the primary key, journal by journal.
        select min(other.id + 0) from journals other
        where other.team_id = j.team_id and other.source_id = j.source_id and other.kind = j.kind and other.id < j.id) as first
      from journals j where team_id = ${team_id} and id > ${after} and id <= ${to}
    ) looked where first is not null order by id`);
}
