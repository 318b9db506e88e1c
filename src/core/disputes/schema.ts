import { type Static, Type } from 'typebox';
import type { JsonObject } from '../../kit/json.ts';
import { pagingQuery } from '../../kit/paging.ts';
import { moment, nullableObject, nullableText, openObject } from '../../kit/schema.ts';
import type { Draw } from '../../money/settlement/draw.ts';
import { DISPUTE_STATUSES, type DisputeStatus } from './states.ts';

/** A row of disputes. Amounts are in hundredths (bigint). */
export interface DisputeRow {
  team_id: bigint;
  id: string;
  payment_id: string;
  amount_minor: bigint;
  currency: string;
  status: DisputeStatus;
  reason: string;
  evidence: JsonObject | null;
  draws: Draw[];
  /** What an operator recorded of the provider's notices. Not shown by the API. */
  note: string | null;
  /** Deadline for evidence. */
  due_at: Date | null;
  event_count: number;
  created_at: Date;
  updated_at: Date;
  closed_at: Date | null;
}

export const evidenceBody = openObject({
  evidence: nullableObject({ description: 'Texts and document URLs that prove the payment was legitimate.' }),
});

export type EvidenceBody = Static<typeof evidenceBody>;

export const listDisputesQuery = Type.Object({
  ...pagingQuery,
  payment: Type.Optional(Type.String({ maxLength: 64 })),
  status: Type.Optional(Type.Enum([...DISPUTE_STATUSES])),
});

export type ListDisputesQuery = Static<typeof listDisputesQuery>;

const text = Type.String();

export const disputeShape = Type.Object({
  id: text,
  payment: text,
  amount: Type.Number(),
  currency: text,
  status: Type.Enum([...DISPUTE_STATUSES]),
  reason: text,
  evidence: nullableObject(),
  due_at: nullableText(),
  sandbox: Type.Boolean(),
  created_at: moment,
  updated_at: moment,
  closed_at: nullableText(),
});
