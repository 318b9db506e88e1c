import type { WaitingLine } from '../../../../../core/payout-batches/store.ts';
import { findBeneficiaries } from '../../../../../core/beneficiaries/store.ts';
import { amongBeneficiaries, savedIdOf } from '../../../../../core/transfers/payee.ts';
import { quoteTransfer } from '../../../../../core/transfers/quote.ts';
import type { CreateTransferBody } from '../../../../../core/transfers/schema.ts';
import { Problem } from '../../../../../kit/errors.ts';
import { levelOf } from '../../../../../money/transaction-limits/service.ts';
import { MAX_WAITING } from '../../../../../tenants/approvals/schema.ts';
import { listWaiting } from '../../../../../tenants/approvals/store.ts';
import { readableWanted } from '../../../../../tenants/approvals/wanted.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import type { TeamVisit } from '../../../page.ts';
import { recipientLine } from '../recipient.ts';
import { isLineKey, OPERATION } from './run.ts';

/**
 * Returns the payouts outside of lists that wait for approval, with their current recipients. (The recipients of a list's lines are stored
 * with them.) A payout that could not be paid now is left out: it was requested under other limits, its recipient is gone, or no key decrypts
 * it.
 */
export async function waitingSingles(deps: ConsoleDeps, visit: TeamVisit): Promise<Omit<WaitingLine, 'approval'>[]> {
  const { team, store, approvals } = visit;
  const rows = await listWaiting(approvals.control, team.id, store.environment, MAX_WAITING);
  const wanted = rows
    .filter((row) => row.operation === OPERATION && !isLineKey(row.form_key))
    .flatMap((row) => readableWanted(approvals.secrets, row)?.body ?? []);
  const saved = wanted.flatMap((body) => savedIdOf(body as Partial<CreateTransferBody>) ?? []);
  const beneficiaries = saved.length > 0 ? await findBeneficiaries(store.db, team.id, saved) : [];
  const context = { level: levelOf(store.environment, team), find: amongBeneficiaries(beneficiaries) };
  const found: Omit<WaitingLine, 'approval'>[] = [];
  for (const sent of wanted) {
    try {
      const { body, payee, amount_minor } = await quoteTransfer(deps.config, context, sent);
      found.push({ recipient: recipientLine(payee.recipient), amount_minor, currency: body.currency });
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
    }
  }
  return found;
}
