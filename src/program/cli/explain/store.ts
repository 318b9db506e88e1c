import { fixed, type Queryable, sql } from '../../../kit/sql.ts';
import type { AttemptRow } from '../../../core/attempts/schema.ts';
import { archivedAttempts } from '../../../core/payments/archived-store.ts';
import type { PaymentRow } from '../../../core/payments/schema.ts';
import { findStored } from '../../../core/payments/store.ts';
import { columnsOf } from '../../../kit/columns.ts';
import type { TransferRow } from '../../../core/transfers/schema.ts';

export type ExplainedPayment = Pick<
  PaymentRow,
  | 'team_id'
  | 'id'
  | 'status'
  | 'amount_minor'
  | 'captured_minor'
  | 'currency'
  | 'channel'
  | 'reason'
  | 'created_at'
  | 'expires_at'
>;

/** Returns a payment of an unknown team. It searches each team's part of the index, because there are few teams. */
export function findPaymentAnywhere(db: Queryable, id: string): Promise<ExplainedPayment | undefined> {
  return db.maybe<ExplainedPayment>(sql`
    with recursive teams(team_id) as (
      select min(team_id) from payments
      union all
      select (select min(p.team_id) from payments p where p.team_id > t.team_id) from teams t where t.team_id is not null
    )
    select p.team_id, p.id, p.status, p.amount_minor, p.captured_minor, p.currency, p.channel, p.reason, p.created_at, p.expires_at
    from teams t join payments p on p.team_id = t.team_id and p.id = ${id}`);
}

export type ExplainedAttempt = Pick<
  AttemptRow,
  | 'id'
  | 'provider'
  | 'provider_account'
  | 'channel'
  | 'status'
  | 'amount_minor'
  | 'currency'
  | 'provider_ref'
  | 'mismatch'
  | 'resolution'
  | 'reason'
  | 'message'
  | 'created_at'
  | 'submitted_at'
  | 'closed_at'
  | 'next_poll_at'
> & {
  /** Explanation of the routing decision, as stored at the time. */
  decision: unknown;
};

const EXPLAINED = [
  ...(['id', 'provider', 'provider_account', 'channel', 'status', 'amount_minor', 'currency', 'provider_ref'] as const),
  ...([
    'mismatch',
    'resolution',
    'reason',
    'message',
    'created_at',
    'submitted_at',
    'closed_at',
    'next_poll_at',
    'decision',
  ] as const),
];

/** Returns the attempts of a payment, oldest first, without data of the payer. */
export async function explainedAttempts(db: Queryable, team_id: bigint, payment_id: string): Promise<ExplainedAttempt[]> {
  const stored = await findStored(db, team_id, payment_id);
  if (stored?.archived) {
    const attempts = await archivedAttempts(db, { team_id, id: payment_id, archived: stored.archived });
    return attempts.map((attempt) => columnsOf(attempt, EXPLAINED));
  }
  return db.all<ExplainedAttempt>(sql`
    select ${fixed(EXPLAINED.join(', '))} from attempts where team_id = ${team_id} and payment_id = ${payment_id} order by id`);
}

/** An event of a payment. */
export interface ExplainedEvent {
  type: string;
  created_at: Date;
}

/** Returns the events of the payment in order. Events are deleted after a retention period. */
export function explainedEvents(db: Queryable, team_id: bigint, payment_id: string): Promise<ExplainedEvent[]> {
  return db.all<ExplainedEvent>(sql`
    select type, created_at from events where team_id = ${team_id} and resource_id = ${payment_id} order by sequence`);
}

export type ExplainedTransfer = Pick<
  TransferRow,
  | 'team_id'
  | 'id'
  | 'status'
  | 'reason'
  | 'message'
  | 'amount_minor'
  | 'currency'
  | 'channel'
  | 'provider_account'
  | 'provider_ref'
  | 'decision'
  | 'resolution'
  | 'created_at'
  | 'dispatched_at'
  | 'completed_at'
>;

/** Returns a transfer of an unknown team, without data of the recipient. It searches each team's part of the index. */
export function findTransferAnywhere(db: Queryable, id: string): Promise<ExplainedTransfer | undefined> {
  return db.maybe<ExplainedTransfer>(sql`
    with recursive teams(team_id) as (
      select min(team_id) from transfers
      union all
      select (select min(p.team_id) from transfers p where p.team_id > t.team_id) from teams t where t.team_id is not null
    )
    select p.team_id, p.id, p.status, p.reason, p.message, p.amount_minor, p.currency, p.channel, p.provider_account, p.provider_ref,
      p.decision, p.resolution, p.created_at, p.dispatched_at, p.completed_at
    from teams t join transfers p on p.team_id = t.team_id and p.id = ${id}`);
}
