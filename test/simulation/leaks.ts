import { sql } from '../../src/kit/sql.ts';
import { dumpDatabase } from '../setup/api.ts';
import type { World } from './population.ts';
import type { Snapshot } from './snapshot.ts';

/** Returns the rows that hold data of an erased customer, anywhere in the store. */
export async function leaksOf({ ground, shops }: World, { mismatches }: Pick<Snapshot, 'mismatches'>): Promise<string[]> {
  const canaries = shops.flatMap(({ erased }) => erased.flatMap((one) => one.canaries));
  if (canaries.length === 0) return [];
  // That each of these has a reason to be open is compared elsewhere (oracle.ts).
  const refunds = await ground.live.all<{ payment: string }>(
    sql`select payment_id as payment from refunds where status in ('pending', 'processing')`,
  );
  return leaksIn((await dumpDatabase(ground.live)).split('\n'), canaries, [...mismatches, ...refunds]);
}

const NUMBER = /^\d+$/;
const ATTEMPT = /^\(\d+,att_\w+,(trx_\w+),/;

/**
 * Returns the rows that contain one of the texts. A number to which money may have to be returned is allowed in the attempts of a
 * payment whose amount waits for reconciliation, or whose refund waits for money: the erasure deletes it after that (docs/decisions/0025).
 */
export function leaksIn(rows: readonly string[], canaries: readonly string[], waits: readonly { payment: string }[]): string[] {
  const waiting = new Set(waits.map(({ payment }) => payment));
  const isNeeded = (row: string) => waiting.has(ATTEMPT.exec(row)?.[1] ?? '');
  return canaries.flatMap((canary) =>
    rows
      .filter((row) => row.includes(canary) && !(NUMBER.test(canary) && isNeeded(row)))
      .map((row) => `${canary}: ${row.slice(0, 200)}`),
  );
}
