import { type Static, Type } from 'typebox';
import type { JsonObject } from '../kit/json.ts';
import { pagingQuery } from '../kit/paging.ts';
import { moment, nullableObject, nullableText, openObject } from '../kit/schema.ts';
import type { Draw } from '../settlement/draw.ts';
import { REFUND_STATUSES, type RefundStatus } from './states.ts';

/** Why a merchant refunds (docs/contract/money.md). */
export const REFUND_REASONS = [
  'duplicate',
  'fraudulent',
  'requested_by_customer',
  'service_not_delivered',
  'product_not_received',
  'wrong_amount',
  'network_error',
  'transaction_error',
  'customer_complaint',
  'merchant_error',
  'reconciliation',
] as const;

/** The part of a refund that goes back the way one attempt came. Sent one after the other. */
export interface Leg {
  attempt_id: string;
  amount_minor: bigint;
  /** Stored before anything is sent; the provider knows the leg by it. */
  provider_key: string;
  provider_ref: string | null;
  /** When it was sent last, in ISO form; null: never, or before this was kept. */
  sent_at: string | null;
  /** The account that has it, where it is not that of the attempt: of payouts. */
  provider_account?: string;
  /** sent: the provider may have it. */
  status: 'waiting' | 'sent' | 'succeeded' | 'failed';
}

export interface RefundRow {
  team_id: bigint;
  id: string;
  payment_id: string;
  kind: 'merchant' | 'giveback';
  attempt_id: string | null;
  /** The return it carries, of kind `giveback`. */
  return_id: string | null;
  /** manual: a person sees to it. Payouts are sent by the worker of the returns. */
  way: 'refund' | 'payout' | 'manual';
  legs: Leg[];
  amount_minor: bigint;
  currency: string;
  status: RefundStatus;
  reason: string;
  failure_reason: string | null;
  message: string | null;
  metadata: JsonObject | null;
  /** Null while the balance does not cover it. */
  draws: Draw[] | null;
  /** What a person decided about its outcome. */
  resolution: unknown;
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
  amount: Type.Optional(Type.Number({ minimum: 0.01, description: 'Default: what is left.' })),
  reason: Type.Enum([...REFUND_REASONS]),
  metadata: Type.Optional(nullableObject()),
});

export type CreateRefundBody = Static<typeof createRefundBody>;

export const listRefundsQuery = Type.Object({
  ...pagingQuery,
  payment: Type.Optional(Type.String({ maxLength: 64 })),
  status: Type.Optional(Type.Enum([...REFUND_STATUSES])),
  date_from: Type.Optional(Type.String({ format: 'date' })),
  date_to: Type.Optional(Type.String({ format: 'date' })),
});

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
