import type { Environment } from '../../kit/environment.ts';
import { wireFromMinor } from '../../kit/money.ts';
import { decidedBy, explanationOf } from '../../providers/routing/explain.ts';
import type { AttemptView } from '../attempts/schema.ts';
import { type DerivedField, type ShownColumn, shownIn } from './fields.ts';
import type { PaymentRow } from './schema.ts';

const SHOWN = {
  created: shownIn('created'),
  listed: shownIn('listed'),
  public: shownIn('public'),
  retrieved: shownIn('retrieved'),
};

/** A payment on the wire: values by the names of fields.ts. */
type Shown = Record<string, unknown>;

/** Returns the fields of a view, in the order of the replies. */
function shown(view: keyof typeof SHOWN, values: Shown): Shown {
  const reply: Shown = {};
  for (const { name, column } of SHOWN[view]) reply[name] = onWire(values[column]);
  return reply;
}

/** Returns everything that a view can show of a payment. */
function valuesOf(environment: Environment, row: PaymentRow, attempts: readonly AttemptView[]): Shown {
  const derived: Record<DerivedField, unknown> = {
    sandbox: environment === 'sandbox',
    amount_total: wireFromMinor(totalOf(row)),
    attempts: attempts.map(presentAttempt),
  };
  const held: Record<ShownColumn, unknown> = { ...row.details, ...row };
  return { ...held, ...derived };
}

/** Amounts are bigints in a row, times are Dates. */
function onWire(value: unknown): unknown {
  if (typeof value === 'bigint') return wireFromMinor(value);
  return value instanceof Date ? value.toISOString() : (value ?? null);
}

function presentAttempt(attempt: AttemptView) {
  const explanation = explanationOf(attempt.decision);
  return {
    id: attempt.id,
    provider: attempt.provider,
    channel: attempt.channel,
    status: attempt.status,
    reason: attempt.reason,
    explanation: explanation && decidedBy(explanation),
    created_at: new Date(attempt.created_at).toISOString(),
  };
}

type ListedColumn = 'id' | 'reference' | 'amount_minor' | 'currency' | 'status' | 'channel' | 'description' | 'created_at';

/** The columns that a list shows. */
export const LISTED_COLUMNS = SHOWN.listed.map(({ column }) => column).filter((column) => column !== 'sandbox') as ListedColumn[];

export type ListedRow = Pick<PaymentRow, ListedColumn>;

/** Returns the fields of a payment in a list. */
export function listed(environment: Environment, row: ListedRow): Shown {
  return shown('listed', { ...row, sandbox: environment === 'sandbox' });
}

/** Returns the complete payment, as GET returns it to its owner and as events carry it. */
export function retrieved(environment: Environment, row: PaymentRow, attempts: readonly AttemptView[]): Shown {
  return shown('retrieved', valuesOf(environment, row, attempts));
}

/** Returns a retrieved payment reduced to the fields that a public key may see. */
export function publicOf(payment: Shown): Shown {
  return Object.fromEntries(SHOWN.public.map(({ name }) => [name, payment[name]]));
}

/** Returns the amount the payer is charged, in hundredths: the fee is added when the customer bears it. */
export function totalOf(row: Pick<PaymentRow, 'amount_minor' | 'fee_minor' | 'bearer'>): bigint {
  return row.bearer === 'customer' ? row.amount_minor + row.fee_minor : row.amount_minor;
}

/**
 * Returns the payment in the response to its creation: exactly the fields of docs/contract/envelope.md, with the values of its
 * creation, so that a replay is identical.
 */
export function created(environment: Environment, row: PaymentRow): Shown {
  return { ...shown('created', valuesOf(environment, row, [])), status: 'pending' };
}
