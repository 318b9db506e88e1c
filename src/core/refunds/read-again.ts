import type { Tx } from '../../kit/sql.ts';
import { pollNow as pollReturn, recheckRefund } from '../obligations/store.ts';
import type { RefundRow } from './schema.ts';
import { FAILED_REFUNDS, PAYOUT, pollNow } from './store.ts';

/**
 * Makes a worker poll a refund again that a provider has turned away, or that failed although a callback may have reported otherwise. A
 * refund that carries out a return is polled with the return, before its money is sent another way.
 */
export function readAgain(tx: Tx, { team_id, id, return_id, way }: RefundRow, at: Date): Promise<void> {
  if (return_id === null) return pollNow(tx, team_id, id, at);
  if (way === 'refund') return recheckRefund(tx, team_id, id, at, FAILED_REFUNDS);
  return pollReturn(tx, { team_id, id: return_id }, at, null, PAYOUT);
}
