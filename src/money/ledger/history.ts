import type { Minor } from '../../kit/money.ts';
import { allOf, type Fragment, fixed, part, type Queryable, sql } from '../../kit/sql.ts';
import { type Account, isOfSubaccount } from './accounts.ts';
import type { IdRange } from './moments.ts';

/**
 * The position of one side of a line among all sides of a team. It is identified by values that never change, so that journal
 * ids stay internal.
 */
export interface SidePlace {
  source_id: string;
  kind: string;
  line: number;
  side: 'debit' | 'credit';
}

/** One side of one line, from the view of its account. */
export interface Side extends SidePlace {
  account: Account;
  currency: string;
  /** In hundredths; negative when the account was debited. */
  amount_minor: Minor;
  subject_id: string;
  created_at: Date;
}

/** Filters of a team's sides. */
export interface SideFilters {
  /** Accounts to list, never the platform's own accounts. */
  accounts: Account[];
  currencies: readonly string[];
  /** Kind of journal; null: any. A journal's kind may have a suffix after a colon. */
  kind: string | null;
  /** Inclusive. */
  from: Date | null;
  /** Exclusive. */
  before: Date | null;
  /** Id range that contains the period and little else. */
  ids: IdRange;
}

/** A page of the filtered sides, in reading order. */
export interface Stretch {
  order: 'newest' | 'oldest';
  /** Position where the page starts; null: at the end from which it is read. */
  place: SidePlace | null;
  /** Whether the side at `place` belongs to the page. */
  inclusive: boolean;
  offset: number;
  limit: number;
}

interface Walk {
  team_id: bigint;
  filters: SideFilters;
  /** Kind whose journals are read; null: the sides of each account and currency are. */
  by_kind: string | null;
  /** Null: all sides, in no order. */
  stretch: Stretch | null;
}

/** The most common kind. Nearly every journal has it, so it is filtered while scanning; other kinds use an index. */
const COMMONEST = 'payment.succeeded';

/**
 * Lists one page of a team's sides.
 * @returns the sides of the page, in its order
 */
export async function listSides(db: Queryable, team_id: bigint, filters: SideFilters, stretch: Stretch): Promise<Side[]> {
  const order = direction(stretch);
  const by_kind = await kindToWalk(db, team_id, filters);
  // Skipped rows are read from the indexes only; just the page itself is read from the tables.
  return db.all<Side>(sql`
    select j.source_id, j.kind, s.line, s.side, p.currency, j.subject_id, j.created_at,
      case s.side when 'debit' then p.debit else p.credit end as account,
      case s.side when 'debit' then -p.amount_minor else p.amount_minor end as amount_minor
    from (
      select * from (${sidesOf({ team_id, filters, by_kind, stretch })}) found
      order by journal_id ${order}, line ${order}, side ${order} limit ${stretch.limit} offset ${stretch.offset}
    ) s
    join journals j on j.team_id = ${team_id} and j.id = s.journal_id
    join postings p on p.team_id = ${team_id} and p.journal_id = s.journal_id and p.line = s.line
    order by s.journal_id ${order}, s.line ${order}, s.side ${order}`);
}

/** Returns the number of a team's sides that match the filters. */
export async function countSides(db: Queryable, team_id: bigint, filters: SideFilters): Promise<number> {
  const by_kind = await kindToWalk(db, team_id, filters);
  const row = await db.maybe<{ total: bigint }>(sql`
    select count(*) as total from (${sidesOf({ team_id, filters, by_kind, stretch: null })}) found`);
  return Number(row?.total ?? 0n);
}

/** Maximum sides of the chosen accounts and currencies that are read and then filtered by kind, whatever the kind. */
const FEW_SIDES = 1_000;

/**
 * Returns the kind whose journals are read. Where a subaccount, an account or a currency is chosen and has few sides, these are read
 * instead: the kind may have many journals without any of them.
 */
async function kindToWalk(db: Queryable, team_id: bigint, filters: SideFilters): Promise<string | null> {
  const { kind, accounts, currencies, ids } = filters;
  if (kind === null || kind === COMMONEST) return null;
  const is_chosen = accounts.length === 1 || currencies.length === 1 || accounts.some(isOfSubaccount);
  if (!is_chosen) return kind;
  const all = { accounts, currencies, ids, kind: null, from: null, before: null };
  const limit = FEW_SIDES + 1;
  const stretch: Stretch = { order: 'newest', place: null, inclusive: false, offset: 0, limit };
  const row = await db.maybe<{ sides: bigint }>(sql`
    select count(*) as sides from (
      select 1 from (${sidesOf({ team_id, filters: all, by_kind: null, stretch })}) found limit ${limit}) few`);
  return row && row.sides <= FEW_SIDES ? null : kind;
}

function sidesOf(walk: Walk): Fragment {
  if (walk.by_kind !== null) return byKind(walk, walk.by_kind);
  return part`${bySide(walk, 'debit')} union all ${bySide(walk, 'credit')}`;
}

/**
 * Scans each account and currency in its own index range. A page then costs the same whatever the length of the ledger, and a count
 * costs in proportion to its result. For a count, too, `offset 0` keeps PostgreSQL from reading all postings of the team instead.
 */
function bySide(walk: Walk, column: 'debit' | 'credit'): Fragment {
  const { team_id, filters, stretch } = walk;
  const own = fixed(`p.${column}`);
  const side = sideText(column);
  const ofJournal = journalConditions(filters);
  const conditions = [
    part`p.team_id = ${team_id}`,
    part`${own} = a.account`,
    part`p.currency = c.currency`,
    // Repeats the predicate of the partial index word for word: from a parameter PostgreSQL cannot infer that the index has
    // every row.
    part`${own} not in ('clearing', 'refund_clearing', 'fee_income')`,
    ...within(filters.ids, fixed('p.journal_id')),
    ...beyond(walk, side),
    ...ofJournal,
  ];
  return part`
    select p.journal_id, p.line, ${side} as side
    from unnest(${filters.accounts}::text[]) a(account), unnest(${filters.currencies}::text[]) c(currency), lateral (
      select p.journal_id, p.line from postings p ${ofJournal.length > 0 ? JOURNAL : part``} where ${allOf(conditions)} ${
        stretch
          ? part`
        order by p.journal_id ${direction(stretch)}, p.line ${direction(stretch)} limit ${stretch.offset + stretch.limit}`
          : fixed('offset 0')
      }
    ) p`;
}

/** Joins the journal row by row: otherwise the planner may read all journals of the team. */
const JOURNAL = fixed(`, lateral (
    select kind, family, created_at from journals j where j.team_id = p.team_id and j.id = p.journal_id offset 0) j`);

/**
 * Selects journals of one kind in their order, with the sides that match. `offset 0` lets PostgreSQL expect a side of each journal,
 * so that it stops when a page is full.
 */
function byKind(walk: Walk, kind: string): Fragment {
  const { team_id, filters, stretch } = walk;
  const conditions = [
    part`j.team_id = ${team_id}`,
    part`j.family = ${kind}`,
    ...within(filters.ids, fixed('j.id')),
    ...journalConditions({ ...filters, kind: null }),
    ...(stretch?.place ? [part`j.id ${fixed(`${signOf(stretch)}=`)} ${journalAt(team_id, stretch.place)}`] : []),
  ];
  return part`
    select j.id as journal_id, s.line, s.side
    from journals j, lateral (
        select p.line, v.side
        from postings p, lateral (values (${sideText('debit')}, p.debit), (${sideText('credit')}, p.credit)) v(side, account)
        where ${allOf([
          part`p.team_id = ${team_id}`,
          part`p.journal_id = j.id`,
          part`v.account = any(${filters.accounts})`,
          part`p.currency = any(${filters.currencies})`,
          ...beyond(walk, part`v.side`),
        ])} offset 0) s
    where ${allOf(conditions)}`;
}

function journalConditions({ kind, from, before }: Pick<SideFilters, 'kind' | 'from' | 'before'>): Fragment[] {
  const conditions: Fragment[] = [];
  if (kind !== null) conditions.push(kind === COMMONEST ? part`j.kind = ${kind}` : part`j.family = ${kind}`);
  if (from) conditions.push(part`j.created_at >= ${from}`);
  if (before) conditions.push(part`j.created_at < ${before}`);
  return conditions;
}

function within({ from, to }: IdRange, id: Fragment): Fragment[] {
  return [...(from === null ? [] : [part`${id} >= ${from}`]), ...(to === null ? [] : [part`${id} < ${to}`])];
}

/**
 * Conditions for sides beyond the position, in the direction of reading. The journal is compared by itself, so that PostgreSQL starts
 * reading the index at the position or at the end of the period, whichever comes later. With a comparison of whole rows it would always start at the position.
 */
function beyond({ team_id, stretch }: Walk, ownSide: Fragment): Fragment[] {
  if (!stretch?.place) return [];
  const { line, side } = stretch.place;
  const at = journalAt(team_id, stretch.place);
  const sign = signOf(stretch);
  const rest = part`(p.line, ${ownSide}) ${fixed(stretch.inclusive ? `${sign}=` : sign)} (${line}, ${sideText(side)})`;
  return [part`p.journal_id ${fixed(`${sign}=`)} ${at}`, part`(p.journal_id ${fixed(sign)} ${at} or ${rest})`];
}

function signOf({ order }: Stretch): '<' | '>' {
  return order === 'newest' ? '<' : '>';
}

function journalAt(team_id: bigint, { source_id, kind }: SidePlace): Fragment {
  return part`(select id from journals where team_id = ${team_id} and source_id = ${source_id} and kind = ${kind})`;
}

/** Sides sort alphabetically, whatever the collation of the database: within a line, credit comes before debit. */
function sideText(side: 'debit' | 'credit'): Fragment {
  return fixed(`'${side}'::text collate "C"`);
}

function direction({ order }: Stretch): Fragment {
  return fixed(order === 'newest' ? 'desc' : 'asc');
}
