import { type Db, sql } from '../../src/kit/sql.ts';
import { type Book, hasMoved } from './book.ts';
import type { Booked } from './snapshot.ts';

/*
 * Invariants of every committed state. An auditor checks them while shops and payers are active.
 */

/** Statements that return a row for each violation. They follow the schema and the contract and use no code of the core. */
const NEVER = [
  sql`
    select 'BALANCE: ' || coalesce(b.account, p.account) || ' of team ' || coalesce(b.team_id, p.team_id) || ' is ' || coalesce(b.minor, 0)
      || ' ' || coalesce(b.currency, p.currency) || ', its postings come to ' || coalesce(p.minor, 0) as wrong
    from (
      select team_id, currency, account, sum(minor) as minor from (
        select team_id, currency, account, posted_minor as minor from balances
        union all select team_id, currency, account, amount_minor from balance_deltas) parts
      group by 1, 2, 3) b
    full join (
      select team_id, currency, account, sum(minor) as minor from (
        select team_id, currency, credit as account, amount_minor as minor from postings
        union all select team_id, currency, debit, -amount_minor from postings) sides
      group by 1, 2, 3) p on (p.team_id, p.currency, p.account) = (b.team_id, b.currency, b.account)
    where coalesce(b.minor, 0) <> coalesce(p.minor, 0)`,
  sql`
    select 'SEQUENCE: the ' || count(*) || ' events of ' || resource_id || ' are numbered up to ' || max(sequence) as wrong
    from events group by team_id, resource_id having count(*) <> max(sequence) or min(sequence) <> 1`,
  sql`
    select 'REFUNDED TOO MUCH: ' || p.id || ' captured ' || p.captured_minor || ', refunds take ' || sum(r.amount_minor) as wrong
    from payments p join refunds r on r.team_id = p.team_id and r.payment_id = p.id
    where r.kind = 'merchant' and r.status <> 'failed' group by p.team_id, p.id having sum(r.amount_minor) > p.captured_minor`,
  sql`
    select 'DISPUTED TOO MUCH: ' || p.id || ' captured ' || p.captured_minor || ', disputes claim ' || d.minor || ' and refunds take '
      || coalesce(r.minor, 0) as wrong
    from payments p
    join (
      select team_id, payment_id, sum(amount_minor) as minor from disputes where status in ('needs_response', 'under_review', 'lost') group by 1, 2
    ) d on d.team_id = p.team_id and d.payment_id = p.id
    left join (
      select team_id, payment_id, sum(amount_minor) as minor from refunds where kind = 'merchant' and status <> 'failed' group by 1, 2
    ) r on r.team_id = p.team_id and r.payment_id = p.id
    where d.minor + coalesce(r.minor, 0) > p.captured_minor`,
  sql`
    select 'OPEN TWICE: ' || payment_id || ' has ' || count(*) || ' attempts that may take money' as wrong
    from attempts where status in ('created', 'open', 'unknown') group by team_id, payment_id having count(*) > 1`,
  sql`
    select 'UNPOLLED: attempt ' || id || ' may take money, and nothing polls it' as wrong
    from attempts where status in ('open', 'unknown') and next_poll_at is null and mismatch is null`,
  sql`
    select 'STUCK: payment ' || p.id || ' is processing, and no attempt of it may take money' as wrong
    from payments p where p.status = 'processing' and not exists (
      select from attempts a where a.team_id = p.team_id and a.payment_id = p.id
        and (a.status in ('created', 'open', 'unknown') or a.mismatch is not null))`,
  sql`
    select 'LIMITS: ' || coalesce(u.used_minor, 0) || ' ' || currency || ' are counted as ' || direction || 's of ' || period || ' of team ' || team_id
      || ', there are ' || coalesce(c.minor, 0) as wrong
    from (
      select team_id, direction, currency, period, sum(amount_minor) as minor from (
        select team_id, 'payment' as direction, currency, counted_day as day, amount_minor from attempts
          where counted_day is not null and status in ('created', 'open', 'unknown', 'succeeded')
        union all
        select team_id, 'transfer', currency, counted_day, amount_minor from transfers
          where counted_day is not null and (status in ('processing', 'succeeded') or paid_late_at is not null)) counted
      cross join lateral unnest(array[day, left(day, 7)]) as period
      group by 1, 2, 3, 4) c
    full join ceiling_uses u using (team_id, direction, currency, period)
    where coalesce(u.used_minor, 0) <> coalesce(c.minor, 0)`,
  sql`
    select 'UNEXPLAINED: ' || id || ' is ' || status || ' without an event that says so' as wrong
    from payments p where status in ('succeeded', 'failed', 'cancelled', 'expired') and not exists (
      select 1 from events e where e.team_id = p.team_id and e.resource_id = p.id and e.type = 'payment.' || p.status)`,
];

/** Returns the violations, one text each. */
export async function breaches(live: Db): Promise<string[]> {
  const found: { wrong: string }[] = [];
  for (const never of NEVER) found.push(...(await live.all<{ wrong: string }>(never)));
  return found.map(({ wrong }) => wrong);
}

/**
 * Returns the bookings of money that no provider has moved, or that differ from its amount. Missing bookings can be found only when
 * nothing is under way.
 * @param booked read before `now`
 */
export function tooEarly(booked: readonly Booked[], book: Book, now: number): string[] {
  const byKey = new Map(book.entries.map((entry) => [entry.key, entry]));
  const own = booked.filter((line): line is Booked & { key: string } => line.key !== null);
  return [...Map.groupBy(own, ({ key, currency }) => `${key} ${currency}`)].flatMap(([what, lines]) => {
    const net = lines.reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
    const entry = byKey.get((lines[0] as Booked & { key: string }).key);
    if (net === 0n) return [];
    if (!entry || !hasMoved(entry, now)) return [`TOO EARLY: ${what} is booked, and no provider has moved it`];
    const [amount, said] = [net < 0n ? -net : net, [entry.moves, entry.misreports].map((money) => money?.amount_minor)];
    return said.includes(amount) ? [] : [`AMOUNT: ${what} is booked with ${amount}, its provider says ${said.join(' or ')}`];
  });
}
