import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import { newId } from '../../kit/ids.ts';
import type { Minor } from '../../kit/money.ts';
import { post } from '../../money/ledger/post.ts';
import { repayCredit } from '../../money/settlement/credit.ts';
import type { TransferDeps } from './deps.ts';

/**
 * Adds test money to a team's sandbox balance, so that payouts can be tried without collecting first. As everywhere,
 * outstanding advances of the platform are repaid from it first.
 * @param amount_minor hundredths, above zero
 * @throws an error outside the sandbox
 */
export async function fundSandbox(
  deps: Pick<TransferDeps, 'clock'>,
  store: Store,
  team_id: bigint,
  currency: string,
  amount_minor: Minor,
  by: Actor,
): Promise<void> {
  if (store.environment !== 'sandbox') throw new Error('impossible: only the sandbox has play money');
  const at = deps.clock.now();
  const source_id = newId('req', store.environment, at);
  const origin = { team_id, currency, source_id, subject_id: source_id };
  await store.db.transaction(async (tx) => {
    await post(tx, [{ ...origin, kind: 'sandbox.funded', postings: [{ debit: 'clearing', credit: 'available', amount_minor }] }]);
    await repayCredit(tx, [{ ...origin, account_id: '' }]);
    await record(tx, by, { team_id, action: 'balance.fund', resource_id: source_id, at });
  });
}
