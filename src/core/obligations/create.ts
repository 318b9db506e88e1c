import type { Environment } from '../../kit/environment.ts';
import { newId } from '../../kit/ids.ts';
import type { Tx } from '../../kit/sql.ts';
import type { Obligation } from './schema.ts';
import { insertReturns } from './store.ts';

/**
 * Records that money must be returned to the payer, in the transaction that posts its arrival in `hold` (suspense). The same
 * arrival twice creates one obligation. The worker of src/core/returns returns the money.
 */
export async function recordObligations(
  tx: Tx,
  { environment, at }: { environment: Environment; at: number },
  obligations: readonly Obligation[],
): Promise<void> {
  if (obligations.length === 0) return;
  await insertReturns(
    tx,
    obligations.map((obligation) => ({ ...obligation, id: newId('rtn', environment, at) })),
    new Date(at),
  );
}
