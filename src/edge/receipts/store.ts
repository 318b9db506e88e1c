import { jsonText } from '../../kit/json.ts';
import { type Queryable, sql, type Tx } from '../../kit/sql.ts';
import type { MailKind, ReceiptMailFacts } from '../../tenants/outbox/schema.ts';
import { INSERT_MAILS } from '../../tenants/outbox/store.ts';

/** A refund that reached the payer. */
export interface PaidBack {
  amount_minor: bigint;
  completed_at: Date;
}

/** Returns refunds that reached the payer, oldest first. */
export function findPaidBack(db: Queryable, payment: { team_id: bigint; id: string }, limit: number): Promise<PaidBack[]> {
  return db.all<PaidBack>(sql`
    select amount_minor, completed_at from refunds
    where team_id = ${payment.team_id} and payment_id = ${payment.id} and kind = 'merchant' and status = 'succeeded'
      and completed_at is not null
    order by id limit ${limit}`);
}

interface ReceiptMail {
  team_id: bigint;
  customer_id: string;
  /** The address in the payment. */
  email: string | null;
  facts: ReceiptMailFacts;
}

/**
 * Queues the receipt mails of payments, to the address in the payment, else to the customer's. Whether that customer is the payer is
 * checked when the mail is sent (src/edge/mail/current.ts), because keys are in another database. The payments are locked. An erasure
 * locks them too before it deletes the receipts of its customer, so it misses none.
 */
export async function insertReceiptMails(tx: Tx, mails: readonly ReceiptMail[]): Promise<void> {
  await tx.run(sql`
    with mail_input as (
      select c.team_id, ${'receipt' satisfies MailKind}::text as kind, u.facts, coalesce(u.email, c.email) as recipient
      from json_to_recordset(${jsonText(mails)}::json) as u(team_id bigint, customer_id text, email text, facts json)
      join customers c on c.team_id = u.team_id and c.id = u.customer_id
      where coalesce(u.email, c.email) is not null
    )
    ${INSERT_MAILS}`);
}
