import { levelOf, paymentProblem } from '../../money/transaction-limits/service.ts';
import { customerProblem } from '../../core/customers/payer.ts';
import type { Store } from '../../platform/db/stores.ts';
import { sha256 } from '../../kit/crypto.ts';
import { must, Problem } from '../../kit/errors.ts';
import { isCurrency, type Minor, wireFromMinor } from '../../kit/money.ts';
import type { Tx } from '../../kit/sql.ts';
import { hostedPageUrl } from '../../core/payments/token.ts';
import { createInTransaction } from '../../core/payments/create-within.ts';
import { cancelLockedPayment } from '../../core/payments/locked.ts';
import type { CreatePaymentBody, PaymentRow } from '../../core/payments/schema.ts';
import type { Team } from '../../tenants/teams/schema.ts';
import { findTeam } from '../../tenants/teams/store.ts';
import { applySteps, ENVIRONMENT } from './apply.ts';
import type { InvoiceDeps } from './deps.ts';
import { isPayableAmount } from './part.ts';
import { dueOf } from './present.ts';
import type { InvoiceRow } from './schema.ts';
import { lockWithPayment } from './service.ts';
import { isPayable } from './states.ts';
import { awaitsDecision, countPayments, insertPayment } from './store.ts';
import type { InvoiceRef } from './token.ts';
import { transact } from './transact.ts';

/** Minimum remaining validity of an existing payment to which a payer is redirected. */
const MIN_WINDOW_MS = 5 * 60_000;
const ROUTE = 'invoice';

/** Result of a request to pay. */
export type Paying =
  /** URL of the payment's hosted page. */
  | { kind: 'pay'; url: string }
  /** No amount is due, or money that arrived waits for a decision. The page shows why. */
  | { kind: 'settled' }
  /** The amount is outside the limits. */
  | { kind: 'amount' }
  /**
   * Why no payment can be created: the team is not verified, the amount exceeds its transaction limit, or the customer is
   * blocked.
   */
  | { kind: 'refused'; problem: Problem };

/**
 * Returns a payment of the amount due, or of a part of it. An invoice has one open payment at a time. A payment without a
 * charge is reused, or cancelled when its amount differs. A payment in progress is returned to every payer.
 * @param chosen the amount in minor units; null for the whole amount due
 */
export async function payInvoice(deps: InvoiceDeps, ref: InvoiceRef, chosen: Minor | null, request_id: string): Promise<Paying> {
  const store = deps.stores[ENVIRONMENT].of(ref.team_id);
  const team = must(await findTeam(deps.stores.control, ref.team_id), 'an invoice has a team');
  const at = deps.clock.now();
  const paying = await transact(store.db, async (tx): Promise<Paying> => {
    const { row, held } = await lockWithPayment(tx, ref);
    if (!isPayable(row.status)) return { kind: 'settled' };
    const lead = (payment: Pick<PaymentRow, 'id'>): Paying => {
      return { kind: 'pay', url: hostedPageUrl(deps, store, ref.team_id, payment.id) };
    };
    if (held?.progress === 'under_way') return lead(held.payment);
    if (await awaitsDecision(tx, ref)) return { kind: 'settled' };
    const amount_minor = amountOf(row, chosen);
    if (amount_minor === null) return { kind: 'amount' };
    const problem = paymentProblem(levelOf(ENVIRONMENT, team), row.currency, amount_minor);
    if (problem) return { kind: 'refused', problem };
    const objection = await customerProblem({ environment: ENVIRONMENT, db: tx }, ref.team_id, row.customer_id);
    if (objection?.status === 422) return { kind: 'refused', problem: objection };
    if (held?.progress === 'not_started') {
      const { payment } = held;
      if (payment.amount_minor === amount_minor && payment.expires_at.getTime() - at > MIN_WINDOW_MS) return lead(payment);
      await cancelLockedPayment(tx, { environment: ENVIRONMENT, at, listeners: deps.listeners }, held);
    }
    // An erased customer is not named on the payment. The debt remains.
    const customer_id = objection ? null : row.customer_id;
    return lead(await makePayment(tx, { store, row, team, customer_id, amount_minor, at, request_id }));
  }).catch((error: unknown): Paying => {
    if (error instanceof Problem && error.status === 422) return { kind: 'refused', problem: error };
    throw error;
  });
  deps.wake.ring(ENVIRONMENT);
  return paying;
}

/** Returns the amount to pay now; null when the chosen amount is not allowed. */
function amountOf(row: InvoiceRow, chosen: Minor | null): Minor | null {
  const amount = chosen ?? dueOf(row);
  return isPayableAmount(row, amount) ? amount : null;
}

interface Wanted {
  store: Store;
  row: InvoiceRow;
  team: Team;
  customer_id: string | null;
  amount_minor: Minor;
  at: number;
  request_id: string;
}

async function makePayment(tx: Tx, wanted: Wanted): Promise<PaymentRow> {
  const { store, row, team, amount_minor, at, request_id } = wanted;
  const order = {
    body: bodyOf(wanted),
    // All payments of an invoice have its number as reference. The team's setting applies to the team's own references.
    caller: { team: { ...team, unique_references: false }, store, key_id: row.id },
    request_id,
    at,
  };
  // The lock on the invoice ensures one payment at a time. The idempotency key is the number of the payment.
  const key = `${row.id} ${(await countPayments(tx, row)) + 1}`;
  const payment = await createInTransaction(tx, order, amount_minor, { route: ROUTE, key, hash: sha256(key) });
  await insertPayment(tx, row, payment.id);
  await applySteps(tx, at, [{ before: row, changes: { payment_id: payment.id } }]);
  return payment;
}

/** Returns the payment as a body of POST /payments. Its callback is the invoice's page. */
function bodyOf({ row, customer_id, amount_minor }: Wanted): CreatePaymentBody {
  const number = must(row.number, 'it was sent');
  const { name, email, phone } = row;
  return {
    amount: wireFromMinor(amount_minor),
    currency: must(isCurrency(row.currency) ? row.currency : null, 'it was checked when the invoice was made'),
    reference: number,
    description: number,
    callback: must(row.url, 'it was sent'),
    metadata: { invoice: row.id },
    items: row.items.map((item) => ({ name: item.name, quantity: item.quantity })),
    ...(customer_id === null ? {} : { customer_id }),
    ...(name === null ? {} : { name }),
    ...(email === null ? {} : { email }),
    ...(phone === null ? {} : { phone }),
  };
}
