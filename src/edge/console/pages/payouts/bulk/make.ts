import { OwnProblem } from '../../../messages/own.ts';
import { findBeneficiaries } from '../../../../../core/beneficiaries/store.ts';
import type { LineRow } from '../../../../../core/payout-batches/schema.ts';
import { insertBatch, paidSince } from '../../../../../core/payout-batches/store.ts';
import { amongBeneficiaries } from '../../../../../core/transfers/payee.ts';
import { type Quote, quoteTransfer } from '../../../../../core/transfers/quote.ts';
import { Problem } from '../../../../../kit/errors.ts';
import { levelOf } from '../../../../../money/transaction-limits/service.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import { keyOfAsked } from '../../../forms.ts';
import type { TeamVisit } from '../../../page.ts';
import { MAX_RECENT, RECENT_MS } from '../known.ts';
import { type Asked, bodyOf } from '../new/asked.ts';
import { recipientLine, sameness } from '../recipient.ts';
import type { ParsedLine } from './parse.ts';
import { BULK_TEXTS } from './texts.ts';
import { cut } from '../../../../../kit/unicode.ts';

/**
 * Checks each line as POST /transfers would, and stores the list. Nothing is paid out. One displayed form makes one list for each text:
 * a text that was corrected after going back is another list.
 * @returns its id
 */
export async function makeBatch(deps: ConsoleDeps, visit: TeamVisit, parsed: readonly ParsedLine[]): Promise<string> {
  const asked = parsed.map((one) => one.asked);
  const { store, team, at, session } = visit;
  const id = keyOfAsked(visit.formKey.replace('console-', ''), asked);
  const saved = asked.flatMap(({ beneficiary }) => beneficiary || []);
  const [beneficiaries, recent] = await Promise.all([
    findBeneficiaries(store.db, team.id, saved),
    paidSince(store.db, store.environment, team.id, at - RECENT_MS, MAX_RECENT),
  ]);
  const context = { level: levelOf(store.environment, team), find: amongBeneficiaries(beneficiaries) };
  const paid = new Set(recent.map((one) => sameness({ ...one, recipient: recipientLine(one.recipient) })));
  const seen = new Set<string>();
  const lines: LineRow[] = [];
  for (const [i, { asked: one, file_line }] of parsed.entries()) {
    const place = { line: i + 1, file_line };
    try {
      if (one.surplus) throw new OwnProblem(422, BULK_TEXTS[visit.language].faults.surplus);
      const quote = await quoteTransfer(deps.config, context, bodyOf(visit, one));
      const line = openLine(place, quote);
      const key = sameness(line);
      lines.push({ ...line, repeats: seen.has(key) ? 'file' : paid.has(key) ? 'recent' : null });
      seen.add(key);
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      lines.push(wrongLine(place, one, reasonOf(error)));
    }
  }
  const batch = {
    team_id: team.id,
    id,
    user_id: session.user.id,
    lines: lines.length,
    started_at: null,
    created_at: new Date(at),
  };
  await store.db.transaction((tx) => insertBatch(tx, batch, lines));
  return id;
}

/** Position of a line in its list and in the text. */
type Place = Pick<LineRow, 'line' | 'file_line'>;

/** Returns the reason why the API rejects a line: its fields with their errors. */
export function reasonOf({ message, details }: Problem): string {
  const errors = Object.entries(details.errors ?? {}).map(([name, messages]) => `${name}: ${messages.join(', ')}`);
  return cut(errors.length > 0 ? errors.join('; ') : message, 500);
}

function openLine(place: Place, { body, payee, amount_minor, fee_minor }: Quote): LineRow {
  return {
    ...{ ...place, status: 'open', body, amount_minor, fee_minor, currency: body.currency, repeats: null },
    ...{ recipient: recipientLine(payee.recipient), result_id: null, message: null },
  };
}

function wrongLine(place: Place, { name, beneficiary, number }: Asked, message: string): LineRow {
  const recipient = cut([name, beneficiary ?? number].filter(Boolean).join(' · '), 200);
  return {
    ...{ ...place, status: 'wrong', body: null, amount_minor: null, fee_minor: null, currency: null, repeats: null },
    ...{ recipient, result_id: null, message },
  };
}
