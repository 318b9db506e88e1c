import type { Clock } from '../../kit/clock.ts';
import type { Secrets } from '../../kit/crypto.ts';
import type { Minor } from '../../kit/money.ts';
import type { Tx } from '../../kit/sql.ts';

/** The dependencies of disputes. */
export interface DisputeDeps {
  clock: Clock;
  secrets: Secrets;
  /**
   * Returns the amount that refunds under way may still take from a payment. Refunds are a room above disputes, so they register it.
   * The caller has locked the payment's row.
   */
  refundsUnderWay(tx: Tx, team_id: bigint, payment_id: string): Promise<Minor>;
}
