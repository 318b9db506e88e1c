import { subscriptionsOf } from '../../money/events/catalogue.ts';
import { eventInput } from '../../money/events/record.ts';
import type { Environment } from '../../kit/environment.ts';
import { invalid, notFound, type Problem } from '../../kit/errors.ts';
import { isId, newId } from '../../kit/ids.ts';
import { fixed, type Queryable } from '../../kit/sql.ts';
import { compactPhone } from './phone.ts';
import { presentCustomer } from './present.ts';
import type { CustomerRow } from './schema.ts';
import { searchText } from './search.ts';
import { findCustomer } from './store.ts';

/** How a payment identifies its payer. */
export interface PayerNamed {
  team_id: bigint;
  name: string | null;
  email: string | null;
  phone: string | null;
}

/** The payer of a payment: the customer with the e-mail address, else the one with the phone number, else a new one. */
export interface Payer {
  /** The id that a new customer gets. */
  payer_id: string;
  payer_email: string | null;
  payer_phone: string | null;
  /** Returns the data that only a new customer needs. */
  fresh(): NewPayer;
}

/** Data of a customer that is created together with its payment, as parameters of the SQL. */
export interface NewPayer {
  payer_name: string | null;
  payer_search: string;
  payer_event_id: string;
  payer_packed: string;
}

/**
 * Returns the payer.
 * @returns null without an e-mail address or phone number by which to find a customer
 */
export function payerOf(environment: Environment, at: number, named: PayerNamed): Payer | null {
  const phone = named.phone === null ? null : compactPhone(named.phone);
  if (named.email === null && phone === null) return null;
  const id = newId('cus', environment, at);
  return {
    payer_id: id,
    payer_email: named.email,
    payer_phone: phone,
    fresh: () => newPayer(environment, at, { ...named, phone, id }),
  };
}

function newPayer(environment: Environment, at: number, named: PayerNamed & { id: string }): NewPayer {
  const now = new Date(at);
  const row: CustomerRow = {
    ...named,
    company_name: null,
    address: null,
    billing: null,
    tax_id: null,
    metadata: null,
    blocked_at: null,
    archived_at: null,
    event_count: 1,
    created_at: now,
    updated_at: now,
  };
  const event = eventInput(environment, at, {
    team_id: row.team_id,
    type: 'customer.created',
    resource_id: row.id,
    sequence: 1,
    data: presentCustomer(environment, row),
  });
  return {
    payer_name: row.name,
    payer_search: searchText(row),
    payer_event_id: event.event_id,
    payer_packed: event.packed,
  };
}

/** Returns the key of a payer. Payers with equal keys are the same customer. */
export function payerKey(team_id: string, { payer_email, payer_phone }: Payer): string {
  return `${team_id} ${payer_email?.toLowerCase() ?? ''} ${payer_phone ?? ''}`;
}

/** Columns of a {@link Payer} for json_to_recordset. */
export const PAYER_COLUMNS = 'payer_id text, payer_email text, payer_phone text';

/** Columns of a {@link NewPayer} for json_to_recordset. */
export const NEW_PAYER_COLUMNS = 'payer_name text, payer_search text, payer_event_id text, payer_packed text';

/** SQL: the customer of a row `i`, found by e-mail, then by phone. '' when there is none or it is blocked. */
export const FOUND_PAYER = `coalesce(
  (select case when blocked_at is null then id else '' end from customers
    where team_id = i.team_id and email_key = lower(i.payer_email collate "C")),
  (select case when blocked_at is null then id else '' end from customers
    where team_id = i.team_id and phone = i.payer_phone), '')`;

/**
 * SQL: the payers of `input` (a payer's first row has all of its data) with the customer of each, found by e-mail, then
 * phone.
 */
export const FIND_PAYERS = fixed(`
  payers as materialized (
    select i.team_id, i.payer_id, i.payer_name, i.payer_email, i.payer_phone, i.payer_search, i.payer_event_id, i.payer_packed,
      i.created_at, c.id as found_id, c.blocked_at is not null as blocked
    from input i left join lateral (
      (select id, blocked_at, 1 as rank from customers
        where team_id = i.team_id and email_key = lower(i.payer_email collate "C"))
      union all
      (select id, blocked_at, 2 from customers where team_id = i.team_id and phone = i.payer_phone)
      order by rank limit 1
    ) c on true
    where i.payer_event_id is not null
  )`);

/**
 * SQL: creates the customers that rows of `fresh` need and that do not exist. The fixed order prevents deadlocks between
 * batches. A row of `known_payers` without a customer has one that a concurrent transaction is creating and this statement
 * cannot see: the statement has to be repeated.
 */
export const CREATE_PAYERS = fixed(`
  made_payers as (
    insert into customers (team_id, id, name, email, phone, event_count, created_at, updated_at)
    select team_id, payer_id, payer_name, payer_email, payer_phone, 1, created_at, created_at from payers
    where found_id is null and payer_id in (select payer_id from fresh)
    order by team_id, lower(payer_email collate "C"), payer_phone
    on conflict do nothing returning team_id, id, email_key, phone
  ),
  searchable_payers as (
    insert into customer_search (team_id, customer_id, text)
    select p.team_id, p.payer_id, p.payer_search from payers p join made_payers m on m.id = p.payer_id
  ),
  known_payers as materialized (
    select p.payer_id, coalesce(p.found_id, m.id,
      (select e.id from made_payers e where e.team_id = p.team_id and e.email_key = lower(p.payer_email collate "C")),
      (select f.id from made_payers f where f.team_id = p.team_id and f.phone = p.payer_phone)) as customer_id
    from payers p left join made_payers m on m.id = p.payer_id
  ),
  payer_events as (
    select p.team_id, p.payer_event_id as event_id, 'customer.created' as type,
      '{${subscriptionsOf('customer.created').join(',')}}'::text[] as subscriptions, p.payer_id as resource_id, 1 as sequence,
      p.payer_packed as packed, '' as filled, p.created_at
    from payers p join made_payers m on m.id = p.payer_id
  )`);

/**
 * Returns the reason why a payment cannot name a customer; null when it can.
 * @param where a store, or inside a transaction its own connection. A second connection could exhaust the pool: all holders
 * of a first one would wait for it.
 */
export async function customerProblem(
  { environment, db }: { environment: Environment; db: Queryable },
  team_id: bigint,
  customer_id: string,
): Promise<Problem | null> {
  const found = isId('cus', environment, customer_id) ? await findCustomer(db, { team_id, id: customer_id }) : undefined;
  if (!found || found.archived_at !== null) return notFound('Customer');
  return found.blocked_at === null ? null : blockedCustomer();
}

/** Error 422: the merchant has blocked this customer's payments. */
export function blockedCustomer(): Problem {
  return invalid({ customer: ['is blocked'] }, 'customer_blocked');
}
