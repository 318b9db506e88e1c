import { jsonText } from '../../kit/json.ts';
import { rowsOf, rowsOfPage, rowsToCount } from '../../kit/pages.ts';
import type { Position } from '../../kit/paging.ts';
import { clause, fixed, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import type { PaymentMethodRow } from './schema.ts';
import type { CustomerRef } from './store.ts';

const columns = fixed('team_id, id, customer_id, type, channel, brand, last4, created_at, last_used_at');

/** A payment method with its vault entry. */
export interface NewMethod extends PaymentMethodRow {
  provider_account: string | null;
  token_sealed: string;
  fingerprint: string;
}

/**
 * Saves payment methods, or returns the existing ones with the same numbers or tokens. The fixed order prevents deadlocks.
 * It does not wait for a concurrent erasure: the erasure is repeated later (sweeps.ts).
 */
export function upsertMethods(tx: Tx, rows: readonly NewMethod[]): Promise<PaymentMethodRow[]> {
  return tx.all<PaymentMethodRow>(sql`
    insert into payment_methods (team_id, id, customer_id, type, channel, provider_account, brand, last4, token_sealed, fingerprint,
      created_at, last_used_at)
    select m.team_id, m.id, m.customer_id, m.type, m.channel, m.provider_account, m.brand, m.last4, m.token_sealed, m.fingerprint,
      m.created_at, m.last_used_at
    from json_to_recordset(${jsonText(rows)}::json) as m(team_id bigint, id text, customer_id text, type text, channel text,
      provider_account text, brand text, last4 text, token_sealed text, fingerprint text, created_at timestamptz,
      last_used_at timestamptz)
    join customers c on c.team_id = m.team_id and c.id = m.customer_id and c.archived_at is null
    order by m.team_id, m.customer_id, m.fingerprint
    on conflict (team_id, customer_id, fingerprint)
      do update set last_used_at = greatest(payment_methods.last_used_at, excluded.last_used_at)
    returning ${columns}`);
}

/** A use of a method. */
export interface MethodUse {
  team_id: bigint;
  id: string;
  at: Date;
}

/**
 * Sets the time of last use of methods, unless it is later already. Skips methods that are locked, for example by a concurrent erasure.
 */
export async function markUsed(tx: Tx, uses: readonly MethodUse[]): Promise<void> {
  const [teams, ids, times] = [uses.map(({ team_id }) => team_id), uses.map(({ id }) => id), uses.map(({ at }) => at)];
  await tx.run(sql`
    with used as materialized (
      select m.team_id, m.id, u.at from payment_methods m
      join (
        select team_id, id, max(at) as at
        from unnest(${teams}::bigint[], ${ids}::text[], ${times}::timestamptz[]) as t(team_id, id, at) group by team_id, id
      ) u on u.team_id = m.team_id and u.id = m.id
      for update of m skip locked
    )
    update payment_methods m set last_used_at = greatest(m.last_used_at, u.at)
    from used u where m.team_id = u.team_id and m.id = u.id`);
}

/** Returns the mobile money method that the customer used last. */
export function findLastWallet(db: Queryable, customer: CustomerRef): Promise<PaymentMethodRow | undefined> {
  return db.maybe<PaymentMethodRow>(sql`
    select ${columns} from payment_methods
    where team_id = ${customer.team_id} and customer_id = ${customer.id} and type = 'mobile_money'
    order by last_used_at desc, id desc limit 1`);
}

/** Returns a method with its encrypted number or token. */
export function findSealed(
  db: Queryable,
  customer: CustomerRef,
  id: string,
): Promise<(PaymentMethodRow & { token_sealed: string }) | undefined> {
  return db.maybe(sql`
    select ${columns}, token_sealed from payment_methods
    where team_id = ${customer.team_id} and customer_id = ${customer.id} and id = ${id}`);
}

const methodsOf = ({ team_id, id }: CustomerRef) => rowsOf(team_id, [], clause`customer_id = ${id}`);

/** Returns one page, in the order of the list. */
export function listMethods(db: Queryable, customer: CustomerRef, position: Position): Promise<PaymentMethodRow[]> {
  return db.all<PaymentMethodRow>(sql`
    select ${columns} from payment_methods where ${rowsOfPage(methodsOf(customer), position)}`);
}

/** Counts the saved payment methods of a customer. */
export async function countMethods(db: Queryable, customer: CustomerRef): Promise<number> {
  const row = await db.maybe<{ total: bigint }>(sql`
    select count(*) as total from (select id from payment_methods where ${rowsToCount(methodsOf(customer))}) counted`);
  return Number(row?.total ?? 0n);
}

/**
 * Deletes methods that were last used before a time.
 * @returns how many were deleted
 */
export function deleteUnused(db: Queryable, before: Date, limit: number): Promise<number> {
  return db.run(sql`
    delete from payment_methods where (team_id, id) in (
      select team_id, id from payment_methods where last_used_at < ${before} order by last_used_at limit ${limit} for update skip locked
    )`);
}

/**
 * Deletes a payment method.
 * @returns the deleted method; undefined when the customer has no such method
 */
export function deleteMethod(tx: Queryable, customer: CustomerRef, id: string): Promise<PaymentMethodRow | undefined> {
  return tx.maybe<PaymentMethodRow>(sql`
    delete from payment_methods where team_id = ${customer.team_id} and customer_id = ${customer.id} and id = ${id}
    returning ${columns}`);
}
