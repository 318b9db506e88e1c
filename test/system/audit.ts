import { checkBooks } from '../../src/core/books-check/check.ts';
import { type Queryable, sql } from '../../src/kit/sql.ts';
import { verifyLedger } from '../../src/money/ledger/verify.ts';
import type { Entry } from '../../simulators/kit/book.ts';
import type { Simulator } from '../../simulators/kit/simulator.ts';

/** What is still open anywhere: nothing of it may be left once the providers are well again. */
export async function leftOpen(db: Queryable): Promise<Record<string, number>> {
  const [row] = await db.all<Record<string, bigint>>(sql`
    select
      (select count(*) from attempts where status in ('created', 'open', 'unknown')) as attempts,
      (select count(*) from payments where status = 'processing') as payments,
      (select count(*) from transfers where status = 'processing') as transfers,
      (select count(*) from refunds where status in ('pending', 'processing') and (return_id is null or next_poll_at is not null)) as refunds,
      (select count(*) from payments where continue_at is not null) as pieces,
      (select count(*) from returns where closed_at is null) as returns`);
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, count]) => [name, Number(count)]));
}

interface Moved {
  kind: string;
  id: string;
  provider_key: string;
  amount_minor: bigint;
  currency: string;
}

/**
 * Holds the simulators' books, the payments and the ledger against each other, to the franc.
 * @returns every difference, in words
 */
export async function differences(
  { live, simulators }: { live: Queryable; simulators: readonly Pick<Simulator, 'book'>[] },
  orders: number,
): Promise<string[]> {
  const entries = simulators.flatMap(({ book }) => [...book.entries()]);
  const ours = await movedByUs(live);
  return [
    ...twice(entries),
    ...unlike(entries, ours),
    ...(await overcharged(live)),
    ...(await missingOrders(live, orders)),
    ...(await wrongClearing(live, entries)),
    ...(await wrongBooks(live)),
  ];
}

/** What the payments, refunds and transfers say has changed hands. */
function movedByUs(db: Queryable): Promise<Moved[]> {
  return db.all<Moved>(sql`
    select 'collect' as kind, id, provider_key, amount_minor, currency from attempts where status = 'succeeded'
    union all
    select 'payout', id, provider_key, amount_minor, currency from transfers where status = 'succeeded' or paid_late_at is not null
    union all
    select 'refund', r.id, leg->>'provider_key', (leg->>'amount_minor')::bigint, r.currency
    from refunds r, json_array_elements(r.legs) leg where leg->>'status' = 'succeeded'`);
}

/** One key, money twice: the one thing that must never be. */
function twice(entries: Entry[]): string[] {
  const moved = Map.groupBy(
    entries.filter((entry) => entry.moved),
    ({ kind, key }) => `${kind} ${key}`,
  );
  return [...moved].filter(([, list]) => list.length > 1).map(([what, list]) => `MOVED TWICE: ${what}, ${list.length} times`);
}

/** Money that one side knows of and the other does not, or knows otherwise. A refund may be paid out: its kind is not compared. */
function unlike(entries: Entry[], ours: Moved[]): string[] {
  const theirs = new Map(entries.filter((entry) => entry.moved).map((entry) => [entry.key, entry]));
  const known = new Map(ours.map((one) => [one.provider_key, one]));
  const lost = [...theirs.values()]
    .filter(({ key }) => !known.has(key))
    .map(({ kind, key, amount_minor }) => `LOST: the provider moved ${amount_minor} (${kind} ${key}), we do not know`);
  const wrong = ours.flatMap(({ kind, id, provider_key, amount_minor, currency }) => {
    const entry = theirs.get(provider_key);
    if (!entry) return [`MISREPORTED: ${kind} ${id} is called succeeded, the provider moved nothing`];
    if (entry.amount_minor !== amount_minor || entry.currency !== currency)
      return [`AMOUNT: ${kind} ${id} is ${amount_minor} ${currency}, the provider says ${entry.amount_minor} ${entry.currency}`];
    return [];
  });
  return [...lost, ...wrong];
}

/** No payer gave more than was asked for: what came too much has gone back, or is on its way back. */
async function overcharged(db: Queryable): Promise<string[]> {
  const rows = await db.all<{ id: string; captured: bigint; total: bigint }>(sql`
    select p.id, sum(a.amount_minor) as captured, p.amount_minor as total from payments p
    join attempts a on a.team_id = p.team_id and a.payment_id = p.id and a.status = 'succeeded'
    group by p.id, p.amount_minor having sum(a.amount_minor) > p.amount_minor`);
  return rows.map(({ id, captured, total }) => `CHARGED TWICE: ${id} collected ${captured} of ${total}`);
}

async function missingOrders(db: Queryable, orders: number): Promise<string[]> {
  const rows = await db.all<{ reference: string; made: bigint }>(sql`
    select reference, count(*) as made from payments group by reference having count(*) > 1`);
  const [total] = await db.all<{ made: bigint }>(sql`select count(*) as made from payments`);
  return [
    ...rows.map(({ reference, made }) => `DOUBLE ORDER: ${reference} was made ${made} times`),
    ...(Number(total?.made) === orders ? [] : [`ORDERS: ${total?.made} payments for ${orders} orders`]),
  ];
}

/** Clearing is what lies at the providers, by their own books: what came, less what went, in each currency. */
async function wrongClearing(db: Queryable, entries: Entry[]): Promise<string[]> {
  const expected = new Map<string, bigint>();
  for (const { kind, currency, amount_minor, moved } of entries) {
    const change = kind === 'collect' ? amount_minor : -amount_minor;
    if (moved) expected.set(currency, (expected.get(currency) ?? 0n) + change);
  }
  const rows = await db.all<{ currency: string; held: bigint }>(sql`
    select currency, -sum(held)::bigint as held from (
      select currency, posted_minor as held from balances where account = 'clearing'
      union all select currency, amount_minor from balance_deltas where account = 'clearing'
    ) parts group by currency`);
  const held = new Map(rows.map((row) => [row.currency, row.held]));
  return [...new Set([...expected.keys(), ...held.keys()])].flatMap((currency) => {
    const [ours, theirs] = [held.get(currency) ?? 0n, expected.get(currency) ?? 0n];
    return ours === theirs ? [] : [`LEDGER: clearing holds ${ours} ${currency}, the providers moved ${theirs}`];
  });
}

async function wrongBooks(db: Queryable): Promise<string[]> {
  const found: string[] = [];
  await verifyLedger(db, ({ check, what, expected, found: seen }) => {
    found.push(`LEDGER: ${check} ${what}: ${seen} instead of ${expected}`);
  });
  await checkBooks(db, ({ check, what, expected, found: seen }) => {
    found.push(`ROWS: ${check} ${what}: ${seen} instead of ${expected}`);
  });
  return found;
}
