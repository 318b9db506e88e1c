import { type Fragment, fixed, PLANNED_EACH_TIME, part, sql, type Tx } from '../../kit/sql.ts';
import { type Books, NO_KEYS, SIDES } from './matching-store.ts';
import type { BreakRow } from './schema.ts';
import { BREAK_FIELDS } from './store.ts';

/**
 * Returns and locks lines without a key that applied runs of the account set aside as missing here, in the order of their
 * number.
 * @param since when the money moved at the earliest
 */
export function lockUnidentified(tx: Tx, books: Books, since: Date, after: bigint, limit: number): Promise<BreakRow[]> {
  return tx.all<BreakRow>(sql`
    select ${BREAK_FIELDS} from reconciliation_breaks b
    where b.team_id = ${books.team_id} and b.id > ${after} and b.kind = 'missing_here' and b.key is null and b.action = 'correct'
      and b.state in ('open', 'held') and b.there_at >= ${since} and exists (
        select from reconciliation_runs r
        where r.team_id = b.team_id and r.id = b.run_id and r.provider_account = ${books.provider_account} and r.applied)
    order by b.id limit ${limit} for update${PLANNED_EACH_TIME}`);
}

/**
 * Whether the money of a line (`l`) is posted by the operation that has its reference (`h`): as its success, as another amount
 * that the provider reported, or as a correction of the operation by a statement.
 */
const POSTED = fixed(`
  (h.standing = 'succeeded' and h.amount_minor = l.amount_minor and h.currency = l.currency)
  or exists (select from attempts a where a.team_id = l.team_id and a.id = h.id
    and (a.mismatch->>'amount_minor')::bigint = l.amount_minor and a.mismatch->>'currency' = l.currency)
  or exists (
    select from journals j join postings p on p.team_id = j.team_id and p.journal_id = j.id
    where j.team_id = l.team_id and j.source_id = h.id || coalesce(':' || h.leg, '') and p.currency = l.currency
      and (j.kind = 'reconciliation.late' and p.amount_minor = l.amount_minor
        or j.kind = 'reconciliation.amount:' || l.currency and h.currency = l.currency
          and case p.credit when 'hold' then p.amount_minor else -p.amount_minor end
            = case l.flow when 'collect' then 1 else -1 end * (l.amount_minor - h.amount_minor)))`);

/** An operation that began more than this after the money had moved is another one. Clocks and time zones of statements differ. */
const TOLERANCE = fixed(`interval '1 day'`);

/**
 * Returns the operations that these lines turned out to be, by the number of the break: those with the reference of the line,
 * unless several have it, as in a comparison, or the one that has it began after the money had moved.
 */
export async function identify(tx: Tx, books: Books, lines: readonly BreakRow[]): Promise<Map<bigint, string>> {
  const found = new Map<bigint, string>();
  for (const { flows, here } of SIDES) {
    const rows = await tx.all<{ id: bigint; found_id: string }>(identifying(books, lines, flows, here(books, NO_KEYS)));
    for (const { id, found_id } of rows) found.set(id, found_id);
  }
  return found;
}

function identifying(books: Books, lines: readonly BreakRow[], flows: Fragment, here: Fragment) {
  const given = part`
    select ${books.team_id}::bigint as team_id, u.* from unnest(${lines.map(({ id }) => id)}::bigint[],
      ${lines.map(({ flow }) => flow)}::text[], ${lines.map(({ reference }) => reference)}::text[],
      ${lines.map(({ there_minor }) => there_minor)}::bigint[], ${lines.map(({ there_currency }) => there_currency)}::text[],
      ${lines.map(({ there_at }) => there_at?.toISOString() ?? null)}::timestamptz[])
      as u(id, flow, reference, amount_minor, currency, at) where u.flow in ${flows}`;
  return sql`
    with lines as materialized (${given}),
    named as materialized (
      select t.*, count(*) over (partition by t.reference) as same_reference from ${here} t
      where t.reference in (select reference from lines) and (t.flow <> 'collect' or t.id >= ${books.lowest.attempt})
    )
    select l.id, h.id as found_id from lines l join named h on h.reference = l.reference and h.same_reference = 1
    where h.begun_at <= l.at + ${TOLERANCE} and ${POSTED}${PLANNED_EACH_TIME}`;
}
