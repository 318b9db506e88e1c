import { must } from '../../kit/errors.ts';
import type { Move, PaymentListener } from '../../core/payments/listeners.ts';
import { applySteps, ENVIRONMENT, type Step } from './apply.ts';
import type { InvoiceRow } from './schema.ts';
import type { InvoiceTrigger } from './states.ts';
import { invoiceOf } from './retry.ts';
import { type Contribution, lockInvoices, type Sums, sumsOf, updateContributions } from './store.ts';

/**
 * Adds captured and refunded money to the invoices of the payments, in the transaction of the payments. It stores the
 * absolute amounts of each payment and sums them for the invoice, so a repeated notification counts once.
 */
export const invoiceListener: PaymentListener = async (tx, { environment, at }, moves) => {
  if (environment !== ENVIRONMENT) return;
  const contributions = moves.filter(isMoney).map(contributionOf);
  if (contributions.length === 0) return;
  const refs = await updateContributions(tx, contributions);
  const invoices = await lockInvoices(tx, refs);
  const sums = new Map((await sumsOf(tx, refs)).map((sum) => [`${sum.team_id} ${sum.id}`, sum]));
  await applySteps(
    tx,
    at,
    invoices.map((row) => paidStep(row, must(sums.get(`${row.team_id} ${row.id}`), 'it has payments'))),
  );
};

/**
 * Returns whether money was captured or refunded. Money that arrives after the payment's end is returned automatically, and does not
 * count.
 */
function isMoney({ before, after }: Move): boolean {
  if (invoiceOf(after) === null || !isKept(after.status)) return false;
  return !isKept(before.status) || before.refunded_minor !== after.refunded_minor;
}

function isKept(status: Move['after']['status']): boolean {
  return status === 'succeeded' || status === 'partially_refunded' || status === 'refunded';
}

/** Returns the amounts of a payment. Its full amount counts, because the merchant bears the fee. */
function contributionOf({ after }: Move): Contribution {
  const { team_id, id, amount_minor, refunded_minor } = after;
  return { team_id, payment_id: id, paid_minor: amount_minor, refunded_minor };
}

function paidStep(before: InvoiceRow, { paid_minor, refunded_minor }: Sums): Step {
  return { before, changes: { paid_minor, refunded_minor }, trigger: triggerOf(before, paid_minor - refunded_minor) };
}

function triggerOf({ amount_minor }: InvoiceRow, kept: bigint): InvoiceTrigger {
  if (kept >= amount_minor) return 'paid_up';
  return kept > 0n ? 'part_paid' : 'emptied';
}
