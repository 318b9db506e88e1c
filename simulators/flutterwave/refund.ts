import type { Entry } from '../kit/book.ts';
import { type Answer, type Call, jsonOf } from '../kit/calls.ts';
import { minorOf } from '../kit/outcomes.ts';
import type { Kit } from '../kit/simulator.ts';
import { endingOf, rejection, success } from './codes.ts';
import { byRef } from './payout.ts';

/** Creates a refund. */
export async function createRefund(kit: Kit, call: Call): Promise<Answer> {
  const { amount, comments } = jsonOf(call) ?? {};
  const charge = byRef(kit.book.entries(), 'collect', call.params.id ?? '');
  if (!charge?.moved) return rejection(404, 'No transaction was found for this id');
  const left = charge.amount_minor - kit.book.refunded(charge.key);
  const amount_minor = amount === undefined ? left : minorOf(String(amount));
  if (amount_minor === null || amount_minor <= 0n || amount_minor > left)
    return rejection(400, 'Refund amount is more than what is left');
  if (call.fault === 'closed') return rejection(400, 'Refunds are currently unavailable');
  if (call.fault === 'float_exhausted') return rejection(400, 'Insufficient available balance');
  const key = String(comments ?? '');
  const { currency, msisdn } = charge;
  const wire = { payment_type: charge.wire.payment_type };
  const draft = { kind: 'refund', key, amount_minor, currency, msisdn, of: charge.key, callback_url: null, wire } as const;
  const entry = await kit.operations.create(draft, endingOf('refund', key, msisdn), call.fault);
  return success('Transaction refund initiated', presentRefund(entry, Number(charge.ref)));
}

/** Returns a refund by Flutterwave's id. */
export function showRefund({ book }: Kit, ref: string): Answer {
  const entry = byRef(book.entries(), 'refund', ref);
  if (!entry) return rejection(404, 'Refund not found');
  return success('Refund fetched', presentRefund(entry, Number(book.find(String(entry.of))?.ref)));
}

/**
 * Statuses of a refund that reached the payer, by payment method. Plain `completed` only reports that the refund was
 * initiated and is waiting to be disbursed (Refunds, table of refund statuses, v3).
 */
const DISBURSED: Record<string, string> = { card: 'completed-mpgs', bank_transfer: 'completed-bank-transfer' };

function refundStatus({ state, wire }: Entry): string {
  if (state === 'succeeded') return DISBURSED[String(wire.payment_type)] ?? 'completed-momo';
  return state === 'failed' ? 'failed' : 'completed';
}

function presentRefund(entry: Entry, tx_id: number): object {
  return {
    ...{ id: Number(entry.ref), account_id: 1, tx_id, flw_ref: `URF_${entry.ref}`, wallet_id: 1 },
    ...{ amount_refunded: Number(entry.amount_minor) / 100, status: refundStatus(entry) },
    ...{ destination: 'payment_source', meta: { source: 'availablebalance' }, comments: entry.word ?? entry.key },
    created_at: new Date(entry.created_at).toISOString(),
  };
}
