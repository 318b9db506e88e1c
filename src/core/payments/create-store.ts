import {
  FIND_PAYERS,
  FOUND_PAYER,
  CREATE_PAYERS,
  NEW_PAYER_COLUMNS,
  type NewPayer,
  PAYER_COLUMNS,
  type Payer,
  payerKey,
} from '../customers/payer.ts';
import { EVENT_COLUMNS, type EventInput, RECORD } from '../../money/events/record.ts';
import { fixed, type Queryable, sql } from '../../kit/sql.ts';
import { insertKeysOf } from '../../tenants/api/idempotency-store.ts';

/** A payment to insert, with its idempotency key and its first event, in the form the SQL reads. */
export interface NewPayment extends EventInput {
  id: string;
  route: string;
  idempotency_key: string | null;
  request_hash: string;
  reference: string | null;
  amount_minor: string;
  currency: string;
  bearer: string;
  description: string | null;
  customer_id: string | null;
  account_id: string | null;
  split: object | null;
  name: string | null;
  email: string | null;
  phone: string | null;
  callback: string | null;
  details: object | null;
  unique_reference: boolean;
  key_id: string;
  request_id: string;
  expires_at: string;
  /** How the customer is found or created. Without it, `customer_id` names the customer, or there is none. */
  payer?: Payer | null;
}

/** The customer of a payment that was created, or `blocked` when the payment was rejected because its customer is blocked. */
export type Inserted = { customer_id: string | null } | 'blocked';

/** Columns copied unchanged from the input into the table. */
const SAME = `reference, amount_minor, currency, bearer, description, account_id, split, name, email, phone, callback, details,
  unique_reference, key_id, request_id, expires_at`;
const same = fixed(SAME);

const INPUT_COLUMNS = `${EVENT_COLUMNS}, id text, route text, idempotency_key text, request_hash text,
  reference text, amount_minor bigint, currency text, bearer text, description text, customer_id text, account_id text, split json,
  name text, email text, phone text, callback text, details json, unique_reference boolean, key_id text, request_id text,
  expires_at timestamptz, ${PAYER_COLUMNS}`;
const inputColumns = fixed(INPUT_COLUMNS);
const inputColumnsWithNew = fixed(`${INPUT_COLUMNS}, ${NEW_PAYER_COLUMNS}`);
const foundPayer = fixed(FOUND_PAYER);
const keysOfInput = insertKeysOf('input');
const keysOfAllowed = insertKeysOf('allowed');

/**
 * Creates payments without customers or with existing customers, with their idempotency keys, events and deliveries, in one
 * statement that is its own transaction. Keys are inserted in a fixed order, so that two batches cannot deadlock. The event has
 * a placeholder for its customer, which the statement fills with the customer it finds.
 * @returns results by payment id; no entry for a payment whose idempotency key was already taken
 * @throws a violation of payments_customer_seen when one of the customers does not exist or is blocked
 */
export async function insertPayments(db: Queryable, payments: NewPayment[]): Promise<Map<string, Inserted>> {
  const input = payments.map(({ payer, ...payment }) => (payer ? { ...payment, ...payer } : payment));
  const rows = await db.all<{ id: string; customer_id?: string | null }>(sql`
    with input as materialized (
      select i.*, case when i.payer_id is null then i.customer_id else ${foundPayer} end as paid_by
      from json_to_recordset(${JSON.stringify(input)}::json) as i(${inputColumns})
    ),
    keyed as (${keysOfInput}),
    event_input as materialized (
      select team_id, event_id, type, subscriptions, resource_id, sequence, packed, created_at, paid_by,
        case when payer_id is null then filled else '|' || paid_by end as filled, ${same}
      from input where idempotency_key is null or id in (select resource_id from keyed)
    ),
    made as (
      insert into payments (team_id, id, customer_id, event_count, created_at, updated_at, ${same})
      select team_id, resource_id, paid_by, 1, created_at, created_at, ${same} from event_input returning id, customer_id
    ),
    ${RECORD}
    select id, customer_id from made`);
  return new Map(rows.map(({ id, customer_id = null }) => [id, { customer_id }]));
}

/**
 * Creates payments like `insertPayments`, together with customers that do not exist yet: keys first, then customers, both in a
 * fixed order. It is a separate statement because planning and starting so large a statement takes longer than inserting a
 * payment.
 * @returns results by payment id; no entry for a payment whose idempotency key was already taken
 * @throws a violation of payments_customer_seen when another transaction is creating one of the customers: run it again
 */
export async function insertWithPayers(db: Queryable, payments: NewPayment[]): Promise<Map<string, Inserted>> {
  const rows = await db.all<{ id: string; customer_id?: string | null; blocked?: boolean }>(sql`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(withPayers(payments))}::json) as i(${inputColumnsWithNew})
    ),
    ${FIND_PAYERS},
    allowed as materialized (
      select * from input where payer_id is null or payer_id not in (select payer_id from payers where blocked)
    ),
    keyed as (${keysOfAllowed}),
    fresh as materialized (
      select * from allowed where idempotency_key is null or id in (select resource_id from keyed)
    ),
    ${CREATE_PAYERS},
    paying as materialized (
      select f.*, case when f.payer_id is null then f.customer_id else coalesce(k.customer_id, '') end as paid_by
      from fresh f left join known_payers k on k.payer_id = f.payer_id
    ),
    event_input as materialized (
      select team_id, event_id, type, subscriptions, resource_id, sequence, packed,
        case when payer_id is null then filled else '|' || paid_by end as filled, created_at from paying
      union all select * from payer_events
    ),
    made as (
      insert into payments (team_id, id, customer_id, event_count, created_at, updated_at, ${same})
      select team_id, id, paid_by, 1, created_at, created_at, ${same} from paying returning id, customer_id
    ),
    ${RECORD}
    select id, customer_id, false as blocked from made
    union all
    select i.id, null, true from input i join payers p on p.payer_id = i.payer_id where p.blocked`);
  return new Map(rows.map(({ id, customer_id = null, blocked }) => [id, blocked ? 'blocked' : { customer_id }]));
}

/** Payments of the same payer share one new customer: the first of them carries its columns, the others only its id. */
function withPayers(payments: NewPayment[]): object[] {
  const first = new Map<string, Payer>();
  return payments.map(({ payer, ...payment }) => {
    if (!payer) return payment;
    const key = payerKey(payment.team_id, payer);
    const shared = first.get(key);
    if (shared) return { ...payment, payer_id: shared.payer_id };
    first.set(key, payer);
    const made: NewPayer = payer.fresh();
    return { ...payment, ...payer, ...made };
  });
}
