import { findBeneficiaries } from '../../../../../core/beneficiaries/store.ts';
import { readBalance } from '../../../../../core/balance/service.ts';
import type { BatchRow, LineRow, Outcome } from '../../../../../core/payout-batches/schema.ts';
import { openLines, recordOutcomes } from '../../../../../core/payout-batches/store.ts';
import { must, Problem } from '../../../../../kit/errors.ts';
import { hundredths } from '../../../../../kit/money.ts';
import { movesMoney } from '../../../money.ts';
import type { TeamVisit } from '../../../page.ts';
import { recipientLine } from '../recipient.ts';
import { reasonOf } from './make.ts';
import { BULK_TEXTS } from './texts.ts';

/** Lines that one request pays out: a few seconds at most. */
export const SLICE = 25;

/**
 * Pays out the next lines of a list. Each line has an idempotency key of its own, made of the list and its number, so that a line is
 * paid once however often it is run: after a crash, twice at once, by two people. What became of the lines is recorded together, also
 * when one of them fails unexpectedly; lines that were not recorded are run again with the same keys.
 * @returns `balance` when the available balance does not cover the next line, which stays open
 */
export async function runSlice(visit: TeamVisit, batch: BatchRow): Promise<'balance' | null> {
  const { store, team } = visit;
  const ref = { team_id: team.id, id: batch.id };
  const lines = await openLines(store.db, ref, SLICE);
  const [left, moved] = await Promise.all([availableFor(visit, lines), linesWithOthers(visit, lines)]);
  const outcomes: Outcome[] = [];
  try {
    for (const line of lines) {
      const { currency, total } = costOf(line);
      const available = left.get(currency) ?? 0n;
      if (available < total) return 'balance';
      const outcome = moved.has(line.line) ? changed(visit, line) : await pay(visit, batch, line);
      outcomes.push(outcome);
      if (outcome.status === 'done') left.set(currency, available - total);
    }
    return null;
  } finally {
    if (outcomes.length > 0) await recordOutcomes(store.db, ref, outcomes);
  }
}

/** Returns the lines whose beneficiary is another than the list showed: changed since then, or deleted. */
async function linesWithOthers({ store, team }: TeamVisit, lines: readonly LineRow[]): Promise<Set<number>> {
  const idOf = ({ body }: LineRow) => (typeof body?.beneficiary === 'string' ? body.beneficiary : null);
  const saved = lines.filter((line) => idOf(line) !== null);
  const rows = await findBeneficiaries(
    store.db,
    team.id,
    saved.map((line) => idOf(line) as string),
  );
  const byId = new Map(rows.map((row) => [row.id, recipientLine(row)]));
  return new Set(saved.filter((line) => byId.get(idOf(line) as string) !== line.recipient).map(({ line }) => line));
}

function changed({ language }: TeamVisit, { line }: LineRow): Outcome {
  return { line, status: 'failed', result_id: null, message: BULK_TEXTS[language].faults.changed };
}

async function availableFor({ store, team }: TeamVisit, lines: readonly LineRow[]): Promise<Map<string, bigint>> {
  const currencies = [...new Set(lines.map((line) => costOf(line).currency))];
  const balances = await Promise.all(currencies.map((currency) => readBalance(store.db, team.id, currency, null)));
  return new Map(balances.map(({ currency, available }) => [currency, hundredths(available)]));
}

function costOf({ amount_minor, fee_minor, currency }: LineRow): { currency: string; total: bigint } {
  return {
    currency: must(currency, 'an open line has a currency'),
    total: must(amount_minor, 'an open line has an amount') + (fee_minor ?? 0n),
  };
}

async function pay(visit: TeamVisit, batch: BatchRow, line: LineRow): Promise<Outcome> {
  const { currency, total } = costOf(line);
  const call = { body: must(line.body, 'an open line has a body'), idempotency_key: `bulk-${batch.id}-${line.line}` };
  try {
    const moved = { amount_minor: total, currency };
    const movement = await movesMoney(visit, 'POST /transfers', call, moved);
    if (movement.kind === 'asked') return { line: line.line, status: 'asked', result_id: movement.approval, message: null };
    const { id } = movement.reply.body.transfer as { id: string };
    return { line: line.line, status: 'done', result_id: id, message: null };
  } catch (error) {
    if (!(error instanceof Problem) || (error.status >= 500 && error.status !== 502)) throw error;
    return { line: line.line, status: 'failed', result_id: null, message: reasonOf(error) };
  }
}
