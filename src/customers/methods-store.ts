import { pageTail } from '../kit/pages.ts';
import type { Position } from '../kit/paging.ts';
import { fixed, type Queryable, sql, type Tx } from '../kit/sql.ts';
import type { PaymentMethodRow } from './schema.ts';
import type { CustomerRef } from './store.ts';

const columns = fixed('team_id, id, customer_id, type, channel, brand, last4, created_at, last_used_at');

/** A payment method with its vault entry. */
export interface NewMethod extends PaymentMethodRow {
  provider_account: string | null;
  token_sealed: string;
  fingerprint: string;
}

/** Saves it, or finds the one that stands for the same number or token. */
export async function upsertMethod(tx: Tx, row: NewMethod): Promise<PaymentMethodRow> {
  const rows = await tx.all<PaymentMethodRow>(sql`
    insert into payment_methods (team_id, id, customer_id, type, channel, provider_account, brand, last4, token_sealed, fingerprint,
      created_at, last_used_at)
    values (${row.team_id}, ${row.id}, ${row.customer_id}, ${row.type}, ${row.channel}, ${row.provider_account}, ${row.brand},
      ${row.last4}, ${row.token_sealed}, ${row.fingerprint}, ${row.created_at}, ${row.last_used_at})
    on conflict (team_id, customer_id, fingerprint) do update set last_used_at = excluded.last_used_at
    returning ${columns}`);
  return rows[0] as PaymentMethodRow;
}

/** One page, in reading order. */
export function listMethods(db: Queryable, customer: CustomerRef, position: Position): Promise<PaymentMethodRow[]> {
  return db.all<PaymentMethodRow>(sql`
    select ${columns} from payment_methods where team_id = ${customer.team_id} and customer_id = ${customer.id} ${pageTail(position)}`);
}

export async function countMethods(db: Queryable, customer: CustomerRef): Promise<number> {
  const row = await db.maybe<{ total: bigint }>(sql`
    select count(*) as total from payment_methods where team_id = ${customer.team_id} and customer_id = ${customer.id}`);
  return Number(row?.total ?? 0n);
}

export function deleteMethod(tx: Queryable, customer: CustomerRef, id: string): Promise<PaymentMethodRow | undefined> {
  return tx.maybe<PaymentMethodRow>(sql`
    delete from payment_methods where team_id = ${customer.team_id} and customer_id = ${customer.id} and id = ${id}
    returning ${columns}`);
}
