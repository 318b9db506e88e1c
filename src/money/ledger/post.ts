import type { Minor } from '../../kit/money.ts';
import { sql, type Tx } from '../../kit/sql.ts';
import { type Account, kindOf } from './accounts.ts';

/** One positive amount from one account to another, so that every journal balances. */
export interface Posting {
  debit: Account;
  credit: Account;
  amount_minor: Minor;
}

/** The postings of one change. A second journal with the same kind and source is not posted. */
export interface Journal {
  team_id: bigint;
  kind: string;
  /** Id of the attempt, refund, transfer, … that changed. */
  source_id: string;
  /** Id of the payment or transfer under which the journal is listed. */
  subject_id: string;
  currency: string;
  postings: Posting[];
}

/** Thrown when a guarded account would go below zero: the transaction must be rolled back. */
export class InsufficientBalance extends Error {}

interface Net {
  team_id: bigint;
  currency: string;
  account: Account;
  amount_minor: Minor;
}

/**
 * Posts journals in the transaction of the change they belong to. It is the only code that writes money. Guarded balances are
 * updated last and in a fixed order, so that their locks are short and never deadlock.
 * @returns the journals that were not posted before: rows that belong to a journal are written for these only
 * @throws InsufficientBalance when a guarded account does not cover its debits
 */
export async function post(tx: Tx, journals: Journal[]): Promise<Journal[]> {
  const booked = await book(
    tx,
    journals.map((journal) => ({
      ...journal,
      postings: journal.postings.filter((posting) => posting.amount_minor > 0n),
    })),
  );
  const nets = summed(booked.flatMap(netsOf));
  const { streamed = [], locked = [] } = Object.groupBy(nets, ({ account }) =>
    kindOf(account) === 'streamed' ? 'streamed' : 'locked',
  );
  await Promise.all([stream(tx, streamed), guard(tx, locked)]);
  return booked;
}

/**
 * Inserts journals and their lines. The transaction gets its number before the ids are drawn. The marks of days.ts rely on this order: an
 * id that is drawn before the number could be below a mark that does not wait for the transaction.
 * @returns the journals that were not posted before
 */
async function book(tx: Tx, journals: Journal[]): Promise<Journal[]> {
  const given = journals.filter((journal) => journal.postings.length > 0);
  if (given.length === 0) return [];
  const rows = await tx.all<{ n: number }>(sql`
    with input as materialized (
      select i.*, pg_current_xact_id() as tx from json_to_recordset(${toJson(given.map((journal, n) => ({ n, ...journal })))}::json)
        as i(n integer, team_id bigint, kind text, source_id text, subject_id text, currency text, postings json)
    ),
    booked as (
      insert into journals (team_id, kind, source_id, subject_id, tx)
      select team_id, kind, source_id, subject_id, tx from input order by team_id, source_id, kind
      on conflict (team_id, source_id, kind) do nothing
      returning team_id, id, kind, source_id
    ),
    fresh as (select i.n, i.team_id, b.id, i.currency, i.postings from input i join booked b using (team_id, source_id, kind)),
    lines as (
      insert into postings (team_id, journal_id, line, currency, debit, credit, amount_minor)
      select f.team_id, f.id, p.line, f.currency, p.value->>'debit', p.value->>'credit', (p.value->>'amount_minor')::bigint
      from fresh f, json_array_elements(f.postings) with ordinality as p(value, line)
    )
    select n from fresh order by n`);
  return rows.map(({ n }) => given[n] as Journal);
}

function netsOf(journal: Journal): Net[] {
  const { team_id, currency } = journal;
  return journal.postings.flatMap(({ debit, credit, amount_minor }) => [
    { team_id, currency, account: debit, amount_minor: -amount_minor },
    { team_id, currency, account: credit, amount_minor },
  ]);
}

/** Returns one net amount for each account. The statements that lock the accounts sort them. */
function summed(nets: Net[]): Net[] {
  const byKey = new Map<string, Net>();
  for (const net of nets) {
    const key = `${net.team_id} ${net.currency} ${net.account}`;
    const sum = byKey.get(key);
    byKey.set(key, sum ? { ...sum, amount_minor: sum.amount_minor + net.amount_minor } : net);
  }
  return [...byKey.values()].filter((net) => net.amount_minor !== 0n);
}

async function stream(tx: Tx, nets: Net[]): Promise<void> {
  if (nets.length === 0) return;
  await tx.run(sql`
    insert into balance_deltas (team_id, currency, account, amount_minor)
    select team_id, currency, account, amount_minor from json_to_recordset(${toJson(nets)}::json)
      as n(team_id bigint, currency text, account text, amount_minor bigint)`);
}

async function guard(tx: Tx, nets: Net[]): Promise<void> {
  if (nets.length === 0) return;
  const uncovered = await updateGuarded(tx, nets);
  if (uncovered.length === 0) return;
  // Either the account has no row yet, or it does not cover the debit: create the row and try again.
  await ensureRows(tx, uncovered);
  const short = await updateGuarded(tx, uncovered);
  if (short.length > 0) throw new InsufficientBalance(`${short[0]?.account} does not cover the debit`);
}

interface AccountKey {
  team_id: bigint;
  currency: string;
  account: Account;
}

async function ensureRows(tx: Tx, keys: AccountKey[]): Promise<void> {
  const rows = keys.map(({ team_id, currency, account }) => ({
    team_id,
    currency,
    account,
    guarded: kindOf(account) === 'guarded',
  }));
  await tx.run(sql`
    insert into balances (team_id, currency, account, guarded)
    select team_id, currency, account, guarded from json_to_recordset(${toJson(rows)}::json)
      as n(team_id bigint, currency text, account text, guarded boolean)
    order by team_id, currency, account
    on conflict do nothing`);
}

/**
 * Locks guarded and locked accounts of one team and currency in the fixed order and returns their balances, for callers that
 * decide before posting from which account to draw.
 * @returns the balances in hundredths, by account
 */
export async function lockBalances<A extends Account>(
  tx: Tx,
  team_id: bigint,
  currency: string,
  accounts: readonly A[],
): Promise<Record<A, Minor>> {
  await ensureRows(
    tx,
    accounts.map((account) => ({ team_id, currency, account })),
  );
  const rows = await tx.all<{ account: A; posted_minor: bigint }>(sql`
    select account, posted_minor from balances
    where team_id = ${team_id} and currency = ${currency} and account = any(${[...accounts]})
    order by team_id, currency, account for update`);
  return Object.fromEntries(rows.map((row) => [row.account, row.posted_minor])) as Record<A, Minor>;
}

/**
 * Updates guarded and locked balances.
 * @returns the nets that no row could take
 */
async function updateGuarded(tx: Tx, nets: Net[]): Promise<Net[]> {
  const rows = await tx.all<{ n: number }>(sql`
    with net as materialized (
      select * from json_to_recordset(${toJson(nets.map((net, n) => ({ n, ...net })))}::json)
        as n(n integer, team_id bigint, currency text, account text, amount_minor bigint)
    ),
    locked as materialized (
      select b.team_id, b.currency, b.account, net.n, net.amount_minor
      from balances b join net using (team_id, currency, account)
      order by b.team_id, b.currency, b.account for update of b
    )
    update balances b set posted_minor = b.posted_minor + l.amount_minor
    from locked l
    where b.team_id = l.team_id and b.currency = l.currency and b.account = l.account
      and (not b.guarded or b.posted_minor + l.amount_minor >= 0)
    returning l.n`);
  const updated = new Set(rows.map(({ n }) => n));
  return nets.filter((_, n) => !updated.has(n));
}

/** Serialises bigints as text, which json_to_recordset reads exactly. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? field.toString() : field));
}
