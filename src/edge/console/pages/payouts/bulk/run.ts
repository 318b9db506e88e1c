import { readBalance } from '../../../../../core/balance/service.ts';
import type { BatchRow, LineRow, Outcome } from '../../../../../core/payout-batches/schema.ts';
import { linesThat, recordOutcomes } from '../../../../../core/payout-batches/store.ts';
import { must, Problem } from '../../../../../kit/errors.ts';
import { hundredths } from '../../../../../kit/money.ts';
import type { PaidTo } from '../../../../../tenants/api/route.ts';
import { approvalFault, refuseApproval } from '../../../../../tenants/approvals/faults.ts';
import { ranBefore } from '../../../approvals/ran.ts';
import { countNeedingSecond, type Moved, movesMoney } from '../../../money.ts';
import type { TeamVisit } from '../../../page.ts';
import { recipientLine } from '../recipient.ts';
import { reasonOf } from './make.ts';
import { MAX_LINES } from './parse.ts';
import { BULK_TEXTS } from './texts.ts';

/** Number of lines that one request pays out, which takes a few seconds at most. */
export const SLICE = 25;

/** Operation that makes a payout. */
export const OPERATION = 'POST /transfers';

const LINE_KEY = 'bulk-';

/** Returns whether an idempotency key is that of a line of a list. */
export function isLineKey(key: string): boolean {
  return key.startsWith(LINE_KEY);
}

/**
 * Pays out the next lines of a list. The idempotency key of a line is made of the list and its number, so that a line is paid once
 * however often it is run: after a crash, concurrently, or by two people. The results of the lines are recorded together, also when one
 * of them fails unexpectedly; lines that were not recorded are run again with the same keys. A beneficiary that differs from the one
 * that the list showed is not paid.
 * @returns `balance` when the available balance does not cover the next line, which stays open
 */
export async function runSlice(visit: TeamVisit, batch: BatchRow): Promise<'balance' | null> {
  const { store, team } = visit;
  const ref = { team_id: team.id, id: batch.id };
  const lines = await linesThat(store.db, ref, 'open', SLICE);
  const left = await availableFor(visit, lines);
  const outcomes: Outcome[] = [];
  try {
    for (const line of lines) {
      const { currency, amount_minor: total } = movedBy(line);
      const available = left.get(currency) ?? 0n;
      if (available < total) return 'balance';
      const outcome = await pay(visit, batch, line);
      outcomes.push(outcome);
      if (outcome.status === 'done') left.set(currency, available - total);
    }
    return null;
  } finally {
    if (outcomes.length > 0) await recordOutcomes(store.db, ref, outcomes);
  }
}

/** Returns how many lines of a list that is not confirmed yet need a second person. Each line is compared separately. */
export async function countForSecond(visit: TeamVisit, batch: BatchRow): Promise<number> {
  const { store, team } = visit;
  const lines = await linesThat(store.db, { team_id: team.id, id: batch.id }, 'open', MAX_LINES);
  return countNeedingSecond(visit, lines.map(movedBy));
}

async function availableFor({ store, team }: TeamVisit, lines: readonly LineRow[]): Promise<Map<string, bigint>> {
  const currencies = [...new Set(lines.map((line) => movedBy(line).currency))];
  const balances = await Promise.all(currencies.map((currency) => readBalance(store.db, team.id, currency, null)));
  return new Map(balances.map(({ currency, available }) => [currency, hundredths(available)]));
}

function movedBy({ amount_minor, fee_minor, currency }: LineRow): Moved {
  return {
    currency: must(currency, 'an open line has a currency'),
    amount_minor: must(amount_minor, 'an open line has an amount') + (fee_minor ?? 0n),
  };
}

async function pay(visit: TeamVisit, batch: BatchRow, line: LineRow): Promise<Outcome> {
  const call = {
    body: must(line.body, 'an open line has a body'),
    idempotency_key: `${LINE_KEY}${batch.id}-${line.line}`,
    verifyPayee: (payee: PaidTo) => {
      if (recipientLine(payee) !== line.recipient) refuseApproval('payee');
    },
  };
  try {
    const movement = await movesMoney(visit, OPERATION, call, movedBy(line));
    if (movement.kind === 'asked') return { line: line.line, status: 'asked', result_id: movement.approval, message: null };
    const { id } = movement.reply.body.transfer as { id: string };
    return { line: line.line, status: 'done', result_id: id, message: null };
  } catch (error) {
    if (!(error instanceof Problem) || (error.status >= 500 && error.status !== 502)) throw error;
    // The line may have been paid before by a process that could not record it, and its key may have expired since.
    const before = await ranBefore(visit, { operation: OPERATION, form_key: call.idempotency_key }, { body: call.body });
    if (before) return { line: line.line, status: 'done', result_id: before.resource_id, message: null };
    const message = approvalFault(error) === 'payee' ? BULK_TEXTS[visit.language].faults.changed : reasonOf(error);
    return { line: line.line, status: 'failed', result_id: null, message };
  }
}
