import { must } from '../../kit/errors.ts';
import type { Minor } from '../../kit/money.ts';
import { sql, type Tx } from '../../kit/sql.ts';

/** The fee of a payment, and who bears it: the merchant, from whose money it was taken, or the customer, who paid it on top. */
export interface Fee {
  fee_minor: Minor;
  bearer: 'merchant' | 'customer';
}

/** Returns the fee of a payment. The caller has locked the payment's row. */
export async function feeOf(tx: Tx, team_id: bigint, payment_id: string): Promise<Fee> {
  const row = await tx.maybe<Fee>(sql`select fee_minor, bearer from payments where team_id = ${team_id} and id = ${payment_id}`);
  return must(row, 'the caller has locked the payment');
}
