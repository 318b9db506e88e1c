import type { Clock } from '../../kit/clock.ts';
import type { Secrets } from '../../kit/crypto.ts';
import type { Minor } from '../../kit/money.ts';
import type { Tx } from '../../kit/sql.ts';
import type { MoveContext } from '../payments/listeners.ts';

/** The dependencies of disputes. */
export interface DisputeDeps {
  clock: Clock;
  secrets: Secrets;
  /**
   * Returns the amount that refunds under way may still take from a payment. Refunds are a room above disputes, so they register it.
   * The caller has locked the payment's row.
   */
  refundsUnderWay(tx: Tx, team_id: bigint, payment_id: string): Promise<Minor>;
  /** Ends the merchant's refunds of a payment that have no part at a provider. Registered and called in the same way. */
  endUncoveredRefunds(tx: Tx, context: MoveContext, payment: { team_id: bigint; id: string }): Promise<void>;
}
