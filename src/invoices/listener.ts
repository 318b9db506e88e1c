import { must } from '../kit/errors.ts';
import type { Move, PaymentListener } from '../payments/listeners.ts';
import { applySteps, ENVIRONMENT, type Step } from './apply.ts';
import type { InvoiceRow } from './schema.ts';
import type { InvoiceTrigger } from './states.ts';
import { type Brought, lockInvoices, type Sums, sumsOf, writeBrought } from './store.ts';

/** Who made a payment stands in it, and an invoice's payments were made by the invoice. */
const MADE_BY_INVOICE = 'inv_';

/**
 * Counts what payments bring their invoices, in the transaction that brings it. What a payment has brought is written
 * as it stands, and an invoice's sum is made of all of it: news that comes twice counts once.
 */
export const invoiceListener: PaymentListener = async (tx, { environment, at }, moves) => {
  if (environment !== ENVIRONMENT) return;
  const brought = moves.filter(isMoney).map(broughtBy);
  if (brought.length === 0) return;
  const refs = await writeBrought(tx, brought);
  const invoices = await lockInvoices(tx, refs);
  const sums = new Map((await sumsOf(tx, refs)).map((sum) => [`${sum.team_id} ${sum.id}`, sum]));
  await applySteps(
    tx,
    at,
    invoices.map((row) => paidStep(row, must(sums.get(`${row.team_id} ${row.id}`), 'it has payments'))),
  );
};

/** Money came, or a part of what had come went back. What came too late goes back by itself and never counted. */
function isMoney({ before, after }: Move): boolean {
  if (!after.key_id.startsWith(MADE_BY_INVOICE) || !isKept(after.status)) return false;
  return !isKept(before.status) || before.refunded_minor !== after.refunded_minor;
}

function isKept(status: Move['after']['status']): boolean {
  return status === 'succeeded' || status === 'partially_refunded' || status === 'refunded';
}

/** The fee is the merchant's matter: the amount counts, whatever is left of it. */
function broughtBy({ after }: Move): Brought {
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
