import { type Static, Type } from 'typebox';
import type { JsonObject } from '../../kit/json.ts';
import { pagingQuery } from '../../kit/paging.ts';
import { moment, nullableObject, nullableText, openObject } from '../../kit/schema.ts';
import type { Draw } from '../../money/settlement/draw.ts';
import { REFUND_REASONS } from './reasons.ts';
import { REFUND_STATUSES, type RefundStatus } from './states.ts';

/** A refund part: the amount that goes back to one attempt's payer. Parts are sent one after the other. */
export interface RefundPart {
  attempt_id: string;
  amount_minor: bigint;
  /** Idempotency key at the provider; stored before anything is sent. */
  provider_key: string;
  /** The key under which the provider moves no money any more. While it equals `provider_key`, the next submission gets a new key. */
  spent_key?: string | undefined;
  /** Whether it was sent a second time, under the same key, because the provider reported that it was not found. */
  resent?: true | undefined;
  /** Whether the provider's response contradicted our books: it is not sent again, and a person ends it. */
  halted?: true | undefined;
  provider_ref: string | null;
  /** Time of the last submission, in ISO 8601; null: never sent, or sent before this was stored. */
  sent_at: string | null;
  /** Provider account of a payout. A refund is made at the provider account of the attempt. */
  provider_account?: string;
  /** sent: the provider may have it. */
  status: 'waiting' | 'sent' | 'succeeded' | 'failed';
}

/** A row of refunds. Amounts are in hundredths (bigint). `giveback` is an automatic reversal. */
export interface RefundRow {
  team_id: bigint;
  id: string;
  payment_id: string;
  kind: 'merchant' | 'giveback';
  attempt_id: string | null;
  /** The return that this refund carries out, if its kind is `giveback` (automatic reversal). */
  return_id: string | null;
  /** manual: an operator returns the money. Payouts are sent by the worker of src/core/returns. */
  way: 'refund' | 'payout' | 'manual';
  legs: RefundPart[];
  amount_minor: bigint;
  currency: string;
  status: RefundStatus;
  reason: string;
  failure_reason: string | null;
  message: string | null;
  metadata: JsonObject | null;
  /** Null while the balance does not cover the refund. */
  draws: Draw[] | null;
  /** The manual resolution of its outcome. */
  resolution: { as: string } | null;
  event_count: number;
  polls: number;
  next_poll_at: Date | null;
  created_at: Date;
  updated_at: Date;
  submitted_at: Date | null;
  completed_at: Date | null;
}

export const createRefundBody = openObject({
  payment: Type.String({ minLength: 1, maxLength: 64 }),
  amount: Type.Optional(Type.Number({ minimum: 0.01, description: 'Default: the amount not yet refunded.' })),
  reason: Type.Enum([...REFUND_REASONS]),
  metadata: Type.Optional(nullableObject()),
});

export type CreateRefundBody = Static<typeof createRefundBody>;

const refundFilters = {
  status: Type.Optional(Type.Enum([...REFUND_STATUSES])),
  date_from: Type.Optional(Type.String({ format: 'date' })),
  date_to: Type.Optional(Type.String({ format: 'date' })),
};

export const listRefundsQuery = Type.Object({
  ...pagingQuery,
  payment: Type.Optional(Type.String({ maxLength: 64 })),
  ...refundFilters,
});

export const paymentRefundsQuery = Type.Object({ ...pagingQuery, ...refundFilters });

export type ListRefundsQuery = Static<typeof listRefundsQuery>;

const text = Type.String();

export const refundShape = Type.Object({
  id: text,
  payment: text,
  amount: Type.Number(),
  currency: text,
  status: Type.Enum([...REFUND_STATUSES]),
  reason: text,
  failure_reason: nullableText(),
  message: nullableText(),
  fee: Type.Number(),
  sandbox: Type.Boolean(),
  metadata: nullableObject(),
  created_at: moment,
  updated_at: moment,
  completed_at: nullableText(),
});
