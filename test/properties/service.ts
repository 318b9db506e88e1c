import { checkBooks as compareBooks } from '../../src/core/books-check/check.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { foldDeltas } from '../../src/money/ledger/fold.ts';
import type { Payout, PayoutOutcome } from '../../src/providers/adapters/contract.ts';
import { sandboxProvider } from '../../src/providers/adapters/sandbox/index.ts';
import { checkBooks } from '../faults/books.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import type { Books } from './books.ts';

/** How much the platform advances, in hundredths. */
export const CAP = 200_00n;

/** What the provider says of a transfer when it is handed over, or asked about. */
export const fates = new Map<string, (payout: Payout) => PayoutOutcome>();

/** Where the commands of one sequence act: a team of its own. */
export interface Lane {
  api: Api;
  store: Store;
  team_id: bigint;
  currency: string;
  books: Books;
}

let api: Api;
let folding = true;
let folder: Promise<void>;

/** One service whose live store is served by the sandbox provider, so that holds and caps are those of live. */
export async function openService(): Promise<void> {
  const clock = new FakeClock();
  const tell = async (payout: Payout) => (fates.get(payout.transfer_id) as (payout: Payout) => PayoutOutcome)(payout);
  const provider = { ...sandboxProvider({ clock, delay_ms: 0 }), payouts: { reaches: () => true, submit: tell, read: tell } };
  const providers = new Registry({ sandbox: [provider], live: [provider] });
  api = await startApi({ workers: false, clock, providers, env: { CREDIT_CAP_LIVE: String(CAP / 100n), DATABASE_POOL: '24' } });
  const { db } = api.deps.stores.live;
  folder = (async () => {
    while (folding) if ((await foldDeltas(db, 500)) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  })();
}

export async function closeService(): Promise<void> {
  folding = false;
  await folder;
  await api.stop();
}

export function service(): Pick<Lane, 'api' | 'store'> {
  return { api, store: api.deps.stores.live };
}

/** @returns what does not hold over all teams, also by `ledger verify` */
export async function checkAllBooks(): Promise<string[]> {
  const { db } = api.deps.stores.live;
  const found = await checkBooks(db);
  await compareBooks(db, ({ check, what, expected, found: seen }) => {
    found.push(`${check} ${what}: ${expected}, not ${seen}`);
  });
  return found;
}
