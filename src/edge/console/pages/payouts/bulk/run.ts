import { readBalance } from '../../../../../core/balance/service.ts';
import type { BatchRow, LineRow, Outcome } from '../../../../../core/payout-batches/schema.ts';
import { linesThat, recordOutcomes } from '../../../../../core/payout-batches/store.ts';
import { must, Problem } from '../../../../../kit/errors.ts';
import { hundredths } from '../../../../../kit/money.ts';
import type { PaidTo } from '../../../../../tenants/api/route.ts';
import { approvalFault, refuseApproval } from '../../../../../tenants/approvals/faults.ts';
import { countNeedingSecond, type Moved, movedBefore, type Movement, movesMoney } from '../../../money.ts';
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
 * of them fails unexpectedly; lines that were not recorded are run again with the same keys. The available balance is read again after a line
 * that ran before, because its amount may have left the balance already. A beneficiary that differs from the one that the list showed is not paid.
 * @returns `balance` when the available balance does not cover the next line, which stays open
 */
export async function runSlice(visit: TeamVisit, batch: BatchRow): Promise<'balance' | null> {
  const { store, team } = visit;
  const ref = { team_id: team.id, id: batch.id };
  const lines = await linesThat(store.db, ref, 'open', SLICE);
  let left = await availableFor(visit, lines);
  const outcomes: Outcome[] = [];
  try {
    for (const line of lines) {
      const { currency, amount_minor: total } = movedBy(line);
      const available = left.get(currency) ?? 0n;
      const outcome = await (available < total ? outcomeBefore(visit, batch, line) : pay(visit, batch, line));
      if (!outcome) return 'balance';
      outcomes.push(outcome);
      // Another request may have paid the line before the balance was read, or since.
      if (outcome.earlier) left = await availableFor(visit, lines);
      else if (outcome.status === 'done') left.set(currency, available - total);
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

function callOf(batch: BatchRow, line: LineRow) {
  return {
    body: must(line.body, 'an open line has a body'),
    idempotency_key: `${LINE_KEY}${batch.id}-${line.line}`,
    verifyPayee: (payee: PaidTo) => {
      if (recipientLine(payee) !== line.recipient) refuseApproval('payee');
    },
  };
}

/** The outcome of a line. `earlier`: it was paid before this slice. */
interface LineOutcome extends Outcome {
  earlier: boolean;
}

function outcomeOf({ line }: LineRow, movement: Movement): LineOutcome {
  if (movement.kind === 'asked') return { line, status: 'asked', result_id: movement.approval, message: null, earlier: false };
  return { line, status: 'done', result_id: movement.id, message: null, earlier: movement.earlier };
}

/** Returns the outcome of a line that ran before but was not recorded; null when it has not run. */
async function outcomeBefore(visit: TeamVisit, batch: BatchRow, line: LineRow): Promise<LineOutcome | null> {
  const before = await movedBefore(visit, OPERATION, callOf(batch, line));
  return before && outcomeOf(line, before);
}

async function pay(visit: TeamVisit, batch: BatchRow, line: LineRow): Promise<LineOutcome> {
  try {
    return outcomeOf(line, await movesMoney(visit, OPERATION, callOf(batch, line), movedBy(line)));
  } catch (error) {
    if (!(error instanceof Problem) || (error.status >= 500 && error.status !== 502)) throw error;
    // Another request may have paid the line meanwhile.
    const before = await outcomeBefore(visit, batch, line);
    if (before) return before;
    const message = approvalFault(error) === 'payee' ? BULK_TEXTS[visit.language].faults.changed : reasonOf(error);
    return { line: line.line, status: 'failed', result_id: null, message, earlier: false };
  }
}
