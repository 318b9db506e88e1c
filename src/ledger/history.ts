import type { Minor } from '../kit/money.ts';
import { allOf, type Fragment, fixed, part, type Queryable, sql } from '../kit/sql.ts';
import type { Account } from './accounts.ts';
import type { IdRange } from './moments.ts';

/** Where a side of a line stands among all of a team: named by what never changes, so that ids of journals stay inside. */
export interface SidePlace {
  source_id: string;
  kind: string;
  line: number;
  side: 'debit' | 'credit';
}

/** One side of one line, as its account sees it. */
export interface Side extends SidePlace {
  account: Account;
  currency: string;
  /** Negative when the account lost it. */
  amount_minor: Minor;
  subject_id: string;
  created_at: Date;
}

/** Which sides of a team. */
export interface SideFilters {
  /** Names of buckets, not of the platform's accounts. */
  accounts: Account[];
  currencies: readonly string[];
  /** What happened; null: anything. A journal's kind may say more behind a colon. */
  kind: string | null;
  /** Inclusive. */
  from: Date | null;
  /** Exclusive. */
  before: Date | null;
  /** Ids that hold the period and little else. */
  ids: IdRange;
}

/** Which part of them, in reading order. */
export interface Stretch {
  order: 'newest' | 'oldest';
  /** Where it starts; null: at the end. */
  place: SidePlace | null;
  /** With the side that stands there. */
  inclusive: boolean;
  offset: number;
  limit: number;
}

interface Walk {
  team_id: bigint;
  filters: SideFilters;
  /** Null: all of it, in no order. */
  stretch: Stretch | null;
}

/** Nearly every journal is of this kind, so it is found on the way; the others have an index. */
const COMMONEST = 'payment.succeeded';

/** @returns the sides of the stretch, in its order */
export function listSides(db: Queryable, team_id: bigint, filters: SideFilters, stretch: Stretch): Promise<Side[]> {
  const order = direction(stretch);
  // What is skipped is walked in the indexes alone; only the page itself is read from the tables.
  return db.all<Side>(sql`
    select j.source_id, j.kind, s.line, s.side, p.currency, j.subject_id, j.created_at,
      case s.side when 'debit' then p.debit else p.credit end as account,
      case s.side when 'debit' then -p.amount_minor else p.amount_minor end as amount_minor
    from (
      select * from (${sidesOf({ team_id, filters, stretch })}) found
      order by journal_id ${order}, line ${order}, side ${order} limit ${stretch.limit} offset ${stretch.offset}
    ) s
    join journals j on j.team_id = ${team_id} and j.id = s.journal_id
    join postings p on p.team_id = ${team_id} and p.journal_id = s.journal_id and p.line = s.line
    order by s.journal_id ${order}, s.line ${order}, s.side ${order}`);
}

export async function countSides(db: Queryable, team_id: bigint, filters: SideFilters): Promise<number> {
  const row = await db.maybe<{ total: bigint }>(sql`
    select count(*) as total from (${sidesOf({ team_id, filters, stretch: null })}) found`);
  return Number(row?.total ?? 0n);
}

function sidesOf(walk: Walk): Fragment {
  const { kind } = walk.filters;
  if (kind !== null && kind !== COMMONEST) return byKind(walk, kind);
  return part`${bySide(walk, 'debit')} union all ${bySide(walk, 'credit')}`;
}

/** Every account and currency is walked in its own index, so a page costs the same however long the book is. */
function bySide(walk: Walk, column: 'debit' | 'credit'): Fragment {
  const { team_id, filters, stretch } = walk;
  const own = fixed(`p.${column}`);
  const side = sideText(column);
  const ofJournal = journalConditions(filters);
  const conditions = [
    part`p.team_id = ${team_id}`,
    part`${own} = a.account`,
    part`p.currency = c.currency`,
    // The condition of the index, word for word: from a parameter it could not be told that the index has every row.
    part`${own} not in ('clearing', 'refund_clearing', 'fee_income')`,
    ...within(filters.ids, fixed('p.journal_id')),
    ...beyond(walk, part`(p.journal_id, p.line, ${side})`),
    ...ofJournal,
  ];
  return part`
    select p.journal_id, p.line, ${side} as side
    from unnest(${filters.accounts}::text[]) a(account), unnest(${filters.currencies}::text[]) c(currency), lateral (
      select p.journal_id, p.line from postings p ${ofJournal.length > 0 ? journalOf(walk) : part``} where ${allOf(conditions)} ${
        stretch
          ? part`
        order by p.journal_id ${direction(stretch)}, p.line ${direction(stretch)} limit ${stretch.offset + stretch.limit}`
          : part``
      }
    ) p`;
}

/** For a page row by row: left to itself, the planner may read all journals of the team beside the walk. */
function journalOf({ stretch }: Walk): Fragment {
  return part`, lateral (
    select kind, created_at from journals j where j.team_id = p.team_id and j.id = p.journal_id ${stretch ? part`offset 0` : part``}) j`;
}

/** The journals of one kind, with the sides that are asked for. */
function byKind(walk: Walk, kind: string): Fragment {
  const { team_id, filters, stretch } = walk;
  const conditions = [
    part`j.team_id = ${team_id}`,
    part`j.family = ${kind}`,
    ...within(filters.ids, fixed('j.id')),
    ...journalConditions({ ...filters, kind: null }),
  ];
  return part`
    select p.journal_id, p.line, v.side
    from (select id from journals j where ${allOf(conditions)} ${stretch ? part`order by j.id ${direction(stretch)}` : part``}) j,
      lateral (select * from postings p where p.team_id = ${team_id} and p.journal_id = j.id offset 0) p,
      lateral (values (${sideText('debit')}, p.debit), (${sideText('credit')}, p.credit)) v(side, account)
    where ${allOf([
      part`v.account = any(${filters.accounts})`,
      part`p.currency = any(${filters.currencies})`,
      ...beyond(walk, part`(j.id, p.line, v.side)`),
    ])}`;
}

function journalConditions({ kind, from, before }: Pick<SideFilters, 'kind' | 'from' | 'before'>): Fragment[] {
  const conditions: Fragment[] = [];
  if (kind !== null) conditions.push(part`j.kind = ${kind}`);
  if (from) conditions.push(part`j.created_at >= ${from}`);
  if (before) conditions.push(part`j.created_at < ${before}`);
  return conditions;
}

function within({ from, to }: IdRange, id: Fragment): Fragment[] {
  return [...(from === null ? [] : [part`${id} >= ${from}`]), ...(to === null ? [] : [part`${id} < ${to}`])];
}

/** On the far side of the place, in the direction of reading. */
function beyond({ team_id, stretch }: Walk, here: Fragment): Fragment[] {
  if (!stretch?.place) return [];
  const { source_id, kind, line, side } = stretch.place;
  const sign = fixed(`${stretch.order === 'newest' ? '<' : '>'}${stretch.inclusive ? '=' : ''}`);
  const journal = part`(select id from journals where team_id = ${team_id} and source_id = ${source_id} and kind = ${kind})`;
  return [part`${here} ${sign} (${journal}, ${line}, ${sideText(side)})`];
}

/** In the order of the alphabet, whatever the database's: of one line, credit stands before debit. */
function sideText(side: 'debit' | 'credit'): Fragment {
  return fixed(`'${side}'::text collate "C"`);
}

function direction({ order }: Stretch): Fragment {
  return fixed(order === 'newest' ? 'desc' : 'asc');
}
