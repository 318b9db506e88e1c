import type { Environment } from '../kit/environment.ts';
import { newId } from '../kit/ids.ts';
import type { Tx } from '../kit/sql.ts';
import type { Obligation } from './schema.ts';
import { insertReturns } from './store.ts';

/**
 * Records that money has to go back to the payer, in the transaction that books its arrival in `hold`. The same arrival
 * twice is one obligation. The worker of the returns does the rest.
 */
export async function owe(
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
