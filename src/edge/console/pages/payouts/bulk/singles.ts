import type { WaitingLine } from '../../../../../core/payout-batches/store.ts';
import { quoteTransfer } from '../../../../../core/transfers/quote.ts';
import { Problem } from '../../../../../kit/errors.ts';
import { MAX_WAITING } from '../../../../../tenants/approvals/schema.ts';
import { listWaiting } from '../../../../../tenants/approvals/store.ts';
import { wantedOf } from '../../../../../tenants/approvals/wanted.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import type { TeamVisit } from '../../../page.ts';
import { contextOf } from '../new/asked.ts';
import { recipientLine } from '../recipient.ts';
import { isLineKey, OPERATION } from './run.ts';

/**
 * Returns the payouts outside of lists that wait for a second person, to whom they would go now. Whom a list's lines would pay is stored with
 * them. One that could not be paid now is left out: it was asked for under other limits, or its recipient is gone.
 */
export async function waitingSingles(deps: ConsoleDeps, visit: TeamVisit): Promise<Omit<WaitingLine, 'approval'>[]> {
  const { team, store, approvals } = visit;
  const rows = await listWaiting(approvals.control, team.id, store.environment, MAX_WAITING);
  const found: Omit<WaitingLine, 'approval'>[] = [];
  for (const row of rows) {
    if (row.operation !== OPERATION || isLineKey(row.form_key)) continue;
    try {
      const { body, payee, amount_minor } = await quoteTransfer(
        deps.config,
        contextOf(visit),
        wantedOf(approvals.secrets, row).body,
      );
      found.push({ recipient: recipientLine(payee.recipient), amount_minor, currency: body.currency });
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
    }
  }
  return found;
}
