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
import { subscriptionsOf } from '../../money/events/catalogue.ts';
import type { EventInput } from '../../money/events/record.ts';
import { RECORD } from '../../money/webhooks/record-store.ts';
import { typedColumns } from '../../kit/columns.ts';
import { jsonText } from '../../kit/json.ts';
import { retried } from '../../kit/retried.ts';
import { CHECK_VIOLATION, fixed, pgCode, pgConstraint, type Queryable, sql } from '../../kit/sql.ts';
import { insertKeysOf } from '../../tenants/api/idempotency-store.ts';
import { STORED_COLUMNS } from './fields.ts';
import type { PaymentRow } from './schema.ts';
import { COLUMNS } from './store.ts';

/** The columns of a payment's row that are inserted as they are. */
const INSERTED = [
  ...STORED_COLUMNS,
  'amount_minor',
  'currency',
  'bearer',
  'account_id',
  'split',
  'name',
  'email',
  'phone',
  'details',
  'key_id',
  'retry_of',
  'retry_number',
  'expires_at',
] as const;

/** The columns of the statement's input. It may find another customer. */
const INPUT = [...INSERTED, 'id', 'customer_id'] as const;

type InsertedRow = Pick<PaymentRow, 'id'> & Partial<Pick<PaymentRow, (typeof INPUT)[number]>>;

/** What differs between the first events of payments; the rest is {@link FIRST_EVENT}. */
type FirstEvent = Pick<EventInput, 'team_id' | 'event_id' | 'packed' | 'filled' | 'created_at'>;

/** A payment to insert, with its idempotency key and its first event. */
export interface NewPayment extends FirstEvent, InsertedRow {
  route: string;
  idempotency_key: string | null;
  request_hash: string;
  unique_reference: boolean;
  request_id: string;
  /** How the customer is found or created. Without it, `customer_id` names the customer, or there is none. */
  payer?: Payer | null;
}

/** Returns the columns of a row that are inserted. Those without a value are left out: the statement reads them as null. */
export function insertedOf(row: PaymentRow): InsertedRow {
  const columns: Record<string, unknown> = {};
  for (const name of INPUT) if (row[name] !== null) columns[name] = row[name];
  return columns as unknown as InsertedRow;
}

/** The customer of a payment that was created, or `blocked` when the payment was rejected because its customer is blocked. */
export type Inserted = { customer_id: string | null } | 'blocked';

const same = fixed([...INSERTED, 'unique_reference', 'request_id'].join(', '));

/** SQL: the type of the event, who receives it, and its number among those of the payment. */
const FIRST_EVENT = `'payment.created' as type, '{${subscriptionsOf('payment.created').join(',')}}'::text[] as subscriptions, 1 as sequence`;
const firstEvent = fixed(FIRST_EVENT);

const FIRST_EVENT_COLUMNS = 'team_id bigint, event_id text, packed text, filled text, created_at timestamptz';
const INPUT_COLUMNS = `${FIRST_EVENT_COLUMNS}, ${typedColumns(COLUMNS, INPUT)}, route text,
  idempotency_key text, request_hash text, unique_reference boolean, request_id text, ${PAYER_COLUMNS}`;
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
      from json_to_recordset(${jsonText(input)}::json) as i(${inputColumns})
    ),
    keyed as (${keysOfInput}),
    event_input as materialized (
      select team_id, event_id, ${firstEvent}, id as resource_id, packed, created_at, paid_by,
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
      select * from json_to_recordset(${jsonText(withPayers(payments))}::json) as i(${inputColumnsWithNew})
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
      select team_id, event_id, ${firstEvent}, id as resource_id, packed,
        case when payer_id is null then filled else '|' || paid_by end as filled, created_at from paying
      union all
      select team_id, event_id, type, subscriptions, sequence, resource_id, packed, filled, created_at from payer_events
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

/** Maximum runs of one batch or transaction. After one wait for another transaction, it sees nearly all of its customers. */
const MAX_RUNS = 5;

/**
 * Runs `work` again while another transaction is creating a customer of its payments; the next run finds it.
 * @throws any other error, and the last violation after 5 runs
 */
export function seeingCustomers<T>(work: (run: number) => Promise<T>): Promise<T> {
  return retried(MAX_RUNS, isCustomerNotVisible, work);
}

function isCustomerNotVisible(error: unknown): boolean {
  return pgCode(error) === CHECK_VIOLATION && pgConstraint(error) === 'payments_customer_seen';
}
